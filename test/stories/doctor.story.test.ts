import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { dayOf } from '../../src/calendar.ts'
import { SourceArchive } from '../../src/citations/archive.ts'
import { checkCitations } from '../../src/citations/check.ts'
import { recheck } from '../../src/cli/fsck.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { markWhole, setAside } from '../../src/db/store-place.ts'
import { type Examination, examine } from '../../src/doctor/examination.ts'
import { FINDINGS, type FindingCode } from '../../src/doctor/finding.ts'
import { createInstallation, type Installation, openInstallation, openUnchecked } from '../../src/installation.ts'
import { WitnessFault } from '../../src/integrity/witness-client.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { createKey } from '../../src/rails/keys.ts'
import { citedSources } from '../../src/registry/catalogue/citations.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { createWitness } from '../../tools/witness/witness-key.ts'
import { aPrice, aRelease, type TestRelease } from '../support/builders.ts'
import { type Engine, onSqlite, storeEnvironment, testOnPostgres } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { manual } from '../support/manual.ts'
import { ATR, atr } from '../support/service.ts'

const NOW = Date.now()
const SOURCE = 'code,amount\n99213,95.19\n'
const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The publisher of the cited file. */
const publisher = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(SOURCE) })
/** Somebody whose clock shows tomorrow. */
const ahead = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(null, { status: 404, headers: { date: new Date(NOW + 86_400_000).toUTCString() } }),
})
const folders: { [Symbol.dispose](): void }[] = []
afterAll(async () => {
  await Promise.all([publisher.stop(true), ahead.stop(true)])
  for (const folder of folders) folder[Symbol.dispose]()
})

const cited = (url = `http://127.0.0.1:${publisher.port}/fees.csv`): TestRelease['citations'] => [
  {
    title: 'A schedule',
    url,
    file: 'fees.csv',
    sha256: sha256(SOURCE),
    bytes: SOURCE.length,
    media_type: 'text/csv',
    retrieved_at: '2026-01-01T00:00:00Z',
  },
]
/** The first day of the quarter: an edition from then on is fresh, whenever the tests run. */
const QUARTER = dayOf(Date.UTC(new Date(NOW).getUTCFullYear(), Math.floor(new Date(NOW).getUTCMonth() / 3) * 3, 1))
const laboratory = (more: Partial<TestRelease>): TestRelease =>
  aRelease({ chart: 'cms-clfs', citations: cited(), rows: [aPrice({ basis: 'medicare_clfs' })], ...more })

const rental = (region: string) =>
  aPrice({ code: 'E0601', basis: 'medicare_dmepos', setting: 'non_rural', modifier: 'RR', region })

/** An installation in a folder of its own, and what may be done to it. */
class Patient {
  constructor(
    readonly folder: string,
    readonly environment: Record<string, string>,
  ) {}

  get config(): Config {
    return readConfig(this.environment)
  }

  pathOf(name: string): string {
    return join(this.folder, name)
  }

  with(more: Record<string, string>): Patient {
    return new Patient(this.folder, { ...this.environment, ...more })
  }

  /** Works on it as a command would. */
  async opened(work: (installation: Installation) => Promise<unknown>): Promise<void> {
    const installation = await openInstallation(this.config)
    try {
      await work(installation)
    } finally {
      await installation.db.close()
    }
  }

  publish(...releases: TestRelease[]): Promise<void> {
    return this.opened(async (installation) => {
      for (const { rows, ...release } of releases) await publishOne(installation, release, rows)
    })
  }
}

async function publishOne(
  { db, registryLog, cosign }: Installation,
  release: Omit<TestRelease, 'rows'>,
  rows: TestRelease['rows'],
): Promise<void> {
  const staged = await stage(db, release, rows, new Map(), NOW)
  const overrides = overrideAll('verified_by_operator')
  await publish({ db, log: registryLog, cosign }, staged.release.release_id, NOW, overrides)
}

/** An installation is copied with its store, and harmed there. */
const FILES: Engine = onSqlite('the store of an installation is copied and harmed')

