import { amountWithheld, hasSmallCell, heldBack, medianCents } from './disclosure.ts'
import type { Judgement, Rule, WithheldReason } from './figure.ts'
import { divideHalfEven } from './rounding.ts'
import { casesWith, type Histogram, type OutcomeCell, size, tally } from './tally.ts'

export const CASE_BANDS = ['0-10', '11-29', '30-99', '100-299', '300+'] as const
export const SAVINGS_BANDS = ['<500', '500-1999', '2000-9999', '10000+'] as const
export const WITHHOLDABLE = ['win_rate', 'no_escalation_rate', 'median_savings_band'] as const

export type CaseBand = (typeof CASE_BANDS)[number]
export type SavingsBand = (typeof SAVINGS_BANDS)[number]
export type BandedRate = number | '>=0.90' | '<=0.10'
type Withholdable = (typeof WITHHOLDABLE)[number]

/** The published statistics of one provider. */
export interface ProviderStats {
  npi: string
  window: { from: string; to: string; granularity: 'quarter' | 'year' }
  case_band: CaseBand
  win_rate: BandedRate | null
  no_escalation_rate: BandedRate | null
  median_savings_band: SavingsBand | null
  suppressed: boolean
  reasons: { field: Withholdable; reason: WithheldReason }[]
  as_of: string | null
  sdc_rule_version: string
}

/** The published facts about a provider. */
export interface ProviderFacts {
  band: { value: CaseBand }
  win_rate: Judgement<BandedRate>
  no_escalation_rate: Judgement<BandedRate>
  median_savings_band: Judgement<SavingsBand>
}

/** The facts under rule 1, with the cases that each part was last decided on. */
export type ProviderRecord = { [Part in keyof ProviderFacts]: ProviderFacts[Part] & { basis: Histogram } }

const QUARTERS = 8

const quarterOf = (at: number): number => {
  const date = new Date(at)
  return date.getUTCFullYear() * 4 + Math.floor(date.getUTCMonth() / 3)
}
const quarterName = (quarter: number): string => `${Math.floor(quarter / 4)}-Q${(quarter % 4) + 1}`

/** The begin of the last eight quarters: the quarter of `at` and the seven before it. */
export const windowsSince = (at: number): number =>
  Date.UTC(Math.floor((quarterOf(at) - QUARTERS + 1) / 4), ((quarterOf(at) - QUARTERS + 1) % 4) * 3)

/** The last eight whole quarters before the quarter of `at`, and the years that they touch. */
export function windowAt(at: number): { from: string; to: string; years: [first: number, last: number] } {
  const from = quarterOf(at) - QUARTERS
  const to = quarterOf(at) - 1
  return { from: quarterName(from), to: quarterName(to), years: [Math.floor(from / 4), Math.floor(to / 4)] }
}

/** Whether a release is the first of its quarter: only these refresh the statistics of providers (P7). */
export const beginsQuarter = (released_at: number, previous: number | undefined): boolean =>
  previous === undefined || quarterOf(previous) < quarterOf(released_at)

/** Rules P2 to P8 for one provider in the directory, from what was decided at the last refresh. */
export function providerStats(
  npi: string,
  facts: ProviderFacts | undefined,
  at: { refreshed_at: number | undefined; now: number },
  rule: { version: string; granularity: 'quarter' | 'year' },
): ProviderStats {
  const { from, to } = windowAt(at.refreshed_at ?? at.now)
  return {
    npi,
    window: { from, to, granularity: rule.granularity },
    ...publishedMembers(facts),
    as_of: at.refreshed_at === undefined ? null : new Date(at.refreshed_at).toISOString(),
    sdc_rule_version: rule.version,
  }
}

/** The record of a provider after a refresh. Each part is decided again or held back, as figures are (F5). */
export function decideRecord(
  cells: readonly OutcomeCell[],
  before: ProviderRecord | undefined,
  rule: Rule,
): ProviderRecord {
  const all = tally(cells, 'cases_floor10')
  const won = tally(cells, 'w')
  const peaceful = tally(cells, 'p')
  const saved = tally(cells, 'savings_median')
  const held = <T extends { basis: Histogram }>(
    old: T | undefined,
    basis: Histogram,
    fresh: () => Omit<T, 'basis'>,
  ): T => (old && heldBack(old.basis, basis, rule) ? old : ({ ...fresh(), basis } as T))
  return {
    band:
      before && heldBack(before.band.basis, all, rule, true) ? before.band : { value: caseBand(size(all)), basis: all },
    win_rate: held(before?.win_rate, won, () => bandedRate(won, rule)),
    no_escalation_rate: held(before?.no_escalation_rate, peaceful, () => bandedRate(peaceful, rule)),
    median_savings_band: held(before?.median_savings_band, saved, () => savingsBand(saved, rule)),
  }
}

