import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { recheck } from '../../src/cli/fsck.ts'
import { readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { ENGINES, type Engine, inFiles } from '../support/engines.ts'
import { BASE_URL, type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { call } from '../support/mcp.ts'
import { editFile, type FileRow, forgeFile, releaseFile, replacing, state, withRows } from '../support/release-file.ts'
import { atr } from '../support/service.ts'

const LATER = Date.parse('2026-11-15T13:00:00Z')

const IN_FILES = inFiles('files are forged in copies of a closed store; two tests do so on both engines')

/** A closed store with the sample. */
async function aStore(folder: string): Promise<{ DATA_DIR: string; DATABASE_URL: string }> {
  const app = await testApp({ sample: true, engine: 'sqlite' })
  await app.installation.db.close()
  const from = app.config.DATA_DIR
  cpSync(from, join(folder, 'data'), { recursive: true })
  cpSync(`${from}.lock`, join(folder, 'data.lock'), { recursive: true })
  app.folder[Symbol.dispose]()
  return { DATA_DIR: join(folder, 'data'), ...IN_FILES }
}

const swapped = ([first, second, ...rest]: FileRow[]): FileRow[] => [
  { key: first?.key ?? '', body: second?.body ?? '' },
  { key: second?.key ?? '', body: first?.body ?? '' },
  ...rest,
]
const sql = (text: string) => (file: Database) => {
  file.run(text)
  expect(file.query<{ n: number }, []>('SELECT changes() AS n').get()?.n).toBeGreaterThan(0)
}

/** Other totals of one kind. */
function withTotals(kind: string, change: (text: string) => string): (file: Database) => void {
  return (file) => {
    const stored = file.query<{ names: Uint8Array }, [string]>('SELECT names FROM total WHERE kind = ?').get(kind)
    const text = change(zstdDecompressSync(stored?.names ?? new Uint8Array()).toString())
    file.run('UPDATE total SET names = ? WHERE kind = ?', [Bun.zstdCompressSync(text), kind])
  }
}

/** Of the file of the second release, by someone who gives it the name of its new bytes. */
const FORGERIES: [string, (file: Database) => void, RegExp][] = [
  ['a price in a row', replacing('95.19', '95.18'), /row \d+ is not the one that was published/],
  [
    'a bit of a row tile',
    sql(`UPDATE bundle SET hashes = CAST(X'00' || SUBSTR(hashes, 2) AS BLOB) WHERE n = 17`),
    /tile 0\/1 does not match/,
  ],
  [
    'a bit of a node beside a bundle',
    sql(`UPDATE bundle SET hashes = CAST(SUBSTR(hashes, 1, 512) || X'00' || SUBSTR(hashes, 514) AS BLOB) WHERE n = 3`),
    /tile 0\/0 does not match/,
  ],
  ['a row tile that is gone', sql('DELETE FROM tile WHERE level = 1'), /tile 1\/0 does not match/],
  ['a deleted row', withRows((rows) => rows.toSpliced(100, 1)), /rows are missing or too many/],
  ['a deleted last row', withRows((rows) => rows.slice(0, -1)), /rows are missing or too many/],
  ['a row twice', withRows((rows) => rows.toSpliced(100, 1, ...rows.slice(99, 100))), /row 100 is out of order/],
  ['the texts of two rows swapped', withRows(swapped), /not stored under its own key/],
  [
    'two rows swapped',
    withRows((rows) => rows.toSpliced(0, 2, ...rows.slice(0, 2).reverse())),
    /row 1 is out of order/,
  ],
  [
    'the key that rows are found by',
    sql(`UPDATE bundle SET first_key = 'A' || first_key WHERE n = 1`),
    /not found under/,
  ],
  [
    'a key with one more part',
    withRows((rows) => rows.map(({ key, body }) => ({ key: `${key}|`, body }))),
    /not stored under its own key/,
  ],
  [
    'a key that is lower than that of the first row',
    sql(`UPDATE bundle SET first_key = SUBSTR(first_key, 1, 30) WHERE n = 1`),
    /not found under/,
  ],
  ['two headers', sql('INSERT INTO header SELECT format, 5, rows_root FROM header'), /two headers/],
  ['a tile of no rows', sql('INSERT INTO tile VALUES (7, 0, zeroblob(32))'), /more tiles than its rows have/],
  [
    'a tile with more at its end',
    sql(`UPDATE tile SET hashes = CAST(hashes || X'00' AS BLOB)`),
    /tile 1\/0 does not match/,
  ],
  [
    'a last tile that is too narrow',
    sql('UPDATE bundle SET hashes = SUBSTR(hashes, 1, 40) WHERE n > 80'),
    /missing or damaged/,
  ],
  [
    'rows that no one counts',
    sql(`INSERT INTO bundle VALUES (9999, 'Z9999|', X'00', X'00')`),
    /rows are missing or too many/,
  ],
  ['rows that are not there', sql('DELETE FROM bundle WHERE n = 2'), /missing or damaged/],
  ['rows that cannot be unpacked', sql(`UPDATE bundle SET rows = X'00' WHERE n = 2`), /missing or damaged/],
  ['another form of file', sql(`UPDATE header SET format = 'release-file/1'`), /load the edition again/],
  ['another root', sql(`UPDATE header SET rows_root = 'AAAA'`), /do not hash to the root/],
  ['a provider of a release', withTotals('provider', () => '1234567893\t1'), /by provider is not what/],
  [
    'a region of a release',
    withTotals('region', (text) => text.replace('national', 'US-XX-99')),
    /by region is not what its rows say/,
  ],
  [
    'a count by code',
    withTotals('code', (text) => text.replace('99213\t', '99213\t1')),
    /by code is not what its rows say/,
  ],
]

/** Of the file of the second release, as a failing disk or a careless operator would. */
const DAMAGES: [string, (path: string) => void][] = [
  ['a file that is gone', (path) => rmSync(path)],
  ['a file that was cut', (path) => truncateSync(path, 20_000)],
  ['an empty file', (path) => truncateSync(path, 0)],
  [
    'one bit of a file',
    (path) => {
      const bytes = readFileSync(path)
      bytes[9_000] = (bytes[9_000] ?? 0) ^ 1
      writeFileSync(path, bytes)
    },
  ],
]

/** A service with the sample, whose second release is changed and put back. */
async function withSecondFile(
  engine: Engine,
  work: (app: TestApp, faults: () => Promise<string[]>) => Promise<void>,
): Promise<void> {
  await using app = await testApp({ sample: true, engine })
  const { installation } = app
  await work(app, async () => {
    installation.db.files.close() // a file that is open would be read as it was
    return (await recheck(installation, checkedAt++)).faults
  })
}
let checkedAt = LATER

test.each(ENGINES.map((engine) => [engine]))(
  'on %s fsck finds a release file that was forged, whatever was forged in it',
  (engine) =>
    withSecondFile(engine, async ({ config: { DATA_DIR }, installation: { db } }, faults) => {
      const store = { DATA_DIR, db }
      const path = await releaseFile(store, 2)
      const bytes = readFileSync(path)
      for (const [what, change, named] of FORGERIES) {
        await forgeFile(store, 2, change)
        expect([what, (await faults())[0]]).toEqual([what, expect.stringMatching(named)])
        rmSync(await releaseFile(store, 2))
        writeFileSync(path, bytes)
        await state(store, 'UPDATE release SET file = $1 WHERE release_no = 2', [basename(path, '.atr')])
      }
      expect(await faults()).toEqual([])
    }),
)

test.each(ENGINES.map((engine) => [engine]))(
  'on %s a release file that is missing or damaged is named, is not served, and is put back by copying it',
  (engine) =>
    withSecondFile(engine, async ({ config, installation }, faults) => {
      const path = await releaseFile(config, 2)
      const bytes = readFileSync(path)
      for (const [what, damage] of DAMAGES) {
        damage(path)
        const [first, ...others] = await faults()
        expect([what, first]).toEqual([what, expect.stringMatching(/^\S+:\S+:1: its file is missing, or its bytes/)])
        const release = first?.split(' ')[0] ?? ''
        expect([what, others.filter((other) => !other.startsWith(release))]).toEqual([what, []])
        writeFileSync(path, bytes)
        expect(await faults()).toEqual([])
      }
      rmSync(path)
      await installation.db.close()
      expect(await atr(['serve'], { DATA_DIR: config.DATA_DIR, PORT: '0' })).toMatchObject({
        code: 3,
        err: expect.stringMatching(/the file of release \S+:1 is missing: restore it from a backup/),
      })
    }),
)

test('a store copied back from before the last publish is refused, and so is a copy that was overtaken', async () => {
  using folder = temporaryFolder()
  const env = await aStore(folder.path)
  const backup = join(folder.path, 'backup')
  cpSync(env.DATA_DIR, backup, { recursive: true })
  const publishOne = async (edition: string) => {
    const { db, registryLog, cosign } = await openInstallation(readConfig(env))
    const release = aRelease({
      chart: 'cms-opps',
      edition,
      rows: [aPrice({ basis: 'medicare_opps', setting: 'outpatient' })],
    })
    const staged = await stage(db, release, release.rows, new Map(), LATER)
    await publish({ db, log: registryLog, cosign }, staged.release.release_id, LATER)
    await db.close()
  }
  await publishOne('A')
  const restore = () => {
    rmSync(env.DATA_DIR, { recursive: true })
    cpSync(backup, env.DATA_DIR, { recursive: true })
  }
  restore()
  for (const command of ['serve', 'fsck']) {
    const { code, out, err } = await atr([command], { ...env, PORT: '0' })
    expect([command, code]).toEqual([command, command === 'fsck' ? 1 : 3])
    expect(out + err).toContain(
      'the store is older than what has been signed: the registry log had 29 entries and the store has 27',
    )
  }
  await expect(publishOne('B')).rejects.toThrow('the store is older')
})

test('a lock that is gone and a clock set back stop publishing and change nothing', async () => {
  await using app = await testApp({ today: '2026-07-02' })
  await app.publish(aRelease())
  app.clock.now -= 60_000
  await expect(app.publish(aRelease({ edition: 'LATER' }))).rejects.toThrow('the clock is behind the last checkpoint')
  app.clock.now += 120_000
  rmSync(`${app.config.DATA_DIR}.lock`, { recursive: true })
  await expect(app.publish(aRelease({ edition: 'UNLOCKED' }))).rejects.toThrow(
    'the checkpoint lock of the registry log is missing or cannot be read',
  )
  expect(await app.installation.registryLog.head(app.installation.db)).toMatchObject({ size: 3 })
  expect(await app.getJson('/reference?cpt=G0101')).toMatchObject({
    proof: { releases: [{ release: { edition: 'TEST1' } }] },
  })
})

test('a full disk stops a load with one sentence and leaves the store as it was', async () => {
  using folder = temporaryFolder()
  const env = await aStore(folder.path)
  // A limit on file size is how a test fills a disk; the signal that comes with it is ignored.
  const command = `trap '' XFSZ; ulimit -f 120; exec node_modules/.bin/bun src/cli/atr.ts load cms-pfs sample/PPRRVU-SAMPLE26A.csv sample/GPCI-SAMPLE26.csv --edition FULL --effective-from 2026-11-01 --sample --publish`
  const { status, stderr } = spawnSync('bash', ['-c', command], { env: { ...process.env, ...env }, encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    3,
    'atr: the disk is full or failing: nothing was changed. Make room, and run the command again\n',
  ])
  expect(await atr(['fsck'], env)).toMatchObject({ code: 0 })
  const { out } = await atr(['release', 'list', '--json'], env)
  expect(
    (JSON.parse(out) as { release_id: string; state: string }[]).filter(({ state }) => state === 'published'),
  ).toHaveLength(13)
})

/** Every way in which a row of the code G0101 is asked for, with an edition before it. */
const ASKED: [string, string | ((app: TestApp) => Promise<Response>)][] = [
  ['a lookup', '/reference?cpt=G0101'],
  ['a lookup in short', '/reference?cpt=G0101&proof=ref'],
  ['a refusal that shows a row, in short', '/reference?cpt=G0102&proof=ref'],
  ['a sheet', '/reference/sheet?cpt=G0101'],
  ['a sheet in short', '/reference/sheet?cpt=G0101&proof=ref'],
  ['a history', '/reference/history?cpt=G0101'],
  ['a history in short', '/reference/history?cpt=G0101&proof=ref'],
  ['a batch', (app) => app.request('/reference/batch', posted({ lines: [{ cpt: 'G0101' }] }))],
  ['a batch in short', (app) => app.request('/reference/batch', posted({ lines: [{ cpt: 'G0101' }], proof: 'ref' }))],
  ['a page of the registry', async (app) => app.request('/api/registry', { headers: await app.railsHeaders() })],
  [
    'a page of the registry that begins at it',
    async (app) => app.request('/api/registry?cpt=G0101&limit=1', { headers: await app.railsHeaders() }),
  ],
  ['a permalink', '/rows/cms-pfs:TEST2:1/0'],
  ['a bundle of entries', entriesOf('cms-pfs:TEST2:1')],
  [
    'the page of a price',
    async (app) =>
      app.app.fetch(new Request(`${BASE_URL}/price/G0101`, { headers: { accept: 'text/html' } }), '192.0.2.1'),
  ],
  ['a comparison that is stored', '/api/releases/diff?from=cms-pfs:TEST1:1&to=cms-pfs:TEST2:1'],
  ['a comparison that is not', '/api/releases/diff?from=cms-pfs:TEST2:1&to=cms-pfs:TEST1:1'],
  ['a tool', (app) => call(app, 'lookup_price', { cpt: 'G0101' })],
]
function entriesOf(release_id: string) {
  return async (app: TestApp) =>
    app.request(`/log/releases/${release_id}/tile/entries/000.p/3`, { headers: await app.railsHeaders() })
}
const posted = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Two editions of a code with a price, one without, and another. In the second one a price is 77.77. */
async function twoEditions(): Promise<TestApp> {
  const app = await testApp({ today: '2026-07-02' })
  for (const [edition, effective_from, amount] of [
    ['TEST1', '2026-01-01', '10.00'],
    ['TEST2', '2026-07-01', '77.77'],
  ] as const) {
    const price = aPrice({ code: 'G0101', price: { amount, currency: 'USD' } })
    await app.publish(
      aRelease({ edition, effective_from, rows: [price, anAbsence({ code: 'G0102' }), aPrice({ code: 'G0103' })] }),
    )
  }
  return app
}

/** Changes a file, of which the service must not remember anything: it may have been started since. */
async function damage(app: TestApp, release_no: number, edit: (file: Database) => void): Promise<void> {
  await editFile(app.config, release_no, edit)
  app.installation.db.files.forget(basename(await releaseFile(app.config, release_no), '.atr'))
}

async function answerTo(app: TestApp, asked: (typeof ASKED)[number][1]): Promise<string> {
  const response = await (typeof asked === 'string' ? app.request(asked) : asked(app))
  return `${response.status} ${await response.text()}`
}

test('a row whose bytes have changed is not served on any route, nor in any form, before a verification finds it', async () => {
  await using sound = await twoEditions()
  for (const [name, asked] of ASKED)
    expect([name, await answerTo(sound, asked)]).toEqual([name, expect.not.stringContaining('failed_verification')])
  await using app = await twoEditions()
  const changed = ({ key, body }: FileRow): FileRow => ({
    key,
    body: body.replace('77.77', '17.77').replace('"status_code":"', '"status_code":"X'),
  })
  await damage(
    app,
    2,
    withRows((rows) => rows.map(changed)),
  )
  for (const [name, asked] of ASKED) {
    const text = await answerTo(app, asked)
    expect([name, text]).toEqual([name, expect.stringMatching(/failed_verification|failed its verification/)])
    expect([name, text]).toEqual([name, expect.not.stringContaining('17.77')])
  }
  await app.request('/reference?cpt=G0101')
  expect(app.lines.at(-1)?.error).toMatchObject({ message: expect.stringContaining('fails its own proof') })
})

test('a price is not served in short where the row that led to it has changed', async () => {
  await using app = await testApp({ sample: true })
  const path = '/reference?cpt=99213&region=10001&proof=ref'
  const { region } = (await app.getJson(path)) as { region: string }
  const { db } = app.installation
  const [places] = await db.query<{ release_no: number }>("SELECT release_no FROM release WHERE chart = 'zip-locality'")
  await damage(app, places?.release_no ?? 0, replacing(region, 'US-NY-99'))
  for (const asked of [path, path.replace('/reference', '/reference/sheet')])
    expect([asked, await app.problemCode(`${asked}&as_of=2026-11-14`)]).toEqual([asked, 'failed_verification'])
})
