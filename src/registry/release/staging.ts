import type { Db } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import { kindOfRows } from '../../proof/price/charts.ts'
import { type AnyRow, isAnyRow } from '../../proof/price/row.ts'
import { ourTurn } from '../../queue.ts'
import { countedRow, NewReleaseFile } from '../rows/new-file-store.ts'
import { openRelease } from '../rows/release-file-store.ts'
import { canariesMissedBy } from './canaries.ts'
import { insertChecks } from './check-store.ts'
import { contentsOf } from './contents.ts'
import { loadLock } from './opening.ts'
import { type Findings, OLD_EDIT, rejectedIn, unreadableIn } from './rules.ts'
import type { NewRelease, ReleaseState } from './store.ts'
import * as releases from './store.ts'

/** So many are written in one go, which takes less than a tenth of a second. */
const ROWS_PER_TURN = 4_000
/** How many may be written before their memory is given back: a multiple of the above. */
const ROWS_IN_MEMORY = 200_000

/** Rows in key order. */
export type Stageable = AsyncIterable<AnyRow> | Iterable<AnyRow>

/** How much has been written so far. */
export interface Progress {
  rows: number
  bytes: number
  absences: number
  /** Absences in place of a price that is withheld. */
  withheld: number
}

const NOTHING: Progress = { rows: 0, bytes: 0, absences: 0, withheld: 0 }

export interface StagingResult {
  release: ReleaseState
  /** True when these bytes had been loaded before and nothing was done. */
  already: boolean
  written: Progress
}

export interface StageOptions {
  onProgress?: ((progress: Progress) => void) | undefined
  /** For a dry run: is shown the release as it would be staged, and after that nothing of it is kept. */
  inspect?: ((release: ReleaseState) => Promise<void>) | undefined
  /** The rows that the release must have: rule W13. */
  canaries?: Parameters<typeof canariesMissedBy>[2] | undefined
  /** Told of each step, so that a test can kill the process there. */
  trace?: ((step: StagingStep) => void) | undefined
}

export const STAGING_STEPS = ['rows written', 'file on disk', 'file named', 'file renamed', 'staged'] as const
export type StagingStep = (typeof STAGING_STEPS)[number]

/**
 * Writes rows, sorted by key, as the file of a release that no one can read yet. The event loop turns in between, so
 * that agents are let in while a large file is loading. A refusal leaves nothing; a crash leaves a release in state
 * `loading` and its file, which the next command removes. An edition is loaded by one process at a time.
 */
export const stage = (
  db: Db,
  release: NewRelease,
  rows: Stageable,
  rejects: Findings,
  now: number,
  options: StageOptions = {},
): Promise<StagingResult> =>
  alone(db, release, async () => {
    const same = await releases.findSameSource(db, release.chart, release.edition, release.source_digest)
    if (same) return { release: same, already: true, written: { ...NOTHING } }
    for (const left of await releases.findUnfinished(db, release.chart, release.edition))
      await releases.deleteUnfinished(db, left)
    return write(db, release, rows, rejects, now, options)
  })

/** Removes a release that was not published: one that is staged, or whose load died. */
export const discard = (db: Db, release: Pick<ReleaseState, 'release_no' | 'chart' | 'edition'>): Promise<void> =>
  alone(db, release, async () => {
    const unstaged = await releases.unstage(db, release.release_no)
    if (!unstaged) throw new Problem('release_conflict', 'only a release that was not published can be discarded')
    await releases.deleteUnfinished(db, unstaged)
  })

/** A living process that loads the same edition is never disturbed; one that died holds nothing. */
async function alone<T>(db: Db, edition: Pick<NewRelease, 'chart' | 'edition'>, work: () => Promise<T>): Promise<T> {
  const hold = await db.takeLock(loadLock(edition))
  if (!hold) throw new Problem('load_in_progress')
  try {
    return await work()
  } finally {
    await hold.release()
  }
}

async function write(
  db: Db,
  release: NewRelease,
  rows: Stageable,
  rejects: Findings,
  now: number,
  options: StageOptions,
): Promise<StagingResult> {
  const begun = await db.transaction((tx) => releases.insertRelease(tx, release, now))
  try {
    return await writeRows(db, begun, rows, rejects, options)
  } catch (error) {
    await removeOwn(db, begun).catch(() => {}) // the next command will
    throw error
  }
}

