import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { refuseChanged, refuseUnreadable } from './plain-file.ts'
import { unreadable } from './unreadable.ts'
import { isZip, type Member, openArchive } from './zip.ts'

/** The name, size and digest of a file. They are known when all of it has been read. */
export interface FileIdentity {
  /** The file name given by the operator or the archive. Hostile: never show it. */
  name: string
  bytes: number
  sha256: string
}

/** A file of any size, read once from start to end. */
interface ByteStream {
  /** The file name given by the operator or the archive. It may contain an NPI. Hostile: never show it. */
  name: string
  /** The unpacked bytes; limits are checked while they are read. A chunk is valid until the next one is requested. */
  chunks: AsyncIterable<Uint8Array>
  /** Available after the last chunk. Anyone can compute the same digest: it is that of the published file, still gzipped
   *  if it was, or that of the unpacked member of an archive. */
  identity(): FileIdentity
}

const GIB = 1024 ** 3
const MAX_PACKED = 2 * GIB
const MAX_EXPANDED = 20 * GIB
const MAX_RATIO = 100
const CHUNK = 1024 * 1024
const WANTED = /\.(csv|json)$/i

/** Opens a file, plain or gzipped, or the only CSV or JSON file in a zip. `onRead` gets the number of bytes read so far. */
export async function openBytes(path: string, onRead: (bytes: number) => void = () => {}): Promise<ByteStream> {
  refuseUnreadable(path)
  const file = Bun.file(path)
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  const packed = isGzip(head) || isZip(head)
  if (packed && file.size > MAX_PACKED) throw unreadable('the file is larger than 2 GiB: unpack it first')
  if (file.size > MAX_EXPANDED) throw unreadable('the file is larger than 20 GiB')
  if (isZip(head)) return memberStream(path, onRead)

  const counter = new ByteCounter(onRead)
  const raw = counter.pass(readFile(path))
  return {
    name: basename(path),
    chunks: isGzip(head) ? inflated(raw, file.size) : raw,
    identity: () => counter.total(basename(path)),
  }
}

/** Reads a file with one buffer. A new one for each chunk would fill the memory before it is collected. */
async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const buffer = new Uint8Array(CHUNK)
    const before = await file.stat()
    for (let read = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK)
      read += bytesRead
      if (bytesRead === 0 || read > before.size) return refuseChanged(before, await file.stat(), read)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Passes chunks on, and counts and hashes their bytes. */
class ByteCounter {
  readonly #hash = new Bun.CryptoHasher('sha256')
  #bytes = 0

  constructor(readonly onRead: (bytes: number) => void) {}

  async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk)
      this.#bytes += chunk.length
      this.onRead(this.#bytes)
      yield chunk
    }
  }

  total(name: string): FileIdentity {
    const sha256 = this.#hash.copy().digest('hex')
    return { name, bytes: this.#bytes, sha256 }
  }
}

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b

/** Unpacks gzip, and stops at a limit: a small file that unpacks to a very large one is a bomb. */
async function* inflated(packed: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const most = Math.min(MAX_EXPANDED, size * MAX_RATIO)
  const gunzip = createGunzip({ chunkSize: CHUNK })
  const feeding = feed(packed, gunzip)
  let expanded = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      expanded += chunk.length
      if (expanded > most) throw unreadable('the file unpacks to more than the limits allow: unpack it first')
      yield chunk
    }
    await feeding
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code)
    throw /^(Z_|ERR_)/.test(code) ? unreadable('the file begins like gzip but is damaged: download it again') : error
  } finally {
    gunzip.destroy()
    feeding.catch(() => {}) // the error was thrown above
  }
}

/** Feeds one chunk at a time, because its buffer is reused, and because the whole file must not be in memory. */
async function feed(packed: AsyncIterable<Uint8Array>, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  const closed = new Promise<void>((done) => gunzip.once('close', done))
  for await (const chunk of packed) {
    if (gunzip.destroyed) return
    await Promise.race([new Promise<void>((done) => gunzip.write(chunk, () => done())), closed])
  }
  gunzip.end()
}

async function memberStream(path: string, onRead: (bytes: number) => void): Promise<ByteStream> {
  const archive = await openArchive(path)
  const [member, ...more] = archive.members.filter(({ path: name }) => WANTED.test(name))
  if (!member || more.length > 0) {
    archive.close()
    if (archive.members.some(({ path: name }) => name.startsWith('xl/')))
      throw unreadable('the file is a workbook: load the publisher\u2019s CSV or JSON file')
    throw unreadable(
      member
        ? 'the archive holds several CSV or JSON files: unpack it and give one at a time'
        : 'the archive holds no CSV or JSON file: check that it is the right one',
    )
  }
  const counter = new ByteCounter(onRead)
  async function* chunks({ stream }: Member): AsyncGenerator<Uint8Array> {
    try {
      yield* counter.pass(stream())
    } finally {
      archive.close()
    }
  }
  return {
    name: member.name,
    chunks: chunks(member),
    identity: () => counter.total(member.name),
  }
}
