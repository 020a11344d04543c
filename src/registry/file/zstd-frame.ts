// The head of a zstd frame, RFC 8878 section 3.1.1, read before anything is unpacked: sixteen kilobytes can unpack to half a
// gigabyte, and a file from elsewhere is not trusted before its rows were read.

const MAGIC = 0xfd2fb528
/** By the two bits that say so: how many bytes the size of the content takes, and the number of a dictionary. */
const SIZE_BYTES = [0, 2, 4, 8] as const
const DICTIONARY_BYTES = [0, 1, 2, 4] as const
const RLE_BLOCK = 1

/**
 * How many bytes a frame says that it unpacks to; an unpacker stops with an error past that. Undefined unless these bytes are
 * one frame that says it, and nothing after it.
 */
export function contentSize(frame: Uint8Array): number | undefined {
  if (frame.length < 6 || numberAt(frame, 0, 4) !== MAGIC) return undefined
  const flags = frame[4] as number
  const isSingleSegment = (flags & 0x20) !== 0
  const sizeBytes = SIZE_BYTES[(flags >> 6) as 0 | 1 | 2 | 3] || Number(isSingleSegment)
  const sizeAt = 5 + Number(!isSingleSegment) + DICTIONARY_BYTES[(flags & 3) as 0 | 1 | 2 | 3]
  const blocksAt = sizeAt + sizeBytes
  if (sizeBytes === 0 || blocksAt > frame.length) return undefined
  const hasChecksum = (flags & 4) !== 0
  if (endOfBlocks(frame, blocksAt) + Number(hasChecksum) * 4 !== frame.length) return undefined
  return numberAt(frame, sizeAt, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}

/** A number of so many bytes, the lowest first. Without a view: one is made with every lookup, and costs more than reading. */
function numberAt(frame: Uint8Array, at: number, bytes: number): number {
  let number = 0
  for (let i = bytes - 1; i >= 0; i--) number = number * 256 + (frame[at + i] as number)
  return number
}

/** The place after the last block; not a number if there is none. */
function endOfBlocks(frame: Uint8Array, from: number): number {
  for (let at = from; at + 3 <= frame.length; ) {
    const head = numberAt(frame, at, 3)
    const isLast = (head & 1) === 1
    at += 3 + (((head >> 1) & 3) === RLE_BLOCK ? 1 : head >> 3)
    if (isLast) return at
  }
  return Number.NaN
}
