import { KEY_PARTS } from '../../proof/price/row.ts'
import { isSame } from './byte-table.ts'
import { type OpenBundle, OWN } from './open-bundle.ts'

// Neighbours have most of their values in common, and we give a value one number in a bundle. So rows are compared by numbers,
// and each text is looked at once. Only rows that say themselves what their key is are looked at.

const PARTS = KEY_PARTS.length
/** The code and the place: the rows that have these in common stand together. */
const PLACE_PARTS = 2
/** For each part of the key a number that means the text that is looked for, and one that does not. */
const same = new Int32Array(PARTS)
const other = new Int32Array(PARTS)

/** Which row has the key with these parts; -1 if none says so. */
export function findRow(bundle: OpenBundle, parts: readonly string[]): number {
  same.fill(-1)
  other.fill(-1)
  for (let row = 0; row < bundle.size; row++) if (hasParts(bundle, row, parts)) return row
  return -1
}

function hasParts(bundle: OpenBundle, row: number, parts: readonly string[]): boolean {
  if (!bundle.hasOwnKey(row)) return false
  for (let part = 0; part < PARTS; part++) {
    const number = bundle.numberOf(row, part)
    if (number === same[part]) continue
    if (number === other[part]) return false
    if (!means(bundle, number, parts[part] as string)) {
      other[part] = number
      return false
    }
    same[part] = number
  }
  return true
}

const QUOTE = 34
const NULL = 'null'

/**
 * Whether a value is this part of a key: all of it, with the marks around it. In a file from elsewhere a value may end in the
 * middle of its text, and the row would be found under another key.
 */
function means(bundle: OpenBundle, number: number, text: string): boolean {
  const bytes = bytesOf(bundle, number)
  const start = edgeOf(bundle, number, 0)
  const end = edgeOf(bundle, number, 1)
  if (text === '') return isText(bytes, start, end, NULL)
  return bytes[start] === QUOTE && bytes[end - 1] === QUOTE && isText(bytes, start + 1, end - 1, text)
}

const bytesOf = ({ words, packed }: OpenBundle, number: number): Uint8Array => (number < OWN ? words.room : packed)

/** Where a value begins (0), or ends (1). */
const edgeOf = ({ words, places }: OpenBundle, number: number, edge: 0 | 1): number =>
  (number < OWN ? words.starts[number + edge] : places[2 * (number - OWN) + edge]) as number

function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}

/** Rows that stand together: which they are, and what tells them apart. Valid until the next ones are asked. */
export interface Around {
  from: number
  to: number
  /** The place of the row that was asked among them, and of each the numbers of the other parts of its key. */
  marks: Int32Array
  size: number
}

const MOST_ROWS_AROUND = 16
const around: Around = { from: 0, to: 0, marks: new Int32Array(1 + MOST_ROWS_AROUND * PARTS), size: 0 }

/** The rows of a bundle that are for the same code and place as one of them. Undefined if their numbers do not say so. */
export function rowsAround(bundle: OpenBundle, row: number): Around | undefined {
  let [from, to] = [row, row + 1]
  while (from > 0 && isLike(bundle, from - 1, row)) from--
  while (to < bundle.size && isLike(bundle, to, row)) to++
  const isBetween = (from === 0 || bundle.hasOwnKey(from - 1)) && (to === bundle.size || bundle.hasOwnKey(to))
  if (!isBetween || to - from > MOST_ROWS_AROUND) return undefined
  const { marks } = around
  let size = 0
  marks[size++] = row - from
  for (let i = from; i < to; i++)
    for (let part = PLACE_PARTS; part < PARTS; part++) {
      const number = bundle.numberOf(i, part)
      // Another bundle has other values under such a number.
      if (number >= OWN) return undefined
      marks[size++] = number
    }
  around.from = from
  around.to = to
  around.size = size
  return around
}

function isLike(bundle: OpenBundle, row: number, one: number): boolean {
  if (!bundle.hasOwnKey(row)) return false
  for (let part = 0; part < PLACE_PARTS; part++) {
    const number = bundle.numberOf(row, part)
    const other = bundle.numberOf(one, part)
    if (number !== other && !isSameValue(bundle, number, other)) return false
  }
  return true
}

/** In a file from elsewhere a value may have several numbers. What differs ends the rows around one, so few are compared. */
function isSameValue(bundle: OpenBundle, number: number, other: number): boolean {
  const start = edgeOf(bundle, number, 0)
  const otherStart = edgeOf(bundle, other, 0)
  const otherEnd = edgeOf(bundle, other, 1)
  if (edgeOf(bundle, number, 1) - start !== otherEnd - otherStart) return false
  return isSame(bytesOf(bundle, number), start, bytesOf(bundle, other), otherStart, otherEnd)
}
