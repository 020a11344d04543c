// Hospitals as people ask for them. A name is the one that the operator gave: the names in the files are never shown.

import { isNpi } from '../../proof/lookup/npi.ts'

/** A hospital that can be asked for. */
export interface Hospital {
  npi: string
  /** Given by the operator; it is in no file and in no proof. */
  name?: string | undefined
  /** Its file, if one is loaded. */
  file?: { edition: string; rows: number } | undefined
}

export const MOST_IN_NAME = 60
const NAME = /^[\p{Script=Latin}0-9][\p{Script=Latin}0-9 .,'’&()/-]*$/u
const isName = (text: string): boolean =>
  text.length <= MOST_IN_NAME && NAME.test(text) && /\p{Script=Latin}{2}/u.test(text)

/** Names the line that is wrong, and never repeats it. */
export class NamesFault extends Error {}

/** Reads the operator's names: in each line an NPI, and after a blank or a comma the name. Lines with `#` are notes. */
export function hospitalNames(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const wrong = (what: string): NamesFault => new NamesFault(`line ${at + 1}: ${what}`)
    const [, npi = '', name = ''] = /^([0-9]{10})[ \t,]+(.*?)\s*$/.exec(line) ?? []
    if (!isNpi(npi)) throw wrong('it does not begin with an NPI')
    if (!isName(name))
      throw wrong(`a name has letters, digits and . , ' & ( ) / -, and at most ${MOST_IN_NAME} characters`)
    if (names.has(npi)) throw wrong('this NPI was named before')
    if (taken.has(folded(name))) throw wrong('this name was given to another NPI')
    names.set(npi, name)
    taken.add(folded(name))
  }
  return names
}

const folded = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}0-9]+/gu, ' ')
    .trim()

interface LoadedChart {
  chart: string
  edition: string
  rows: number
}

/** The hospitals whose files are loaded, and those that have a name. */
export function hospitalsIn(
  charts: readonly LoadedChart[],
  names: ReadonlyMap<string, string> = new Map(),
): Hospital[] {
  const loaded = charts.flatMap(({ chart, edition, rows }): Hospital[] => {
    const [, npi] = chart.split(':')
    return npi === undefined ? [] : [{ npi, name: names.get(npi), file: { edition, rows } }]
  })
  const others = [...names].filter(([npi]) => !loaded.some((each) => each.npi === npi))
  return [...loaded, ...others.map(([npi, name]) => ({ npi, name }))]
}

/** Lists the hospitals for pages. There can be thousands, so they are listed once under each stamp. */
export function hospitalList(
  charts: () => Promise<readonly LoadedChart[]>,
  stamp: () => string | undefined,
  names?: ReadonlyMap<string, string>,
): () => Promise<readonly Hospital[]> {
  let known: { stamp: string; list: readonly Hospital[] } | undefined
  return async () => {
    const now = stamp()
    if (now !== undefined && known?.stamp === now) return known.list
    const list = hospitalsIn(await charts(), names)
    if (now !== undefined) known = { stamp: now, list }
    return list
  }
}

/** The most hospitals that are named where a text may mean several. */
export const MOST_CHOICES = 12

interface IndexedName {
  npi: string
  name: string
  words: ReadonlySet<string>
}
const indexes = new WeakMap<readonly Hospital[], readonly IndexedName[]>()

/** The names in words, computed once for each list: there can be thousands, and anyone may ask. */
function indexOf(hospitals: readonly Hospital[]): readonly IndexedName[] {
  const known = indexes.get(hospitals)
  if (known) return known
  const index = hospitals.map(({ npi, name: given = '' }) => {
    const name = folded(given)
    return { npi, name, words: new Set(name.split(' ')) }
  })
  indexes.set(hospitals, index)
  return index
}

/** The hospitals that a text may mean, or the first of many: by NPI, by the whole name, or by words of it. */
export function readHospitals(text: string, hospitals: readonly Hospital[]): readonly string[] {
  const digits = text.replace(/^npi\b:?/i, '').replaceAll(/[\s-]+/g, '')
  if (/^[0-9]+$/.test(digits)) return [digits]
  const asked = text.length > 2 * MOST_IN_NAME ? '' : folded(text)
  if (asked === '') return []
  const index = indexOf(hospitals)
  const whole = index.find(({ name }) => name === asked)
  if (whole) return [whole.npi]
  const words = asked.split(' ')
  const found: string[] = []
  for (const each of index) {
    if (words.every((word) => each.words.has(word))) found.push(each.npi)
    if (found.length === MOST_CHOICES) break
  }
  return found
}

/** The NPI that a field of a form means, empty for an empty field; or a sentence about what to type. */
export function oneHospital(text: string, hospitals: readonly Hospital[]): { npi: string } | { refused: string } {
  if (text.trim() === '') return { npi: '' }
  const found = readHospitals(text, hospitals)
  const [npi = ''] = found
  if (found.length > 1) {
    const names = hospitals.flatMap((each) => (found.includes(each.npi) ? hospitalText(each) : []))
    return { refused: `The hospital can be one of several: ${names.join('; ')}. Type one NPI.` }
  }
  if (npi === '') return { refused: 'No hospital is known here by this name: choose one of the list, or type its NPI.' }
  return isNpi(npi)
    ? { npi }
    : { refused: 'The NPI is not valid: it has ten digits, the last of which checks the others.' }
}

/** A hospital in a list to choose from. */
export function hospitalText({ npi, name, file }: Hospital): string {
  const held = file ? `${file.rows} ${file.rows === 1 ? 'row' : 'rows'}, edition ${file.edition}` : 'no file is loaded'
  return `${name === undefined ? '' : `${name}, `}NPI ${npi}, ${held}`
}
