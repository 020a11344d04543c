// Hospitals as people ask for them. Their files have names, which are never shown: a name is what the operator calls them.

import { isNpi } from '../../proof/lookup/npi.ts'

/** A hospital that can be asked for, and what may be said about it. */
export interface Hospital {
  npi: string
  /** What the operator calls it. It is in no file and in no proof. */
  name?: string | undefined
  /** What is loaded of it; undefined for one that has only a name. */
  file?: { edition: string; rows: number } | undefined
}

export const MOST_IN_NAME = 60
const NAME = /^[\p{Script=Latin}0-9][\p{Script=Latin}0-9 .,'’&()/-]*$/u
const isName = (text: string): boolean =>
  text.length <= MOST_IN_NAME && NAME.test(text) && /\p{Script=Latin}{2}/u.test(text)

/** Thrown with the line that is wrong, never with what it says. */
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
    if (taken.has(plainly(name))) throw wrong('this name was given to another NPI')
    names.set(npi, name)
    taken.add(plainly(name))
  }
  return names
}

const plainly = (text: string): string =>
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

/** The same for many pages: there can be thousands, so they are listed once under each stamp. */
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

/** Of several hospitals that a text may mean, so many are named. */
export const MOST_MEANT = 12

interface PlainName {
  npi: string
  name: string
  words: ReadonlySet<string>
}
const plainNames = new WeakMap<readonly Hospital[], readonly PlainName[]>()

/** Worked out once for each list: there can be thousands, and anyone may ask. */
function plainNamesOf(hospitals: readonly Hospital[]): readonly PlainName[] {
  const known = plainNames.get(hospitals)
  if (known) return known
  const made = hospitals.map(({ npi, name: given = '' }) => {
    const name = plainly(given)
    return { npi, name, words: new Set(name.split(' ')) }
  })
  plainNames.set(hospitals, made)
  return made
}

/** The hospitals that a text may mean, or the first of many: by NPI, by the whole name, or by words of it. */
export function writtenHospitals(text: string, hospitals: readonly Hospital[]): readonly string[] {
  const digits = text.replace(/^npi\b:?/i, '').replaceAll(/[\s-]+/g, '')
  if (/^[0-9]+$/.test(digits)) return [digits]
  const asked = text.length > 2 * MOST_IN_NAME ? '' : plainly(text)
  if (asked === '') return []
  const named = plainNamesOf(hospitals)
  const whole = named.find(({ name }) => name === asked)
  if (whole) return [whole.npi]
  const words = asked.split(' ')
  const found: string[] = []
  for (const each of named) {
    if (words.every((word) => each.words.has(word))) found.push(each.npi)
    if (found.length === MOST_MEANT) break
  }
  return found
}

/** The NPI that a field of a form means, empty for an empty field; or a sentence about what to type. */
export function oneHospital(text: string, hospitals: readonly Hospital[]): { npi: string } | { refused: string } {
  if (text.trim() === '') return { npi: '' }
  const found = writtenHospitals(text, hospitals)
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

/** What may be said about a hospital, in a list to choose from. */
export function hospitalText({ npi, name, file }: Hospital): string {
  const held = file ? `${file.rows} ${file.rows === 1 ? 'row' : 'rows'}, edition ${file.edition}` : 'no file is loaded'
  return `${name === undefined ? '' : `${name}, `}NPI ${npi}, ${held}`
}
