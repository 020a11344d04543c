// The check that a body is the answer to a question: its proofs are facts, and the rule of the lookup, run on these facts
// alone, comes to the same decision.

import { canonical, isText } from './canonical-json.ts'
import { addAbsence, addBecause, addCitedRow } from './evidence.ts'
import type { CodeAbsence, Facts } from './facts.ts'
import { ensure, Failure } from './fault.ts'
import { type Decision, lookUp } from './lookup/lookup.ts'
import { adjust, isNeutral } from './lookup/modifiers.ts'
import { type ParsedQuestion, type Question, understood } from './lookup/question.ts'
import { PLACE_CHART } from './price/charts.ts'
import { isLostSources } from './price/lost-source.ts'
import type { CitedRow } from './price/proofs.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow, PlaceRow, Row } from './price/row.ts'
import { both, closed, hasOnly, listOf, type Members, matches, orNull, token, words } from './shape.ts'

const BESIDE_ROW = words('because place modifiers_ignored adjustment related sources_lost')
/** The members of a refusal. Its sentences are the server's word: they are not proved. */
export const PROBLEM = words('type title status code detail request_id agent_hint errors instance')
const BESIDE_PROBLEM = words('row absence because place charts available choices last_known')

const word = orNull(matches(/^[\w-]{1,40}$/))
const isRelated = listOf(closed({ basis: word, setting: word, class: word, modifier: word, href: token }), 8)

/** One answer as it was shown. */
export interface ShownAnswer {
  /** The row of the answer; undefined for a refusal without a row. */
  row: AnyRow | undefined
  release: Manifest | undefined
  /** The row of the ZIP code, if it is shown. */
  place: { row: PlaceRow; release: Manifest } | undefined
  /** True if the release of the row is in force on no day. */
  lapsed: boolean
  /** Undefined if no question was asked. */
  decision: Decision | undefined
  /** Editions of the day that are proved to have no row of the code. */
  lacking: CodeAbsence[]
}

export async function checkAnswer(facts: Facts, body: Members, question: Question | undefined): Promise<ShownAnswer> {
  const shown = await collect(facts, body)
  return question === undefined ? shown : checkQuestion(facts, body, shown, question)
}

/** The proofs are facts by now. `body` has the members beside the row. */
export function checkQuestion(facts: Facts, body: Members, shown: ShownAnswer, question: Question): ShownAnswer {
  const asked = understood(question)
  ensure(asked, 'question_malformed')
  ensure(!shown.lapsed, 'release_not_in_force')
  const { cpt, day } = asked
  const { decision, place } = decide(facts, asked)
  ensure(
    isPlacedBy(facts, shown, place, day) &&
      isOfEdition(facts, shown, decision, day) &&
      agrees(body, shown, decision) &&
      isLastKnown(facts, body['last_known'], asked),
    'answers_another_question',
  )
  return { ...shown, decision, lacking: facts.withoutCode(cpt, day) }
}

const isSame = (a: unknown, b: unknown): boolean => a === b || canonical(a ?? null) === canonical(b ?? null)

export const isPlacedBy = (
  facts: Facts,
  { place }: Pick<ShownAnswer, 'place'>,
  found: PlaceRow | undefined,
  day: string,
): boolean => place === undefined || (isSame(place.row, found) && isEdition(facts, place.release, PLACE_CHART, day))

/** Two editions may have the same row. */
const isOfEdition = (facts: Facts, { release }: ShownAnswer, decision: Decision, day: string): boolean =>
  release === undefined || ('chart' in decision && isEdition(facts, release, decision.chart, day))

export const isEdition = (facts: Facts, release: Manifest, chart: string, day: string): boolean =>
  release.chart === chart && facts.isInForce(release, day)

/** The price last known must be the answer on the last day of an edition that is over. */
function isLastKnown(facts: Facts, known: unknown, asked: ParsedQuestion): boolean {
  if (known === undefined) return true
  const { proof, ...row } = known as CitedRow<Row>
  const period = proof.in_force?.period
  if (!period || period.to >= asked.day || !facts.isLastBy(period, asked.day)) return false
  const decision = decisionOn(facts, { ...asked, day: period.to })
  return (
    decision?.outcome === 'price' &&
    isSame(decision.row, row) &&
    isEdition(facts, proof.release, decision.chart, period.to)
  )
}

