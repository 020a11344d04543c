// The check of a bill by the payer's published rules: a plain function of the bill and of complete lists. The service runs it on its
// store; a verifier runs it again on what the answer proves. docs/spec/check.md numbers the steps.

import { BILL_RULES } from '../../tables/bill-rules.ts'
import type { ChartTable } from '../price/charts.ts'
import { aboveOwnList } from './above-own-list.ts'
import { abovePayerRate } from './above-payer-rate.ts'
import { addOnAlone } from './add-on-alone.ts'
import { arithmetic, sumOf } from './arithmetic.ts'
import type { Bill, BillSide } from './bill.ts'
import { billAboveStatement } from './bill-above-statement.ts'
import { type Claim, type ClaimBy, type ClaimLine, claimOf, grouped, listedAmount, type RegistryOn } from './claim.ts'
import { componentTwice } from './component-twice.ts'
import { duplicate } from './duplicate.ts'
import { estimateExceeded } from './estimate-exceeded.ts'
import { type ChartDay, certaintyOf, type Finding, type Outcome, type Skip, together } from './finding.ts'
import { figuresOf, OWN_BASES, type OwnBasis, type OwnFigures, PAYER_BASIS } from './hospital-figures.ts'
import { notValidOnDay } from './not-valid-on-day.ts'
import { packaged } from './packaged.ts'
import { pairNotPaidTogether } from './pair-not-paid-together.ts'
import { notPaidAtSurgery, reduced } from './reduced.ts'
import { unitsOverLimit } from './units-over-limit.ts'

/** One step from what is listed for a line to what is paid for it on this bill. */
export interface Step {
  rule: Finding['rule']
  variant: string
  /** The line beside which it is not paid. */
  with?: number
  /** What is paid after the step, in ten-thousandths. */
  amount: bigint
}

export interface CheckedLine {
  line: ClaimLine
  figures: OwnFigures
  /** What is listed, in ten-thousandths; undefined where nothing is. */
  listed: bigint | undefined
  /** What is paid for it on this bill; undefined where nothing is known. */
  byRules: { amount: bigint; steps: readonly Step[] } | undefined
}

/** Sums of what Medicare pays, in ten-thousandths. */
export interface MedicareSums {
  /** All listed prices. */
  listed: bigint
  /** After the findings that the published rules leave no way around. */
  atMost: bigint
  /** After those that hold unless the bill leaves something out, too. */
  byRules: bigint
}

export interface BillSums {
  billed: bigint | undefined
  /** One for each side that has a line with a price. */
  medicare: ReadonlyMap<BillSide['kind'], MedicareSums>
  /** Left out where no line has the figure. */
  own: { readonly [basis in OwnBasis | typeof PAYER_BASIS]?: bigint }
  atIssue: bigint
}

export interface BillCheck {
  side: BillSide
  claim: ClaimBy
  lines: readonly CheckedLine[]
  findings: readonly Finding[]
  skips: readonly Skip[]
  byHistory: readonly ChartDay[]
  sums: BillSums
}

/** The rules that deny lines, in order. Each sees the lines that those before it have left. */
const DENYING: readonly ((claim: Claim, denied: ReadonlySet<number>) => Outcome)[] = [
  notValidOnDay,
  duplicate,
  unitsOverLimit,
  pairNotPaidTogether,
  addOnAlone,
  packaged,
  componentTwice,
  notPaidAtSurgery,
]

export function checkBill(bill: Bill, on: RegistryOn, table: ChartTable): BillCheck {
  const claim = claimOf(bill, on, table)
  const figures = new Map(claim.lines.map((line) => [line.line, figuresOf(claim, line)]))
  const denying = deniedBy(claim)
  const denied = linesDenied(denying.findings)
  const reduction = reduced(claim, denied)
  const beside = together([
    arithmetic(claim),
    aboveOwnList(claim, figures),
    abovePayerRate(claim, figures),
    billAboveStatement(claim),
    estimateExceeded(claim),
  ])
  const { findings, skips, byHistory = [] } = together([denying, reduction, beside])
  const certain = denying.findings.filter((finding) => certaintyOf(finding) === 'rule')
  const atMost = paidBy(
    claim,
    certain,
    reduced(claim, linesDenied(certain)).findings.filter((each) => certaintyOf(each) === 'rule'),
  )
  const byRules = paidBy(claim, denying.findings, reduction.findings)
  const lines = claim.lines.map(
    (line): CheckedLine => ({
      line,
      figures: figures.get(line.line) ?? {},
      listed: listedAmount(line),
      byRules: byRules.get(line.line),
    }),
  )
  return {
    side: bill.side,
    claim: claim.by,
    lines,
    findings: inOrder(findings),
    skips,
    byHistory,
    sums: {
      billed:
        sumOf(bill.lines, 'billed') ??
        sumOf(
          bill.lines.filter(({ billed }) => billed !== undefined),
          'billed',
        ),
      medicare: medicareSums(lines, atMost),
      own: ownSums(lines),
      atIssue: atIssue(findings),
    },
  }
}

