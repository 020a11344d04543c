// The check that a body is the answer to a question: its proof gives facts, and the rule of the lookup, run on these facts
// alone, comes to the same decision.

import { isText } from './canonical-json.ts'
import { type Evidence, isSame, type ProvedRelease } from './evidence.ts'
import { ensure, Failure } from './fault.ts'
import { choose } from './lookup/choose.ts'
import { type Choice, type Decision, isStep, type PriceDecision } from './lookup/decision.ts'
import { adjust, isNeutral, isOfWholeBill, isSometimesNeutral } from './lookup/modifiers.ts'
import { type ParsedQuestion, type Question, understood } from './lookup/question.ts'
import { isSideMember, sideMember } from './lookup/side.ts'
import { PLACE_CHART } from './price/charts.ts'
import { isChart, type Manifest } from './price/release.ts'
import { type AnyRow, isAmount, type PlaceRow, type PricedRow } from './price/row.ts'
import { type CodeAbsence, isInForce, registryOn, withoutCode } from './proved-registry.ts'
import { both, type Check, closed, hasOnly, isDay, listOf, type Members, words } from './shape.ts'
import type { ShownRows, StatedRow } from './shown-rows.ts'

/** The members of an answer beside its row. */
export const BESIDE_ROW = words('place side modifiers_ignored left_to_bill adjustment listed_with')
/** The members of a refusal that are the server's word. */
export const SAID = words('type title status code detail request_id agent_hint errors instance')
export const BESIDE_REFUSAL = words('rule row place side charts last_known')

/** One answer whose rows were taken. That they are facts is checked with the proof. */
export interface TakenAnswer {
  /** The members that are compared with the decision. */
  stated: Members
  /** The row of the answer; undefined for a refusal without one. */
  row: StatedRow | undefined
  place: StatedRow<PlaceRow> | undefined
  lastKnown: StatedRow | undefined
}

/** One answer that was checked. */
export interface CheckedAnswer {
  row: AnyRow | undefined
  release: Manifest | undefined
  /** Undefined if no question was asked. */
  decision: Decision | undefined
  /** Editions of the day that are proved to have no row of the code. */
  lacking: CodeAbsence[]
}

/** Takes a price: the row is taken already, and `stated` has what stands beside it. */
export function takePrice(shown: ShownRows, row: StatedRow, stated: Members): TakenAnswer {
  const { place, side, modifiers_ignored, left_to_bill, adjustment, listed_with } = stated
  ensure(hasOnly(stated, BESIDE_ROW) && (side === undefined || isSideMember(side)), 'not_recognised')
  ensure(modifiers_ignored === undefined || isIgnored(modifiers_ignored), 'not_recognised')
  ensure(left_to_bill === undefined || isLeftToBill(left_to_bill), 'not_recognised')
  const isListedWith = listed_with === undefined || ('modifier' in row.row && listed_with === row.row.modifier)
  ensure(isListedWith, 'body_contradicts_proof')
  if (adjustment !== undefined) {
    const { modifier, part, factor } = (adjustment ?? {}) as Members
    ensure(part === undefined || isAmount(part), 'body_contradicts_proof')
    const given = { part: part as string | undefined, factor }
    const follows = isText(modifier) && 'price' in row.row && adjust(row.row, modifier, given)
    ensure(follows && isSame(adjustment, follows), 'body_contradicts_proof')
  }
  return { stated, row, place: place === undefined ? undefined : shown.takePlace(place), lastKnown: undefined }
}

const isRising: Check = (list) => (list as string[]).every((each, i, all) => i === 0 || (all[i - 1] as string) < each)
const isIgnored = both(
  listOf((modifier) => isNeutral(modifier) || isSometimesNeutral(modifier), 64, 1),
  isRising,
)
const isLeftToBill = both(listOf(isOfWholeBill, 64, 1), isRising)

/** Charts without an edition for the day, and the periods that are held of each. */
const isHeldOf = listOf(closed({ chart: isChart, held: listOf(closed({ from: isDay, to: isDay }), 10_000) }), 64, 1)

/** Takes a refusal: its row, if it has one, says why there is no price. */
export function takeRefusal(shown: ShownRows, stated: Members): TakenAnswer {
  const { code, rule, row, place, side, charts, last_known } = stated
  ensure(isText(code) && hasOnly(stated, [...SAID, ...BESIDE_REFUSAL]), 'not_recognised')
  ensure(isStep(rule) && (charts === undefined || isHeldOf(charts)), 'not_recognised')
  ensure(side === undefined || isSideMember(side), 'not_recognised')
  const main = row === undefined ? undefined : shown.take(row)
  ensure(!main || fitsRefusal(code, main.row), 'body_contradicts_proof')
  return {
    stated,
    row: main,
    place: place === undefined ? undefined : shown.takePlace(place),
    lastKnown: last_known === undefined ? undefined : shown.take(last_known),
  }
}

const fitsRefusal = (code: string, row: AnyRow): boolean =>
  row.kind === 'absence' ? code === `absent_${row.reason}` : code === 'modifier_not_allowed' && 'price' in row

