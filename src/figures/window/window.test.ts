import { expect, test } from 'bun:test'
import { FiguresBody, ProviderStats } from '../answers.ts'
import { nextReleaseDue } from '../facts.ts'
import {
  aCase,
  aSoundLedger,
  cases,
  fileOf,
  NPI,
  OTHER_NPI,
  openFigures,
  PEPPER,
  refusal,
  streamOf,
} from '../fixture.ts'
import { checkFigures } from '../fsck.ts'
import { insertProviders } from '../ledger/directory.ts'
import { correctOutcomes, deleteOutcomes } from '../ledger/ledger.ts'
import { releaseFigures } from '../release.ts'
import { releaseOnCalendar } from '../release-calendar.ts'
import type { Dice } from '../rule/laplace.ts'
import { CELLS, type WindowTally } from '../rule/rule-2.ts'
import { METRICS } from '../rule/tally.ts'
import { windows } from './store.ts'

/** Longer than any quarter. */
const QUARTER_MS = 93 * 86_400_000
type Figures = Awaited<ReturnType<typeof openFigures>>

/** Dice that make no noise, so that a test sees the exact counts: the size falls to zero, and the sign to plus. */
const withoutNoise = (): Dice => {
  let isSign = false
  return (bound) => {
    if (bound === 2 && isSign) {
      isSign = false
      return 0
    }
    if (bound === 2) isSign = true
    return bound === 1 || bound > 2 ? 0 : 1
  }
}
const noiseless = (figures: Figures) => ({ ...figures.parts, dice: withoutNoise() })
const counted = async (figures: Figures): Promise<WindowTally[]> =>
  (await windows(figures.db)).map(({ tally }) => tally)
const refsOf = (lines: readonly string[]) =>
  streamOf(`case_ref\n${lines.map((line) => line.slice(0, 36)).join('\n')}\n`)
const nothing = Object.fromEntries(CELLS.map((name) => [name, 0])) as WindowTally

test('a release closes a window with noise, and everything published follows from it', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  expect(await releaseFigures(figures.parts)).toMatchObject({
    release_id: '2026-11-03.1',
    changes: METRICS.length,
    already_released: false,
  })
  const body = FiguresBody.parse(await figures.call('get_figures'))
  expect(body).toMatchObject({ sdc_rule_version: '2.0.0', unit: 'case', noise: { epsilon: '1', windows: 'disjoint' } })
  expect(body.savings).toMatchObject({ median: null, median_band: { low: expect.any(String) } })
  for (const metric of ['w', 'r', 'p'] as const) {
    expect(Math.abs((body[metric] as number) - 0.5)).toBeLessThan(0.2)
    expect(body.metrics[metric].standard_error).toBeCloseTo(0.011, 2)
  }
  expect(await checkFigures(figures.db)).toEqual([])
})

test('a second release in the same quarter is the first one: nothing is drawn, counted or logged again', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  const { release_id } = await releaseFigures(figures.parts)
  const [before, shown] = [await windows(figures.db), await figures.shown()]
  await figures.import(cases(200))
  figures.clock.at = Date.parse('2026-12-31T23:59:59Z')
  expect(await releaseFigures(figures.parts)).toMatchObject({ release_id, changes: 0, already_released: true })
  expect(await windows(figures.db)).toEqual(before)
  expect(await figures.shown()).toEqual(shown)
  figures.clock.at = Date.parse('2027-01-01T00:00:00Z')
  expect(await releaseFigures(figures.parts)).toMatchObject({ release_id: '2027-01-01.1', already_released: false })
  expect((await windows(figures.db))[0]).toEqual(before[0] as (typeof before)[number])
})

