// The Medicare localities as files name them. The list is docs/spec/tables/localities.json.

import { LOCALITY_ENTRIES, POSTAL_AREAS } from '../../tables/localities.ts'
import { STATES } from '../../tables/states.ts'

const REGIONS: ReadonlyMap<string, string> = new Map(
  LOCALITY_ENTRIES.map(({ region, contractor }) => [`${contractor} ${region.slice(-2)}`, region]),
)

/** All of them, as `US-IL-16`. */
export const LOCALITIES: readonly string[] = LOCALITY_ENTRIES.map(({ region }) => region)

const LOCALITY_STATES = new Set(LOCALITIES.map((region) => region.slice('US-'.length, 'US-XX'.length)))
/** Whether localities are named after a state. */
export const isLocalityState = (state: string): boolean => LOCALITY_STATES.has(state)

/** Whether a ZIP code can lie in a state or territory. */
export const isPostalState = (state: string): boolean => STATES.has(state) || POSTAL_AREAS.includes(state)

/** The region of a locality as files name it, by the numbers of the contractor and of the locality. */
export const regionOf = (contractor: string, locality: string): string | undefined =>
  REGIONS.get(`${contractor} ${locality}`)
