// Names that people use for places, as docs/spec/tables/place-names.json has them. No verifier needs them.

import { cities, counties, states } from '../../docs/spec/tables/place-names.json'
import { frozen } from './frozen.ts'

export interface StateName {
  state: string
  name: string
  /** Other names, which several states may share. */
  also?: readonly string[]
  /** The first three digits of its ZIP codes, with ranges as `995-999`. Some states share them with a neighbour. */
  zips: readonly string[]
}
export const STATE_NAMES: readonly StateName[] = frozen(states)

/** A city or a county that lies in one Medicare locality, or in a state that has one alone. */
export interface PlaceName {
  state: string
  region: string
}
export const CITIES: readonly (PlaceName & { city: string })[] = frozen(cities)
export const COUNTIES: readonly (PlaceName & { county: string })[] = frozen(counties)
