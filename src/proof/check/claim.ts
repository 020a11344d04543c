// The lines of a bill with what the schedules say of each: the facts on which the rules of a bill work.

import { ROLES } from '../../tables/bill-rules.ts'
import { isText } from '../canonical-json.ts'
import { choose } from '../lookup/choose.ts'
import type { Decision } from '../lookup/decision.ts'
import { isFrom, pricesUnder, type Registry } from '../lookup/lists.ts'
import { type ParsedQuestion, parseQuestion } from '../lookup/question.ts'
import type { ChartTable } from '../price/charts.ts'
import { tenThousandths } from '../price/money.ts'
import type { PricedRow, Row } from '../price/row.ts'
import type { Bill, Line } from './bill.ts'
import type { Evidence } from './finding.ts'

/** The registry on a day. The rules ask it for the day of each line. */
export type RegistryOn = (day: string) => Registry

export const OPPS = 'cms-opps'
export const PFS = 'cms-pfs'

/** What Medicare's schedules list for a line by itself. */
export interface Listed {
  decision: Decision
  /** The row of the price, and the chart that it is of. */
  price: { chart: string; row: PricedRow } | undefined
  /** The amount of one unit, after a modifier has changed it, in ten-thousandths. */
  unit: bigint | undefined
}

export interface ClaimLine extends Line {
  /** Undefined for a line without a code, and on an inpatient's bill. */
  listed: Listed | undefined
  /** The status of the code in the outpatient schedule, on a hospital's line. */
  status: { indicator: string; evidence: Evidence } | undefined
  /** The lines with the same number make one claim. */
  claim: string
}

/** What decides which lines are one claim. */
export type ClaimBy = "one day's lines" | 'type of bill' | 'total'

export interface Claim {
  bill: Bill
  by: ClaimBy
  lines: readonly ClaimLine[]
  on: RegistryOn
  table: ChartTable
}

export function claimOf(bill: Bill, on: RegistryOn, table: ChartTable): Claim {
  const by = claimBy(bill)
  const lines = bill.lines.map((line): ClaimLine => {
    const { code, side, day } = line
    const isPriced = code !== undefined && side.setting !== 'inpatient'
    const modifiers = line.modifiers.filter((modifier) => !leftOut(line).includes(modifier))
    return {
      ...line,
      listed: isPriced ? lookUp({ bill, on, table }, line, code, modifiers) : undefined,
      status: isPriced && side.kind === 'hospital' ? statusOf(code, day, on) : undefined,
      claim: `${side.kind} ${by === "one day's lines" ? day : ''}`,
    }
  })
  return { bill, by, lines, on, table }
}

/** The rules of packaging are about a claim. A bill of one day is one; several days are one where the bill says so. */
function claimBy({ lines, type_of_bill, totals }: Bill): ClaimBy {
  if (new Set(lines.map(({ day }) => day)).size === 1) return "one day's lines"
  if (type_of_bill !== undefined) return 'type of bill'
  return totals.billed === undefined ? "one day's lines" : 'total'
}

/** 51 says what the check of the bill finds itself. Both sides of the body are two procedures in a facility. */
const leftOut = ({ side }: Line): readonly string[] =>
  side.kind === 'hospital' || side.kind === 'surgery_center' ? [...ROLES.both_sides, ...ROLES.several] : ROLES.several

/** The question to the schedules for a code as a line has it; undefined where no schedule has such codes. */
export function questionFor(
  { region }: Bill,
  { side, day }: Line,
  cpt: string,
  modifiers: readonly string[],
): ParsedQuestion | undefined {
  const { kind, setting } = side
  const ofSide = kind === 'equipment' ? { basis: 'medicare_dmepos' } : { setting }
  const parsed = parseQuestion({ cpt, as_of: day, region, modifier: modifiers.join('-'), ...ofSide })
  return isText(parsed) ? undefined : parsed
}

/** What the schedules list for a code as this line would have it; undefined where no schedule has such codes. */
export function lookUp(
  claim: Pick<Claim, 'bill' | 'on' | 'table'>,
  line: Line,
  cpt: string,
  modifiers: readonly string[],
): Listed | undefined {
  const question = questionFor(claim.bill, line, cpt, modifiers)
  return question && listedIn(choose(question, claim.on(line.day), claim.table).decision)
}

