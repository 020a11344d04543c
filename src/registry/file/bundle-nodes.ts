import { HASH_SIZE, type Hash } from '../../proof/tree/merkle.ts'
import { BESIDE, BUNDLE_HEIGHT, BUNDLE_ROWS } from './bundle.ts'
import { bufferOf } from './levels.ts'

/** The lower nodes around the rows of one bundle. */
export interface BundleNodes {
  /** Over its rows, by height. */
  levels: readonly Buffer[]
  /** Beside the way from there to the root of the tile, the lowest first. */
  beside: Buffer
  /** What they say that the root of the tile is. */
  root: Hash
}

// They are worked out with every lookup, so they are hashed where they stand, and nothing is made for a single one: views
// of memory cost as much as hashing. Two nodes stand after the byte that RFC 6962 2.1 puts before them.
const pair = Buffer.alloc(1 + 2 * HASH_SIZE, 1)
const hashPair = (left: Uint8Array, right: Uint8Array, into: Uint8Array): void => {
  pair.set(left, 1)
  pair.set(right, 1 + HASH_SIZE)
  Bun.SHA256.hash(pair, into as Uint8Array<ArrayBuffer>)
}

/** What a bundle in a full tile has of the tree; undefined if it has too little or too much. */
export function nodesIn(stored: Uint8Array, bundle: number): BundleNodes | undefined {
  if (stored.length !== (BUNDLE_ROWS + BESIDE) * HASH_SIZE) return undefined
  const hashes = bufferOf(stored)
  const levels = [hashes.subarray(0, BUNDLE_ROWS * HASH_SIZE)]
  const made = Buffer.allocUnsafe(BUNDLE_ROWS * HASH_SIZE)
  let at = 0
  for (let height = 1; height <= BUNDLE_HEIGHT; height++) {
    const below = levels[height - 1] as Buffer
    const level = made.subarray(at, at + below.length / 2)
    for (let to = 0; to < level.length; to += HASH_SIZE) {
      below.copy(pair, 1, 2 * to, 2 * (to + HASH_SIZE))
      Bun.SHA256.hash(pair, level.subarray(to, to + HASH_SIZE))
    }
    levels.push(level)
    at += level.length
  }
  const beside = hashes.subarray(BUNDLE_ROWS * HASH_SIZE)
  const root = made.subarray(at, at + HASH_SIZE)
  root.set(levels[BUNDLE_HEIGHT] as Buffer)
  for (let i = 0; i < BESIDE; i++) {
    const side = beside.subarray(i * HASH_SIZE, (i + 1) * HASH_SIZE)
    if (((bundle >> i) & 1) === 0) hashPair(root, side, root)
    else hashPair(side, root, root)
  }
  return { levels, beside, root }
}
