import type { Around } from '../bundle/row-search.ts'
import { padded } from '../bundle/row-shape.ts'
import type { RowText } from '../bundle/row-values.ts'
import { type Key, nearest, partsOf, pointerTo, referencePath } from '../lookup/beside.ts'

/** Stand for the parts of an address that differ from answer to answer. None of them is a part of a key. */
const [CODE, REGION, DAY] = ['*1', '*2', '*3'] as const
const MOST_FORMS = 2_000

/**
 * The text of what stands beside a price. It depends on what there is for the code: which settings, modifiers and bases.
 * Most codes have the same, so the text is made once for each such list, by the general way, with gaps.
 */
export class RelatedTexts {
  readonly #forms = new Map<string, RelatedForm>()
  readonly #ofFiles = new WeakMap<object, Map<number, MarkedForm>>()

  /** `keys` are all there are for the code at the place of the row and in the country, in the order of the general way. */
  of(row: string, keys: readonly string[]): RelatedForm {
    // Two parts of a key differ from answer to answer, and have no meaning here: the code, and its place.
    let name = afterPlace(row)
    for (const key of keys) name += `\n${afterPlace(key)}`
    return this.#forms.get(name) ?? this.#make(name)
  }

  /** The same for rows that stand together in a file and are all there are, if such rows were kept. */
  ofRows(file: object, { marks, size }: Around): RelatedForm | undefined {
    const known = this.#ofFiles.get(file)?.get(hashOf(marks, size))
    return known && isSame(known.marks, marks, size) ? known.form : undefined
  }

  keep(file: object, { marks, size }: Around, form: RelatedForm): void {
    const forms = this.#ofFiles.get(file) ?? new Map<number, MarkedForm>()
    if (forms.size >= MOST_FORMS) forms.clear()
    this.#ofFiles.set(file, forms.set(hashOf(marks, size), { marks: marks.slice(0, size), form }))
  }

  #make(name: string): RelatedForm {
    const [row, ...keys] = name.split('\n').map((rest) => partsOf(`${CODE}|${REGION}|${rest}`)) as [Key, ...Key[]]
    const related = nearest(row, keys).map((key) => pointerTo(key, referencePath(key, DAY)))
    const form = new RelatedForm(JSON.stringify(related).split(/\*[123]/))
    if (this.#forms.size >= MOST_FORMS) this.#forms.clear()
    this.#forms.set(name, form)
    return form
  }
}

/** What differs from answer to answer. */
interface About {
  cpt: string
  region: string
  day: string
}

/** A text as bytes, in which the same three things are left out again and again: code, place and day. */
export class RelatedForm {
  readonly #pieces: DataView
  /** Where each piece ends. */
  readonly #ends: Int32Array
  readonly #size: number

  constructor(pieces: readonly string[]) {
    let end = 0
    this.#ends = Int32Array.from(pieces, ({ length }) => (end += length))
    this.#size = end
    this.#pieces = padded(Buffer.from(pieces.join(''), 'latin1')).view
  }

  /** How many bytes are written, at most: pieces are copied four bytes at a time. */
  mostBytes({ cpt, region, day }: About): number {
    return this.#size + this.#ends.length * (cpt.length + region.length + day.length) + 4
  }

  /** Writes it, and gives the place after it. */
  write({ cpt, region, day }: About, { bytes, view }: RowText, at: number): number {
    const pieces = this.#pieces
    const ends = this.#ends
    let to = at
    for (let piece = 0, from = 0; piece < ends.length; piece++) {
      const end = ends[piece] as number
      for (let i = from; i < end; i += 4) view.setInt32(to + i - from, pieces.getInt32(i, true), true)
      to += end - from
      from = end
      if (piece === ends.length - 1) break
      const gap = piece % 3
      const text = gap === 0 ? cpt : gap === 1 ? region : day
      for (let i = 0; i < text.length; i++) bytes[to++] = text.charCodeAt(i)
    }
    return to
  }
}

interface MarkedForm {
  marks: Int32Array
  form: RelatedForm
}

function hashOf(marks: Int32Array, size: number): number {
  let hash = size
  for (let i = 0; i < size; i++) hash = Math.imul(hash ^ (marks[i] as number), 0x01000193)
  return hash
}

function isSame(marks: Int32Array, others: Int32Array, size: number): boolean {
  if (marks.length !== size) return false
  for (let i = 0; i < size; i++) if (marks[i] !== others[i]) return false
  return true
}

const afterPlace = (key: string): string => key.slice(key.indexOf('|', key.indexOf('|') + 1) + 1)
