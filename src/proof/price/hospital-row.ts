// The rows of the list of hospitals: where each one is, and its name.

import { closed, isDay, matches, NPI, oneOf, orNull } from '../shape.ts'
import { isLocator, type Locator } from './locator.ts'

export interface HospitalRow {
  kind: 'hospital'
  /** The state, `US-IL`. */
  region: string
  zip: string
  npi: string
  /** The name that the list has, in a closed alphabet; null where it has none, or one with other characters. */
  name: string | null
  effective_from: string
  locator: Locator
}

/** Letters, digits and eight marks: nothing that a program or a terminal could take for more than a name. */
export const HOSPITAL_NAME = /^[A-Za-z0-9][A-Za-z0-9 .,'&()-]{1,69}$/

/** Hospitals of a state are neighbours, and so are those of one area of ZIP codes. */
export const hospitalKey = ({ region, zip, npi }: Pick<HospitalRow, 'region' | 'zip' | 'npi'>): string =>
  `${region}|${zip}|${npi}`

export const isHospitalRow = closed({
  kind: oneOf('hospital'),
  region: matches(/^US-[A-Z]{2}$/),
  zip: matches(/^\d{5}$/),
  npi: matches(NPI),
  name: orNull(matches(HOSPITAL_NAME)),
  effective_from: isDay,
  locator: isLocator,
}) as (value: unknown) => value is HospitalRow
