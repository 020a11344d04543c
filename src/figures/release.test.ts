import { expect, test } from 'bun:test'
import { leafBodies } from '../integrity/store.ts'
import { utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { verifyBody, verifyEntry } from '../proof/verify-lists.ts'
import { figuresFacts } from './facts.ts'
import { aCase, aSoundLedger, cases, openFigures, refusal } from './fixture.ts'
import { nextReleaseId, releaseFigures } from './release.ts'
import { METRICS } from './rule/tally.ts'
import { nextReleaseAt } from './window/calendar.ts'

type Entry = Record<string, unknown> & { seq: number; metric: string; proof: { log: { checkpoint: string } } }
interface ChangesPage {
  data: Entry[]
  states: Record<string, unknown>[]
  page: Record<string, unknown>
  links: Record<string, string | null>
}

const changesOf = async (figures: Awaited<ReturnType<typeof openFigures>>, input: Record<string, unknown> = {}) =>
  (await figures.call('list_figure_changes', input)) as unknown as ChangesPage

test('before the first release every figure is withheld for want of data', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  const body = await figures.call('get_figures')
  expect(body).toMatchObject({ w: null, r: null, p: null, cases_floor10: null, release_id: null, as_of: null })
  expect(body).toMatchObject({ savings: { total: null, median: null, currency: 'USD' }, data_class: null })
  for (const metric of Object.values(body['metrics'] as Record<string, unknown>))
    expect(metric).toMatchObject({ value: null, suppressed: true, reason: 'no_data', as_of: null })
  expect((await changesOf(figures)).data).toEqual([])
})

test('a release publishes the figures, and the body says where they come from', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger(), 'sample')
  expect(await releaseFigures(figures.exact)).toMatchObject({ release_id: '2026-11-03.1', changes: METRICS.length })
  const body = await figures.call('get_figures')
  expect(body).toMatchObject({
    w: 0.5,
    r: 0.5,
    p: 0.5,
    savings: { total: '70000.00', median: '700.00', currency: 'USD' },
    cases_floor10: 100,
    settlements_floor10: 100,
    provenance: 'service_outcomes_ledger',
    pii_policy: 'aggregate_only',
    as_of: '2026-11-03T00:00:00.000Z',
    release_id: '2026-11-03.1',
    sdc_rule_version: '1.0.0',
    data_class: 'sample',
  })
  expect((body['metrics'] as Record<string, unknown>)['w']).toEqual({
    value: 0.5,
    suppressed: false,
    reason: null,
    as_of: '2026-11-03T00:00:00.000Z',
    definition: expect.stringContaining('500 dollars'),
  })
})

test('new cases change nothing before the next release, and too few change nothing in it', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  const before = await figures.shown()
  await figures.import([...cases(9), aCase({ recovered: '0', recurring: '1', certified_mail: '1' })])
  expect(await figures.shown()).toEqual(before)

  figures.clock.at = Date.parse('2026-12-01T00:00:00Z')
  expect(await releaseFigures(figures.exact)).toMatchObject({ release_id: '2026-12-01.1', changes: 0 })
  const { as_of, release_id, ...held } = await figures.shown()
  expect({ as_of, release_id }).toEqual({ as_of: '2026-12-01T00:00:00.000Z', release_id: '2026-12-01.1' })
  expect(before).toMatchObject(held)
  expect(await figures.log.head(figures.db)).toMatchObject({ size: 1 + METRICS.length + 1 + 1 })
})

test('each moved figure is one log entry, and a stranger can check every entry of every page', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  figures.clock.at = Date.parse('2026-12-01T00:00:00Z')
  // All twenty agree on `r` and `p`, so only the other figures change.
  await figures.import([...cases(10), ...cases(10, { recovered: '100' })])
  expect(await releaseFigures(figures.exact)).toMatchObject({ changes: 5 })

  const { data } = await changesOf(figures)
  expect(data.map(({ seq }) => seq)).toEqual([13, 12, 11, 10, 9, 7, 6, 5, 4, 3, 2, 1])
  expect(data.slice(0, 5).map(({ metric }) => metric)).toEqual([
    'settlements_floor10',
    'cases_floor10',
    'savings_median',
    'savings_total',
    'w',
  ])
  const leaves = await leafBodies(figures.db, 'figures', 0, 15)
  for (const entry of data) {
    const { proof, ...bare } = entry
    expect(utf8(canonical(bare))).toEqual(leaves[entry.seq] as Uint8Array)
    expect(await verifyEntry(entry, figures.policy)).toEqual({ ok: true })
    expect(await verifyEntry({ ...entry, new: 0.99 }, figures.policy)).toMatchObject({ ok: false })
    expect(proof.log.checkpoint).toBe(data[0]?.proof.log.checkpoint as string)
  }
  expect(data[4]).toMatchObject({
    release_id: '2026-12-01.1',
    metric: 'w',
    old: 0.5,
    new: 0.5,
    old_as_of: '2026-11-03T00:00:00.000Z',
    new_as_of: '2026-12-01T00:00:00.000Z',
    reason: 'scheduled',
  })
  const page = await changesOf(figures, { limit: 5, offset: 3 })
  expect(await verifyBody(JSON.stringify(page), figures.policy, { anyQuestion: true })).toMatchObject({
    ok: true,
    rows: [],
    entries: 5,
  })
})

