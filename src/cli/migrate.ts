import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, Settings } from '../config.ts'
import { AddressFault, type Db, StoreFault } from '../db/db.ts'
import { copyStore } from '../db/store-copy.ts'
import {
  clearBuilding,
  findWhole,
  isStoreAt,
  markWhole,
  openStoreAt,
  putInPlace,
  type StorePlace,
  setAside,
  takeStore,
  wasMoved,
} from '../db/store-place.ts'
import { checkAccess, type Installation, isInstalled, storePlace } from '../installation.ts'
import { checkpoints } from '../integrity/store.ts'
import { filesNamed } from '../registry/release/store.ts'
import { type Command, DONE, JSON_OPTION, openStore, show, UsageFault } from './command.ts'
import { recheck } from './fsck.ts'
import { ifInterrupted } from './interruption.ts'
import { progressLine, type StageProgress } from './progress.ts'

export const migrate: Command = {
  usage: 'migrate --to postgres://USER@HOST/NAME|FOLDER [--json]',
  summary:
    'Moves the store to the other engine; release files, keys, pepper and checkpoint lock stay. Stop the service first. If it is interrupted, run it again',
  options: [
    ['--to ADDRESS', 'a PostgreSQL database without a store, or a folder: the store is then FOLDER/registry.db'],
    JSON_OPTION,
  ],
  examples: [
    ['migrate --to postgres://atr@db/registry', 'moves the store from its file to PostgreSQL'],
    ['migrate --to ./data', 'moves it back, with DATABASE_URL still set to the database'],
  ],
  async run(args, config) {
    const { values } = parseArgs({
      args,
      options: { to: { type: 'string' }, json: { type: 'boolean', default: false } },
    })
    if (values.to === undefined) throw new UsageFault('say where to: atr migrate --to postgres://USER@HOST/NAME|FOLDER')
    const to = targetOf(values.to, config)
    const started = performance.now()
    const line = progressLine(values.json)
    using stopping = ifInterrupted(UNMOVED)
    const moved = await move(config, storePlace(to), Date.now(), {
      trace: (step) => {
        if (step === 'whole') ifInterrupted(HALF_MOVED)
      },
      tell: (progress) => line.update(progress),
    })
      .catch((error: unknown) => {
        throw to.DATABASE_URL === undefined ? error : targetFault(error)
      })
      .finally(() => line.clear())
    stopping.done()
    const seconds = Math.round(performance.now() - started) / 1000
    const next =
      to.DATABASE_URL === undefined ? `unset DATABASE_URL, ${folderText(to, config)}` : 'set DATABASE_URL to it'
    show(
      values.json,
      { ...moved, seconds },
      `${moveText(moved, seconds, config)}. Next: ${next}, and start the service`,
    )
    return DONE
  },
}

const UNMOVED =
  'the store is where it was, and nothing was changed. Run the same command again: it removes the part that was copied, and begins anew'
/** The signal may come just before or just after the names change. */
const HALF_MOVED =
  'the move was in its last step, in which the stores change their names. Run the same command again: it finishes the move, or says that it is done'

type Target = Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL' | 'storeFile'>

function targetOf(text: string, { DATABASE_POOL, storeFile }: Config): Target {
  const isFolder = text !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(text)
  if (isFolder) return { DATABASE_POOL, DATABASE_URL: undefined, storeFile: resolve(text, 'registry.db') }
  const url = Settings.shape.DATABASE_URL.safeParse(text)
  if (!url.success) throw new UsageFault('the address of a database is postgres://USER:PASSWORD@HOST:PORT/NAME')
  return { DATABASE_POOL, DATABASE_URL: url.data, storeFile }
}

/** Rewrites a refusal of the new database, so that it names --to and not DATABASE_URL. */
const targetFault = (error: unknown): unknown =>
  error instanceof AddressFault ? new StoreFault(TARGET[error.why], { cause: error }) : error

