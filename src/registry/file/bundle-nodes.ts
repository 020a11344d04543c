import { HASH_SIZE, type Hash } from '../../proof/tree/merkle.ts'
import { type PlacedHashes, placedHashes, viewOf } from '../bundle/placed-bundle.ts'
import {
  BESIDE,
  BESIDE_AT,
  BUNDLE_HASHES,
  BUNDLE_HEIGHT,
  BUNDLE_ROWS,
  HALF_HEIGHT,
  HALVES_AT,
  MIDDLE_AT,
  MIDDLE_HEIGHT,
  MIDDLE_NODES,
} from './bundle.ts'
import { writeMember } from './levels.ts'

/** The lower nodes around the rows of one bundle. */
export interface BundleNodes {
  /** Those over its rows, and those beside the way from there to the root of the tile: see `placeOfNode`. */
  nodes: Buffer
  /** The same bytes. */
  view: DataView
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
const roomView = viewOf(room)
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
/** Two for each step. */
const wayUp = Array.from({ length: 2 * BESIDE }, (_, i) => viewAt(placeAbove(i >> 1, i & 1)))
const top = room.subarray(PAIRS * PAIR_BYTES)
const here: BundleNodes = { nodes: room, view: roomView, root: top }

const middle = Array.from({ length: MIDDLE_NODES }, (_, i) => placeOfNode(MIDDLE_HEIGHT, i))
const halves = [placeOfNode(HALF_HEIGHT, 0), placeOfNode(HALF_HEIGHT, 1)]
const GROUP = BUNDLE_ROWS / MIDDLE_NODES
const STORED_BYTES = BUNDLE_HASHES * HASH_SIZE
/** For each of the nodes in the middle: the pairs on the way from its leaves to the root of the tile. */
const wayFrom = middle.map((_, group) => Int32Array.from(pairsBetween(group)))

/** Those that lead to a node in the middle, and from there up. */
function pairsBetween(group: number): number[] {
  return pairs.flatMap((_, pair) => {
    const height = FIRST_PAIR.findLastIndex((first) => first <= pair)
    const number = pair - (FIRST_PAIR[height] as number)
    const isUnder = height < MIDDLE_HEIGHT && number >> (MIDDLE_HEIGHT - 1 - height) === group
    const isOver = height >= MIDDLE_HEIGHT && number === group >> (height + 1 - MIDDLE_HEIGHT)
    return pair >= OWN_PAIRS || isUnder || isOver ? [pair] : []
  })
}

const all = Int32Array.from(pairs, (_, pair) => pair)

/**
 * What is needed of the tree for the proof of one row, if a bundle in a full tile has neither too little nor too much. The
 * nodes above other rows are taken as they are stored: all must lead to the root of the tile. Valid until the next call.
 */
export function nodesFor(stored: PlacedHashes, bundle: number, row: number): BundleNodes | undefined {
  return stored.hashesSize === STORED_BYTES
    ? climbed(stored, bundle, row, wayFrom[row >> MIDDLE_HEIGHT] as Int32Array)
    : undefined
}

/** The same for all its rows. */
export function nodesOver(stored: PlacedHashes, bundle: number): BundleNodes | undefined {
  if (stored.hashesSize !== STORED_BYTES) return undefined
  for (let i = 0; i < BUNDLE_ROWS; i += 2) copyHashes(stored, i, 2, leaves[i] as number)
  copyBeside(stored, bundle)
  hashPairs(bundle, all)
  for (let i = 0; i < MIDDLE_NODES; i++) if (!isStored(stored, MIDDLE_AT + i, middle[i] as number)) return undefined
  for (let i = 0; i < 2; i++) if (!isStored(stored, HALVES_AT + i, halves[i] as number)) return undefined
  return here
}

/** The same, to be kept. */
export function nodesIn(stored: Uint8Array, bundle: number): BundleNodes | undefined {
  if (!nodesOver(placedHashes(stored), bundle)) return undefined
  const nodes = Buffer.from(room)
  return { nodes, view: viewOf(nodes), root: nodes.subarray(PAIRS * PAIR_BYTES) }
}

const pair = Buffer.alloc(PAIR_BYTES, 1)
const pairView = viewOf(pair)
const node = Buffer.alloc(HASH_SIZE)
const nodeView = viewOf(node)

/**
 * Writes what is beside the way from a row of a sound bundle to the root of its tile, as members of a JSON list, and gives the
 * place after it; -1 if it has too little or too much. Nothing is worked out but what is written.
 */
export function writeBeside(out: DataView, to: number, stored: PlacedHashes, row: number): number {
  const { hashes, hashesAt } = stored
  if (stored.hashesSize !== STORED_BYTES) return -1
  let at = writeMember(out, to, hashes, hashesAt + (row ^ 1) * HASH_SIZE)
  at = writePair(out, at, stored, ((row >> 1) ^ 1) * 2)
  at = writeMember(out, at, hashes, hashesAt + (MIDDLE_AT + ((row >> MIDDLE_HEIGHT) ^ 1)) * HASH_SIZE)
  at = writeMember(out, at, hashes, hashesAt + (HALVES_AT + ((row >> HALF_HEIGHT) ^ 1)) * HASH_SIZE)
  for (let i = 0; i < BESIDE; i++) at = writeMember(out, at, hashes, hashesAt + (BESIDE_AT + i) * HASH_SIZE)
  return at
}

/** The node over two that stand side by side. */
function writePair(out: DataView, at: number, { hashes, hashesAt }: PlacedHashes, first: number): number {
  const start = hashesAt + first * HASH_SIZE
  for (let i = 0; i < 2 * HASH_SIZE; i += 4) pairView.setInt32(1 + i, hashes.getInt32(start + i, true), true)
  Bun.SHA256.hash(pair, node)
  return writeMember(out, at, nodeView, 0)
}

function climbed(stored: PlacedHashes, bundle: number, row: number, some: Int32Array): BundleNodes {
  const first = row - (row % GROUP)
  for (let i = first; i < first + GROUP; i += 2) copyHashes(stored, i, 2, leaves[i] as number)
  // The nodes beside the way stay as they are stored; those on it are hashed over them.
  for (let i = 0; i < MIDDLE_NODES; i += 2) copyHashes(stored, MIDDLE_AT + i, 2, middle[i] as number)
  copyHashes(stored, HALVES_AT, 2, halves[0] as number)
  copyBeside(stored, bundle)
  hashPairs(bundle, some)
  return here
}

function copyBeside(stored: PlacedHashes, bundle: number): void {
  for (let i = 0; i < BESIDE; i++) copyHashes(stored, BESIDE_AT + i, 1, placeBeside(bundle, i))
}

function hashPairs(bundle: number, some: Int32Array): void {
  for (let at = 0; at < some.length; at++) {
    const i = some[at] as number
    const step = i - OWN_PAIRS + 1
    const into = step < 0 ? above[i] : step < BESIDE ? wayUp[2 * step + ((bundle >> step) & 1)] : top
    Bun.SHA256.hash(pairs[i] as Buffer<ArrayBuffer>, into as Buffer<ArrayBuffer>)
  }
}

/** The two of a pair stand side by side, so they are copied at once. */
function copyHashes({ hashes, hashesAt }: PlacedHashes, index: number, count: number, to: number): void {
  const start = hashesAt + index * HASH_SIZE
  for (let i = 0; i < count * HASH_SIZE; i += 4) roomView.setInt32(to + i, hashes.getInt32(start + i, true), true)
}

function isStored({ hashes, hashesAt }: PlacedHashes, index: number, at: number): boolean {
  const start = hashesAt + index * HASH_SIZE
  for (let i = 0; i < HASH_SIZE; i += 4) if (roomView.getInt32(at + i) !== hashes.getInt32(start + i)) return false
  return true
}
