// The arithmetic of rows: the price of a row, or the reason for which it has none, follows from the inputs that the row
// itself states. Whether the cited files have these inputs is another check, which needs the files.

import { AMOUNT as CENTS, inpatientBaseCents, WEIGHT } from './inpatient-base.ts'
import { compareAmounts } from './money.ts'
import { dollars, physicianFeeCents } from './physician-fee.ts'
import { type AbsenceReason, isRow, methodsOf, type Price, type PricedRow, type Row } from './row.ts'

export type DerivationFault =
  | 'unknown_method'
  | 'inputs_malformed'
  | 'price_mismatch'
  | 'reason_mismatch'
  | 'flags_mismatch'
export type DerivationVerdict = { ok: true } | { ok: false; reason: DerivationFault }

type Inputs = { readonly [name: string]: string }
/** The amount, or the least and the greatest, that follows from the inputs. */
type Amounts = { amount: string } | { low: string; high: string }
type PriceMethod = (inputs: Inputs, row: Row) => { amounts: Amounts; capped?: boolean } | undefined
type AbsenceMethod = (inputs: Inputs) => AbsenceReason | undefined

const fail = (reason: DerivationFault): DerivationVerdict => ({ ok: false, reason })

/** Each method returns the amounts that follow from the inputs; undefined if they are not the inputs of the method. */
const PRICE_METHODS: { [method: string]: PriceMethod } = {
  'pfs-formula/1': physicianFee,
  'ipps-base/1': inpatientBase,
  'verbatim/1': (inputs) => one(inputs, statedAmount),
  'rounded/1': (inputs) => one(inputs, roundedAmount),
  'range/1': range,
  'least-rate/1': negotiated,
  'greatest-rate/1': negotiated,
}
const ABSENCE_METHODS: { [method: string]: AbsenceMethod } = {
  'cms-status/1': (inputs) =>
    areInputs(inputs, { status_code: /^[A-Z]$/ }) ? reasonForStatus(inputs['status_code'] as string) : undefined,
  'pfs-na/1': (inputs) => (areInputs(inputs, { na_indicator: /^NA$/ }) ? 'not_applicable_in_setting' : undefined),
  'clfs-indicator/1': (inputs) => (areInputs(inputs, { indicator: /^L$/ }) ? 'carrier_priced' : undefined),
  'opps-status/1': (inputs) =>
    areInputs(inputs, { status_indicator: /^[A-Z][0-9]?$/ })
      ? reasonForIndicator(inputs['status_indicator'] as string)
      : undefined,
  'asc-indicator/1': (inputs) =>
    areInputs(inputs, { payment_indicator: /^[A-Z][0-9]$/ })
      ? reasonForAscIndicator(inputs['payment_indicator'] as string)
      : undefined,
  'no-amount/1': (inputs) => (areInputs(inputs, { rate: NOTHING }) ? 'no_price_stated' : undefined),
  'dmepos-blank/1': (inputs) =>
    areInputs(inputs, { non_rural: NOTHING, rural: NOTHING }) ? 'no_price_stated' : undefined,
  'formula-only/1': (inputs) => (areInputs(inputs, { terms: /^formula$/ }) ? 'algorithm_only' : undefined),
  'row-rule/1': (inputs) =>
    areInputs(inputs, { rule: /^(R02|R03|R08_min_max|R10|R14)$/ })
      ? reasonForRule(inputs['rule'] as string)
      : undefined,
}

/** Checks that a row says what follows from its inputs. A proof in the row is ignored. */
export function verifyDerivation(row: unknown): DerivationVerdict {
  const { proof: _, ...bare } = (row ?? {}) as Record<string, unknown>
  if (!isRow(bare)) return fail('inputs_malformed')
  if (!methodsOf(bare.basis).includes(bare.derivation.method)) return fail('unknown_method')
  return bare.kind === 'absence' ? verifyReason(bare) : verifyPrice(bare)
}

function verifyPrice(row: PricedRow): DerivationVerdict {
  const method = PRICE_METHODS[row.derivation.method]
  if (!method) return fail('unknown_method')
  const derived = method(row.derivation.inputs, row)
  if (!derived) return fail('inputs_malformed')
  if (!sameAmounts(derived.amounts, row.price)) return fail('price_mismatch')
  return hasItsFlags(row, derived.capped === true) ? { ok: true } : fail('flags_mismatch')
}

/** Flags that follow from the row must be there if and only if they follow; all others are marks of the source. */
function hasItsFlags({ flags, price, indicators }: PricedRow, capped: boolean): boolean {
  const follows: { [flag: string]: boolean } = {
    opps_cap: capped,
    far_from_medicare: 'compared_amount' in indicators,
    unit_unparsed: flags.includes('unit_unparsed') && price.per === '1 UNIT',
  }
  return (
    Object.entries(follows).every(([flag, isSo]) => flags.includes(flag) === isSo) &&
    flags.every((flag, i) => (Object.hasOwn(follows, flag) || MARKS.has(flag)) && flags.indexOf(flag) === i)
  )
}

