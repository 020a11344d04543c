import { concat, toBase64 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, joinRight, perfectSubtrees } from '../../proof/tree/merkle.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../proof/tree/tiles.ts'
import { type PlacedHashes, placedHashes, viewOf } from '../bundle/placed-bundle.ts'
import { BESIDE, BUNDLE_HEIGHT, BUNDLE_ROWS, BUNDLES_PER_TILE } from './bundle.ts'
import {
  type BundleNodes,
  nodesFor,
  nodesIn,
  nodesOver,
  placeBeside,
  placeOfNode,
  placeOfRoot,
  writeBeside,
} from './bundle-nodes.ts'
import { bufferOf, isHashAt, levelsOf, MEMBER_BYTES, writeMember } from './levels.ts'
import { ahead } from './memory.ts'
import { Recent } from './recent.ts'
import { SHARED_HEIGHT, SharedTexts } from './shared-texts.ts'

// The tree over the rows of a release, for proofs. All nodes from the roots of the lowest tiles up are kept, which is one
// for every 128 rows. Those below stand in the bundles: they are read with a row, and checked against what is kept.

/** What the tiles of a tree are made of, each of which throws if it is not there. */
export interface TileParts {
  readonly rowCount: number
  /** A tile above the lowest. */
  tile(level: number, n: number): Uint8Array
  /** What a bundle has of the tree. */
  hashesIn(bundle: number): Uint8Array
}

/** What a tree is read from. */
export interface TreeParts extends TileParts {
  /** What to throw where they contradict each other. */
  fault(): Error
}

/** Any tile of a tree. The lowest ones are put together of bundles. */
export function tileOf(parts: TileParts, level: number, n: number): Uint8Array {
  if (level > 0) return parts.tile(level, n)
  const [from, to] = [n * TILE_WIDTH, Math.min(parts.rowCount, (n + 1) * TILE_WIDTH)]
  const leaves: Uint8Array[] = []
  for (let row = from; row < to; row += BUNDLE_ROWS)
    leaves.push(parts.hashesIn(row / BUNDLE_ROWS).subarray(0, Math.min(BUNDLE_ROWS, to - row) * HASH_SIZE))
  return concat(...leaves)
}

const MOST_CHECKED = 8
/** A path has fewer hashes than a number has bits. */
export const MOST_PATH_BYTES = 64 * MEMBER_BYTES

/** Where a path is written. */
export interface PathRoom {
  bytes: Buffer
  view: DataView
}

export class ReleaseTree {
  /** By height, from that of a full tile on: the perfect subtrees, side by side. */
  readonly #upper: readonly Buffer[]
  readonly #upperViews: readonly DataView[]
  /** Of the last tile, if it is not full, all nodes by height. */
  readonly #edge: readonly Buffer[]
  /** How many rows are in full tiles. */
  readonly #inTiles: number
  /** By height: the root of what is left at the right edge beside the perfect subtrees. */
  readonly #right: string[] = []
  readonly #checked = new Recent<number, BundleNodes>(MOST_CHECKED)
  readonly #shared: SharedTexts
  readonly #size: number

