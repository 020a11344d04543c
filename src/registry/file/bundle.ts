import { sha256 } from '../../proof/sha256.ts'
import type { Hash } from '../../proof/tree/merkle.ts'

// Rows of a release that are neighbours lie together in bundles. Their texts have almost everything in common, so a
// bundle is about a twentieth of its rows. Its text is the keys, one in a line, and then each row after a zero byte:
// exactly the bytes that RFC 6962 hashes as a leaf.

/** A lookup unpacks one bundle: more rows would take longer, fewer would take more room. */
export const BUNDLE_ROWS = 32

const LEVEL = 1
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface Bundle {
  keys: readonly string[]
  bodies: readonly string[]
}

/** Packs rows. Their text is hashed as it is packed: what is hashed is what is stored. */
export class BundlePacker {
  #room = new Uint8Array(64 * 1024)

  /** Hands out the leaf hash of each row, and returns the packed bundle with a checksum of its text. */
  pack({ keys, bodies }: Bundle, onLeaf: (hash: Hash) => void, seed: bigint): { packed: Uint8Array; sum: bigint } {
    const text = `${keys.join('\n')}\0${bodies.join('\0')}`
    // No character takes more than three bytes.
    if (this.#room.length < text.length * 3) this.#room = new Uint8Array(text.length * 3)
    const bytes = this.#room.subarray(0, encoder.encodeInto(text, this.#room).written)
    let start = bytes.indexOf(0)
    for (let row = 0; row < bodies.length; row++) {
      const next = bytes.indexOf(0, start + 1)
      const isLast = row === bodies.length - 1
      if (next < 0 !== isLast) throw new Error('a row has a zero byte')
      const end = isLast ? bytes.length : next
      onLeaf(sha256(bytes.subarray(start, end)))
      start = end
    }
    return { packed: Bun.zstdCompressSync(bytes, { level: LEVEL }), sum: checksum(bytes, seed) }
  }
}

/** Notices bits that changed by accident. Digests are for what someone might change on purpose. */
export const checksum = (bytes: Uint8Array, seed: bigint): bigint => Bun.hash.xxHash3(bytes, seed)

export const unpackBytes = (packed: Uint8Array): Uint8Array => Bun.zstdDecompressSync(packed)

/** Undefined if it is not a bundle. */
export function unpack(packed: Uint8Array): Bundle | undefined {
  const [head = '', ...bodies] = decoder.decode(unpackBytes(packed)).split('\0')
  const keys = head.split('\n')
  return keys.length === bodies.length ? { keys, bodies } : undefined
}
