// Replays how a row came by its price, or by the reason for which it has none, from the inputs the row itself
// states. Whether those inputs stand in the cited files is another question: it needs the files.

import { dollars, physicianFeeCents } from './physician-fee.ts'
import { type AbsenceReason, isRow, type Price, type Row } from './row.ts'

export type DerivationFault =
  | 'unknown_method'
  | 'inputs_malformed'
  | 'price_mismatch'
  | 'reason_mismatch'
  | 'flags_mismatch'
export type DerivationVerdict = { ok: true } | { ok: false; reason: DerivationFault }

type Inputs = { readonly [name: string]: string }
type PriceMethod = (inputs: Inputs, row: Row) => { price: Price; capped?: boolean } | undefined
type AbsenceMethod = (inputs: Inputs) => AbsenceReason | undefined

const fail = (reason: DerivationFault): DerivationVerdict => ({ ok: false, reason })

/** Each answers what follows from the inputs, or nothing when they are not the inputs the method has. */
const PRICE_METHODS: { [method: string]: PriceMethod } = {
  'pfs-formula/1': physicianFee,
  'verbatim/1': verbatim,
  'rounded/1': rounded,
  'range/1': range,
  'least-rate/1': negotiated,
  'greatest-rate/1': negotiated,
}
const ABSENCE_METHODS: { [method: string]: AbsenceMethod } = {
  'cms-status/1': (inputs) =>
    areInputs(inputs, { status_code: /^[A-Z]$/ }) ? reasonForStatus(inputs['status_code'] as string) : undefined,
  'clfs-indicator/1': (inputs) => (areInputs(inputs, { indicator: /^L$/ }) ? 'carrier_priced' : undefined),
  'opps-status/1': (inputs) =>
    areInputs(inputs, { status_indicator: /^[A-Z][0-9]?$/ })
      ? reasonForIndicator(inputs['status_indicator'] as string)
      : undefined,
  'row-rule/1': (inputs) => {
    // What an implausible price was beside, if anything was: older rows do not say.
    const compared = 'compared_amount' in inputs ? COMPARED : {}
    const rule = 'compared_amount' in inputs ? /^R05$/ : /^(R05|R08_min_max|R10)$/
    return areInputs(inputs, { rule, ...compared }) ? reasonForRule(inputs['rule'] as string) : undefined
  },
}
const COMPARED = {
  compared_chart: /^[a-z][a-z0-9-]{0,39}$/,
  compared_edition: /^[A-Za-z0-9._-]{1,40}$/,
  compared_revision: /^[1-9][0-9]{0,8}$/,
  compared_amount: /^[0-9]{1,9}\.[0-9]{2}$/,
}

/** Checks that a row says what follows from its inputs. The row may come with its proof, which is not looked at. */
export function verifyDerivation(row: unknown): DerivationVerdict {
  const { proof: _, ...bare } = (row ?? {}) as Record<string, unknown>
  if (!isRow(bare)) return fail('inputs_malformed')
  return bare.kind === 'price' ? verifyPrice(bare) : verifyReason(bare)
}

function verifyPrice(row: Row & { kind: 'price' }): DerivationVerdict {
  const method = PRICE_METHODS[row.derivation.method]
  if (!method) return fail('unknown_method')
  const derived = method(row.derivation.inputs, row)
  if (!derived) return fail('inputs_malformed')
  if (!samePrice(derived.price, row.price)) return fail('price_mismatch')
  // "NA" is a mark in the source, not a result of the arithmetic: it may stand, in its place, on a fee.
  const marked = row.derivation.method === 'pfs-formula/1' && row.flags[0] === 'na_indicator'
  const flags = [...(marked ? ['na_indicator'] : []), ...(derived.capped ? ['opps_cap'] : [])]
  return sameWords(flags, row.flags) ? { ok: true } : fail('flags_mismatch')
}

function verifyReason(row: Row & { kind: 'absence' }): DerivationVerdict {
  const method = ABSENCE_METHODS[row.derivation.method]
  if (!method) return fail('unknown_method')
  const reason = method(row.derivation.inputs)
  if (!reason) return fail('inputs_malformed')
  if (reason !== row.reason) return fail('reason_mismatch')
  return row.flags.length === 0 ? { ok: true } : fail('flags_mismatch')
}

const RVU = /^[0-9]{1,6}(\.[0-9]{1,2})?$/
const INDEX = /^[0-9](\.[0-9]{1,3})?$/
const NATIONAL_INDEX = /^1\.000$/
const FACTOR = /^[0-9]{1,4}(\.[0-9]{1,4})?$/

/** The fee schedule formula, or the hospital outpatient cap on imaging where one is stated and lower (DRA 5102(b)). */
function physicianFee(inputs: Inputs, row: Row): { price: Price; capped: boolean } | undefined {
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
    // Since 2026 a year has two factors; a file that says which one it was made with has it recorded.
    ...('conversion_factor_kind' in inputs ? { conversion_factor_kind: /^(non_)?qualifying_apm$/ } : {}),
    ...(national ? {} : { work_gpci_column: /^with(out)?_floor$/ }),
    ...(hasCap ? { opps_practice_rvu: RVU, opps_malpractice_rvu: RVU } : {}),
  }
  if (!areInputs(inputs, forms)) return undefined
  const input = (name: string): string => inputs[name] as string
  const rvu = { work: input('work_rvu'), practice: input('practice_rvu'), malpractice: input('malpractice_rvu') }
  // A zero total means that no price is stated, and a zero outpatient value that no cap is.
  if (Object.values(rvu).every((value) => Number(value) === 0)) return undefined
  if (hasCap && Number(input('opps_practice_rvu')) === 0) return undefined

  const gpci = { work: input('work_gpci'), practice: input('practice_gpci'), malpractice: input('malpractice_gpci') }
  const fee = physicianFeeCents(rvu, gpci, input('conversion_factor'))
  const cap = { ...rvu, practice: input('opps_practice_rvu'), malpractice: input('opps_malpractice_rvu') }
  const ceiling = hasCap ? physicianFeeCents(cap, gpci, input('conversion_factor')) : fee
  return { price: amount(Math.min(fee, ceiling)), capped: ceiling < fee }
}

