import { dollars } from './words.ts'

interface Metric<Value> {
  value: Value | null
  standard_error?: Value | null | undefined
  suppressed: boolean
  reason: string | null
  definition: string
}

/** The part of `/api/figures` that pages show. */
export interface FiguresAnswer {
  savings: { median_band?: { low: string; high: string | null } | null | undefined }
  cases_floor10: number | null
  settlements_floor10: number | null
  /** The error of both counts, in cases. */
  counts_standard_error?: number | null | undefined
  as_of: string | null
  release_id: string | null
  metrics: {
    w: Metric<number>
    r: Metric<number>
    p: Metric<number>
    savings_total: Metric<string>
    savings_median: Metric<string>
  }
  sdc_rule_version: string
  data_class: string | null
  exact?: true | undefined
}

export interface FigureTile {
  key: string
  name: string
  /** Undefined where the figure is withheld. */
  value: string | undefined
  /** How far noise and rounding move it. */
  error: string | undefined
  /** Why it is withheld. */
  withheld: string | undefined
  meaning: string
}

const percent = (share: number): string => `${Math.round(share * 100)}%`
const points = (share: number): string => `${Math.round(share * 1000) / 10} points`
const whole = (amount: string): string => dollars(amount.replace(/\.00$/, ''))

const REASONS: Record<string, string> = {
  no_data: 'there are no cases yet',
  small_cell: 'it rests on too few cases',
  dominance: 'a few cases decide it',
  not_with_noise: 'figures with noise have none',
}

function tile<Value>(
  [key, name, meaning]: readonly [string, string, string],
  { value, standard_error: error, reason }: Metric<Value>,
  show: (value: Value) => string,
  showError = show,
): FigureTile {
  return {
    key,
    name,
    meaning,
    value: value === null ? undefined : show(value),
    error: error === null || error === undefined ? undefined : showError(error),
    withheld: value === null ? (REASONS[reason ?? ''] ?? 'the disclosure rule withholds it') : undefined,
  }
}

/** The figures for people. With noise the median is a band. */
export function figureTiles({ metrics, savings }: FiguresAnswer): FigureTile[] {
  const band = savings.median_band
  const median = tile(
    ['savings_median', 'Median saving', 'The middle amount recovered in a settlement.'],
    metrics.savings_median,
    whole,
  )
  return [
    tile(['w', 'Win rate', 'Closed cases in which 500 dollars or more was recovered.'], metrics.w, percent, points),
    tile(['r', 'Recurring', 'Cases that belong to an ongoing treatment.'], metrics.r, percent, points),
    tile(['p', 'Settled plainly', 'Settlements reached without a certified letter.'], metrics.p, percent, points),
    tile(['savings_total', 'Recovered in all', 'The sum of what settlements recovered.'], metrics.savings_total, whole),
    band ? { ...median, value: bandText(band), withheld: undefined } : median,
  ]
}

const bandText = ({ low, high }: { low: string; high: string | null }): string =>
  high === null ? `${whole(low)} or more` : `${whole(low)} to ${whole(high)}`

export const WITHHELD_MEANS = 'A figure is withheld if it could point to a person. Withheld does not mean zero.'
