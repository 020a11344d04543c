import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { S3Client, type S3File, type S3Options } from 'bun'
import { StoreBusy, StoreFault } from './fault.ts'
import { isUnpackingError, newPacker } from './zstd.ts'

/** Storage that several machines share. Files from there are hashed before they are used. */
export interface RemoteFiles {
  /** On return others can fetch the file. */
  put(digest: string, path: string): Promise<void>
  /** Fetches a file and writes it to a path. False if it does not exist or cannot be unpacked. */
  get(digest: string, path: string): Promise<boolean>
  remove(digest: string): Promise<void>
  /** Throws if the storage does not answer, or refuses the keys. */
  reach(): Promise<void>
}

/** The ending of the names of objects, and the setting with the address of the bucket. */
interface S3Names {
  ending: string
  setting: 'RELEASES' | 'ARCHIVE'
}
const RELEASES: S3Names = { ending: '.atr.zst', setting: 'RELEASES' }
export const COPIES: S3Names = { ending: '.zst', setting: 'ARCHIVE' }

/** The most bytes that a file may have when it is unpacked. */
const MOST_BYTES = 64 * 1024 ** 3

/**
 * A bucket of S3-compatible object storage. Each file is one object, `<prefix>/<digest>` and an ending, which exists whole or
 * not at all. The driver reads keys and address from `S3_ACCESS_KEY_ID`, `S3_SECRET_ACCESS_KEY`, `S3_ENDPOINT` and
 * `S3_REGION`, or from the same names with `AWS_`.
 */
export class S3Files implements RemoteFiles {
  readonly #client: S3Client
  readonly #prefix: string

  constructor(
    address: string,
    given: Omit<S3Options, 'bucket'> = {},
    private readonly names: S3Names = RELEASES,
  ) {
    const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(address) ?? []
    this.#client = new S3Client({ ...given, bucket })
    this.#prefix = prefix === '' ? '' : `${prefix}/`
  }

  has(digest: string): Promise<boolean> {
    return this.#request(() => this.#object(digest).exists())
  }

  async reach(): Promise<void> {
    await this.has('0'.repeat(64))
  }

  /** Sends a file. It is first compressed into the file `packed`. */
  async put(digest: string, path: string, packed = `${path}.zst`): Promise<void> {
    try {
      await pipeline(createReadStream(path), newPacker(), createWriteStream(packed, { mode: 0o600, flags: 'wx' }))
      await this.#request(() => this.#object(digest).write(Bun.file(packed)))
    } finally {
      rmSync(packed, { force: true })
    }
  }

  async get(digest: string, path: string): Promise<boolean> {
    if (!(await this.has(digest))) return false
    return this.#request(() => unpack(Readable.from(this.#object(digest).stream()), path, MOST_BYTES))
  }

  async remove(digest: string): Promise<void> {
    await this.#request(() => this.#object(digest).delete())
  }

  #object(digest: string): S3File {
    return this.#client.file(`${this.#prefix}${digest}${this.names.ending}`)
  }

  async #request<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      throw storageFault(error, this.names)
    }
  }
}

const storageFault = (cause: unknown, { setting }: S3Names): Error =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_S3_MISSING_CREDENTIALS'
    ? new StoreFault(`the keys of ${setting} are missing: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY`, { cause })
    : new StoreBusy(cause, `the object storage of ${setting} does not answer, or refuses the keys: try again`)

/** Writes what is unpacked to a path. False if it cannot be unpacked, or would be more than `most` bytes. */
export async function unpack(source: Readable, path: string, most: number): Promise<boolean> {
  try {
    await pipeline(source, createZstdDecompress(), atMost(most), createWriteStream(path, { mode: 0o600 }))
    return true
  } catch (error) {
    if (error instanceof RangeError || isUnpackingError(error)) return false
    throw error
  }
}

/** A few bytes can be unpacked to as many as one likes. */
const atMost = (most: number) =>
  async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const piece of pieces) {
      bytes += piece.length
      if (bytes > most) throw new RangeError('a file is unpacked to more than it may have')
      yield piece
    }
  }
