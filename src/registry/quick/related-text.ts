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

  /** `keys` are all there are for the code at the place of the row and in the country, in the order of the general way. */
  of(row: string, keys: readonly string[], { cpt, region, day }: { cpt: string; region: string; day: string }): string {
    // Two parts of a key differ from answer to answer, and have no meaning here: the code, and its place.
    let name = afterPlace(row)
    for (const key of keys) name += `\n${afterPlace(key)}`
    const form = this.#forms.get(name) ?? this.#make(name)
    let text = form[0] as string
    for (let i = 1; i + 2 < form.length; i += 3) text += cpt + form[i] + region + form[i + 1] + day + form[i + 2]
    return text
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

const afterPlace = (key: string): string => key.slice(key.indexOf('|', key.indexOf('|') + 1) + 1)
