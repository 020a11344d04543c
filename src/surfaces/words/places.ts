// Places as people write them: a ZIP code, the name of a state, or an address that ends with one of them.

import { capitals } from '../../proof/lookup/question.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { CITIES, COUNTIES, STATE_NAMES } from '../../tables/place-names.ts'

/** States and territories by their names. Some names are those of several. */
const STATES = Map.groupBy(
  [
    ...STATE_NAMES.map(({ state, name }) => ({ name, region: `US-${state}` })),
    ...STATE_NAMES.flatMap(({ state, also = [] }) => also.map((name) => ({ name, region: `US-${state}` }))),
  ],
  ({ name }) => name.toLowerCase(),
)
const statesNamed = (text: string): readonly string[] | undefined =>
  STATES.get(text.toLowerCase())?.map(({ region }) => region)

/** The name of a state: `US-DC` is `District of Columbia`. */
export const stateName = (region: string): string | undefined =>
  STATE_NAMES.find(({ state }) => region === `US-${state}`)?.name

const COUNTRY = /^(us|usa|united states|united states of america|nationwide|whole country)$/
const MOST_CHARACTERS = 100

/**
 * The regions that a text may mean, as lookups take them: one, several to choose from, or none. `Chicago, IL 60611` is
 * read as its ZIP code and `Springfield, Illinois` as the state. A city alone is not read: other states have one of that name.
 */
export function readRegions(text: string): readonly string[] {
  const plain = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^([0-9]{5})([0-9]{4})$/, '$1-$2')
  if (plain.length > MOST_CHARACTERS) return []
  const whole = regionOf(plain)
  if (whole.length > 0) return whole
  // The last part of an address. A name needs a comma before it: West New York is in New Jersey.
  const address = plain.replace(/,? (USA|U\.S\.A\.|United States)$/i, '')
  const [, before = '', zip] = /^(.*)[ ,]([0-9]{5}(?:-[0-9]{4})?)$/.exec(address) ?? []
  if (zip !== undefined) return /[0-9]{5}/.test(before) || isElsewhere(before, zip) ? [] : [zip]
  const locality = localityNamed(address)
  if (locality !== undefined) return [locality]
  const [, named] = /,([^,]+)$/.exec(address) ?? []
  const [, letters] = /^[a-z.' -]* ([a-z]{2}|d\.c\.)$/i.exec(address) ?? []
  return regionOf((named ?? letters ?? address).trim())
}

const ZIPS: ReadonlyMap<string, readonly string[]> = new Map(STATE_NAMES.map(({ state, zips }) => [state, zips]))
export const hasZip = (state: string, zip: string): boolean =>
  (ZIPS.get(state) ?? []).some((range) => {
    const [from = '', to = from] = range.split('-')
    return from <= zip.slice(0, 3) && zip.slice(0, 3) <= to
  })

/** Whether an address names a state before its ZIP code in which no such ZIP code lies: one of the two is wrong. */
function isElsewhere(before: string, zip: string): boolean {
  const [, letters] = /(?:^|[ ,])([A-Z]{2}|D\.C\.),?$/.exec(before.trim()) ?? []
  const [, named = ''] = /(?:^|,)([^,]+),?$/.exec(before) ?? []
  const states = regionOf((letters ?? named).trim()).filter((region) => /^US-..$/.test(region) || region.length === 2)
  return states.length > 0 && !states.some((state) => hasZip(state.slice(-2), zip))
}

/** Cities and counties by name and state: `chicago, il`. */
const LOCALITIES: ReadonlyMap<string, string> = new Map([
  ...CITIES.map(({ city, state, region }) => [`${city}, ${state}`.toLowerCase(), region] as const),
  ...COUNTIES.flatMap(({ county, state, region }) =>
    ['county', 'parish', 'co'].map((word) => [`${county} ${word}, ${state}`.toLowerCase(), region] as const),
  ),
])

/** The locality of a city or a county with its state, which may be its name or two letters; undefined for a place that is not listed. */
function localityNamed(address: string): string | undefined {
  const [, name = '', stated = ''] = /^(.{2,60}?),? +([A-Za-z]{2}|[A-Z][a-z]+(?: [A-Z][a-z]+)?)$/.exec(address) ?? []
  const [region] = stated.length === 2 ? [`US-${stated.toUpperCase()}`] : regionsNamed(stated)
  if (region === undefined) return undefined
  // The last part before the state: a street may stand before it.
  const place = name.slice(name.lastIndexOf(',') + 1).trim()
  return LOCALITIES.get(`${place}, ${region.slice(3)}`.toLowerCase())
}

/** The regions that have this name; none for a text that is no name of a state. */
export const regionsNamed = (text: string): readonly string[] => statesNamed(text) ?? []

/** Whether a text ends with a state: by its name, or by two letters in capitals. */
export function endsWithState(text: string): boolean {
  const words = text.split(' ').slice(-4)
  const [letters = ''] = words.slice(-1)
  if (/^[A-Z]{2}$/.test(letters) && ZIPS.has(letters)) return true
  return words.some((_, from) => STATES.has(words.slice(from).join(' ').toLowerCase()))
}

/** Returns one region, or those that share a name. */
function regionOf(text: string): readonly string[] {
  // D.C. is DC. A number with a point is no ZIP code.
  const plain = /[0-9]/.test(text) ? text : text.replaceAll('.', '')
  const name = plain.toLowerCase()
  if (COUNTRY.test(name) || name === 'national') return ['national']
  return statesNamed(name) ?? (parseRegion(plain) ? [capitals(plain)] : [])
}
