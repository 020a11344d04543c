import { decide as decideExact, type FigureStates, type Tallies } from './disclosure.ts'
import { type Figure, RULE } from './figure.ts'
import { decide, type NoisedFigures, RULE_2, type WindowTally } from './rule-2.ts'
import { METRICS, type Metric } from './tally.ts'

/** A stored release of exact figures: the input of rule 1, and its decision. */
export interface ExactRelease {
  release_id: string
  tallies: Tallies
  states: FigureStates
}

/** A release under rule 2: the noised windows that it sums up, and the published figures. */
interface NoisedRelease {
  release_id: string
  as_of: string
  unit: NoisedFigures['unit']
  windows: readonly WindowTally[]
  published: Omit<NoisedFigures, 'unit'>
}

/**
 * Decides a series of exact releases again from their stored tallies, oldest first, and compares the results: which figures
 * were published, withheld or held back, and on which cases. Returns the differences.
 */
export function replayExact(releases: readonly ExactRelease[]): string[] {
  let previous: FigureStates | undefined
  const faults: string[] = []
  for (const { release_id, tallies, states } of releases) {
    const again = decideExact(tallies, previous, RULE).states
    for (const metric of METRICS)
      if (JSON.stringify(inOrder(again.of[metric])) !== JSON.stringify(inOrder(states.of[metric])))
        faults.push(differs(release_id, metric, 'tallies'))
    previous = again
  }
  return faults
}

/** Decides a release again from its noised windows. It does not need the exact counts, which are not kept. */
export function replayNoised({ release_id, as_of, unit, windows, published }: NoisedRelease): string[] {
  const { figures } = decide({ as_of, unit, windows }, undefined, RULE_2)
  const faults = METRICS.filter((metric) => !isSame(figures.of[metric], published.of[metric])).map((metric) =>
    differs(release_id, metric, 'windows'),
  )
  const besides = (['rule_version', 'median_band', 'counts_standard_error'] as const).filter(
    (member) => JSON.stringify(figures[member]) !== JSON.stringify(published[member]),
  )
  return [...faults, ...besides.map((member) => differs(release_id, member, 'windows'))]
}

const differs = (release_id: string, what: string, from: string): string =>
  `figures release ${release_id}: ${what} differs from what the rule decides on its ${from}`

const sorted = (figure: Figure) => Object.entries(figure).sort(([a], [b]) => (a < b ? -1 : 1))
const isSame = (one: Figure, other: Figure): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

const inOrder = (state: FigureStates['of'][Metric]) => ({
  figure: sorted(state.figure),
  basis: state.basis,
  batch_id: state.batch_id,
  room: state.room,
})
