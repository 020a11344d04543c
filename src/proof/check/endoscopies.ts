// Families of endoscopies: the dearest is paid in full, each other one without its base service, and the base service itself
// is not paid. RVU record layout, MULT PROC 3 and ENDO BASE.

import { type Claim, type ClaimLine, grouped, indicatorOf, lookUp, PFS } from './claim.ts'
import { type Outcome, skipped } from './finding.ts'
import { byValue, type Procedure } from './ranking.ts'

type Coded = ClaimLine & { code: string }

export interface Family {
  /** The code of the base service. */
  base: string
  lines: readonly number[]
  procedure: Procedure
}

export interface Endoscopies {
  families: readonly Family[]
  inFamilies: ReadonlySet<number>
  skips: Outcome['skips']
}

/** The families with more than one service. A single endoscopy is like any other operation. */
export function endoscopies(claim: Claim, operations: readonly Coded[]): Endoscopies {
  const members = operations.filter(
    (line) => indicatorOf(line, 'multiple_procedure') === '3' && indicatorOf(line, 'endoscopic_base') !== undefined,
  )
  const families: Family[] = []
  const skips: Outcome['skips'][number][] = []
  for (const group of grouped(members, (line) => indicatorOf(line, 'endoscopic_base') ?? '')) {
    const [first] = group as [Coded]
    const base = indicatorOf(first, 'endoscopic_base') as string
    const ofBase = operations.filter(({ code }) => code === base)
    const count = group.reduce((sum, { units }) => sum + units, 0)
    if (count < 2 && ofBase.length === 0) continue
    // The fee of the base service at the place and in the setting of the first.
    const fee = lookUp(claim, first, base, [])?.unit
    if (fee === undefined)
      skips.push(...skipped({ rule: 'reduced', chart: PFS, day: first.day, why: 'no_price' }, group))
    else families.push(familyOf(base, fee, group, ofBase))
  }
  return { families, inFamilies: new Set(families.flatMap(({ lines }) => lines)), skips }
}

function familyOf(base: string, fee: bigint, group: readonly Coded[], ofBase: readonly Coded[]): Family {
  const unitOf = ({ listed }: Coded): bigint => listed?.unit ?? 0n
  const lineOf = ({ line }: Coded): number => line
  const parts = byValue(group, unitOf, lineOf).map((line, i) => {
    const unit = unitOf(line)
    const less = unit > fee ? unit - fee : 0n
    const inFull = i === 0 ? 1 : 0
    return { line: line.line, amount: unit * BigInt(inFull) + less * BigInt(line.units - inFull) }
  })
  const all = [...parts, ...ofBase.map(({ line }) => ({ line, amount: 0n }))]
  return { base, lines: all.map(({ line }) => line), procedure: { count: 1, parts: all } }
}
