import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from './config.ts'
import { type Db, StoreFault } from './db/db.ts'
import { FileFolder } from './db/file-folder.ts'
import { needFolder, needRoom } from './db/folder-access.ts'
import { S3Files } from './db/s3-files.ts'
import { readSecret } from './db/secret-file.ts'
import {
  clearBuilding,
  findWhole,
  isStoreAt,
  openStoreAt,
  putInPlace,
  type StorePlace,
  useStore,
  wasMoved,
} from './db/store-place.ts'
import { beginFigures } from './figures/state.ts'
import { CheckpointLock } from './integrity/checkpoint-lock.ts'
import { KeyFile } from './integrity/key-file.ts'
import { Log, type Trace } from './integrity/log.ts'
import { generateLogKey } from './integrity/log-key.ts'
import { type Cosign, commitToLog, finish, noWitnesses } from './integrity/publication.ts'
import type { Verifiable } from './integrity/verification/verifier.ts'
import { cosignedBy, type WitnessAddress, WitnessFault } from './integrity/witness-client.ts'
import { fromBase64 } from './proof/bytes.ts'
import { checkPepper, sealPepper } from './rails/pepper.ts'
import { checkFiles, removeAbandonedLoads } from './registry/release/opening.ts'
import type { ReleaseState } from './registry/release/store.ts'
import { appendWithState } from './registry/state/state.ts'

/** An installation: a store, and the secrets that belong to it and are kept outside it. */
export interface Installation {
  db: Db
  registryLog: Log
  figuresLog: Log
  keyFile: KeyFile
  cosign: Cosign
  witnesses: { keys: readonly WitnessAddress[]; quorum: number }
  pepper: Uint8Array
}

const PEPPER_BYTES = 32
const DATA_ELSEWHERE = 'another folder with DATA_DIR'
const LOGS = ['registry', 'figures'] as const