test('each case is counted in one window, and windows are closed even if no case came', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(noiseless(figures))
  figures.clock.at += QUARTER_MS
  await releaseFigures(noiseless(figures))
  await figures.import(cases(7))
  figures.clock.at += QUARTER_MS
  await releaseFigures(noiseless(figures))
  expect(await counted(figures)).toEqual([
    expect.objectContaining({ r_no: 50, r_yes: 50, w_yes: 50, p_no: 50, total_50: 50 * 8 + 50 * 20 }),
    nothing,
    expect.objectContaining({ r_no: 7, w_yes: 7, p_yes: 7, p_no: 0, total_50: 140 }),
  ])
  expect(await figures.shown()).toMatchObject({ cases_floor10: 100, release_id: '2027-05-08.1' })
  expect(await checkFigures(figures.db)).toEqual([])
})

test('corrections and deletions enter the next window, and cannot be told apart from new cases', async () => {
  await using figures = await openFigures()
  const lines = aSoundLedger()
  await figures.import(lines)
  await releaseFigures(noiseless(figures))
  const [gone, ...rest] = lines as [string, ...string[]]
  const corrected = rest.slice(0, 3).map((line) => aCase({ case_ref: line.slice(0, 36), recovered: '9000' }))
  await correctOutcomes(figures.db, fileOf(corrected), { now: figures.now })
  await deleteOutcomes(figures.db, refsOf([gone]), { now: figures.now })
  // Correcting or deleting a case that no window has counted leaves no trace.
  const fresh = cases(2)
  await figures.import(fresh)
  await correctOutcomes(figures.db, fileOf([aCase({ case_ref: fresh[0]?.slice(0, 36) as string, recurring: '1' })]), {
    now: figures.now,
  })
  await deleteOutcomes(figures.db, refsOf(fresh.slice(1)), { now: figures.now })
  figures.clock.at += QUARTER_MS
  await releaseFigures(noiseless(figures))
  // Four cases of 400 dollars, recurring, by certified mail are subtracted; three of 9,000 and one of 1,000 are added.
  expect((await counted(figures))[1]).toEqual({
    ...nothing,
    w_no: -4,
    w_yes: 4,
    r_yes: -3,
    r_no: 3,
    p_no: -4,
    p_yes: 4,
    under_500: -4,
    under_2000: 1,
    total_50: -32 + 300 + 20,
  })
  expect(await figures.db.query('SELECT * FROM outcome_pending')).toEqual([])
  const { data } = (await figures.call('list_figure_changes')) as { data: { reason: string }[] }
  expect(new Set(data.map(({ reason }) => reason))).toEqual(new Set(['initial', 'scheduled']))
  expect(await checkFigures(figures.db)).toEqual([])
})

test('a case that is corrected back and forth leaves nothing for the next window', async () => {
  await using figures = await openFigures()
  const lines = aSoundLedger()
  await figures.import(lines)
  await releaseFigures(noiseless(figures))
  const case_ref = lines[60]?.slice(0, 36) as string
  for (const recovered of ['1', '2000', '1000'])
    await correctOutcomes(figures.db, fileOf([aCase({ case_ref, recovered })]), { now: figures.now })
  expect(await figures.db.query('SELECT * FROM outcome_pending')).toEqual([])
})

test('a first release that would withhold everything is refused, and the calendar makes none', async () => {
  await using figures = await openFigures()
  await figures.import(cases(49))
  expect(await refusal(releaseFigures(figures.parts))).toMatchObject({ code: 'figures_held' })
  const said: unknown[] = []
  const calendar = () => releaseOnCalendar({ parts: figures.parts, tell: (what) => said.push(what) }).stop()
  await calendar()
  expect([said, await windows(figures.db)]).toEqual([[], []])
  await figures.import(aSoundLedger())
  // If the calendar made the first release, its day would reveal how many cases there are.
  await calendar()
  expect([said, await windows(figures.db)]).toEqual([[], []])
  expect(await releaseFigures(figures.parts)).toMatchObject({ already_released: false })
})

