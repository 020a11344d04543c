// The rule `reduced`: services of one day of which not all are paid in full, and persons at surgery who are not paid.
// Medicare Claims Processing Manual, chapter 12, section 40; RVU record layout, MULT PROC, BILAT SURG, ASST SURG, CO-SURG.

import { RANKINGS, ROLES } from '../../tables/bill-rules.ts'
import {
  type Claim,
  type ClaimLine,
  chargeOf,
  charges,
  evidenceOfPrice,
  grouped,
  indicatorOf,
  isOfCode,
  listedAmount,
  numbersOf,
  OPPS,
  PFS,
  proceduresOf,
} from './claim.ts'
import { endoscopies } from './endoscopies.ts'
import { type Finding, NOTHING, type Outcome, skipped, together } from './finding.ts'
import { reducedParts } from './parts.ts'
import { type Procedure, procedureOf, type Reduction, rank } from './ranking.ts'
import { reducedTherapy } from './therapy.ts'

type Coded = ClaimLine & { code: string }

/** Lines of surgery that are not paid whatever else is on the bill. They take no part in the ranking. */
export function notPaidAtSurgery({ lines }: Claim, denied: ReadonlySet<number>): Outcome {
  const ofProfessional = lines
    .filter(isOfCode)
    .filter(({ side, line }) => side.kind === 'professional' && !denied.has(line))
  const persons = ofProfessional.flatMap((line): Finding[] => {
    const decision = line.listed?.decision
    if (decision?.outcome !== 'modifier_not_allowed' || ROLES.both_sides.includes(decision.modifier)) return []
    const variant = ROLES.co_surgeons.includes(decision.modifier)
      ? 'co_surgeon_not_paid'
      : ROLES.assistants.includes(decision.modifier)
        ? 'assistant_not_paid'
        : undefined
    if (variant === undefined) return []
    return [notPaid(variant, line, [line], [{ chart: decision.chart, day: line.day, row: decision.row }])]
  })
  const sides = bothSides(ofProfessional).flatMap(([one, other]) =>
    ONCE_FOR_BOTH.includes(indicatorOf(one, 'bilateral') ?? '')
      ? [notPaid('both_sides', other, [one, other], evidenceOfPrice(one))]
      : [],
  )
  return { findings: [...persons, ...sides], skips: [] }
}

/** BILAT SURG 0 and 2: the fee is for both sides. */
const ONCE_FOR_BOTH = ['0', '2']

const notPaid = (variant: string, line: Coded, lines: readonly Coded[], evidence: Finding['evidence']): Finding => ({
  rule: 'reduced',
  variant,
  lines: numbersOf(lines),
  denies: [line.line],
  atIssue: charges([line]),
  words: { code: line.code },
  evidence,
})

const isOf = (role: readonly string[], { modifiers }: Coded): boolean => modifiers.some((each) => role.includes(each))
const isLeft = (line: Coded): boolean => isOf(ROLES.left, line) && !isOf(ROLES.right, line)
const isRight = (line: Coded): boolean => isOf(ROLES.right, line) && !isOf(ROLES.left, line)

/** Lines of one unit for each side of the body: of one code and day, one with LT and one with RT. */
function bothSides(lines: readonly Coded[]): [Coded, Coded][] {
  return grouped(
    lines.filter(({ units, listed }) => units === 1 && listed?.unit !== undefined),
    ({ code, day }) => `${code} ${day}`,
  ).flatMap((group) => {
    const [left, anotherLeft] = group.filter(isLeft)
    const [right, anotherRight] = group.filter(isRight)
    if (!left || !right || anotherLeft || anotherRight) return []
    return [left.line < right.line ? [left, right] : [right, left]]
  })
}

/** The reductions of lines that are paid. */
export function reduced(claim: Claim, denied: ReadonlySet<number>): Outcome {
  const paid = claim.lines
    .filter(isOfCode)
    .filter(({ line, listed }) => !denied.has(line) && listed?.unit !== undefined)
  return together(
    grouped(paid, ({ side, day, modifiers }) =>
      [side.kind, day, modifiers.some((each) => ROLES.assistants.includes(each))].join(' '),
    )
      .flatMap((group) => reductionsIn(claim, group))
      .map((reduction) => findingsOf(claim, reduction)),
  )
}

/** The lines of one side, day and person. */
function reductionsIn(claim: Claim, group: readonly Coded[]): Reduction[] {
  const kind = group[0]?.side.kind
  if (kind === 'hospital')
    return discounted(
      group.filter(({ status }) => status?.indicator === 'T'),
      'outpatient',
      inOneStep(group),
    )
  if (kind === 'surgery_center')
    return discounted(
      group.filter(({ listed }) => listed?.price?.row.indicators['multiple_procedure'] === 'Y'),
      'surgery_center',
      [],
    )
  if (kind !== 'professional') return []
  return [...surgery(claim, group), ...reducedParts(claim, group), ...reducedTherapy(group)]
}

