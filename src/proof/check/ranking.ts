// Several procedures of one day: the dearest is paid in full, each other one in part.

import type { Ranking } from '../../tables/bill-rules.ts'
import type { ClaimLine } from './claim.ts'
import type { Finding, Outcome } from './finding.ts'

/** A line of which one part is paid, or none: `pays` has what is paid of each line. */
export type Reduction = Pick<Outcome, 'skips'> & {
  variant: string
  words?: Finding['words']
  pays: ReadonlyMap<number, bigint>
}

/** What counts as one procedure: a line, or several that are one for the rule. */
export interface Procedure {
  /** How often it was done. */
  count: number
  parts: readonly { line: number; amount: bigint }[]
}

/** A cent, times the thousandths of a factor, in ten-thousandths of a dollar. */
const CENT = 100_000n

/** Thousandths of a factor: '0.500' is 500n. */
export const thousandths = (factor: string): bigint => BigInt(factor.replace('.', ''))

/** Rounds an amount times thousandths, half up to the cent, to ten-thousandths of a dollar. */
export const rounded = (product: bigint): bigint => ((product + CENT / 2n) / CENT) * 100n

const worthOf = ({ parts }: Procedure): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)
const firstLine = ({ parts }: Procedure): number => Math.min(...parts.map(({ line }) => line))

/** By falling value, and by line where two are worth the same. */
export const byValue = <T>(items: readonly T[], worthOf: (item: T) => bigint, lineOf: (item: T) => number): T[] =>
  items.toSorted((a, b) => (worthOf(a) === worthOf(b) ? lineOf(a) - lineOf(b) : worthOf(a) > worthOf(b) ? -1 : 1))

export interface Ranked {
  /** What is paid of each line, in ten-thousandths. */
  pays: ReadonlyMap<number, bigint>
  /** Lines of which the contractor decides: those after the number that the rule is about. */
  beyond: readonly number[]
}

export function rank(procedures: readonly Procedure[], { second, most }: Ranking): Ranked {
  const factor = thousandths(second)
  const sums = new Map<number, bigint>()
  const beyond: number[] = []
  let before = 0
  for (const procedure of byValue(procedures, worthOf, firstLine)) {
    const { count, parts } = procedure
    const inFull = before === 0 ? 1n : 0n
    before += count
    for (const { line, amount } of parts) {
      if (most !== undefined && before > most) beyond.push(line)
      const times = inFull * 1_000n + (BigInt(count) - inFull) * factor
      sums.set(line, (sums.get(line) ?? 0n) + amount * times)
    }
  }
  return { pays: new Map([...sums].map(([line, sum]) => [line, rounded(sum)])), beyond }
}

export const procedureOf = (line: ClaimLine, count: number): Procedure => ({
  count,
  parts: [{ line: line.line, amount: line.listed?.unit ?? 0n }],
})
