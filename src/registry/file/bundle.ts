import { sha256 } from '../../proof/sha256.ts'
import { HASH_SIZE, type Hash } from '../../proof/tree/merkle.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../proof/tree/tiles.ts'
import { MOST_KEY_BYTES, type OpenBundle, ROW_ROOM, type StoredBundle } from '../bundle/open-bundle.ts'
import { MOST_ROWS, RowPacker } from '../bundle/row-packer.ts'
import type { RowSpan } from '../bundle/row-shape.ts'
import { rowText } from '../bundle/row-values.ts'
import type { NewWords } from '../bundle/words.ts'
import { levelsOf } from './levels.ts'

// Rows of a release that are neighbours lie together in bundles. Their texts have almost everything in common, so a
// bundle is about a thirtieth of its rows (`registry/bundle`). Before it is packed, its text is each row after a zero byte,
// which is exactly what RFC 6962 hashes as a leaf, and at the end, after another zero byte, the keys, one in a line.
//
// Beside its rows a bundle has what their proofs need of the tree: their leaf hashes, and in a full tile the nodes above each
// four and each eight of them and those beside its way up to the root of the tile. So a row and its proof are one seek,
// however many rows there are.

export const BUNDLE_HEIGHT = 31 - Math.clz32(MOST_ROWS)
/** A lookup reads one bundle: more rows would take longer, fewer would take more room. A tile has whole bundles. */
export const BUNDLE_ROWS = MOST_ROWS
export const BUNDLES_PER_TILE = TILE_WIDTH / BUNDLE_ROWS
/** How many nodes are beside the way from a bundle to the root of its tile. */
export const BESIDE = TILE_HEIGHT - BUNDLE_HEIGHT
/**
 * Of this height nodes are kept in the bundle, and the two halves above them, which the node over the bundle is made of: of what a proof
 * states within a bundle, one node is hashed, for 12 bytes a row.
 */
