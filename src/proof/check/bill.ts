// A bill as it is sent, and parsed. The service and the verifier read it by the same rule, so that both check the same bill.

import { isBilled, MOST_UNITS } from '../lookup/bill.ts'
import { isNpi } from '../lookup/npi.ts'
import { capitals, codeOf } from '../lookup/question.ts'
import { parseRegion } from '../lookup/region.ts'
import { type BillKind, isBillKind, isPlaceOfService, isRevenueCode, type Side, sideOf } from '../lookup/side.ts'
import { tenThousandths } from '../price/money.ts'
import { keyMembers } from '../price/row.ts'
import { isDay, isObject, type Members } from '../shape.ts'

/** One line of a bill as it is sent. A member that the paper does not state is left out. */
export interface StatedLine {
  code?: string | undefined
  modifiers?: readonly string[] | undefined
  revenue_code?: string | undefined
  place_of_service?: string | undefined
  day?: string | undefined
  units?: string | undefined
  billed?: string | undefined
  allowed?: string | undefined
  patient?: string | undefined
}

/** A bill as it is sent: `POST /bill/check`. */
export interface StatedBill {
  kind?: BillKind | undefined
  region?: string | undefined
  npi?: string | undefined
  payer?: string | undefined
  type_of_bill?: string | undefined
  /** The day of each line that states none. */
  day?: string | undefined
  lines: readonly StatedLine[]
  totals?:
    | {
        billed?: string | undefined
        allowed?: string | undefined
        patient?: string | undefined
        estimate?: string | undefined
      }
    | undefined
}

export const AMOUNTS = ['billed', 'allowed', 'patient'] as const
/** In ten-thousandths of a dollar; undefined where the paper does not state it. */
export type Amounts = { readonly [name in (typeof AMOUNTS)[number]]: bigint | undefined }

export interface Line extends Amounts {
  /** Counted from 1, in the order sent. */
  line: number
  /** Undefined for a line by revenue code alone. */
  code: string | undefined
  /** Sorted, each once. */
  modifiers: readonly string[]
  revenue_code: string | undefined
  day: string
  units: number
  side: BillSide
}

/** Whose bill a line is. `none_stated`: nothing says so, and it is taken for a professional's. */
export type BillSide = Omit<Side, 'why'> & { why: Side['why'] | 'none_stated' }

export interface Bill {
  region: string
  npi: string | undefined
  payer: string | undefined
  type_of_bill: string | undefined
  /** The side of the first line that has one. */
  side: BillSide
  lines: readonly Line[]
  totals: Amounts & { readonly estimate: bigint | undefined }
}

/** The place of a fault: a member of the bill, or of a line counted from 1. */
export interface BillFault {
  line?: number
  member: string
}

export const MOST_BILL_LINES = 200

/** A check of a member's value, and the words that say what it takes. */
type Form = readonly [check: (value: unknown) => boolean, takes: string]

const text =
  (check: (text: string) => boolean) =>
  (value: unknown): boolean =>
    typeof value === 'string' && check(value)
const UNITS = /^[1-9][0-9]{0,5}$/
const amount: Form = [isBilled, 'dollars and cents, as `300.00`']

/** What each member of a line takes. */
export const LINE_FORMS: { readonly [member: string]: Form } = {
  code: [text((code) => keyMembers.code(codeOf(code))), 'a CPT or HCPCS code of five characters'],
  modifiers: [isModifiers, 'a list of at most four modifiers, each of two letters or digits'],
  revenue_code: [text(isRevenueCode), 'a revenue code of three or four digits'],
  place_of_service: [text(isPlaceOfService), 'a place of service of two digits that CMS lists'],
  day: [isDay, 'a day that there is, as YYYY-MM-DD'],
  units: [text((units) => UNITS.test(units)), `a whole number from 1 to ${MOST_UNITS}, as a text`],
  billed: amount,
  allowed: amount,
  patient: amount,
}
/** What each member of a bill takes. */
export const BILL_FORMS: { readonly [member: string]: Form } = {
  kind: [isBillKind, 'hospital, professional, surgery_center or equipment'],
  region: [
    text((region) => region.length <= 16 && parseRegion(region) !== undefined),
    'a ZIP code, a state as `US-CA` or a Medicare locality as `US-CA-05`',
  ],
  npi: [text(isNpi), 'the National Provider Identifier of a hospital: ten digits, the last a check digit'],
  payer: [(payer) => payer !== null && keyMembers.payer(payer), 'a payer and a kind of plan, as `aetna/commercial`'],
  type_of_bill: [text((type) => /^0?[1-9][0-9][0-9A-Z]$/.test(type)), 'the type of bill of a UB-04, as `131`'],
  day: LINE_FORMS['day'] as Form,
  lines: [isLines, `a list of 1 to ${MOST_BILL_LINES} lines`],
  totals: [isObject, 'an object with billed, allowed, patient or estimate'],
}
/** What each member of the totals takes. */
export const TOTAL_FORMS: { readonly [member: string]: Form } = {
  billed: amount,
  allowed: amount,
  patient: amount,
  estimate: amount,
}

