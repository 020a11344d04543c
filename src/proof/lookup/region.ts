// Regions as people write them.

/** The states, the District of Columbia, and the areas that have Medicare. */
const AREA =
  'A[KLRSZ]|C[AOT]|D[CE]|FL|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEINOPST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AIT]|W[AIVY]'

/**
 * States with several Medicare localities. Which of them were loaded must not decide whether a state has one price.
 * Source: the GPCI files of 2025 and 2026.
 */
const DIVIDED = /CA|FL|GA|IL|LA|M[ADEIO]|N[JY]|OR|PA|TX|WA/
export const isDivided = (state: string): boolean => DIVIDED.test(state)

/** The islands of the Pacific lie in the locality of Hawaii. */
/** The state whose localities a state or area lies in. */
export const localitiesOf = (state: string): string => (/GU|AS|MP/.test(state) ? 'HI' : state)

/** Whether the region of a row is a former bidding area. */
export const isBiddingArea = (region: string): boolean => region.startsWith('CBA-')

type StateAsked = { state: string; region?: never }
type LocalityAsked = { region: string; state: string }
/** With the region whose rows speak for it, and the state, as far as they are known. */
export type Region =
  | { region: 'national'; state?: never }
  | StateAsked
  | LocalityAsked
  | { zip: string; plusFour: string | null }
  /** A former bidding area, of which it is open in which state the address is. */
  | { area: string }

export const isStateAsked = (region: Region): region is StateAsked => 'state' in region && !('region' in region)
export const isLocalityAsked = (region: Region): region is LocalityAsked => 'state' in region && 'region' in region

/** `national`, `US-IL`, `IL`, `US-IL-16`, `60611`, `ZIP-60611`, `60611-1234`, `CBA-1A2B3C4D`, in any case. */
const REGION = new RegExp(
  `^(?:national|(?:zip-)?(\\d{5})(?:-(\\d{4}))?|(us-)?(${AREA})(?:-(\\d\\d))?|(cba-[\\da-f]{8}))$`,
  'i',
)

/** Undefined for what has another form, and for a state or area that does not exist. */
export function parseRegion(text: string): Region | undefined {
  const [whole, zip, plusFour = null, country, area, locality, bidding] = REGION.exec(text) ?? []
  if (zip) return { zip, plusFour }
  if (bidding) return { area: bidding.toUpperCase() }
  if (!area) return whole ? { region: 'national' } : undefined
  const state = area.toUpperCase()
  if (!locality) return { state }
  return country ? { region: `US-${state}-${locality}`, state } : undefined
}
