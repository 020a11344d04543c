// The rule `not_valid_on_day`: a code without a row in the schedules of its day, which an edition before or after has.

import { chartsFor } from '../price/charts.ts'
import { type Claim, type ClaimLine, charges, isOfCode, numbersOf, questionFor } from './claim.ts'
import { type Evidence, type Finding, type Outcome, skipped, together } from './finding.ts'

type Coded = ClaimLine & { code: string }

export function notValidOnDay(claim: Claim): Outcome {
  const unknown = claim.lines.filter(isOfCode).filter(({ listed }) => listed?.decision.outcome === 'not_on_schedule')
  return together(unknown.map((line) => ofLine(claim, line)))
}

function ofLine({ bill, on, table }: Claim, line: Coded): Outcome {
  const { code, day } = line
  const rule = 'not_valid_on_day'
  const question = questionFor(bill, line, code, [])
  const charts = question ? chartsFor(question, table) : []
  const { lists, timeline } = on(day)
  // A code that is there for other places or settings is valid.
  if (charts.some((chart) => lists.has(chart, `${code}|`))) return { findings: [], skips: [] }
  let isCompared = false
  for (const chart of charts) {
    const { before, after } = timeline.around(chart)
    for (const [variant, other] of [
      ['deleted', before],
      ['not_yet', after],
    ] as const) {
      if (other === undefined) continue
      isCompared = true
      const inEdition = on(other).lists
      if (!inEdition.has(chart, `${code}|`)) continue
      const [row] = inEdition.under(chart, `${code}|national|`)
      const evidence: Evidence[] = row ? [{ chart, day: other, row }] : []
      const words = { code, day, ...(variant === 'deleted' ? { last: other } : { first: other }) }
      const finding: Finding = {
        rule,
        variant,
        lines: numbersOf([line]),
        denies: numbersOf([line]),
        atIssue: charges([line]),
        words,
        evidence,
      }
      return { findings: [finding], skips: [] }
    }
  }
  const [chart] = charts
  return {
    findings: [],
    skips: isCompared || chart === undefined ? [] : skipped({ rule, chart, day, why: 'no_edition' }, [line]),
  }
}