function verbatim(inputs: Inputs): { price: Price } | undefined {
  const [name = ''] = Object.keys(inputs)
  if (!['rate', 'amount'].includes(name) || !areInputs(inputs, { [name]: MONEY })) return undefined
  const cents = statedCents(inputs[name] as string)
  return cents === undefined ? undefined : { price: amount(cents) }
}

function rounded(inputs: Inputs): { price: Price } | undefined {
  if (!areInputs(inputs, { rate: FINE_MONEY })) return undefined
  const cents = roundedCents(inputs['rate'] as string)
  return cents === undefined ? undefined : { price: amount(cents) }
}

/** The least or greatest of the rates that a hospital lists: which one it is, only the file can tell. */
function negotiated(inputs: Inputs): { price: Price } | undefined {
  return 'amount' in inputs ? verbatim(inputs) : undefined
}

function range(inputs: Inputs): { price: Price } | undefined {
  if (!areInputs(inputs, { low: MONEY, high: MONEY })) return undefined
  const [low, high] = [statedCents(inputs['low'] as string), statedCents(inputs['high'] as string)]
  if (low === undefined || high === undefined || low >= high) return undefined
  return { price: { low: dollars(low), high: dollars(high), currency: 'USD' } }
}

/** Digits before the point, at most nine after leading zeros; after it two, and then only zeros. */
const MONEY = /^0*([0-9]{1,9})(?:\.([0-9]{0,2})0*)?$/

/** '00720.00' is 72000. Nothing for what is not an amount above zero in whole cents: a zero never means free. */
export function statedCents(text: string): number | undefined {
  const [, whole = '', fraction = ''] = MONEY.exec(text) ?? []
  return Number(whole + fraction.padEnd(2, '0')) || undefined
}

/** Drugs are priced in tenths of a cent and less. */
const FINE_MONEY = /^([0-9]{1,9})\.([0-9]{2})([0-9]{1,10})$/

/** '140.209' is 14021: half a cent and more rounds up. Nothing for what has whole cents, or rounds to none. */
export function roundedCents(text: string): number | undefined {
  const [, whole = '', cents = '', rest = ''] = FINE_MONEY.exec(text) ?? []
  if (!/[1-9]/.test(rest)) return undefined
  return Number(whole + cents) + (rest >= '5' ? 1 : 0) || undefined
}

/** Why the physician schedule states no price, by status code; a code not named here says only that there is none. */
const STATUS_REASONS: { [status: string]: AbsenceReason } = {
  B: 'bundled',
  P: 'bundled',
  C: 'carrier_priced',
  N: 'not_covered',
  E: 'not_covered',
  X: 'not_covered',
  I: 'not_valid',
  J: 'anesthesia',
}
export const reasonForStatus = (status: string): AbsenceReason => STATUS_REASONS[status] ?? 'no_price_stated'

/** Why the outpatient system states no price, by status indicator (Addendum D1). */
const INDICATOR_REASONS: { [status: string]: AbsenceReason } = {
  N: 'bundled',
  Q1: 'bundled',
  Q2: 'bundled',
  Q3: 'bundled',
  Q4: 'bundled',
  A: 'not_covered',
  C: 'not_covered',
  E1: 'not_covered',
  F: 'not_covered',
  L: 'not_covered',
  Y: 'not_covered',
  B: 'not_valid',
  D: 'not_valid',
  M: 'not_valid',
  E2: 'no_price_stated',
}
export const reasonForIndicator = (status: string): AbsenceReason => INDICATOR_REASONS[status] ?? 'no_price_stated'

/** Whether the outpatient system ever pays for such a code by itself. A rate beside any other indicator pays nothing. */
export const isPaidApart = (status: string): boolean =>
  !Object.hasOwn(INDICATOR_REASONS, status) || /^Q[1-4]$/.test(status)

/** Why a price that stands in the source is withheld. */
export const reasonForRule = (rule: string): AbsenceReason =>
  rule === 'R05' ? 'withheld_outlier' : 'withheld_conflict'

/** Whether the inputs are these, all of them and no other, each in its form. */
function areInputs(inputs: Inputs, forms: { [name: string]: RegExp }): boolean {
  const names = Object.keys(forms)
  return (
    Object.keys(inputs).length === names.length &&
    names.every((name) => Object.hasOwn(inputs, name) && (forms[name] as RegExp).test(inputs[name] as string))
  )
}

const amount = (cents: number): Price => ({ amount: dollars(cents), currency: 'USD' })

const samePrice = (a: Price, b: Price): boolean =>
  'amount' in a ? 'amount' in b && a.amount === b.amount : 'low' in b && a.low === b.low && a.high === b.high

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i])
