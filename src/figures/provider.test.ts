import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Operation, perform } from '../operation.ts'
import { insertProviders } from './directory.ts'
import { RULE } from './disclosure.ts'
import { aCell, cases, NPI, OTHER_NPI, openFigures, refusal } from './fixture.ts'
import { bandedRate, caseBand, type Moment, type ProviderCell, providerStats, savingsBand } from './provider.ts'
import { releaseFigures } from './release.ts'

const at = (day: string): number => Date.parse(`${day}T00:00:00Z`)
const Q4: Moment = { released_at: at('2026-11-03'), last_batch_id: 1 }
const cell = (given: Partial<ProviderCell> = {}): ProviderCell => ({
  ...aCell(),
  batch_id: 1,
  outcome_year: 2026,
  ...given,
})
const stats = (cells: readonly ProviderCell[], releases: readonly Moment[] = [Q4]) =>
  providerStats(NPI, cells, releases, at('2026-11-20'), RULE)
/** `won` cases of $1,000 and `lost` of nothing. */
const closed = (won: number, lost: number): ProviderCell[] => [
  cell({ cases: won }),
  cell({ cases: lost, recovered_50: 0, certified_mail: 1 }),
]

test('a provider with no case looks exactly like one with ten', () => {
  const none = JSON.stringify(stats([]))
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

test('from eleven to 29 cases only the band is told', () => {
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
  const told: [string, [no: number, yes: number], unknown][] = [
    ['is withheld below thirty cases', [14, 15], null],
    ['is withheld with ten on one side', [10, 50], null],
    ['is withheld when all cases agree', [0, 400], null],
    ['is rounded to 0.05', [17, 23], 0.6],
    ['is told as high only when nine in ten agree', [11, 99], '>=0.90'],
    ['is told as low only when nine in ten agree', [99, 11], '<=0.10'],
    ['is a number just below that', [12, 99], 0.9],
  ]
  for (const [what, [no, yes], value] of told)
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

test('only the years of the last eight quarters count', () => {
  const old = closed(200, 200).map((cells) => ({ ...cells, outcome_year: 2023 }))
  expect(stats(old).case_band).toBe('0-10')
  expect(stats([...old, ...closed(20, 20)]).case_band).toBe('30-99')
  const nextQuarter = stats(closed(20, 20), [{ released_at: at('2027-01-05'), last_batch_id: 1 }])
  expect(nextQuarter.window).toEqual({ from: '2025-Q1', to: '2026-Q4', granularity: 'year' })
})

test('statistics are refreshed by the first release of a quarter and by no other', () => {
  const cells = [...closed(20, 20), cell({ batch_id: 2, cases: 60 }), cell({ batch_id: 2, cases: 60, recovered_50: 0 })]
  const december = { released_at: at('2026-12-01'), last_batch_id: 2 }
  const january = { released_at: at('2027-01-05'), last_batch_id: 2 }
  expect(stats(cells, [Q4, december]).case_band).toBe('30-99')
  expect(stats(cells, [Q4, december])).toEqual(stats(cells, [Q4]))
  expect(stats(cells, [Q4, december, january])).toMatchObject({
    case_band: '100-299',
    as_of: '2027-01-05T00:00:00.000Z',
  })
})

test('fewer than eleven new cases, or any number that agree, leave a value as it was told', () => {
  const january = { released_at: at('2027-01-05'), last_batch_id: 2 }
  const then = (won: number, lost: number) =>
    stats([...closed(20, 20), ...closed(won, lost).map((cells) => ({ ...cells, batch_id: 2 }))], [Q4, january])
  expect(then(9, 1)).toMatchObject({ case_band: '30-99', win_rate: 0.5 })
  expect(then(70, 0)).toMatchObject({ case_band: '100-299', win_rate: 0.5 })
  expect(then(10, 1)).toMatchObject({ win_rate: 0.6 })
})

test('no rate is ever told of fewer than thirty cases or with a small cell', () => {
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

test('the operation answers for the directory, and for nobody else', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI, OTHER_NPI])
  await figures.import([
    ...cases(20, { npi: NPI }),
    ...cases(20, { npi: NPI, recovered: '0' }),
    ...cases(8, { npi: OTHER_NPI }),
  ])
  expect(await figures.call('get_provider_stats', { npi: NPI })).toMatchObject({ case_band: '0-10', as_of: null })
  await releaseFigures(figures.parts)
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
  const openGate = { enter: async () => ({}) }
  const refused = await perform(op, { address: '192.0.2.1' }, openGate, async () => ({ npi: '1234567890' }))
  expect(refused).toMatchObject({ ok: false, problem: { code: 'invalid_npi' } })
})
