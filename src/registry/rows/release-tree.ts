import { concat, equalBytes, toBase64 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, joinRight, nodeHash, pairHash, perfectSubtrees } from '../../proof/tree/merkle.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../proof/tree/tiles.ts'
import { BUNDLE_HEIGHT, BUNDLE_ROWS, BUNDLES_PER_TILE, NODES_BESIDE } from './bundle.ts'
import { Recent } from './recent.ts'

// The tree over the rows of a release, for proofs. All nodes from the roots of the lowest tiles up are kept in memory, which
// is one for every 128 rows. The nodes below are stored with the bundles: they are read with a row, and checked against
// what is kept.

/** Where the tiles of a tree are read from. Each member throws if the file does not have it. */
export interface TileSource {
  readonly rowCount: number
  /** A tile above the lowest. */
  tile(level: number, n: number): Uint8Array
  /** The hashes that a bundle stores. */
  hashesIn(bundle: number): Uint8Array
}

export interface TreeSource extends TileSource {
  /** The error to throw where hashes contradict each other. */
  fault(): Error
}

/** Any tile of a tree. The lowest ones are put together of bundles. */
export function tileOf(source: TileSource, level: number, n: number): Uint8Array {
  if (level > 0) return source.tile(level, n)
  const [from, to] = [n * TILE_WIDTH, Math.min(source.rowCount, (n + 1) * TILE_WIDTH)]
  const leaves: Uint8Array[] = []
  for (let row = from; row < to; row += BUNDLE_ROWS)
    leaves.push(source.hashesIn(row / BUNDLE_ROWS).subarray(0, Math.min(BUNDLE_ROWS, to - row) * HASH_SIZE))
  return concat(...leaves)
}

/** Hashes side by side, and level by level the perfect subtrees above them. */
export function levelsOf(hashes: Uint8Array): Uint8Array[] {
  const levels = [hashes]
  for (let level = hashes; level.length >= 2 * HASH_SIZE; ) {
    const above = new Uint8Array(Math.floor(level.length / (2 * HASH_SIZE)) * HASH_SIZE)
    for (let at = 0; at < above.length; at += HASH_SIZE)
      above.set(pairHash(level.subarray(2 * at, 2 * (at + HASH_SIZE))), at)
    levels.push(above)
    level = above
  }
  return levels
}

/** The nodes of a full tile that one bundle knows. */
export interface BundleNodes {
  /** Over its rows, by height. */
  levels: readonly Uint8Array[]
  /** Beside the way from the bundle to the root of the tile, the lowest first. */
  beside: Uint8Array
  /** The root of the tile that follows from these. */
  root: Hash
}

/** Undefined if a bundle stores too few hashes or too many. */
export function nodesIn(hashes: Uint8Array, bundle: number): BundleNodes | undefined {
  if (hashes.length !== (BUNDLE_ROWS + NODES_BESIDE) * HASH_SIZE) return undefined
  const levels = levelsOf(hashes.subarray(0, BUNDLE_ROWS * HASH_SIZE))
  const beside = hashes.subarray(BUNDLE_ROWS * HASH_SIZE)
  let root = levels[BUNDLE_HEIGHT] as Hash
  for (let step = 0; step < NODES_BESIDE; step++) {
    const side = hashAt(beside, step)
    root = ((bundle >> step) & 1) === 0 ? nodeHash(root, side) : nodeHash(side, root)
  }
  return { levels, beside, root }
}

const MOST_CHECKED = 8

export class ReleaseTree {
  /** By height, from that of a full tile on: the perfect subtrees, side by side. */
  readonly #upper: readonly Uint8Array[]
  /** All nodes of the last tile by height, if it is not full. */
  readonly #edge: readonly Uint8Array[]
  /** How many rows are in full tiles. */
  readonly #inTiles: number
  /** By height: the root of what is left at the right edge beside the perfect subtrees. */
  readonly #right: Hash[] = []
  readonly #checked = new Recent<number, BundleNodes>(MOST_CHECKED)
  readonly #size: number

