// The answer of a bill check as it is on the wire, made of a check and of the places of its rows. The verifier makes it again and
// compares.

import { amountText } from '../price/money.ts'
import type { Manifest } from '../price/release.ts'
import type { BillCheck, CheckedLine, MedicareSums, Step } from './check.ts'
import { type Evidence, type Finding, type Skip, variantOf } from './finding.ts'
import { type Figure, OWN_BASES, PAYER_BASIS } from './hospital-figures.ts'

/** The place of a row in the body's proof. */
export interface Pointer {
  release: number
  index: number
}
/** In a short answer, a permalink stands in place of a pointer. */
export type PointerOf = (evidence: Evidence) => Pointer | string

type Members = { [member: string]: unknown }

export const bodyOf = (check: BillCheck, pointerOf: PointerOf): Members => ({
  side: { kind: check.side.kind, why: check.side.why },
  claim: check.claim,
  ...byHistoryOf(check),
  lines: check.lines.map((line) => lineOf(line, check, pointerOf)),
  findings: check.findings.map((finding) => findingOf(finding, pointerOf)),
  skipped: skippedOf(check.skips),
  sums: sumsOf(check),
})

/** Tables that answered for earlier days, each day once. */
function byHistoryOf({ byHistory }: BillCheck): Members {
  const byName = new Map(byHistory.map(({ chart, day }) => [`${chart} ${day}`, { chart, day }]))
  return byName.size === 0 ? {} : { by_history: [...byName.values()] }
}

/** Editions whose last day the operator moved past the publisher's own. */
export function prolongedIn(releases: readonly Pick<Manifest, 'chart' | 'publisher_until'>[]): Members {
  const prolonged = releases.flatMap(({ chart, publisher_until }) =>
    publisher_until ? [{ chart, publisher_until }] : [],
  )
  return prolonged.length === 0 ? {} : { prolonged }
}

function lineOf({ line, figures, listed, byRules }: CheckedLine, { side }: BillCheck, pointerOf: PointerOf): Members {
  const { code, units, day, billed, side: own } = line
  const ofHospital = ([...OWN_BASES, PAYER_BASIS] as const).flatMap((basis) => {
    const figure = figures[basis]
    return figure === undefined || figure === 'other_unit' ? [] : [[nameOf(basis), figureOf(figure, day, pointerOf)]]
  })
  return {
    line: line.line,
    ...(code !== undefined && { code }),
    units: String(units),
    ...(billed !== undefined && { billed: amountText(billed) }),
    ...(own.kind !== side.kind && { side: own.kind }),
    ...medicareOf(line, listed, pointerOf),
    ...Object.fromEntries(ofHospital),
    ...(byRules && { by_rules: { amount: amountText(byRules.amount), ...stepsOf(byRules.steps) } }),
  }
}

/** The rate of the payer of the bill stands under `payer`. */
const nameOf = (basis: string): string => (basis === PAYER_BASIS ? 'payer' : basis)

const stepsOf = (steps: readonly Step[]): Members =>
  steps.length === 0
    ? {}
    : {
        steps: steps.map(({ rule, variant, with: beside, amount }) => ({
          rule,
          variant,
          ...(beside !== undefined && { with: beside }),
          amount: amountText(amount),
        })),
      }

/** The price that the schedules list, the stated absence of one, or why there is neither. */
function medicareOf({ listed, day }: CheckedLine['line'], amount: bigint | undefined, pointerOf: PointerOf): Members {
  if (!listed) return {}
  const { decision, price } = listed
  if (price && amount !== undefined) {
    const { chart, row } = price
    return { medicare: { basis: row.basis, amount: amountText(amount), row: pointerOf({ chart, day, row }) } }
  }
  if (decision.outcome === 'absent') {
    const { chart, row } = decision
    return { medicare: { basis: row.basis, absent: row.reason, row: pointerOf({ chart, day, row }) } }
  }
  return { medicare: { none: decision.outcome === 'no_edition' ? 'no_edition_for_day' : decision.outcome } }
}

function figureOf({ chart, row, low, high }: Figure, day: string, pointerOf: PointerOf): Members {
  const amounts = low === high ? { amount: amountText(low) } : { low: amountText(low), high: amountText(high) }
  return { ...amounts, row: pointerOf({ chart, day, row }) }
}

function findingOf(finding: Finding, pointerOf: PointerOf): Members {
  const { rule, lines, atIssue, ofBill, words, evidence } = finding
  const { certainty, text, ask } = variantOf(finding)
  const sum = [...atIssue.values()].reduce((total, amount) => total + amount, 0n)
  const amount = ofBill ?? (atIssue.size > 0 ? sum : undefined)
  return {
    rule,
    certainty,
    lines,
    ...(amount !== undefined && { amount_at_issue: amountText(amount) }),
    says: inWords(text, words),
    ask: inWords(ask, words),
    ...(evidence.length > 0 && { evidence: distinct(evidence.map(pointerOf)) }),
  }
}

const inWords = (sentence: string, words: Finding['words']): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '')

function distinct(pointers: readonly (Pointer | string)[]): (Pointer | string)[] {
  const nameOf = (pointer: Pointer | string): string =>
    typeof pointer === 'string' ? pointer : `${pointer.release} ${pointer.index}`
  const byPlace = new Map(pointers.map((pointer) => [nameOf(pointer), pointer]))
  return [...byPlace.values()]
}

/** What was not checked: lines with the same rule, chart, day and reason together. An edition that is not held is the usual reason. */
function skippedOf(skips: readonly Skip[]): Members[] {
  const groups = new Map<string, Omit<Skip, 'line'> & { lines: number[] }>()
  for (const { line, ...skip } of skips) {
    const key = [skip.rule, skip.chart, skip.day, skip.why].join(' ')
    const group = groups.get(key) ?? { ...skip, lines: [] }
    groups.set(key, group)
    group.lines.push(line)
  }
  return [...groups.values()].map(({ rule, chart, day, why, lines }) => ({
    rule,
    chart,
    day,
    ...(why !== 'no_edition' && { why }),
    lines: [...new Set(lines)].sort((a, b) => a - b),
  }))
}

function sumsOf({ side, sums }: BillCheck): Members {
  const { billed, medicare, own, atIssue } = sums
  const ofSide = medicare.get(side.kind)
  const others = [...medicare].filter(([kind]) => kind !== side.kind)
  return {
    ...(billed !== undefined && { billed: amountText(billed) }),
    ...(ofSide && { medicare: medicareSum(ofSide) }),
    ...(others.length > 0 && {
      other_sides: Object.fromEntries(others.map(([kind, each]) => [kind, medicareSum(each)])),
    }),
    ...Object.fromEntries(Object.entries(own).map(([basis, sum]) => [nameOf(basis), amountText(sum)])),
    at_issue: amountText(atIssue),
  }
}

const medicareSum = ({ listed, atMost, byRules }: MedicareSums): Members => ({
  listed: amountText(listed),
  at_most: amountText(atMost),
  by_rules: amountText(byRules),
})