test('the calendar closes a window a quarter, and one a month when noised counts reach a thousand', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  const said: unknown[] = []
  const at = async (day: string): Promise<void> => {
    figures.clock.at = Date.parse(`${day}T00:00:00Z`)
    await releaseOnCalendar({ parts: figures.parts, tell: (what) => said.push(what) }).stop()
  }
  await at('2026-11-03')
  await releaseFigures(figures.parts)
  expect(new Date(await nextReleaseDue(figures.db, figures.clock.at)).toISOString()).toStartWith('2027-01-05')
  for (const day of ['2026-12-01', '2027-01-04', '2027-01-05', '2027-02-02']) await at(day)
  await figures.import(cases(1000))
  for (const day of ['2027-03-02', '2027-04-06', '2027-05-04', '2027-05-20', '2027-06-01']) await at(day)
  expect(said).toEqual(
    ['2027-01-05.1', '2027-04-06.1', '2027-05-04.1', '2027-06-01.1'].map((release_id) => ({
      release_id,
    })),
  )
  expect(new Date(await nextReleaseDue(figures.db, figures.clock.at)).toISOString()).toStartWith('2027-07-06')
})

test('a person counts with three cases a window, and cases over that limit are never counted', async () => {
  await using figures = await openFigures()
  const tokens = (n: number): string[] => Array.from({ length: n }, (_, i) => `person-${i}`)
  await figures.importPersons(aSoundLedger(), tokens(100))
  const many = cases(8, { recurring: '1' })
  await figures.importPersons(many, Array(8).fill('busy'))
  await releaseFigures(noiseless(figures))
  expect((await counted(figures))[0]).toMatchObject({ r_yes: 53, r_no: 50 })
  expect(await figures.shown()).toMatchObject({ unit: 'person' })
  const left = await figures.db.query<{ case_ref: string }>('SELECT case_ref FROM outcome_left_out')
  expect(left).toHaveLength(5)
  // Corrections of cases that were left out change no count. The six corrections of one person take several windows.
  const kept = many.filter((line) => !left.some(({ case_ref }) => line.startsWith(case_ref)))
  const correct = (lines: readonly string[]) =>
    correctOutcomes(figures.db, fileOf(lines.map((line) => aCase({ case_ref: line.slice(0, 36) }))), {
      now: figures.now,
    })
  await correct(many.filter((line) => !kept.includes(line)))
  expect(await figures.db.query('SELECT * FROM outcome_pending')).toEqual([])
  await correct(kept)
  for (let quarter = 0; quarter < 3; quarter++) {
    figures.clock.at += QUARTER_MS
    await releaseFigures(noiseless(figures))
  }
  const later = (await counted(figures)).slice(1)
  for (const window of later) expect(Math.abs(window.r_yes) + Math.abs(window.r_no)).toBeLessThanOrEqual(3)
  expect(later.reduce((sum, { r_yes }) => sum + r_yes, 0)).toBe(-3)
  expect(later.reduce((sum, { r_no }) => sum + r_no, 0)).toBe(3)
  expect(await checkFigures(figures.db)).toEqual([])
})

test('eleven cases of one person do not pass for eleven persons', async () => {
  await using figures = await openFigures()
  const lines = [...cases(150), ...cases(11, { certified_mail: '1' })]
  await figures.importPersons(
    lines,
    lines.map((_, i) => (i < 150 ? `p${i}` : 'one')),
  )
  await releaseFigures(figures.parts)
  expect((await figures.shown()).metrics.p).toMatchObject({ value: null, reason: 'small_cell' })
})

test('the first window decides what the noise protects, and a ledger of persons refuses a file without them', async () => {
  await using figures = await openFigures()
  await figures.importPersons(
    aSoundLedger(),
    Array.from({ length: 100 }, (_, i) => `p${i}`),
  )
  await releaseFigures(figures.parts)
  const refused = await refusal(figures.import(cases(2)))
  expect(refused).toMatchObject({
    code: 'outcomes_refused',
    extra: { members: { refused: 2, places: [{ line: 2, column: 10, rule: 'person_token_missing' }, {}] } },
  })
  await using mixed = await openFigures()
  await mixed.import(aSoundLedger())
  await mixed.importPersons(cases(8), Array(8).fill('busy'))
  await releaseFigures(noiseless(mixed))
  expect(await mixed.shown()).toMatchObject({ unit: 'case' })
  expect((await counted(mixed))[0]).toMatchObject({ r_no: 58 })
})

