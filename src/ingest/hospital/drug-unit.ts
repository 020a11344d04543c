import { DOSAGE_UNITS } from '../../proof/price/row.ts'
import { isNothing } from './amounts.ts'

// The unit of an amount as one number: a file states it on millions of lines.

/** No unit was read yet. */
export const UNSAID = 0
/** The line names no unit: the amount is for one service. */
export const NO_UNIT = 1
/** The line names a unit that a row cannot state. */
export const UNPARSED = 2
/** Amounts under one key are for different units. */
export const MIXED = -1

const TYPES = 32
const SCALE = 10_000
/** Databases write `.5` for a half. */
const VALUE = /^(?=.*[0-9])[0-9]{0,7}(\.[0-9]{0,4}0*)?$/

/** The template's drug_unit_of_measurement and drug_type_of_measurement, together. */
export function drugUnit(value: string, type: string): number {
  if (value === '' && type === '') return NO_UNIT
  const at = (DOSAGE_UNITS as readonly string[]).indexOf(type.toUpperCase())
  const scaled = VALUE.test(value) ? Math.round(Number(value) * SCALE) : 0
  if (at >= 0 && scaled > 0) return scaled * TYPES + at
  return [value, type].every((text) => text === '' || isNothing(text)) ? NO_UNIT : UNPARSED
}

/** The unit of two lines under one key together. */
export const together = (one: number, other: number): number =>
  one === other || other === UNSAID ? one : one === UNSAID ? other : MIXED

/** The unit as a row states it, with its flags. */
export function perOf(unit: number): { per: string | null; flags: string[] } {
  if (unit === MIXED) return { per: null, flags: ['mixed_units'] }
  if (unit === UNPARSED) return { per: '1 UNIT', flags: ['unit_unparsed'] }
  if (unit < TYPES) return { per: null, flags: [] }
  return { per: `${Math.floor(unit / TYPES) / SCALE} ${DOSAGE_UNITS[unit % TYPES]}`, flags: [] }
}
