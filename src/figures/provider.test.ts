import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Operation, perform } from '../operation.ts'
import type { Problem } from '../problem.ts'
import { Queue } from '../queue.ts'
import { aCell, cases, NPI, OTHER_NPI, openFigures, refusal, streamOf } from './fixture.ts'
import { insertProviders } from './ledger/directory.ts'
import { deleteOutcomes } from './ledger/ledger.ts'
import { insertQuery } from './provider-store.ts'
import { releaseFigures } from './release.ts'
import { RULE } from './rule/figure.ts'
import { bandedRate, caseBand, decideRecord, type ProviderRecord, providerStats, savingsBand } from './rule/provider.ts'
import type { OutcomeCell } from './rule/tally.ts'

const AT = Date.parse('2026-11-03T00:00:00Z')
const REFRESHED = { refreshed_at: AT, now: AT }
const EXACT = { version: RULE.version, granularity: 'year' } as const
const recordAfter = (...refreshes: readonly (readonly OutcomeCell[])[]): ProviderRecord | undefined =>
  refreshes.reduce<ProviderRecord | undefined>((before, cells) => decideRecord(cells, before, RULE), undefined)
const stats = (...refreshes: readonly (readonly OutcomeCell[])[]) =>
  providerStats(NPI, recordAfter(...refreshes), REFRESHED, EXACT)
/** `won` cases of $1,000 and `lost` of nothing. */
const closed = (won: number, lost: number): OutcomeCell[] => [
  aCell({ cases: won }),
  aCell({ cases: lost, recovered_50: 0, certified_mail: 1 }),
]

test('a provider with no case looks exactly like one with ten', () => {
  const none = JSON.stringify(providerStats(NPI, undefined, REFRESHED, EXACT))
  expect(JSON.stringify(stats([]))).toBe(none)
  for (let n = 1; n <= 10; n++)
    for (let won = 0; won <= n; won++) expect(JSON.stringify(stats(closed(won, n - won)))).toBe(none)
  expect(JSON.parse(none)).toEqual({
    npi: NPI,
    window: { from: '2024-Q4', to: '2026-Q3', granularity: 'year' },
    case_band: '0-10',
    win_rate: null,
    no_escalation_rate: null,
    median_savings_band: null,
    suppressed: true,
    reasons: [
      { field: 'win_rate', reason: 'small_cell' },
      { field: 'no_escalation_rate', reason: 'small_cell' },
      { field: 'median_savings_band', reason: 'small_cell' },
    ],
    as_of: '2026-11-03T00:00:00.000Z',
    sdc_rule_version: '1.0.0',
  })
})

test('from 11 to 29 cases only the band is published', () => {
  for (const n of [11, 29]) {
    const { case_band, win_rate, no_escalation_rate, median_savings_band } = stats(closed(n - 5, 5))
    expect([case_band, win_rate, no_escalation_rate, median_savings_band]).toEqual(['11-29', null, null, null])
  }
})

test('bands have the edges of the rule', () => {
  const edges = [0, 10, 11, 29, 30, 99, 100, 299, 300, 10_000].map(caseBand)
  expect(edges).toEqual(['0-10', '0-10', '11-29', '11-29', '30-99', '30-99', '100-299', '100-299', '300+', '300+'])
})

describe('a rate of a provider', () => {
  const rates: [string, [no: number, yes: number], unknown][] = [
    ['is withheld below thirty cases', [14, 15], null],
    ['is withheld with ten on one side', [10, 50], null],
    ['is withheld when all cases agree', [0, 400], null],
    ['is rounded to 0.05', [17, 23], 0.6],
    ['is published as high when nine in ten agree', [11, 99], '>=0.90'],
    ['is published as low when nine in ten agree', [99, 11], '<=0.10'],
    ['is a number just below that', [12, 99], 0.9],
  ]
  for (const [what, [no, yes], value] of rates)
    test(what, () =>
      expect(
        bandedRate(
          [
            [0, no],
            [1, yes],
          ],
          RULE,
        ),
      ).toEqual({ value, reason: value === null ? 'small_cell' : null } as ReturnType<typeof bandedRate>),
    )
})

