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
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length)
  if (frame.length < 6 || view.getUint32(0, true) !== MAGIC) return undefined
  const flags = view.getUint8(4)
  const isSingleSegment = (flags & 0x20) !== 0
  const sizeBytes = SIZE_BYTES[(flags >> 6) as 0 | 1 | 2 | 3] || Number(isSingleSegment)
  const sizeAt = 5 + Number(!isSingleSegment) + DICTIONARY_BYTES[(flags & 3) as 0 | 1 | 2 | 3]
  const blocksAt = sizeAt + sizeBytes
  if (sizeBytes === 0 || blocksAt > frame.length) return undefined
  const hasChecksum = (flags & 4) !== 0
  return endOfBlocks(view, blocksAt) + Number(hasChecksum) * 4 === frame.length
    ? sizeIn(view, sizeAt, sizeBytes)
    : undefined
}

function sizeIn(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at)
  if (bytes === 2) return view.getUint16(at, true) + 256
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))
}

/** The place after the last block; not a number if there is none. */
function endOfBlocks(view: DataView, from: number): number {
  for (let at = from; at + 3 <= view.byteLength; ) {
    const head = view.getUint16(at, true) + view.getUint8(at + 2) * 2 ** 16
    const isLast = (head & 1) === 1
    at += 3 + (((head >> 1) & 3) === RLE_BLOCK ? 1 : head >> 3)
    if (isLast) return at
  }
  return Number.NaN
}
