// The references for the lines of a bill, and their words: prices with their sources, or reasons why there are none.

import type { LineAmount, Summary } from '../../proof/lookup/bill.ts'
import type { Adjustment } from '../../proof/lookup/modifiers.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { Row } from '../../proof/price/row.ts'
import { type BillEntry, type BillFault, COLUMNS, type Column } from './bill-lines.ts'

/** The answer to the batch of one column, as far as the sheet uses it: only what a verifier proves. */
export interface ColumnAnswer {
  results: readonly {
    status: number
    row?: Priced
    problem?: { code: string; row?: unknown }
    extended?: LineAmount | null
    adjustment?: Adjustment
  }[]
  summary: Pick<Summary, 'totals'>
  proof?: { releases?: readonly { release: Manifest }[] }
}
export type ColumnAnswers = { readonly [column in Column]?: ColumnAnswer }

/** A bill that was looked up. */
export interface ComparedBill {
  entries: readonly BillEntry[]
  faults: readonly BillFault[]
  answers: ColumnAnswers
  origin: string
}

export const TITLES: Record<Column, string> = {
  doctor: 'Medicare, doctor',
  outpatient: 'Medicare, hospital',
  cash: 'Hospital, cash',
  gross: 'Hospital, gross',
}

/** Schedules in the column of the doctor that pay somebody else, who performs or supplies the service. */
const NOT_OF_DOCTORS: { readonly [basis: string]: string } = {
  medicare_clfs: 'Medicare, laboratory',
  medicare_asp: 'Medicare, drug',
  medicare_dmepos: 'Medicare, equipment',
}
/** The title of the amounts of one basis in a column. */
export const titleOf = (column: Column, basis: string): string =>
  (column === 'doctor' && NOT_OF_DOCTORS[basis]) || TITLES[column]

export const BASES: { readonly [basis: string]: string } = {
  medicare_pfs: 'physician fee schedule',
  medicare_clfs: 'laboratory fee schedule',
  medicare_asp: 'drug payment limits',
  medicare_dmepos: 'equipment fee schedule',
  medicare_opps: 'outpatient prices',
  hospital_cash: 'cash price',
  hospital_gross: 'gross charge',
}

/** Why a line has no price, in words of a patient. */
const REASONS: { readonly [code: string]: string } = {
  absent_bundled: 'bundled: paid as part of another service',
  absent_conditionally_packaged: 'packaged: paid with another service of the same visit',
  absent_carrier_priced: 'priced by the regional Medicare contractor',
  absent_paid_elsewhere: 'not paid by this schedule; another one may',
  absent_not_covered: 'not covered by this Medicare schedule',
  absent_not_valid: 'not a valid code for this schedule',
  absent_inpatient_only: 'paid only for hospital inpatients',
  absent_anesthesia: 'paid by anesthesia units and time',
  absent_not_applicable_in_setting: 'not performed in this setting',
  absent_no_price_stated: 'listed without a price',
  absent_algorithm_only: 'agreed by a formula, without an amount',
  absent_unreadable: 'listed, and the line cannot be read',
  absent_withheld_conflict: 'withheld: the source contradicts itself',
  not_on_schedule: 'not listed',
  no_edition_for_day: 'no edition is held for this day',
  modifier_not_priced: 'no price with this modifier',
  modifier_not_allowed: 'no amount stated with this modifier',
  region_ambiguous: 'the place has several Medicare areas: give a ZIP code',
  region_not_covered: 'not listed for this place',
  unknown_zip: 'the ZIP code is not known',
  unknown_provider: 'no file of this hospital is held',
  failed_verification: 'withheld: what is stored fails its verification',
}
/** Every line without a price has a reason, if only that nobody answered. */
export const reasonOf = (code: string | undefined): string =>
  code === undefined ? 'no answer' : (REASONS[code] ?? `the question was refused: ${code.replaceAll('_', ' ')}`)

export const dollars = (amount: string): string => `$${amount.replace(/\B(?=(?:[0-9]{3}){1,6}\.)/g, ',')}`
export const amountOf = (amounts: LineAmount): string =>
  'amount' in amounts ? dollars(amounts.amount) : `${dollars(amounts.low)} to ${dollars(amounts.high)}`

type Priced = Row & { proof: { release: number; index: number } }
export interface Reference {
  column: Column
  entry: BillEntry
  row: Priced
  release: Manifest
  /** The amount of the line; null if the price is for another unit than those of the bill. */
  extended: LineAmount | null
}

/** A hospital's own unit of the price of a drug. Medicare's is the unit in which the code is billed. */
function ownUnit(row: Row): string | undefined {
  if (row.npi === null || !('price' in row)) return undefined
  return row.flags.includes('mixed_units') ? 'one of several units' : row.price.per?.toLowerCase()
}

/** A price with its own unit: the units of the bill are not multiplied with it. */
export const uncounted = ({ row }: Reference): string =>
  'price' in row && ownUnit(row) !== undefined ? `${amountOf(row.price)} per ${ownUnit(row)}` : 'a factor'
/** The reason, for programs, why there is no amount. */
export const whyUncounted = ({ row }: Reference): string =>
  'price' in row && ownUnit(row) !== undefined
    ? `stated per ${ownUnit(row)}, which the units of the bill do not count: ${amountOf(row.price).replaceAll('$', '')}`
    : 'a factor, not an amount'

/** The references of all lines and columns that have a price. */
export function referencesIn(entries: readonly BillEntry[], answers: ColumnAnswers): Reference[] {
  return COLUMNS.flatMap((column) => {
    const { results = [], proof: { releases = [] } = {} } = answers[column] ?? {}
    return results.flatMap(({ row, extended = null }, i) => {
      const [entry, release] = [entries[i], row && releases[row.proof.release]?.release]
      return entry && row && release ? [{ column, entry, row, release, extended }] : []
    })
  })
}

export const permalink = ({ release, row }: Pick<Reference, 'release' | 'row'>): string =>
  `/rows/${release.release_id}/${row.proof.index}`

export const isSample = ({ data_class }: Manifest): boolean => data_class === 'sample'
/** An edition, in few words: the table of sources is printed on one sheet. */
export const editionOf = (release: Manifest): string =>
  [
    release.release_id,
    ...(isSample(release) ? ['(sample data)'] : []),
    ...(release.publisher_until === undefined ? [] : [`(prolonged after ${release.publisher_until})`]),
  ].join(' ')
