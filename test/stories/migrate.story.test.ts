import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { listReleases } from '../../src/registry/release/store.ts'
import { openRelease } from '../../src/registry/rows/release-file-store.ts'
import { ENGINES, storeEnvironment, testOnPostgres } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BASE_URL, testApp } from '../support/harness.ts'
import { postgresServer } from '../support/postgres.ts'
import { atr, DemoService } from '../support/service.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const ALWAYS = [
  '/reference?cpt=00000',
  '/reference/sheet?cpt=99213&region=60611',
  '/api/coverage',
  '/api/releases',
  '/api/figures',
  '/log/registry/checkpoint',
  '/log/figures/checkpoint',
  '/log/registry/tile/entries/000.p/8',
]
const ROWS_OF_EACH = 40

/** Questions about rows of every release, and about codes beside them. */
async function questions({ db }: Installation): Promise<string[]> {
  const asked = [...ALWAYS]
  for (const release of await listReleases(db)) {
    const step = Math.max(1, Math.floor(release.row_count / ROWS_OF_EACH))
    for (let i = 0; i < release.row_count; i += step) {
      const [row] = openRelease(db, release).rowsAt(i, 1)
      const { cpt, region, npi } = JSON.parse(row?.body ?? '{}') as Record<string, string | null>
      asked.push(`/rows/${release.release_id}/${i}`)
      if (cpt) asked.push(`/reference?cpt=${cpt}`, `/reference?cpt=${cpt}&${npi ? `npi=${npi}` : `region=${region}`}`)
      if (cpt && i % (5 * step) === 0) asked.push(`/reference/history?cpt=${cpt}`, `/reference?cpt=${cpt.slice(0, 4)}9`)
    }
  }
  return [...new Set(asked)]
}

/** What a service on this store answers, byte for byte. */
async function answers(config: Config): Promise<Map<string, string>> {
  const installation = await openInstallation(config)
  const app = makeApp(installation, {
    baseUrl: () => BASE_URL,
    now: () => NOW,
    limits: { default_rpm: 1, reference_rpm: 1, log_rpm: 1, enabled: false },
    observe: () => undefined,
  })
  const said = new Map<string, string>()
  for (const path of await questions(installation)) {
    const answer = await app.fetch(new Request(`${BASE_URL}${path}`), '192.0.2.1')
    said.set(path, `${answer.status} ${(await answer.text()).replace(/"request_id":"[^"]+"/, '')}`)
  }
  await installation.db.close()
  return said
}

