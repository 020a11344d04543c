import { expect, test } from 'bun:test'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { type App, makeApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, type Installation, openInstallation } from '../../src/installation.ts'
import type { Publisher } from '../../src/integrity/publication.ts'
import { WitnessFault } from '../../src/integrity/witness-client.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { parsePolicy, type TrustPolicy, verifyBody, viewedAt } from '../../src/proof/verify-lists.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { scheduleStates } from '../../src/registry/state/state.ts'
import { type RunningWitness, startWitness } from '../../tools/witness/serve.ts'
import { createWitness } from '../../tools/witness/witness-key.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { DEFAULT_ENGINE, type Engine, storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/harness.ts'
import { ATR, atr } from '../support/service.ts'

const ASKED = { question: { cpt: 'G0101', as_of: '2026-11-15' } }
const NOW = Date.parse('2026-11-15T12:00:00Z')

/** A service and two witnesses that follow it, each on a folder and a port of its own. */
class Watched {
  readonly folder = temporaryFolder()
  readonly witnesses: RunningWitness[] = []
  /** What the witnesses' clocks show. */
  now = NOW

  constructor(readonly engine: Engine = DEFAULT_ENGINE) {}

  environment(data = 'data'): ReturnType<typeof storeEnvironment> {
    return storeEnvironment(this.pathOf(data), this.engine)
  }

  pathOf(name: string): string {
    return join(this.folder.path, name)
  }

  async create(): Promise<void> {
    const config = readConfig(await this.environment())
    await createInstallation(config, { origin: 'watched.example', now: NOW }, async () => undefined)
    for (const name of ['one', 'two']) createWitness(this.pathOf(name), `witness.example/${name}`)
    for (const name of ['one', 'two']) this.witnesses.push(await this.startWitness(name))
  }

  async startWitness(name: string): Promise<RunningWitness> {
    const { db, registryLog, figuresLog } = await openInstallation(readConfig(await this.environment()))
    await db.close()
    return startWitness({
      dir: this.pathOf(name),
      logs: [...registryLog.keys, ...figuresLog.keys],
      now: () => this.now,
    })
  }

