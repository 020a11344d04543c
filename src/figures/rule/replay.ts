import { decide, type Standings, type Tallies } from './disclosure.ts'
import { RULE } from './figure.ts'
import { decideNoised, type Noise } from './noise.ts'
import { METRICS } from './tally.ts'

/** A release as it is kept: what the rule was given, and what it decided. */
export interface DecidedRelease {
  release_id: string
  tallies: Tallies
  noise: Noise | null
  standings: Standings
}

/**
 * Decides every release again from the tallies it was given, oldest first, and compares all that was decided: what
 * was published, withheld, held or kept silent, and on which cases. Returns what does not come out the same.
 */
export function replay(releases: readonly DecidedRelease[]): string[] {
  let previous: Standings | undefined
  const faults: string[] = []
  for (const { release_id, tallies, noise, standings } of releases) {
    const again = (noise ? decideNoised : decide)(tallies, previous, RULE).standings
    for (const metric of METRICS)
      if (JSON.stringify(inOrder(again.of[metric])) !== JSON.stringify(inOrder(standings.of[metric])))
        faults.push(`figures release ${release_id}: ${metric} is not what the rule decides on its tallies`)
    previous = again
  }
  return faults
}

const inOrder = (standing: Standings['of'][(typeof METRICS)[number]]) => ({
  figure: Object.entries(standing.figure).sort(([a], [b]) => (a < b ? -1 : 1)),
  basis: standing.basis,
  batch_id: standing.batch_id,
  room: standing.room,
})
