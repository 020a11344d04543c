// The rule `above_own_list`: a charge above what the hospital itself publishes. 45 CFR 180.50.

import { amountText } from '../price/money.ts'
import type { Claim, ClaimLine } from './claim.ts'
import { type Finding, type Outcome, skipped, together } from './finding.ts'
import { type Figure, hospitalChart, type OwnFigures } from './hospital-figures.ts'

const RULE = 'above_own_list'

export function aboveOwnList(claim: Claim, figures: ReadonlyMap<number, OwnFigures>): Outcome {
  if (claim.bill.npi === undefined) return { findings: [], skips: [] }
  const charged = claim.lines.filter(({ code, billed }) => code !== undefined && billed !== undefined)
  return together(charged.map((line) => ofLine(claim, line, figures.get(line.line) ?? {})))
}

function ofLine(claim: Claim, line: ClaimLine, { hospital_gross, hospital_cash }: OwnFigures): Outcome {
  const { day } = line
  const own = hospitalChart(claim, day)
  if (!own)
    return { findings: [], skips: skipped({ rule: RULE, chart: 'hospital-mrf', day, why: 'no_edition' }, [line]) }
  const skip = { rule: RULE, chart: own.chart, day } as const
  if (!own.isHeld) return { findings: [], skips: skipped({ ...skip, why: 'no_edition' }, [line]) }
  if (hospital_gross === undefined && hospital_cash === undefined)
    return { findings: [], skips: skipped({ ...skip, why: 'no_price' }, [line]) }
  if (hospital_gross === 'other_unit') return { findings: [], skips: skipped({ ...skip, why: 'other_unit' }, [line]) }
  const byGross = hospital_gross && above(line, hospital_gross, 'gross')
  if (byGross) return { findings: [byGross], skips: [] }
  // Who pays without insurance may ask for the cash price.
  const isSelfPaid = claim.bill.payer === undefined && claim.lines.every(({ allowed }) => allowed === undefined)
  const byCash =
    isSelfPaid && hospital_cash && hospital_cash !== 'other_unit' ? above(line, hospital_cash, 'cash') : undefined
  return { findings: byCash ? [byCash] : [], skips: [] }
}

function above(
  { line, code = '', day, units, billed = 0n }: ClaimLine,
  figure: Figure,
  variant: 'gross' | 'cash',
): Finding | undefined {
  const { chart, row, high } = figure
  if (billed <= high) return undefined
  return {
    rule: RULE,
    variant,
    lines: [line],
    denies: [],
    atIssue: new Map([[line, billed - high]]),
    words: { line: String(line), code, units: String(units), billed: amountText(billed), listed: amountText(high) },
    evidence: [{ chart, day, row }],
  }
}
