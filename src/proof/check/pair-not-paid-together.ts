// The rule `pair_not_paid_together`: a column-two code beside its column-one code. NCCI Policy Manual, chapter I, sections D and E.

import { PAIR_MODIFIERS } from '../../tables/bill-rules.ts'
import type { EditsRow } from '../price/edit-row.ts'
import { type Claim, type ClaimLine, charges, grouped, isOfCode, numbersOf } from './claim.ts'
import { pairOn } from './edit-tables.ts'
import { type Evidence, type Finding, NOTHING, type Outcome, skipped, together } from './finding.ts'
import { tableOn } from './table-on.ts'

/** The table of pairs that speaks for a side. There is none for equipment. */
const TABLES = {
  professional: 'ncci-ptp-practitioner',
  surgery_center: 'ncci-ptp-practitioner',
  hospital: 'ncci-ptp-outpatient',
  equipment: undefined,
} as const

type Coded = ClaimLine & { code: string }

export function pairNotPaidTogether(claim: Claim, denied: ReadonlySet<number>): Outcome {
  const paid = claim.lines.filter(isOfCode).filter(({ line }) => !denied.has(line))
  return together(grouped(paid, ({ side, day }) => `${side.kind} ${day}`).map((group) => ofDay(claim, group)))
}

/** All lines of one side and day: one provider, one patient. */
function ofDay({ on }: Claim, group: readonly Coded[]): Outcome {
  const [first] = group
  const chart = first && TABLES[first.side.kind]
  if (!first || !chart) return NOTHING
  const byCode = grouped(group, ({ code }) => code)
  if (byCode.length < 2) return NOTHING
  const { day, side } = first
  const skip = { rule: 'pair_not_paid_together', chart, day } as const
  if (side.setting === 'inpatient') return { findings: [], skips: skipped({ ...skip, why: 'inpatient' }, group) }
  const table = tableOn(on, chart, day)
  if (!table) return { findings: [], skips: skipped({ ...skip, why: 'no_edition' }, group) }
  const findings = byCode.flatMap((ones) => {
    const [{ code }] = ones as [Coded]
    const row = table.rowOf(code) as EditsRow | undefined
    if (!row) return []
    const listed = new Set(row.edits.map(([other]) => other))
    return byCode.flatMap((others) => {
      const [{ code: other }] = others as [Coded]
      const pair = others !== ones && listed.has(other) ? pairOn(row, other, day) : undefined
      return pair ? others.flatMap((two) => against(two, ones, pair.separable, { chart, day: table.day, row })) : []
    })
  })
  return { findings, skips: [], byHistory: table.byHistory }
}

function against(two: Coded, ones: readonly Coded[], separable: boolean, evidence: Evidence): Finding[] {
  const one = ones.find((each) => !separable || !areApart(each, two))
  if (!one) return []
  const variant = separable ? 'unless' : 'never'
  return [
    {
      rule: 'pair_not_paid_together',
      variant,
      lines: numbersOf([one, two]),
      denies: [two.line],
      atIssue: charges([two]),
      beside: one.line,
      words: { line: String(two.line), beside: String(one.line), code: two.code, with: one.code },
      evidence: [evidence],
    },
  ]
}

const { of_place, of_time, of_service } = PAIR_MODIFIERS

/**
 * Whether a modifier says that two services were apart: one of time or service on either code, or one of place. The same places
 * on both lines say that the two were at the same place.
 */
function areApart(one: Coded, two: Coded): boolean {
  const both = [...one.modifiers, ...two.modifiers]
  if (both.some((each) => of_time.includes(each) || of_service.includes(each))) return true
  const [placesOfOne, placesOfTwo] = [one, two].map(({ modifiers }) =>
    modifiers.filter((each) => of_place.includes(each)).join('-'),
  )
  return placesOfOne !== placesOfTwo
}
