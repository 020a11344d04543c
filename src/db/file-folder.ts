import { constants, Database, type SQLQueryBindings } from 'bun:sqlite'
import {
  closeSync,
  copyFileSync,
  constants as copying,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreFault } from './fault.ts'
import { NewFile } from './new-file.ts'
import { syncFile, syncFolder } from './replace-file.ts'
import type { RemoteFiles } from './s3-files.ts'
import { asStoreFault } from './sqlite-fault.ts'

/** How many files stay open. Each takes two descriptors at most; a closed file is opened again when it is read. */
const MOST_OPEN = 128
/** A fetch that has written nothing for so long belongs to a process that is gone. */
const FETCH_QUIET_MS = 600_000
const DIGEST = /^[0-9a-f]{64}$/
/** The bytes that are read and hashed at once, which takes about a millisecond. */
export const PIECE_BYTES = 256 * 1024

/**
 * A folder of SQLite files. A file is written under a temporary name. When all of it is on disk it gets its name, the
 * SHA-256 of its bytes, and never changes again. So readers need no lock, and copies are compared by their names.
 */
export class FileFolder {
  readonly #open = new Map<string, SealedFile>()

  constructor(
    readonly path: string,
    /** The storage from which other machines get the files, if any. */
    readonly remote?: RemoteFiles | undefined,
  ) {}

  /** The path of a file. A name from a damaged store must not lead out of the folder. */
  pathOf(digest: string): string {
    if (!DIGEST.test(digest)) throw new StoreFault('a release has a file name that is not a digest: run `atr fsck`')
    return join(this.path, `${digest}.atr`)
  }

  has(digest: string): boolean {
    return existsSync(this.pathOf(digest))
  }