  /** The installation, publishing with these witnesses. */
  async open(witnesses = this.witnesses, data = 'data'): Promise<Installation> {
    const WITNESSES = witnesses.map(({ vkey, url }) => `${vkey} ${url}`).join(', ')
    return openInstallation(
      readConfig({ ...(await this.environment(data)), LOCK_DIR: this.pathOf(`${data}.lock`), WITNESSES }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const witness of this.witnesses) await witness.stop()
    this.folder[Symbol.dispose]()
  }
}

async function publishOne({ db, registryLog, cosign }: Installation, edition: string): Promise<void> {
  const release = aRelease({
    edition,
    rows: [aPrice({ price: { amount: '1.00', currency: 'USD' } }), aPrice({ code: edition })],
  })
  const staged = await stage(db, release, release.rows, new Map(), NOW)
  await publish({ db, log: registryLog, cosign }, staged.release.release_id, NOW, overrideAll('sample_data'))
}

const appOf = (installation: Installation): App =>
  makeApp(installation, {
    baseUrl: () => 'https://watched.example',
    now: () => NOW,
    limits: { default_rpm: 1, reference_rpm: 1, log_rpm: 1, enabled: false },
    observe: () => {},
  })

const get = async (installation: Installation, path: string): Promise<string> =>
  (await appOf(installation).fetch(new Request(`https://watched.example${path}`), '192.0.2.1')).text()

const reportOf = async (installation: Installation): Promise<unknown> =>
  appOf(installation)
    .operations.find(({ name }) => name === 'get_data_integrity')
    ?.run({}, {})

test('with a quorum of two, a proof verifies only with both cosignatures', async () => {
  await using watched = new Watched()
  await watched.create()
  const installation = await watched.open()
  await publishOne(installation, 'G0001')
  await publishOne(installation, 'G0002')
  const policy = parsePolicy(await get(installation, '/log/policy')) as TrustPolicy
  expect(policy).toMatchObject({ quorum: 'witnesses', groups: [{ threshold: 2 }] })
  const body = await get(installation, '/reference?cpt=G0101')
  expect(await verifyBody(body, policy, ASKED)).toMatchObject({ ok: true, rows: [{ row: { code: 'G0101' } }] })
  expect(await reportOf(installation)).toMatchObject({ proofs: { witnesses: 2 } })

  const row = JSON.parse(body) as { proof: { log: { checkpoint: string } } }
  const lines = row.proof.log.checkpoint.split('\n')
  for (const name of ['one', 'two']) {
    const checkpoint = lines.filter((line) => !line.startsWith(`\u2014 witness.example/${name} `)).join('\n')
    expect(checkpoint.length).toBeLessThan(row.proof.log.checkpoint.length)
    const stripped = { ...row, proof: { ...row.proof, log: { ...row.proof.log, checkpoint } } }
    const refused = await verifyBody(JSON.stringify(stripped), policy, ASKED)
    expect(refused).toEqual({ ok: false, class: 'wrong_key', reason: 'quorum_not_met' })
  }
  await installation.db.close()
})

test('a witness that is down holds up what is new for no longer than its budget, and nothing that is old', async () => {
  await using watched = new Watched()
  await watched.create()
  const installation = await watched.open()
  await publishOne(installation, 'G0001')
  await watched.witnesses[1]?.stop()
  const started = performance.now()
  await expect(publishOne(installation, 'G0002')).rejects.toThrow(
    /waits for its witnesses: 1 of 2 have cosigned \(witness\.example\/two unreachable\)/,
  )
  expect(performance.now() - started).toBeLessThan(10_000)
  expect(await get(installation, '/reference?cpt=G0001')).toContain('"edition":"G0001"')
  expect(await get(installation, '/reference?cpt=G0002&basis=medicare_pfs')).toContain('not_on_schedule')
  await installation.db.close()

  // It comes back, on another port: the next command makes public what was held up.
  watched.witnesses[1] = await watched.startWitness('two')
  const later = await watched.open()
  expect(await get(later, '/reference?cpt=G0002')).toContain('"edition":"G0002"')
  expect((await later.registryLog.head(later.db)).size).toBe(5)
  await later.db.close()
})

test('a witness that has seen another history stops publishing, and says why', async () => {
  // The file of the store is copied.
  await using watched = new Watched('sqlite')
  await watched.create()
  // A copy of the store publishes something else, and only the second witness sees it.
  cpSync(watched.pathOf('data'), watched.pathOf('copy'), { recursive: true })
  cpSync(watched.pathOf('data.lock'), watched.pathOf('copy.lock'), { recursive: true })
  const copy = await watched.open(watched.witnesses.slice(1), 'copy')
  await publishOne(copy, 'G0009')
  await copy.db.close()

  const installation = await watched.open()
  const refused = publishOne(installation, 'G0001')
  await expect(refused).rejects.toThrow(
    'publishing has stopped: the witness witness.example/two shows a checkpoint that the key of the registry log signed and this store does not have',
  )
  await expect(refused).rejects.toBeInstanceOf(WitnessFault)
  expect(await get(installation, '/reference?cpt=G0001')).toContain('no_edition_for_day')
  await expect(publishOne(installation, 'G0002')).rejects.toThrow('publishing has stopped')
  await installation.db.close()
})

test('a witness that is behind is sent the proof from where it stands', async () => {
  await using watched = new Watched()
  await watched.create()
  const alone = await watched.open(watched.witnesses.slice(0, 1))
  for (const edition of ['G0001', 'G0002', 'G0003']) await publishOne(alone, edition)
  await alone.db.close()
  const both = await watched.open()
  for (const edition of ['G0004', 'G0005']) await publishOne(both, edition)
  const policy = parsePolicy(await get(both, '/log/policy')) as TrustPolicy
  expect(await verifyBody(await get(both, '/reference?cpt=G0101'), policy, ASKED)).toMatchObject({ ok: true })
  await both.db.close()
})

test('witnesses that are named later cosign what is public already', async () => {
  await using watched = new Watched()
  await watched.create()
  const before = await watched.open([])
  await publishOne(before, 'G0001')
  await before.db.close()
  const after = await watched.open()
  const policy = parsePolicy(await get(after, '/log/policy')) as TrustPolicy
  expect(await verifyBody(await get(after, '/reference?cpt=G0101'), policy, ASKED)).toMatchObject({
    ok: true,
    decisions: [{ outcome: 'price' }],
  })
  await after.db.close()
})

test('while it serves, witnesses cosign both logs daily, also the one in which nothing changes', async () => {
  await using watched = new Watched()
  await watched.create()
  const { db, registryLog, figuresLog, cosign } = await watched.open()
  const times = async () => {
    const policy = parsePolicy(
      formatPolicy(
        [registryLog, figuresLog].flatMap(({ signers }) => signers),
        keys,
      ),
    )
    const heads = await Promise.all([registryLog, figuresLog].map((log) => log.head(db)))
    return Promise.all(heads.map(({ note }) => viewedAt(note, policy as TrustPolicy, null)))
  }
  const keys = watched.witnesses.map(({ witness }) => witness.key)
  const day = (count: number): string => new Date(NOW + count * 86_400_000).toISOString()
  expect(await times()).toEqual([day(0), day(0)])
  const faults: unknown[] = []
  for (const count of [1, 2]) {
    watched.now = NOW + count * 86_400_000
    const [registry, figures] = [registryLog, figuresLog].map((log) => ({ db, log, cosign })) as [Publisher, Publisher]
    const job = scheduleStates(
      registry,
      [figures],
      () => watched.now + 1_000,
      ({ fault }) => faults.push(fault),
    )
    await job.stop()
    expect(await times()).toEqual([day(count), day(count)])
  }
  expect(faults).toEqual([])
  expect((await figuresLog.head(db)).size).toBe(1)
  await db.close()
})

test('on the command line, the age of a checkpoint is what its witnesses say, and unknown without them', async () => {
  await using watched = new Watched()
  watched.now = Date.now() - 5 * 3_600_000
  await watched.create()
  const installation = await watched.open()
  const file = (name: string, text: string): string => {
    writeFileSync(watched.pathOf(name), text)
    return watched.pathOf(name)
  }
  const note = file('checkpoint', await get(installation, '/log/figures/checkpoint'))
  const text = await get(installation, '/log/policy')
  const policy = file('policy', text)
  const alone = file('alone', text.replaceAll(/^(witness|group|quorum) .*\n/gm, '').concat('quorum none\n'))
  await installation.db.close()
  const verified = async (...args: string[]): Promise<string> =>
    (await atr(['verify', note, ...args])).out.split('\n')[0] ?? ''
  expect(await verified('--policy', policy, '--max-age', '6h')).toBe('ok')
  expect(await verified('--policy', policy, '--max-age', '4h')).toBe('failed: state_too_old')
  expect(await verified('--policy', alone, '--max-age', '9999d')).toBe('failed: state_too_old')
  expect(await verified('--policy', alone)).toBe('ok')
})

test('a witness run from the command line keeps what it has seen when it is killed', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const dir = join(folder.path, 'witness')
  expect((await atr(['init', '--origin', 'watched.example'], env)).code).toBe(0)
  const { keys } = JSON.parse((await atr(['log', 'keys', '--json'], env)).out) as { keys: string[] }
  const { out } = await atr(['witness', 'init', '--dir', dir, '--name', 'witness.example/cli', '--json'])
  const vkey = /witness\.example\/cli\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+/.exec(out)?.[0] as string
  const serve = async () => {
    const logs = keys.flatMap((key) => ['--log', key])
    const child = spawn([...ATR, 'witness', 'serve', '--dir', dir, ...logs, '--port', '0'], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const reader = child.stdout.getReader()
    const said = new TextDecoder().decode((await reader.read()).value)
    return { child, url: /http:\/\/\S+/.exec(said)?.[0] as string }
  }
  const publishing = (edition: string, url: string) =>
    atr(
      [
        'load',
        'cms-clfs',
        'sample/CLFS-SAMPLE26Q4.csv',
        '--edition',
        edition,
        '--effective-from',
        '2026-11-01',
        '--sample',
        '--publish',
        '--override',
        'r11_overlap',
        '--reason',
        'sample_data',
      ],
      { ...env, WITNESSES: `${vkey} ${url}` },
    )
  const first = await serve()
  expect((await publishing('ONE', first.url)).code).toBe(0)
  first.child.kill('SIGKILL')
  await first.child.exited
  expect(await publishing('TWO', first.url)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /refused: not_cosigned: .* waits for its witnesses: .*, and `atr log publish` tries again/,
    ),
  })

  const listed = await atr(['release', 'list', '--json'], { ...env, WITNESSES: `${vkey} ${first.url}` })
  expect((JSON.parse(listed.out) as { state: string }[]).map(({ state }) => state)).toEqual(['published', 'waiting'])

  const second = await serve()
  expect(await atr(['log', 'publish'], { ...env, WITNESSES: `${vkey} ${second.url}` })).toMatchObject({
    code: 0,
    out: expect.stringContaining('the registry log is public up to 5 entries'),
  })
  second.child.kill('SIGTERM')
  expect(await second.child.exited).toBe(0)
})
