import { expect, test } from 'bun:test'
import { dice } from '../../../test/attack/dice.ts'
import { aCase, aSoundLedger, cases, NPI, openFigures, refusal, streamOf } from '../fixture.ts'
import { checkFigures } from '../fsck.ts'
import { releaseFigures } from '../release.ts'
import { latestRelease } from '../store.ts'
import { insertProviders } from './directory.ts'
import { deleteOutcomes } from './ledger.ts'
import { countOutgrown } from './retention.ts'

const MONTH_MS = 31 * 86_400_000
type Figures = Awaited<ReturnType<typeof openFigures>>

const yearsOf = async (figures: Figures): Promise<Record<number, number>> => {
  const rows = await figures.db.query<{ outcome_year: number; n: number }>(
    'SELECT outcome_year, COUNT(*) AS n FROM outcome GROUP BY outcome_year ORDER BY outcome_year',
  )
  return Object.fromEntries(rows.map(({ outcome_year, n }) => [outcome_year, n]))
}
const release = (figures: Figures, retention = true) => releaseFigures({ ...figures.exact, retention })

test('cases go one release after their year has left the eight quarters, and not before', async () => {
  await using figures = await openFigures()
  await figures.import([...cases(20, { outcome_year: '2023' }), ...cases(30, { outcome_year: '2024' }), ...cases(40)])
  // The eight quarters before November 2026 begin in 2024.
  expect(await release(figures)).toMatchObject({ removed: 0 })
  expect(await yearsOf(figures)).toEqual({ 2023: 20, 2024: 30, 2026: 40 })
  figures.clock.at += MONTH_MS
  // A file that no release has counted is left alone, however old its cases.
  await figures.import(cases(5, { outcome_year: '2015' }))
  expect(await countOutgrown(figures.db, await latestRelease(figures.db))).toBe(20)
  expect(await release(figures)).toMatchObject({ removed: 20 })
  expect(await yearsOf(figures)).toEqual({ 2015: 5, 2024: 30, 2026: 40 })
  figures.clock.at = Date.parse('2027-01-05T00:00:00Z')
  expect(await release(figures)).toMatchObject({ removed: 5 })
  // From January 2027 on the eight quarters begin in 2025, so the next release removes the cases of 2024.
  figures.clock.at += MONTH_MS
  expect(await release(figures)).toMatchObject({ removed: 30 })
  expect(await yearsOf(figures)).toEqual({ 2026: 40 })
  expect(await figures.db.query('SELECT COUNT(*) AS n FROM outcome_salt')).toEqual([{ n: 40 }])
  expect(await checkFigures(figures.db)).toEqual([])
})

test('nothing is removed unless the operator turned it on', async () => {
  await using figures = await openFigures()
  await figures.import(cases(80, { outcome_year: '2016' }))
  for (let month = 0; month < 3; month++) {
    expect(await releaseFigures(figures.exact)).toMatchObject({ removed: 0 })
    figures.clock.at += MONTH_MS
  }
  expect(await yearsOf(figures)).toEqual({ 2016: 80 })
})

test('removing cases changes no figure, no entry and no answer about a provider', async () => {
  await using kept = await openFigures()
  await using pruned = await openFigures()
  const { below, chance } = dice(3)
  for (const figures of [kept, pruned]) await insertProviders(figures.db, [NPI])
  let removed = 0
  let recent: string[] = []
  for (let month = 0; month < 18; month++) {
    const year = new Date(kept.clock.at).getUTCFullYear()
    const lines = Array.from({ length: chance(0.3) ? below(12) + 1 : 20 + below(80) }, () =>
      aCase({
        outcome_year: String(year - below(5)),
        npi: chance(0.5) ? NPI : '',
        recurring: String(below(2)),
        certified_mail: String(Number(chance(0.3))),
        recovered: String(below(1500)),
      }),
    )
    for (const figures of [kept, pruned]) await figures.import(lines)
    if (month % 4 === 3) {
      const gone = `case_ref\n${recent.map((line) => line.slice(0, 36)).join('\n')}\n`
      for (const figures of [kept, pruned]) await deleteOutcomes(figures.db, streamOf(gone), { now: figures.now })
    }
    recent = lines.filter((line) => line.slice(37, 41) === String(year)).slice(0, 13)
    const made = [await release(kept, false), await release(pruned)] as const
    removed += made[1].removed
    expect(await pruned.shown()).toEqual(await kept.shown())
    const ask = async (figures: Figures) => [
      ((await figures.call('list_figure_changes', { limit: 200 }))['data'] as Record<string, unknown>[]).map(
        ({ proof: _, ledger_root: __, ...entry }) => entry,
      ),
      await figures.call('get_provider_stats', { npi: NPI }),
    ]
    expect(await ask(pruned)).toEqual(await ask(kept))
    for (const figures of [kept, pruned]) figures.clock.at += MONTH_MS
  }
  expect(removed).toBeGreaterThan(200)
  expect(await checkFigures(pruned.db)).toEqual([])
  expect(await checkFigures(kept.db)).toEqual([])
})

test('a removed case cannot be corrected or deleted, and only sums of it are left', async () => {
  await using figures = await openFigures()
  const old = aSoundLedger({ outcome_year: '2016' })
  await figures.import(old)
  await release(figures)
  figures.clock.at += MONTH_MS
  await release(figures)
  const ref = old[0]?.slice(0, 36) as string
  const deletion = deleteOutcomes(figures.db, streamOf(`case_ref\n${ref}\n`), { now: figures.now })
  expect(await refusal(deletion)).toMatchObject({ code: 'outcomes_refused' })
  for (const table of ['outcome', 'outcome_salt', 'outcome_staged'])
    expect(await figures.db.query(`SELECT * FROM ${table}`)).toEqual([])
  const carried = await figures.db.query<object>('SELECT * FROM outcome_carried WHERE metric = $1', ['w'])
  expect(carried).toEqual([
    { metric: 'w', answer: 0, case_count: 50 },
    { metric: 'w', answer: 1, case_count: 50 },
  ])
})

test('with noise, removing cases changes no closed window, and no sums are kept', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger({ outcome_year: '2016' }))
  const first = await releaseFigures({ ...figures.parts, retention: true })
  figures.clock.at += 3 * MONTH_MS
  const second = await releaseFigures({ ...figures.parts, retention: true })
  expect([first.removed, second.removed]).toEqual([0, 100])
  expect(await figures.db.query('SELECT * FROM outcome_carried')).toEqual([])
  expect(await figures.db.query('SELECT * FROM outcome_pending')).toEqual([])
  expect(await checkFigures(figures.db)).toEqual([])
})
