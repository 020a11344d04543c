import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { Problem } from '../problem.ts'
import { unreadable } from './unreadable.ts'
import { type Bytes, type Entry, readDirectory } from './zip-directory.ts'

/** A file inside an archive. */
export interface Member {
  /** The path in the archive, and its last part. Hostile: compare them, never show them or write to them. */
  path: string
  name: string
  /** The declared size: a member of another size is refused while it is read. */
  size: number
  stream(): AsyncIterable<Uint8Array>
  /** All bytes at once, for small members. */
  unpack(limit: number): Uint8Array
}

export interface Archive {
  members: readonly Member[]
  close(): void
}

const CHUNK = 256 * 1024
const JUNK = /(^|\/)(__MACOSX\/|\.[^/]*$|Thumbs\.db$|desktop\.ini$)|\/$/i
const NESTED = /\.(zip|zipx|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|cab|lz4)$/i

export const isZip = (head: Uint8Array): boolean => head[0] === 0x50 && head[1] === 0x4b && (head[2] ?? 9) < 9

/** Opens a zip file by its directory. Nothing is unpacked until a member is read, and nothing is written. */
export async function openArchive(path: string): Promise<Archive> {
  const bytes = fileBytes(path)
  try {
    return archiveOf(bytes)
  } catch (error) {
    bytes.close()
    throw error
  }
}

/** Opens an archive that is in memory, as a workbook is. */
export const openArchiveBytes = (bytes: Uint8Array): Archive =>
  archiveOf({ size: bytes.length, read: (at, length) => bytes.subarray(at, at + length), close() {} })

function archiveOf(bytes: Bytes): Archive {
  const entries = readDirectory(bytes).filter(({ path }) => !JUNK.test(path))
  if (entries.some(({ path }) => NESTED.test(path)))
    throw unreadable('the archive holds another archive: unpack it and give the files themselves')
  return { members: entries.map((entry) => memberOf(bytes, entry)), close: () => bytes.close() }
}

function memberOf(bytes: Bytes, entry: Entry): Member {
  const { path, size } = entry
  return {
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    size,
    stream: () => checked(entry.stored ? packed(bytes, entry) : inflated(packed(bytes, entry)), entry),
    unpack(limit) {
      if (size > limit) throw unreadable(`a member of the archive is larger than ${limit / 1024 ** 2} MiB`)
      const whole = entry.stored ? bytes.read(entry.at, size) : inflate(bytes.read(entry.at, entry.packed), size)
      if (whole.length !== size || crc32(whole) !== entry.crc) throw corrupt()
      return whole
    },
  }
}

function* packed(bytes: Bytes, { at, packed: length }: Entry): Generator<Uint8Array> {
  for (let done = 0; done < length; ) {
    const chunk = bytes.read(at + done, Math.min(CHUNK, length - done))
    if (chunk.length === 0) throw corrupt()
    done += chunk.length
    yield chunk
  }
}

async function* inflated(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflater = createInflateRaw({ chunkSize: CHUNK })
  const feeding = pipeline(Readable.from(chunks), inflater)
  feeding.catch(() => {}) // the reader below sees the same error
  try {
    yield* inflater as AsyncIterable<Uint8Array>
  } catch (error) {
    throw asRefusal(error)
  } finally {
    inflater.destroy()
  }
}

/** Passes on at most the declared number of bytes, and throws unless size and checksum are as declared. */
async function* checked(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { size, crc }: Entry,
): AsyncGenerator<Uint8Array> {
  let seen = 0
  let sum = 0
  for await (const chunk of chunks) {
    seen += chunk.length
    if (seen > size) throw corrupt()
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (seen !== size || sum !== crc) throw corrupt()
}

function inflate(bytes: Uint8Array, size: number): Uint8Array {
  try {
    return new Uint8Array(inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) }))
  } catch (error) {
    throw asRefusal(error)
  }
}

const corrupt = (cause?: unknown): Problem =>
  new Problem(
    'source_unreadable',
    'a file in the archive is damaged: its size or checksum is not as declared; download the archive again',
    { cause },
  )

const asRefusal = (error: unknown): unknown =>
  /^(Z_|ERR_BUFFER_TOO_LARGE|ERR_OUT_OF_RANGE)/.test(String((error as { code?: unknown } | null)?.code))
    ? corrupt(error)
    : error

function fileBytes(path: string): Bytes {
  const fd = openFile(path)
  return {
    size: fstatSync(fd).size,
    read(at, length) {
      const buffer = new Uint8Array(length)
      let done = 0
      while (done < length) {
        const read = readSync(fd, buffer, done, length - done, at + done)
        if (read === 0) break
        done += read
      }
      return buffer.subarray(0, done)
    },
    close: () => closeSync(fd),
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw new Problem('source_unreadable', 'there is no such file, or it cannot be read', { cause })
  }
}