/** The rows are facts by now. Without a question it is only known that they were published. */
export function checkAnswer(evidence: Evidence, taken: TakenAnswer, question: Question | undefined): CheckedAnswer {
  const { row, place } = taken
  const release = row && releaseOf(evidence, row)
  const published = { row: row?.row, release: release?.release }
  if (question === undefined) return { ...published, decision: undefined, lacking: [] }
  const asked = understood(question)
  ensure(asked, 'question_malformed')
  ensure(!release || release.period, 'release_not_in_force')
  const { decision, place: placed } = decide(evidence, asked)
  const isAnswer =
    isPlacedBy(evidence, place, placed, asked.day) &&
    isSame(taken.stated['side'], sideMember(asked)) &&
    isRowOf(evidence, row, decision, asked.day) &&
    agrees(evidence, taken, decision) &&
    isLastKnown(evidence, taken.lastKnown, asked)
  ensure(isAnswer, 'answers_another_question')
  return { ...published, decision, lacking: withoutCode(evidence, asked.cpt, asked.day) }
}

const releaseOf = ({ releases }: Evidence, { pointer }: StatedRow): ProvedRelease =>
  releases[pointer.release] as ProvedRelease

const decide = (evidence: Evidence, question: ParsedQuestion): Choice =>
  choose(question, registryOn(evidence, question.day), evidence.charts)

/** The place is shown if and only if the rule looked at it. */
export const isPlacedBy = (
  evidence: Evidence,
  place: StatedRow<PlaceRow> | undefined,
  found: PlaceRow | undefined,
  day: string,
): boolean => isSame(place?.row, found) && (place === undefined || isOfEdition(evidence, place, PLACE_CHART, day))

/** Whether a row is shown of this edition: two editions may have the same row. */
export const isOfEdition = (evidence: Evidence, row: StatedRow, chart: string, day: string): boolean => {
  const { release } = releaseOf(evidence, row)
  return release.chart === chart && isInForce(evidence, release, day)
}

const isRowOf = (evidence: Evidence, row: StatedRow | undefined, decision: Decision, day: string): boolean => {
  const decided = 'row' in decision ? decision.row : undefined
  if (!isSame(row?.row, decided)) return false
  return row === undefined || ('chart' in decision && isOfEdition(evidence, row, decision.chart, day))
}

/** The code of the refusal that a decision is; undefined for a price. */
export function codeOf(decision: Decision): string | undefined {
  const { outcome } = decision
  if (outcome === 'absent') return `absent_${decision.row.reason}`
  return outcome === 'price' ? undefined : outcome === 'no_edition' ? 'no_edition_for_day' : outcome
}

/** The members that say what became of the modifiers of a question. */
export const OF_MODIFIERS = words('modifiers_ignored left_to_bill adjustment listed_with')

/** Whether the members beside a price say of the modifiers what was decided. */
export function saysOfModifiers(stated: Members, decision: PriceDecision): boolean {
  const { modifiers_ignored = [], left_to_bill = [], adjustment, listed_with } = stated
  return (
    isSame(modifiers_ignored, decision.ignored) &&
    isSame(left_to_bill, decision.left) &&
    isSame(adjustment, decision.adjustment) &&
    isSame(listed_with, decision.listedWith)
  )
}

function agrees(evidence: Evidence, { stated }: TakenAnswer, decision: Decision): boolean {
  const { code, rule, charts } = stated
  if (code !== codeOf(decision)) return false
  if (decision.outcome === 'price') return saysOfModifiers(stated, decision)
  const missing = decision.outcome === 'no_edition' ? decision.charts : undefined
  return rule === decision.rule && (missing ? tellsHeld(evidence, charts, missing) : charts === undefined)
}

/** Whether the charts without an edition are named. The periods that are held of each are those of the timeline, where it shows them all. */
function tellsHeld({ timeline }: Evidence, charts: unknown, expected: readonly string[]): boolean {
  const held = expected.map((chart) => {
    const periods = timeline.under(`${chart}|`)
    return { chart, held: periods?.map(({ from, to }) => ({ from, to })) }
  })
  ensure(
    held.every((each) => each.held !== undefined),
    'choice_not_proved',
  )
  return isSame(charts, held)
}

/** The price last known must be the answer on the last day of an edition that is over, and the last of its chart. */
function isLastKnown(evidence: Evidence, known: StatedRow | undefined, asked: ParsedQuestion): boolean {
  if (known === undefined) return true
  const { period } = releaseOf(evidence, known)
  if (!period || period.to >= asked.day) return false
  const { last, isLast } = evidence.timeline.upTo(`${period.chart}|${asked.day}`)
  if (!isLast || last?.leaf.chart !== period.chart || last.leaf.from !== period.from) return false
  const decision = decisionOn(evidence, { ...asked, day: period.to })
  return (
    decision?.outcome === 'price' &&
    isSame(decision.row, known.row) &&
    isOfEdition(evidence, known, decision.chart, period.to)
  )
}

function decisionOn(evidence: Evidence, asked: ParsedQuestion): Decision | undefined {
  try {
    return decide(evidence, asked).decision
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** The row of a price, for its amount. */
export const pricedRow = ({ row }: TakenAnswer): PricedRow | undefined =>
  row && 'price' in row.row ? (row.row as PricedRow) : undefined
