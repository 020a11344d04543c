import { HASH_SIZE, type Hash } from '../../proof/tree/merkle.ts'
import { BESIDE, BUNDLE_HEIGHT, BUNDLE_ROWS } from './bundle.ts'

/** The lower nodes around the rows of one bundle. */
export interface BundleNodes {
  /** Those over its rows, and those beside the way from there to the root of the tile: see `placeOfNode`. */
  nodes: Buffer
  /** What they say that the root of the tile is. */
  root: Hash
}

// Nodes are worked out with every lookup, always in the same places: making views of memory costs as much as hashing. Two
// nodes stand after the byte that RFC 6962 2.1 puts before them, so they are hashed where they stand. First come the pairs of
// leaves, then those of each height above; the last ones are the way up to the root of the tile, with what is beside it.
const PAIR_BYTES = 1 + 2 * HASH_SIZE
const OWN_PAIRS = BUNDLE_ROWS - 1
const PAIRS = OWN_PAIRS + BESIDE
const room = Buffer.alloc(PAIRS * PAIR_BYTES + HASH_SIZE)
const pairs = Array.from({ length: PAIRS }, (_, i) => {
  room[i * PAIR_BYTES] = 1
  return room.subarray(i * PAIR_BYTES, (i + 1) * PAIR_BYTES)
})
/** By height: the number of its first pair. */
const FIRST_PAIR = Array.from({ length: BUNDLE_HEIGHT }, (_, height) => BUNDLE_ROWS - (BUNDLE_ROWS >> height))
const viewAt = (at: number): Buffer => room.subarray(at, at + HASH_SIZE)

/** Where a node over rows of a bundle begins, by its height and its number from the left. */
export const placeOfNode = (height: number, index: number): number =>
  ((FIRST_PAIR[height] as number) + (index >> 1)) * PAIR_BYTES + 1 + (index & 1) * HASH_SIZE

/** Where the node over all of them begins. */
export const placeOfRoot = (bundle: number): number => placeAbove(0, bundle & 1)

/** The same of a node on the way from a bundle to the root of the tile (side 0 or 1 of its pair). */
const placeAbove = (step: number, side: number): number => (OWN_PAIRS + step) * PAIR_BYTES + 1 + side * HASH_SIZE

/** Where a node begins that is beside the way from a bundle to the root of the tile, the lowest first. */
export const placeBeside = (bundle: number, step: number): number => placeAbove(step, ((bundle >> step) & 1) ^ 1)

const leaves = Array.from({ length: BUNDLE_ROWS }, (_, i) => placeOfNode(0, i))
/** Where the hash of each pair of the bundle goes, but for the last: that is the first node of the way up. */
const above = pairs.slice(0, OWN_PAIRS - 1).map((_, i) => {
  const height = FIRST_PAIR.findLastIndex((first) => first <= i)
  return viewAt(placeOfNode(height + 1, i - (FIRST_PAIR[height] as number)))
})
const wayUp = Array.from({ length: BESIDE }, (_, step) => [0, 1].map((side) => viewAt(placeAbove(step, side))))
const top = room.subarray(PAIRS * PAIR_BYTES)

/** What a bundle in a full tile has of the tree; undefined if it has too little or too much. Valid until the next one is asked. */
export function shortNodesIn(stored: Uint8Array, bundle: number): BundleNodes | undefined {
  if (stored.length !== (BUNDLE_ROWS + BESIDE) * HASH_SIZE) return undefined
  for (let i = 0; i < BUNDLE_ROWS; i++) copyHash(stored, i, leaves[i] as number)
  for (let i = 0; i < BESIDE; i++) copyHash(stored, BUNDLE_ROWS + i, placeBeside(bundle, i))
  for (let i = 0; i < PAIRS; i++) {
    const step = i - OWN_PAIRS + 1
    const into = step < 0 ? above[i] : step < BESIDE ? wayUp[step]?.[(bundle >> step) & 1] : top
    Bun.SHA256.hash(pairs[i] as Buffer<ArrayBuffer>, into as Buffer<ArrayBuffer>)
  }
  return { nodes: room, root: top }
}

/** The same, to be kept. */
export function nodesIn(stored: Uint8Array, bundle: number): BundleNodes | undefined {
  const found = shortNodesIn(stored, bundle)
  if (!found) return undefined
  const nodes = Buffer.from(room)
  return { nodes, root: nodes.subarray(PAIRS * PAIR_BYTES) }
}

function copyHash(from: Uint8Array, index: number, to: number): void {
  const start = index * HASH_SIZE
  for (let i = 0; i < HASH_SIZE; i++) room[to + i] = from[start + i] as number
}
