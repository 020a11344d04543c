// The rule `component_twice`: the professional or technical part of a test beside the whole.

import { REPEAT_MODIFIERS, ROLES } from '../../tables/bill-rules.ts'
import { type Claim, charges, evidenceOfPrice, grouped, indicatorOf, isOfCode, numbersOf } from './claim.ts'
import type { Finding, Outcome } from './finding.ts'

const PARTS = [...ROLES.professional, ...ROLES.technical]
/** A test of two parts, which a bill may have as a whole (RVU record layout, PCTC IND 1). */
const OF_TWO_PARTS = '1'

export function componentTwice({ lines }: Claim, denied: ReadonlySet<number>): Outcome {
  const tests = lines
    .filter(isOfCode)
    .filter(({ line, side }) => side.kind === 'professional' && !denied.has(line))
    .filter((line) => indicatorOf(line, 'pc_tc') === OF_TWO_PARTS)
  const alike = grouped(tests, ({ code, day }) => `${code} ${day}`)
  const findings = alike.flatMap((group) => {
    const whole = group.find(({ modifiers }) => !modifiers.some((each) => PARTS.includes(each)))
    if (!whole) return []
    return group.flatMap((line): Finding[] => {
      const part = line.modifiers.find((each) => PARTS.includes(each))
      const isAgain = [...line.modifiers, ...whole.modifiers].some((each) => REPEAT_MODIFIERS.includes(each))
      if (part === undefined || isAgain) return []
      return [
        {
          rule: 'component_twice',
          variant: 'part',
          lines: numbersOf([whole, line]),
          denies: [line.line],
          atIssue: charges([line]),
          beside: whole.line,
          words: { line: String(line.line), beside: String(whole.line), code: line.code, modifier: part },
          evidence: evidenceOfPrice(whole),
        },
      ]
    })
  })
  return { findings, skips: [] }
}