function decisionOn(facts: Facts, asked: ParsedQuestion): Decision | undefined {
  try {
    return decide(facts, asked).decision
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

async function collect(facts: Facts, body: Members): Promise<ShownAnswer> {
  const { code, related = [], sources_lost = [], place, absence, because, last_known } = body
  const isRefusal = isText(code)
  const isKnown = !isRefusal || hasOnly(body, [...PROBLEM, ...BESIDE_PROBLEM])
  ensure(isKnown && isRelated(related) && isLostSources(sources_lost), 'not_recognised')
  const shown = async (cited: unknown) => (cited === undefined ? undefined : addCitedRow(facts, cited))
  const main = await shown(isRefusal ? body['row'] : bareAnswer(body))
  if (main && isRefusal) ensure(fitsRefusal(code, main.row), 'body_contradicts_proof')
  else if (main) checkBeside(body, main.row)
  const placed = await shown(place)
  ensure((placed?.row.kind ?? 'place') === 'place', 'row_malformed')
  if (absence !== undefined) {
    ensure(Array.isArray(absence) && absence.length > 0, 'proof_missing')
    for (const each of absence) await addAbsence(facts, each)
  }
  if (because !== undefined) await addBecause(facts, because, main?.proof.release)
  // The row of an edition that is over: it is proved, and is no part of the decision.
  await shown(last_known)
  ensure(facts.checkpoint, 'proof_missing')
  return {
    row: main?.row,
    release: main?.proof.release,
    place: placed && { row: placed.row as PlaceRow, release: placed.proof.release },
    lapsed: main?.proof.in_force === null,
    decision: undefined,
    lacking: [],
  }
}

const isIgnored = both(listOf(isNeutral), (list) =>
  (list as string[]).every((each, i, all) => i === 0 || (all[i - 1] as string) < each),
)

/** Null is the same as left out. */
export function checkBeside({ modifiers_ignored, adjustment }: Members, row: AnyRow): void {
  ensure(isIgnored(modifiers_ignored ?? []), 'not_recognised')
  if (adjustment === undefined || adjustment === null) return
  const { modifier } = adjustment as Members
  const follows = isText(modifier) && 'price' in row && adjust(row, modifier)
  ensure(follows && isSame(adjustment, follows), 'body_contradicts_proof')
}

export const fitsRefusal = (code: string, row: AnyRow): boolean =>
  row.kind === 'absence' ? code === `absent_${row.reason}` : code === 'modifier_not_allowed' && 'price' in row

export const bareAnswer = (body: unknown): Members =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !BESIDE_ROW.includes(name)))

interface Ruling {
  decision: Decision
  place: PlaceRow | undefined
}

const decide = (facts: Facts, question: ParsedQuestion): Ruling =>
  lookUp(facts.on(question.day), question, facts.charts)

function codeOf(decision: Decision): string | undefined {
  const { outcome } = decision
  if (outcome === 'absent') return `absent_${decision.row.reason}`
  return outcome === 'price' ? undefined : outcome === 'no_edition' ? 'no_edition_for_day' : outcome
}

function agrees(body: Members, { row }: ShownAnswer, decision: Decision): boolean {
  const decided = 'row' in decision ? decision.row : undefined
  if (!isSame(row, decided) || body['code'] !== codeOf(decision)) return false
  if (decision.outcome === 'price')
    return isSame(body['modifiers_ignored'] ?? [], decision.ignored) && isSame(body['adjustment'], decision.adjustment)
  return decision.outcome !== 'no_edition' || namesOnly(body['charts'], decision.charts)
}

const namesOnly = (charts: unknown, expected: readonly string[]): boolean =>
  Array.isArray(charts) &&
  isSame(
    charts.map((each) => each?.chart ?? null),
    expected,
  )
