import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import { type Db, StoreFault } from '../db/db.ts'
import type { FileFolder } from '../db/file-folder.ts'
import { replaceFile } from '../db/replace-file.ts'
import { copyStore } from '../db/store-copy.ts'
import { clearBuilding, putInPlace, setAside, takeStore } from '../db/store-place.ts'
import { checkAccess, checkUnlocked, openInstallation, openUnchecked, storePlace } from '../installation.ts'
import { keptEntries, lockedHead } from '../integrity/entry-journal.ts'
import type { Log } from '../integrity/log.ts'
import { generateLogKey, parseLogKey } from '../integrity/log-key.ts'
import { beginHistory } from '../integrity/new-history.ts'
import { checkpoints } from '../integrity/store.ts'
import { Problem } from '../problem.ts'
import { toBase64 } from '../proof/bytes.ts'
import type { NoteSigner } from '../proof/note/signed-note.ts'
import { applyAgain, whyNotAgain } from '../registry/release/roll-forward.ts'
import { filesNamed } from '../registry/release/store.ts'
import { ROLLBACK_REASONS } from '../tables/service-reasons.ts'
import { copyPause, filesBeside } from './backup.ts'
import { type Command, DONE, JSON_OPTION, show, UsageFault } from './command.ts'
import { ifInterrupted } from './interruption.ts'
import { progressLine, type StageProgress } from './progress.ts'

export const restore: Command = {
  usage: 'restore FILE [--accept-rollback --reason CODE --origin ORIGIN] [--json]',
  summary:
    'Puts a backup of the store and of its release files in place, and adds the log entries that were signed after it. Stop the service first',
  options: [
    ['--accept-rollback', 'if entries are lost: ends this history, and begins a new one from the backup'],
    ['--reason CODE', ROLLBACK_REASONS.join(', ')],
    ['--origin ORIGIN', 'the new name of the logs, such as registry.example/2'],
    JSON_OPTION,
  ],
  examples: [
    ['restore /backup/registry-2026-11-16.db', 'nothing is lost: log entries that were signed later are added again'],
    [
      'restore old.db --accept-rollback --reason disk_failure --origin registry.example/2',
      'entries are lost for good: begins a new history, which readers must be told',
    ],
  ],
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        json: { type: 'boolean', default: false },
        'accept-rollback': { type: 'boolean', default: false },
        reason: { type: 'string' },
        origin: { type: 'string' },
      },
      allowPositionals: true,
    })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) throw new UsageFault('name one backup: atr restore FILE')
    const rollback = values['accept-rollback'] ? parseRollback(values.reason, values.origin) : undefined
    if (!rollback && (values.reason ?? values.origin) !== undefined)
      throw new UsageFault('--reason and --origin go with --accept-rollback')
    const line = progressLine(values.json)
    using stopping = ifInterrupted(UNCHANGED)
    const restored = await restoreStore(config, file, rollback, Date.now(), (progress) =>
      line.update(progress),
    ).finally(() => line.clear())
    stopping.done()
    show(values.json, restored, restoreText(restored))
    return DONE
  },
}

const UNCHANGED =
  'the store is as it was. Release files that were copied stay. Run the same command again: it begins anew'
const HALF_DONE =
  'the old store was set aside, and the backup may not be in place yet. Run the same command again: it puts it there'

type Tell = (progress: StageProgress) => void

interface Rollback {
  reason: string
  origin: string
}

function parseRollback(reason: string | undefined, origin: string | undefined): Rollback {
  if (reason === undefined || !(ROLLBACK_REASONS as readonly string[]).includes(reason))
    throw new UsageFault(`--accept-rollback needs --reason: ${ROLLBACK_REASONS.join(', ')}`)
  if (origin === undefined || origin.includes('//') || !/^[A-Za-z0-9][A-Za-z0-9.:_/-]{0,199}$/.test(origin))
    throw new UsageFault('--accept-rollback needs --origin: a new name for the logs, a host name and path')
  return { reason, origin }
}

