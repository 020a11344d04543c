import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { recheck } from '../../src/cli/fsck.ts'
import { openInstallation } from '../../src/installation.ts'
import type { IntegrityReport } from '../../src/integrity/report/report-shape.ts'
import type { StatusAnswer } from '../../src/integrity/report/status.ts'
import { periodOf, releaseOf } from '../../src/proof/shown.ts'
import { insertRelease } from '../../src/registry/release/store.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'
import type { Answer } from '../support/lookup.ts'
import { editFile, replacing } from '../support/release-file.ts'
import { until } from '../support/until.ts'

test('the integrity report tells the state of every chart from what is stored, on any day', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['integrity:read'])
  const report = async () => (await app.getJson('/api/data-integrity', headers)) as IntegrityReport
  const fresh = await report()
  expect(fresh.charts.map(({ chart_id, status }) => [chart_id, status])).toEqual([
    ['cms-asp', 'fresh'],
    ['cms-clfs', 'fresh'],
    ['cms-dmepos', 'fresh'],
    ['cms-pfs', 'fresh'],
    ['hospital-mrf:1234567893', 'fresh'],
    ['ncci-add-on', 'fresh'],
    ['ncci-mue-dme', 'fresh'],
    ['ncci-mue-outpatient', 'fresh'],
    ['ncci-mue-practitioner', 'fresh'],
    ['ncci-ptp-outpatient', 'fresh'],
    ['ncci-ptp-practitioner', 'fresh'],
    ['zip-locality', 'fresh'],
  ])
  expect(fresh.summary.rows_served + fresh.summary.rows_withheld).toBe(
    fresh.charts.reduce((sum, { rows }) => sum + rows, 0),
  )
  expect(fresh.proofs).toMatchObject({ log_size: 27, rows_failed: 0, rows_without_proof: 0, witnesses: 0 })
  expect(fresh.summary.proof_coverage).toBe(1)
  expect(fresh.figures.release_id).toBe('2026-11-15.1')
  expect(fresh.jobs.last_load?.at).toBe('2026-11-15T12:00:00.000Z')

  app.clock.now = Date.parse('2027-01-20T12:00:00Z')
  const late = (await app.getJson('/api/data-integrity', await app.railsHeaders(['integrity:read']))) as IntegrityReport
  expect(late.status).toBe('fail')
  const tables = ['add-on', 'mue-dme', 'mue-outpatient', 'mue-practitioner', 'ptp-outpatient', 'ptp-practitioner']
  const edits = tables.map((table) => `ncci-${table}`)
  const stale = ['cms-asp', 'cms-clfs', 'cms-dmepos', ...edits, 'zip-locality'].map((chart) => `chart_stale:${chart}`)
  expect(late.status_reasons).toEqual(['chart_expired:cms-pfs', ...stale, 'proofs_overdue'])
  expect(late.summary.charts).toMatchObject({ fresh: 1, stale: 10, expired: 1 })

  await app.publish(
    aRelease({
      chart: 'cms-opps',
      edition: 'LATER',
      effective_from: '2030-01-01',
      rows: [aPrice({ basis: 'medicare_opps', setting: 'outpatient' })],
    }),
  )
  expect(
    ((await app.getJson('/api/data-integrity', await app.railsHeaders())) as IntegrityReport).jobs.last_load?.at,
  ).toBe('2027-01-20T12:00:00.000Z')
})

test('with nothing loaded the report says so, and makes nothing up', async () => {
  await using app = await testApp()
  const report = (await app.getJson('/api/data-integrity', await app.railsHeaders())) as IntegrityReport
  expect(report).toMatchObject({
    release_id: null,
    charts: [],
    jobs: { last_load: null },
    summary: { proof_coverage: null },
    proofs: { rows_without_proof: null, last_full_verification_at: null },
    figures: { release_id: null },
  })
  expect(report.status_reasons).toContain('no_chart_published')
})

test('a report claims no more than is known: what failed, what was not judged, what was cut short', async () => {
  await using app = await testApp()
  const { db } = app.installation
  await app.publish(aRelease({ rows: [aPrice(), aPrice({ code: 'G0102' }), aPrice({ code: 'G0103' })] }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ basis: 'medicare_opps', setting: 'outpatient' })] }))
  const headers = await app.railsHeaders()
  const report = async () => (await app.getJson('/api/data-integrity', headers)) as IntegrityReport
  const statusOf = (from: IntegrityReport, id: string) => from.checks.find(({ check_id }) => check_id === id)?.status

  const before = await report()
  expect(statusOf(before, 'R01')).toBe('not_evaluated')
  expect(statusOf(before, 'R07')).toBe('not_evaluated')
  expect(statusOf(before, 'R02')).toBe('pass')
  expect(before.status_reasons).toContain('proofs_never_verified')
  expect(before.jobs.last_load?.status).toBe('ok')

  await editFile(app.config, 2, replacing('12.34', '12.35'))
  await recheck(app.installation, app.clock.now)
  const after = await report()
  expect(after.proofs).toMatchObject({ rows_verified: 4, rows_failed: 1, rows_without_proof: 1 })
  expect(after.summary.proof_coverage).toBe(0.75)
  expect(after.status_reasons).toContain('proofs_failed:cms-opps:TEST1:1')
  expect(statusOf(after, 'R01')).toBe('fail')

  app.clock.now += 1_000
  await db.transaction((tx) => insertRelease(tx, aRelease({ edition: 'CUT' }), app.clock.now))
  expect((await report()).jobs.last_load).toEqual({ at: '2026-11-15T12:00:01.000Z', status: 'unfinished' })
})

