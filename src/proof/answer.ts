// Whether a body is the answer to a question: its proofs are facts, and the rule of the lookup, run on these facts
// alone, comes to the same decision.

import { canonical } from './canonical-json.ts'
import { addAbsence, addBecause, addCitedRow, OK } from './evidence.ts'
import { type Facts, NotProved } from './facts.ts'
import { type FailedCheck, fail, type Verdict } from './fault.ts'
import type { Need, Reply } from './lookup/asking.ts'
import { type Decision, lookUp } from './lookup/lookup.ts'
import { adjust, isNeutral } from './lookup/modifiers.ts'
import { type ParsedQuestion, type Question, understood } from './lookup/question.ts'
import { PLACE_CHART } from './price/charts.ts'
import type { CitedRow } from './price/proofs.ts'
import type { Manifest } from './price/release.ts'
import { type AnyRow, type PlaceRow, type Row, rowText } from './price/row.ts'
import { both, closed, hasOnly, listOf, type Members, matches, orNull, TOKEN } from './shape.ts'

/** What stands beside the row of a good answer. */
const BESIDE_ROW = ['because', 'place', 'modifiers_ignored', 'adjustment', 'related']
/** The members of a refusal. Its sentences are the server's word and no part of what is proved. */
export const PROBLEM: readonly string[] = [
  'type',
  'title',
  'status',
  'code',
  'detail',
  'request_id',
  'agent_hint',
  'errors',
  'instance',
]
const BESIDE_PROBLEM = ['row', 'absence', 'because', 'place', 'charts', 'available', 'choices', 'last_known']

const word = orNull(matches(/^[A-Za-z0-9_-]{1,40}$/))
const isRelated = listOf(closed({ basis: word, setting: word, class: word, modifier: word, href: matches(TOKEN) }), 8)

/** What was shown of one answer. */
export interface ShownAnswer {
  ok: true
  /** The row of the answer; undefined where it is a refusal without one. */
  row: AnyRow | undefined
  release: Manifest | undefined
  /** The row that says where a ZIP code lies, if it is shown. */
  place?: { row: PlaceRow; release: Manifest } | undefined
  /** True where the release of the row is in force on no day. */
  lapsed: boolean
  decision: Decision | undefined
  /** Editions of the day that are proved to have no row of the code that was asked about. */
  lacking: CodeAbsence[]
}

export interface CodeAbsence {
  cpt: string
  release: Manifest
}

/** Checks every proof in the body of a lookup; with a question, also that it is the answer to it. */
export async function checkAnswer(
  facts: Facts,
  body: Members,
  question: Question | undefined,
): Promise<ShownAnswer | FailedCheck> {
  const shown = await collect(facts, body)
  return shown.ok && question !== undefined ? checkQuestion(facts, body, shown, question) : shown
}

/** Whether what was shown answers the question. Its proofs are facts by now; `body` says what is told beside the row. */
export function checkQuestion(
  facts: Facts,
  body: Members,
  shown: ShownAnswer,
  question: Question,
): ShownAnswer | FailedCheck {
  const asked = understood(question)
  if (asked === undefined) return fail('question_malformed')
  if (shown.lapsed) return fail('release_not_in_force')
  const decided = decide(facts, asked)
  if ('reason' in decided) return decided
  const isAnswer =
    isPlacedBy(facts, shown, decided.place, asked.day) &&
    isOfEdition(facts, shown, decided, asked.day) &&
    agrees(body, shown, decided) &&
    isLastKnown(facts, body['last_known'], asked)
  if (!isAnswer) return fail('answers_another_question')
  const lacking = facts.withoutCode(asked.cpt, asked.day).map((release) => ({ cpt: asked.cpt, release }))
  return { ...shown, decision: decided.decision, lacking }
}

/** A place that is shown is the one that the rule found, of the edition of the day. */
export const isPlacedBy = (
  facts: Facts,
  { place }: Pick<ShownAnswer, 'place'>,
  found: PlaceRow | undefined,
  day: string,
): boolean =>
  place === undefined ||
  (found !== undefined && rowText(place.row) === rowText(found) && isEdition(facts, place.release, PLACE_CHART, day))

/** The same row may stand in two editions: the one that is shown must be of the edition that the rule chose. */
function isOfEdition(facts: Facts, { release }: ShownAnswer, { decision }: Ruling, day: string): boolean {
  if (release === undefined || !('chart' in decision)) return release === undefined
  return isEdition(facts, release, decision.chart, day)
}

export const isEdition = (facts: Facts, release: Manifest, chart: string, day: string): boolean =>
  release.chart === chart && facts.isInForce(release, day)

/** What was last known is the price that the same question had on the last day of an edition that is over. */
function isLastKnown(facts: Facts, known: unknown, asked: ParsedQuestion): boolean {
  if (known === undefined) return true
  const { proof, ...row } = known as CitedRow<Row>
  const period = proof.in_force?.period
  const last = period?.to ?? ''
  const isOver = period !== undefined && last < asked.day && facts.isLastBy(period, asked.day)
  const then = isOver ? decide(facts, { ...asked, day: last }) : fail('release_not_in_force')
  if (!('decision' in then) || then.decision.outcome !== 'price') return false
  const { chart, row: decided } = then.decision
  return rowText(decided) === rowText(row as Row) && isEdition(facts, proof.release, chart, last)
}

