import { expect, test } from 'bun:test'
import { aCell, NPI, OTHER_NPI } from '../fixture.ts'
import { RULE } from './figure.ts'
import {
  bandedRate,
  beginsQuarter,
  decideRecord,
  type ProviderFacts,
  providerStats,
  refresh,
  savingsBand,
  windowAt,
  windowsSince,
} from './provider.ts'

const ONLY = { version: '1.0.0', granularity: 'year' } as const
const shown = <T>(value: T) => ({ value, reason: null })

test('eight quarters are counted from the day of a release, whatever the month', () => {
  const [autumn, winter] = [Date.UTC(2026, 10, 3), Date.UTC(2026, 1, 28)]
  expect([windowsSince(autumn), windowsSince(winter)]).toEqual([Date.UTC(2025, 0), Date.UTC(2024, 3)])
  expect(windowAt(autumn)).toEqual({ from: '2024-Q4', to: '2026-Q3', years: [2024, 2026] })
  expect(windowAt(winter)).toEqual({ from: '2024-Q1', to: '2025-Q4', years: [2024, 2025] })
  expect(beginsQuarter(autumn, undefined)).toBe(true)
  expect([beginsQuarter(autumn, Date.UTC(2026, 8, 30)), beginsQuarter(autumn, Date.UTC(2026, 9, 1))]).toEqual([
    true,
    false,
  ])
})

test('before the first refresh the statistics have no date', () => {
  expect(providerStats(NPI, undefined, { refreshed_at: undefined, now: Date.UTC(2026, 10, 3) }, ONLY)).toMatchObject({
    as_of: null,
    case_band: '0-10',
    window: { from: '2024-Q4', to: '2026-Q3' },
  })
})

test('a provider below thirty cases has a band and nothing else, whatever was decided before', () => {
  const facts = (band: ProviderFacts['band']['value']): ProviderFacts => ({
    band: { value: band },
    win_rate: shown(0.5),
    no_escalation_rate: shown(0.4),
    median_savings_band: shown('<500' as const),
  })
  const at = { refreshed_at: 0, now: 0 }
  for (const band of ['0-10', '11-29'] as const) {
    const stats = providerStats(NPI, facts(band), at, ONLY)
    const { win_rate, no_escalation_rate, median_savings_band, suppressed, reasons } = stats
    expect([win_rate, no_escalation_rate, median_savings_band, suppressed]).toEqual([null, null, null, true])
    expect(reasons.map(({ field }) => field)).toEqual(['win_rate', 'no_escalation_rate', 'median_savings_band'])
  }
  expect(providerStats(NPI, facts('30-99'), at, ONLY)).toMatchObject({
    win_rate: 0.5,
    no_escalation_rate: 0.4,
    median_savings_band: '<500',
    suppressed: false,
    reasons: [],
  })
})

test('thirty cases are enough for a rate and for the band of the median', () => {
  const rate = bandedRate(
    [
      [0, 15],
      [1, 15],
    ],
    RULE,
  )
  expect([rate.value, savingsBand([[10, 30]], RULE).value]).toEqual([0.5, '500-1999'])
})

test('a band stays until eleven cases have changed, and a refresh returns only changed records', () => {
  const before = decideRecord([aCell({ cases: 30 })], undefined, RULE)
  expect(before.band.value).toBe('30-99')
  expect(decideRecord([aCell({ cases: 20 })], before, RULE).band).toBe(before.band)
  expect(decideRecord([aCell({ cases: 19 })], before, RULE).band.value).toBe('11-29')

  const of = (cases: number) => ({ npis: [NPI], of: (npi: string) => (npi === NPI ? [aCell({ cases })] : []) })
  const records = new Map([[NPI, before]])
  expect(refresh(of(30), records, RULE)).toEqual([])
  // All cases agree, so the rates are held back and only the band changes.
  const [[npi, now] = []] = refresh(of(50), records, RULE)
  expect([npi, now?.band.basis, now?.win_rate]).toEqual([
    NPI,
    decideRecord([aCell({ cases: 50 })], undefined, RULE).band.basis,
    before.win_rate,
  ])
  // A provider whose cases are gone is decided again, and a new provider is included.
  expect(refresh(of(30), new Map([[OTHER_NPI, before]]), RULE).map(([who, { band }]) => [who, band.value])).toEqual([
    [NPI, '30-99'],
    [OTHER_NPI, '0-10'],
  ])
})
