import { commitToLog, type Publisher } from '../integrity/publication.ts'
import { fromUtf8, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { type CurrentFigure, FIGURES_STATE, type FiguresState, isFiguresState } from '../proof/figures.ts'
import { RULE } from './rule/figure.ts'
import type { Metric } from './rule/tally.ts'
import type { FigureRelease } from './store.ts'

// The last entry of each release in the figures log says what stands now. `/api/figures` is made from it alone.

/** A new text needs a new version of the rule, and a change of the figure at the same release: docs/spec/figures.md, Replay. */
export const DEFINITIONS = {
  w: 'Closed cases with 500 dollars or more recovered, divided by all closed cases',
  r: 'Cases flagged as ongoing treatment, divided by all cases',
  p: 'Settlements reached without certified-mail escalation, divided by all settlements',
  savings_total:
    'Dollars recovered in settlements, each case rounded to 50 and top-coded at 50,000; the sum rounded to 1,000',
  savings_median: 'The middle amount recovered in a settlement, zero amounts included, rounded to 50 dollars',
} as const satisfies Partial<Record<Metric, string>>

const NO_DATA = { value: null, suppressed: true, reason: 'no_data', as_of: null } as const

/** What stands after a release; before the first one, that there is nothing. It has no more than the answer shows. */
export function stateOf(release: FigureRelease | undefined, recorded_at: string): FiguresState {
  const figure = (metric: Metric) => release?.states.of[metric].figure ?? NO_DATA
  const standing = <V extends number | string>(metric: keyof typeof DEFINITIONS): CurrentFigure<V> => {
    const { value, suppressed, reason, as_of } = figure(metric)
    return { value: value as V | null, suppressed, reason, as_of, definition: DEFINITIONS[metric] }
  }
  return {
    schema: FIGURES_STATE,
    release_id: release?.release_id ?? null,
    as_of: release ? new Date(release.released_at).toISOString() : null,
    data_class: release?.data_class ?? null,
    sdc_rule_version: release?.states.rule_version ?? RULE.version,
    metrics: {
      w: standing('w'),
      r: standing('r'),
      p: standing('p'),
      savings_total: standing('savings_total'),
      savings_median: standing('savings_median'),
    },
    cases_floor10: figure('cases_floor10').value as number | null,
    settlements_floor10: figure('settlements_floor10').value as number | null,
    ...(release?.noise && { noise: release.noise }),
    recorded_at,
  }
}

/** The leaf of a state. */
export const stateLeaf = (release: FigureRelease | undefined, now: number): Uint8Array =>
  utf8(canonical(stateOf(release, new Date(now).toISOString())))

/** What the bytes of a leaf say, if they are the canonical text of a state. */
export function stateIn(leaf: Uint8Array): FiguresState | undefined {
  try {
    const text = fromUtf8(leaf)
    const state: unknown = JSON.parse(text)
    return isFiguresState(state) && canonical(state) === text ? state : undefined
  } catch {
    return undefined
  }
}

/** The first entry of a new log: nothing was released yet. So the answer has a proof from the start. */
export const beginFigures = (publisher: Publisher, now: number): Promise<number> =>
  commitToLog(publisher, now, (_tx, append) => append([stateLeaf(undefined, now)]))