/** Everything is as it should be: a chart in force, its source looked at and copied, everything verified. */
async function sound(engine = FILES, now = NOW): Promise<Patient> {
  const folder = temporaryFolder()
  folders.push(folder)
  const store = await storeEnvironment(join(folder.path, 'data'), engine)
  const patient = new Patient(folder.path, { ...store, ARCHIVE: join(folder.path, 'archive'), PORT: '0' })
  await createInstallation(patient.config, { origin: 'registry.example', now }, async (made) => {
    const { rows, ...release } = aRelease({ citations: cited(), effective_from: QUARTER })
    const staged = await stage(made.db, release, rows, new Map(), now)
    const { release_id } = staged.release
    await publish({ ...made, log: made.registryLog }, release_id, now, overrideAll('verified_by_operator'))
    const parts = {
      db: made.db,
      now: () => NOW,
      cited: () => citedSources(made.db, dayOf(NOW)),
      isSuccessor: () => false,
      archive: SourceArchive.at(patient.pathOf('archive')),
      outgoing: { loopback: true },
    }
    await checkCitations(parts, true, () => undefined)
    await recheck(made, NOW)
  })
  return patient
}

const original = await sound()

/** A copy of the sound one, to be harmed. */
function copied(): Patient {
  const folder = temporaryFolder()
  folders.push(folder)
  cpSync(original.folder, folder.path, { recursive: true, preserveTimestamps: true })
  const moved = Object.entries(original.environment).map(([name, value]) => [
    name,
    value.replace(original.folder, folder.path),
  ])
  return new Patient(folder.path, Object.fromEntries(moved) as Record<string, string>)
}