async function collect(facts: Facts, body: Members): Promise<ShownAnswer | FailedCheck> {
  const isRefusal = typeof body['code'] === 'string'
  const cited = isRefusal ? body['row'] : bareAnswer(body)
  if (isRefusal && !hasOnly(body, [...PROBLEM, ...BESIDE_PROBLEM])) return fail('not_recognised')
  if (body['related'] !== undefined && !isRelated(body['related'])) return fail('not_recognised')
  const main = cited === undefined ? undefined : await addCitedRow(facts, cited)
  if (main && !main.ok) return main
  if (isRefusal && main && !isSaidOf(body['code'] as string, main.row)) return fail('body_contradicts_proof')
  const beside = isRefusal || !main ? OK : checkBeside(body, main.row)
  if (!beside.ok) return beside
  const place = body['place'] === undefined ? undefined : await addPlace(facts, body['place'])
  if (place && !place.ok) return place
  for (const step of [
    () => addAbsences(facts, body['absence']),
    () => (body['because'] === undefined ? OK : addBecause(facts, body['because'], main?.proof.release)),
    () => addLastKnown(facts, body['last_known']),
  ]) {
    const added = await step()
    if (!added.ok) return added
  }
  if (facts.checkpoint === undefined) return fail('proof_missing')
  return {
    ok: true,
    row: main?.row,
    release: main?.proof.release,
    place,
    lapsed: main?.proof.in_force === null,
    decision: undefined,
    lacking: [],
  }
}

const isIgnored = both(
  listOf((each) => typeof each === 'string' && isNeutral(each)),
  (list) => (list as string[]).every((each, i, all) => i === 0 || (all[i - 1] as string) < each),
)

/** What is told beside a row about modifiers: those that change nothing, and what one of them makes of the row. Null is nothing. */
export function checkBeside({ modifiers_ignored, adjustment }: Members, row: AnyRow): Verdict {
  if (!isIgnored(modifiers_ignored ?? [])) return fail('not_recognised')
  if (adjustment === undefined || adjustment === null) return OK
  const { modifier } = adjustment as Members
  const follows = typeof modifier === 'string' && 'price' in row ? adjust(row, modifier) : undefined
  return follows && canonical(adjustment) === canonical(follows) ? OK : fail('body_contradicts_proof')
}

/** Whether a refusal may stand beside such a row. */
export const isSaidOf = (code: string, row: AnyRow): boolean =>
  row.kind === 'absence' ? code === `absent_${row.reason}` : code === 'modifier_not_allowed' && 'price' in row

/** The row of a good answer and its proof, without what stands beside them. */
export const bareAnswer = (body: unknown): Members =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !BESIDE_ROW.includes(name)))

async function addPlace(
  facts: Facts,
  place: unknown,
): Promise<{ ok: true; row: PlaceRow; release: Manifest } | FailedCheck> {
  const added = await addCitedRow(facts, place)
  if (!added.ok) return added
  const { row, proof } = added
  return row.kind === 'place' ? { ok: true, row, release: proof.release } : fail('row_malformed')
}

async function addAbsences(facts: Facts, absences: unknown): Promise<Verdict> {
  if (absences === undefined) return OK
  if (!Array.isArray(absences) || absences.length === 0) return fail('proof_missing')
  for (const absence of absences) {
    const added = await addAbsence(facts, absence)
    if (!added.ok) return added
  }
  return OK
}

/** The row of an edition that has run out. It is proved as what it was, and is no part of the decision. */
const addLastKnown = async (facts: Facts, known: unknown): Promise<Verdict> =>
  known === undefined ? OK : addCitedRow(facts, known)

interface Ruling {
  decision: Decision
  place: PlaceRow | undefined
}

const decide = (facts: Facts, question: ParsedQuestion): Ruling | FailedCheck =>
  runRule(facts, lookUp(question, facts.charts), question.day)

/** Runs a rule on what is proved. */
export function runRule<T extends object>(facts: Facts, rule: Generator<Need, T, Reply>, day: string): T | FailedCheck {
  try {
    let step = rule.next()
    while (!step.done) step = rule.next(facts.reply(step.value, day))
    return step.value
  } catch (error) {
    if (error instanceof NotProved) return fail('choice_not_proved')
    throw error
  }
}

const CODES: { readonly [outcome in Decision['outcome']]?: string } = {
  modifier_not_allowed: 'modifier_not_allowed',
  modifier_not_priced: 'modifier_not_priced',
  no_edition: 'no_edition_for_day',
  region_ambiguous: 'region_ambiguous',
  region_not_covered: 'region_not_covered',
  unknown_zip: 'unknown_zip',
  unknown_provider: 'unknown_provider',
  not_on_schedule: 'not_on_schedule',
}

/** Whether the body says what was decided, all of it and no more. */
function agrees(body: Members, { row }: ShownAnswer, { decision }: Ruling): boolean {
  const sameRow = (decided: AnyRow): boolean => row !== undefined && rowText(row) === rowText(decided)
  if (decision.outcome === 'price') {
    const ignored = body['modifiers_ignored'] ?? []
    return (
      body['code'] === undefined &&
      sameRow(decision.row) &&
      canonical(ignored) === canonical(decision.ignored) &&
      canonical(body['adjustment'] ?? null) === canonical(decision.adjustment ?? null)
    )
  }
  if (decision.outcome === 'absent') return body['code'] === `absent_${decision.row.reason}` && sameRow(decision.row)
  if (decision.outcome === 'modifier_not_allowed')
    return body['code'] === CODES.modifier_not_allowed && sameRow(decision.row)
  if (body['code'] !== CODES[decision.outcome] || row !== undefined) return false
  return decision.outcome !== 'no_edition' || namesOnly(body['charts'], decision.charts)
}

/** The charts that are not held are named, all of them and no other. */
function namesOnly(charts: unknown, expected: readonly string[]): boolean {
  if (!Array.isArray(charts)) return false
  return (
    canonical(charts.map((each) => (each as { chart?: unknown } | null)?.chart ?? null)) === canonical([...expected])
  )
}
