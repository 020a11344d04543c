import { toBase64 } from '../../proof/bytes.ts'
import { HASH_SIZE, type Hash, joinRight, nodeHash, pairHash, perfectSubtrees } from '../../proof/tree/merkle.ts'
import { rootInTile, TILE_HEIGHT, TILE_WIDTH } from '../../proof/tree/tiles.ts'
import { Budget } from './budget.ts'
import { Recent } from './recent.ts'

// The tree over the rows of a release, for proofs. A path through tiles alone costs four hundred hashes, so nodes are
// kept: all those above the tiles of the leaves, and of each such tile the upper ones from the first time it is read.

/** What a tree is read from. */
export interface TreeTiles {
  readonly rowCount: number
  /** Throws if there is none. */
  tile(level: number, n: number): Uint8Array
  /** What to throw where tiles contradict each other. */
  fault(): Error
}

/** Below this height a node is cheaper to compute than to keep. */
const LOWEST = 3
/** For the lower nodes of all trees of the process. One tree takes at most a third of it. */
const memory = new Budget(72 * 1024 * 1024)
const MOST_TILES = 8

export class ReleaseTree {
  /** By height, from that of a full tile on: the perfect subtrees, side by side. */
  readonly #upper: Buffer[]
  /** Of each full tile, the nodes from height `#lowest` up to below its root. Pages of it take memory when they are used. */
  readonly #nodes: Buffer
  readonly #isKnown: Uint8Array
  readonly #lowest: number
  /** Of the last tile, if it is not full, all nodes by height. */
  readonly #edge: Buffer[]
  /** By height: the root of what is left at the right edge beside the perfect subtrees. */
  readonly #right: string[] = []
  readonly #leaves = new Recent<number, Buffer>(MOST_TILES)
  readonly #size: number
  /** The tile that is read ahead next. */
  #ahead = 0

