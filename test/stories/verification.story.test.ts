import { expect, test } from 'bun:test'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { makeApp } from '../../src/app.ts'
import { recheck } from '../../src/cli/fsck.ts'
import { loadVerifier, openInstallation } from '../../src/installation.ts'
import type { IntegrityReport } from '../../src/integrity/report/report-shape.ts'
import { failedParts, putPart } from '../../src/integrity/verification/store.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { editFile, releaseFile, replacing, state } from '../support/release-file.ts'
import { DemoService } from '../support/service.ts'
import { until } from '../support/until.ts'

const CODES = Array.from({ length: 600 }, (_, i) => `G${1000 + i}`)
const [FIRST, LAST] = ['G1000', 'G1599']
/** A row in the second tile, whose price alone is this one. */
const [BAD, PRICE] = ['G1300', '77.77']
const RELEASE = 'cms-pfs:TEST1:1'

/** A release of three tiles, and another one, held in memory as a service does it, with a report for whoever asks. */
async function aService({
  follows = true,
} = {}): Promise<{ app: TestApp; report: () => Promise<IntegrityReport>; stop: () => Promise<void> }> {
  const app = await testApp({ today: '2026-01-20' })
  const rows = CODES.map((cpt) =>
    aPrice({ code: cpt, ...(cpt === BAD ? { price: { amount: PRICE, currency: 'USD' } } : {}) }),
  )
  await app.publish(aRelease({ rows }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ basis: 'medicare_opps', setting: 'outpatient' })] }))
  const heads = follows ? app.app.followHeads(({ fault }) => expect(fault).toBeUndefined()) : undefined
  const headers = await app.railsHeaders()
  return {
    app,
    report: async () => (await app.getJson('/api/data-integrity', headers)) as IntegrityReport,
    stop: async () => {
      await heads?.stop()
      await app[Symbol.asyncDispose]()
    },
  }
}

const cycle = async (app: TestApp, parts = ['registry log', 'figures log', RELEASE, 'cms-opps:TEST1:1']) => {
  const verifier = await loadVerifier(app.installation)
  for (const part of parts)
    await verifier.verifyPart(
      part,
      () => app.clock.now,
      async () => undefined,
    )
}

const code = async (app: TestApp, path: string, init: RequestInit = {}) => {
  const response = await app.request(path, init)
  const { code } = (await response.json()) as { code?: string }
  return response.ok ? response.status : code
}
const batch = (...codes: string[]) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ lines: codes.map((cpt) => ({ cpt })) }),
})

test('nothing says that all was verified while a release never was', async () => {
  const { app, report, stop } = await aService()
  const at = async () => [
    (await report()).proofs.last_full_verification_at,
    ((await app.getJson('/api/status')) as { verification: { last_full_verification_at: string | null } }).verification
      .last_full_verification_at,
  ]
  // Followers look once a second.
  const looked = () => Bun.sleep(1_300)
  await cycle(app, ['registry log', 'figures log'])
  await looked()
  expect(await at()).toEqual([null, null])
  expect((await report()).status_reasons).toContain('proofs_never_verified')
  await cycle(app, [RELEASE])
  await looked()
  expect(await at()).toEqual([null, null])
  await cycle(app, ['cms-opps:TEST1:1'])
  await until(async () => !(await at()).includes(null))
  await stop()
})

