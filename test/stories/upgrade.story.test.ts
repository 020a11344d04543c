import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { zip } from '../../src/files/zip-fixture.ts'
import { openInstallation } from '../../src/installation.ts'
import { type RunningService, start } from '../../src/main.ts'
import { standingNow } from '../../src/registry/state/state.ts'
import { isLong } from '../support/long.ts'
import { OLD_SOURCES, OldStore } from '../support/old-store.ts'
import { ATR, atr, DemoService } from '../support/service.ts'

const PFS = ['PPRRVU-SAMPLE26A.csv', 'PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv']
const CLFS = 'CLFS-SAMPLE26Q4.csv'
const HOSPITAL = '1234567893_sample-hospital_standardcharges.csv'
const UPGRADED = [
  'cms-clfs:26CLABQ4:3',
  'cms-pfs:RVU26A:2',
  'cms-pfs:RVU26D:2',
  'hospital-mrf:1234567893:2026-09-01:2',
  'hospital-mrf:2000000010:2026-09-01:2',
]
const QUESTIONS = [
  '/reference?cpt=99213&region=US-NY-02&as_of=2026-11-15',
  '/reference?cpt=99213&region=US-NY-02&as_of=2026-02-15',
  '/reference?cpt=00000&region=US-NY-02&as_of=2026-11-15',
  '/reference?cpt=99213&npi=2000000010&as_of=2026-11-15',
  '/reference/sheet?cpt=99213&region=US-NY-02&as_of=2026-11-15',
  '/reference/history?cpt=99213&region=US-NY-02',
  '/api/releases',
  '/api/coverage?as_of=2026-11-15',
]

interface Report {
  older: number
  upgraded: { older: string; release_id: string }[]
  refused: object[]
  missing: { release_id: string; chart: string; edition: string; file: string; sha256: string; url: string }[]
  ready?: string[]
}

async function upgraded(store: OldStore, ...options: string[]): Promise<{ code: number; report: Report }> {
  const { code, out, err } = await atr(['upgrade', '--json', ...options], store.environment)
  expect(err).toBe('')
  return { code, report: JSON.parse(out) as Report }
}

/** A folder with some of the files. */
function someOf(store: OldStore, files: readonly string[]): string {
  const folder = store.file('some')
  mkdirSync(folder, { recursive: true })
  for (const file of files) copyFileSync(join(OLD_SOURCES, file), join(folder, file))
  return folder
}

