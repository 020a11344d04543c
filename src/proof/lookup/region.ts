// Regions as people write them.

const AREAS = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
    'PA RI SC SD TN TX UT VT VA WA WV WI WY PR VI GU AS MP'
  ).split(' '),
)

/**
 * States with several Medicare localities. Which of them were loaded must not decide whether a state has one price.
 * Source: the GPCI files of 2025 and 2026.
 */
const DIVIDED = new Set('CA FL GA IL LA MA MD ME MI MO NJ NY OR PA TX WA'.split(' '))
export const isDivided = (state: string): boolean => DIVIDED.has(state)

/** The islands of the Pacific lie in the locality of Hawaii. */
const PACIFIC = new Set(['GU', 'AS', 'MP'])
/** The state whose localities a state or area lies in. */
export const localitiesOf = (state: string): string => (PACIFIC.has(state) ? 'HI' : state)

export type Region =
  | { level: 'national' }
  | { level: 'state'; state: string }
  | { level: 'locality'; region: string }
  | { level: 'zip'; zip: string; plusFour: string | null }

/** `national`, `US-IL`, `IL`, `US-IL-16`, `60611`, `ZIP-60611`, `60611-1234`, in any case. */
export const REGION_PATTERN =
  /^([Nn][Aa][Tt][Ii][Oo][Nn][Aa][Ll]|[A-Za-z]{2}|[Uu][Ss]-[A-Za-z]{2}(-[0-9]{2})?|([Zz][Ii][Pp]-)?[0-9]{5}(-[0-9]{4})?)$/

/** Undefined for what has another form, and for a state or area that does not exist. */
export function parseRegion(text: string): Region | undefined {
  if (!REGION_PATTERN.test(text)) return undefined
  const canonical = text.toUpperCase()
  if (canonical === 'NATIONAL') return { level: 'national' }
  const zip = /^(?:ZIP-)?([0-9]{5})(?:-([0-9]{4}))?$/.exec(canonical)
  if (zip) return { level: 'zip', zip: zip[1] as string, plusFour: zip[2] ?? null }
  const [, area = '', locality] = /^(?:US-)?([A-Z]{2})(?:-([0-9]{2}))?$/.exec(canonical) ?? []
  if (!AREAS.has(area)) return undefined
  return locality === undefined
    ? { level: 'state', state: area }
    : { level: 'locality', region: `US-${area}-${locality}` }
}
