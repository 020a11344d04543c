import { expect, spyOn, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyAll } from '../../src/cli/backup.ts'
import { UsageFault } from '../../src/cli/command.ts'
import { recheck } from '../../src/cli/fsck.ts'
import { restore } from '../../src/cli/restore.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createInstallation, type Installation, openInstallation } from '../../src/installation.ts'
import { retireOldKeys, rotateKeys } from '../../src/integrity/key-rotation.ts'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { formatPolicy, parsePolicy } from '../../src/proof/note/policy.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { moveProvider } from '../../src/registry/release/provider-move.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { findRelease } from '../../src/registry/release/store.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { stateIfDue } from '../../src/registry/state/state.ts'
import { aPrice, aRelease, type TestRelease } from '../support/builders.ts'
import { DEFAULT_ENGINE, ENGINES, type Engine, storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { releaseFile } from '../support/release-file.ts'

const NOW = Date.parse('2026-01-15T12:00:00Z')
const DAY = 86_400_000
const [ONE, TWO] = ['1234567893', '1457394567'] as const

/** An installation that is opened for each thing that is done to it, as commands do. */
class Registry {
  #checks = 0
  private constructor(
    readonly folder: ReturnType<typeof temporaryFolder>,
    readonly config: Config,
  ) {}

  get backup(): string {
    return join(this.folder.path, 'backup.db')
  }

  static async create(engine: Engine = DEFAULT_ENGINE): Promise<Registry> {
    const folder = temporaryFolder()
    const registry = new Registry(folder, readConfig(await storeEnvironment(join(folder.path, 'data'), engine)))
    await createInstallation(registry.config, { origin: 'old.example', now: NOW }, async () => undefined)
    return registry
  }

  async do<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
    const installation = await openInstallation(this.config)
    try {
      return await work(installation)
    } finally {
      await installation.db.close()
    }
  }

  publish({ rows, ...release }: TestRelease, now = NOW): Promise<string> {
    return this.do(async ({ db, registryLog: log, cosign }) => {
      const { release_id } = (await stage(db, release, rows, new Map(), now)).release
      await publish({ db, log, cosign }, release_id, now, overrideAll('sample_data'))
      return release_id
    })
  }
  nextDay(now = NOW + DAY): Promise<boolean> {
    return this.do(({ db, registryLog: log, cosign }) => stateIfDue({ db, log, cosign }, now))
  }
  keep(file = this.backup): ReturnType<typeof copyAll> {
    return this.do(({ db }) => copyAll(db, file))
  }
  /** What was signed, without its signatures. */
  head(): Promise<string> {
    return this.do(async ({ db, registryLog }) => (await registryLog.head(db)).note.split('\n\n')[0] ?? '')
  }
  /** Of the files in its folder, and of the schemas in its database. */
  async names(): Promise<string[]> {
    const { DATABASE_URL, storeFile } = this.config
    const schemas = DATABASE_URL
      ? await this.do(({ db }) => db.query<{ nspname: string }>('SELECT nspname FROM pg_namespace'))
      : []
    return [...readdirSync(dirname(storeFile)), ...schemas.map(({ nspname }) => nspname)]
  }
  faults(): Promise<string[]> {
    return this.do(async (installation) => (await recheck(installation, NOW + this.#checks++)).faults)
  }

  async restore(...options: string[]): Promise<Record<string, unknown>> {
    const file = options[0]?.endsWith('.db') ? [] : [this.backup]
    const printed: string[] = []
    const log = spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
    try {
      await restore.run([...file, '--json', ...options], this.config)
      return JSON.parse(printed.join('')) as Record<string, unknown>
    } finally {
      log.mockRestore()
    }
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]()
  }
}

const hospital = (npi: string, npis: readonly string[]): TestRelease =>
  aRelease({
    chart: `hospital-mrf:${npi}`,
    rows: npis.map((each) => aPrice({ npi: each, basis: 'hospital_cash', code: '99213' })),
    providers: [...npis],
  })

const ACCEPTED = ['--accept-rollback', '--reason', 'disk_failure', '--origin', 'new.example']

test.each(ENGINES.map((engine) => [engine]))(
  'on %s a backup from before the daily state is restored, and comes to the very tree that was signed',
  async (engine) => {
    using registry = await Registry.create(engine)
    await registry.publish(aRelease())
    await registry.keep()
    await registry.nextDay()
    await registry.nextDay(NOW + 2 * DAY)
    const signed = await registry.head()
    expect(await registry.restore()).toMatchObject({ added: { registry: 2, figures: 0 } })
    expect([await registry.head(), await registry.faults()]).toEqual([signed, []])
    // It goes on from there.
    expect(await registry.nextDay(Date.now() + 9 * DAY)).toBe(true)
    expect(await registry.faults()).toEqual([])
  },
)

test('a withdrawal and a move after the backup are done again', async () => {
  using registry = await Registry.create()
  const first = await registry.publish(aRelease())
  await registry.publish(hospital(ONE, [ONE, TWO]))
  await registry.publish(hospital(TWO, [TWO]))
  await registry.keep()
  await registry.do(async ({ db, registryLog: log, cosign }) => {
    await withdraw({ db, log, cosign }, first, 'wrong_source', NOW)
    await moveProvider({ db, log, cosign }, { npi: TWO, chart: `hospital-mrf:${TWO}` }, 'owner_changed', NOW)
  })
  const signed = await registry.head()
  expect(await registry.restore()).toMatchObject({ added: { registry: 4 } })
  expect(await registry.do(async ({ db }) => (await findRelease(db, first))?.state)).toBe('withdrawn')
  expect([await registry.head(), await registry.faults()]).toEqual([signed, []])
})

/** Exit code 1: the backup is not valid here, and the installation is sound. */
const refused = (why: string) => ({ code: 'invalid_parameter', detail: expect.stringContaining(why) })

test('a backup from before a publication is refused, and its history ends only if the operator accepts that', async () => {
  using registry = await Registry.create()
  await registry.publish(aRelease())
  await registry.keep()
  await registry.publish(aRelease({ edition: 'LATER' }))
  const [signed, policy] = [await registry.head(), await registry.do(policyOf)]
  await expect(registry.restore()).rejects.toMatchObject(
    refused(
      '2 entries of the registry log were signed after this backup and cannot be added again: its rows are not in the backup: cms-pfs:LATER:1',
    ),
  )
  expect([await registry.head(), await registry.faults()]).toEqual([signed, []])

  expect(await registry.restore(...ACCEPTED)).toMatchObject({
    added: { registry: 0, figures: 0 },
    ended: { origin: 'old.example', reason: 'disk_failure', lost: { registry: 2, figures: 0 } },
  })
  expect(await registry.head()).toStartWith('new.example/log/registry\n3\n')
  expect(await registry.faults()).toEqual([])
  await registry.publish(aRelease({ edition: 'LATER' }), Date.now() + DAY)
  expect(await registry.faults()).toEqual([])
  // Who pinned the old keys believes nothing that is signed now, so nobody is shown a fork.
  const now = await registry.do(async ({ db, registryLog }) => (await registryLog.head(db)).note)
  expect(await openCheckpoint(now, policy)).toEqual({ ok: false, class: 'wrong_key', reason: 'note_unsigned' })
  expect((await openCheckpoint(now, await registry.do(policyOf))).ok).toBe(true)
  // What was signed last, and by which keys, is kept for those who ask.
  const { lockDir } = registry.config
  const history = JSON.parse(readFileSync(join(lockDir, 'history.json'), 'utf8')) as { last: { registry: string } }
  expect(history.last.registry).toStartWith(signed)
  const names = [...readdirSync(dirname(lockDir)), ...(await registry.names())].join(' ')
  for (const aside of [/data\.lock\.ended-/, /log-keys\.ended-/, /(registry\.db\.|atr_)replaced[-_]/])
    expect(names).toMatch(aside)
})

const policyOf = async ({ registryLog, figuresLog }: Installation) => {
  const policy = parsePolicy(formatPolicy([registryLog, figuresLog].flatMap(({ signers }) => signers)))
  if (!policy) throw new Error('the policy cannot be read')
  return policy
}

test('entries beside the lock that are missing, cut short or altered are not added', async () => {
  using registry = await Registry.create()
  await registry.keep()
  await registry.nextDay()
  const file = join(registry.config.lockDir, 'registry.entries')
  const kept = readFileSync(file, 'utf8')
  const other = Buffer.from(kept.match(/"body":"([^"]+)"\}$/)?.[1] ?? '', 'base64')
    .toString()
    .replace('T12:', 'T11:')
  for (const [text, why] of [
    ['', 'they are not kept beside the checkpoint lock'],
    [kept.slice(0, -5), 'they are not kept beside the checkpoint lock'],
    [
      `${kept}\n${JSON.stringify({ index: 1, body: Buffer.from(other).toString('base64') })}`,
      'are not those of the registry log',
    ],
    [`${kept}\n{"index":1,"body":"e30="}`, 'an entry is not one that this log has'],
  ] as const) {
    writeFileSync(file, text)
    const said = await registry.restore().catch((error: Error & { detail?: string }) => error.detail ?? error.message)
    expect(said).toContain(why)
  }
  writeFileSync(file, kept)
  expect(await registry.restore()).toMatchObject({ added: { registry: 1 } })
})

test('a backup from before a rotation needs the log keys from before the old ones were retired', async () => {
  using registry = await Registry.create()
  const { signingKeyFile } = registry.config
  const keys = (change: typeof rotateKeys | typeof retireOldKeys) =>
    registry.do<unknown>(({ db, registryLog, figuresLog, keyFile }) => change(db, [registryLog, figuresLog], keyFile))
  await registry.keep()
  await keys(rotateKeys)
  const both = readFileSync(signingKeyFile)
  const between = join(registry.folder.path, 'between.db')
  await registry.keep(between)
  await keys(retireOldKeys)
  await registry.nextDay()
  await expect(registry.restore()).rejects.toThrow(
    'the registry log was signed with a key that is retired now: this backup needs the log-keys from before `atr log retire-key`',
  )
  // One from after the rotation is signed by the new keys too.
  expect(await registry.restore(between)).toMatchObject({ added: { registry: 1 } })

  writeFileSync(signingKeyFile, both)
  expect(await registry.restore()).toMatchObject({ added: { registry: 1 } })
  await keys(rotateKeys)
  await keys(retireOldKeys)
  expect(await registry.faults()).toEqual([])
})

test('a rollback is accepted only where one is needed, with a reason and a new name', async () => {
  using registry = await Registry.create()
  await registry.keep()
  await expect(registry.restore(...ACCEPTED)).rejects.toMatchObject(refused('nothing is lost with this backup'))
  for (const options of [
    ['--accept-rollback'],
    ['--accept-rollback', '--reason', 'because', '--origin', 'new.example'],
    ['--accept-rollback', '--reason', 'attack', '--origin', 'https://new.example'],
    ['--reason', 'attack'],
  ])
    await expect(registry.restore(...options)).rejects.toBeInstanceOf(UsageFault)
  expect(await registry.restore()).toMatchObject({ added: { registry: 0 } })
  writeFileSync(registry.backup, 'not a store')
  const before = await registry.head()
  await expect(registry.restore()).rejects.toThrow('damaged')
  expect([await registry.head(), existsSync(`${registry.config.storeFile}.restoring`)]).toEqual([before, false])
})

test('backups in one folder share the release files, and a restore puts back what is missing or damaged', async () => {
  using registry = await Registry.create()
  await registry.publish(aRelease({ edition: 'A', rows: [aPrice()] }))
  expect(await registry.keep()).toMatchObject({ releases: 1, copied: 1 })
  await registry.publish(aRelease({ edition: 'B', effective_from: '2026-02-01', rows: [aPrice({ code: '99999' })] }))
  expect(await registry.keep(join(registry.folder.path, 'second.db'))).toMatchObject({ releases: 2, copied: 1 })
  expect(readdirSync(join(registry.folder.path, 'releases'))).toHaveLength(2)

  const [gone, damaged] = [await releaseFile(registry.config, 1), await releaseFile(registry.config, 2)]
  rmSync(gone)
  truncateSync(damaged, 5_000)
  await expect(registry.do(async () => undefined)).rejects.toThrow('the file of release cms-pfs:A:1 is missing')
  await registry.restore(join(registry.folder.path, 'second.db'))
  expect(await registry.faults()).toEqual([])
})

test('a backup without a file that it names is refused, and nothing is changed', async () => {
  using registry = await Registry.create()
  await registry.publish(aRelease())
  await registry.keep()
  rmSync(join(registry.folder.path, 'releases'), { recursive: true })
  // The files of the installation itself are as good.
  expect(await registry.restore()).toMatchObject({ added: { registry: 0 } })
  const file = await releaseFile(registry.config, 1)
  renameSync(file, `${file}.lost`)
  await expect(registry.restore()).rejects.toMatchObject(refused('neither whole beside this backup nor in RELEASES'))
  renameSync(`${file}.lost`, file)
  expect(await registry.faults()).toEqual([])
})

test('a release whose file is lost is not in a backup that looks whole', async () => {
  using registry = await Registry.create()
  await registry.publish(aRelease())
  rmSync(await releaseFile(registry.config, 1))
  await expect(registry.keep()).rejects.toThrow('the file of release cms-pfs:TEST1:1 is missing')
  expect(existsSync(registry.backup)).toBe(false)
})