/** Every file with its bytes, mode and time of change. */
const photograph = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path} ${statSync(path).mode} ${statSync(path).mtimeMs} ${sha256(readFileSync(path))}`)

/** What is found, after it was made sure that looking changed nothing and that no secret is told. */
async function examined(patient: Patient): Promise<Examination> {
  const before = photograph(patient.folder)
  const examination = await examine(patient.config, NOW)
  expect(photograph(patient.folder)).toEqual(before)
  const told = JSON.stringify(examination)
  for (const file of ['log-keys', 'pepper'])
    for (const word of readFileSync(patient.pathOf(`data/${file}`), 'utf8').split(/[\s+]+/))
      if (word.length > 24) expect(told).not.toContain(word)
  return examination
}

test('a sound installation has nothing that is to be looked after', async () => {
  const { status, findings, report, listener } = await examined(original)
  expect(findings).toEqual([])
  expect([status, listener, report?.status]).toEqual(['ok', 'nobody', 'ok'])
})

/** What is done to a sound installation, and what then must be said: its level, and a word that tells where. */
const HARMED: Record<
  string,
  { code: FindingCode; level: 'fail' | 'warn'; says: string; make: () => Promise<Patient> }
> = {
  'the checkpoint lock is missing': {
    code: 'lock_missing',
    level: 'fail',
    says: 'registry log',
    make: async () => {
      const patient = copied()
      rmSync(patient.pathOf('data.lock/registry'))
      return patient
    },
  },
  'the store was moved to another place': {
    code: 'store_moved',
    level: 'fail',
    says: 'the store was moved from here',
    make: async () => {
      const patient = copied()
      await setAside({ file: patient.pathOf('data/registry.db') }, 'moved', NOW)
      return patient
    },
  },
  'a move to this place was interrupted': {
    code: 'move_interrupted',
    level: 'fail',
    says: 'a move of the store to this place was interrupted',
    make: async () => {
      const patient = copied()
      const place = { file: patient.pathOf('data/registry.db') }
      await markWhole(place, place)
      return patient
    },
  },
  'others can read the log keys': {
    code: 'secrets_readable',
    level: 'fail',
    says: 'log-keys',
    make: async () => {
      const patient = copied()
      chmodSync(patient.pathOf('data/log-keys'), 0o644)
      return patient
    },
  },
  'a chart has run out': {
    code: 'chart_expired',
    level: 'fail',
    says: 'cms-clfs:TEST1:1 ended on 2026-03-31, and lookups are refused; the next edition was expected by 2026-04-16',
    make: async () => {
      const patient = copied()
      await patient.publish(laboratory({ effective_to: '2026-03-31' }))
      return patient
    },
  },
  'a chart was given a later last day, and its next edition is long overdue': {
    code: 'chart_expired',
    level: 'fail',
    says: 'cms-clfs:TEST1:1 is in force until 2099-12-31, but is out of date: the next edition was expected by 2026-04-16',
    make: async () => {
      const patient = copied()
      await patient.publish(laboratory({ effective_to: '2099-12-31' }))
      return patient
    },
  },
  'an edition is missing between two others': {
    code: 'gap',
    level: 'warn',
    says: 'cms-clfs has no edition from 2026-04-01 to 2026-06-30, 91 days',
    make: async () => {
      const patient = copied()
      const later = { edition: 'TEST2', effective_from: '2026-07-01' }
      await patient.publish(laboratory({ effective_to: '2026-03-31' }), laboratory(later))
      return patient
    },
  },
  'ZIP codes were loaded without a list of the equipment schedule': {
    code: 'equipment_lists_missing',
    level: 'warn',
    says: 'zip-locality:TEST1:1 does not say which ZIP codes are in bidding areas; cms-dmepos:TEST1:1 has no fees of bidding areas',
    make: async () => {
      const patient = copied()
      const places = [{ ...aPlace('60611', 'US-IL-16'), rural: false }]
      await patient.publish(
        aRelease({ chart: 'cms-dmepos', citations: cited(), rows: [rental('US-IL')], effective_from: QUARTER }),
        aRelease({ chart: 'zip-locality', citations: cited(), rows: places, effective_from: QUARTER }),
      )
      return patient
    },
  },
  'the fees of bidding areas are of other areas than the ZIP codes': {
    code: 'equipment_lists_missing',
    level: 'warn',
    says: 'cms-dmepos:TEST1:1 has no fees of 1 of the 2 bidding areas of the ZIP codes',
    make: async () => {
      const patient = copied()
      const areas = ['CBA-0A1B2C3D', 'CBA-FFFFFFFF', null]
      const places = areas.map((bidding_area, i) => ({
        ...{ ...aPlace(`6061${i}`, 'US-IL-16'), rural: false },
        bidding_area,
      }))
      const rows = [rental('CBA-0A1B2C3D'), rental('US-IL')]
      await patient.publish(
        aRelease({ chart: 'cms-dmepos', citations: cited(), rows, effective_from: QUARTER }),
        aRelease({ chart: 'zip-locality', citations: cited(), rows: places, effective_from: QUARTER }),
      )
      return patient
    },
  },
  'a staged release is held': {
    code: 'release_held',
    level: 'warn',
    says: 'cms-clfs:TEST1:1 is staged and held: no_url',
    make: async () => {
      const patient = copied()
      const { rows, ...release } = laboratory({ citations: cited('') })
      await patient.opened(({ db }) => stage(db, release, rows, new Map(), NOW))
      return patient
    },
  },
  'a witness is silent': {
    code: 'witness_silent',
    level: 'fail',
    says: 'witness.example/one has not cosigned the public checkpoint, and does not answer',
    make: async () => {
      const patient = copied()
      const vkey = createWitness(patient.pathOf('witness'), 'witness.example/one')
      const watched = patient.with({ WITNESSES: `${vkey} http://127.0.0.1:9`, WITNESS_RETRIES: '0' })
      await watched.publish(laboratory({})).catch((error: unknown) => expect(error).toBeInstanceOf(WitnessFault))
      return watched
    },
  },
  'a disk is nearly full': {
    code: 'disk_nearly_full',
    level: 'fail',
    says: 'DATA_DIR',
    make: async () => copied().with({ DISK_FREE_BYTES: String(4 * 1024 ** 5) }),
  },
  'the clock is wrong': {
    code: 'clock_wrong',
    level: 'fail',
    says: 'registry log',
    make: () => sound(FILES, NOW + 86_400_000),
  },
  'the clock is not that of the witnesses': {
    code: 'clock_wrong',
    level: 'fail',
    says: 'witness.example/ahead',
    make: async () => {
      const patient = copied()
      const vkey = createWitness(patient.pathOf('witness'), 'witness.example/ahead')
      return patient.with({ WITNESSES: `${vkey} http://127.0.0.1:${ahead.port}`, WITNESS_QUORUM: '0' })
    },
  },
  'another program has the port': {
    code: 'port_taken',
    level: 'fail',
    says: 'port',
    make: async () => copied().with({ PORT: String(publisher.port) }),
  },
  'the store was written by a newer version': {
    code: 'store_newer',
    level: 'fail',
    says: 'newer version',
    make: async () => {
      const patient = copied()
      using store = new Database(patient.pathOf('data/registry.db'))
      store.run('INSERT INTO schema_version (version) VALUES (9999)')
      return patient
    },
  },
  'the store was written by an older version': {
    code: 'store_older',
    level: 'warn',
    says: 'older version',
    make: async () => {
      const patient = copied()
      using store = new Database(patient.pathOf('data/registry.db'))
      store.run('DELETE FROM schema_version WHERE version = (SELECT MAX(version) FROM schema_version)')
      return patient
    },
  },
  'a copy in the archive is damaged': {
    code: 'archive_damaged',
    level: 'fail',
    says: 'fees.csv',
    make: async () => {
      const patient = copied()
      const name = sha256(SOURCE)
      writeFileSync(patient.pathOf(`archive/${name.slice(0, 2)}/${name}`), SOURCE.replace('95', '96'))
      return patient
    },
  },
  'an edition cites nothing that can be looked at': {
    code: 'no_citations',
    level: 'warn',
    says: 'cms-clfs:TEST1:1',
    make: async () => {
      const patient = copied()
      await patient.publish(laboratory({ citations: cited('') }))
      return patient
    },
  },
  'a copy in the archive is gone': {
    code: 'archive_damaged',
    level: 'fail',
    says: 'missing',
    make: async () => {
      const patient = copied()
      rmSync(patient.pathOf('archive'), { recursive: true })
      return patient
    },
  },
  'the file of a release is damaged': {
    code: 'release_file_damaged',
    level: 'fail',
    says: 'cms-pfs:TEST1:1 is damaged',
    make: async () => {
      const patient = copied()
      const [file = ''] = readdirSync(patient.pathOf('data/releases'))
      const bytes = readFileSync(patient.pathOf(`data/releases/${file}`))
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      writeFileSync(patient.pathOf(`data/releases/${file}`), bytes)
      return patient
    },
  },
  'an agent key is about to expire': {
    code: 'key_expires',
    level: 'warn',
    says: 'expires',
    make: async () => {
      const patient = copied()
      const key = { name: 'soon', scopes: ['registry:read'], ttlSeconds: 86_400 }
      const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes))
      await patient.opened(({ db, pepper }) => createKey({ db, pepper, now: async () => NOW, random }, key))
      return patient
    },
  },
  'the store is of another pepper': {
    code: 'store_unusable',
    level: 'fail',
    says: 'pepper',
    make: async () => {
      const patient = copied()
      writeFileSync(patient.pathOf('data/pepper'), `${Buffer.alloc(32, 7).toString('base64')}\n`)
      return patient
    },
  },
}