  /** Opens a file to read from. The file used least recently is closed when there are too many. */
  open(digest: string): SealedFile {
    const known = this.#open.get(digest)
    // The order of the files matters only when one must be closed.
    if (known && this.#open.size < MOST_OPEN) return known
    const file = known ?? new SealedFile(this.pathOf(digest))
    this.#open.delete(digest)
    this.#open.set(digest, file)
    const [oldest] = this.#open
    if (this.#open.size > MOST_OPEN && oldest) {
      this.#open.delete(oldest[0])
      oldest[1].close()
    }
    return file
  }

  /** Opens a file for a check of all its bytes: pages that were read before are read again. The caller closes it. */
  openAnew(digest: string): SealedFile {
    return new SealedFile(this.pathOf(digest))
  }

  /** Closes a file that may have been replaced. It is opened again when it is read next. */
  forget(digest: string): void {
    this.#open.get(digest)?.close()
    this.#open.delete(digest)
  }

  /**
   * A name for this folder: the same for every process that reads it, and different on each machine with its own folder.
   * Empty while the folder does not exist.
   */
  get copy(): string {
    this.#name ??= existsSync(this.path) ? folderName(this.path) : undefined
    return this.#name ?? ''
  }
  #name: string | undefined

  /** Begins a file under a temporary name. A file that a killed load left there is overwritten. */
  create(temporary: string): NewFile {
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 })
      return new NewFile(this.temporaryPath(temporary))
    } catch (error) {
      throw asStoreFault(error)
    }
  }

  temporaryPath(temporary: string): string {
    return join(this.path, `${temporary}.tmp`)
  }

  /** Gives a finished file its name. On return the name is on disk. */
  keep(temporary: string, digest: string): void {
    try {
      renameSync(this.temporaryPath(temporary), this.pathOf(digest))
      syncFolder(this.path)
    } catch (error) {
      throw asStoreFault(error)
    }
  }

  /**
   * Removes what killed processes had fetched in part. A file that is written in is being fetched by a living process.
   * A removed one of those would only be fetched again.
   */
  removeFetched(): void {
    if (!existsSync(this.path)) return
    for (const name of readdirSync(this.path)) {
      if (!/^fetched-[0-9a-f]{64}-[0-9a-f-]{36}\.tmp$/.test(name)) continue
      const path = join(this.path, name)
      const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(path, { throwIfNoEntry: false }) ?? {}
      if (Date.now() - mtimeMs > FETCH_QUIET_MS) rmSync(path, { force: true })
    }
  }

  removeTemporary(temporary: string): void {
    rmSync(this.temporaryPath(temporary), { force: true })
  }

  /** Makes a file available to other machines. On return they can fetch it. */
  async share(digest: string): Promise<void> {
    await this.remote?.put(digest, this.pathOf(digest))
  }

  /**
   * Fetches a file if another machine has made it, and returns whether it is here. A fetched file is read back before it
   * gets its name, and thrown away if its bytes do not match the name.
   */
  async bring(digest: string): Promise<boolean> {
    if (this.has(digest)) return true
    if (!this.remote) return false
    const temporary = `fetched-${digest}-${crypto.randomUUID()}`
    const path = this.temporaryPath(temporary)
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 })
      const isWhole = (await this.remote.get(digest, path)) && (await digestOf(path)) === digest
      if (isWhole) {
        syncFile(path)
        this.keep(temporary, digest)
      }
      return isWhole
    } finally {
      rmSync(path, { force: true })
    }
  }

  /** Removes a file here and from the remote storage. Copies that other machines have fetched stay. */
  async remove(digest: string): Promise<void> {
    await this.remote?.remove(digest)
    this.forget(digest)
    rmSync(this.pathOf(digest), { force: true })
  }

  /** Whether the bytes of a file match its name. `pause` is awaited between two pieces. */
  async isWhole(digest: string, pause?: () => Promise<void>): Promise<boolean> {
    return existsSync(this.pathOf(digest)) && (await digestOf(this.pathOf(digest), pause)) === digest
  }

  /**
   * Copies files into another folder, and returns those that are missing there afterwards. A file that is there already is
   * not copied again; with `reread`, only if its bytes match its name. Each copy is read back before it gets its name.
   */
  async copyTo(
    other: FileFolder,
    digests: readonly string[],
    { reread = false, pause }: CopyOptions = {},
  ): Promise<FileCopies> {
    const copies: FileCopies = { copied: 0, missing: [] }
    for (const digest of new Set(digests)) {
      if (await other.#isThere(digest, reread, pause)) continue
      if (await this.#copy(digest, other, pause)) copies.copied++
      else copies.missing.push(digest)
    }
    return copies
  }

  async #isThere(digest: string, reread: boolean, pause: CopyOptions['pause']): Promise<boolean> {
    return reread ? this.isWhole(digest, pause) : this.has(digest)
  }

  /** False if the file is missing here, or its bytes do not match its name. */
  async #copy(digest: string, other: FileFolder, pause: CopyOptions['pause']): Promise<boolean> {
    if (!this.has(digest)) return false
    const temporary = other.temporaryPath(digest)
    try {
      mkdirSync(other.path, { recursive: true, mode: 0o700 })
      copyFileSync(this.pathOf(digest), temporary, copying.COPYFILE_FICLONE)
      syncFile(temporary)
      const isWhole = (await digestOf(temporary, pause)) === digest
      if (isWhole) other.keep(digest, digest)
      return isWhole
    } catch (error) {
      throw asStoreFault(error)
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  close(): void {
    for (const file of this.#open.values()) file.close()
    this.#open.clear()
  }
}

interface CopyOptions {
  reread?: boolean
  /** Awaited after each piece that is read back. */
  pause?: (() => Promise<void>) | undefined
}

interface FileCopies {
  copied: number
  missing: string[]
}

/** The SHA-256 of a file as hex digits. `pause` is awaited between two pieces. */
export async function digestOf(path: string, pause?: () => Promise<void>): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const file = await openFile(path)
  try {
    const piece = new Uint8Array(PIECE_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, bytesRead))
      await pause?.()
    }
  } finally {
    await file.close()
  }
}

/** A name made of the creation time of a folder and its number in the file system. */
function folderName(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  return new Bun.CryptoHasher('sha256').update(`${ino} ${birthtimeNs}`).digest('hex').slice(0, 16)
}

/** A file that never changes, opened for reading. */
export class SealedFile {
  #database: Database | undefined
  #descriptor: number | undefined
  #isClosed = false

  constructor(readonly path: string) {}

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The rows of a query. Throws the error of SQLite if the file is missing or damaged. */
  all<Row>(sql: string, ...params: SQLQueryBindings[]): Row[] {
    return this.#connect()
      .query<Row, SQLQueryBindings[]>(sql)
      .all(...params)
  }

  get<Row>(sql: string, ...params: SQLQueryBindings[]): Row | undefined {
    return (
      this.#connect()
        .query<Row, SQLQueryBindings[]>(sql)
        .get(...params) ?? undefined
    )
  }

  /** Reads bytes from an offset on and returns how many it read. A closed file is not opened again, and gives 0. */
  read(into: Uint8Array, at: number, most = into.length): number {
    if (this.#isClosed) return 0
    this.#descriptor ??= openSync(this.path, 'r')
    return readSync(this.#descriptor, into, 0, most, at)
  }

  /** Opens the database without memory mapping: a mapped file that is truncated would end the process. */
  #connect(): Database {
    if (!this.#database) {
      const address = `${pathToFileURL(this.path).href}?immutable=1`
      this.#database = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI)
      this.#database.run('PRAGMA cache_size = -512')
    }
    return this.#database
  }

  close(): void {
    this.#database?.close()
    this.#database = undefined
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#isClosed = true
  }
}
