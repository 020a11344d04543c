import { KEY_PARTS, MAX_LEAF_BYTES } from '../../proof/price/row.ts'
import type { ByteReader, ByteWriter } from './byte-stream.ts'
import { isSame } from './byte-table.ts'

// Rows of a release are texts of a few shapes: what stands between the values is the same in most of them. A shape is the
// text of a row with a gap for each value. Whether the text is JSON does not matter: a row is its shape with its gaps filled.

export interface RowShape {
  /** The pieces of text between the gaps, one after the other. */
  text: Uint8Array
  view: DataView
  /** Where each piece ends. There is a gap after each but the last. */
  ends: Int32Array
  /**
   * For each part of the key the gap in which it stands, as a JSON text or null; or one after all gaps, in which it stands as
   * it is.
   */
  key: Int32Array
  gaps: number
  /** Of these some are the parts of keys that stand nowhere in the row. */
  values: number
  /** Whether the parts of the key are what a price or an absence says of itself: see `isOwnKey`. */
  hasOwnKey: boolean
  /** The gaps of what a price says of itself: from when on it holds, and that it is one. -1 where they are not found. */
  from: number
  kind: number
}

/** No more gaps are made: what follows is text of the shape. */
export const MOST_GAPS = 240
/** Of a key with more parts the last one is all of the rest. */
export const MOST_KEY_PARTS = 8
export const MOST_VALUES = MOST_GAPS + MOST_KEY_PARTS

const [QUOTE, BACKSLASH, COLON, COMMA, CLOSE, BRACKET, MINUS, ZERO, NINE, N] = [
  34, 92, 58, 44, 125, 93, 45, 48, 57, 110,
]
/** The first letters of `true`, `false` and `null`. */
const LETTERS = [116, 102, N]
export const BAR = 124

/** Where a value ends that begins here. */
export function endOfValue(text: Uint8Array, at: number, end: number): number {
  if (text[at] === QUOTE) {
    for (let i = at + 1; i < end; i++) {
      const byte = text[i]
      if (byte === QUOTE) return i + 1
      if (byte === BACKSLASH) i++
    }
    return end
  }
  for (let i = at; i < end; i++) {
    const byte = text[i]
    if (byte === COMMA || byte === CLOSE || byte === BRACKET) return i
  }
  return end
}

/** Where the part of a key ends that begins here. */
export function endOfPart(text: Uint8Array, at: number, end: number, part: number): number {
  if (part === MOST_KEY_PARTS - 1) return end
  for (let i = at; i < end; i++) if (text[i] === BAR) return i
  return end
}

const isScalar = (byte: number): boolean =>
  (byte >= ZERO && byte <= NINE) || byte === MINUS || byte === QUOTE || LETTERS.includes(byte)

/** Where a row and its key stand in a text. */
export interface RowSpan {
  start: number
  end: number
  keyStart: number
  keyEnd: number
}

/** The shape of a row and its key. */
export function shapeOf(text: Uint8Array, { start, end, keyStart, keyEnd }: RowSpan): RowShape {
  const pieces: Place[] = []
  const gaps: Place[] = []
  let from = start
  for (let at = start; at < end && gaps.length < MOST_GAPS; ) {
    const after = isScalar(text[at] as number) ? endOfValue(text, at, end) : at
    // A name is a part of the shape.
    if (after > at && text[after] !== COLON) {
      pieces.push([from, at])
      gaps.push([at, after])
      from = after
    }
    at = Math.max(after, at + 1)
  }
  pieces.push([from, end])
  const parts = partsOf(text, keyStart, keyEnd)
  let values = gaps.length
  const key = parts.map((part, i) => {
    const name = parts.length === KEY_PARTS.length ? `"${KEY_PARTS[i]}":` : undefined
    const found =
      name === undefined
        ? -1
        : gaps.findIndex((gap, at) => {
            const [from, to] = pieces[at] as Place
            return latin1(text, Math.max(from, to - name.length), to) === name && isPart(text, ...gap, ...part)
          })
    return found < 0 ? values++ : found
  })
  const ends: number[] = []
  for (const [from, to] of pieces) ends.push((ends.at(-1) ?? 0) + to - from)
  return shapeFrom(Buffer.concat(pieces.map(([from, to]) => text.subarray(from, to))), ends, key)
}

type Place = [start: number, end: number]