const AGAIN = 'then run `atr migrate` again. Nothing was changed'
const TARGET: Record<AddressFault['why'], string> = {
  login: `the database refuses the name or the password in --to: correct it, ${AGAIN}`,
  name: `the database that --to names does not exist: create it, ${AGAIN}`,
  right: `the role in --to may not write there: make it the owner of the database, ${AGAIN}`,
}

/** The settings after a move to a folder. If it is not DATA_DIR, it has only the store, so the other paths are set too. */
function folderText({ storeFile }: Target, config: Config): string {
  if (storeFile === config.storeFile) return 'keep DATA_DIR'
  const { signingKeyFile, pepperFile, lockDir, releasesDir } = config
  return `set DATA_DIR to the folder, RELEASES=${releasesDir} SIGNING_KEY_FILE=${signingKeyFile} PEPPER_FILE=${pepperFile} LOCK_DIR=${lockDir}`
}

interface MoveResult {
  /** The rows of all tables. Undefined if an earlier attempt copied them. */
  state_rows?: number
  release_files: number
  release_bytes: number
  release_rows: number
  /** The sizes of the registry log and of the figures log. */
  log_sizes: number[]
  /** Whether an earlier attempt was interrupted in its last steps, and this one finished it. */
  resumed: boolean
  /** Whether the store was there already, and was only checked. */
  already: boolean
}

function moveText(
  { state_rows, release_files, release_bytes, release_rows, resumed, already }: MoveResult,
  seconds: number,
  config: Config,
): string {
  const what = already
    ? `an earlier move has put the store there: nothing was moved now, and the store was checked in ${seconds} s`
    : resumed
      ? `finished the move that was interrupted, in ${seconds} s, and checked the store`
      : `moved ${state_rows} rows of state in ${seconds} s and checked both stores; the old one was set aside`
  return `${what}. The ${release_files} release files (${release_rows} rows, ${release_bytes} bytes) stay in ${config.releasesDir}`
}

/** The steps of a move, in order. Tests kill the process after each. */
export const MOVING_STEPS = ['taken', 'checked', 'copying', 'copied', 'whole', 'set aside', 'in place'] as const
interface MoveListener {
  trace: (step: (typeof MOVING_STEPS)[number]) => void
  tell: (progress: StageProgress) => void
}

/**
 * Moves the store. Both stores are re-derived from their bytes before any is renamed. Then the old store is set aside, and
 * the new one is put in place, so that there are never two stores to serve.
 *
 * A crash before that leaves the old store as it was, and a part of the new one, which the next attempt removes. A crash in
 * between leaves no store to serve, but a complete one, which the next attempt puts in place.
 */
export async function move(
  config: Config,
  to: StorePlace,
  now: number,
  { trace = () => undefined, tell = () => undefined }: Partial<MoveListener> = {},
): Promise<MoveResult> {
  const from = storePlace(config)
  if ('file' in from === 'file' in to) throw new UsageFault('the store is on that engine already')
  checkAccess(config)
  if (!(await isInstalled(config))) throw new StoreFault('there is no registry store here: run `atr init` first')
  const taken = await takeStore(from)
  trace('taken')
  try {
    if (!(await isStoreAt(from)) && (await wasMoved(from))) return await finishMove(config, to, now)
    const installation = await openStore(config, { isTaken: true, takesOlder: true })
    try {
      if (await isStoreAt(to)) throw await targetTaken(installation, to)
      const moved = await copyTo(installation, to, now, { trace, tell })
      await installation.db.close()
      await setAside(from, 'moved', now)
      trace('set aside')
      await putInPlace(moved.whole, to)
      trace('in place')
      return moved.moved
    } finally {
      await installation.db.close()
    }
  } finally {
    await taken.release()
  }
}

/** The fault if the target has a store. A store with our first checkpoint was put there by an earlier move. */
async function targetTaken({ db, registryLog }: Installation, to: StorePlace): Promise<StoreFault> {
  const there = await openStoreAt(to, { files: db.files, isReadOnly: true }).catch(() => undefined)
  const [own, other] = await Promise.all(
    [db, there].map(async (each) => each && (await checkpoints(each, registryLog.name))[0]?.note),
  ).finally(() => there?.close())
  return other !== undefined && own === other
    ? new StoreFault(
        'an earlier move has put a store of this registry there already: if it is the newer one, set DATABASE_URL or DATA_DIR to it; otherwise remove it, and move again. Nothing was changed',
      )
    : new StoreFault('there is a store already where this one should go: nothing was changed')
}