/** Where the store of an installation is. In a PostgreSQL database, its schema is always called `atr`. */
export const storePlace = ({
  DATABASE_URL,
  DATABASE_POOL,
  storeFile,
}: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL' | 'storeFile'>): StorePlace =>
  DATABASE_URL === undefined ? { file: storeFile } : { url: DATABASE_URL, schema: 'atr', pool: DATABASE_POOL }

/** The parts of an installation, with the names that operators see, and whether each exists. */
export const installationParts = async (
  config: Config,
): Promise<[name: 'store' | 'log key' | 'pepper', isThere: boolean][]> => [
  ['store', await isStoreAt(storePlace(config))],
  ['log key', existsSync(config.signingKeyFile)],
  ['pepper', existsSync(config.pepperFile)],
]

/** Whether any part of an installation exists. */
export const isInstalled = async (config: Config): Promise<boolean> =>
  (await installationParts(config)).some(([, isThere]) => isThere)

interface Creation {
  /** The public address without its scheme. The logs are named after it. */
  origin: string
  now: number
  /** Whether to replace an old lock. For the demo only: its history may begin again after its data was deleted. */
  replaceLock?: boolean
}

/**
 * Creates a store, two log keys, a pepper and the checkpoint lock, and fills them. Refuses if any of them exists, because
 * a second log of the same name would fork the history of the first.
 *
 * The data is built in a temporary folder, and in a temporary schema of a database, which are renamed as the last steps.
 */
export async function createInstallation<T>(
  config: Config,
  { origin, now, replaceLock = false }: Creation,
  fill: (installation: Installation) => Promise<T>,
): Promise<T> {
  needRoom(resolve(config.DATA_DIR), DATA_ELSEWHERE)
  needRoom(config.lockDir, 'another folder with LOCK_DIR')
  await refuseToOverwrite(config, replaceLock)
  if (!/^[A-Za-z0-9][A-Za-z0-9.:_/-]{0,199}$/.test(origin))
    throw new StoreFault('the origin of a log is a host name and path, without a scheme')
  const folder = resolve(config.DATA_DIR)
  const building = `${folder}.building-${process.pid}-${randomBytes(8).toString('hex')}`
  const inBuilding = (file: string): string => file.replace(`${folder}/`, `${building}/`)
  const made: Config = {
    ...config,
    storeFile: inBuilding(config.storeFile),
    releasesDir: inBuilding(config.releasesDir),
    signingKeyFile: inBuilding(config.signingKeyFile),
    pepperFile: inBuilding(config.pepperFile),
    lockDir: join(building, 'lock'),
  }
  removeAbandoned(folder)
  try {
    mkdirSync(dirname(building), { recursive: true })
    mkdirSync(building, { mode: 0o700 })
    writeSecret(made.signingKeyFile, LOGS.map((name) => `${generateLogKey(`${origin}/log/${name}`)}\n`).join(''))
    writeSecret(made.pepperFile, `${randomBytes(PEPPER_BYTES).toString('base64')}\n`)
    const place = storePlace(made)
    const built = 'file' in place ? place : await clearBuilding(place)
    const filled = await fillNew(made, built, now, fill)
    // From here on a crash leaves a lock without data. The next `init` names it, and the operator removes it.
    if (replaceLock) rmSync(config.lockDir, { recursive: true, force: true })
    takeName(made.lockDir, resolve(config.lockDir))
    takeName(building, folder)
    if (built !== place) await putInPlace(built, place)
    return filled
  } catch (cause) {
    rmSync(building, { recursive: true, force: true })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new StoreFault('the store cannot be made here: DATA_DIR and LOCK_DIR must be new or empty, and writable', {
      cause,
    })
  }
}

/** Removes folders left by a killed creation, whose process is gone: they hold keys. */
function removeAbandoned(folder: string): void {
  const prefix = `${basename(folder)}.building-`
  if (!existsSync(dirname(folder))) return
  for (const name of readdirSync(dirname(folder))) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0
    if (pid > 0 && (pid === process.pid || !isRunning(pid))) rmSync(join(dirname(folder), name), { recursive: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Renames in one step if the target is missing or empty; moves file by file into a mounted volume, the store last. */
function takeName(building: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  try {
    renameSync(building, folder)
  } catch (error) {
    if (existsSync(folder) && readdirSync(folder).length > 0) throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(building).sort())
      cpSync(join(building, name), join(folder, name), { recursive: true })
    rmSync(building, { recursive: true })
  }
}

async function fillNew<T>(
  config: Config,
  place: StorePlace,
  now: number,
  fill: (made: Installation) => Promise<T>,
): Promise<T> {
  const secrets = readSecrets(config)
  const db = await openStoreAt(place, { create: true, files: filesOf(config) })
  try {
    await db.transaction(async (tx) => {
      await secrets.registryLog.create(tx, now)
      await secrets.figuresLog.create(tx, now)
      await sealPepper(tx, secrets.pepper)
    })
    // The first entry says that there is nothing yet. It needs no witnesses, because nobody watches a new log.
    await commitToLog({ db, log: secrets.registryLog, cosign: noWitnesses }, now, (tx, append) =>
      appendWithState(tx, append, [], now),
    )
    await beginFigures({ db, log: secrets.figuresLog, cosign: noWitnesses }, now)
    return await fill({ db, cosign: noWitnesses, witnesses: { keys: [], quorum: 0 }, ...secrets })
  } finally {
    await db.close()
  }
}

async function refuseToOverwrite(config: Config, replaceLock: boolean): Promise<void> {
  for (const [what, isThere] of await installationParts(config))
    if (isThere) throw new StoreFault(`there is a ${what} here already: nothing was changed`)
  if (existsSync(config.lockDir) && readdirSync(config.lockDir).length > 0 && !replaceLock)
    throw new StoreFault(
      'LOCK_DIR belongs to a store that is gone: restore that store, or remove the folder for a new history',
    )
}

interface OpenOptions {
  trace?: Trace | undefined
  /** Called with the reason if a signed checkpoint is not public yet. The last public one stays in force meanwhile. */
  tell?: (why: string) => void
  /** The caller has the store locked for itself, so it is not locked again as in use. */
  isTaken?: boolean
  /** For what must work in an emergency with the state store alone: no release file is looked for. */
  withoutFiles?: boolean
}

/**
 * Opens an installation, or fails with one sentence if a part is missing or belongs to another installation. Until it is
 * closed, its store cannot be moved or replaced.
 */
export async function openInstallation(
  config: Config,
  { trace, tell = () => undefined, isTaken = false, withoutFiles = false }: OpenOptions = {},
): Promise<Installation> {
  const installation = await openUnchecked(config, { trace, isShared: !isTaken })
  const { db, cosign, registryLog, figuresLog } = installation
  try {
    await checkUnlocked(installation)
    if (!withoutFiles) {
      await checkFiles(db)
      await removeAbandonedLoads(db)
      db.files.removeFetched()
    }
    for (const log of [registryLog, figuresLog]) {
      // A crash can leave a signed checkpoint that is not public.
      await finish({ db, log, cosign }).catch((error: unknown) => {
        if (!(error instanceof WitnessFault)) throw error
        tell(error.message)
      })
    }
  } catch (error) {
    await db.close()
    throw error
  }
  return installation
}

/** Checks that a store and its secrets belong together, without the checkpoint lock. */
export async function checkUnlocked({ db, pepper, registryLog, figuresLog }: Installation): Promise<void> {
  await checkPepper(db, pepper)
  for (const log of [registryLog, figuresLog]) await log.check(db)
}

interface UncheckedOptions {
  trace?: Trace | undefined
  /** Locks the store as in use until it is closed. */
  isShared?: boolean
  /** For `doctor`, which changes nothing. */
  isReadOnly?: boolean
}

/** For `fsck`, which must also open what `openInstallation` refuses. */
export async function openUnchecked(
  config: Config,
  { trace, isShared = false, isReadOnly = false }: UncheckedOptions = {},
): Promise<Installation> {
  checkAccess(config, isReadOnly)
  const parts = await installationParts(config)
  if (!parts.some(([, isThere]) => isThere))
    throw new StoreFault('there is no registry store here: run `atr init` first')
  for (const [what, isThere] of parts)
    if (!isThere)
      throw new StoreFault(
        what === 'store' ? await whyNoStore(storePlace(config)) : `the ${what} is missing: restore it from a backup`,
      )
  const secrets = readSecrets(config, trace)
  const witnesses = { keys: config.WITNESSES, quorum: config.witnessQuorum }
  const patience = { timeoutMs: config.WITNESS_TIMEOUT_MS, retries: config.WITNESS_RETRIES }
  const cosign = witnesses.keys.length > 0 ? cosignedBy(witnesses.keys, witnesses.quorum, patience) : noWitnesses
  const db = await openDb(config, isShared, isReadOnly)
  return { db, cosign, witnesses, ...secrets }
}

/** Fails with one sentence if the folder of the store is on a read-only disk or belongs to another user. */
export const checkAccess = ({ DATABASE_URL, DATA_DIR }: Config, isReadOnly = false): void =>
  needFolder(resolve(DATA_DIR), DATABASE_URL === undefined && !isReadOnly ? 'write' : 'read', DATA_ELSEWHERE)

async function whyNoStore(place: StorePlace): Promise<string> {
  if (await findWhole(place))
    return 'a move of the store to this place was interrupted: run `atr migrate --to` again, with the settings of the old place'
  if (await wasMoved(place))
    return 'the store was moved from here: set DATABASE_URL or DATA_DIR to its new place. If the move was interrupted, run `atr migrate --to` again'
  const setting = 'file' in place ? 'set DATABASE_URL if it is in a database' : 'check DATABASE_URL'
  return `the store is missing: restore it from a backup, or ${setting}`
}

/** Puts together what verifies an installation. Its modules are loaded here, because a service starts without them. */
export async function loadVerifier(verifiable: Verifiable) {
  const [{ Verifier }, fsck, { rederive }, { findRelease, listReleases }, { checkFigures }] = await Promise.all([
    import('./integrity/verification/verifier.ts'),
    import('./registry/release/fsck.ts'),
    import('./registry/release/rederive.ts'),
    import('./registry/release/store.ts'),
    import('./figures/fsck.ts'),
  ])
  const { checkDiff, checkHistory, checkRelease, checkStatements, isGone, isPublished } = fsck
  const checks = {
    listReleases,
    findRelease,
    isPublished,
    isGone,
    checkHistory,
    checkRelease,
    checkDiff,
    checkStatements,
  }
  return new Verifier<ReleaseState>(verifiable, { ...checks, rederive, checkFigures })
}

const filesOf = ({ releasesDir, releasesUrl }: Config): FileFolder =>
  new FileFolder(releasesDir, releasesUrl === undefined ? undefined : new S3Files(releasesUrl))

async function openDb(config: Config, isShared: boolean, isReadOnly: boolean): Promise<Db> {
  const place = storePlace(config)
  const use = isShared ? await useStore(place) : undefined
  try {
    return await openStoreAt(place, { files: filesOf(config), use, isReadOnly })
  } catch (error) {
    await use?.release()
    throw error
  }
}

function readSecrets(
  config: Config,
  trace?: Trace,
): Pick<Installation, 'registryLog' | 'figuresLog' | 'keyFile' | 'pepper'> {
  const lock = new CheckpointLock(config.lockDir)
  const keyFile = new KeyFile(config.signingKeyFile)
  const logOf = (name: (typeof LOGS)[number]): Log =>
    new Log({ name, keys: () => keyFile.keysOf(name), lock, ...(trace ? { trace } : {}) })
  const pepper = readPepper(config.pepperFile)
  return { registryLog: logOf('registry'), figuresLog: logOf('figures'), keyFile, pepper }
}

function readPepper(file: string): Uint8Array {
  let text: string
  try {
    text = readSecret(file, 'the pepper')
  } catch (cause) {
    if (cause instanceof StoreFault) throw cause
    throw new StoreFault('the pepper cannot be read: check who owns it', { cause })
  }
  const pepper = fromBase64(text.trim())
  if (pepper?.length !== PEPPER_BYTES) throw new StoreFault('the pepper file is damaged: restore it from a backup')
  return pepper
}

/** Writes a new file, never over an existing one, that only its owner can read. */
function writeSecret(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
}