function deniedBy(claim: Claim): Outcome {
  let found: Outcome = { findings: [], skips: [] }
  for (const rule of DENYING) found = together([found, rule(claim, linesDenied(found.findings))])
  return found
}

const linesDenied = (findings: readonly Finding[]): Set<number> => new Set(findings.flatMap(({ denies }) => denies))

/** What is paid for each line with the steps that lead to it. A line without a price and without a finding has none. */
function paidBy(
  { lines }: Claim,
  denying: readonly Finding[],
  reducing: readonly Finding[],
): ReadonlyMap<number, { amount: bigint; steps: readonly Step[] }> {
  return new Map(
    lines.flatMap((line) => {
      const steps = [
        ...denying.filter(({ denies }) => denies.includes(line.line)).map((finding) => stepOf(finding, line.line, 0n)),
        ...reducing.flatMap((finding) => {
          const amount = finding.pays?.get(line.line)
          return amount === undefined ? [] : [stepOf(finding, line.line, amount)]
        }),
      ]
      const amount = steps.at(-1)?.amount ?? listedAmount(line)
      return amount === undefined ? [] : [[line.line, { amount, steps }] as const]
    }),
  )
}

function stepOf({ rule, variant, beside }: Finding, line: number, amount: bigint): Step {
  return { rule, variant, ...(beside !== undefined && beside !== line && { with: beside }), amount }
}

/** By the rule, in the order of the table, then by the first line. */
const inOrder = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted(
    (a, b) => BILL_RULES.indexOf(a.rule) - BILL_RULES.indexOf(b.rule) || (a.lines[0] ?? 0) - (b.lines[0] ?? 0),
  )

function medicareSums(
  lines: readonly CheckedLine[],
  atMost: ReadonlyMap<number, { amount: bigint }>,
): BillSums['medicare'] {
  const priced = lines.filter(({ listed, byRules }) => listed !== undefined || byRules !== undefined)
  const sum = (group: readonly CheckedLine[], amountOf: (line: CheckedLine) => bigint | undefined): bigint =>
    group.reduce((total, line) => total + (amountOf(line) ?? 0n), 0n)
  return new Map(
    grouped(priced, ({ line }) => line.side.kind).map((group) => [
      (group[0] as CheckedLine).line.side.kind,
      {
        listed: sum(group, ({ listed }) => listed),
        atMost: sum(group, ({ line }) => atMost.get(line.line)?.amount),
        byRules: sum(group, ({ byRules }) => byRules?.amount),
      },
    ]),
  )
}

function ownSums(lines: readonly CheckedLine[]): BillSums['own'] {
  return Object.fromEntries(
    [...OWN_BASES, PAYER_BASIS].flatMap((basis) => {
      const figures = lines
        .flatMap((line) => line.figures[basis as OwnBasis] ?? [])
        .filter((each) => each !== 'other_unit')
      return figures.length === 0 ? [] : [[basis, figures.reduce((sum, { high }) => sum + high, 0n)]]
    }),
  )
}

/**
 * The amount at issue: of each line the most that any finding puts at issue, so that no line counts twice. A finding about the whole
 * bill is about the same charges: the larger of the two counts.
 */
function atIssue(findings: readonly Finding[]): bigint {
  const ofLines = new Map<number, bigint>()
  for (const finding of findings)
    for (const [line, amount] of finding.atIssue) {
      const known = ofLines.get(line) ?? 0n
      if (amount > known) ofLines.set(line, amount)
    }
  const sum = [...ofLines.values()].reduce((total, amount) => total + amount, 0n)
  return findings.reduce((most, { ofBill }) => (ofBill !== undefined && ofBill > most ? ofBill : most), sum)
}
