// Zstandard (RFC 8878), piece by piece: packing and unpacking take the same memory whatever the size.

import { Readable, type Transform } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'

const LEVEL = 3
/** Every decoder must be able to use 8 MiB (RFC 8878, section 3.1.1.1.2). A frame that needs more is refused. */
const MOST_WINDOW_LOG = 23
const PIECE_BYTES = 128 * 1024

export const newPacker = (): Transform =>
  createZstdCompress({ chunkSize: PIECE_BYTES, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })

/** Packs a stream. Nothing is open after the last piece, or when the caller stops reading. */
export const packed = (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> => through(pieces, newPacker())

/** Unpacks a stream, which may be hostile: a few bytes can be unpacked to any number, so the caller counts. */
export const unpacked = (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> =>
  through(
    pieces,
    createZstdDecompress({ chunkSize: PIECE_BYTES, params: { [constants.ZSTD_d_windowLogMax]: MOST_WINDOW_LOG } }),
  )

/** Whether an error says that bytes cannot be unpacked, and not that they cannot be read. */
export const isUnpackingError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(ZSTD|Z)_/.test(String(error.code))

async function* through(pieces: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Uint8Array> {
  const source = Readable.from(pieces)
  source.on('error', (error) => transform.destroy(error))
  try {
    yield* source.pipe(transform) as AsyncIterable<Uint8Array>
  } finally {
    source.destroy()
    transform.destroy()
  }
}
