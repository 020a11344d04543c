import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { backUp } from '../db/backup.ts'
import { type Db, StoreFault } from '../db/db.ts'
import { FileFolder, PIECE_BYTES, SealedFile } from '../db/file-folder.ts'
import { ourTurn } from '../queue.ts'
import { filesNamedIn } from '../registry/release/store.ts'
import { type Command, DONE, JSON_OPTION, openStore, show, UsageFault } from './command.ts'
import { ifInterrupted } from './interruption.ts'
import { progressLine, type StageProgress } from './progress.ts'

export const backup: Command = {
  usage: 'backup FILE [--json]',
  summary:
    'Copies the store to a new file, also while it is in use, and the release files to the folder `releases` beside it. Copy the log keys and the pepper yourself',
  options: [JSON_OPTION],
  examples: [
    ['backup /backup/registry-2026-11-16.db', 'copies everything but the secrets, also while the service runs'],
  ],
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) throw new UsageFault('name one new file: atr backup FILE')
    // Opening the store refuses it if it is missing, damaged or older than its checkpoint lock.
    const { db } = await openStore(config, { takesOlder: true })
    const line = progressLine(values.json)
    using stopping = ifInterrupted(
      `no backup was made. \`atr backup ${file}\` begins again, and copies only the release files that are not there yet`,
    )
    const copied = await copyAll(db, file, (progress) => line.update(progress)).finally(() => {
      line.clear()
      return db.close()
    })
    stopping.done()
    show(
      values.json,
      { file, ...copied },
      `${file}: ${copied.bytes} bytes, and ${copied.releases} release files in ${filesBeside(file).path}, ${copied.copied} of them new. Keep the log keys and the pepper too, in another place`,
    )
    return DONE
  },
}

/** The folder of release files next to a backup. Backups share it, because release files never change. */
export const filesBeside = (file: string): FileFolder => new FileFolder(join(dirname(file), 'releases'))

const MOST_TRIES = 3

/** Copies the store, and then the files that the copy names. If one was discarded in between, both are copied again. */
export async function copyAll(
  db: Db,
  file: string,
  tell: (progress: StageProgress) => void = () => undefined,
): Promise<{ bytes: number; releases: number; copied: number }> {
  for (let tries = 1; ; tries++) {
    let files = { releases: 0, copied: 0 }
    try {
      const { bytes } = await backUp(db, file, async (partial) => {
        files = await copyFiles(db, partial, filesBeside(file), tell)
      })
      return { bytes, ...files }
    } catch (error) {
      if (!(error instanceof FileLost) || tries === MOST_TRIES) throw error
    }
  }
}

class FileLost extends StoreFault {}

async function copyFiles(
  db: Db,
  store: string,
  to: FileFolder,
  tell: (progress: StageProgress) => void,
): Promise<{ releases: number; copied: number }> {
  const copy = new SealedFile(store)
  const named = filesNamedIn(copy)
  copy.close()
  const digests = named.map((each) => each.file)
  const pause = copyPause(db.files, digests, tell)
  const { copied, missing } = await db.files.copyTo(to, digests, { pause })
  const lost = named.find((each) => missing.includes(each.file))
  if (!lost) return { releases: named.length, copied }
  throw new FileLost(
    `the file of release ${lost.release_id} is missing or damaged: restore it from a backup, then run \`atr fsck\``,
  )
}

/** Returns a function to call between pieces of files: it reports the progress, and lets signals in. */
export function copyPause(
  files: FileFolder,
  digests: readonly string[],
  tell: (progress: StageProgress) => void,
): () => Promise<void> {
  const total = [...new Set(digests)].reduce(
    (sum, digest) => sum + (statSync(files.pathOf(digest), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  let done = 0
  return async () => {
    done = Math.min(total, done + PIECE_BYTES)
    tell({ phase: 'copying', done, total, unit: 'bytes' })
    await ourTurn()
  }
}