test('a token is kept as a digest under the secret of the installation, and nowhere else', async () => {
  await using figures = await openFigures()
  await figures.importPersons(cases(3), ['Token-A_1', 'Token-A_1', 'other'])
  const persons = (await figures.db.query<{ person: number }>('SELECT person FROM outcome ORDER BY case_ref')).map(
    ({ person }) => person,
  )
  expect(persons[0]).toBe(persons[1] as number)
  expect(new Set(persons).size).toBe(2)
  expect(persons.every((person) => Number.isSafeInteger(person) && person < 2 ** 48)).toBe(true)
  for (const token of ['078-05-1120', 'jane roe', 'a@b.example', '', 'x'.repeat(65), '1961-04-12'])
    expect(await refusal(figures.importPersons(cases(1), [token]))).toMatchObject({
      code: 'outcomes_refused',
      extra: { members: { places: [{ line: 2, column: 10 }] } },
    })
  expect(PEPPER).toHaveLength(32)
})

test('the windows of a provider are drawn once, whether it has cases or not', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI, OTHER_NPI])
  await figures.import([...aSoundLedger({ npi: NPI }), ...cases(10, { npi: OTHER_NPI })])
  const about = async (npi: string) => ProviderStats.parse(await figures.call('get_provider_stats', { npi }))
  const before = await about(NPI)
  expect(before).toMatchObject({ case_band: '0-10', as_of: null, sdc_rule_version: '2.0.0' })
  await releaseFigures(noiseless(figures))
  expect(await about(NPI)).toMatchObject({
    window: { from: '2024-Q4', to: '2026-Q3', granularity: 'quarter' },
    case_band: '100-299',
    win_rate: 0.5,
    no_escalation_rate: 0.5,
    as_of: '2026-11-03T00:00:00.000Z',
  })
  const { npi: _, ...few } = await about(OTHER_NPI)
  expect(few).toEqual({ ...few, case_band: '0-10', win_rate: null, suppressed: true })
  const drawn = await figures.db.query('SELECT * FROM provider_window ORDER BY npi')
  expect(drawn).toHaveLength(2)
  figures.clock.at += QUARTER_MS
  await releaseFigures(figures.parts)
  expect(await figures.db.query('SELECT * FROM provider_window WHERE window_no = 1 ORDER BY npi')).toEqual(drawn)
  // After eight quarters the first window is no longer counted.
  for (let quarter = 0; quarter < 7; quarter++) {
    figures.clock.at += QUARTER_MS
    await releaseFigures(noiseless(figures))
  }
  expect(await about(NPI)).toMatchObject({ case_band: '0-10' })
})

test('fsck finds a window that was altered, added or removed', async () => {
  const tamperings: [string, RegExp][] = [
    [
      'UPDATE figure_window SET tally = REPLACE(tally, \'"w_yes":\', \'"w_yes":9\')',
      /w differs from what the rule decides/,
    ],
    ["UPDATE figure_window SET unit = 'person'", /its window is missing, or is not the one/],
    ['UPDATE figure_window SET closed_at = closed_at + 1', /its window is missing, or is not the one/],
    ['DELETE FROM figure_window', /its window is missing[\s\S]*windows of providers belong to no window/],
    [
      'INSERT INTO figure_window SELECT window_no + 1, closed_at, last_batch_id, unit, tally FROM figure_window',
      /a window belongs to no release/,
    ],
    [
      'UPDATE figure_release SET figures = REPLACE(figures, \'"low":"0.00"\', \'"low":"500.00"\')',
      /median_band differs/,
    ],
  ]
  for (const [sql, expected] of tamperings) {
    await using figures = await openFigures()
    await insertProviders(figures.db, [NPI])
    await figures.import(aSoundLedger())
    await releaseFigures(noiseless(figures))
    expect(await checkFigures(figures.db)).toEqual([])
    await figures.db.query(sql)
    const faults = (await checkFigures(figures.db)).join('\n')
    expect([sql, expected.test(faults), faults]).toEqual([sql, true, faults])
  }
})
