import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from './config.ts'
import { type Db, StoreFault } from './db/db.ts'
import { openSqlite } from './db/sqlite.ts'
import { Log } from './integrity/log.ts'
import { generateLogKey, parseLogKey } from './integrity/log-key.ts'

/** What an installation is: a store, and the secrets that belong to it and stand outside it. */
export interface Installation {
  db: Db
  registryLog: Log
  figuresLog: Log
  pepper: Uint8Array
}

const PEPPER_BYTES = 32

/** The files an installation consists of, with what an operator would call them. */
const filesOf = (config: Config): [string, string][] => [
  ['store', config.storeFile],
  ['log key', config.signingKeyFile],
  ['pepper', config.pepperFile],
]

export const exists = (config: Config): boolean => filesOf(config).some(([, file]) => existsSync(file))

/**
 * Creates a store, two log keys and a pepper, and fills them. Refuses if any of them is there already: a log
 * that is created by accident beside an old one is how histories get forked.
 *
 * Everything is made in a folder of its own that takes its name at the end, so a crash leaves nothing or all.
 */
export async function createInstallation<T>(
  config: Config,
  origin: string,
  now: number,
  fill: (installation: Installation) => Promise<T>,
): Promise<T> {
  for (const [what, file] of filesOf(config))
    if (existsSync(file)) throw new StoreFault(`there is a ${what} here already: nothing was changed`)
  if (!/^[A-Za-z0-9][A-Za-z0-9.:_/-]{0,199}$/.test(origin))
    throw new StoreFault('the origin of a log is a host name and path, without a scheme')
  const folder = resolve(config.DATA_DIR)
  const building = `${folder}.building-${process.pid}`
  const inBuilding = (file: string): string =>
    file.startsWith(`${folder}/`) ? building + file.slice(folder.length) : file
  const made = {
    ...config,
    storeFile: inBuilding(config.storeFile),
    signingKeyFile: inBuilding(config.signingKeyFile),
    pepperFile: inBuilding(config.pepperFile),
  }
  rmSync(building, { recursive: true, force: true }) // of a process that was killed and had our number
  mkdirSync(building, { recursive: true, mode: 0o700 })
  const keys = ['registry', 'figures'].map((name) => generateLogKey(`${origin}/log/${name}`))
  writeSecret(made.signingKeyFile, `${keys.join('\n')}\n`)
  writeSecret(made.pepperFile, `${randomBytes(PEPPER_BYTES).toString('base64')}\n`)
  const secrets = readSecrets(made)
  const db = await openSqlite(made.storeFile, { create: true })
  await db.transaction(async (tx) => {
    await secrets.registryLog.create(tx, now)
    await secrets.figuresLog.create(tx, now)
  })
  const filled = await fill({ db, ...secrets })
  await db.close()
  takeName(building, folder)
  return filled
}

function takeName(building: string, folder: string): void {
  try {
    renameSync(building, folder) // over nothing, or over an empty folder
  } catch (cause) {
    rmSync(building, { recursive: true, force: true })
    throw new StoreFault('DATA_DIR holds other files: give an empty or a new folder', { cause })
  }
}

/** Opens what is there, and stops with one plain sentence where something is missing or does not fit. */
export async function openInstallation(config: Config): Promise<Installation> {
  if (!exists(config)) throw new StoreFault('there is no registry store here: run `atr init` first')
  for (const [what, file] of filesOf(config))
    if (!existsSync(file)) throw new StoreFault(`the ${what} is missing: restore it from a backup`)
  const secrets = readSecrets(config)
  const db = await openSqlite(config.storeFile)
  try {
    await secrets.registryLog.check(db)
    await secrets.figuresLog.check(db)
  } catch (error) {
    await db.close()
    throw error
  }
  return { db, ...secrets }
}

function readSecrets(config: Config): Omit<Installation, 'db'> {
  const lines = readFileSync(config.signingKeyFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const signers = lines.map(parseLogKey)
  const signerOf = (name: string) => signers.find((signer) => signer?.name.endsWith(`/log/${name}`))
  const [registry, figures] = [signerOf('registry'), signerOf('figures')]
  if (!registry || !figures || signers.includes(undefined))
    throw new StoreFault('the log key file is damaged: restore it from a backup')
  const pepper = Buffer.from(readFileSync(config.pepperFile, 'utf8').trim(), 'base64')
  if (pepper.length !== PEPPER_BYTES) throw new StoreFault('the pepper file is damaged: restore it from a backup')
  return {
    registryLog: new Log('registry', registry),
    figuresLog: new Log('figures', figures),
    pepper: new Uint8Array(pepper),
  }
}

/** Never over an existing file, and readable by its owner only. */
function writeSecret(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
}
