import type { Around } from '../bundle/row-search.ts'
import { type Key, nearest, partsOf, pointerTo, referencePath } from '../lookup/beside.ts'

/** Stand for the parts of an address that differ from answer to answer. None of them is a part of a key. */
const [CODE, REGION, DAY] = ['*1', '*2', '*3'] as const
const MOST_FORMS = 2_000

/**
 * The text of what stands beside a price. It depends on what there is for the code: which settings, modifiers and bases.
 * Most codes have the same, so the text is made once for each such list, by the general way, with gaps.
 */
export class RelatedTexts {
  readonly #forms = new Map<string, readonly string[]>()
  readonly #ofFiles = new WeakMap<object, Map<number, MarkedForm>>()

  /** `keys` are all there are for the code at the place of the row and in the country, in the order of the general way. */
  of(row: string, keys: readonly string[], about: About): string {
    return filled(this.#formOf(row, keys), about)
  }

  /** The same for rows that stand together in a file and are all there are. Keys are asked for once for each list of marks. */
  ofRows(file: object, { marks, size }: Around, row: string, keys: () => readonly string[], about: About): string {
    const forms = this.#ofFiles.get(file) ?? new Map<number, MarkedForm>()
    const hash = hashOf(marks, size)
    let known = forms.get(hash)
    if (!known || !isSame(known.marks, marks, size)) {
      known = { marks: marks.slice(0, size), form: this.#formOf(row, keys()) }
      if (forms.size >= MOST_FORMS) forms.clear()
      this.#ofFiles.set(file, forms.set(hash, known))
    }
    return filled(known.form, about)
  }

  #formOf(row: string, keys: readonly string[]): readonly string[] {
    // Two parts of a key differ from answer to answer, and have no meaning here: the code, and its place.
    let name = afterPlace(row)
    for (const key of keys) name += `\n${afterPlace(key)}`
    return this.#forms.get(name) ?? this.#make(name)
  }

  #make(name: string): readonly string[] {
    const [row, ...keys] = name.split('\n').map((rest) => partsOf(`${CODE}|${REGION}|${rest}`)) as [Key, ...Key[]]
    const related = nearest(row, keys).map((key) => pointerTo(key, referencePath(key, DAY)))
    const form = JSON.stringify(related).split(/\*[123]/)
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

interface MarkedForm {
  marks: Int32Array
  form: readonly string[]
}

function filled(form: readonly string[], { cpt, region, day }: About): string {
  let text = form[0] as string
  for (let i = 1; i + 2 < form.length; i += 3) text += cpt + form[i] + region + form[i + 1] + day + form[i + 2]
  return text
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
