// The bytes of a QR code: the text, padded, in blocks, each with its Reed-Solomon code (ISO/IEC 18004, 7.4 to 7.6).

/** Level M, by version, from version 1: codewords of error correction in each block, and how many blocks there are. */
const CHECK_CODEWORDS = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]
export const LARGEST_VERSION = BLOCKS.length

function allCodewords(version: number): number {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2
  const patterns = alignments === 0 ? 0 : (25 * alignments - 10) * alignments - 55 + (version >= 7 ? 36 : 0)
  return Math.floor(((16 * version + 128) * version + 64 - patterns) / 8)
}

const checkOf = (version: number): number => CHECK_CODEWORDS[version - 1] ?? 0
const blocksOf = (version: number): number => BLOCKS[version - 1] ?? 0
const dataCodewords = (version: number): number => allCodewords(version) - checkOf(version) * blocksOf(version)
const lengthBits = (version: number): number => (version < 10 ? 8 : 16)

/** The smallest version that holds so many bytes; one more than the largest if none does. */
export function versionFor(bytes: number): number {
  let version = 1
  while (version <= LARGEST_VERSION && 4 + lengthBits(version) + 8 * bytes > 8 * dataCodewords(version)) version++
  return version
}

/** All codewords in the order in which they are drawn. */
export function codewords(text: Uint8Array, version: number): Uint8Array {
  const data = padded(text, version)
  const [count, check] = [blocksOf(version), checkOf(version)]
  const short = Math.floor(data.length / count)
  const longBlocks = data.length % count
  let from = 0
  const blocks = Array.from({ length: count }, (_, i) => {
    const block = data.slice(from, from + short + (i >= count - longBlocks ? 1 : 0))
    from += block.length
    return { block, checks: remainderOf(block, generator(check)) }
  })
  const inTurn = (length: number, byteOf: (each: (typeof blocks)[number], at: number) => number | undefined) =>
    Array.from({ length }, (_, at) => blocks.flatMap((each) => byteOf(each, at) ?? [])).flat()
  return Uint8Array.from([
    ...inTurn(short + 1, ({ block }, at) => block[at]),
    ...inTurn(check, ({ checks }, at) => checks[at]),
  ])
}

/** Mode, length, text, end, and then two bytes in turn until the version is full. */
function padded(text: Uint8Array, version: number): Uint8Array {
  const size = lengthBits(version)
  const bits = `0100${text.length.toString(2).padStart(size, '0')}${[...text].map((byte) => byte.toString(2).padStart(8, '0')).join('')}`
  const capacity = dataCodewords(version)
  const ended = bits.padEnd(Math.min(bits.length + 4, capacity * 8), '0')
  const whole = ended.padEnd(Math.ceil(ended.length / 8) * 8, '0')
  const bytes = whole.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []
  const used = bytes.length
  return Uint8Array.from({ length: capacity }, (_, at) => bytes[at] ?? ((at - used) % 2 === 0 ? 0xec : 0x11))
}

/** Multiplication in the field of 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let product = 0
  for (let i = 7; i >= 0; i--) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> i) & 1) * a)
  return product
}

/** The product of (x - 2^i), without its first coefficient, which is 1. */
function generator(degree: number): Uint8Array {
  const result = new Uint8Array(degree)
  result[degree - 1] = 1
  let root = 1
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) result[j] = times(result[j] ?? 0, root) ^ (result[j + 1] ?? 0)
    root = times(root, 2)
  }
  return result
}

function remainderOf(block: Uint8Array, divisor: Uint8Array): Uint8Array {
  const rest = new Uint8Array(divisor.length)
  for (const byte of block) {
    const factor = byte ^ (rest[0] ?? 0)
    rest.copyWithin(0, 1)
    rest[rest.length - 1] = 0
    for (const [i, coefficient] of divisor.entries()) rest[i] = (rest[i] ?? 0) ^ times(coefficient, factor)
  }
  return rest
}
