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
