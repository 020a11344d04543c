// The rule `units_over_limit`: units above the published limit of the day. NCCI Policy Manual, chapter I, section V.

import { ROLES } from '../../tables/bill-rules.ts'
import type { LimitRow } from '../price/edit-row.ts'
import { type Claim, type ClaimLine, charges, grouped, isOfCode, numbersOf } from './claim.ts'
import { limitOn } from './edit-tables.ts'
import { type Finding, NOTHING, type Outcome, skipped, together } from './finding.ts'
import { rowOf } from './table-on.ts'

/** The table of limits that speaks for a side. */
const TABLES = {
  professional: 'ncci-mue-practitioner',
  surgery_center: 'ncci-mue-practitioner',
  hospital: 'ncci-mue-outpatient',
  equipment: 'ncci-mue-dme',
} as const

type Coded = ClaimLine & { code: string }

export function unitsOverLimit(claim: Claim, denied: ReadonlySet<number>): Outcome {
  const paid = claim.lines.filter(isOfCode).filter(({ line }) => !denied.has(line))
  return together(
    grouped(paid, ({ side, day, code }) => [side.kind, day, code].join(' ')).map((group) => ofCode(claim, group)),
  )
}

/** All lines of one code, side and day. */
function ofCode({ on }: Claim, group: readonly Coded[]): Outcome {
  const [first] = group
  if (!first) return NOTHING
  const { code, day, side } = first
  const rule = 'units_over_limit'
  const chart = TABLES[side.kind]
  const skip = (why: 'inpatient' | 'no_edition' | 'no_published_limit'): Outcome => ({
    findings: [],
    skips: skipped({ rule, chart, day, why }, group),
  })
  if (side.setting === 'inpatient') return skip('inpatient')
  const registry = on(day)
  if (!registry.timeline.isHeld(chart)) return skip('no_edition')
  const row = rowOf(registry.lists, chart, code) as LimitRow | undefined
  // Some limits are confidential: without a row nothing is known.
  if (!row || !limitOn(row, day)) return skip('no_published_limit')
  const over =
    row.adjudication === 1 ? group.filter(({ units }) => units > row.units).map((line) => [line]) : ofDay(group, row)
  const findings = over.map((lines): Finding => {
    const variant = row.units === 0 ? 'never' : VARIANTS[row.adjudication]
    return {
      rule,
      variant,
      lines: numbersOf(lines),
      denies: numbersOf(lines),
      atIssue: charges(lines),
      words: { line: String(lines[0]?.line), code, day, limit: String(row.units), units: String(unitsOf(lines)) },
      evidence: [{ chart, day, row }],
    }
  })
  return { findings, skips: [] }
}

const VARIANTS = { 1: 'line', 2: 'day_policy', 3: 'day_clinical' } as const

const unitsOf = (lines: readonly Coded[]): number => lines.reduce((sum, { units }) => sum + units, 0)

/**
 * All units of the day are compared with the limit, whatever the modifiers. A surgery center bills both sides of the body on two
 * lines, LT and RT, where others bill one unit with 50: each side is compared by itself.
 */
function ofDay(group: readonly Coded[], { units }: LimitRow): Coded[][] {
  const sideOf = ({ side, modifiers }: Coded): string =>
    side.kind === 'surgery_center'
      ? modifiers.filter((each) => ROLES.left.includes(each) || ROLES.right.includes(each)).join('')
      : ''
  const isOver = grouped(group, sideOf).some((lines) => unitsOf(lines) > units)
  return isOver ? [[...group]] : []
}