/** What a decision lists. Where a modifier is not allowed, the row without it is known. */
function listedIn(decision: Decision): Listed {
  if (decision.outcome === 'modifier_not_allowed' && isOnce(decision)) {
    const { chart, row } = decision
    return { decision, price: { chart, row }, unit: unitOf(row) }
  }
  if (decision.outcome !== 'price') return { decision, price: undefined, unit: undefined }
  const { chart, row, adjustment } = decision
  const unit = adjustment ? tenThousandths(adjustment.amount) : unitOf(row)
  return { decision, price: { chart, row }, unit }
}

/** Both sides of the body are paid once, where the schedule does not raise the fee for both. */
const isOnce = ({ modifier }: Extract<Decision, { outcome: 'modifier_not_allowed' }>): boolean =>
  ROLES.both_sides.includes(modifier)

const unitOf = ({ kind, price }: PricedRow): bigint | undefined =>
  kind === 'price' && 'amount' in price ? tenThousandths(price.amount) : undefined

function statusOf(code: string, day: string, on: RegistryOn): ClaimLine['status'] {
  const registry = on(day)
  if (!registry.timeline.isHeld(OPPS)) return undefined
  const row = pricesUnder(registry.lists, OPPS, `${code}|national|`)
    .filter(isFrom(registry.timeline))
    .find((each) => each.modifier === null)
  const indicator = row?.indicators['status_indicator']
  return row && indicator !== undefined ? { indicator, evidence: { chart: OPPS, day, row } } : undefined
}

/** How many procedures a line is: 50 on a facility's line makes two of each unit, where several are discounted. */
export function proceduresOf({ modifiers, units, side, status }: ClaimLine): number {
  const isDiscounted = side.kind === 'surgery_center' || status?.indicator === 'T'
  return isDiscounted && modifiers.some((each) => ROLES.both_sides.includes(each)) ? 2 * units : units
}

/** The amount that the schedules list for a line, in ten-thousandths: in whole cents, as payments are, rounded half up. */
export const listedAmount = (line: ClaimLine): bigint | undefined =>
  line.listed?.unit === undefined ? undefined : inCents(line.listed.unit * BigInt(proceduresOf(line)))

const inCents = (amount: bigint): bigint => ((amount + 50n) / 100n) * 100n

export const isOfCode = <L extends Line>(line: L): line is L & { code: string } => line.code !== undefined

/** An indicator of the physician schedule. */
export function indicatorOf({ listed }: ClaimLine, name: string): string | undefined {
  const row: Row | undefined = listed?.price?.row
  return row?.basis === 'medicare_pfs' || row?.basis === 'medicare_pfs_qpp' ? row.indicators[name] : undefined
}

export const evidenceOfPrice = ({ listed, day }: ClaimLine): readonly Evidence[] =>
  listed?.price ? [{ chart: listed.price.chart, day, row: listed.price.row }] : []

/** Lines by what they have in common, in the order of the first of each. */
export function grouped<L>(lines: readonly L[], keyOf: (line: L) => string): L[][] {
  const groups = new Map<string, L[]>()
  for (const line of lines) {
    const key = keyOf(line)
    const group = groups.get(key)
    if (group) group.push(line)
    else groups.set(key, [line])
  }
  return [...groups.values()]
}

/** The first amount of a line that the paper states: what is charged for it. */
export const chargeOf = ({
  billed,
  allowed,
  patient,
}: Pick<Line, 'billed' | 'allowed' | 'patient'>): bigint | undefined => billed ?? allowed ?? patient

/** The whole charge of each line: what is at issue where a line is not paid. */
export const charges = (lines: readonly Line[]): ReadonlyMap<number, bigint> =>
  new Map(
    lines.flatMap((line) => {
      const charge = chargeOf(line)
      return charge === undefined ? [] : [[line.line, charge] as const]
    }),
  )

export const numbersOf = (lines: readonly { line: number }[]): readonly number[] =>
  [...new Set(lines.map(({ line }) => line))].sort((a, b) => a - b)
