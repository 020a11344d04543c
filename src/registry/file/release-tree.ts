import { concat, toBase64 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, joinRight, perfectSubtrees } from '../../proof/tree/merkle.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../proof/tree/tiles.ts'
import { BESIDE, BUNDLE_HEIGHT, BUNDLE_ROWS, BUNDLES_PER_TILE } from './bundle.ts'
import { type BundleNodes, nodesIn } from './bundle-nodes.ts'
import { bufferOf, HASH_TEXT, levelsOf, writeHash } from './levels.ts'
import { Recent } from './recent.ts'

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
const [COMMA, QUOTE] = [44, 34]
/** A path has fewer hashes than a number has bits. */
export const MOST_PATH_BYTES = 64 * (HASH_TEXT + 3)
/** The text of the nodes from this height on is the same for thousands of rows. */
const SHARED_HEIGHT = 12
const MOST_SHARED = 4_096

export class ReleaseTree {
  /** By height, from that of a full tile on: the perfect subtrees, side by side. */
  readonly #upper: readonly Buffer[]
  /** Of the last tile, if it is not full, all nodes by height. */
  readonly #edge: readonly Buffer[]
  /** How many rows are in full tiles. */
  readonly #inTiles: number
  /** By height: the root of what is left at the right edge beside the perfect subtrees. */
  readonly #right: string[] = []
  readonly #checked = new Recent<number, BundleNodes>(MOST_CHECKED)
  readonly #shared = new Recent<number, readonly string[]>(MOST_SHARED)
  readonly #sharedTexts = new Recent<number, string>(MOST_SHARED)
  readonly #size: number

  private constructor(private readonly parts: TreeParts) {
    this.#size = parts.rowCount
    const full = Math.floor(this.#size / TILE_WIDTH)
    this.#inTiles = full * TILE_WIDTH
    this.#upper = levelsOf(rootsOfTiles(parts, full))
    this.#edge = this.#inTiles === this.#size ? [] : levelsOf(tileOf(parts, 0, full))
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
      const { levels, beside } = this.#nodesAround(Math.floor(index / BUNDLE_ROWS))
      const place = index % BUNDLE_ROWS
      if (!isAt(levels[0], place, leaf)) return undefined
      for (let height = 0; height < BUNDLE_HEIGHT; height++) path.push(textAt(levels[height], (place >> height) ^ 1))
      for (let i = 0; i < BESIDE; i++) path.push(textAt(beside, i))
    } else if (!isAt(this.#edge[0], index - this.#inTiles, leaf)) return undefined
    this.#addSiblings(path, index, index < this.#inTiles ? TILE_HEIGHT : 0, SHARED_HEIGHT)
    path.push(...this.#sharedBy(index))
    return path
  }

  /**
   * Writes the same as the members of a JSON list, and gives the place after it; -1 for a leaf that is not there. There must
   * be `MOST_PATH_BYTES` of room.
   */
  writePath(out: Buffer, to: number, index: number, leaf: Hash): number {
    if (index >= this.#inTiles) {
      const path = this.path(index, leaf)
      return path ? to + out.write(path.map((hash) => `"${hash}"`).join(), to, 'latin1') : -1
    }
    const { levels, beside } = this.#nodesAround(Math.floor(index / BUNDLE_ROWS))
    const place = index % BUNDLE_ROWS
    if (!isAt(levels[0], place, leaf)) return -1
    let at = to
    for (let height = 0; height < BUNDLE_HEIGHT; height++)
      at = writeMember(out, at, levels[height] as Buffer, (place >> height) ^ 1)
    for (let i = 0; i < BESIDE; i++) at = writeMember(out, at, beside, i)
    for (let height = TILE_HEIGHT; height < SHARED_HEIGHT && 2 ** height < this.#size; height++) {
      const sibling = (index >> height) ^ 1
      const level = this.#upper[height - TILE_HEIGHT] as Buffer
      if (sibling * HASH_SIZE < level.length) at = writeMember(out, at, level, sibling)
      else if (sibling * 2 ** height < this.#size)
        at += out.write(`"${this.#rightOf(height, sibling * 2 ** height)}",`, at, 'latin1')
    }
    at += out.write(this.#sharedText(index), at, 'latin1')
    return at - 1
  }

  /** The same rest as `#sharedBy`, each with a comma after it. */
  #sharedText(index: number): string {
    const node = Math.floor(index / 2 ** SHARED_HEIGHT)
    const known = this.#sharedTexts.find(node)
    return (
      known ??
      this.#sharedTexts.put(
        node,
        this.#sharedBy(index)
          .map((hash) => `"${hash}",`)
          .join(''),
      )
    )
  }

  /** The rest of the path of all rows that have a node of this height in common. */
  #sharedBy(index: number): readonly string[] {
    const node = Math.floor(index / 2 ** SHARED_HEIGHT)
    const known = this.#shared.find(node)
    if (known) return known
    const rest: string[] = []
    this.#addSiblings(rest, index, SHARED_HEIGHT, Number.POSITIVE_INFINITY)
    return this.#shared.put(node, rest)
  }

  /** Adds to a path what is beside the way up from a row, from one height up to below another. */
  #addSiblings(path: string[], index: number, from: number, to: number): void {
    for (let height = from; height < to && 2 ** height < this.#size; height++) {
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
      return hashAt(this.#nodesAround(bundle).levels[height], (firstRow % BUNDLE_ROWS) / 2 ** height)
    }
    // It stands in the bundles under the node beside it.
    const bundle = (index ^ 1) * 2 ** (height - BUNDLE_HEIGHT)
    return hashAt(this.#nodesAround(bundle).beside, height - BUNDLE_HEIGHT)
  }

  /** Those of a bundle in a full tile, after they were found to lead to its root. */
  #nodesAround(bundle: number): BundleNodes {
    const known = this.#checked.find(bundle)
    if (known) return known
    const nodes = nodesIn(this.parts.hashesIn(bundle), bundle)
    if (!nodes || !isAt(this.#upper[0], Math.floor(bundle / BUNDLES_PER_TILE), nodes.root)) throw this.parts.fault()
    return this.#checked.put(bundle, nodes)
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

/** A hash of a level, as a member of a JSON list with a comma after it. */
function writeMember(out: Buffer, to: number, level: Buffer, index: number): number {
  out[to] = QUOTE
  const at = writeHash(out, to + 1, level, index * HASH_SIZE)
  out[at] = QUOTE
  out[at + 1] = COMMA
  return at + 2
}

const textAt = (level: Buffer | undefined, index: number): string =>
  level?.toString('base64', index * HASH_SIZE, (index + 1) * HASH_SIZE) ?? ''

const isAt = (level: Buffer | undefined, index: number, hash: Hash): boolean =>
  level !== undefined && level.compare(hash, 0, HASH_SIZE, index * HASH_SIZE, (index + 1) * HASH_SIZE) === 0
