// Examines an installation without its store: files, their modes, disks and the port. Nothing is written.

import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { type Config, isLoopback } from '../config.ts'
import { Valkey } from '../db/valkey.ts'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import { type Finding, finding } from './finding.ts'

/** The bits of a mode that give access to others than the owner. */
const OTHERS = 0o077

const isOpen = (path: string): boolean => existsSync(path) && (statSync(path).mode & OTHERS) !== 0

export function fileFindings(config: Config): Finding[] {
  const found: Finding[] = []
  for (const [what, path] of [
    ['log keys', config.signingKeyFile],
    ['pepper', config.pepperFile],
  ] as const)
    if (isOpen(path)) found.push(finding('secrets_readable', `others can read the ${what}: ${path}`))
  const folder = resolve(config.DATA_DIR)
  // A folder that only its owner can enter protects what is in it.
  if (isOpen(folder) && (config.DATABASE_URL === undefined ? isOpen(config.storeFile) : false))
    found.push(finding('data_readable', `others can read the store: ${folder}`))
  const left = existsSync(dirname(folder))
    ? readdirSync(dirname(folder)).filter((name) => name.startsWith(`${basename(folder)}.building-`))
    : []
  for (const name of left) found.push(finding('creation_left', `there is a folder ${name} beside DATA_DIR`))
  for (const log of ['registry', 'figures']) {
    if (!existsSync(join(config.lockDir, log)))
      found.push(finding('lock_missing', `the checkpoint lock of the ${log} log is not in ${config.lockDir}`))
    if (existsSync(join(config.lockDir, `${log}.fork`)))
      found.push(finding('fork_kept', `${log}.fork in LOCK_DIR is a checkpoint that this store does not have`))
  }
  return found
}

export interface Disk {
  /** The settings whose folders are on this disk. */
  holds: string[]
  path: string
  free_bytes: number
  total_bytes: number
}

/** The file systems that an installation writes to, each once. */
export function disksOf({ DATA_DIR, releasesDir, lockDir, ARCHIVE }: Config): Disk[] {
  const folders: [string, string][] = [
    ['DATA_DIR', DATA_DIR],
    ['RELEASES', releasesDir],
    ['LOCK_DIR', lockDir],
    ['TMPDIR', tmpdir()],
  ]
  if (ARCHIVE !== undefined && !ARCHIVE.startsWith('s3://')) folders.push(['ARCHIVE', ARCHIVE])
  const disks = new Map<number, Disk>()
  for (const [name, folder] of folders) {
    const path = nearest(resolve(folder))
    const { dev } = statSync(path)
    const known = disks.get(dev)
    if (known) known.holds.push(name)
    else {
      const { bavail, blocks, bsize } = statfsSync(path)
      disks.set(dev, { holds: [name], path, free_bytes: bavail * bsize, total_bytes: blocks * bsize })
    }
  }
  return [...disks.values()]
}

const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))

export const diskFindings = (disks: readonly Disk[], { DISK_FREE_BYTES }: Config): Finding[] =>
  disks
    .filter(({ free_bytes }) => free_bytes < DISK_FREE_BYTES)
    .map(({ holds, path, free_bytes, total_bytes }) =>
      finding(
        'disk_nearly_full',
        `the disk of ${holds.join(', ')} has ${bytesText(free_bytes)} left of ${bytesText(total_bytes)}: ${path}`,
      ),
    )

/** Asks the Valkey that counts requests for all machines. What it says is not shown: it may have the password. */
export async function valkeyFindings({ VALKEY_URL }: Config): Promise<Finding[]> {
  if (VALKEY_URL === undefined) return []
  const valkey = new Valkey(VALKEY_URL)
  try {
    await valkey.reach()
    return []
  } catch {
    return [finding('valkey_away', 'the Valkey of VALKEY_URL does not answer, or refuses the password')]
  } finally {
    valkey.close()
  }
}

/** Writes a number of bytes as `1.5 GB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}

/** The program that listens on HOST and PORT. `unknown` if it is not asked, because the address is not this machine's own. */
export type Listener = 'nobody' | 'this_service' | 'another_program' | 'unknown'

const LISTEN_MS = 3_000

/** `isOurs` checks whether a checkpoint belongs to this installation; undefined if the store cannot be read. */
export async function listenerOf(
  { HOST, PORT }: Config,
  isOurs: ((checkpoint: string) => Promise<boolean>) | undefined,
): Promise<Listener> {
  if (PORT === 0) return 'nobody'
  const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '::1' : HOST
  if (!(await isListening(host, PORT))) return 'nobody'
  if (!isLoopback(host) || isOurs === undefined) return 'unknown'
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
  const limits = { timeoutMs: LISTEN_MS, mostBytes: 65_536, loopback: true }
  const checkpoint = await ask(`${base}/log/registry/checkpoint`, limits).catch((error: unknown) => {
    if (!(error instanceof OutgoingFault)) throw error
  })
  const isSigned = checkpoint !== undefined && (await isOurs(new TextDecoder().decode(checkpoint.bytes)))
  return isSigned ? 'this_service' : 'another_program'
}

const isListening = (host: string, port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ host, port })
    const end = (listens: boolean): void => {
      socket.destroy()
      done(listens)
    }
    socket.setTimeout(LISTEN_MS, () => end(false))
    socket.on('connect', () => end(true))
    socket.on('error', () => end(false))
  })