async function serving<T>(store: OldStore, work: (service: RunningService) => Promise<T>): Promise<T> {
  const config = readConfig(store.environment)
  const service = start(config, await openInstallation(config))
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

const fsck = async (store: OldStore): Promise<string> => (await atr(['fsck'], store.environment)).out

test('an older store is upgraded from its files: every answer verifies, and the log of old has grown', async () => {
  using store = new OldStore()
  const [pinned, before] = [store.checkpoint(), store.entries()]
  for (const command of [['serve'], ['load', 'cms-clfs', join(OLD_SOURCES, CLFS), '--sample']])
    expect(await atr(command, store.environment)).toEqual({
      code: 3,
      out: '',
      err: 'atr: the releases of the store have an older form: run `atr upgrade --sources FOLDER` with the folder of the published files\n',
    })
  const doctor = await atr(['doctor', '--json'], store.environment)
  const { findings } = JSON.parse(doctor.out) as { findings: { code: string }[] }
  expect([doctor.code, findings.map(({ code }) => code)]).toEqual([1, expect.arrayContaining(['older_form'])])
  expect(await fsck(store)).toStartWith('ok')

  const { code, report } = await upgraded(store, '--sources', OLD_SOURCES)
  expect([code, report.older, report.missing, report.refused]).toEqual([0, 5, [], []])
  expect(report.upgraded.map(({ release_id }) => release_id)).toEqual(UPGRADED)
  expect(await fsck(store)).toStartWith('ok')

  const after = store.entries()
  expect(after.slice(0, before.length)).toEqual(before)
  const made = after.slice(before.length).map((entry) => JSON.parse(entry))
  const old = new Map(before.map((entry) => JSON.parse(entry)).map((entry) => [entry.release_id, entry]))
  for (const { older, release_id } of report.upgraded) {
    const [was, is] = [old.get(older), made.find((each) => each.release_id === release_id)]
    for (const member of ['effective_from', 'effective_to', 'period_by', 'citations', 'data_class'])
      expect([member, is[member]]).toEqual([member, was[member]])
    // Payers' rates are read from files of hospitals now, and of the others the same rows as before.
    const more = is.row_count - was.row_count
    expect([release_id, more > 0]).toEqual([release_id, release_id.startsWith('hospital-mrf:')])
    if (!release_id.startsWith('hospital-mrf:')) expect([release_id, more]).toEqual([release_id, 0])
    expect(is.providers).toEqual(was.providers)
  }
  expect(made.filter(({ schema }) => schema === 'provider-move/1')).toMatchObject([
    { npi: '2000000010', chart: 'hospital-mrf:2000000010', reason: 'owner_changed' },
  ])

  await serving(store, async ({ url }) => {
    const policy = store.file('policy')
    writeFileSync(policy, await (await fetch(`${url}/log/policy`)).text())
    writeFileSync(store.file('pin'), pinned)
    for (const path of QUESTIONS) {
      const options = ['--policy', policy, '--pin', store.file('pin')]
      const { code: exit, out, err } = await atr(['verify', `${url}${path}`, ...options])
      expect([path, exit, out.split('\n')[0], err]).toEqual([path, 0, 'ok', ''])
    }
    const hospital = await (await fetch(`${url}/reference?cpt=99213&npi=2000000010&as_of=2026-11-15`)).json()
    expect(hospital.proof.releases[hospital.row.release].release.chart).toBe('hospital-mrf:2000000010')
    const asp = await (await fetch(`${url}/reference?cpt=J1100&basis=medicare_asp&as_of=2026-11-15`)).json()
    expect(asp.code).toBe('no_edition_for_day')
    const watched = await atr(['monitor', url, '--policy', policy, '--state', store.file('state')])
    expect([watched.code, watched.out]).toEqual([0, ''])
    const { out } = await atr(
      ['keys', 'create', '--name', 'm', '--scopes', 'registry:read', '--json'],
      store.environment,
    )
    const { key } = JSON.parse(out) as { key: string }
    const copied = await atr(['mirror', url, store.file('mirror'), '--policy', policy, '--json'], {
      ATR_AGENT_KEY: key,
    })
    expect(JSON.parse(copied.out)).toMatchObject({ ok: true, alarms: [], releases: 5 })
  })
  expect(await upgraded(store, '--sources', OLD_SOURCES)).toEqual({
    code: 0,
    report: { older: 0, upgraded: [], refused: [], missing: [] },
  })
  expect(store.entries()).toEqual(after)
})

test('without all files nothing is changed: each missing one is named, with its digest and its address', async () => {
  using store = new OldStore()
  const before = store.entries()
  const { code, report } = await upgraded(store, '--sources', someOf(store, [...PFS, CLFS]))
  expect([code, report.upgraded]).toEqual([1, []])
  expect(report.ready).toEqual(['cms-clfs:26CLABQ4:2', 'cms-pfs:RVU26A:1', 'cms-pfs:RVU26D:1'])
  expect(report.missing).toEqual([
    {
      release_id: 'hospital-mrf:1234567893:2026-09-01:1',
      chart: 'hospital-mrf:1234567893',
      edition: '2026-09-01',
      file: HOSPITAL,
      sha256: new Bun.CryptoHasher('sha256').update(await Bun.file(join(OLD_SOURCES, HOSPITAL)).bytes()).digest('hex'),
      url: 'https://publisher.example/first.csv',
    },
    expect.objectContaining({ chart: 'hospital-mrf:2000000010', url: 'https://publisher.example/second.csv' }),
  ])
  const { code: said, out } = await atr(['upgrade', '--sources', store.file('some')], store.environment)
  expect([said, out]).toEqual([1, expect.stringMatching(/^missing .*first\.csv$[\s\S]*nothing was changed\n$/m)])
  expect(store.entries()).toEqual(before)
  expect(await atr(['serve'], store.environment)).toMatchObject({ code: 3 })
})

test('a dry run says what would be made anew, and changes nothing', async () => {
  using store = new OldStore()
  const before = store.entries()
  const { code, report } = await upgraded(store, '--dry-run', '--sources', OLD_SOURCES)
  expect([code, report.ready?.length, report.missing]).toEqual([0, 5, []])
  expect((await upgraded(store, '--dry-run', '--partial')).report.missing).toHaveLength(7)
  expect(store.entries()).toEqual(before)
})

test('in part, an upgrade goes on without the missing files, and makes up for them when they are found', async () => {
  using store = new OldStore()
  const { code, report } = await upgraded(store, '--partial', '--sources', someOf(store, [...PFS, CLFS]))
  expect([code, report.upgraded.length, report.missing.length]).toEqual([0, 3, 2])
  await serving(store, async ({ url }) => {
    expect((await fetch(`${url}/reference?cpt=99213&region=US-NY-02&as_of=2026-11-15`)).status).toBe(200)
    expect((await (await fetch(`${url}/reference?cpt=99213&npi=2000000010`)).json()).code).toBe('unknown_provider')
  })
  const { out } = await atr(['doctor', '--json'], store.environment)
  expect((JSON.parse(out) as { findings: { code: string }[] }).findings.map(({ code }) => code)).toContain('older_left')
  expect((await upgraded(store)).code).toBe(1)
  const later = await upgraded(store, '--sources', OLD_SOURCES)
  expect([later.code, later.report.upgraded.map(({ release_id }) => release_id)]).toEqual([0, UPGRADED.slice(3)])
  expect(await fsck(store)).toStartWith('ok')
})

test('files are found in ARCHIVE, in zip and gzip files and under other names', async () => {
  using store = new OldStore()
  const [folder, ARCHIVE] = [store.file('packed/deep'), store.file('archive')]
  mkdirSync(folder, { recursive: true })
  const bytes = (file: string) => Bun.file(join(OLD_SOURCES, file)).bytes()
  const members = await Promise.all(PFS.map(async (file) => ({ name: `rvu/${file}`, data: await bytes(file) })))
  writeFileSync(join(folder, 'rvu26.zip'), zip(members))
  writeFileSync(join(folder, 'hospital.gz'), Bun.gzipSync(await bytes(HOSPITAL)))
  const archived = await bytes(CLFS)
  const sha256 = new Bun.CryptoHasher('sha256').update(archived).digest('hex')
  mkdirSync(join(ARCHIVE, sha256.slice(0, 2)), { recursive: true })
  writeFileSync(join(ARCHIVE, sha256.slice(0, 2), sha256), archived)
  Object.assign(store.environment, { ARCHIVE })
  const { code, report } = await upgraded(store, '--sources', store.file('packed'))
  expect([code, report.missing, report.upgraded.map(({ release_id }) => release_id)]).toEqual([0, [], UPGRADED])
  const names = store
    .entries()
    .flatMap((entry) => JSON.parse(entry).citations?.map(({ file }: { file: string }) => file) ?? [])
  expect(new Set(names.slice(-8)).difference(new Set([...PFS, CLFS, HOSPITAL])).size).toBe(0)
  // Every cited file is in the archive now.
  expect(readdirSync(ARCHIVE, { recursive: true }).filter((name) => String(name).length > 60)).toHaveLength(5)
})

/** A publication has about eight steps, so that each of the six is cut short once. */
const STRIDE = isLong ? 1 : 7

test('killed at any step, an upgrade goes on where it was, and ends as if it had not been', async () => {
  for (let step = 1, ended = false; !ended; step += STRIDE) {
    using store = new OldStore()
    const before = store.entries()
    const child = Bun.spawn(
      [ATR[0] as string, join(import.meta.dir, '../support/old-store/upgrade-child.ts'), String(step)],
      {
        env: { ...process.env, ...store.environment },
        stdout: 'ignore',
        stderr: 'pipe',
      },
    )
    expect(await new Response(child.stderr).text()).toBe('')
    await child.exited
    ended = child.signalCode === null
    expect(await atr(['upgrade', '--sources', OLD_SOURCES], store.environment)).toMatchObject({ code: 0, err: '' })
    expect(await fsck(store)).toStartWith('ok')
    const { db } = await openInstallation(readConfig(store.environment))
    const { periods, providers } = await standingNow(db)
    await db.close()
    expect([step, periods.length]).toEqual([step, 5])
    expect(providers).toContainEqual({ npi: '2000000010', chart: 'hospital-mrf:2000000010' })
    const added = store
      .entries()
      .slice(before.length)
      .map((entry) => JSON.parse(entry).release_id)
    expect(added.filter((release_id) => release_id !== undefined)).toEqual(UPGRADED)
    expect(readdirSync(store.file('data/releases'))).toHaveLength(5)
  }
})

test('the demo upgrades its own store', async () => {
  using store = new OldStore()
  await using service = await DemoService.start(store.environment, {
    path: store.file('.'),
    [Symbol.dispose]: () => {},
  })
  expect((await fetch(`${service.url}/reference?cpt=99213&region=US-NY-02&as_of=2026-11-15`)).status).toBe(200)
})

test('a store of this form has nothing to upgrade', async () => {
  await using service = await DemoService.start()
  expect(await service.atr(['upgrade'])).toEqual({
    code: 0,
    out: 'nothing to do: no release of this store has an older form\n',
    err: '',
  })
})
