import type { AbsenceReason, Basis, Row, Setting } from '../../proof/price/row.ts'
import { NA_FLAG } from '../row-schema.ts'

export interface Wanted {
  modifier: string | null
  setting?: Setting | undefined
  basis?: string | undefined
  /** The bases to prefer, in order, where none is asked for. */
  preferred: readonly Basis[]
}

/** The order in which settings are preferred when none is asked for; null is a price for both of a hospital's. */
const PREFERENCE: readonly (Setting | null)[] = ['non_facility', 'facility', 'outpatient', null, 'inpatient']

/**
 * Which row answers, when several fit: the modifier asked for or none; the setting asked for, or a hospital's price
 * for both; of those the basis asked for, or the first that is stated of cash, gross and negotiated. Of what is left,
 * the price for just that setting; if none was asked for, non-facility unless CMS marks that "NA" and the facility
 * price stands.
 */
export function chooseRow(rows: readonly Row[], wanted: Wanted): Row | undefined {
  const offered = rows.filter((row) => row.modifier === wanted.modifier && fitsSetting(row, wanted.setting))
  const basis = wanted.basis ?? firstBasis(offered, wanted.preferred)
  const inSetting = (setting: Setting | null): Row | undefined =>
    offered.find((row) => row.basis === basis && row.setting === setting)
  if (wanted.setting !== undefined) return inSetting(wanted.setting) ?? inSetting(null)
  return PREFERENCE.map(inSetting)
    .filter((row) => row !== undefined)
    .sort(naLast)[0]
}

/** A hospital's price without a setting is for its inpatients and its outpatients; a schedule's says nothing of either. */
const fitsSetting = (row: Row, setting: Setting | undefined): boolean =>
  setting === undefined || row.setting === setting || (row.setting === null && row.npi !== null && isHospitals(setting))

export const isHospitals = (setting: Setting | undefined): boolean =>
  setting === 'inpatient' || setting === 'outpatient'

/** The first basis that is stated, a hospital's in order of preference. */
function firstBasis(rows: readonly Row[], preferred: readonly Basis[]): string | undefined {
  const stated = rows.map((row) => row.basis)
  return preferred.find((basis) => stated.includes(basis)) ?? stated[0]
}

const naLast = (a: Row, b: Row): number => Number(a.flags.includes(NA_FLAG)) - Number(b.flags.includes(NA_FLAG))

/** Reasons that may only mean that the code belongs on another schedule: what that one says of it goes first. */
const ELSEWHERE: readonly AbsenceReason[] = ['not_covered', 'not_valid', 'no_price_stated']

/** Of what several schedules state in place of a price, the first that is about the code itself; else the first. */
export const mostTelling = <Stated extends { row: Row }>(stated: readonly Stated[]): Stated | undefined =>
  stated.find(({ row }) => row.kind === 'absence' && !ELSEWHERE.includes(row.reason)) ?? stated[0]
