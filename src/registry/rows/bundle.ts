import { HASH_SIZE } from '../../proof/tree/merkle.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../proof/tree/tiles.ts'

// A bundle is sixteen rows of a release, neighbours in the order of their keys. Their texts have almost everything in
// common, so that zstd makes a bundle a fifteenth of its rows. Before it is packed, a bundle is one line for each row: the key,
// a tab, and the canonical JSON of the row, which has neither tabs nor line feeds.
//
// Beside its rows a bundle stores the hashes that the proofs of its rows need: the leaf hash of each row, and in a full tile
// the nodes beside the way from the bundle to the root of the tile, the lowest first.

export const BUNDLE_HEIGHT = 4
/** A lookup unpacks one bundle: more rows would take longer, fewer would take more room. A tile has whole bundles. */
export const BUNDLE_ROWS = 2 ** BUNDLE_HEIGHT
export const BUNDLES_PER_TILE = TILE_WIDTH / BUNDLE_ROWS
/** How many nodes are beside the way from a bundle to the root of its tile. */
export const NODES_BESIDE = TILE_HEIGHT - BUNDLE_HEIGHT

/** A row that is to be written. */
export interface TextRow {
  key: string
  /** The canonical JSON. */
  readonly body: string
}

/** A bundle as it is stored. */
export interface StoredBundle {
  hashes: Uint8Array
  rows: Uint8Array
}

export const bundleText = (rows: readonly TextRow[]): Buffer =>
  Buffer.from(rows.map(({ key, body }) => `${key}\t${body}`).join('\n'))

/** Packs a text on another thread, so that the next rows are made meanwhile. */
export const packed = (text: Uint8Array): Promise<Uint8Array> => Bun.zstdCompress(text, { level: 1 })

/** Throws if the bytes do not unpack. */
export const unpacked = (bytes: Uint8Array): Buffer => Bun.zstdDecompressSync(bytes)

/** A bundle of rows, unpacked. */
export class Bundle {
  private constructor(
    readonly rows: readonly TextRow[],
    readonly hashes: Uint8Array,
  ) {}

  static from({ rows, hashes }: StoredBundle): Bundle {
    const lines = unpacked(rows).toString().split('\n')
    return new Bundle(lines.map(rowIn), hashes)
  }

  get size(): number {
    return this.rows.length
  }

  /** Whether a text lies between its first key and its last. */
  covers(text: string): boolean {
    const [first, last] = [this.rows[0], this.rows.at(-1)]
    return first !== undefined && last !== undefined && first.key <= text && text <= last.key
  }

  /** How many of its keys are before a text. */
  countBefore(text: string): number {
    const place = this.rows.findIndex(({ key }) => key >= text)
    return place < 0 ? this.rows.length : place
  }
}

function rowIn(line: string): TextRow {
  const tab = line.indexOf('\t')
  if (tab < 0) throw new RangeError('a bundle has a line without a key')
  return { key: line.slice(0, tab), body: line.slice(tab + 1) }
}

/** The hashes that a bundle stores. `levels` are those of its tile if that is full: see `levelsOf`. */
export function hashesOf(bundle: number, leaves: Uint8Array, levels: readonly Uint8Array[] | undefined): Uint8Array {
  const own = leaves.subarray(bundle * BUNDLE_ROWS * HASH_SIZE, (bundle + 1) * BUNDLE_ROWS * HASH_SIZE)
  if (!levels) return own
  const hashes = new Uint8Array(own.length + NODES_BESIDE * HASH_SIZE)
  hashes.set(own)
  for (let step = 0; step < NODES_BESIDE; step++) {
    const at = ((bundle >> step) ^ 1) * HASH_SIZE
    const level = levels[BUNDLE_HEIGHT + step] as Uint8Array
    hashes.set(level.subarray(at, at + HASH_SIZE), own.length + step * HASH_SIZE)
  }
  return hashes
}