test.each(Object.entries(HARMED))('when %s, it is named with what to do', async (_, { code, level, says, make }) => {
  const { status, findings } = await examined(await make())
  const told = findings.filter((each) => each.code === code)
  expect(told.map(({ code: found, level: bad, remedy }) => [found, bad, remedy])).toContainEqual([
    code,
    level,
    FINDINGS[code].remedy,
  ])
  expect(told.map(({ what }) => what).join('\n')).toContain(says)
  expect(status).toBe(findings.some((each) => each.level === 'fail') ? 'fail' : 'warn')
})

test('a store that was copied with its journal and without the index of it is read, and nothing is written beside it', async () => {
  const patient = copied()
  const store = patient.pathOf('data/registry.db')
  await patient.opened(async (installation) => {
    const parts = {
      ...installation,
      now: async () => NOW,
      random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    }
    await createKey(parts, { name: 'in the journal', scopes: ['registry:read'] })
    for (const end of ['', '-wal']) cpSync(`${store}${end}`, `${store}${end}.kept`)
  })
  for (const end of ['', '-wal']) renameSync(`${store}${end}.kept`, `${store}${end}`)
  expect(existsSync(`${store}-shm`)).toBe(false)
  expect((await examined(patient)).findings).toEqual([])
  const { db } = await openUnchecked(patient.config, { isReadOnly: true })
  expect(await db.query('SELECT name FROM agent_key')).toEqual([{ name: 'in the journal' }])
  await db.close()
  expect(readdirSync(patient.pathOf('data')).filter((name) => name.endsWith('-shm'))).toEqual([])
})

