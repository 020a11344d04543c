import { HASH_SIZE, type Hash, nodeHash } from '../../proof/tree/merkle.ts'
import { BESIDE, BUNDLE_HEIGHT, BUNDLE_ROWS } from './bundle.ts'
import { bufferOf, levelsOf } from './levels.ts'

/** The lower nodes around the rows of one bundle. */
export interface BundleNodes {
  /** Over its rows, by height. */
  levels: readonly Buffer[]
  /** Beside the way from there to the root of the tile, the lowest first. */
  beside: Buffer
  /** What they say that the root of the tile is. */
  root: Hash
}

/** What a bundle in a full tile has of the tree; undefined if it has too little or too much. */
export function nodesIn(stored: Uint8Array, bundle: number): BundleNodes | undefined {
  const hashes = bufferOf(stored)
  if (hashes.length !== (BUNDLE_ROWS + BESIDE) * HASH_SIZE) return undefined
  const levels = levelsOf(hashes.subarray(0, BUNDLE_ROWS * HASH_SIZE))
  const beside = hashes.subarray(BUNDLE_ROWS * HASH_SIZE)
  let root: Hash = levels[BUNDLE_HEIGHT] as Buffer
  for (let i = 0; i < BESIDE; i++) {
    const side = beside.subarray(i * HASH_SIZE, (i + 1) * HASH_SIZE)
    root = ((bundle >> i) & 1) === 0 ? nodeHash(root, side) : nodeHash(side, root)
  }
  return { levels, beside, root }
}
