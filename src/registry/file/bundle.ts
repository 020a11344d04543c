import { sha256 } from '../../proof/sha256.ts'
import { HASH_SIZE, type Hash } from '../../proof/tree/merkle.ts'
import { rootInTile, TILE_WIDTH } from '../../proof/tree/tiles.ts'

// Rows of a release that are neighbours lie together in bundles. Their texts have almost everything in common, so a
// bundle is about a twentieth of its rows. Its text is each row after a zero byte, which is exactly what RFC 6962 hashes
// as a leaf, and at the end, after another zero byte, the keys, one in a line.

/** A lookup unpacks one bundle: more rows would take longer, fewer would take more room. A tile has whole bundles. */
export const BUNDLE_ROWS = 32

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
  /** The packed bundles, one after the other, and where each ends. */
  bytes: Uint8Array
  ends: number[]
  /** Checksums of the texts of the bundles, combined. */
  sum: bigint
  /** The leaf hash of each row. */
  hashes: Uint8Array
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
  const hashes = new Uint8Array(rows * HASH_SIZE)
  const packed: Uint8Array[] = []
  let [at, row, sum] = [0, 0, 0n]
  for (const [i, bundle] of bundles.entries()) {
    const text = bytes.subarray(at, bundle.end)
    let start = 0
    for (let left = bundle.rows; left > 0; left--) {
      const end = text.indexOf(0, start + 1)
      hashes.set(sha256(text.subarray(start, end)), row++ * HASH_SIZE)
      start = end
    }
    if (start <= 0 || text.indexOf(0, start + 1) >= 0) throw new Error('a row has a zero byte')
    packed.push(Bun.zstdCompressSync(text, { level: LEVEL }))
    sum ^= checksum(text, firstBundle + i)
    at = bundle.end
  }
  const root = rows === TILE_WIDTH ? rootInTile(hashes, 0, TILE_WIDTH) : undefined
  return { ...joined(packed), sum, hashes, root }
}

/** One piece of memory goes to another thread and back for less than many. */
function joined(packed: readonly Uint8Array[]): Pick<PackedTile, 'bytes' | 'ends'> {
  const ends: number[] = []
  for (const { length } of packed) ends.push((ends.at(-1) ?? 0) + length)
  const bytes = new Uint8Array(ends.at(-1) ?? 0)
  for (const [i, each] of packed.entries()) bytes.set(each, ends[i - 1] ?? 0)
  return { bytes, ends }
}

/** Notices bits that changed by accident. Digests are for what someone might change on purpose. */
export const checksum = (bytes: Uint8Array, place: number): bigint => Bun.hash.xxHash3(bytes, BigInt(place))

export const unpackBytes = (packed: Uint8Array): Uint8Array => Bun.zstdDecompressSync(packed)