  private constructor(private readonly tiles: TreeTiles) {
    this.#size = tiles.rowCount
    const full = Math.floor(this.#size / TILE_WIDTH)
    this.#upper = levelsOf(rootsOfTiles(tiles, full))
    this.#edge = this.#size % TILE_WIDTH === 0 ? [] : levelsOf(this.#leavesOf(full))
    this.#lowest = lowestWithin(full, Math.min(memory.most / 3, memory.left))
    this.#nodes = bufferOf(new Uint8Array(full * nodesFrom(this.#lowest) * HASH_SIZE))
    this.#isKnown = new Uint8Array(full)
    memory.take(this, this.#nodes.length)
  }

  /** Undefined if the tiles do not lead to this root. */
  static of(tiles: TreeTiles, root: string): ReleaseTree | undefined {
    const tree = new ReleaseTree(tiles)
    return toBase64(tree.rangeRoot(0, tiles.rowCount)) === root ? tree : undefined
  }

  /** The root over neighbouring leaves. */
  rangeRoot(from: number, to: number): Hash {
    return joinRight(
      perfectSubtrees(from, to).map(({ height, index }) => {
        const { level, at } = this.#node(height, index)
        return level.subarray(at, at + HASH_SIZE)
      }),
    )
  }

  /**
   * PATH of RFC 6962 2.1.1 in base64, if it leads from this leaf to the root: undefined for a leaf that is not there. What
   * is kept was checked against the root, so the leaf is followed up to the first node that is.
   */
  path(index: number, leaf: Hash): string[] | undefined {
    const checked = index < this.#isKnown.length * TILE_WIDTH ? this.#lowest : 0
    const path: string[] = []
    let hash = leaf
    let height = 0
    for (let width = 1; width < this.#size; height++, width *= 2) {
      if (height === checked && !this.#isNode(height, index, hash)) return undefined
      const place = Math.floor(index / width)
      const sibling = place ^ 1
      if ((sibling + 1) * width <= this.#size) {
        const { level, at } = this.#node(height, sibling)
        path.push(level.toString('base64', at, at + HASH_SIZE))
        if (height >= checked) continue
        const beside = level.subarray(at, at + HASH_SIZE)
        hash = place < sibling ? nodeHash(hash, beside) : nodeHash(beside, hash)
      } else if (sibling * width < this.#size) path.push(this.#rightOf(height, sibling * width))
    }
    return height > checked || this.#isNode(checked, index, hash) ? path : undefined
  }

  /** Whether this is the node above a leaf at a height. */
  #isNode(height: number, index: number, hash: Hash): boolean {
    const { level, at } = this.#node(height, Math.floor(index / 2 ** height))
    return level.compare(hash, 0, HASH_SIZE, at, at + HASH_SIZE) === 0
  }

  #rightOf(height: number, from: number): string {
    const known = this.#right[height] ?? toBase64(this.rangeRoot(from, this.#size))
    this.#right[height] = known
    return known
  }

  /** Where the root of a perfect subtree is. */
  #node(height: number, index: number): { level: Buffer; at: number } {
    if (height >= TILE_HEIGHT) return placeIn(this.#upper[height - TILE_HEIGHT], index)
    const inTile = TILE_WIDTH >> height
    const n = Math.floor(index / inTile)
    const place = index - n * inTile
    if (n >= this.#isKnown.length) return placeIn(this.#edge[height], place)
    if (height === 0) return placeIn(this.#leavesOf(n), place)
    if (height < this.#lowest) {
      const count = 2 ** height
      return placeIn(bufferOf(rootInTile(this.#leavesOf(n), place * count, count)), 0)
    }
    if (this.#isKnown[n] === 0) this.#learn(n, this.#leavesOf(n))
    const before = nodesFrom(this.#lowest) - nodesFrom(height)
    return placeIn(this.#nodes, n * nodesFrom(this.#lowest) + before + place)
  }

  /** Keeps the upper nodes of a tile, after they were found to lead to its root. */
  #learn(n: number, leaves: Buffer): void {
    const levels = levelsOf(leaves)
    const { level, at } = placeIn(this.#upper[0], n)
    if (levels[TILE_HEIGHT]?.compare(level, at, at + HASH_SIZE) !== 0) throw this.tiles.fault()
    let end = n * nodesFrom(this.#lowest) * HASH_SIZE
    for (const nodes of levels.slice(this.#lowest, TILE_HEIGHT)) {
      this.#nodes.set(nodes, end)
      end += nodes.length
    }
    this.#isKnown[n] = 1
  }

  /** Reads tiles that nobody has asked for yet, while there is time. True when there are none left. */
  readAhead(hasTime: () => boolean): boolean {
    const full = this.#lowest < TILE_HEIGHT ? this.#isKnown.length : 0
    for (; this.#ahead < full; this.#ahead++) {
      if (this.#isKnown[this.#ahead] === 1) continue
      if (!hasTime()) return false
      this.#learn(this.#ahead, bufferOf(this.tiles.tile(0, this.#ahead)))
    }
    return true
  }

  #leavesOf(n: number): Buffer {
    return this.#leaves.find(n) ?? this.#leaves.put(n, bufferOf(this.tiles.tile(0, n)))
  }
}

/** The roots of all full tiles of leaves: what the tiles of the level above hold. */
function rootsOfTiles(tiles: TreeTiles, full: number): Uint8Array {
  const roots = new Uint8Array(full * HASH_SIZE)
  for (let n = 0; n * TILE_WIDTH < full; n++)
    roots.set(tiles.tile(1, n).subarray(0, roots.length - n * TILE_WIDTH * HASH_SIZE), n * TILE_WIDTH * HASH_SIZE)
  return roots
}

/** These hashes, and level by level the perfect subtrees above them. */
function levelsOf(hashes: Uint8Array): Buffer[] {
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
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)

function placeIn(level: Buffer | undefined, index: number): { level: Buffer; at: number } {
  const at = index * HASH_SIZE
  if (!level || at + HASH_SIZE > level.length) throw new RangeError('a tile is narrower than the tree says')
  return { level, at }
}

/** How many nodes a tile has from a height up to below its root. */
const nodesFrom = (height: number): number => ((2 * TILE_WIDTH) >> height) - 2

/** The lowest nodes of every tile that fit in so many bytes; the height of a tile if none do. */
function lowestWithin(tiles: number, bytes: number): number {
  let height = LOWEST
  while (height < TILE_HEIGHT && tiles * nodesFrom(height) * HASH_SIZE > bytes) height++
  return height
}
