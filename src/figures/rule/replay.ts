import { decide, type FigureStates, type Tallies } from './disclosure.ts'
import { RULE } from './figure.ts'
import { decideNoised, type Noise } from './noise.ts'
import { METRICS } from './tally.ts'

/** A release as stored: the input of the rule, and its decision. */
export interface DecidedRelease {
  release_id: string
  tallies: Tallies
  noise: Noise | null
  states: FigureStates
}

/**
 * Decides every release again from its stored tallies, oldest first, and compares the results: what was published,
 * withheld or held back, and on which cases. Returns the differences.
 */
export function replay(releases: readonly DecidedRelease[]): string[] {
  let previous: FigureStates | undefined
  const faults: string[] = []
  for (const { release_id, tallies, noise, states } of releases) {
    const again = (noise ? decideNoised : decide)(tallies, previous, RULE).states
    for (const metric of METRICS)
      if (JSON.stringify(inOrder(again.of[metric])) !== JSON.stringify(inOrder(states.of[metric])))
        faults.push(`figures release ${release_id}: ${metric} differs from what the rule decides on its tallies`)
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