/** Notes of a publisher beside an amount. */
const MARKS = new Set([
  'inflation_adjusted_coinsurance',
  'reference_biological_add_on',
  'amp_based',
  'lesser_of',
  'hiv_prep',
  'see_publisher_page',
  'partial',
  'code_restored',
  'mixed_units',
  'rate_outside_range',
  'by_charge_code',
  'also_by_day',
  'also_percentage',
  'also_formula',
])

function verifyReason(row: Extract<Row, { kind: 'absence' }>): DerivationVerdict {
  const method = ABSENCE_METHODS[row.derivation.method]
  if (!method) return fail('unknown_method')
  const reason = method(row.derivation.inputs)
  if (!reason) return fail('inputs_malformed')
  if (reason !== row.reason) return fail('reason_mismatch')
  return row.flags.length === 0 ? { ok: true } : fail('flags_mismatch')
}

/** A cell of a schedule without an amount. Zero does not mean free. */
export const NOTHING = /^(blank|NA|0{1,20}(\.0{1,20})?)$/
const RVU = /^[0-9]{1,6}(\.[0-9]{1,2})?$/
const INDEX = /^[0-9](\.[0-9]{1,3})?$/
const NATIONAL_INDEX = /^1\.000$/
const FACTOR = /^[0-9]{1,4}(\.[0-9]{1,4})?$/

/** The fee schedule formula, or the cap on imaging by the outpatient schedule if it is lower (DRA 5102(b)). */
function physicianFee(inputs: Inputs, row: Row): { amounts: Amounts; capped: boolean } | undefined {
  const national = row.region === 'national'
  const index = national ? NATIONAL_INDEX : INDEX
  const hasCap = 'opps_practice_rvu' in inputs || 'opps_malpractice_rvu' in inputs
  const forms = {
    work_rvu: RVU,
    practice_rvu: RVU,
    malpractice_rvu: RVU,
    work_gpci: index,
    practice_gpci: index,
    malpractice_gpci: index,
    conversion_factor: FACTOR,
    // Since 2026 a year has two factors. A row has the kind if its file names it.
    ...('conversion_factor_kind' in inputs ? { conversion_factor_kind: /^(non_)?qualifying_apm$/ } : {}),
    ...(national ? {} : { work_gpci_column: /^with(out)?_floor$/ }),
    ...(hasCap ? { opps_practice_rvu: RVU, opps_malpractice_rvu: RVU } : {}),
  }
  if (!areInputs(inputs, forms)) return undefined
  const input = (name: string): string => inputs[name] as string
  const rvu = { work: input('work_rvu'), practice: input('practice_rvu'), malpractice: input('malpractice_rvu') }
  // If all values are zero, no price is stated; if the outpatient value is zero, no cap is.
  if (Object.values(rvu).every((value) => Number(value) === 0)) return undefined
  if (hasCap && Number(input('opps_practice_rvu')) === 0) return undefined

  const gpci = { work: input('work_gpci'), practice: input('practice_gpci'), malpractice: input('malpractice_gpci') }
  const fee = physicianFeeCents(rvu, gpci, input('conversion_factor'))
  const cap = { ...rvu, practice: input('opps_practice_rvu'), malpractice: input('opps_malpractice_rvu') }
  const ceiling = hasCap ? physicianFeeCents(cap, gpci, input('conversion_factor')) : fee
  return { amounts: { amount: dollars(Math.min(fee, ceiling)) }, capped: ceiling < fee }
}

/** The federal base rate of a stay: its operating and its capital part. */
function inpatientBase(inputs: Inputs): { amounts: Amounts } | undefined {
  const forms = { weight: WEIGHT, labor: CENTS, nonlabor: CENTS, capital: CENTS, wage_index: /^1\.0000$/ }
  if (!areInputs(inputs, forms)) return undefined
  const { weight = '', labor = '', nonlabor = '', capital = '' } = inputs
  const paid = inpatientBaseCents({ weight, labor, nonlabor, capital })
  const cents = paid.operating + paid.capital
  return cents > 0 ? { amounts: { amount: dollars(cents) } } : undefined
}

/** One amount: schedules name it `rate`, and hospitals `amount`. */
function one(inputs: Inputs, read: (text: string) => string | undefined): { amounts: Amounts } | undefined {
  const [name = ''] = Object.keys(inputs)
  if (!['rate', 'amount'].includes(name) || !areInputs(inputs, { [name]: MONEY })) return undefined
  const amount = read(inputs[name] as string)
  return amount === undefined ? undefined : { amounts: { amount } }
}

/** The amount as stated, or rounded if it has more than four decimals. */
export const amountOf = (text: string): string | undefined => statedAmount(text) ?? roundedAmount(text)

/** The lowest or highest of the rates that a hospital lists. Only the file can show that it is. */
function negotiated(inputs: Inputs): { amounts: Amounts } | undefined {
  return 'amount' in inputs ? one(inputs, amountOf) : undefined
}