test('the change log is paged, filtered and followed', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  figures.clock.at = Date.parse('2026-12-01T00:00:00Z')
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  const seqs = async (input: Record<string, unknown>) => (await changesOf(figures, input)).data.map(({ seq }) => seq)

  expect(await seqs({ limit: 3, offset: 2 })).toEqual([13, 12, 11])
  expect(await seqs({ metric: 'p' })).toEqual([11, 3])
  expect(await seqs({ since: '2026-12-01T00:00:00Z' })).toEqual([15, 14, 13, 12, 11, 10, 9])
  expect(await seqs({ until: '2026-12-01T01:00:00+01:00' })).toEqual([7, 6, 5, 4, 3, 2, 1])
  expect(await seqs({ after_seq: 12 })).toEqual([13, 14, 15])
  expect(await seqs({ after_seq: -1, limit: 2 })).toEqual([1, 2])

  const { page, links } = await changesOf(figures, { metric: 'p', limit: 1 })
  expect(page).toEqual({ limit: 1, offset: 0, total: 2, has_more: true, next_offset: 1 })
  expect(links['next']).toBe('/api/figure-changes?metric=p&limit=1&offset=1')
  for (const input of [{ limit: 0 }, { limit: 201 }, { offset: 100_001 }, { metric: 'x' }, { since: '2026' }, { q: 1 }])
    await expect(figures.call('list_figure_changes', input)).rejects.toThrow()
})

test('published data never has a case, an exact count or a tally', async () => {
  await using figures = await openFigures()
  await figures.import([...aSoundLedger(), ...cases(7, { recurring: '1', recovered: '31337' })])
  await releaseFigures(figures.exact)
  // Hashes and signatures are left out: they are random and may contain any three digits.
  const { data, states } = await changesOf(figures)
  const entries = [...data, ...states].map(({ proof: _, ledger_root: __, ...entry }) => entry)
  const text = JSON.stringify([await figures.shown(), entries])
  for (const secret of ['c0ffee00', '107', '31337', '31350', 'tallies', 'basis']) expect(text).not.toContain(secret)
})

test('releases of one day are numbered, and a clock set back does not make another', async () => {
  expect(nextReleaseId('2026-11-03', undefined)).toBe('2026-11-03.1')
  expect(nextReleaseId('2026-11-03', '2026-11-03.9')).toBe('2026-11-03.10')
  expect(nextReleaseId('2026-11-04', '2026-11-03.9')).toBe('2026-11-04.1')
  await using figures = await openFigures()
  await releaseFigures(figures.exact)
  figures.clock.at -= 3_000
  expect(await releaseFigures(figures.exact)).toMatchObject({ release_id: '2026-11-03.2' })
  expect(await figures.shown()).toMatchObject({ as_of: '2026-11-03T00:00:00.000Z' })
  figures.clock.at -= 86_400_000
  expect(String(await refusal(releaseFigures(figures.exact)))).toContain('correct the clock')
})

test('a release that cannot be logged is not made', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await figures.db.query("INSERT INTO log_leaf (log, leaf_index, body) VALUES ('figures', 4, $1)", [new Uint8Array(1)])
  await expect(releaseFigures(figures.exact)).rejects.toThrow()
  expect(await figures.call('get_figures')).toMatchObject({ release_id: null })
  expect(await figures.log.head(figures.db)).toMatchObject({ size: 1 })
})

test('the calendar is the first Tuesday of each month', () => {
  const next = (at: string): string => new Date(nextReleaseAt(Date.parse(at))).toISOString().slice(0, 10)
  expect(next('2026-11-01T00:00:00Z')).toBe('2026-11-03')
  expect(next('2026-11-02T23:59:59Z')).toBe('2026-11-03')
  expect(next('2026-11-03T00:00:00Z')).toBe('2026-12-01')
  expect(next('2026-12-15T00:00:00Z')).toBe('2027-01-05')
})

test('the integrity report learns when figures were released and how many are withheld', async () => {
  await using figures = await openFigures()
  expect(await figuresFacts(figures.parts)).toEqual({
    release_id: null,
    released_at: null,
    next_release_at: '2026-12-01T00:00:00.000Z',
    sdc_rule_version: '2.0.0',
    metrics_suppressed: 5,
    disclosure_audit: null,
    audited_at: null,
  })
  await figures.import(cases(60))
  await releaseFigures(figures.exact)
  expect(await figuresFacts(figures.parts)).toMatchObject({
    release_id: '2026-11-03.1',
    released_at: '2026-11-03T00:00:00.000Z',
    metrics_suppressed: 3,
    disclosure_audit: 'pass',
    audited_at: '2026-11-03T00:00:00.000Z',
  })
})
