import { parseArgs } from 'node:util'
import { copyStore } from '../db/backup.ts'
import { type Command, DONE, openStore, show, UsageFault } from './command.ts'

export const backup: Command = {
  usage: 'backup FILE [--json]',
  summary: 'Copies the store to a new file, also while it is in use. Copy the log keys and the pepper yourself',
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
    await db.close()
    const { bytes } = copyStore(config.storeFile, file)
    show(
      values.json,
      { file, bytes },
      `${file}: ${bytes} bytes. Keep the log keys and the pepper too, in another place`,
    )
    return DONE
  },
}
