// The rows of a release, byte for byte. The shapes are closed: a member that is not named here makes a row invalid.

import { BASES, BASIS_ENTRIES, type Basis, CODE_FORM, SETTINGS, type Setting } from '../../tables/charts.ts'
import { ABSENCE_REASONS, type AbsenceReason } from '../../tables/reasons.ts'
import { canonical } from '../canonical-json.ts'
import { both, type Check, closed, either, isDay, listOf, mapOf, matches, NAME, NPI, oneOf, orNull } from '../shape.ts'
import { type EditRow, isEditRow } from './edit-row.ts'
import { type HospitalRow, hospitalKey, isHospitalRow } from './hospital-row.ts'
import { isLocator, type Locator } from './locator.ts'
import { tenThousandths } from './money.ts'

export { ABSENCE_REASONS, type AbsenceReason, BASES, type Basis, type Locator, SETTINGS, type Setting }

/**
 * The most that fits into a bundle of entries. The largest row has all pairs of a code: 1,098 in the table of practitioners of
 * July 2024, in 46,000 bytes.
 */
export const MAX_LEAF_BYTES = 65_535

export const indicatorsOf = (basis: Basis): readonly string[] => BASIS_ENTRIES[basis].indicators
export const methodsOf = (basis: Basis): readonly string[] => BASIS_ENTRIES[basis].methods

/** What the amounts of a basis are: prices, or factors that are multiplied. */
export const kindsOf = (basis: Basis): readonly ('price' | 'rate')[] => BASIS_ENTRIES[basis].kinds ?? ['price']
/** Whether the rows of a basis are those of single payers. */
export const isPerPayer = (basis: Basis): boolean => BASIS_ENTRIES[basis].per_payer === true

export const CLASSES = ['facility', 'professional'] as const

export type BillingClass = (typeof CLASSES)[number]

/** The amount is for one service, or `per` a dosage, a month, a day, a mile, a unit or 100 dollars charged. */
export type Price =
  | { amount: string; currency: 'USD'; per: string | null }
  | { low: string; high: string; currency: 'USD'; per: string | null }

interface RowBase {
  /** A CPT or HCPCS code, or one of another kind with its prefix, as `DRG-470`. */
  code: string
  region: string
  npi: string | null
  basis: Basis
  /** An id of the table of payers, with the kind of plan; null for a price that is no payer's own. */
  payer: string | null
  modifier: string | null
  setting: Setting | null
  class: BillingClass | null
  effective_from: string
  flags: string[]
  derivation: { method: string; inputs: Record<string, string> }
  /** Columns that a biller needs beside the price, as printed: closed names for each basis. */
  indicators: Record<string, string>
  /** The lines of the inputs in the cited files: a citation by its index in the manifest, a line counted from 1. */
  locator: Locator
}
/** A price, a factor that is multiplied, or a stated absence of a price. */
export type Row = RowBase & ({ kind: 'price' | 'rate'; price: Price } | { kind: 'absence'; reason: AbsenceReason })
export type PricedRow = Extract<Row, { price: Price }>

/** The place of a ZIP code, or of a part of it. */
export interface PlaceRow {
  kind: 'place'
  zip: string
  /** The first and last of the last four digits, as `0001-0999`; null for the whole ZIP code. */
  plus_four: string | null
  /** Null if the last four digits decide. */
  region: string | null
  /**
   * The state of the address: a locality may reach into a neighbouring state, and supplies are priced by the state. Null
   * if the last four digits decide, and the publisher does not list them or lists them in several states.
   */
  state: string | null
  /** Whether equipment has the prices of rural areas; left out if the publisher's list was not at hand. */
  rural?: boolean
  /** The former bidding area, or null for none; left out if the publisher's list was not at hand. */
  bidding_area?: string | null
  effective_from: string
  locator: Locator
}
export type AnyRow = Row | PlaceRow | HospitalRow | EditRow

/** Whether a row states a price, a factor or an absence of one. */
export const isOfPrices = (row: AnyRow): row is Row => 'basis' in row

/** Null where the rows of a chart name no region, and where it is not known. */
export const regionOf = (row: AnyRow): string | null => ('region' in row ? row.region : null)
export const npiOf = (row: AnyRow): string | null => ('npi' in row ? row.npi : null)

/** All rows of one basis, or of one payer, are neighbours. */
export const KEY_PARTS = ['code', 'region', 'npi', 'basis', 'payer', 'modifier', 'setting', 'class'] as const
type KeyParts = Pick<Row, (typeof KEY_PARTS)[number]>