/** Makes a complete copy, which only has to be put in place. */
async function copyTo(
  installation: Installation,
  to: StorePlace,
  now: number,
  { trace, tell }: MoveListener,
): Promise<{ moved: MoveResult; whole: StorePlace }> {
  const before = await checkedContent(installation, now, rowProgress('checking', tell))
  trace('checked')
  if ('file' in to) mkdirSync(dirname(to.file), { recursive: true, mode: 0o700 })
  const built = await clearBuilding(to)
  if ('file' in built) writeFileSync(built.file, '', { mode: 0o600, flag: 'wx' }) // only the owner may read a store
  let tables = 0
  const state_rows = await copyStore(installation.db, built, (_, total) => {
    if (++tables === HALF_WAY) trace('copying')
    tell({ phase: 'copying', done: tables - 1, total, unit: 'tables' })
  })
  trace('copied')
  const after = await checkedContentAt(installation, built, now, rowProgress('checking the copy,', tell))
  if (JSON.stringify(after) !== JSON.stringify(before))
    throw new StoreFault('something was published meanwhile: stop the service, and move the store again')
  const whole = await markWhole(built, to)
  trace('whole')
  return { whole, moved: { state_rows, ...after, resumed: false, already: false } }
}

const HALF_WAY = 10

/** Finishes a move that has set the old store aside. It is either done, or was interrupted when its copy was complete. */
async function finishMove(config: Config, to: StorePlace, now: number): Promise<MoveResult> {
  const whole = await findWhole(to)
  const target = { ...config, ...configOf(to) }
  if (!whole && !(await isStoreAt(to)))
    throw new StoreFault('the store was moved from here, but not to that address: name the one that it was moved to')
  if (whole) await putInPlace(whole, to)
  const installation = await openStore(target, { takesOlder: true })
  try {
    return { ...(await checkedContent(installation, now)), resumed: whole !== undefined, already: whole === undefined }
  } finally {
    await installation.db.close()
  }
}

const configOf = (place: StorePlace): Pick<Config, 'DATABASE_URL'> & { storeFile?: string } =>
  'file' in place ? { DATABASE_URL: undefined, storeFile: place.file } : { DATABASE_URL: place.url }

type Tell = Parameters<typeof recheck>[2]
const rowProgress =
  (phase: string, tell: MoveListener['tell']): Tell =>
  (rows) =>
    tell({ phase, unit: 'rows', ...rows })

type StoreContent = Omit<MoveResult, 'state_rows' | 'resumed' | 'already'>

async function checkedContentAt(
  installation: Installation,
  place: StorePlace,
  now: number,
  tell: Tell,
): Promise<StoreContent> {
  const db = await openStoreAt(place, { files: installation.db.files })
  return checkedContent({ ...installation, db }, now, tell).finally(() => db.close())
}

/** Verifies a store and counts its content. Throws if it has a fault. */
async function checkedContent(installation: Installation, now: number, tell?: Tell): Promise<StoreContent> {
  const { faults, rows } = await recheck(installation, now, tell)
  if (faults.length > 0) throw new StoreFault(`the store is not sound, so it is not moved: ${faults[0]}`)
  const { db, registryLog, figuresLog } = installation
  const log_sizes = [(await registryLog.head(db)).size, (await figuresLog.head(db)).size]
  return { ...(await countFiles(db)), release_rows: rows, log_sizes }
}

async function countFiles(db: Db): Promise<Pick<MoveResult, 'release_files' | 'release_bytes'>> {
  const digests = new Set((await filesNamed(db)).map(({ file }) => file))
  const release_bytes = [...digests].reduce((sum, digest) => sum + statSync(db.files.pathOf(digest)).size, 0)
  return { release_files: digests.size, release_bytes }
}
