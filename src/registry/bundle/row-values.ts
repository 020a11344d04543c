import { isSame } from './byte-table.ts'
import { endOfPart, endOfValue, isPart, MOST_VALUES, type RowShape, type RowSpan } from './row-shape.ts'

/** Where the values of a row stand in a text. */
export interface RowValues {
  starts: Int32Array
  ends: Int32Array
  /** Which of them are other than those of the row that it was compared with. */
  differs: Uint8Array
}

export const newValues = (): RowValues => ({
  starts: new Int32Array(MOST_VALUES),
  ends: new Int32Array(MOST_VALUES),
  differs: new Uint8Array(MOST_VALUES),
})

/** A text in which rows stand. Four bytes of it are compared at once. */
export interface RowText {
  bytes: Uint8Array
  view: DataView
}

export const rowText = (bytes: Uint8Array): RowText => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
})

/** Whether a row and its key have this shape. Then these are its values. */
export function fits(shape: RowShape, { bytes }: RowText, row: RowSpan, values: RowValues): boolean {
  const { text: pieces, ends: pieceEnds, gaps } = shape
  const { starts, ends } = values
  const { start, end } = row
  let at = start
  let i = 0
  for (let gap = 0; ; gap++) {
    const pieceEnd = pieceEnds[gap] as number
    for (; i < pieceEnd; i++) if (bytes[at++] !== pieces[i]) return false
    if (gap === gaps) break
    starts[gap] = at
    at = endOfValue(bytes, at, end)
    ends[gap] = at
  }
  return at === end && fitsKey(shape, bytes, row, values, undefined)
}

/**
 * The same for a row that is compared with one before it, which has this shape. Every row of a release comes here, and most of
 * its bytes are those of the row before: what they have in common is passed over without a look at its parts.
 */
export function fitsAs(
  shape: RowShape,
  { bytes, view }: RowText,
  row: RowSpan,
  values: RowValues,
  before: RowValues,
  rowBefore: RowSpan,
): boolean {
  const { gaps } = shape
  const { starts, ends, differs } = values
  const { starts: likeStarts, ends: likeEnds } = before
  const { end } = row
  const likeEnd = rowBefore.end
  let at = row.start
  let like = rowBefore.start
  for (let gap = 0; ; ) {
    const ahead = at - like
    while (like + 4 <= likeEnd && at + 4 <= end && view.getInt32(like) === view.getInt32(at)) {
      like += 4
      at += 4
    }
    while (like < likeEnd && at < end && bytes[like] === bytes[at]) {
      like++
      at++
    }
    // The byte behind a value is the same too: otherwise there may be more of it.
    for (; gap < gaps && (likeEnds[gap] as number) < like; gap++) {
      starts[gap] = (likeStarts[gap] as number) + ahead
      ends[gap] = (likeEnds[gap] as number) + ahead
      differs[gap] = 0
    }
    if (gap === gaps || (likeStarts[gap] as number) > like) break
    starts[gap] = (likeStarts[gap] as number) + ahead
    at = endOfValue(bytes, starts[gap] as number, end)
    ends[gap] = at
    differs[gap] = 1
    like = likeEnds[gap] as number
    gap++
    if (gap === gaps && at === end && like === likeEnd) break
  }
  return at === end && like === likeEnd && fitsKey(shape, bytes, row, values, before)
}

function fitsKey(
  { key, gaps }: RowShape,
  text: Uint8Array,
  { keyStart, keyEnd }: RowSpan,
  { starts, ends, differs }: RowValues,
  before: RowValues | undefined,
): boolean {
  let at = keyStart
  for (let part = 0; part < key.length; part++) {
    const value = key[part] as number
    const after = endOfPart(text, at, keyEnd, part)
    // Behind the last part there is nothing, and behind each other one a bar.
    if ((after === keyEnd) !== (part === key.length - 1)) return false
    if (value >= gaps) {
      starts[value] = at
      ends[value] = after
      differs[value] =
        before && isAt(text, before.starts[value] as number, before.ends[value] as number, at, after) ? 0 : 1
    } else if (!isPart(text, starts[value] as number, ends[value] as number, at, after)) return false
    at = after + 1
  }
  return true
}

const isAt = (text: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean =>
  end - start === otherEnd - otherStart && isSame(text, start, text, otherStart, otherEnd)
