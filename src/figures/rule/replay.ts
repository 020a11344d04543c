import { decide, type FigureStates, type Tallies } from './disclosure.ts'
import { RULE } from './figure.ts'
import { decideNoised, type Noise } from './noise.ts'
import { METRICS } from './tally.ts'

/** A release as it is kept: what the rule was given, and what it decided. */
export interface DecidedRelease {
  release_id: string
  tallies: Tallies
  noise: Noise | null
  states: FigureStates
}

/**
 * Decides every release again from the tallies it was given, oldest first, and compares all that was decided: what
 * was published, withheld, held or kept silent, and on which cases. Returns what does not come out the same.
 */
export function replay(releases: readonly DecidedRelease[]): string[] {
  let previous: FigureStates | undefined
  const faults: string[] = []
  for (const { release_id, tallies, noise, states } of releases) {
    const again = (noise ? decideNoised : decide)(tallies, previous, RULE).states
    for (const metric of METRICS)
      if (JSON.stringify(inOrder(again.of[metric])) !== JSON.stringify(inOrder(states.of[metric])))
        faults.push(`figures release ${release_id}: ${metric} is not what the rule decides on its tallies`)
    previous = again
  }
  return faults
}

const inOrder = (state: FigureStates['of'][(typeof METRICS)[number]]) => ({
  figure: Object.entries(state.figure).sort(([a], [b]) => (a < b ? -1 : 1)),
  basis: state.basis,
  batch_id: state.batch_id,
  room: state.room,
})
