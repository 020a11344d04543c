import { expect, test } from 'bun:test'
import { dice } from '../../test/attack/dice.ts'
import { tellOnce } from '../job.ts'
import { Problem } from '../problem.ts'
import { auditFigures } from './audit.ts'
import { planExact } from './exact-plan.ts'
import { figuresFacts } from './facts.ts'
import { aCell, aSoundLedger, cases, fileOf, openFigures, refusal, streamOf } from './fixture.ts'
import { checkFigures } from './fsck.ts'
import { correctOutcomes, deleteOutcomes } from './ledger/ledger.ts'
import { releaseFigures } from './release.ts'
import { releaseOnCalendar } from './release-calendar.ts'
import { audit, type PublicRelease } from './rule/audit.ts'
import { decide } from './rule/disclosure.ts'
import { RULE } from './rule/figure.ts'
import { type ExactRelease, replayExact } from './rule/replay.ts'
import { METRICS, type OutcomeCell, tallies } from './rule/tally.ts'
import * as store from './store.ts'
import { lastReleaseAt, nextReleaseAt } from './window/calendar.ts'

const MONTH_MS = 31 * 86_400_000

const publish = (...ledgers: readonly OutcomeCell[][]): PublicRelease[] => {
  let states: ReturnType<typeof decide>['states'] | undefined
  return ledgers.map((cells, i) => {
    const as_of = new Date(Date.UTC(2026, i, 6)).toISOString()
    const given = { as_of, last_batch_id: i, last_correction_id: 0, of: tallies(cells) }
    states = decide(given, states, RULE).states
    const { of } = states
    return {
      as_of,
      metrics: Object.fromEntries(METRICS.map((metric) => [metric, of[metric].figure])) as PublicRelease['metrics'],
    }
  })
}
const settled = (yes: number, no: number): OutcomeCell[] => [
  aCell({ cases: yes, recovered_50: 5 }),
  aCell({ cases: no, certified_mail: 1, recurring: 1 }),
]

test('the audit passes what the rule publishes and counts every hidden number', () => {
  const history = publish(settled(20, 9), settled(300, 200), settled(330, 260), settled(331, 260))
  const { ok, cells, pinned } = audit(history, { '0-10': 4, '30-99': 2 }, RULE)
  expect([ok, pinned]).toEqual([true, []])
  expect(cells).toBeGreaterThan(20)
})

test('the audit finds a change that can be worked out, however it came to be published', () => {
  const [first, second] = publish(settled(80, 20), settled(300, 200)) as [PublicRelease, PublicRelease]
  const forced = { ...first.metrics.p, value: 0.81, as_of: second.as_of }
  const counts = { cases_floor10: { ...first.metrics.cases_floor10, value: 110, as_of: second.as_of } }
  const history = [
    first,
    {
      ...second,
      metrics: { ...second.metrics, ...counts, settlements_floor10: { ...counts.cases_floor10 }, p: forced },
    },
  ]
  const { ok, pinned } = audit(history, {}, RULE)
  expect(ok).toBe(false)
  expect(pinned).toContainEqual(expect.objectContaining({ kind: 'delta', metric: 'p', as_of: second.as_of }))
})

test('the audit adds up the published bands of providers', () => {
  const history = publish(settled(120, 80))
  expect(audit(history, { '100-299': 1, '30-99': 3 }, RULE).ok).toBe(true)
  expect(audit(history, { '100-299': 2, '0-10': 1 }, RULE)).toMatchObject({
    ok: false,
    pinned: [{ kind: 'providers', values: 10 }],
  })
})

test('a release that would pin a hidden count is refused, and the report says so', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  expect(await figuresFacts(figures.parts)).toMatchObject({ disclosure_audit: 'pass' })
  // The store now looks as if an older program had published a rate of thirteen cases.
  const [row] = await figures.db.query<{ figures: string }>('SELECT figures FROM figure_release')
  const shown = JSON.parse(row?.figures ?? '') as { metrics: Record<string, { value: unknown }> }
  for (const metric of Object.values(shown.metrics))
    if (typeof metric.value === 'number' && metric.value < 1) metric.value = 0.13
  await figures.db.query('UPDATE figure_release SET figures = $1', [JSON.stringify(shown)])
  await figures.import([...aSoundLedger(), ...aSoundLedger(), ...aSoundLedger()])
  figures.clock.at += MONTH_MS

  expect(await auditFigures(figures.parts)).toMatchObject({ ok: true })
  expect(await refusal(releaseFigures(figures.exact))).toMatchObject({ code: 'figures_held' })
  expect(await figures.db.query('SELECT COUNT(*) AS n FROM figure_release')).toEqual([{ n: 1 }])
  expect(await figures.log.signed(figures.db)).toMatchObject({ size: 1 + METRICS.length + 1 })
  expect(await figuresFacts(figures.parts)).toMatchObject({ disclosure_audit: 'fail' })
})

