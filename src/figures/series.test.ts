import { expect, test } from 'bun:test'
import { verifyBody } from '../proof/verify-lists.ts'
import { aSoundLedger, cases, openFigures, refusal } from './fixture.ts'
import { checkFigures } from './fsck.ts'
import { releaseFigures } from './release.ts'
import { releaseOnCalendar } from './release-calendar.ts'
import { METRICS } from './rule/tally.ts'
import { windows } from './window/store.ts'

const MONTH_MS = 31 * 86_400_000

type Change = { metric: string; reason: string; old: unknown; old_as_of: string; sdc_rule_version: string }

test('a ledger of exact figures begins a series with noise in one command, and the log says so', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  const before = await figures.shown()
  expect(before).toMatchObject({ sdc_rule_version: '1.0.0', exact: true, w: 0.5 })
  expect(before).not.toHaveProperty('unit')
  figures.clock.at += MONTH_MS
  expect(await refusal(releaseFigures(figures.parts))).toMatchObject({ code: 'figures_held' })
  expect(await releaseFigures({ ...figures.parts, newSeries: true })).toMatchObject({ changes: METRICS.length })
  const { data } = (await figures.call('list_figure_changes')) as { data: Change[] }
  const moved = data.filter(({ sdc_rule_version }) => sdc_rule_version === '2.0.0')
  expect(moved.map(({ metric }) => metric).sort()).toEqual([...METRICS].sort())
  expect(moved.every(({ reason, old_as_of }) => reason === 'method_change' && old_as_of === before.as_of)).toBe(true)
  expect(moved.find(({ metric }) => metric === 'w')?.old).toBe(0.5)
  // Old entries verify, and so do the current figures.
  expect(await checkFigures(figures.db)).toEqual([])
  const body = await figures.call('get_figures')
  const verdict = await verifyBody(JSON.stringify(body), figures.policy, { figures: true })
  expect(verdict).toMatchObject({ ok: true, figures: { unit: 'case' } })
  expect(body).not.toHaveProperty('exact')
})

test('a series continues by itself under its rule, and no new one begins under the same', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  expect(await refusal(releaseFigures({ ...figures.exact, newSeries: true }))).toMatchObject({ code: 'figures_held' })
  figures.clock.at = Date.parse('2026-12-01T00:00:00Z')
  await releaseOnCalendar({ parts: figures.parts, tell: () => undefined }).stop()
  expect(await figures.shown()).toMatchObject({ release_id: '2026-12-01.1', exact: true })
  await releaseFigures({ ...figures.parts, newSeries: true })
  expect(await refusal(releaseFigures({ ...figures.parts, newSeries: true }))).toMatchObject({ code: 'figures_held' })
  expect(await refusal(releaseFigures(figures.exact))).toMatchObject({ code: 'figures_held' })
})

test('a ledger that changes to exact figures and back counts no case twice', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.parts)
  const [first] = await windows(figures.db)
  figures.clock.at += MONTH_MS
  await releaseFigures({ ...figures.exact, newSeries: true })
  await figures.import(cases(20))
  figures.clock.at += MONTH_MS
  await releaseFigures(figures.exact)
  figures.clock.at += MONTH_MS
  await releaseFigures({ ...figures.parts, newSeries: true })
  const [again, second] = await windows(figures.db)
  expect(again).toEqual(first as NonNullable<typeof first>)
  // The second window counts only the twenty new cases.
  expect(Math.abs((second?.tally.r_no ?? 0) - 20)).toBeLessThan(20)
  expect(await checkFigures(figures.db)).toEqual([])
})

test('cases that were removed for their age while figures were exact are in the first window', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger({ outcome_year: '2016' }))
  await figures.import(cases(60))
  await releaseFigures({ ...figures.exact, retention: true })
  figures.clock.at += MONTH_MS
  expect(await releaseFigures({ ...figures.exact, retention: true })).toMatchObject({ removed: 100 })
  await releaseFigures({ ...figures.parts, newSeries: true })
  const [first] = await windows(figures.db)
  expect(Math.abs((first?.tally.r_yes ?? 0) - 50)).toBeLessThan(20)
  expect(Math.abs((first?.tally.r_no ?? 0) - 110)).toBeLessThan(20)
  expect(Math.abs((first?.tally.total_50 ?? 0) - (50 * 8 + 110 * 20))).toBeLessThan(2000)
})