function range(inputs: Inputs): { amounts: Amounts } | undefined {
  if (!areInputs(inputs, { low: MONEY, high: MONEY })) return undefined
  const [low, high] = [amountOf(inputs['low'] as string), amountOf(inputs['high'] as string)]
  if (low === undefined || high === undefined || compareAmounts(low, high) >= 0) return undefined
  return { amounts: { low, high } }
}

/** At most nine digits before the point, after leading zeros, and at most twenty after it. */
const MONEY = /^0*([0-9]{1,9})(?:\.([0-9]{0,20}))?$/

/** '00720.00' is '720.00', '6.4970' is '6.497'. Undefined for zero, and for more than four decimals. */
export function statedAmount(text: string): string | undefined {
  const [, whole = '', decimals = ''] = MONEY.exec(text) ?? []
  const fraction = decimals.replace(/(?<!0)0+$/, '').padEnd(2, '0')
  if (whole === '' || fraction.length > 4 || !/[1-9]/.test(whole + fraction)) return undefined
  return `${Number(whole)}.${fraction}`
}

/** '140.20951' is '140.21', rounded half up. Undefined for four decimals or fewer, and if it rounds to zero. */
export function roundedAmount(text: string): string | undefined {
  const [, whole = '', decimals = ''] = MONEY.exec(text) ?? []
  if (whole === '' || decimals.replace(/(?<!0)0+$/, '').length <= 4) return undefined
  const cents = Number(whole + decimals.slice(0, 2)) + (decimals.slice(2) >= '5' ? 1 : 0)
  return cents > 0 ? dollars(cents) : undefined
}

/** The reason why the physician schedule states no price, by status code. Any other code says only that there is none. */
const STATUS_REASONS: { [status: string]: AbsenceReason } = {
  B: 'bundled',
  P: 'bundled',
  C: 'carrier_priced',
  N: 'not_covered',
  E: 'paid_elsewhere',
  X: 'paid_elsewhere',
  I: 'not_valid',
  J: 'anesthesia',
}
export const reasonForStatus = (status: string): AbsenceReason => STATUS_REASONS[status] ?? 'no_price_stated'

/** The reason why the outpatient schedule states no price, by status indicator (Addendum D1). */
const INDICATOR_REASONS: { [status: string]: AbsenceReason } = {
  N: 'bundled',
  Q1: 'conditionally_packaged',
  Q2: 'conditionally_packaged',
  Q3: 'conditionally_packaged',
  Q4: 'conditionally_packaged',
  A: 'paid_elsewhere',
  F: 'paid_elsewhere',
  L: 'paid_elsewhere',
  Y: 'paid_elsewhere',
  C: 'inpatient_only',
  E1: 'not_covered',
  B: 'not_valid',
  D: 'not_valid',
  M: 'not_valid',
  E2: 'no_price_stated',
}
export const reasonForIndicator = (status: string): AbsenceReason => INDICATOR_REASONS[status] ?? 'no_price_stated'

/** Whether the outpatient schedule pays for such a code by itself. A rate beside any other indicator pays nothing. */
export const isPaidApart = (status: string): boolean =>
  !Object.hasOwn(INDICATOR_REASONS, status) || /^Q[1-4]$/.test(status)

/**
 * The reason why the schedule of surgery centers states no price, by payment indicator (Addenda DD1 and EE). U5 and X5 are
 * left out of this schedule only; E5 and Y5 are not covered by Medicare.
 */
const ASC_REASONS: { [indicator: string]: AbsenceReason } = {
  N1: 'bundled',
  L1: 'bundled',
  D1: 'bundled',
  H7: 'carrier_priced',
  J7: 'carrier_priced',
  K7: 'carrier_priced',
  F4: 'paid_elsewhere',
  M6: 'paid_elsewhere',
  B5: 'not_valid',
  D5: 'not_valid',
  U5: 'not_valid',
  X5: 'not_valid',
  C5: 'inpatient_only',
  E5: 'not_covered',
  Y5: 'not_covered',
}
export const reasonForAscIndicator = (indicator: string): AbsenceReason => ASC_REASONS[indicator] ?? 'no_price_stated'

/** The reason why a line has no price in the release: it contradicts another line, or a rule refused it. */
export const reasonForRule = (rule: string): AbsenceReason =>
  rule === 'R10' || rule === 'R08_min_max' ? 'withheld_conflict' : 'unreadable'

/** Whether the inputs have exactly these names, each in its form. */
function areInputs(inputs: Inputs, forms: { [name: string]: RegExp }): boolean {
  const names = Object.keys(forms)
  return (
    Object.keys(inputs).length === names.length &&
    names.every((name) => Object.hasOwn(inputs, name) && (forms[name] as RegExp).test(inputs[name] as string))
  )
}

const sameAmounts = (derived: Amounts, price: Price): boolean =>
  'amount' in derived
    ? 'amount' in price && derived.amount === price.amount
    : 'low' in price && derived.low === price.low && derived.high === price.high