/** Modifiers of a procedure that was broken off: how it is ranked beside others is not published. */
const BROKEN_OFF = ROLES.broken_off

function discounted(
  lines: readonly Coded[],
  variant: 'outpatient' | 'surgery_center',
  skips: Outcome['skips'],
): Reduction[] {
  const ranked = lines.filter(({ modifiers }) => !modifiers.some((each) => BROKEN_OFF.includes(each)))
  const left = lines.filter((line) => !ranked.includes(line))
  const { pays } = rank(
    ranked.map((line) => procedureOf(line, proceduresOf(line))),
    RANKINGS[variant],
  )
  const chart = variant === 'outpatient' ? OPPS : 'cms-asc'
  const open =
    lines.length > 1
      ? left.flatMap((line) => skipped({ rule: 'reduced', chart, day: line.day, why: 'modifier' }, [line]))
      : []
  return [{ variant, pays, skips: [...skips, ...open] }]
}

/** Lines of a hospital with 50 whose status is not discounted: how many payments they are is not published. */
const inOneStep = (group: readonly Coded[]): Outcome['skips'] =>
  group
    .filter(
      ({ modifiers, status }) => modifiers.some((each) => ROLES.both_sides.includes(each)) && status?.indicator !== 'T',
    )
    .flatMap((line) => skipped({ rule: 'reduced', chart: OPPS, day: line.day, why: 'modifier' }, [line]))

/** Operations and endoscopies: a family of endoscopies, and a pair of lines for both sides, are ranked as one. */
function surgery(claim: Claim, group: readonly Coded[]): Reduction[] {
  const operations = group.filter((line) => ['2', '3'].includes(indicatorOf(line, 'multiple_procedure') ?? ''))
  const { families, inFamilies, skips } = endoscopies(claim, operations)
  const others = operations.filter(({ line }) => !inFamilies.has(line))
  const pairs = bothSides(others).filter(([one]) => indicatorOf(one, 'bilateral') === '1')
  const inPairs = new Set(pairs.flat().map(({ line }) => line))
  const singles = others.filter(({ line }) => !inPairs.has(line))
  const procedures: Procedure[] = [
    ...families.map(({ procedure }) => procedure),
    ...pairs.map(bothAsOne),
    ...singles.map((line) => procedureOf(line, line.units)),
  ]
  const { pays, beyond } = rank(procedures, RANKINGS.surgery)
  const open = operations.filter(({ line }) => beyond.includes(line))
  const ofContractor = open.flatMap((line) =>
    skipped({ rule: 'reduced', chart: PFS, day: line.day, why: 'by_contractor' }, [line]),
  )
  const ofFamilies = families.map(({ base, lines }) => ({
    variant: 'endoscopy',
    words: { base },
    pays: new Map([...pays].filter(([line]) => lines.includes(line))),
    skips: [],
  }))
  const rest = new Map([...pays].filter(([line]) => !inFamilies.has(line)))
  return [...ofFamilies, { variant: 'surgery', pays: rest, skips: [...skips, ...ofContractor] }]
}

/** Both sides are paid at 150 percent of one, before they are ranked beside others (BILAT SURG 1). */
const bothAsOne = ([one, other]: [Coded, Coded]): Procedure => {
  const amount = one.listed?.unit ?? 0n
  return {
    count: 1,
    parts: [
      { line: one.line, amount },
      { line: other.line, amount: (other.listed?.unit ?? 0n) / 2n },
    ],
  }
}

/** The finding for lines that are paid less than what is listed. */
function findingsOf({ lines }: Claim, { variant, words = {}, pays, skips }: Reduction): Outcome {
  const less = lines.filter((line) => {
    const amount = pays.get(line.line)
    return amount !== undefined && amount < (listedAmount(line) ?? 0n)
  })
  if (less.length === 0) return { ...NOTHING, skips }
  const atIssue = new Map(
    less.map((line) => {
      const difference = (listedAmount(line) ?? 0n) - (pays.get(line.line) ?? 0n)
      const charge = chargeOf(line)
      return [line.line, charge !== undefined && charge < difference ? charge : difference]
    }),
  )
  const finding: Finding = {
    rule: 'reduced',
    variant,
    lines: numbersOf(less),
    denies: [],
    pays: new Map(less.map(({ line }) => [line, pays.get(line) ?? 0n])),
    atIssue,
    words: { ...words, lines: numbersOf(less).join(', ') },
    evidence: less.flatMap(evidenceOfPrice),
  }
  return { findings: [finding], skips }
}