test('a publication while the store is looked through is not a fault', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ edition: 'FIRST' }))
  const looking = await openInstallation(app.config)
  let published = 0
  const publishing = (async () => {
    for (; published < 25; published++) await app.publish(aRelease({ edition: `E${published}` }))
  })()
  const faults: string[] = []
  for (let look = 1; published < 25; look++) {
    faults.push(...(await recheck(looking, app.clock.now + look)).faults)
    await looking.registryLog.check(looking.db)
  }
  await publishing
  await looking.db.close()
  expect(faults).toEqual([])
})

test('everyone can read how fresh each chart is, what was verified, and the public checkpoints', async () => {
  await using app = await testApp({ sample: true })
  const heads = app.app.followHeads(({ fault }) => expect(fault).toBeUndefined())
  const status = async () => (await app.getJson('/api/status')) as StatusAnswer
  const report = (await app.getJson('/api/data-integrity', await app.railsHeaders())) as IntegrityReport
  const now = await status()
  expect(now).toMatchObject({ status: 'ok', status_reasons: [], as_of: '2026-11-15', charts_total: 12 })
  expect(now.charts.map(({ chart, status, rows, effective_to }) => [chart, status, rows, effective_to])).toEqual(
    report.charts.map(({ chart_id, status, rows, effective_to }) => [chart_id, status, rows, effective_to]),
  )
  const { last_full_verification_at, last_verification_at, rows_verified, rows_failed } = report.proofs
  const verification = { last_full_verification_at, last_verification_at, rows_verified, rows_failed, failing: [] }
  expect(now.verification).toEqual(verification)
  expect(now.logs.map(({ origin, size, root_hash }) => ({ origin, size, root_hash }))[0]).toEqual({
    origin: 'registry.example/log/registry',
    size: report.proofs.log_size,
    root_hash: report.proofs.root_hash,
  })
  expect(now.logs.map(({ witnesses }) => witnesses)).toEqual(Array(2).fill({ configured: 0, cosigned: 0, quorum: 0 }))

  // Ready-made until something changes: the day, a publication, a verification.
  const etag = async () => (await app.request('/api/status')).headers.get('etag')
  const before = await etag()
  expect(await etag()).toBe(before)
  app.clock.now = Date.parse('2027-01-20T12:00:00Z')
  expect((await status()).status_reasons).toContain('chart_expired:cms-pfs')
  expect(await etag()).not.toBe(before)
  await recheck(app.installation, app.clock.now)
  await until(async () => (await status()).verification.last_full_verification_at === '2027-01-20T12:00:00.000Z')
  await heads.stop()
})

test('the report is the same to the byte while nothing changes, and is made without opening a release file', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders()
  const ask = async () => app.request('/api/data-integrity', { headers })
  const first = await ask()
  app.clock.now += 60_000
  const second = await ask()
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(await second.text()).toBe(await first.text())
  const unchanged = await app.request('/api/data-integrity', {
    headers: { ...headers, 'if-none-match': first.headers.get('etag') ?? '' },
  })
  expect(unchanged.status).toBe(304)
  const folder = join(app.config.DATA_DIR, 'releases')
  app.installation.db.files.close()
  renameSync(folder, `${folder}-away`)
  expect((await ask()).headers.get('etag')).toBe(first.headers.get('etag'))
  renameSync(`${folder}-away`, folder)
  await recheck(app.installation, app.clock.now)
  expect((await ask()).headers.get('etag')).not.toBe(first.headers.get('etag'))
})

test('a price can be judged by its own answer: it has the period of its edition, and a lapsed one is called so', async () => {
  await using app = await testApp({ today: '2026-02-01' })
  await app.publish(aRelease({ effective_from: '2026-01-01', effective_to: '2026-03-31' }))
  const period = { effective_from: '2026-01-01', effective_to: '2026-03-31' }
  const asked = '/reference?cpt=G0101'
  const price = (await app.getJson(asked)) as Answer
  const release = releaseOf(price, price.row)
  expect(release).toMatchObject(period)
  expect(release && periodOf(price, release)).toMatchObject({ from: '2026-01-01', to: '2026-03-31' })
  expect(await app.getJson(`${asked}&proof=ref`)).toMatchObject({ effective_from: '2026-01-01' })
  app.clock.now = Date.parse('2026-04-01T12:00:00Z')
  const lapsed = await app.problem(asked)
  expect(lapsed).toMatchObject({
    status: 404,
    code: 'no_edition_for_day',
    charts: [
      { chart: 'cms-pfs', held: [{ from: '2026-01-01', to: '2026-03-31' }] },
      expect.anything(),
      expect.anything(),
      expect.anything(),
    ],
  })
  const { last_known, ...told } = lapsed as unknown as Answer
  expect(releaseOf(told, last_known.proof)).toMatchObject(period)
  expect((await app.getJson('/api/status')) as StatusAnswer).toMatchObject({
    status: 'fail',
    charts: [{ chart: 'cms-pfs', status: 'expired', ...period }],
  })
})
