// Places as people write them: a ZIP code, the name of a state, or an address that ends with one of them.

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

/** The name of a state: `US-DC` is `District of Columbia`. */
export function stateName(region: string): string | undefined {
  const [name] = [...STATES].find(([, regions]) => regions[0] === region) ?? []
  return name?.replaceAll(/\b(?!of )[a-z]/g, (letter) => letter.toUpperCase())
}

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
  const [, named] = /,([^,]+)$/.exec(address) ?? []
  const [, letters] = /^[a-z.' -]* ([a-z]{2}|d\.c\.)$/i.exec(address) ?? []
  return regionOf((named ?? letters ?? address).trim())
}

/** The first three digits of the ZIP codes of each state. Some states share them with a neighbour. */
const PREFIXES: ReadonlyMap<string, string> = new Map(
  (
    'AK 995-999,AL 350-369,AR 716-729,AS 967,AZ 850-865,CA 900-961,CO 800-816,CT 060-069,DC 200 202-205 569,DE 197-199,' +
    'FL 320-349,GA 300-319 398-399,GU 969,HI 967-968,IA 500-528,ID 832-838,IL 600-629,IN 460-479,KS 660-679,KY 400-427,LA 700-714,' +
    'MA 010-027 055,MD 205-219,ME 039-049,MI 480-499,MN 550-567,MO 630-658 726,MP 969,MS 386-397,MT 590-599,NC 270-289,' +
    'ND 580-588,NE 680-693,NH 030-038,NJ 070-089,NM 870-884,NV 889-898,NY 005 063 100-149,OH 430-459,OK 730-749,OR 970-979,' +
    'PA 150-196,PR 006-007 009,RI 028-029,SC 290-299,SD 570-577,TN 370-385,TX 733 739 750-799 885,UT 840-847,VA 201 205 220-246,' +
    'VI 008,VT 050-059,WA 980-994,WI 530-549,WV 247-268,WY 820-831 834'
  )
    .split(',')
    .map((entry) => [entry.slice(0, 2), entry.slice(3)]),
)
export const hasZip = (state: string, zip: string): boolean =>
  (PREFIXES.get(state) ?? '').split(' ').some((range) => {
    const [from = '', to = from] = range.split('-')
    return from !== '' && from <= zip.slice(0, 3) && zip.slice(0, 3) <= to
  })

/** Whether an address names a state before its ZIP code in which no such ZIP code lies: one of the two is wrong. */
function isElsewhere(before: string, zip: string): boolean {
  const [, letters] = /(?:^|[ ,])([A-Z]{2}|D\.C\.),?$/.exec(before.trim()) ?? []
  const [, named = ''] = /(?:^|,)([^,]+),?$/.exec(before) ?? []
  const states = regionOf((letters ?? named).trim()).filter((region) => /^US-..$/.test(region) || region.length === 2)
  return states.length > 0 && !states.some((state) => hasZip(state.slice(-2), zip))
}

/** The regions that have this name; none for a text that is no name of a state. */
export const regionsNamed = (text: string): readonly string[] => STATES.get(text.toLowerCase()) ?? []

/** Whether a text ends with a state: by its name, or by two letters in capitals. */
export function endsWithState(text: string): boolean {
  const words = text.split(' ').slice(-4)
  const [letters = ''] = words.slice(-1)
  if (/^[A-Z]{2}$/.test(letters) && PREFIXES.has(letters)) return true
  return words.some((_, from) => STATES.has(words.slice(from).join(' ').toLowerCase()))
}

/** Returns one region, or those that share a name. */
function regionOf(text: string): readonly string[] {
  // D.C. is DC. A number with a point is no ZIP code.
  const plain = /[0-9]/.test(text) ? text : text.replaceAll('.', '')
  const name = plain.toLowerCase()
  if (COUNTRY.test(name) || name === 'national') return ['national']
  return STATES.get(name) ?? (parseRegion(plain) ? [capitals(plain)] : [])
}