testOnPostgres(
  'a store is moved to PostgreSQL and back: hundreds of answers and proofs are the same bytes',
  async () => {
    await using app = await testApp({ sample: true, engine: 'sqlite' })
    const { DATA_DIR } = app.config
    await app.installation.db.close()
    const DATABASE_URL = await (await postgresServer()).database()
    const before = await answers(app.config)
    expect([...before.values()].filter((body) => body.startsWith('200')).length).toBeGreaterThan(200)

    const nowhere = DATABASE_URL.replace(/\/[^/?]+(\?|$)/, '/no_such_database$1')
    expect(await atr(['migrate', '--to', nowhere], { DATA_DIR, DATABASE_URL: '' })).toEqual({
      code: 3,
      out: '',
      err: 'atr: the database that --to names does not exist: create it, then run `atr migrate` again. Nothing was changed\n',
    })
    const there = await atr(['migrate', '--to', DATABASE_URL, '--json'], { DATA_DIR, DATABASE_URL: '' })
    expect([there.code, there.err]).toEqual([0, ''])
    expect(JSON.parse(there.out)).toMatchObject({
      log_sizes: [27, expect.any(Number)],
      state_rows: expect.any(Number),
      release_files: 13,
      release_rows: expect.any(Number),
      release_bytes: expect.any(Number),
    })
    expect(await answers(readConfig({ DATA_DIR, DATABASE_URL }))).toEqual(before)
    // The old one was set aside: nobody goes on with it by mistake.
    expect(existsSync(join(DATA_DIR, 'registry.db'))).toBe(false)
    expect(readdirSync(DATA_DIR).some((name) => name.startsWith('registry.db.moved-'))).toBe(true)
    expect(await atr(['fsck'], { DATA_DIR, DATABASE_URL: '' })).toMatchObject({
      code: 3,
      err: expect.stringContaining('the store was moved from here: set DATABASE_URL'),
    })
    const doctor = await atr(['doctor'], { DATA_DIR, DATABASE_URL: '' })
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/^fail {2}store_moved: the store was moved/)])
    expect(doctor.out).not.toMatch(/backup/)
    // Who types the same once more is told that there is nothing left to do.
    const done = await atr(['migrate', '--to', DATABASE_URL], { DATA_DIR, DATABASE_URL: '' })
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringMatching(/^an earlier move has put the store there: nothing/),
    ])
    // Who puts the old one back and moves again is told whose store is in the way.
    const old = readdirSync(DATA_DIR).find((name) => /^registry\.db\.moved-\w+$/.test(name)) ?? ''
    copyFileSync(join(DATA_DIR, old), join(DATA_DIR, 'registry.db'))
    const twice = await atr(['migrate', '--to', DATABASE_URL], { DATA_DIR, DATABASE_URL: '' })
    expect([twice.code, twice.err]).toEqual([
      3,
      expect.stringMatching(
        /^atr: an earlier move has put a store of this registry there already: .* Nothing was changed\n$/,
      ),
    ])
    for (const end of ['', '-wal', '-shm']) rmSync(join(DATA_DIR, `registry.db${end}`), { force: true })
    // A second one is not put over it.
    const again = await atr(['migrate', '--to', DATABASE_URL], { DATA_DIR, DATABASE_URL })
    expect([again.code, again.err]).toEqual([2, 'atr: the store is on that engine already\n'])

    const back = await atr(['migrate', '--to', DATA_DIR], { DATA_DIR, DATABASE_URL })
    expect([back.code, back.err]).toEqual([0, ''])
    expect(back.out).toMatch(
      /^moved \d+ rows of state in [\d.]+ s and checked both stores; the old one was set aside\. The 13 release files \(\d+ rows, \d+ bytes\) stay in /,
    )
    expect(await answers(readConfig({ DATA_DIR }))).toEqual(before)
    expect(statSync(join(DATA_DIR, 'registry.db')).mode & 0o077).toBe(0)
    expect(await atr(['fsck'], { DATA_DIR, DATABASE_URL: '' })).toMatchObject({ code: 0 })
    for (const to of ['mysql://host/name', 'postgres://host', ''])
      expect(await atr(['migrate', '--to', to], { DATA_DIR, DATABASE_URL: '' })).toMatchObject({ code: 2 })
    expect(await atr(['fsck'], { DATA_DIR, DATABASE_URL })).toMatchObject({ code: 3 })
  },
)

test.each(ENGINES.map((engine) => [engine]))(
  'on %s a store is neither moved nor restored while a service uses it, nor used while it is moved',
  async (engine) => {
    using folder = temporaryFolder()
    const env = await storeEnvironment(join(folder.path, 'data'), engine)
    const backup = join(folder.path, 'backup.db')
    const other = engine === 'sqlite' ? ['--to', await elsewhere()] : ['--to', env.DATA_DIR]
    const service = await DemoService.start(env, folder)
    expect(await service.atr(['backup', backup])).toMatchObject({ code: 0 })
    for (const command of [
      ['migrate', ...other],
      ['restore', backup],
    ])
      expect(await service.atr(command)).toMatchObject({
        code: 1,
        err: 'refused: unavailable: the store is in use: stop every service and every other command first. Nothing was changed\n',
      })
    expect((await fetch(`${service.url}/reference?cpt=99213`)).status).toBe(200)
    // A service that was killed uses nothing.
    service.child.kill('SIGKILL')
    await service.child.exited
    expect(await service.atr(['restore', backup])).toMatchObject({ code: 0 })
    expect(await service.atr(['fsck'])).toMatchObject({ code: 0 })
  },
)

const elsewhere = async (): Promise<string> =>
  ENGINES.includes('postgres') ? (await postgresServer()).database() : 'postgres://nobody@127.0.0.1:1/none'