test('a row that fails its verification is served nowhere any more, others are, and the report names the release until it is repaired', async () => {
  const { app, report, stop } = await aService()
  const headers = await app.railsHeaders()
  const paths = [`/reference?cpt=${BAD}`, `/reference/sheet?cpt=${BAD}`, `/rows/${RELEASE}/300`]
  await cycle(app)
  expect(await report()).toMatchObject({ status: 'ok', proofs: { rows_verified: 601, rows_failed: 0, failing: [] } })
  // Asked twice: the second answer is kept ready-made.
  for (const path of [...paths, ...paths, ...paths]) expect([path, await code(app, path)]).toEqual([path, 200])

  const path = await releaseFile(app.config, 1)
  const sound = readFileSync(path)
  await editFile(app.config, 1, replacing(PRICE, '77.78'))
  await cycle(app)
  await until(async () => (await code(app, `/reference?cpt=${BAD}`)) === 'failed_verification')
  for (const each of [...paths, `/reference/history?cpt=${BAD}`])
    expect([each, await code(app, each)]).toEqual([each, 'failed_verification'])
  expect(await code(app, `/api/registry?cpt=${BAD}`, { headers })).toBe('failed_verification')
  expect(await code(app, '/api/registry?chart=cms-pfs&offset=280&limit=50', { headers })).toBe('failed_verification')
  expect(await code(app, '/reference/batch', batch(FIRST, BAD))).toBe('failed_verification')
  const entries = `/log/releases/${RELEASE}/tile/entries/001`
  expect((await app.request(entries, { headers })).status).toBe(503)

  const refused = await app.request(`/reference?cpt=${BAD}`)
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('cache-control')]).toEqual([
    503,
    null,
    'no-store',
  ])
  expect(await refused.json()).toMatchObject({ agent_hint: expect.stringContaining('tell the operator') })
  expect(app.lines.at(-1)).toMatchObject({ status: 503, error: { message: expect.stringContaining(RELEASE) } })

  // Its neighbours' answers show the row too, to prove that nothing was left out.
  for (const cpt of ['G1299', 'G1301'])
    expect([cpt, await code(app, `/reference?cpt=${cpt}`)]).toEqual([cpt, 'failed_verification'])
  // Other rows of the same bundle, and everything else.
  for (const cpt of [FIRST, 'G1298', 'G1302', LAST])
    expect([cpt, await code(app, `/reference?cpt=${cpt}`)]).toEqual([cpt, 200])
  expect(await code(app, '/reference?cpt=G9999&basis=medicare_pfs')).toBe('not_on_schedule')
  expect(await code(app, '/api/registry?chart=cms-pfs&limit=50', { headers })).toBe(200)
  expect(await code(app, '/reference/batch', batch(FIRST, LAST))).toBe(200)
  expect(await code(app, '/reference?cpt=G0101&setting=outpatient')).toBe(200)
  expect(await code(app, '/api/coverage')).toBe(200)
  expect((await app.request(`/log/releases/${RELEASE}/tile/0/001`)).status).toBe(200)

  const failed = await report()
  expect(failed).toMatchObject({ status: 'fail', status_reasons: [`proofs_failed:${RELEASE}`] })
  expect(failed.proofs).toMatchObject({ rows_verified: 601, rows_failed: 1, rows_without_proof: 1, total_failing: 1 })
  expect(failed.proofs.failing).toEqual([
    {
      part: RELEASE,
      verified_at: '2026-01-20T12:00:00.000Z',
      first_failed_at: '2026-01-20T12:00:00.000Z',
      rows_failed: 1,
      fault_count: 2,
      faults: [
        `${RELEASE}: its file is missing, or its bytes are not those that its name says`,
        `${RELEASE}: row 300 is not the one that was published`,
      ],
    },
  ])
  expect(failed.summary).toMatchObject({ rows_failed: 1, rows_served: 600 })

  app.clock.now += 600_000
  await cycle(app, [RELEASE])
  expect((await report()).proofs.failing[0]).toMatchObject({
    verified_at: '2026-01-20T12:10:00.000Z',
    first_failed_at: '2026-01-20T12:00:00.000Z',
  })
  writeFileSync(path, sound)
  await cycle(app, [RELEASE])
  await until(async () => (await code(app, `/reference?cpt=${BAD}`)) === 200)
  for (const each of paths) expect([each, await code(app, each)]).toEqual([each, 200])
  expect(await report()).toMatchObject({ status: 'ok', proofs: { rows_failed: 0 }, summary: { rows_served: 601 } })
  await stop()
})

test('a verification that began before a failure was found does not clear it, however late it ends', async () => {
  const { app, stop } = await aService({ follows: false })
  const { db } = app.installation
  let at = 1_000
  const failure = { copy: db.files.copy, rows_verified: 600, rows_failed: 1, fault_count: 1, faults: ['a row'] }
  const verifier = await loadVerifier(app.installation)
  const verify = (meanwhile: () => Promise<void>) =>
    verifier.verifyPart(
      RELEASE,
      () => at,
      async () => {
        await meanwhile()
        at = 3_000
      },
    )
  await verify(() => putPart(db, { ...failure, part: RELEASE, verified_at: 2_000, failed: [[300, 301]] }))
  expect(await failedParts(db, db.files.copy)).toEqual([{ part: RELEASE, failed: '[[300,301]]' }])
  await verify(async () => undefined)
  expect(await failedParts(db, db.files.copy)).toEqual([])
  await stop()
})