test('savings of a provider are a band of the median, withheld when one case dominates', () => {
  const band = (steps: number) => savingsBand([[steps, 40]], RULE).value
  expect([9, 10, 39, 40, 199, 200].map(band)).toEqual([
    '<500',
    '500-1999',
    '500-1999',
    '2000-9999',
    '2000-9999',
    '10000+',
  ])
  expect(savingsBand([[10, 29]], RULE)).toEqual({ value: null, reason: 'small_cell' })
  expect(
    savingsBand(
      [
        [10, 40],
        [200, 1],
      ],
      RULE,
    ),
  ).toEqual({ value: null, reason: 'dominance' })
})

test('only the years of the last eight quarters count, and the window moves with the quarter', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI])
  const both = (n: number, given: Parameters<typeof cases>[1]) => [
    ...cases(n, { npi: NPI, ...given }),
    ...cases(n, { npi: NPI, recovered: '0', certified_mail: '1', ...given }),
  ]
  await figures.import([...both(60, { outcome_year: '2023' }), ...both(20, { outcome_year: '2024' })])
  await releaseFigures(figures.exact)
  const ask = () => figures.call('get_provider_stats', { npi: NPI })
  expect(await ask()).toMatchObject({
    case_band: '30-99',
    window: { from: '2024-Q4', to: '2026-Q3', granularity: 'year' },
  })
  figures.clock.at = Date.parse('2027-01-05T00:00:00Z')
  await releaseFigures(figures.exact)
  // The window does not include the year of these forty cases any more.
  expect(await ask()).toMatchObject({ case_band: '0-10', win_rate: null, window: { from: '2025-Q1', to: '2026-Q4' } })
})

test('statistics are refreshed by the first release of a quarter and by no other', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI])
  const both = (n: number) => [
    ...cases(n, { npi: NPI }),
    ...cases(n, { npi: NPI, recovered: '0', certified_mail: '1' }),
  ]
  await figures.import(both(20))
  await releaseFigures(figures.exact)
  const first = await figures.call('get_provider_stats', { npi: NPI })
  await figures.import(both(60))
  figures.clock.at = Date.parse('2026-12-01T00:00:00Z')
  await releaseFigures(figures.exact)
  expect(await figures.call('get_provider_stats', { npi: NPI })).toEqual(first)
  figures.clock.at = Date.parse('2027-01-05T00:00:00Z')
  await releaseFigures(figures.exact)
  expect(await figures.call('get_provider_stats', { npi: NPI })).toMatchObject({
    case_band: '100-299',
    as_of: '2027-01-05T00:00:00.000Z',
  })
})

test('the statistics of a provider stay until enough of its cases are corrected or deleted', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI])
  const lines = [...cases(20, { npi: NPI }), ...cases(20, { npi: NPI, recovered: '0', certified_mail: '1' })]
  await figures.import(lines)
  await releaseFigures(figures.exact)
  const published = async () => {
    const { window: _, as_of: __, ...rest } = await figures.call('get_provider_stats', { npi: NPI })
    return rest
  }
  const first = await published()
  const remove = (from: number, to: number) =>
    deleteOutcomes(
      figures.db,
      streamOf(
        `case_ref\n${lines
          .slice(from, to)
          .map((line) => line.slice(0, 36))
          .join('\n')}\n`,
      ),
      {
        now: figures.now,
      },
    )
  await remove(15, 24)
  figures.clock.at = Date.parse('2027-01-05T00:00:00Z')
  await releaseFigures(figures.exact)
  expect(await published()).toEqual(first)
  await remove(10, 15)
  figures.clock.at = Date.parse('2027-04-06T00:00:00Z')
  await releaseFigures(figures.exact)
  expect(await published()).toMatchObject({ case_band: '11-29', win_rate: null })
})

