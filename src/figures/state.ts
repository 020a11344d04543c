import { commitToLog, type Publisher } from '../integrity/publication.ts'
import { fromUtf8, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { type CurrentFigure, FIGURES_STATE, type FiguresState, isFiguresState } from '../proof/figures.ts'
import { RULE } from './rule/figure.ts'
import { RULE_2 } from './rule/rule-2.ts'
import type { Metric } from './rule/tally.ts'
import type { FigureRelease } from './store.ts'

// The last log entry of each release is the state: the current figures. `/api/figures` is made from it alone.

const RATES = {
  w: 'Closed cases with 500 dollars or more recovered, divided by all closed cases',
  r: 'Cases flagged as ongoing treatment, divided by all cases',
  p: 'Settlements reached without certified-mail escalation, divided by all settlements',
} as const

/** A new text needs a new version of the rule, and a change of the figure at the same release: docs/spec/figures.md, Replay. */
export const DEFINITIONS = {
  ...RATES,
  savings_total:
    'Dollars recovered in settlements, each case rounded to 50 and counted with at most 5,000; the sum rounded to 1,000',
  savings_median: 'The middle amount recovered in a settlement, zero amounts included: told as a band only',
} as const satisfies Partial<Record<Metric, string>>

const EXACT_DEFINITIONS: Record<keyof typeof DEFINITIONS, string> = {
  ...RATES,
  savings_total:
    'Dollars recovered in settlements, each case rounded to 50 and top-coded at 50,000; the sum rounded to 1,000',
  savings_median: 'The middle amount recovered in a settlement, zero amounts included, rounded to 50 dollars',
}

/** The state after a release. It has nothing that the answer does not show. */
export function stateOf(release: FigureRelease, recorded_at: string): FiguresState {
  const { sdc_rule_version, data_class, metrics, noise, exact, unit, median_band, counts_standard_error } =
    release.figures
  const definitions = sdc_rule_version === RULE.version ? EXACT_DEFINITIONS : DEFINITIONS
  const current = <V extends number | string>(metric: keyof typeof DEFINITIONS): CurrentFigure<V> => {
    const { value, suppressed, reason, as_of, standard_error } = metrics[metric]
    return {
      value: value as V | null,
      ...(standard_error !== undefined && { standard_error: standard_error as V | null }),
      suppressed,
      reason,
      as_of,
      definition: definitions[metric],
    }
  }
  return {
    schema: FIGURES_STATE,
    release_id: release.release_id,
    as_of: new Date(release.released_at).toISOString(),
    data_class,
    sdc_rule_version,
    metrics: {
      w: current('w'),
      r: current('r'),
      p: current('p'),
      savings_total: current('savings_total'),
      savings_median: current('savings_median'),
    },
    cases_floor10: metrics.cases_floor10.value as number | null,
    settlements_floor10: metrics.settlements_floor10.value as number | null,
    ...(noise && { noise }),
    ...(exact && { exact }),
    ...(unit !== undefined && { unit }),
    ...(median_band !== undefined && { median_band }),
    ...(counts_standard_error !== undefined && { counts_standard_error }),
    recorded_at,
  }
}

/** The first state of a log, before any release. A log from before rule 2 existed has rule 1 in it. */
export function emptyState(recorded_at: string, sdc_rule_version: string = RULE_2.version): FiguresState {
  const isOld = sdc_rule_version === RULE.version
  const nothing = (metric: keyof typeof DEFINITIONS): CurrentFigure<never> => ({
    value: null,
    ...(!isOld && { standard_error: null }),
    suppressed: true,
    reason: 'no_data',
    as_of: null,
    definition: (isOld ? EXACT_DEFINITIONS : DEFINITIONS)[metric],
  })
  return {
    schema: FIGURES_STATE,
    release_id: null,
    as_of: null,
    data_class: null,
    sdc_rule_version,
    metrics: {
      w: nothing('w'),
      r: nothing('r'),
      p: nothing('p'),
      savings_total: nothing('savings_total'),
      savings_median: nothing('savings_median'),
    },
    cases_floor10: null,
    settlements_floor10: null,
    ...(!isOld && { unit: null, median_band: null, counts_standard_error: null }),
    recorded_at,
  }
}

/** The leaf of a state. */
export const stateLeaf = (release: FigureRelease, now: number): Uint8Array =>
  utf8(canonical(stateOf(release, new Date(now).toISOString())))

/** Reads a leaf. Undefined if it is not the canonical text of a state. */
export function parseState(leaf: Uint8Array): FiguresState | undefined {
  try {
    const text = fromUtf8(leaf)
    const state: unknown = JSON.parse(text)
    return isFiguresState(state) && canonical(state) === text ? state : undefined
  } catch {
    return undefined
  }
}

/** Writes the first entry of a new log, so that the answer has a proof before the first release. */
export const beginFigures = (publisher: Publisher, now: number): Promise<number> =>
  commitToLog(publisher, now, (_tx, append) => append([utf8(canonical(emptyState(new Date(now).toISOString())))]))
