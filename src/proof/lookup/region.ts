// Regions as people write them.

import { words } from '../shape.ts'

/** With the District of Columbia and the areas that have Medicare. */
const STATES = new Set(
  words(`AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS
    MT NC ND NE NH NJ NM NV NY OH OK OR PA PR RI SC SD TN TX UT VA VI VT WA WI WV WY`),
)

/**
 * The states with several Medicare localities. Which localities were loaded must not decide whether a state has one price.
 * Source: the GPCI files of 2025 and 2026.
 */
const DIVIDED_STATES = new Set(words('CA FL GA IL LA MA MD ME MI MO NJ NY OR PA TX WA'))
export const isDivided = (state: string): boolean => DIVIDED_STATES.has(state)

const PACIFIC_ISLANDS = new Set(['AS', 'GU', 'MP'])
/** The islands of the Pacific are in the locality of Hawaii. */
export const localitiesOf = (state: string): string => (PACIFIC_ISLANDS.has(state) ? 'HI' : state)

/** Whether the region of a row is a former bidding area. */
export const isBiddingArea = (region: string): boolean => region.startsWith('CBA-')

/** A place as it is asked for, with the region of the rows that answer and the state, as far as they are known. */
export type Region =
  | { level: 'national'; region: 'national'; state?: never }
  | { level: 'state'; region?: never; state: string }
  | { level: 'locality'; region: string; state: string }
  | { level: 'zip'; zip: string; plusFour: string | null }
  /** A former bidding area. It may be in several states. */
  | { level: 'area'; area: string }

export const isStateAsked = (region: Region): region is Extract<Region, { level: 'state' }> => region.level === 'state'
export const isLocalityAsked = (region: Region): region is Extract<Region, { level: 'locality' }> =>
  region.level === 'locality'

/** `national`, `US-IL`, `IL`, `US-IL-16`, `60611`, `ZIP-60611`, `60611-1234`, `CBA-1A2B3C4D`, in any case. */
const REGION = /^(?:(national)|(?:zip-)?(\d{5})(?:-(\d{4}))?|(us-)?([a-z]{2})(?:-(\d\d))?|(cba-[\da-f]{8}))$/i

export function parseRegion(text: string): Region | undefined {
  const [, national, zip, plusFour = null, country, letters, locality, area] = REGION.exec(text) ?? []
  if (national !== undefined) return { level: 'national', region: 'national' }
  if (zip !== undefined) return { level: 'zip', zip, plusFour }
  if (area !== undefined) return { level: 'area', area: area.toUpperCase() }
  const state = letters?.toUpperCase() ?? ''
  if (!STATES.has(state)) return undefined
  if (locality === undefined) return { level: 'state', state }
  return country === undefined ? undefined : { level: 'locality', region: `US-${state}-${locality}`, state }
}