test('a release with a row that failed is compared with no other, and what was compared before is forgotten when it is repaired', async () => {
  await using app = await testApp({ today: '2026-07-20' })
  const rows = (...more: string[]) => [
    ...more.map((cpt) => aPrice({ code: cpt })),
    anAbsence({ code: 'G0102', reason: 'bundled' }),
  ]
  await app.publish(aRelease({ rows: rows('G0101') }))
  await app.publish(aRelease({ edition: 'TEST2', effective_from: '2026-07-01', rows: rows('G0101', 'G0103') }))
  const [from, to] = [RELEASE, 'cms-pfs:TEST2:1']
  const comparing = (one: string, other: string): string => `/api/releases/diff?from=${one}&to=${other}`
  const paths = [comparing(from, to), comparing(to, from)]
  const path = await releaseFile(app.config, 2)
  const sound = readFileSync(path)
  await editFile(app.config, 2, replacing('"reason":"bundled"', '"reason":"not_covered"'))
  app.installation.db.files.forget(basename(path, '.atr'))
  // Nobody knows yet, and no row of it is shown.
  expect(await app.getJson(comparing(to, from))).toMatchObject({ changed: 1 })
  await cycle(app, [to])
  await until(async () => (await code(app, comparing(to, to))) === 'failed_verification')
  for (const each of [...paths, comparing(to, to)])
    expect([each, await code(app, each)]).toEqual([each, 'failed_verification'])
  writeFileSync(path, sound)
  await cycle(app, [to])
  await until(async () => (await code(app, comparing(from, to))) === 200)
  for (const each of paths) expect(await app.getJson(each)).toMatchObject({ changed: 0, unchanged: 2 })
})

test('what one process finds another one does not serve, and a file put back under a running service is read', async () => {
  const { app, stop } = await aService()
  const beside = await openInstallation(app.config)
  const other = makeApp(beside, {
    baseUrl: () => BASE_URL,
    now: () => app.clock.now,
    limits: { default_rpm: 120, reference_rpm: 300, log_rpm: 6_000, enabled: false },
    observe: () => undefined,
    cacheBytes: 1_000_000,
  })
  const heads = other.followHeads(({ fault }) => expect(fault).toBeUndefined())
  const status = async (cpt: string) =>
    (await other.fetch(new Request(`${BASE_URL}/reference?cpt=${cpt}`), '192.0.2.1')).status
  for (let i = 0; i < 3; i++) expect(await status(BAD)).toBe(200)
  const path = await releaseFile(app.config, 1)
  const sound = readFileSync(path)
  await editFile(app.config, 1, replacing(PRICE, '77.78'))
  await recheck(app.installation, app.clock.now)
  await until(async () => (await status(BAD)) === 503)
  expect(await status(FIRST)).toBe(200)
  // As `cp` and most tools do it: another file takes its name.
  writeFileSync(`${path}.new`, sound)
  renameSync(`${path}.new`, path)
  await recheck(app.installation, app.clock.now)
  await until(async () => (await status(BAD)) === 200)
  expect(await status(FIRST)).toBe(200)
  await heads.stop()
  await beside.db.close()
  await stop()
})

