// What a hospital's own file says of the lines of a bill: its charge, its cash price, the ends of what payers pay, and one payer's rate.

import { isText } from '../canonical-json.ts'
import { countsUnits } from '../lookup/bill.ts'
import { choose } from '../lookup/choose.ts'
import { parseQuestion } from '../lookup/question.ts'
import { tenThousandths } from '../price/money.ts'
import type { Basis, PricedRow } from '../price/row.ts'
import type { Claim, ClaimLine } from './claim.ts'

/** The bases of a hospital's own figures, in the order in which they are shown. */
export const OWN_BASES = [
  'hospital_gross',
  'hospital_cash',
  'hospital_negotiated_low',
  'hospital_negotiated_high',
] as const
export type OwnBasis = (typeof OWN_BASES)[number]
/** The rate of the bill's payer. */
export const PAYER_BASIS = 'hospital_payer'

/** A price of the file for the units of a line, in ten-thousandths. A hospital may list several under one key. */
export interface Figure {
  chart: string
  row: PricedRow
  low: bigint
  high: bigint
}

/** A line's figures. `other_unit`: the price is for a unit of the hospital's own. */
export type OwnFigures = { readonly [basis in Basis]?: Figure | 'other_unit' }

/** The chart that speaks for the hospital of the bill, if it has an edition on the day. */
export function hospitalChart({ bill, on }: Claim, day: string): { chart: string; isHeld: boolean } | undefined {
  if (bill.npi === undefined) return undefined
  const { providers, timeline } = on(day)
  const chart = providers.chartOf(bill.npi)
  return chart === undefined ? undefined : { chart, isHeld: timeline.isHeld(chart) }
}

/** Empty without a hospital, and for a line without a code. */
export function figuresOf(claim: Claim, line: ClaimLine): OwnFigures {
  if (line.code === undefined || !hospitalChart(claim, line.day)?.isHeld) return {}
  const bases = claim.bill.payer === undefined ? OWN_BASES : ([...OWN_BASES, PAYER_BASIS] as const)
  return Object.fromEntries(
    [...bases].flatMap((basis) => {
      const figure = figureOf(claim, line, line.code as string, basis)
      return figure === undefined ? [] : [[basis, figure]]
    }),
  )
}

function figureOf(
  { bill, on, table }: Claim,
  line: ClaimLine,
  cpt: string,
  basis: OwnBasis | typeof PAYER_BASIS,
): Figure | 'other_unit' | undefined {
  const { day, modifiers, units } = line
  const ofPayer = basis === PAYER_BASIS ? { payer: bill.payer } : {}
  const question = parseQuestion({ cpt, as_of: day, npi: bill.npi, basis, modifier: modifiers.join('-'), ...ofPayer })
  if (isText(question)) return undefined
  const { decision } = choose(question, on(day), table)
  if (decision.outcome !== 'price') return undefined
  const { chart, row } = decision
  if (!countsUnits(row)) return 'other_unit'
  const { price } = row
  const times = (amount: string): bigint => tenThousandths(amount) * BigInt(units)
  return 'amount' in price
    ? { chart, row, low: times(price.amount), high: times(price.amount) }
    : { chart, row, low: times(price.low), high: times(price.high) }
}
