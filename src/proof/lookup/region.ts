// Regions as people write them.

import { STATES } from '../../tables/states.ts'

/** Whether a state has several Medicare localities. Which of them were loaded must not decide whether it has one price. */
export const isDivided = (state: string): boolean => STATES.get(state)?.divided === true

/** The state whose localities are those of a state: the islands of the Pacific are in the locality of Hawaii. */
export const localitiesOf = (state: string): string => STATES.get(state)?.localities_of ?? state

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