function isModifiers(value: unknown): boolean {
  const isModifier = text((modifier) => /^[A-Za-z0-9]{2}$/.test(modifier))
  return Array.isArray(value) && value.length <= 4 && value.every(isModifier)
}
function isLines(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= MOST_BILL_LINES
}

/** The name of the first member that has no meaning. `unknown` is one that is not named in the forms. */
function faultIn(stated: Members, forms: { readonly [member: string]: Form }): string | undefined {
  for (const [member, value] of Object.entries(stated)) {
    const form = Object.hasOwn(forms, member) ? forms[member] : undefined
    if (!form) return 'unknown'
    if (value !== undefined && !form[0](value)) return member
  }
  return undefined
}

/** Reads a bill; says the first fault where it has none. Hostile input: nothing of it may be repeated in a refusal. */
export function parseBill(stated: unknown): Bill | BillFault {
  if (!isObject(stated)) return { member: 'unknown' }
  const fault = faultIn(stated, BILL_FORMS)
  if (fault !== undefined) return { member: fault }
  if (!isLines(stated['lines'])) return { member: 'lines' }
  const bill = stated as unknown as StatedBill
  for (const [i, line] of bill.lines.entries()) {
    const member = isObject(line) ? lineFault(line, bill.day) : 'unknown'
    if (member !== undefined) return { line: i + 1, member }
  }
  const inTotals = faultIn((bill.totals ?? {}) as Members, TOTAL_FORMS)
  if (inTotals !== undefined) return { member: inTotals === 'unknown' ? 'totals' : `totals.${inTotals}` }
  return parsed(bill)
}

function lineFault(line: StatedLine, day: string | undefined): string | undefined {
  const fault = faultIn(line as Members, LINE_FORMS)
  if (fault !== undefined) return fault
  if ((line.day ?? day) === undefined) return 'day'
  // A line without a code is known by its revenue code, and one without either by its amount alone.
  return line.code === undefined && line.revenue_code === undefined && line.billed === undefined ? 'code' : undefined
}

/** A hospital's claim for an inpatient (UB-04, form locator 4). */
const INPATIENT = /^0?11/

function parsed(stated: StatedBill): Bill {
  const { kind, day, totals = {}, type_of_bill } = stated
  const own = stated.lines.map(({ revenue_code, place_of_service }) => sideOf({ kind, revenue_code, place_of_service }))
  const first: BillSide = own.find((side) => side !== undefined) ?? {
    kind: 'professional',
    setting: undefined,
    why: 'none_stated',
  }
  const sideAt = (i: number): BillSide => {
    const side = own[i] ?? first
    const isInpatient = side.kind === 'hospital' && INPATIENT.test(type_of_bill ?? '')
    return isInpatient ? { ...side, setting: 'inpatient' } : side
  }
  return {
    region: stated.region ?? 'national',
    npi: stated.npi,
    payer: stated.payer,
    type_of_bill,
    side: first,
    lines: stated.lines.map((line, i) => ({
      line: i + 1,
      code: line.code === undefined ? undefined : codeOf(line.code),
      modifiers: [...new Set(line.modifiers?.map(capitals) ?? [])].sort(),
      revenue_code: line.revenue_code,
      day: (line.day ?? day) as string,
      units: Number(line.units ?? '1'),
      side: sideAt(i),
      ...amountsOf(line),
    })),
    totals: { ...amountsOf(totals), estimate: amountOf(totals.estimate) },
  }
}

const amountOf = (amount: string | undefined): bigint | undefined =>
  amount === undefined ? undefined : tenThousandths(amount)
const amountsOf = ({ billed, allowed, patient }: Pick<StatedLine, (typeof AMOUNTS)[number]>): Amounts => ({
  billed: amountOf(billed),
  allowed: amountOf(allowed),
  patient: amountOf(patient),
})

export const isBill = (parsed: Bill | BillFault): parsed is Bill => 'lines' in parsed