interface RestoreResult {
  file: string
  /** How many entries of each log were added again. */
  added: { registry: number; figures: number }
  /** The history that ended, if a rollback was accepted. */
  ended?: { origin: string; reason: string; lost: { registry: number; figures: number } }
}

const restoreText = ({ file, added, ended }: RestoreResult): string =>
  [
    `${file} is in place, and the store that was there was set aside. Log entries added again: ${added.registry} of the registry, ${added.figures} of the figures`,
    ...(ended
      ? [
          `The history of ${ended.origin} has ended; lost are ${ended.lost.registry} entries of the registry log and ${ended.lost.figures} of the figures log (${ended.reason})`,
          'Tell your readers and witnesses why, and give them the new policy: see docs/operate.md, Backup',
        ]
      : []),
    'Next: atr fsck, and atr keys list: keys that were revoked after the backup work again. Then start the service',
  ].join('\n')

/** The refusal of a backup that cannot be put in place here. The installation itself has no fault. */
const refused = (why: string): Problem => new Problem('invalid_parameter', why)

/** Restores a backup while no other process uses the store. It works on a copy; the installation changes in the last step. */
async function restoreStore(
  config: Config,
  file: string,
  rollback: Rollback | undefined,
  now: number,
  tell: Tell,
): Promise<RestoreResult> {
  checkAccess(config)
  if (!existsSync(file)) throw refused('there is no backup of that name: nothing was changed')
  const taken = await takeStore(storePlace(config))
  try {
    return await restoreTaken(config, file, rollback, now, tell)
  } finally {
    await taken.release()
  }
}

async function restoreTaken(
  config: Config,
  file: string,
  rollback: Rollback | undefined,
  now: number,
  tell: Tell,
): Promise<RestoreResult> {
  const place = storePlace(config)
  const copy = `${config.storeFile}.restoring`
  const remove = (): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true })
  }
  remove()
  copyFileSync(file, copy)
  chmodSync(copy, 0o600)
  try {
    // A backup is a file of SQLite, whatever the engine of the store.
    const installation = await openUnchecked({ ...config, DATABASE_URL: undefined, storeFile: copy })
    const { db, registryLog, figuresLog } = installation
    const logs = [registryLog, figuresLog]
    try {
      await checkUnlocked(installation)
      await restoreFiles(db, filesBeside(file), tell)
      const tails = await Promise.all(logs.map((log) => logTail(db, log)))
      const refusal = tails.find(({ refused }) => refused !== undefined)?.refused
      if (refusal !== undefined && !rollback) throw refused(refusal)
      if (refusal === undefined && rollback)
        throw refused('nothing is lost with this backup: restore it without --accept-rollback')
      for (const tail of rollback ? [] : tails) await addAgain(db, tail, now)
      const added = { registry: 0, figures: 0 }
      if (!rollback) for (const { log, bodies } of tails) added[log.name] = bodies.length
      const ended = rollback && (await endHistory(db, tails, rollback, config, now))
      const built = 'file' in place ? { file: copy } : await clearBuilding(place)
      if (!('file' in built)) await copyStore(db, built)
      await db.close()
      ifInterrupted(HALF_DONE)
      await setAside(place, 'replaced', now)
      ended?.commit()
      await putInPlace(built, place)
      // Opening the installation moves the lock on and asks the witnesses, as with every command.
      await (await openInstallation(config, { isTaken: true })).db.close()
      return { file, added, ...(ended ? { ended: ended.what } : {}) }
    } finally {
      await db.close()
    }
  } finally {
    remove()
  }
}

/** Restores the release files, before the store that names them. Files that are there with the right bytes stay. */
async function restoreFiles(db: Db, backup: FileFolder, tell: Tell): Promise<void> {
  const named = await filesNamed(db)
  const digests = named.map((each) => each.file)
  const pause = copyPause(backup, digests, tell)
  const { missing } = await backup.copyTo(db.files, digests, { reread: true, pause })
  const lost = named.find((each) => missing.includes(each.file))
  if (lost)
    throw refused(
      `the file of release ${lost.release_id} is neither whole beside this backup nor in RELEASES: nothing was changed`,
    )
  for (const digest of new Set(digests)) await db.files.share(digest)
}

