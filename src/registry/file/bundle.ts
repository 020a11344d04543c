import { MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import { HASH_SIZE, type Hash } from '../../proof/tree/merkle.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../proof/tree/tiles.ts'
import { levelsOf } from './levels.ts'
import { contentSize } from './zstd-frame.ts'

// Rows of a release that are neighbours lie together in bundles. Their texts have almost everything in common, so a
// bundle is about a fifteenth of its rows. Its text is each row after a zero byte, which is exactly what RFC 6962 hashes
// as a leaf, and at the end, after another zero byte, the keys, one in a line.
//
// Beside its text a bundle has what a proof of its rows needs of the tree: their leaf hashes, and in a full tile the nodes
// beside its way up to the root of the tile. So a row and its proof are one seek, however many rows there are.

export const BUNDLE_HEIGHT = 4
/** A lookup unpacks one bundle: more rows would take longer, fewer would take more room. A tile has whole bundles. */
export const BUNDLE_ROWS = 2 ** BUNDLE_HEIGHT
export const BUNDLES_PER_TILE = TILE_WIDTH / BUNDLE_ROWS
/** How many nodes are beside the way from a bundle to the root of its tile. */
export const BESIDE = TILE_HEIGHT - BUNDLE_HEIGHT

const LEVEL = 1
const encoder = new TextEncoder()

/** A row that is to be written. */
export interface TextRow {
  key: string
  /** Its canonical text. */
  readonly body: string
}

/** A row that writes its text as bytes itself, because making millions of strings takes too long. */
export interface WritableRow extends TextRow {
  /** How many bytes `write` writes. */
  readonly size: number
  write(room: Uint8Array, at: number): void
}

/** The texts of neighbouring bundles, one after the other, as bytes: those of one tile of the tree, or of its last one. */
export interface TileText {
  bytes: Uint8Array
  /** Where the text of each bundle ends, and how many rows it has. */
  bundles: { end: number; rows: number }[]
}

export interface PackedTile {
  /** Of one bundle after the other its hashes and its packed text, and where each of them ends. */
  bytes: Uint8Array
  ends: { hashes: number; rows: number }[]
  /** Checksums of the bundles, combined. */
  sum: bigint
  /** The leaf hash of each row. */
  leaves: Uint8Array
  /** Of a full tile. */
  root: Hash | undefined
}

/** Collects the text of a tile. The room for it can be given, so that millions of rows need little of it. */
export class TileWriter {
  readonly #bundles: TileText['bundles'] = []
  #keys: string[] = []
  #end = 0
  rows = 0

  constructor(private room: Uint8Array = new Uint8Array(256 * 1024)) {}

  add(row: TextRow | WritableRow): void {
    this.#keys.push(row.key)
    if ('write' in row) {
      this.#makeRoom(row.size)
      this.room[this.#end] = 0
      row.write(this.room, this.#end + 1)
      this.#end += 1 + row.size
    } else this.#write(row.body)
    this.rows++
    if (this.#keys.length === BUNDLE_ROWS) this.#endBundle()
  }

  text(): TileText {
    if (this.#keys.length > 0) this.#endBundle()
    return { bytes: this.room.subarray(0, this.#end), bundles: this.#bundles }
  }

  #endBundle(): void {
    this.#write(this.#keys.join('\n'))
    this.#bundles.push({ end: this.#end, rows: this.#keys.length })
    this.#keys = []
  }

  /** After a zero byte. No character takes more than three bytes. */
  #write(text: string): void {
    this.#makeRoom(text.length * 3)
    this.room[this.#end++] = 0
    this.#end += encoder.encodeInto(text, this.room.subarray(this.#end)).written
  }

  /** For a zero byte and so many others. */
  #makeRoom(bytes: number): void {
    const needed = this.#end + 1 + bytes
    if (this.room.length >= needed) return
    const larger = new Uint8Array(2 * needed)
    larger.set(this.room.subarray(0, this.#end))
    this.room = larger
  }
}

/** Hashes the rows of a tile and packs its bundles, from the same bytes: what is hashed is what is stored. */
export function packTile({ bytes, bundles }: TileText, firstBundle: number): PackedTile {
  const rows = bundles.reduce((sum, bundle) => sum + bundle.rows, 0)
  const leaves = new Uint8Array(rows * HASH_SIZE)
  const texts: Uint8Array[] = []
  let [at, row] = [0, 0]
  for (const bundle of bundles) {
    const text = bytes.subarray(at, bundle.end)
    let start = 0
    for (let left = bundle.rows; left > 0; left--) {
      const end = text.indexOf(0, start + 1)
      leaves.set(sha256(text.subarray(start, end)), row++ * HASH_SIZE)
      start = end
    }
    if (start <= 0 || text.indexOf(0, start + 1) >= 0) throw new Error('a row has a zero byte')
    texts.push(text)
    at = bundle.end
  }
  const levels = rows === TILE_WIDTH ? levelsOf(leaves) : undefined
  let sum = 0n
  const packed = texts.map((text, i) => {
    const hashes = hashesOf(i, leaves, levels)
    sum ^= bundleSum({ text, hashes }, firstBundle + i)
    return { hashes, rows: Bun.zstdCompressSync(text, { level: LEVEL }) }
  })
  return { ...joined(packed), sum, leaves, root: levels?.[TILE_HEIGHT] }
}

/** What a bundle holds of the tree. `levels` are those of its tile, if that is full. */
export function hashesOf(bundle: number, leaves: Uint8Array, levels: readonly Uint8Array[] | undefined): Uint8Array {
  const own = leaves.subarray(bundle * BUNDLE_ROWS * HASH_SIZE, (bundle + 1) * BUNDLE_ROWS * HASH_SIZE)
  if (!levels) return own
  const hashes = new Uint8Array(own.length + BESIDE * HASH_SIZE)
  hashes.set(own)
  for (let i = 0; i < BESIDE; i++) {
    const at = ((bundle >> i) ^ 1) * HASH_SIZE
    hashes.set(levels[BUNDLE_HEIGHT + i]?.subarray(at, at + HASH_SIZE) ?? [], own.length + i * HASH_SIZE)
  }
  return hashes
}

/** One piece of memory goes to another thread and back for less than many. */
function joined(packed: readonly { hashes: Uint8Array; rows: Uint8Array }[]): Pick<PackedTile, 'bytes' | 'ends'> {
  const bytes = new Uint8Array(packed.reduce((size, { hashes, rows }) => size + hashes.length + rows.length, 0))
  let at = 0
  const ends = packed.map(({ hashes, rows }) => {
    bytes.set(hashes, at)
    bytes.set(rows, at + hashes.length)
    const ends = { hashes: at + hashes.length, rows: at + hashes.length + rows.length }
    at = ends.rows
    return ends
  })
  return { bytes, ends }
}

/** Notices bits that changed by accident. Digests are for what someone might change on purpose. */
export const checksum = (bytes: Uint8Array, place: number): bigint => Bun.hash.xxHash3(bytes, BigInt(place))

/** Of all that a bundle holds. */
export const bundleSum = ({ text, hashes }: { text: Uint8Array; hashes: Uint8Array }, n: number): bigint =>
  checksum(text, n) ^ checksum(hashes, n + 2 ** 40)

/** Twice what its rows and keys can take. */
const MOST_BYTES = 2 * BUNDLE_ROWS * MAX_LEAF_BYTES

/** Throws on what is no bundle: a file from elsewhere may hold anything, and its rows are unpacked before they are known to be good. */
export function unpackBytes(packed: Uint8Array): Buffer {
  const size = contentSize(packed)
  if (size === undefined || size > MOST_BYTES) throw new RangeError('a bundle is no frame, or too large')
  return Bun.zstdDecompressSync(packed)
}