export const MIDDLE_HEIGHT = 2
export const MIDDLE_NODES = BUNDLE_ROWS >> MIDDLE_HEIGHT
export const HALF_HEIGHT = BUNDLE_HEIGHT - 1
/** Where the hashes of a bundle in a full tile begin after those of its leaves, and how many it has. */
export const MIDDLE_AT = BUNDLE_ROWS
export const HALVES_AT = MIDDLE_AT + MIDDLE_NODES
export const BESIDE_AT = HALVES_AT + 2
export const BUNDLE_HASHES = BESIDE_AT + BESIDE

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

  constructor(
    /** Learns from one row of each bundle. */
    private readonly words: NewWords,
    private room: Uint8Array = new Uint8Array(256 * 1024),
  ) {}

  add(row: TextRow | WritableRow): void {
    const start = this.#end + 1
    this.#keys.push(row.key)
    if ('write' in row) {
      this.#makeRoom(row.size)
      this.room[this.#end] = 0
      row.write(this.room, this.#end + 1)
      this.#end += 1 + row.size
    } else this.#write(row.body)
    this.rows++
    if (this.#keys.length - 1 === rowToLearn(this.#bundles.length)) this.#learn(start, row.key)
    if (this.#keys.length === BUNDLE_ROWS) this.#endBundle()
  }

  text(): TileText {
    if (this.#keys.length > 0) this.#endBundle()
    return { bytes: this.room.subarray(0, this.#end), bundles: this.#bundles }
  }

  /** The key stands behind the row for as long as that takes. */
  #learn(start: number, key: string): void {
    const end = this.#end
    this.#write(key)
    this.words.learn(this.room, { start, end, keyStart: end + 1, keyEnd: this.#end })
    this.#end = end
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

  #makeRoom(bytes: number): void {
    this.room = withRoom(this.room, this.#end, bytes)
  }
}

/**
 * By the bundle of a tile, another row each time, and so for every fourth bundle too: rows come in turns, such as two settings for
 * each place, and all bundles may begin with the same one.
 */
const rowToLearn = (bundle: number): number => (bundle + (bundle >> 2)) % BUNDLE_ROWS

const packer = new RowPacker()

/** Hashes the rows of a tile and packs its bundles, from the same bytes: what is hashed is what is stored. */
export function packTile({ bytes, bundles }: TileText, firstBundle: number, words: NewWords): PackedTile {
  const leaves = new Uint8Array(bundles.reduce((sum, bundle) => sum + bundle.rows, 0) * HASH_SIZE)
  const spans: RowSpan[][] = []
  const text = rowText(bytes)
  let [at, row] = [0, 0]
  for (const bundle of bundles) {
    const rows = rowsIn(bytes, at, bundle)
    for (const { start, end } of rows) leaves.set(sha256(bytes.subarray(start - 1, end)), row++ * HASH_SIZE)
    spans.push(rows)
    at = bundle.end
  }
  const levels = row === TILE_WIDTH ? levelsOf(leaves) : undefined
  let [sum, start] = [0n, 0]
  const packed = spans.map((rows, i) => {
    const hashes = hashesOf(i, leaves, levels)
    const end = bundles[i]?.end as number
    const stored = { hashes, rows: packer.pack(words, text, rows) }
    const [from, n] = [start, firstBundle + i]
    start = end
    sum ^= bundleSum(stored, n, () => bytes.subarray(from, end))
    return stored
  })
  return { ...joined(packed), sum, leaves, root: levels?.[TILE_HEIGHT] }
}

/** Where the rows of a bundle stand, which begins here, and their keys. */
function rowsIn(bytes: Uint8Array, from: number, { end: last, rows }: TileText['bundles'][number]): RowSpan[] {
  const spans: RowSpan[] = []
  let start = from + 1
  while (spans.length < rows) {
    const end = bytes.indexOf(0, start)
    spans.push({ start, end, keyStart: 0, keyEnd: 0 })
    start = end + 1
  }
  const next = bytes.indexOf(0, start)
  if (start <= from + 1 || (next >= 0 && next < last)) throw new Error('a row has a zero byte')
  for (const span of spans) {
    const end = bytes.indexOf(LINE_FEED, start)
    span.keyStart = start
    span.keyEnd = end < 0 || end >= last ? last : end
    start = span.keyEnd + 1
  }
  if (start !== last + 1) throw new Error('a key has a line feed')
  return spans
}

const LINE_FEED = 10

/** What a bundle holds of the tree. `levels` are those of its tile, if that is full. */
export function hashesOf(bundle: number, leaves: Uint8Array, levels: readonly Uint8Array[] | undefined): Uint8Array {
  const own = leaves.subarray(bundle * BUNDLE_ROWS * HASH_SIZE, (bundle + 1) * BUNDLE_ROWS * HASH_SIZE)
  if (!levels) return own
  const hashes = new Uint8Array(BUNDLE_HASHES * HASH_SIZE)
  const put = (to: number, height: number, first: number, count: number): void =>
    hashes.set(levels[height]?.subarray(first * HASH_SIZE, (first + count) * HASH_SIZE) ?? [], to * HASH_SIZE)
  hashes.set(own)
  put(MIDDLE_AT, MIDDLE_HEIGHT, bundle * MIDDLE_NODES, MIDDLE_NODES)
  put(HALVES_AT, HALF_HEIGHT, bundle * 2, 2)
  for (let i = 0; i < BESIDE; i++) put(BESIDE_AT + i, BUNDLE_HEIGHT + i, (bundle >> i) ^ 1, 1)
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

/** Of a bundle as it is stored; and of some also of what they were packed from, which is to be had by putting them together again. */
export function bundleSum({ rows, hashes }: StoredBundle, n: number, text: () => Uint8Array): bigint {
  const stored = checksum(rows, n) ^ checksum(hashes, n + 2 ** 40)
  return n < ALL_READ_AGAIN || n % BUNDLES_PER_TILE === 0 ? stored ^ checksum(text(), n + 2 ** 41) : stored
}

/**
 * Of a large release, one bundle of each tile is put together again behind these: to do so with all takes as long as a fifth
 * of its load. A fault of the packer would be in many; what changes later is found by `fsck`, and by the service itself.
 */
const ALL_READ_AGAIN = 4_096

/** The text of a bundle as it was before it was packed. Valid until the next one is asked. */
export function textOf(bundle: OpenBundle): Uint8Array {
  let at = 0
  for (let row = 0; row < bundle.size; row++) {
    room = withRoom(room, at, ROW_ROOM)
    if (text.bytes !== room) text = rowText(room)
    room[at] = 0
    at = bundle.write(row, text, at + 1)
  }
  for (let row = 0; row < bundle.size; row++) {
    room = withRoom(room, at, MOST_KEY_BYTES)
    room[at] = row === 0 ? 0 : LINE_FEED
    at = bundle.writeKey(row, room, at + 1)
  }
  return room.subarray(0, at)
}

let room: Uint8Array<ArrayBuffer> = new Uint8Array(64 * 1024)
let text = rowText(room)

/** The same memory, or a larger one, with room for a zero byte and so many others. */
function withRoom<Room extends Uint8Array>(room: Room, end: number, bytes: number): Room | Uint8Array<ArrayBuffer> {
  const needed = end + 1 + bytes
  if (room.length >= needed) return room
  const larger = new Uint8Array(2 * needed)
  larger.set(room.subarray(0, end))
  return larger
}