/** The entries of a log that were signed after the backup. */
interface LogTail {
  log: Log
  /** The size of the log in the backup. */
  from: number
  bodies: readonly Uint8Array[]
  lost: number
  /** Why the entries cannot be added again. */
  refused?: string
}

async function logTail(db: Db, log: Log): Promise<LogTail> {
  const signed = await checkpoints(db, log.name)
  const from = signed.at(-1)?.size ?? 0
  const complaint = log.lock.complaint(log.name, signed)
  if (complaint === undefined) return { log, from, bodies: [], lost: 0 }
  const lost = (lockedHead(log)?.size ?? 0) - from
  // A store that was overtaken has signed entries that are not in the history, and cannot become part of it again.
  if (lost <= 0) return { log, from, bodies: [], lost: 0, refused: complaint }
  const bodies = keptEntries(log, from).slice(0, lost)
  const why =
    bodies.length < lost
      ? 'they are not kept beside the checkpoint lock'
      : log.name === 'figures'
        ? 'the releases of the figures that they are from are not in the backup'
        : whyNotAgain(bodies)
  if (why === undefined) return { log, from, bodies, lost }
  const refused = `${lost} entries of the ${log.name} log were signed after this backup and cannot be added again: ${why}. Find a newer backup, or see docs/operate.md, Backup`
  return { log, from, bodies, lost, refused }
}

/** Adds the entries again. Unless they give the tree that was signed, nothing is changed: another tree would fork the log. */
async function addAgain(db: Db, { log, from, bodies }: LogTail, now: number): Promise<void> {
  if (bodies.length === 0) return
  await db.transaction(async (tx) => {
    await log.append(tx, bodies, now)
    await applyAgain(tx, bodies, from)
    const locked = lockedHead(log)
    const { root } = await log.signed(tx)
    if (!locked || toBase64(locked.root) !== root)
      throw new StoreFault(`the entries kept beside the lock are not those of the ${log.name} log: nothing was changed`)
  })
}

/** Signs the logs of the backup with new keys. `commit` puts the keys in place, and sets the old keys and locks aside. */
async function endHistory(
  db: Db,
  tails: readonly LogTail[],
  { reason, origin }: Rollback,
  { signingKeyFile, lockDir }: Config,
  now: number,
): Promise<{ what: NonNullable<RestoreResult['ended']>; commit(): void }> {
  const old = tails[0]?.log.origin.replace(/\/log\/[a-z]+$/, '') ?? ''
  if (old === origin) throw new UsageFault('the new origin is the old one: the logs need a new name')
  const keys = tails.map(({ log }) => generateLogKey(`${origin}/log/${log.name}`))
  const notes = await db.transaction(async (tx) => {
    const checkpoints: [Log, string][] = []
    for (const [i, { log }] of tails.entries())
      checkpoints.push([log, await beginHistory(tx, log, parseLogKey(keys[i] as string) as NoteSigner)])
    return checkpoints
  })
  const lost = { registry: 0, figures: 0 }
  for (const { log, lost: entries } of tails) lost[log.name] = entries
  const last = Object.fromEntries(tails.map(({ log }) => [log.name, log.lock.get(log.name)]))
  const what = { origin: old, reason, lost }
  return {
    what,
    commit() {
      const ended = endedName(now)
      renameSync(lockDir, `${lockDir}${ended}`)
      mkdirSync(lockDir, { recursive: true, mode: 0o700 })
      for (const [log, note] of notes) log.lock.create(log.name, note)
      // A file for readers of the old history, with its last signed checkpoints.
      replaceFile(
        join(lockDir, 'history.json'),
        `${JSON.stringify({ ...what, ended_at: new Date(now).toISOString(), last })}\n`,
      )
      renameSync(signingKeyFile, `${signingKeyFile}${ended}`)
      replaceFile(signingKeyFile, `${keys.join('\n')}\n`)
    },
  }
}

const endedName = (now: number): string => `.ended-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`