  private constructor(private readonly source: TreeSource) {
    this.#size = source.rowCount
    const full = Math.floor(this.#size / TILE_WIDTH)
    this.#inTiles = full * TILE_WIDTH
    this.#upper = levelsOf(rootsOfTiles(source, full))
    this.#edge = this.#inTiles === this.#size ? [] : levelsOf(tileOf(source, 0, full))
  }

  /** Undefined if the stored hashes do not lead to this root. */
  static of(source: TreeSource, root: string): ReleaseTree | undefined {
    const tree = new ReleaseTree(source)
    return toBase64(tree.rangeRoot(0, source.rowCount)) === root ? tree : undefined
  }

  /** The root over neighbouring leaves. */
  rangeRoot(from: number, to: number): Hash {
    return joinRight(perfectSubtrees(from, to).map(({ height, index }) => this.#node(height, index)))
  }

  /** PATH of RFC 6962 2.1.1 in base64. Undefined if this is not the hash of the leaf at this place. */
  path(index: number, leaf: Hash): string[] | undefined {
    if (index >= this.#size || !equalBytes(this.#node(0, index), leaf)) return undefined
    const path: string[] = []
    if (index < this.#inTiles) path.push(...this.#pathInTile(index))
    for (let height = path.length; 2 ** height < this.#size; height++) {
      const width = 2 ** height
      const sibling = Math.floor(index / width) ^ 1
      if ((sibling + 1) * width <= this.#size) path.push(toBase64(this.#node(height, sibling)))
      else if (sibling * width < this.#size) path.push(toBase64(this.#rightOf(height, sibling * width)))
    }
    return path
  }

  /** The nodes beside the way from a row to the root of its tile, which is full. Its own bundle has all of them. */
  #pathInTile(index: number): string[] {
    const { levels, beside } = this.#nodesAround(Math.floor(index / BUNDLE_ROWS))
    const place = index % BUNDLE_ROWS
    const path: string[] = []
    for (let height = 0; height < BUNDLE_HEIGHT; height++)
      path.push(toBase64(hashAt(levels[height], (place >> height) ^ 1)))
    for (let step = 0; step < NODES_BESIDE; step++) path.push(toBase64(hashAt(beside, step)))
    return path
  }

  #rightOf(height: number, from: number): Hash {
    const known = this.#right[height] ?? this.rangeRoot(from, this.#size)
    this.#right[height] = known
    return known
  }

  /** The root of a perfect subtree. */
  #node(height: number, index: number): Hash {
    if (height >= TILE_HEIGHT) return hashAt(this.#upper[height - TILE_HEIGHT], index)
    const firstRow = index * 2 ** height
    if (firstRow >= this.#inTiles) return hashAt(this.#edge[height], index - this.#inTiles / 2 ** height)
    const bundle = Math.floor(firstRow / BUNDLE_ROWS)
    if (height <= BUNDLE_HEIGHT) {
      const own = (firstRow % BUNDLE_ROWS) / 2 ** height
      return hashAt(this.#nodesAround(bundle).levels[height], own)
    }
    // A node over several bundles is stored by the bundles under the node beside it.
    const other = (index ^ 1) * 2 ** (height - BUNDLE_HEIGHT)
    return hashAt(this.#nodesAround(other).beside, height - BUNDLE_HEIGHT)
  }

  /** The nodes of a bundle in a full tile, which lead to the root of that tile. */
  #nodesAround(bundle: number): BundleNodes {
    const known = this.#checked.find(bundle)
    if (known) return known
    const nodes = nodesIn(this.source.hashesIn(bundle), bundle)
    const root = hashAt(this.#upper[0], Math.floor(bundle / BUNDLES_PER_TILE))
    if (!nodes || !equalBytes(nodes.root, root)) throw this.source.fault()
    return this.#checked.put(bundle, nodes)
  }
}

/** The roots of all full tiles of leaves, which the tiles of the level above hold. */
function rootsOfTiles(source: TileSource, full: number): Uint8Array {
  const roots = new Uint8Array(full * HASH_SIZE)
  for (let n = 0; n * TILE_WIDTH < full; n++)
    roots.set(source.tile(1, n).subarray(0, roots.length - n * TILE_WIDTH * HASH_SIZE), n * TILE_WIDTH * HASH_SIZE)
  return roots
}

function hashAt(level: Uint8Array | undefined, index: number): Hash {
  const at = index * HASH_SIZE
  if (!level || at + HASH_SIZE > level.length) throw new RangeError('a tile is narrower than the tree says')
  return level.subarray(at, at + HASH_SIZE)
}
