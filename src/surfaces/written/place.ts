// Places as people write them: by the name of a state, or at the end of an address.

import { capitals } from '../../proof/lookup/question.ts'
import { parseRegion } from '../../proof/lookup/region.ts'

/** States and territories by their names. */
const STATES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...(
    'alabama AL,alaska AK,american samoa AS,arizona AZ,arkansas AR,california CA,colorado CO,connecticut CT,' +
    'delaware DE,district of columbia DC,florida FL,georgia GA,guam GU,hawaii HI,idaho ID,illinois IL,indiana IN,' +
    'iowa IA,kansas KS,kentucky KY,louisiana LA,maine ME,maryland MD,massachusetts MA,michigan MI,minnesota MN,' +
    'mississippi MS,missouri MO,montana MT,nebraska NE,nevada NV,new hampshire NH,new jersey NJ,new mexico NM,' +
    'new york NY,north carolina NC,north dakota ND,northern mariana islands MP,ohio OH,oklahoma OK,oregon OR,' +
    'pennsylvania PA,puerto rico PR,rhode island RI,south carolina SC,south dakota SD,tennessee TN,texas TX,' +
    'us virgin islands VI,utah UT,vermont VT,virgin islands VI,virginia VA,washington WA,west virginia WV,' +
    'wisconsin WI,wyoming WY'
  )
    .split(',')
    .map((entry) => [entry.slice(0, -3), [`US-${entry.slice(-2)}`]] as const),
  // Names that several places share.
  ['carolina', ['US-NC', 'US-SC']],
  ['dakota', ['US-ND', 'US-SD']],
  ['washington', ['US-WA', 'US-DC']],
])

/** What a state is called: `US-DC` is `District of Columbia`. */
export function stateName(region: string): string | undefined {
  const [name] = [...STATES].find(([, regions]) => regions[0] === region) ?? []
  return name?.replaceAll(/\b(?!of )[a-z]/g, (letter) => letter.toUpperCase())
}

const COUNTRY = /^(us|usa|united states|united states of america|nationwide|whole country)$/
const MOST_CHARACTERS = 100

/**
 * The regions that a text may mean, as lookups take them: one, several to choose from, or none. `Chicago, IL 60611` is
 * its ZIP code and `Springfield, Illinois` is the state. A city by itself is none: other states have one of that name.
 */
export function writtenPlaces(text: string): readonly string[] {
  const plain = text.trim().replaceAll(/\s+/g, ' ')
  if (plain.length > MOST_CHARACTERS) return []
  const whole = regionOf(plain)
  if (whole.length > 0) return whole
  // The last part of an address. A name needs a comma before it: West New York is in New Jersey.
  const address = plain.replace(/,? (USA|U\.S\.A\.|United States)$/i, '')
  const [, before = '', zip] = /^(.*)[ ,]([0-9]{5}(?:-[0-9]{4})?)$/.exec(address) ?? []
  if (zip !== undefined) return /[0-9]{5}/.test(before) || isElsewhere(before, zip) ? [] : [zip]
  const [, named] = /,([^,]+)$/.exec(address) ?? []
  const [, letters] = /^[a-z.' -]* ([a-z]{2}|d\.c\.)$/i.exec(address) ?? []
  return regionOf((named ?? letters ?? address).trim())
}

/** The states whose ZIP codes begin with each digit. */
const BY_DIGIT = [
  ...['CT MA ME NH NJ NY PR RI VI VT', 'DE NY PA', 'DC MD NC SC VA WV', 'AL FL GA MS TN', 'IN KY MI OH'],
  ...['IA MN MT ND SD WI', 'IL KS MO NE', 'AR LA OK TX', 'AZ CO ID NM NV TX UT WY', 'AK AS CA GU HI MP OR WA'],
]

/** Whether the state that an address names before its ZIP code is one in which no such ZIP code lies: one of the two is wrong. */
function isElsewhere(before: string, zip: string): boolean {
  const [, letters] = /(?:^|[ ,])([A-Z]{2}|D\.C\.),?$/.exec(before.trim()) ?? []
  const [, named = ''] = /(?:^|,)([^,]+),?$/.exec(before) ?? []
  const states = regionOf((letters ?? named).trim()).filter((region) => /^US-..$/.test(region) || region.length === 2)
  const there = BY_DIGIT[Number(zip[0])] ?? ''
  return states.length > 0 && !states.some((state) => there.includes(state.slice(-2)))
}

/** One region, or those that share a name. */
function regionOf(text: string): readonly string[] {
  // D.C. is DC. A number with a point is no ZIP code.
  const plain = /[0-9]/.test(text) ? text : text.replaceAll('.', '')
  const name = plain.toLowerCase()
  if (COUNTRY.test(name) || name === 'national') return ['national']
  return STATES.get(name) ?? (parseRegion(plain) ? [capitals(plain)] : [])
}
