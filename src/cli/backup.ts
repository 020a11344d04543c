import { parseArgs } from 'node:util'
import { copyStore } from '../db/backup.ts'
import { type Command, DONE, openStore, show, UsageFault } from './command.ts'

export const backup: Command = {
  usage: 'backup FILE [--json]',
  summary: 'Copies the store, which may be in use, to a new file; the log keys and the pepper are copied by hand',
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) throw new UsageFault('backup takes the name of one new file')
    // A store that is damaged, older than what was signed, or not there, is no backup.
    const { db } = await openStore(config)
    await db.close()
    const { bytes } = copyStore(config.storeFile, file)
    show(values.json, { file, bytes }, `${file}: ${bytes} bytes. Keep the log keys and the pepper too, apart from it`)
    return DONE
  },
}
