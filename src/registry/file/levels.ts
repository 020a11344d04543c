import { HASH_SIZE, pairHash } from '../../proof/tree/merkle.ts'

/** These hashes, and level by level the perfect subtrees above them. */
export function levelsOf(hashes: Uint8Array): Buffer[] {
  const levels = [bufferOf(hashes)]
  for (let level = hashes; level.length >= 2 * HASH_SIZE; ) {
    const above = new Uint8Array(Math.floor(level.length / (2 * HASH_SIZE)) * HASH_SIZE)
    for (let at = 0; at < above.length; at += HASH_SIZE)
      above.set(pairHash(level.subarray(2 * at, 2 * (at + HASH_SIZE))), at)
    levels.push(bufferOf(above))
    level = above
  }
  return levels
}

/** The same bytes, which can be compared and written as base64 without a copy. */
export const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)

/** Two characters of base64 for every twelve bits, as they stand in memory. */
const TWO_CHARACTERS = new Uint16Array(4096)
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
for (let bits = 0; bits < 4096; bits++)
  TWO_CHARACTERS[bits] = CHARACTERS.charCodeAt(bits >> 6) | (CHARACTERS.charCodeAt(bits & 63) << 8)

/** Writes a hash as base64, and gives the place after it: an answer has dozens, and to make a text of each takes longer. */
export function writeHash(out: DataView, to: number, hashes: DataView, from: number): number {
  let at = to
  for (let i = from; i < from + 30; i += 3) {
    // Four bytes, of which three are wanted: one step in place of three.
    const bits = hashes.getInt32(i)
    const first = TWO_CHARACTERS[bits >>> 20] as number
    const second = TWO_CHARACTERS[(bits >>> 8) & 4095] as number
    out.setInt32(at, first | (second << 16), true)
    at += 4
  }
  const bits = hashes.getUint16(from + 30)
  out.setUint16(at, TWO_CHARACTERS[bits >>> 4] as number, true)
  out.setUint8(at + 2, TWO_CHARACTERS[(bits & 15) << 8] as number)
  out.setUint8(at + 3, EQUALS)
  return at + 4
}

const EQUALS = 61

/** How long a hash is as a member of a JSON list, with a comma after it. */
export const MEMBER_BYTES = 47

/** Writes it so. */
export function writeMember(out: DataView, to: number, hashes: DataView, from: number): number {
  out.setUint8(to, QUOTE)
  const at = writeHash(out, to + 1, hashes, from)
  out.setUint16(at, QUOTE_AND_COMMA)
  return at + 2
}

const [QUOTE, QUOTE_AND_COMMA] = [0x22, 0x222c]

/** Whether a hash stands at a place among others. */
export function isHashAt(hashes: Uint8Array, at: number, hash: Uint8Array): boolean {
  for (let i = 0; i < HASH_SIZE; i++) if (hashes[at + i] !== hash[i]) return false
  return true
}
