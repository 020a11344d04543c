// The rule `add_on_alone`: an add-on code without a primary code of its list. NCCI Policy Manual, chapter I, section R.

import type { AddOnRow } from '../price/edit-row.ts'
import { type Claim, type ClaimLine, charges, grouped, isOfCode, numbersOf } from './claim.ts'
import { primariesOn } from './edit-tables.ts'
import { type Finding, NOTHING, type Outcome, skipped, together } from './finding.ts'
import { tableOn } from './table-on.ts'

const CHART = 'ncci-add-on'

type Coded = ClaimLine & { code: string }

export function addOnAlone(claim: Claim, denied: ReadonlySet<number>): Outcome {
  const ofPeople = claim.lines.filter(isOfCode).filter(({ side }) => side.kind !== 'equipment')
  return together(
    grouped(ofPeople, ({ side, day }) => `${side.kind} ${day}`).map((group) => ofDay(claim, group, denied)),
  )
}

/** All lines of one side and day. A primary that is itself not paid is none. */
function ofDay({ on }: Claim, group: readonly Coded[], denied: ReadonlySet<number>): Outcome {
  const [first] = group
  if (!first) return NOTHING
  const { day, side } = first
  const skip = { rule: 'add_on_alone', chart: CHART, day } as const
  if (side.setting === 'inpatient') return { findings: [], skips: skipped({ ...skip, why: 'inpatient' }, group) }
  const table = tableOn(on, CHART, day)
  if (!table) return { findings: [], skips: skipped({ ...skip, why: 'no_edition' }, group) }
  const paid = new Set(group.filter(({ line }) => !denied.has(line)).map(({ code }) => code))
  const byCode = grouped(
    group.filter(({ line }) => !denied.has(line)),
    ({ code }) => code,
  ).map((lines): Outcome => {
    const [{ code }] = lines as [Coded]
    const row = table.rowOf(code) as AddOnRow | undefined
    const primaries = row && primariesOn(row, day)
    if (!primaries || primaries.codes.some((primary) => paid.has(primary))) return NOTHING
    // Where the contractor alone names the primaries, nothing can be compared.
    if (primaries.codes.length === 0) return { findings: [], skips: skipped({ ...skip, why: 'by_contractor' }, lines) }
    const finding: Finding = {
      rule: 'add_on_alone',
      variant: primaries.by_contractor ? 'by_contractor' : 'no_primary',
      lines: numbersOf(lines),
      denies: primaries.by_contractor ? [] : numbersOf(lines),
      atIssue: charges(lines),
      words: { code, day },
      evidence: [{ chart: CHART, day: table.day, row }],
    }
    return { findings: [finding], skips: [] }
  })
  return { ...together(byCode), byHistory: table.byHistory }
}