test('a refresh whose bands leave too little for small providers is put off, and nothing else is', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI])
  await figures.import([...cases(50, { npi: NPI }), ...cases(50, { npi: NPI, recovered: '0' })])
  await releaseFigures(figures.exact)
  expect(await figures.shown()).toMatchObject({ cases_floor10: 100 })
  const ask = () => figures.call('get_provider_stats', { npi: NPI })
  expect(await ask()).toMatchObject({ case_band: '0-10', as_of: null })
  await figures.import(cases(20))
  figures.clock.at = Date.parse('2026-12-01T00:00:00Z')
  await releaseFigures(figures.exact)
  expect(await ask()).toMatchObject({ case_band: '100-299', as_of: '2026-12-01T00:00:00.000Z' })
})

test('a key may ask about 500 providers a day, as often as it likes', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI, OTHER_NPI])
  const op = figures.operations.find(({ name }) => name === 'get_provider_stats') as Operation
  const ask = async (npi: string, key_id = 'key-one') =>
    op.run({ npi }, { agent: { key_id, scopes: ['provider:read'] } })
  for (let i = 0; i < 499; i++)
    expect(await insertQuery(figures.db, '2026-11-03', 'key-one', String(i), 500)).toBe(true)
  await ask(NPI)
  await ask(NPI)
  const refused = (await refusal(ask(OTHER_NPI))) as Problem
  expect(refused).toMatchObject({
    code: 'rate_limited',
    extra: { members: { 'violated-policies': ['provider-npis'] } },
  })
  expect(refused.extra.retryAfterSeconds).toBe(86400)
  await ask(NPI)
  await ask(OTHER_NPI, 'key-two')
  figures.clock.at += 86_400_000
  await ask(OTHER_NPI)
  expect(await figures.db.query('SELECT day, key_id FROM provider_asked')).toEqual([
    { day: '2026-11-04', key_id: 'key-one' },
  ])
})

test('fewer than eleven new cases, or any number that agree, do not change a published value', () => {
  const then = (won: number, lost: number) => stats(closed(20, 20), closed(20 + won, 20 + lost))
  expect(then(9, 1)).toMatchObject({ case_band: '30-99', win_rate: 0.5 })
  expect(then(70, 0)).toMatchObject({ case_band: '100-299', win_rate: 0.5 })
  expect(then(10, 1)).toMatchObject({ win_rate: 0.6 })
})

test('no rate is ever published for fewer than thirty cases or with a small cell', () => {
  const count = fc.integer({ min: 0, max: 200 })
  fc.assert(
    fc.property(count, count, (won, lost) => {
      const { win_rate, case_band } = stats(closed(won, lost))
      if (win_rate !== null) expect(Math.min(won, lost)).toBeGreaterThanOrEqual(11)
      if (won + lost < 30) expect(['0-10', '11-29']).toContain(case_band)
      if (typeof win_rate === 'number') expect(Number.isInteger(Math.round(win_rate * 1e6) / 50_000)).toBe(true)
    }),
  )
})

test('the operation answers for providers of the directory only', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI, OTHER_NPI])
  await figures.import([
    ...cases(20, { npi: NPI }),
    ...cases(20, { npi: NPI, recovered: '0' }),
    ...cases(8, { npi: OTHER_NPI }),
  ])
  expect(await figures.call('get_provider_stats', { npi: NPI })).toMatchObject({ case_band: '0-10', as_of: null })
  await releaseFigures(figures.exact)
  expect(await figures.call('get_provider_stats', { npi: NPI })).toMatchObject({
    npi: NPI,
    case_band: '30-99',
    win_rate: 0.5,
    no_escalation_rate: null,
    median_savings_band: '500-1999',
    reasons: [{ field: 'no_escalation_rate', reason: 'small_cell' }],
  })
  expect(await figures.call('get_provider_stats', { npi: OTHER_NPI })).toMatchObject({ case_band: '0-10' })
  expect(await refusal(figures.call('get_provider_stats', { npi: '1000000004' }))).toMatchObject({
    code: 'provider_not_found',
  })
  const op = figures.operations.find(({ name }) => name === 'get_provider_stats') as Operation
  const openGate = { enter: async () => ({}), queue: new Queue() }
  const refused = await perform(op, { address: '192.0.2.1' }, openGate, async () => ({ npi: '1234567890' }))
  expect(refused).toMatchObject({ ok: false, problem: { code: 'invalid_npi' } })
})