export const shapeFrom = (text: Uint8Array, ends: readonly number[], key: readonly number[]): RowShape => {
  const gaps = ends.length - 1
  const values = gaps + key.filter((value) => value >= gaps).length
  const hasOwnKey = isOwnKey(text, ends, key)
  const [from, kind] = [gapBehind(text, ends, FROM), gapBehind(text, ends, KIND)]
  return {
    ...padded(text),
    ends: Int32Array.from(ends),
    key: Int32Array.from(key),
    gaps,
    values,
    hasOwnKey,
    from,
    kind,
  }
}

// Members of rows stand in the order of their names (RFC 8785), and the texts inside of them have no quotation marks. So
// each of these follows an object, and is found once.
const FROM = '},"effective_from":'
const KIND = '},"kind":'

/** The gap that follows on this. */
const gapBehind = (text: Uint8Array, ends: readonly number[], words: string): number =>
  ends.findIndex((end, gap) => gap < ends.length - 1 && latin1(text, Math.max(0, end - words.length), end) === words)

/**
 * A shape from elsewhere may take the parts of the key from any gap, and so give a row the key of another one. Members of
 * prices and absences stand in the order of their names, and none of these names stands elsewhere in them: if each part is
 * the value behind its name, a row that was published can be found under its own key only.
 */
function isOwnKey(text: Uint8Array, ends: readonly number[], key: readonly number[]): boolean {
  const gaps = ends.length - 1
  const modifier = key[KEY_PARTS.indexOf('modifier')] ?? 0
  const before = (gap: number): string => latin1(text, gap === 0 ? 0 : (ends[gap - 1] as number), ends[gap] as number)
  const places = { basis: 0, class: 1, cpt: 2, modifier, npi: modifier + 1, region: gaps - 2, setting: gaps - 1 }
  return (
    key.length === KEY_PARTS.length &&
    KEY_PARTS.every(
      (part, i) => key[i] === places[part] && places[part] < gaps && before(places[part]).endsWith(`"${part}":`),
    )
  )
}

/** Bytes that are copied four at a time, so that up to three behind them are read. */
export function padded(bytes: Uint8Array): { text: Uint8Array; view: DataView } {
  const buffer = new ArrayBuffer(bytes.length + 3)
  const text = new Uint8Array(buffer, 0, bytes.length)
  text.set(bytes)
  return { text, view: new DataView(buffer) }
}

function partsOf(text: Uint8Array, start: number, end: number): Place[] {
  const parts: Place[] = []
  for (let at = start; ; ) {
    const after = endOfPart(text, at, end, parts.length)
    parts.push([at, after])
    if (after === end) return parts
    at = after + 1
  }
}

const latin1 = (text: Uint8Array, start: number, end: number): string =>
  Buffer.from(text.buffer, text.byteOffset + start, end - start).toString('latin1')

/** Where the part of a key begins in a value, and ends there: a text has marks around it, and null is nothing. */
export const partStart = (first: number | undefined, start: number, end: number): number =>
  first === QUOTE ? start + 1 : first === N ? end : start
export const partEnd = (first: number | undefined, end: number): number => (first === QUOTE ? end - 1 : end)

/** Whether a value is the part of a key, which stands at another place of the text. */
export function isPart(text: Uint8Array, start: number, end: number, partFrom: number, partTo: number): boolean {
  const from = partStart(text[start], start, end)
  return partEnd(text[start], end) - from === partTo - partFrom && isSame(text, from, text, partFrom, partTo)
}

export function writeShape(out: ByteWriter, { text, ends, key, gaps }: RowShape): void {
  out.number(gaps)
  for (let i = 0; i <= gaps; i++) out.text(text, i === 0 ? 0 : (ends[i - 1] as number), ends[i] as number)
  out.number(key.length)
  for (const value of key) out.number(value)
}

/** Throws on what is no shape. */
export function readShape(from: ByteReader): RowShape {
  const gaps = from.number(MOST_GAPS)
  const ends: number[] = []
  const pieces: Uint8Array[] = []
  for (let i = 0; i <= gaps; i++) {
    const size = from.number(MAX_LEAF_BYTES)
    const start = from.pass(size)
    pieces.push(from.bytes.subarray(start, start + size))
    ends.push((ends.at(-1) ?? 0) + size)
  }
  const parts = from.number(MOST_KEY_PARTS)
  const key = Array.from({ length: parts }, () => from.number(MOST_VALUES))
  const text = Buffer.concat(pieces)
  const own = key.filter((value) => value >= gaps)
  if (parts === 0 || text.length > MAX_LEAF_BYTES || own.some((value, i) => value !== gaps + i))
    throw new RangeError('it is not a shape')
  return shapeFrom(text, ends, key)
}
