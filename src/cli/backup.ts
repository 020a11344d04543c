import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { backUp } from '../db/backup.ts'
import { type Db, StoreFault } from '../db/db.ts'
import { FileFolder, SealedFile } from '../db/file-folder.ts'
import { filesNamedIn } from '../registry/release/store.ts'
import { type Command, DONE, openStore, show, UsageFault } from './command.ts'

export const backup: Command = {
  usage: 'backup FILE [--json]',
  summary:
    'Copies the store to a new file, also while it is in use, and the release files to the folder `releases` beside it. Copy the log keys and the pepper yourself',
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) throw new UsageFault('name one new file: atr backup FILE')
    // Opening it first refuses a store that is missing, damaged or older than what was signed.
    const { db } = await openStore(config)
    const copied = await copyAll(db, file).finally(() => db.close())
    show(
      values.json,
      { file, ...copied },
      `${file}: ${copied.bytes} bytes, and ${copied.releases} release files in ${filesBeside(file).path}, ${copied.copied} of them new. Keep the log keys and the pepper too, in another place`,
    )
    return DONE
  },
}

/** Backups in one folder share the release files: they never change, so one copy of each is enough. */
export const filesBeside = (file: string): FileFolder => new FileFolder(join(dirname(file), 'releases'))

const MOST_TRIES = 3

/** The store first, then the files that the copy names. One may be discarded in between: then both are copied again. */
export async function copyAll(db: Db, file: string): Promise<{ bytes: number; releases: number; copied: number }> {
  for (let tries = 1; ; tries++) {
    const { bytes } = await backUp(db, file)
    const copy = new SealedFile(file)
    const named = filesNamedIn(copy)
    copy.close()
    const digests = named.map((each) => each.file)
    const { copied, missing } = await db.files.copyTo(filesBeside(file), digests)
    const lost = named.find((each) => missing.includes(each.file))
    if (!lost) return { bytes, releases: named.length, copied }
    rmSync(file)
    if (tries === MOST_TRIES)
      throw new StoreFault(
        `the file of release ${lost.release_id} is missing or damaged: restore it from a backup, then run \`atr fsck\``,
      )
  }
}
