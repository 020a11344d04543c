// Regions as people write them.

import { words } from '../shape.ts'

const AREAS = words(
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
    'PA RI SC SD TN TX UT VT VA WA WV WI WY PR VI GU AS MP',
)

/**
 * States with several Medicare localities. Which of them were loaded must not decide whether a state has one price.
 * Source: the GPCI files of 2025 and 2026.
 */
const DIVIDED = words('CA FL GA IL LA MA MD ME MI MO NJ NY OR PA TX WA')
export const isDivided = (state: string): boolean => DIVIDED.includes(state)

/** The islands of the Pacific lie in the locality of Hawaii. */
const PACIFIC = words('GU AS MP')
/** The state whose localities a state or area lies in. */
export const localitiesOf = (state: string): string => (PACIFIC.includes(state) ? 'HI' : state)

export type Region =
  | { level: 'national' }
  | { level: 'state'; state: string }
  | { level: 'locality'; region: string }
  | { level: 'zip'; zip: string; plusFour: string | null }

/** `national`, `US-IL`, `IL`, `US-IL-16`, `60611`, `ZIP-60611`, `60611-1234`, in any case. */
const REGION = /^(?:national|(?:zip-)?(\d{5})(?:-(\d{4}))?|(us-)?([a-z]{2})(?:-(\d{2}))?)$/i

/** Undefined for what has another form, and for a state or area that does not exist. */
export function parseRegion(text: string): Region | undefined {
  const [whole, zip, plusFour = null, country, area, locality] = REGION.exec(text) ?? []
  if (zip !== undefined) return { level: 'zip', zip, plusFour }
  if (area === undefined) return whole === undefined ? undefined : { level: 'national' }
  const state = area.toUpperCase()
  if (!AREAS.includes(state)) return undefined
  if (locality === undefined) return { level: 'state', state }
  return country === undefined ? undefined : { level: 'locality', region: `US-${state}-${locality}` }
}
