// The rule `arithmetic`: amounts of the bill that do not add up.

import { amountText } from '../price/money.ts'
import { AMOUNTS, type Bill, type Line } from './bill.ts'
import { type Claim, grouped, isOfCode, numbersOf } from './claim.ts'
import type { Finding, Outcome } from './finding.ts'

export function arithmetic({ bill }: Claim): Outcome {
  const findings = [...totalsOf(bill), ...bill.lines.flatMap(partsOf), ...unitPrices(bill)]
  return { findings, skips: [] }
}

const found = (given: Pick<Finding, 'variant' | 'words'> & Partial<Finding>): Finding => ({
  rule: 'arithmetic',
  lines: [],
  denies: [],
  atIssue: new Map(),
  evidence: [],
  ...given,
})

/** Each total beside the sum of its lines, where every line states the amount. What is owed is a rule of its own. */
function totalsOf({ lines, totals }: Bill): Finding[] {
  return AMOUNTS.filter((member) => member !== 'patient').flatMap((member) => {
    const [total, sum] = [totals[member], sumOf(lines, member)]
    if (total === undefined || sum === undefined || total === sum) return []
    const words = { member, stated: amountText(total), sum: amountText(sum) }
    return [found({ variant: 'total', words, ...(total > sum && { ofBill: total - sum }) })]
  })
}

/** Undefined if a line does not state the amount. */
export function sumOf(lines: readonly Line[], member: (typeof AMOUNTS)[number]): bigint | undefined {
  let sum = 0n
  for (const line of lines) {
    const amount = line[member]
    if (amount === undefined) return undefined
    sum += amount
  }
  return sum
}

/** A part that is more than its whole. */
function partsOf({ line, billed, allowed, patient }: Line): Finding[] {
  const findings: Finding[] = []
  for (const [member, amount] of [
    ['allowed', allowed],
    ['patient', patient],
  ] as const)
    if (billed !== undefined && amount !== undefined && amount > billed) {
      const words = { line: String(line), member, stated: amountText(amount), billed: amountText(billed) }
      const atIssue = new Map([[line, amount - billed]])
      findings.push(found({ variant: 'above_billed', lines: [line], words, atIssue }))
    }
  if (allowed !== undefined && patient !== undefined && patient > allowed) {
    const words = { line: String(line), patient: amountText(patient), allowed: amountText(allowed) }
    const atIssue = new Map([[line, patient - allowed]])
    findings.push(found({ variant: 'patient_above_allowed', lines: [line], words, atIssue }))
  }
  return findings
}

/** One code at two prices for a unit: the dearer lines are at issue for what they are dearer. */
function unitPrices({ lines }: Bill): Finding[] {
  const priced = lines.filter(isOfCode).flatMap((line) => (line.billed ? [{ ...line, billed: line.billed }] : []))
  const alike = grouped(priced, ({ side, code, modifiers, day }) =>
    [side.kind, code, modifiers.join('-'), day].join(' '),
  )
  return alike.flatMap((group) => {
    const [low] = group.toSorted((a, b) => compare(a.billed * BigInt(b.units), b.billed * BigInt(a.units)))
    if (!low) return []
    const dearer = group.filter(({ billed, units }) => billed * BigInt(low.units) > low.billed * BigInt(units))
    const [first] = dearer
    if (!first) return []
    const unit = ({ billed, units }: { billed: bigint; units: number }): string =>
      amountText(toCents(billed, BigInt(units)))
    const atIssue = new Map(
      dearer.map(({ line, billed, units }) => [line, billed - toCents(low.billed * BigInt(units), BigInt(low.units))]),
    )
    const words = { code: first.code, low: unit(low), high: unit(first) }
    return [found({ variant: 'unit_price', lines: numbersOf([low, ...dearer]), words, atIssue })]
  })
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b))

/** A quotient of ten-thousandths, rounded half up to the cent. */
export const toCents = (amount: bigint, by: bigint): bigint => ((2n * amount + 100n * by) / (200n * by)) * 100n
