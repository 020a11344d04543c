import type { Row, Setting } from '../proof/row.ts'
import { HOSPITAL_BASES } from './charts.ts'

export interface Wanted {
  modifier: string | null
  setting?: Setting | undefined
  basis?: string | undefined
}

/** The order in which settings are preferred when none is asked for; null is a price for both of a hospital's. */
const PREFERENCE: readonly (Setting | null)[] = ['non_facility', 'facility', 'outpatient', null, 'inpatient']

/** CMS marks a setting in which the service is rarely or never performed. */
export const NA_FLAG = 'na_indicator'

/**
 * Which row answers, when several fit: the modifier asked for or none; the basis asked for, or the first
 * that the provider states of cash, gross and negotiated; the setting asked for, or non-facility unless
 * CMS marks that "NA" and the facility price stands.
 */
export function chooseRow(rows: readonly Row[], wanted: Wanted): Row | undefined {
  const basis = basisFor(rows, wanted)
  const offered = rows.filter((row) => row.modifier === wanted.modifier && row.basis === basis)
  const inSetting = (setting: Setting | null): Row | undefined => offered.find((row) => row.setting === setting)
  if (wanted.setting !== undefined) return inSetting(wanted.setting)
  return PREFERENCE.map(inSetting)
    .filter((row) => row !== undefined)
    .sort(naLast)[0]
}

/** The basis asked for; else the first that is stated, a hospital's in order of preference. */
export function basisFor(rows: readonly Row[], wanted: Wanted): string | undefined {
  const stated = rows.filter((row) => row.modifier === wanted.modifier).map((row) => row.basis)
  return wanted.basis ?? HOSPITAL_BASES.find((basis) => stated.includes(basis)) ?? stated[0]
}

const naLast = (a: Row, b: Row): number => Number(a.flags.includes(NA_FLAG)) - Number(b.flags.includes(NA_FLAG))