  private constructor(private readonly parts: TreeParts) {
    this.#size = parts.rowCount
    const full = Math.floor(this.#size / TILE_WIDTH)
    this.#inTiles = full * TILE_WIDTH
    this.#upper = levelsOf(rootsOfTiles(parts, full))
    this.#upperViews = this.#upper.map(viewOf)
    this.#edge = this.#inTiles === this.#size ? [] : levelsOf(tileOf(parts, 0, full))
    this.#shared = new SharedTexts(this.#size)
  }

  /** Undefined if they do not lead to this root. */
  static of(parts: TreeParts, root: string): ReleaseTree | undefined {
    const tree = new ReleaseTree(parts)
    return toBase64(tree.rangeRoot(0, parts.rowCount)) === root ? tree : undefined
  }

  /** The root over neighbouring leaves. */
  rangeRoot(from: number, to: number): Hash {
    return joinRight(perfectSubtrees(from, to).map(({ height, index }) => this.#node(height, index)))
  }

  /** PATH of RFC 6962 2.1.1 in base64, if it leads from this leaf to the root: undefined for a leaf that is not there. */
  path(index: number, leaf: Hash): string[] | undefined {
    if (index >= this.#size) return undefined
    const path: string[] = []
    if (index < this.#inTiles) {
      const bundle = Math.floor(index / BUNDLE_ROWS)
      const place = index % BUNDLE_ROWS
      const { nodes } = this.#nodesAround(bundle)
      if (!isAt(nodes, placeOfNode(0, place), leaf)) return undefined
      for (let height = 0; height < BUNDLE_HEIGHT; height++)
        path.push(textAt(nodes, placeOfNode(height, (place >> height) ^ 1)))
      for (let i = 0; i < BESIDE; i++) path.push(textAt(nodes, placeBeside(bundle, i)))
    } else if (!isAt(this.#edge[0], (index - this.#inTiles) * HASH_SIZE, leaf)) return undefined
    this.#addSiblings(path, index, index < this.#inTiles ? TILE_HEIGHT : 0)
    return path
  }

  /** Whether all hashes of a bundle in a full tile lead to the root. */
  isSound(bundle: number, stored: PlacedHashes): boolean {
    const found = bundle * BUNDLE_ROWS < this.#inTiles ? nodesOver(stored, bundle) : undefined
    return found !== undefined && this.#leads(bundle, found)
  }

  /** Whether the hash of a leaf is in what is stored, and known to be its own. Rows at the edge are proved by another way. */
  isKnown(index: number, stored: PlacedHashes): boolean {
    return stored.isSound && index < this.#inTiles
  }

  /**
   * Writes the same as the members of a JSON list, and gives the place after it; -1 for a leaf that is not there. There must
   * be `MOST_PATH_BYTES` of room. `stored` is what the bundle of the leaf has of the tree, if it was read with the leaf. No leaf has to be
   * given where that `isKnown`.
   */
  writePath({ bytes, view }: PathRoom, to: number, index: number, leaf?: Hash, stored?: PlacedHashes): number {
    if (index >= this.#inTiles) {
      const path = leaf && this.path(index, leaf)
      return path ? to + bytes.write(path.map((hash) => `"${hash}"`).join(), to, 'latin1') : -1
    }
    const bundle = Math.floor(index / BUNDLE_ROWS)
    const place = index % BUNDLE_ROWS
    let at = stored?.isSound
      ? this.#writeKnown(view, to, place, stored)
      : this.#writeChecked(view, to, bundle, place, leaf, stored)
    if (at < 0) return at
    for (let height = TILE_HEIGHT; height < SHARED_HEIGHT && 2 ** height < this.#size; height++) {
      const sibling = (index >> height) ^ 1
      const level = this.#upperViews[height - TILE_HEIGHT] as DataView
      if (sibling * HASH_SIZE < level.byteLength) at = writeMember(view, at, level, sibling * HASH_SIZE)
      else if (sibling * 2 ** height < this.#size)
        at += bytes.write(`"${this.#rightOf(height, sibling * 2 ** height)}",`, at, 'latin1')
    }
    return this.#writeShared(bytes, at, index) - 1
  }

  /** The rest of the path, which all rows have in common that are under one node of `SHARED_HEIGHT`. */
  #writeShared(bytes: Buffer, to: number, index: number): number {
    const known = this.#shared.write(bytes, to, index)
    if (known >= 0) return known
    const hashes: string[] = []
    this.#addSiblings(hashes, index, SHARED_HEIGHT)
    this.#shared.put(index, hashes)
    return this.#shared.write(bytes, to, index)
  }

  /** Reads a little of what `writePath` will read for a row. */
  readAhead(index: number): void {
    let sum = this.#shared.glance(index)
    for (let height = TILE_HEIGHT; height < SHARED_HEIGHT && 2 ** height < this.#size; height++) {
      const at = ((index >> height) ^ 1) * HASH_SIZE
      const level = this.#upperViews[height - TILE_HEIGHT] as DataView
      if (at < level.byteLength) sum += level.getInt8(at)
    }
    ahead[0] = sum
  }

  /** From a leaf up to the root of its tile, where all that is stored is known to lead there. */
  #writeKnown(view: DataView, to: number, place: number, stored: PlacedHashes): number {
    const at = writeBeside(view, to, stored, place)
    if (at < 0) throw this.parts.fault()
    return at
  }

  /** The same where that is found out first; -1 if it is another leaf. */
  #writeChecked(
    view: DataView,
    to: number,
    bundle: number,
    place: number,
    leaf: Hash | undefined,
    stored: PlacedHashes | undefined,
  ): number {
    const { nodes, view: lower } = this.#checked.find(bundle) ?? this.#nodesFor(stored, bundle, place)
    if (!leaf || !isAt(nodes, placeOfNode(0, place), leaf)) return -1
    let at = to
    for (let height = 0; height < BUNDLE_HEIGHT; height++)
      at = writeMember(view, at, lower, placeOfNode(height, (place >> height) ^ 1))
    for (let i = 0; i < BESIDE; i++) at = writeMember(view, at, lower, placeBeside(bundle, i))
    return at
  }

  /** Adds to a path what is beside the way up from a row, from a height on. */
  #addSiblings(path: string[], index: number, from: number): void {
    for (let height = from; 2 ** height < this.#size; height++) {
      const width = 2 ** height
      const sibling = Math.floor(index / width) ^ 1
      if ((sibling + 1) * width <= this.#size) path.push(bufferOf(this.#node(height, sibling)).toString('base64'))
      else if (sibling * width < this.#size) path.push(this.#rightOf(height, sibling * width))
    }
  }

  #rightOf(height: number, from: number): string {
    const known = this.#right[height] ?? toBase64(this.rangeRoot(from, this.#size))
    this.#right[height] = known
    return known
  }

  /** The root of a perfect subtree. */
  #node(height: number, index: number): Hash {
    if (height >= TILE_HEIGHT) return hashAt(this.#upper[height - TILE_HEIGHT], index)
    const firstRow = index * 2 ** height
    if (firstRow >= this.#inTiles) return hashAt(this.#edge[height], index - this.#inTiles / 2 ** height)
    if (height <= BUNDLE_HEIGHT) {
      const bundle = Math.floor(firstRow / BUNDLE_ROWS)
      const own = (firstRow % BUNDLE_ROWS) / 2 ** height
      return this.#nodeAt(bundle, height < BUNDLE_HEIGHT ? placeOfNode(height, own) : placeOfRoot(bundle))
    }
    // It stands in the bundles under the node beside it.
    const bundle = (index ^ 1) * 2 ** (height - BUNDLE_HEIGHT)
    return this.#nodeAt(bundle, placeBeside(bundle, height - BUNDLE_HEIGHT))
  }

  #nodeAt(bundle: number, at: number): Hash {
    return this.#nodesAround(bundle).nodes.subarray(at, at + HASH_SIZE)
  }

  #nodesAround(bundle: number): BundleNodes {
    return (
      this.#checked.find(bundle) ??
      this.#checked.put(bundle, this.#lead(bundle, nodesIn(this.parts.hashesIn(bundle), bundle)))
    )
  }

  /** Those that the proof of one row needs. Valid until the next call. */
  #nodesFor(stored: PlacedHashes | undefined, bundle: number, place: number): BundleNodes {
    return this.#lead(bundle, nodesFor(stored ?? placedHashes(this.parts.hashesIn(bundle)), bundle, place))
  }

  /** The same nodes of a bundle in a full tile, after they were found to lead to its root. */
  #lead(bundle: number, found: BundleNodes | undefined): BundleNodes {
    if (!found || !this.#leads(bundle, found)) throw this.parts.fault()
    return found
  }

  #leads(bundle: number, { root }: BundleNodes): boolean {
    return isAt(this.#upper[0], Math.floor(bundle / BUNDLES_PER_TILE) * HASH_SIZE, root)
  }
}

/** The roots of all full tiles of leaves: what the tiles of the level above hold. */
function rootsOfTiles(parts: TileParts, full: number): Uint8Array {
  const roots = new Uint8Array(full * HASH_SIZE)
  for (let n = 0; n * TILE_WIDTH < full; n++)
    roots.set(parts.tile(1, n).subarray(0, roots.length - n * TILE_WIDTH * HASH_SIZE), n * TILE_WIDTH * HASH_SIZE)
  return roots
}

function hashAt(level: Buffer | undefined, index: number): Hash {
  const at = index * HASH_SIZE
  if (!level || at + HASH_SIZE > level.length) throw new RangeError('a tile is narrower than the tree says')
  return level.subarray(at, at + HASH_SIZE)
}

const textAt = (hashes: Buffer, at: number): string => hashes.toString('base64', at, at + HASH_SIZE)

const isAt = (hashes: Buffer | undefined, at: number, hash: Hash): boolean =>
  hashes !== undefined && isHashAt(hashes, at, hash)
