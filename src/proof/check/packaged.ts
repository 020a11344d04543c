// The rule `packaged`: lines that are paid as part of others. OPPS Addendum D1; physician schedule, status B and P.

import { COMPREHENSIVE, PACKAGING } from '../../tables/bill-rules.ts'
import { type Claim, type ClaimLine, charges, grouped, numbersOf, OPPS, PFS } from './claim.ts'
import { type Evidence, type Finding, NOTHING, type Outcome, skipped, together } from './finding.ts'

export function packaged(claim: Claim, denied: ReadonlySet<number>): Outcome {
  const paid = claim.lines.filter(({ line }) => !denied.has(line))
  const ofHospital = paid.filter(({ side }) => side.kind === 'hospital')
  const ofProfessional = paid.filter(({ side }) => side.kind === 'professional')
  return together([
    ...grouped(ofHospital, (line) => line.claim).map((lines) => inClaim(claim, lines)),
    ofPhysicianSchedule(ofProfessional),
  ])
}

type Coded = ClaimLine & { code: string }
type Rated = Coded & { status: { indicator: string; evidence: Evidence } }

/** The lines of one claim of a hospital. */
function inClaim({ on }: Claim, claim: readonly ClaimLine[]): Outcome {
  const coded = claim.filter((line): line is Coded => line.code !== undefined)
  const rule = 'packaged'
  const skips = grouped(coded, ({ day }) => day).flatMap((lines) => {
    const { day, side } = lines[0] as Coded
    if (side.setting === 'inpatient') return skipped({ rule, chart: OPPS, day, why: 'inpatient' }, lines)
    if (!on(day).timeline.isHeld(OPPS)) return skipped({ rule, chart: OPPS, day, why: 'no_edition' }, lines)
    // Composites of several such codes are in Addendum M, which is not held.
    const composite = lines.filter(({ status }) => status?.indicator === 'Q3')
    return composite.length > 1 ? skipped({ rule, chart: OPPS, day, why: 'composite' }, composite) : []
  })
  const rated = coded.filter((line): line is Rated => line.status !== undefined)
  const main = comprehensive(rated)
  const taken = main
    ? rated.filter((line) => line !== main && !COMPREHENSIVE.keeps.includes(line.status.indicator))
    : []
  const whole = main && taken.length > 0 ? [found('comprehensive', taken, main)] : []
  const rest = rated.filter((line) => !taken.includes(line))
  const statuses = new Set(rated.map(({ status }) => status.indicator))
  const byStatus = Object.entries(PACKAGING).flatMap(([status, { variant, beside }]) => {
    const lines = rest.filter((line) => line.status.indicator === status)
    const holds = beside === undefined || beside.some((each) => statuses.has(each))
    return lines.length > 0 && holds ? [found(variant, lines)] : []
  })
  return { findings: [...whole, ...byStatus], skips }
}

/** The dearest line with the status that takes everything else of its claim. */
function comprehensive(lines: readonly Rated[]): Rated | undefined {
  const able = lines.filter(({ status }) => status.indicator === COMPREHENSIVE.status)
  return able.reduce<Rated | undefined>(
    (first, line) => (first === undefined || (line.listed?.unit ?? 0n) > (first.listed?.unit ?? 0n) ? line : first),
    undefined,
  )
}

function found(variant: string, lines: readonly Rated[], main?: Rated): Finding {
  return {
    rule: 'packaged',
    variant,
    lines: numbersOf(lines),
    denies: numbersOf(lines),
    atIssue: charges(lines),
    ...(main && { beside: main.line }),
    words: { codes: codesOf(lines), ...(main && { with: main.code, beside: String(main.line) }) },
    evidence: [...(main ? [main] : []), ...lines].map(({ status }) => status.evidence),
  }
}

const codesOf = (lines: readonly Coded[]): string => [...new Set(lines.map(({ code }) => code))].join(', ')

/** A status by which a service is part of others, whatever they are. */
function ofPhysicianSchedule(lines: readonly ClaimLine[]): Outcome {
  const bundled = lines.flatMap((line) => {
    const { code, listed, day } = line
    const decision = listed?.decision
    const isBundled = decision?.outcome === 'absent' && decision.chart === PFS && decision.row.reason === 'bundled'
    return isBundled && code !== undefined ? [{ ...line, code, evidence: { chart: PFS, day, row: decision.row } }] : []
  })
  if (bundled.length === 0) return NOTHING
  const finding: Finding = {
    rule: 'packaged',
    variant: 'professional',
    lines: numbersOf(bundled),
    denies: numbersOf(bundled),
    atIssue: charges(bundled),
    words: { codes: codesOf(bundled) },
    evidence: bundled.map(({ evidence }) => evidence),
  }
  return { findings: [finding], skips: [] }
}
