// The verifier: everything a stranger needs to check an answer of this service offline.
// Input is hostile. Nothing is taken from the response but what its hashes and the pinned keys support.

import { bareAnswer, checkAnswer, type Lacking, type Shown } from './answer.ts'
import { JsonError, parseJson } from './canonical-json.ts'
import { oneWay, placed, verifyEntry, verifyFiguresState } from './entries.ts'
import { addAbsence, addCitedRow } from './evidence.ts'
import { Facts } from './facts.ts'
import { type Failed, type Fault, fail, type Verdict } from './fault.ts'
import { checkFigures, type FiguresState, isFiguresBody } from './figures.ts'
import { type BillQuestion, checkBatch } from './list/batch.ts'
import { checkPage, type PageQuestion } from './list/page.ts'
import type { Listed } from './list/parts.ts'
import { checkSheet } from './list/sheet.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import { parsePolicy, type TrustPolicy } from './note/policy.ts'
import type { ChartTable } from './price/charts.ts'
import type { Decision } from './price/lookup.ts'
import type { Question } from './price/question.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow } from './price/row.ts'
import type { SheetQuestion } from './price/sheet.ts'
import { instant, type Members } from './shape.ts'

/** What was asked. An archive, or a monitor, may want to know only that what it has was published: `anyQuestion`. */
export type Asked =
  | { question: Question }
  | { questions: readonly BillQuestion[] }
  | { page: PageQuestion }
  | { sheet: SheetQuestion }
  | { figures: true }
  | { anyQuestion: true }

export interface VerifyOptions {
  /** The oldest view of the registry that will do, as an instant; none if left out. */
  notBefore?: string
  /** The schedules of a registry that has others than the usual ones. */
  charts?: ChartTable
}

export interface ProvedRow {
  row: AnyRow
  release: Manifest
}
/** What a body has proved, as data: nothing else of it should be used. */
export interface Proved {
  ok: true
  rows: ProvedRow[]
  /** Of each lookup, what was decided; empty if no question was asked. */
  decisions: Decision[]
  /** Of each lookup, the editions of the day that are proved to have no row of the code; empty if none was asked. */
  lacking: Lacking[]
  entries: number
  refused: number
  /** The only checkpoint of the body, opened and checked. */
  checkpoint: string
  /** When the state was recorded that all of it stands under; null for entries of the figures log. */
  recorded_at: string | null
  /** What stands of the figures, if the body is the answer about them. */
  figures?: FiguresState
}
export type BodyVerdict = Proved | Failed

