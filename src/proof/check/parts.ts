// Tests of one session whose technical or professional part is paid in part after the first. RVU record layout, MULT PROC 4,
// 6 and 7.

import { PARTS_REDUCED, ROLES, SESSION_MODIFIERS } from '../../tables/bill-rules.ts'
import { type Claim, type ClaimLine, indicatorOf, lookUp, PFS } from './claim.ts'
import { type Outcome, skipped } from './finding.ts'
import { byValue, type Reduction, rounded, thousandths } from './ranking.ts'

type Coded = ClaimLine & { code: string }

/** A test with what its parts are worth, in ten-thousandths for one unit. */
interface Test {
  line: Coded
  technical: bigint
  professional: bigint
}

export function reducedParts(claim: Claim, group: readonly Coded[]): Reduction[] {
  return Object.entries(PARTS_REDUCED).flatMap(([indicator, { variant, by_day }]) => {
    const inSession = group.filter(
      (line) =>
        indicatorOf(line, 'multiple_procedure') === indicator &&
        !line.modifiers.some((each) => SESSION_MODIFIERS.includes(each)),
    )
    const [first] = inSession
    const factors = by_day.findLast(({ from }) => first !== undefined && from <= first.day)
    if (!first || !factors || inSession.reduce((sum, { units }) => sum + units, 0) < 2) return []
    const tests: Test[] = []
    const skips: Outcome['skips'][number][] = []
    for (const line of inSession) {
      const parts = partsOf(claim, line)
      if (parts) tests.push({ line, ...parts })
      else skips.push(...skipped({ rule: 'reduced', chart: PFS, day: line.day, why: 'no_price' }, [line]))
    }
    return [{ variant, pays: paysOf(tests, factors), skips }]
  })
}

/** Undefined where the parts of a test cannot be told apart. */
function partsOf(claim: Claim, line: Coded): Omit<Test, 'line'> | undefined {
  const { listed, modifiers, code } = line
  const unit = listed?.unit
  if (unit === undefined || (listed?.decision.outcome === 'price' && listed.decision.adjustment)) return undefined
  const kind = indicatorOf(line, 'pc_tc')
  // Codes that are technical or professional alone: PCTC IND 3 and 2.
  if (modifiers.some((each) => ROLES.technical.includes(each)) || kind === '3')
    return { technical: unit, professional: 0n }
  if (modifiers.some((each) => ROLES.professional.includes(each)) || kind === '2')
    return { technical: 0n, professional: unit }
  const partWith = (modifier: readonly string[]): bigint | undefined => lookUp(claim, line, code, modifier)?.unit
  if (kind !== '1') return undefined
  const [technical, professional] = [partWith(ROLES.technical), partWith(ROLES.professional)]
  return technical === undefined || professional === undefined ? undefined : { technical, professional }
}

type Factors = { technical: string; professional: string }

/** The dearest technical part and the dearest professional part are paid in full; they may be of two tests. */
function paysOf(tests: readonly Test[], factors: Factors): ReadonlyMap<number, bigint> {
  const withheld = new Map<Test, bigint>()
  for (const part of ['technical', 'professional'] as const) {
    const less = 1_000n - thousandths(factors[part])
    const having = tests.filter((test) => test[part] > 0n)
    for (const [i, test] of byValue(
      having,
      (each) => each[part],
      ({ line }) => line.line,
    ).entries()) {
      const reducedUnits = BigInt(test.line.units - (i === 0 ? 1 : 0))
      withheld.set(test, (withheld.get(test) ?? 0n) + test[part] * reducedUnits * less)
    }
  }
  return new Map(
    tests.map((test) => {
      const { line } = test
      const full = (line.listed?.unit ?? 0n) * BigInt(line.units) * 1_000n
      return [line.line, rounded(full - (withheld.get(test) ?? 0n))]
    }),
  )
}