/** The cases of every provider that has any, read for one provider at a time: all at once would be most of the ledger. */
export interface ProviderCells {
  npis: readonly string[]
  of: (npi: string) => readonly OutcomeCell[]
}

/** The records that a refresh changes. A provider whose cases are all gone is decided on zero cases. */
export function refresh(
  cells: ProviderCells,
  before: ReadonlyMap<string, ProviderRecord>,
  rule: Rule,
): [npi: string, record: ProviderRecord][] {
  const moved: [string, ProviderRecord][] = []
  for (const npi of new Set([...cells.npis, ...before.keys()])) {
    const old = before.get(npi)
    const now = decideRecord(cells.of(npi), old, rule)
    if (!old || PARTS.some((part) => now[part] !== old[part])) moved.push([npi, now])
  }
  return moved
}

const PARTS = [
  'band',
  'win_rate',
  'no_escalation_rate',
  'median_savings_band',
] as const satisfies (keyof ProviderRecord)[]

/** Below 30 cases only the band is published, and below 11 all providers look the same (P2, P3). */
function publishedMembers(
  facts: ProviderFacts | undefined,
): Pick<ProviderStats, 'case_band' | Withholdable | 'suppressed' | 'reasons'> {
  const case_band = facts?.band.value ?? '0-10'
  const nothing: Judgement<never> = { value: null, reason: 'small_cell' }
  const bandOnly = !facts || case_band === '0-10' || case_band === '11-29'
  const parts = {
    win_rate: bandOnly ? nothing : facts.win_rate,
    no_escalation_rate: bandOnly ? nothing : facts.no_escalation_rate,
    median_savings_band: bandOnly ? nothing : facts.median_savings_band,
  }
  const reasons = WITHHOLDABLE.flatMap((field): { field: typeof field; reason: WithheldReason }[] => {
    const { reason } = parts[field]
    return reason === null ? [] : [{ field, reason }]
  })
  return {
    case_band,
    win_rate: parts.win_rate.value,
    no_escalation_rate: parts.no_escalation_rate.value,
    median_savings_band: parts.median_savings_band.value,
    suppressed: reasons.length > 0,
    reasons,
  }
}

/** Rule P5. */
export function caseBand(cases: number): CaseBand {
  if (cases <= 10) return '0-10'
  if (cases <= 29) return '11-29'
  if (cases <= 99) return '30-99'
  return cases <= 299 ? '100-299' : '300+'
}

/** A rate under rules P4 and P8: an extreme rate is published only as extreme, and only if both cells are large enough. */
export function bandedRate(basis: Histogram, rule: Rule): Judgement<BandedRate> {
  const cases = size(basis)
  if (cases < rule.provider_min_cases || hasSmallCell(basis, rule)) return { value: null, reason: 'small_cell' }
  const yes = casesWith(basis, 1)
  return extremeOr(yes, cases, 20)
}

/** Rule P8. */
export function extremeOr(yes: number, cases: number, steps: number): Judgement<BandedRate> {
  if (yes * 10 >= cases * 9) return { value: '>=0.90', reason: null }
  if (yes * 10 <= cases) return { value: '<=0.10', reason: null }
  return { value: divideHalfEven(steps * yes, cases) / steps, reason: null }
}

/** Rule P6. */
export function savingsBand(basis: Histogram, rule: Rule): Judgement<SavingsBand> {
  if (size(basis) < rule.provider_min_cases) return { value: null, reason: 'small_cell' }
  const reason = amountWithheld(basis, rule)
  if (reason) return { value: null, reason }
  const dollars = medianCents(basis) / 100
  if (dollars < 500) return { value: '<500', reason: null }
  if (dollars < 2000) return { value: '500-1999', reason: null }
  return { value: dollars < 10_000 ? '2000-9999' : '10000+', reason: null }
}