test('a correction of three cases is never released alone', async () => {
  await using figures = await openFigures()
  const lines = Array.from({ length: 5 }, () => aSoundLedger()).flat()
  await figures.import(lines)
  await releaseFigures(figures.exact)
  const before = await figures.shown()
  const refs = lines.slice(0, 3).map((line) => line.slice(0, 36))
  const file = [...lines.slice(0, 3)].map((line) => line.replace(/,1,1,1,1,400$/, ',1,1,0,0,9000'))
  expect(file).not.toEqual(lines.slice(0, 3))
  await correctOutcomes(figures.db, fileOf(file), { now: figures.now })
  figures.clock.at += MONTH_MS
  expect(await releaseFigures(figures.exact)).toMatchObject({ changes: 0 })
  const { as_of: _, release_id: __, ...held } = await figures.shown()
  expect(before).toMatchObject(held)

  await deleteOutcomes(figures.db, streamOf(`case_ref\n${refs.join('\n')}\n`), { now: figures.now })
  await figures.import([...cases(20), ...cases(20, { recurring: '1', certified_mail: '1', recovered: '100' })])
  figures.clock.at += MONTH_MS
  await releaseFigures(figures.exact)
  const page = (await figures.call('list_figure_changes', { metric: 'p' })) as { data: { reason: string }[] }
  expect(page.data.map(({ reason }) => reason)).toEqual(['correction', 'initial'])
})

test('deciding again on the stored tallies gives every figure and every hold of every release', async () => {
  await using figures = await openFigures()
  const { below, chance } = dice(7)
  const all: string[] = []
  for (let month = 0; month < 14; month++) {
    const some = Array.from({ length: chance(0.4) ? below(12) + 1 : 30 + below(150) }, () =>
      cases(1, {
        recurring: String(below(2)),
        certified_mail: String(Number(chance(0.3))),
        recovered: String(below(1500)),
      }),
    ).flat()
    all.push(...some)
    await figures.import(some)
    if (chance(0.4)) {
      const gone = all.splice(below(all.length), 1 + below(14))
      await deleteOutcomes(figures.db, streamOf(`case_ref\n${gone.map((line) => line.slice(0, 36)).join('\n')}\n`), {
        now: figures.now,
      })
    }
    await releaseFigures(figures.exact)
    figures.clock.at += MONTH_MS
  }
  const releases = await store.releases(figures.db)
  expect(releases).toHaveLength(14)
  const decided = releases.map(
    ({ release_id, basis }): ExactRelease => ({ release_id, ...(basis as NonNullable<typeof basis>) }),
  )
  expect(replayExact(decided)).toEqual([])
  expect(await checkFigures(figures.db)).toEqual([])
  // The series has both held and changed figures.
  const dates = new Set(decided.map(({ states }) => states.of.p.figure.as_of))
  expect(dates.size).toBeGreaterThan(2)
  expect(dates.size).toBeLessThan(14)

  const forged = decided.map((release, i) => {
    if (i !== 5) return release
    const { of } = release.states
    return {
      ...release,
      states: { ...release.states, of: { ...of, w: { ...of.w, figure: { ...of.w.figure, value: 0.99 } } } },
    }
  })
  expect(replayExact(forged)).toHaveLength(1)
})

test('a plan says what a release would do and changes nothing', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  const plan = await planExact(figures.db, undefined, figures.clock.at)
  expect(plan.decisions).toMatchObject({ w: 'published', savings_total: 'published' })
  expect(plan.moves).toHaveLength(METRICS.length)
  expect(await store.latestRelease(figures.db)).toBeUndefined()
})

test('the calendar has the last release before a time and the next one after it', () => {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
  expect(day(lastReleaseAt(Date.parse('2026-11-02T23:59:59Z')))).toBe('2026-10-06')
  expect(day(lastReleaseAt(Date.parse('2026-11-03T00:00:00Z')))).toBe('2026-11-03')
  expect(day(lastReleaseAt(Date.parse('2026-01-01T00:00:00Z')))).toBe('2025-12-02')
  expect(day(nextReleaseAt(Date.parse('2026-12-02T00:00:00Z')))).toBe('2027-01-05')
})

test('if several processes follow the calendar of one store, one makes each release when it is due', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  figures.clock.at = Date.parse('2026-11-20T12:00:00Z')
  await releaseFigures(figures.exact)
  const made: string[] = []
  const run = async (): Promise<void> => {
    const schedules = Array.from({ length: 5 }, () =>
      releaseOnCalendar({
        parts: figures.parts,
        tell: (said) => made.push('release_id' in said ? said.release_id : String(said.fault)),
      }),
    )
    await Promise.all(schedules.map(({ stop }) => stop()))
  }
  await run()
  expect(made).toEqual([])
  figures.clock.at = Date.parse('2026-12-01T00:00:00Z')
  await run()
  await run()
  expect(made).toEqual(['2026-12-01.1'])
  // No process ran when one of the releases was due.
  figures.clock.at = Date.parse('2027-02-20T00:00:00Z')
  await run()
  expect(made).toEqual(['2026-12-01.1', '2027-02-20.1'])
})

test('a release that is refused every hour is reported once for each reason', async () => {
  const faults: unknown[] = []
  const due = [
    new Problem('figures_held', 'pinned at noon'),
    new Problem('figures_held', 'pinned at one'),
    new Error('the disk is full'),
    new Error('the disk is full'),
    undefined,
    new Error('the disk is full'),
  ]
  const tell = tellOnce(({ fault }: { fault: unknown }) => faults.push(fault))
  for (const fault of due) tell(fault === undefined ? undefined : { fault })
  expect(faults).toEqual([due[0], due[2], due[5]])
})
