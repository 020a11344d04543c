// The rule `above_payer_rate`: an allowed or billed amount above the rate that the payer has with this hospital. 45 CFR 180.50.

import { amountText } from '../price/money.ts'
import type { Claim, ClaimLine } from './claim.ts'
import { NOTHING, type Outcome, skipped, together } from './finding.ts'
import { hospitalChart, type OwnFigures, PAYER_BASIS } from './hospital-figures.ts'

const RULE = 'above_payer_rate'

export function abovePayerRate(claim: Claim, figures: ReadonlyMap<number, OwnFigures>): Outcome {
  const { npi, payer } = claim.bill
  if (npi === undefined || payer === undefined) return NOTHING
  const stated = claim.lines.filter(
    ({ code, allowed, billed }) => code !== undefined && (allowed ?? billed) !== undefined,
  )
  return together(stated.map((line) => ofLine(claim, line, figures.get(line.line) ?? {})))
}

/** What the payer allowed is compared; where the paper does not state it, what is billed is only a question. */
function ofLine(
  claim: Claim,
  { line, code = '', day, units, allowed, billed }: ClaimLine,
  figures: OwnFigures,
): Outcome {
  const own = hospitalChart(claim, day)
  const skip = { rule: RULE, chart: own?.chart ?? 'hospital-mrf', day } as const
  if (!own?.isHeld) return { findings: [], skips: skipped({ ...skip, why: 'no_edition' }, [{ line }]) }
  const figure = figures[PAYER_BASIS]
  if (figure === undefined) return { findings: [], skips: skipped({ ...skip, why: 'no_price' }, [{ line }]) }
  if (figure === 'other_unit') return { findings: [], skips: skipped({ ...skip, why: 'other_unit' }, [{ line }]) }
  const amount = allowed ?? billed ?? 0n
  const { chart, row, high } = figure
  if (amount <= high) return NOTHING
  const finding = {
    rule: RULE,
    variant: allowed === undefined ? 'billed' : 'allowed',
    lines: [line],
    denies: [],
    atIssue: new Map([[line, amount - high]]),
    words: { line: String(line), code, units: String(units), amount: amountText(amount), listed: amountText(high) },
    evidence: [{ chart, day, row }],
  } as const
  return { findings: [finding], skips: [] }
}
