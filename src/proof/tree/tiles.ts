// C2SP tlog-tiles geometry: a tile holds up to 256 hashes; level 0 holds leaf hashes, and an entry of
// a higher level is the root of one full tile of the level below.

import { HASH_SIZE, type Hash, pairHash, type Subtree, type SubtreeReader } from './merkle.ts'

export const TILE_WIDTH = 256
export const TILE_HEIGHT = 8

export interface Tile {
  level: number
  n: number
  width: number
}

/** Every tile of a tree of this size, within a level the full ones first. No tile has width zero. */
export function tilesOf(size: number): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0, entries = size; entries > 0; level++, entries = Math.floor(entries / TILE_WIDTH)) {
    const full = Math.floor(entries / TILE_WIDTH)
    for (let n = 0; n < full; n++) tiles.push({ level, n, width: TILE_WIDTH })
    if (entries % TILE_WIDTH > 0) tiles.push({ level, n: full, width: entries % TILE_WIDTH })
  }
  return tiles
}

/** `tile/<L>/<N>[.p/<W>]`, N in groups of three digits, all but the last marked `x`. */
export function tilePath(kind: number | 'entries', n: number, width = TILE_WIDTH): string {
  const groups = [String(n % 1000).padStart(3, '0')]
  for (let rest = Math.floor(n / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`)
  return `tile/${kind}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** The root of a perfect subtree inside one tile's hashes. */
export function rootInTile(hashes: Uint8Array, first: number, count: number): Hash {
  if ((first + count) * HASH_SIZE > hashes.length) throw new RangeError('tile is narrower than the tree says')
  // Level by level in one piece of memory: a parent overwrites a child that is not needed any more. It is a copy even of
  // a Node buffer, whose own `slice` would be a view.
  const level = new Uint8Array(hashes.subarray(first * HASH_SIZE, (first + count) * HASH_SIZE))
  for (let width = count / 2; width >= 1; width /= 2)
    for (let i = 0; i < width; i++)
      level.set(pairHash(level.subarray(2 * i * HASH_SIZE, 2 * (i + 1) * HASH_SIZE)), i * HASH_SIZE)
  return level.slice(0, HASH_SIZE)
}

/** Reads roots of subtrees out of stored tiles; `readTile` may return a wider tile than is needed. */
export function subtreesFromTiles(readTile: (level: number, n: number) => Promise<Uint8Array>): SubtreeReader {
  return async ({ height, index }: Subtree) => {
    const level = Math.floor(height / TILE_HEIGHT)
    const count = 2 ** (height % TILE_HEIGHT)
    const entry = index * count
    const tile = await readTile(level, Math.floor(entry / TILE_WIDTH))
    return rootInTile(tile, entry % TILE_WIDTH, count)
  }
}

/**
 * Grows a tree leaf by leaf and emits each tile once, when it is full, or at the end. It holds one open tile per level,
 * so a tree of any size can be built from a stream.
 */
export class TileBuilder {
  readonly #open: { n: number; hashes: Uint8Array; width: number }[] = []
  #size = 0

  constructor(readonly emit: (tile: Tile, hashes: Uint8Array) => void) {}

  get size(): number {
    return this.#size
  }

  append(hash: Hash): void {
    this.#size++
    this.#put(0, hash)
  }

  /** Appends a full tile whose root is known. No tile of the lowest level may be open. */
  appendTile(hashes: Uint8Array, root: Hash): void {
    if (this.#size % TILE_WIDTH !== 0) throw new RangeError('a tile begins where another one ends')
    const n = this.#size / TILE_WIDTH
    this.#size += TILE_WIDTH
    this.emit({ level: 0, n, width: TILE_WIDTH }, hashes)
    this.#open[0] = { n: n + 1, hashes: new Uint8Array(TILE_WIDTH * HASH_SIZE), width: 0 }
    this.#put(1, root)
  }

  #put(level: number, hash: Hash): void {
    this.#open[level] ??= { n: 0, hashes: new Uint8Array(TILE_WIDTH * HASH_SIZE), width: 0 }
    const tile = this.#open[level]
    tile.hashes.set(hash, tile.width * HASH_SIZE)
    if (++tile.width < TILE_WIDTH) return
    const hashes = tile.hashes
    this.emit({ level, n: tile.n, width: TILE_WIDTH }, hashes)
    this.#open[level] = { n: tile.n + 1, hashes: new Uint8Array(TILE_WIDTH * HASH_SIZE), width: 0 }
    this.#put(level + 1, rootInTile(hashes, 0, TILE_WIDTH))
  }

  /** Emits the partial tiles at the right edge. The builder must not be used afterwards. */
  finish(): void {
    this.#open.forEach(({ n, hashes, width }, level) => {
      if (width > 0) this.emit({ level, n, width }, hashes.slice(0, width * HASH_SIZE))
    })
  }
}
