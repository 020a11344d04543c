// Builders for tests and vectors: states of the figures, and a figures log that ends with one.

import { FIGURES_PROOF } from './body.ts'
import { utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { type CurrentFigure, FIGURES_STATE, type FiguresState, figuresAnswer } from './figures.ts'
import type { MemoryLog } from './fixture.ts'

const AS_OF = '2026-10-06T00:00:00.000Z'

export const aFigure = <V extends number | string>(value: V, given: Partial<CurrentFigure<V>> = {}) => ({
  value,
  suppressed: false,
  reason: null,
  as_of: AS_OF,
  definition: 'What it is among what',
  ...given,
})

export const withheld = (reason: string, given: Partial<CurrentFigure<never>> = {}) => ({
  ...aFigure<never>(null as never, given),
  value: null,
  suppressed: true,
  reason,
})

/** The state after a release, with one value withheld. */
export const aState = (given: Partial<FiguresState> = {}): FiguresState => ({
  schema: FIGURES_STATE,
  release_id: '2026-10-06.1',
  as_of: AS_OF,
  data_class: 'published',
  sdc_rule_version: '1.0.0',
  metrics: {
    w: aFigure(0.48),
    r: aFigure(0.32),
    p: withheld('small_cell'),
    savings_total: aFigure('126000.00'),
    savings_median: aFigure('950.00'),
  },
  cases_floor10: 720,
  settlements_floor10: 450,
  recorded_at: '2026-10-06T00:00:01.000Z',
  ...given,
})

/** The state under rule 2: values with noise and their standard errors, and a band in place of the median. */
export const aNoisedState = (given: Partial<FiguresState> = {}): FiguresState =>
  aState({
    sdc_rule_version: '2.0.0',
    metrics: {
      w: aFigure(0.48, { standard_error: 0.013 }),
      r: aFigure(0.32, { standard_error: 0.012 }),
      p: withheld('small_cell', { standard_error: null }),
      savings_total: aFigure('126000.00', { standard_error: '7100.00' }),
      savings_median: withheld('not_with_noise', { standard_error: null }),
    },
    noise: { mechanism: 'discrete_laplace', epsilon: '1', windows: 'disjoint' },
    unit: 'case',
    median_band: { low: '500.00', high: '1000.00' },
    counts_standard_error: 4,
    ...given,
  })

const none = () => ({ ...withheld('no_data'), as_of: null })

/** Before the first release. */
export const aStateOfNothing = (): FiguresState =>
  aState({
    release_id: null,
    as_of: null,
    data_class: null,
    metrics: { w: none(), r: none(), p: none(), savings_total: none(), savings_median: none() },
    cases_floor10: null,
    settlements_floor10: null,
    recorded_at: '2026-09-01T00:00:00.000Z',
  })

/** The answer that a state makes, and its proof, at the end of a log unless another place is said. */
export async function figuresBody(log: MemoryLog, state: FiguresState, index?: number, size?: number) {
  if (index === undefined) log.append(utf8(canonical(state)))
  const proved = await log.prove(index ?? log.leaves.length - 1, size)
  return { ...figuresAnswer(state), proof: { type: FIGURES_PROOF, state, log: proved } }
}

/** The entries of a first release, from this place on: a change of each figure, and the state that ends it. */
export function firstRelease(first: number, state = aState()): object[] {
  const { metrics, cases_floor10, settlements_floor10, release_id, as_of, sdc_rule_version } = state
  const values = Object.entries(metrics).map(([metric, { value }]) => [metric, value] as const)
  const changes = [
    ...values,
    ['cases_floor10', cases_floor10] as const,
    ['settlements_floor10', settlements_floor10] as const,
  ].map(([metric, value], i) => ({
    seq: first + i,
    release_id,
    released_at: as_of,
    metric,
    old: null,
    new: value,
    old_as_of: null,
    new_as_of: as_of,
    reason: 'initial',
    sdc_rule_version,
  }))
  return [...changes, state]
}
