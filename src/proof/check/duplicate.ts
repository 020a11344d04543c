// The rule `duplicate`: a line that repeats another one.

import { REPEAT_MODIFIERS } from '../../tables/bill-rules.ts'
import { type Claim, charges, grouped, isOfCode, numbersOf } from './claim.ts'
import type { Finding, Outcome } from './finding.ts'

/** Finds lines with code, modifiers, day and units of an earlier one, unless a modifier says that it was done again. */
export function duplicate({ lines }: Claim): Outcome {
  const coded = lines
    .filter(isOfCode)
    .filter(({ modifiers }) => !modifiers.some((each) => REPEAT_MODIFIERS.includes(each)))
  const alike = grouped(coded, ({ side, code, modifiers, day, units }) =>
    [side.kind, code, modifiers.join('-'), day, units].join(' '),
  )
  const findings = alike.flatMap(([first, ...others]) =>
    first
      ? others.map(
          (line): Finding => ({
            rule: 'duplicate',
            variant: 'same',
            lines: numbersOf([first, line]),
            denies: [line.line],
            atIssue: charges([line]),
            beside: first.line,
            words: { line: String(line.line), first: String(first.line), code: line.code, day: line.day },
            evidence: [],
          }),
        )
      : [],
  )
  return { findings, skips: [] }
}
