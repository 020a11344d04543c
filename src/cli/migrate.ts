import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, Settings } from '../config.ts'
import { StoreFault } from '../db/db.ts'
import { copyStore } from '../db/store-copy.ts'
import { clearBuilding, isStoreAt, openStoreAt, putInPlace, type StorePlace, setAside } from '../db/store-place.ts'
import { type Installation, placeOf } from '../installation.ts'
import { type Command, DONE, openStore, show, UsageFault } from './command.ts'
import { recheck } from './fsck.ts'

export const migrate: Command = {
  usage: 'migrate --to postgres://USER@HOST/NAME|FOLDER [--json]',
  summary: 'Moves the store to the other engine; keys, pepper and checkpoint lock stay. Stop the service first',
  options: [
    ['--to ADDRESS', 'a PostgreSQL database without a store, or a folder: the store is then FOLDER/registry.db'],
    ['--json', 'prints JSON'],
  ],
  async run(args, config) {
    const { values } = parseArgs({
      args,
      options: { to: { type: 'string' }, json: { type: 'boolean', default: false } },
    })
    if (values.to === undefined) throw new UsageFault('say where to: atr migrate --to postgres://USER@HOST/NAME|FOLDER')
    const to = targetOf(values.to, config)
    const started = performance.now()
    const moved = await move(config, placeOf(to), Date.now())
    const seconds = Math.round(performance.now() - started) / 1000
    const next =
      to.DATABASE_URL === undefined ? `unset DATABASE_URL, ${folderText(to, config)}` : 'set DATABASE_URL to it'
    show(
      values.json,
      { ...moved, seconds },
      `moved ${moved.rows} rows in ${seconds} s and checked both stores; the old one was set aside. Next: ${next}, and start the service`,
    )
    return DONE
  },
}

type Target = Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL' | 'storeFile'>

function targetOf(text: string, { DATABASE_POOL, storeFile }: Config): Target {
  if (!/^postgres(ql)?:/.test(text))
    return { DATABASE_POOL, DATABASE_URL: undefined, storeFile: resolve(text, 'registry.db') }
  const url = Settings.shape.DATABASE_URL.safeParse(text)
  if (!url.success) throw new UsageFault('the address of a database is postgres://USER:PASSWORD@HOST:PORT/NAME')
  return { DATABASE_POOL, DATABASE_URL: url.data, storeFile }
}

/** A folder other than DATA_DIR has the store only: the settings say where the rest is. */
function folderText({ storeFile }: Target, config: Config): string {
  if (storeFile === config.storeFile) return 'keep DATA_DIR'
  const { signingKeyFile, pepperFile, lockDir, releasesDir } = config
  return `set DATA_DIR to the folder, RELEASES=${releasesDir} SIGNING_KEY_FILE=${signingKeyFile} PEPPER_FILE=${pepperFile} LOCK_DIR=${lockDir}`
}

/**
 * Both stores are re-derived from their bytes before anything changes its name. A crash before that leaves the old store
 * as it was, and a part of the new one, which the next attempt removes.
 */
async function move(config: Config, to: StorePlace, now: number): Promise<{ rows: number; log_sizes: number[] }> {
  const from = placeOf(config)
  if ('file' in from === 'file' in to) throw new UsageFault('the store is on that engine already')
  if (await isStoreAt(to))
    throw new StoreFault('there is a store already where this one should go: nothing was changed')
  const installation = await openStore(config)
  try {
    const log_sizes = await checked(installation, now)
    const built = await clearBuilding(to)
    const rows = await copyStore(installation.db, built)
    const db = await openStoreAt(built, { files: installation.db.files })
    const sizes = await checked({ ...installation, db }, now).finally(() => db.close())
    if (String(sizes) !== String(log_sizes))
      throw new StoreFault('something was published meanwhile: stop the service, and move the store again')
    await installation.db.close()
    await putInPlace(built, to)
    await setAside(from, 'moved', now)
    return { rows, log_sizes }
  } finally {
    await installation.db.close()
  }
}

/** The sizes of both logs, of a store in which nothing is wrong. */
async function checked(installation: Installation, now: number): Promise<number[]> {
  const { faults } = await recheck(installation, now)
  if (faults.length > 0) throw new StoreFault(`the store is not sound, so it is not moved: ${faults[0]}`)
  const { db, registryLog, figuresLog } = installation
  return [(await registryLog.head(db)).size, (await figuresLog.head(db)).size]
}