test('what is missing of an installation is named, and an empty folder is no installation', async () => {
  const codesOf = async (patient: Patient): Promise<string[]> =>
    (await examine(patient.config, NOW)).findings.map(({ code }) => code)
  const without = copied()
  rmSync(without.pathOf('data/pepper'))
  expect(await codesOf(without)).toEqual(['pepper_missing'])
  rmSync(without.pathOf('data/registry.db'))
  expect(await codesOf(without)).toEqual(['store_missing', 'pepper_missing'])
  rmSync(without.pathOf('data'), { recursive: true })
  expect(await codesOf(without)).toEqual(['not_installed'])
})

test('a database that does not answer is named, and its password is not', async () => {
  const patient = copied().with({ DATABASE_URL: 'postgres://registry:hidden@127.0.0.1:9/registry' })
  const examination = await examined(patient)
  expect(examination.findings.map(({ code }) => code)).toEqual(['store_away'])
  expect(JSON.stringify(examination)).not.toContain('hidden')
})

testOnPostgres('on PostgreSQL a sound installation is sound, and what is wrong with it is named', async () => {
  const patient = await sound('postgres')
  expect((await examined(patient)).findings).toEqual([])
  const { rows, ...release } = laboratory({ citations: cited('') })
  await patient.opened(({ db }) => stage(db, release, rows, new Map(), NOW))
  expect((await examined(patient)).findings.map(({ code }) => code)).toEqual(['release_held'])
  await patient.opened(({ db }) => db.query('INSERT INTO schema_version (version) VALUES (9999)'))
  expect((await examined(patient)).findings.map(({ code }) => code)).toEqual(['store_newer'])
})

test('the commands say it beside a running service and without one, and exit with 1 where something fails', async () => {
  const free = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const patient = copied().with({ PORT: String(free.port) })
  await free.stop(true)
  const service = Bun.spawn([...ATR, 'serve'], {
    env: { ...process.env, ...patient.environment },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  try {
    for await (const piece of service.stdout) if (new TextDecoder().decode(piece).includes('listening')) break
    const said = await atr(['doctor'], patient.environment)
    expect(said).toMatchObject({ code: 0, err: '' })
    expect(said.out).toMatch(/^ok: no fault was found\n`atr update` would look at cms-pfs, .*\n$/)
    const { code, out } = await atr(['status'], patient.environment)
    expect([code, out]).toEqual([0, expect.stringContaining('service: running')])
    expect(out).toContain(`cms-pfs:TEST1:1  fresh  ${QUARTER} to 2099-12-31`)
  } finally {
    service.kill('SIGTERM')
    await service.exited
  }
  const list = await atr(['release', 'list'], patient.environment)
  expect(list.out).toMatch(/^cms-pfs:TEST1:1 +published +today /m)
  chmodSync(patient.pathOf('data/pepper'), 0o640)
  const bad = await atr(['doctor', '--json'], patient.environment)
  expect([bad.code, JSON.parse(bad.out)]).toMatchObject([
    1,
    { status: 'fail', findings: [{ code: 'secrets_readable' }] },
  ])
  expect((await atr(['status', '--json'], patient.environment)).code).toBe(1)
})

test('every fault that can be named is in the manual', () => {
  const listed = [...manual().matchAll(/^\| `([a-z_]+)` \| (fail|warn)/gm)].map(([, code, level]) => [code, level])
  expect(listed.sort()).toEqual(
    Object.entries(FINDINGS)
      .map(([code, { level }]) => [code, level])
      .sort(),
  )
})