/**
 * `code|region|npi|basis|payer|modifier|setting|class`; `zip|plus_four` of a place; `region|zip|npi` of a hospital; the code of a limit, of edits and of an add-on code.
 * Unique in a release, whose leaves are sorted by it.
 */
export function rowKey(row: AnyRow | KeyParts): string {
  if ('basis' in row) return KEY_PARTS.map((part) => row[part] ?? '').join('|')
  if (row.kind === 'hospital') return hospitalKey(row)
  return 'zip' in row ? `${row.zip}|${row.plus_four ?? ''}` : row.code
}

/** The code that a row is about; of a place or a hospital, its ZIP code. */
export const subjectOf = (row: AnyRow): string => ('code' in row ? row.code : row.zip)

/** The text that is hashed: the row without its proof. */
export const rowText: (row: AnyRow) => string = canonical

const AMOUNT = /^(?=.*[1-9])(0|[1-9]\d{0,11})\.\d\d(\d?[1-9])?$/
export const DOSAGE_UNITS: readonly string[] = [
  ...['MG', 'ML', 'MCG', 'IU', 'UNIT', 'UNITS', 'GM', 'CC', 'DOSE', 'EA', 'EACH'],
  ...['MICROCURIE', 'MILLICURIE', 'MEQ', 'GR', 'ME', 'UN', 'F2'],
]
const PER = new RegExp(
  `^(MONTH|DAY|MILE|UNIT|100 USD|([1-9]\\d{0,6}(\\.\\d{1,4})?|0\\.\\d{1,4}) (${DOSAGE_UNITS.join('|')}))$`,
)

const currency = oneOf('USD')
const per = orNull(matches(PER))
const amount = matches(AMOUNT)
/** An amount as a row states it. */
export const isAmount = amount
const price = either(
  closed({ amount, currency, per }),
  both(
    closed({ low: amount, high: amount, currency, per }),
    (value) => tenThousandths((value as { low: string }).low) < tenThousandths((value as { high: string }).high),
  ),
)

const biddingArea = matches(/^CBA-[\dA-F]{8}$/)

/** The parts of a key, in order. In a key, null is an empty string. */
export const keyMembers = {
  code: matches(CODE_FORM),
  region: either(matches(/^(national|US-[A-Z]{2}(-\d\d)?)$/), biddingArea),
  npi: orNull(matches(NPI)),
  basis: oneOf(...BASES),
  payer: orNull(matches(/^[a-z0-9-]{1,40}\/[a-z_]{1,20}$/)),
  modifier: orNull(matches(/^[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}$/)),
  setting: oneOf(...SETTINGS, null),
  class: oneOf(...CLASSES, null),
} satisfies Record<(typeof KEY_PARTS)[number], Check>

const rowMembers = {
  ...keyMembers,
  effective_from: isDay,
  flags: listOf(matches(NAME)),
  derivation: closed({
    method: matches(/^[a-z][a-z0-9-]*\/[1-9]\d*$/),
    inputs: mapOf(NAME, matches(/^[\w.,-]{1,64}$/)),
  }),
  indicators: mapOf(NAME, matches(/^[\w.,:-]{1,80}$/)),
  locator: isLocator,
}
const hasItsIndicators: Check = (value) => {
  const { basis, indicators } = value as Row
  return Object.keys(indicators).every((name) => indicatorsOf(basis).includes(name))
}
export const isRow = both(
  either(
    closed({ kind: oneOf('price', 'rate'), price, ...rowMembers }),
    closed({ kind: oneOf('absence'), reason: oneOf(...ABSENCE_REASONS), ...rowMembers }),
  ),
  hasItsIndicators,
) as (value: unknown) => value is Row

export const isPlaceRow = closed(
  {
    kind: oneOf('place'),
    zip: matches(/^\d{5}$/),
    plus_four: orNull(matches(/^\d{4}-\d{4}$/)),
    region: orNull(matches(/^US-[A-Z]{2}-\d\d$/)),
    state: orNull(matches(/^[A-Z]{2}$/)),
    effective_from: isDay,
    locator: isLocator,
  },
  { rural: oneOf(true, false), bidding_area: orNull(biddingArea) },
) as (value: unknown) => value is PlaceRow

export const isAnyRow = either(isRow, isPlaceRow, isHospitalRow, isEditRow) as (value: unknown) => value is AnyRow