test('any flipped byte of a release file is found, and no row is served that is not as it was published', async () => {
  const { app, stop } = await aService({ follows: false })
  const path = await releaseFile(app.config, 1)
  const sound = readFileSync(path)
  const answers = async (): Promise<Map<string, string>> => {
    const texts = new Map<string, string>()
    for (const cpt of CODES.filter((_, i) => i % 40 === 0)) {
      const response = await app.app.fetch(new Request(`${BASE_URL}/reference?cpt=${cpt}`), '192.0.2.1')
      const { proof, price } = (await response.json()) as { proof?: { row: object }; price?: object }
      texts.set(cpt, response.status === 200 ? JSON.stringify([price, proof?.row]) : String(response.status))
    }
    return texts
  }
  const right = await answers()
  let refused = 0
  for (let at = 137; at < sound.length; at += Math.ceil(sound.length / 24)) {
    const bytes = Buffer.from(sound)
    bytes[at] = (bytes[at] ?? 0) ^ 0x10
    writeFileSync(path, bytes)
    await cycle(app, [RELEASE])
    const [{ fault_count } = { fault_count: 0 }] = await state<{ fault_count: number }>(
      app.config,
      'SELECT fault_count FROM verified_part WHERE part = $1',
      [RELEASE],
    )
    expect([at, fault_count > 0]).toEqual([at, true])
    for (const [cpt, text] of await answers()) {
      expect([at, cpt, text]).toEqual([at, cpt, text === '503' ? '503' : (right.get(cpt) ?? '')])
      if (text === '503') refused++
    }
  }
  expect(refused).toBeGreaterThan(0)
  await stop()
})

test('an entry or tile of a log that was changed is not served, and the report names the log', async () => {
  const { app, report, stop } = await aService()
  const { db } = app.installation
  const [leaf] = await db.query<{ body: Uint8Array }>(
    "SELECT body FROM log_leaf WHERE log = 'registry' AND leaf_index = 1",
  )
  const body = new Uint8Array(leaf?.body ?? [])
  const changed = body.with(40, (body[40] ?? 0) ^ 1)
  const put = (bytes: Uint8Array) =>
    db.query("UPDATE log_leaf SET body = $1 WHERE log = 'registry' AND leaf_index = 1", [bytes])
  await cycle(app)
  const entries = '/log/registry/tile/entries/000.p/5'
  expect((await app.request(entries)).status).toBe(200)
  await put(changed)
  await cycle(app)
  await until(async () => (await app.request(entries)).status === 503)
  expect(await code(app, entries)).toBe('failed_verification')
  const failed = await report()
  expect(failed.status).toBe('fail')
  expect(failed.status_reasons).toContain('proofs_failed:registry log')
  // No row is proved by a log that does not hold together.
  expect(failed.proofs.rows_failed).toBe(601)
  await put(body)
  await cycle(app)
  await until(async () => (await app.request(entries)).status === 200)
  expect((await report()).status).toBe('ok')
  await stop()
})

test('a service verifies in the background, within its share of the processor, and finds a flipped byte in one cycle', async () => {
  await using service = await DemoService.start({ VERIFY_CPU_PERCENT: '50', VERIFY_EVERY_SECONDS: '1' })
  const store = { DATA_DIR: service.environment['DATA_DIR'] ?? '' }
  const status = async (cpt: string) => (await fetch(`${service.url}/reference?cpt=${cpt}`)).status
  expect(await status('99213')).toBe(200)
  const path = await releaseFile(store, 2)
  const sound = readFileSync(path)
  await editFile(store, 2, replacing('95.19', '95.18'))
  await until(async () => (await status('99213')) === 503)
  // The file that is open has pages of before and of after: none of it is served until the cycle says which rows are wrong.
  await until(async () => (await status('99214')) === 200)
  expect(await status('99213')).toBe(503)
  writeFileSync(path, sound)
  await until(async () => (await status('99213')) === 200)
})

test('what is ready-made of the figures log is not served once that part of it has failed', async () => {
  await using app = await testApp({ sample: true })
  const heads = app.app.followHeads(() => undefined)
  const path = '/log/figures/tile/0/000.p/1'
  const status = async (): Promise<number> => (await app.request(path)).status
  // Twice, so that it is ready-made by then.
  for (let i = 0; i < 3; i++) expect(await status()).toBe(200)
  await putPart(app.installation.db, {
    part: 'figures log',
    copy: '',
    verified_at: app.clock.now,
    rows_verified: 0,
    rows_failed: 1,
    fault_count: 1,
    faults: ['x'],
    failed: [[0, 256]],
  })
  for (let i = 0; i < 400 && (await status()) === 200; i++) await Bun.sleep(25)
  expect(await status()).toBe(503)
  expect((await app.request('/log/registry/tile/0/000.p/1')).status).toBe(200)
  await heads.stop()
})