async function removeOwn(db: Db, begun: ReleaseState): Promise<void> {
  const unfinished = await releases.findUnfinished(db, begun.chart, begun.edition)
  const left = unfinished.find(({ release_no }) => release_no === begun.release_no)
  await releases.deleteUnfinished(db, left ?? begun)
}

async function writeRows(
  db: Db,
  begun: ReleaseState,
  rows: Stageable,
  rejects: Findings,
  { onProgress = () => undefined, trace = () => undefined, inspect, canaries }: StageOptions,
): Promise<StagingResult> {
  const { release_no } = begun
  const temporary = releases.temporaryName(begun)
  const file = new NewReleaseFile(db, temporary)
  try {
    const written = await fill(file, rows, onProgress)
    if (written.rows === 0) throw new Problem('source_unreadable', 'the source has no row that can be published')
    trace('rows written')
    const { digest, row_count, rows_root } = await file.seal()
    trace('file on disk')
    // The release is to say which file is its own before the file has that name.
    if (!(await releases.nameFile(db, release_no, digest))) throw takenAway()
    trace('file named')
    db.files.keep(temporary, digest)
    trace('file renamed')
    const filed = openRelease(db, { release_id: begun.release_id, file: digest })
    const contents = contentsOf(filed, written.withheld)
    const missed = canaries ? canariesMissedBy(filed, row_count, canaries).length : 0
    if (missed > 0) rejects.set('W13', { count: missed, lines: [] })
    const { stated } = contents
    const [rejected_count, unreadable_lines] = [rejectedIn(rejects), unreadableIn(rejects)]
    const edits_left_out = kindOfRows(begun.chart) === 'edits' ? (rejects.get(OLD_EDIT)?.count ?? 0) : null
    const counts = { row_count, rejected_count, unreadable_lines, edits_left_out }
    const found = { ...counts, rows_root, contents: JSON.stringify(contents) }
    if (inspect) {
      // It is never staged in a dry run, so that a crash leaves what the next command removes.
      const release = { ...begun, ...found, file: digest, state: 'staged' as const }
      await db.transaction((tx) => insertChecks(tx, release_no, rejects, stated))
      await inspect(release)
      await removeOwn(db, begun)
      return { release, already: false, written }
    }
    // Other machines must be able to read it before the store says that it is there.
    await db.files.share(digest)
    const staged = await db.transaction(async (tx) => {
      const marked = await releases.markStaged(tx, release_no, found)
      if (!marked) throw takenAway()
      await insertChecks(tx, release_no, rejects, stated)
      return marked
    })
    trace('staged')
    return { release: staged, already: false, written }
  } catch (error) {
    file.abandon()
    throw error
  }
}

const takenAway = (): Problem => new Problem('release_conflict', 'the release was discarded while it was being loaded')

async function fill(
  file: NewReleaseFile,
  rows: Stageable,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const written: Progress = { ...NOTHING }
  /** True when it is time to let others go first. */
  const add = (row: AnyRow): boolean => {
    // A cell that no rule foresaw: the file is refused, and the cell is not repeated.
    if (!isAnyRow(row)) throw new Problem('source_unreadable', 'the source has a line that does not make a valid row')
    const counted = countedRow(row)
    file.add(counted)
    written.bytes += counted.body.length
    if (row.kind === 'absence') {
      written.absences++
      if (row.reason === 'withheld_conflict') written.withheld++
    }
    return ++written.rows % ROWS_PER_TURN === 0
  }
  const pause = async (): Promise<void> => {
    onProgress(written)
    await file.turn()
    await ourTurn()
    // Left alone, the engine lets two hundred megabytes of texts pile up. This takes a hundredth of the time.
    if (written.rows % ROWS_IN_MEMORY === 0) Bun.gc(true)
  }
  // Two loops, because waiting for each of two million rows that are there already takes longer than hashing them.
  if (Symbol.asyncIterator in rows) {
    for await (const row of rows) if (add(row)) await pause()
  } else for (const row of rows) if (add(row)) await pause()
  onProgress(written) // the last rows too: whoever bounds a load must hear of them before they are staged
  return written
}