/** Checks a whole response body as it came, and that it answers what was asked. */
export async function verifyBody(
  text: string,
  policy: TrustPolicy,
  asked: Asked,
  options: VerifyOptions = {},
): Promise<BodyVerdict> {
  let body: unknown
  try {
    body = parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return fail('json_malformed')
    throw error
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return fail('not_recognised')
  const members = body as Members
  const data = members['data']
  if ('figures' in asked || isFiguresBody(members)) return figuresVerdict(members, policy, asked, options)
  if (Array.isArray(data) && ('states' in members || data.some(isEntryLike)))
    return checkEntries(members, data, policy, asked)
  const facts = new Facts(policy, options.charts)
  const checked = await checkBody(facts, members, asked)
  if (!checked.ok) return checked
  const checkpoint = facts.checkpoint as string
  if (!checkpointsAre(members, checkpoint)) return fail('mixed_checkpoints')
  const recorded_at = facts.state?.recorded_at ?? null
  if (options.notBefore !== undefined && !isSince(recorded_at, options.notBefore)) return fail('state_too_old')
  const shown = checked.shown
  return {
    ok: true,
    rows: shown.flatMap(({ row, release }) => (row && release ? [{ row, release }] : [])),
    decisions: shown.flatMap(({ decision }) => decision ?? []),
    lacking: shown.flatMap(({ lacking }) => lacking),
    entries: 0,
    refused: checked.refused,
    checkpoint,
    recorded_at,
  }
}

async function checkBody(facts: Facts, body: Members, asked: Asked): Promise<Listed | Failed> {
  const isAny = 'anyQuestion' in asked
  if (Array.isArray(body['data']) && body['not_held'] !== undefined) {
    if (!isAny && !('sheet' in asked)) return fail('answers_another_question')
    return checkSheet(facts, body, isAny ? undefined : asked.sheet)
  }
  if (Array.isArray(body['data'])) {
    if (!isAny && !('page' in asked)) return fail('answers_another_question')
    return checkPage(facts, body, isAny ? undefined : asked.page)
  }
  if (Array.isArray(body['results'])) {
    if (!isAny && !('questions' in asked)) return fail('answers_another_question')
    return checkBatch(facts, body, isAny ? undefined : asked.questions)
  }
  if (!isAny && !('question' in asked)) return fail('answers_another_question')
  const one: Shown | Failed = await checkAnswer(facts, body, isAny ? undefined : asked.question)
  return one.ok ? { ok: true, shown: [one], refused: 0 } : one
}

/** A change of a figure has its place in the log as a number of its own. */
const isEntryLike = (item: unknown): boolean => typeof item === 'object' && item !== null && 'seq' in item

/** A page of changes of the figures, each an entry of the figures log, all under one checkpoint. */
async function checkEntries(
  body: Members,
  data: readonly unknown[],
  policy: TrustPolicy,
  asked: Asked,
): Promise<BodyVerdict> {
  if (!('anyQuestion' in asked)) return fail('answers_another_question')
  if (!Object.keys(body).every((member) => ['data', 'states', 'page', 'links', 'as_of'].includes(member)))
    return fail('not_recognised')
  const found = await placed({ data, states: body['states'] }, policy)
  if (!found.ok) return found
  const [log] = found.proofs.values()
  if (!log) return fail('nothing_proved')
  if (!checkpointsAre(body, log.checkpoint)) return fail('mixed_checkpoints')
  if (!oneWay(found.changes)) return fail('entries_out_of_order')
  return { ...noRows(), entries: data.length, checkpoint: log.checkpoint, recorded_at: null }
}

const noRows = () => ({ ok: true as const, rows: [], decisions: [], lacking: [], entries: 0, refused: 0 })

/** The answer about the figures. */
async function figuresVerdict(
  body: Members,
  policy: TrustPolicy,
  asked: Asked,
  { notBefore }: VerifyOptions,
): Promise<BodyVerdict> {
  if (!('figures' in asked) && !('anyQuestion' in asked)) return fail('answers_another_question')
  const found = await checkFigures(body, policy)
  if (!found.ok) return found
  const { state, checkpoint } = found
  if (notBefore !== undefined && !isSince(state.recorded_at, notBefore)) return fail('state_too_old')
  return { ...noRows(), checkpoint, recorded_at: state.recorded_at, figures: state }
}

/** False also for what is no instant. */
const isSince = (recorded_at: string | null, notBefore: string): boolean =>
  recorded_at !== null && instant(notBefore) && Date.parse(recorded_at) >= Date.parse(notBefore)

/** A checkpoint that was not opened must not stand anywhere: someone may take it for the one that was. */
function checkpointsAre(value: unknown, checkpoint: string): boolean {
  if (Array.isArray(value)) return value.every((item) => checkpointsAre(item, checkpoint))
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) =>
    name === 'checkpoint' ? member === checkpoint : checkpointsAre(member, checkpoint),
  )
}

/** Checks one row with its whole proof, for whatever question it may answer. */
export async function verifyRow(row: unknown, policy: TrustPolicy): Promise<Verdict> {
  const added = await addCitedRow(new Facts(policy), bareAnswer(row))
  return added.ok ? { ok: true } : added
}

/** Checks that no row of a release has a key with the prefix of the proof. */
export const verifyAbsence = (proof: unknown, policy: TrustPolicy): Promise<Verdict> =>
  addAbsence(new Facts(policy), proof)

export {
  type Fault,
  openCheckpoint,
  type PageQuestion,
  parsePolicy,
  type Question,
  type SheetQuestion,
  type TrustPolicy,
  type Verdict,
  verifyEntry,
  verifyFiguresState,
}
