// The verifier: everything a stranger needs to check an answer of this service offline.
// Input is hostile. Nothing is taken from the response but what its hashes and the pinned keys support.

import { bareAnswer, type CodeAbsence, checkAnswer, type ShownAnswer } from './answer.ts'
import { JsonError, parseJson } from './canonical-json.ts'
import { type CoverageQuestion, checkCoverage } from './catalogue/coverage.ts'
import { checkHistory, checkUnknownProvider, type HistoryQuestion } from './catalogue/history.ts'
import { isNextPage, type ProvedEdition, type ProvedPage } from './catalogue/page.ts'
import { checkReleases, type ReleasesQuestion } from './catalogue/releases.ts'
import { oneWay, placesOf, verifyEntry, verifyFiguresState } from './entries.ts'
import { addAbsence, addCitedRow } from './evidence.ts'
import { Facts } from './facts.ts'
import { type FailedCheck, type Fault, fail, type Verdict } from './fault.ts'
import { checkFigures, type FiguresState, isFiguresBody } from './figures.ts'
import { type BillQuestion, checkBatch } from './list/batch.ts'
import { checkPage, type PageQuestion } from './list/page.ts'
import type { CheckedList } from './list/parts.ts'
import { checkSheet } from './list/sheet.ts'
import type { Decision } from './lookup/lookup.ts'
import type { Question } from './lookup/question.ts'
import type { SheetQuestion } from './lookup/sheet.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import { medianSeconds } from './note/cosignature.ts'
import { parsePolicy, type TrustPolicy } from './note/policy.ts'
import type { ChartTable } from './price/charts.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow } from './price/row.ts'
import { instant, type Members } from './shape.ts'

/** What was asked. An archive, or a monitor, may want to know only that what it has was published: `anyQuestion`. */
export type Inquiry =
  | { question: Question }
  | { questions: readonly BillQuestion[] }
  | { page: PageQuestion }
  | { sheet: SheetQuestion }
  | { figures: true }
  | { releases: ReleasesQuestion }
  | { coverage: CoverageQuestion }
  | { history: HistoryQuestion }
  | { anyQuestion: true }

export interface VerifyOptions {
  /** The oldest view that will do, as an instant; none if left out. See `viewedAt`. */
  notBefore?: string
  /** The caller's own time, with room for clocks that differ: a view that is dated later tells nothing about its age. */
  notAfter?: string
  /** The schedules of a registry that has others than the usual ones. */
  charts?: ChartTable
}

export interface ProvedRow {
  row: AnyRow
  release: Manifest
}
/** What a body has proved, as data: nothing else of it should be used. */
export interface VerifiedAnswer {
  ok: true
  rows: ProvedRow[]
  /** Of each lookup, what was decided; empty if no question was asked. */
  decisions: Decision[]
  /** Of each lookup, the editions of the day that are proved to have no row of the code; empty if none was asked. */
  lacking: CodeAbsence[]
  /** Of a list of releases or editions: each that it lists, and when it is in force. */
  editions: ProvedEdition[]
  /** Of such a list: where the page stands in it. See `isNextPage`. */
  page?: ProvedPage
  /** How many changes of figures, or listed releases, were proved. */
  entries: number
  refused: number
  /** The only checkpoint of the body, opened and checked. */
  checkpoint: string
  /** When the state was recorded that all of it stands under; null for entries of the figures log. */
  recorded_at: string | null
  /** What stands of the figures, if the body is the answer about them. */
  figures?: FiguresState
}
export type BodyVerdict = VerifiedAnswer | FailedCheck

/** Checks a whole response body as it came, and that it answers what was asked. */
export async function verifyBody(
  text: string,
  policy: TrustPolicy,
  asked: Inquiry,
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
    return checkEntries(members, data, policy, asked, options)
  const facts = new Facts(policy, options.charts)
  const checked = await checkBody(facts, members, asked)
  if (!checked.ok) return checked
  const checkpoint = facts.checkpoint as string
  if (!checkpointsAre(members, checkpoint)) return fail('mixed_checkpoints')
  const recorded_at = facts.state?.recorded_at ?? null
  if (!(await isFresh(checkpoint, policy, recorded_at, options))) return fail('state_too_old')
  const shown = checked.shown
  return {
    ok: true,
    rows: shown.flatMap(({ row, release }) => (row && release ? [{ row, release }] : [])),
    decisions: shown.flatMap(({ decision }) => decision ?? []),
    lacking: shown.flatMap(({ lacking }) => lacking),
    editions: checked.editions,
    ...(checked.page ? { page: checked.page } : {}),
    entries: checked.editions.length,
    refused: checked.refused,
    checkpoint,
    recorded_at,
  }
}

type CheckedBody = CheckedList & { editions: ProvedEdition[]; page?: ProvedPage }
type Kind = 'question' | 'questions' | 'page' | 'sheet' | 'releases' | 'coverage' | 'history'

/** What kind of question a body answers, by its shape alone. */
function kindOf(body: Members): Kind {
  if (!Array.isArray(body['data'])) return Array.isArray(body['results']) ? 'questions' : 'question'
  if (body['timeline'] !== undefined) return 'history'
  if (body['proof'] !== undefined) return body['as_of'] === undefined ? 'releases' : 'coverage'
  return body['not_held'] === undefined ? 'page' : 'sheet'
}

async function checkBody(facts: Facts, body: Members, asked: Inquiry): Promise<CheckedBody | FailedCheck> {
  const kind = kindOf(body)
  const isList = 'releases' in asked || 'coverage' in asked || 'history' in asked
  if (kind === 'page' && isList) return fail('proof_missing')
  if ('history' in asked && body['code'] === 'unknown_provider' && kind === 'question') {
    const one = await checkUnknownProvider(facts, body, asked.history)
    return one.ok ? { ok: true, shown: [one], refused: 0, editions: [] } : one
  }
  if (!('anyQuestion' in asked) && !(kind in asked)) return fail('answers_another_question')
  if (kind === 'history') return checkHistory(facts, body, 'history' in asked ? asked.history : undefined)
  if (kind === 'releases' || kind === 'coverage') {
    const list =
      kind === 'releases'
        ? await checkReleases(facts, body, 'releases' in asked ? asked.releases : undefined)
        : await checkCoverage(facts, body, 'coverage' in asked ? asked.coverage : undefined)
    return list.ok ? { ...list, shown: [], refused: 0 } : list
  }
  const listed = await checkRows(facts, body, asked, kind)
  return listed.ok ? { ...listed, editions: [] } : listed
}

async function checkRows(
  facts: Facts,
  body: Members,
  asked: Inquiry,
  kind: 'question' | 'questions' | 'page' | 'sheet',
): Promise<CheckedList | FailedCheck> {
  if (kind === 'sheet') return checkSheet(facts, body, 'sheet' in asked ? asked.sheet : undefined)
  if (kind === 'page') return checkPage(facts, body, 'page' in asked ? asked.page : undefined)
  if (kind === 'questions') return checkBatch(facts, body, 'questions' in asked ? asked.questions : undefined)
  const one: ShownAnswer | FailedCheck = await checkAnswer(
    facts,
    body,
    'question' in asked ? asked.question : undefined,
  )
  return one.ok ? { ok: true, shown: [one], refused: 0 } : one
}

/** A change of a figure has its place in the log as a number of its own. */
const isEntryLike = (item: unknown): boolean => typeof item === 'object' && item !== null && 'seq' in item

/** A page of changes of the figures, each an entry of the figures log, all under one checkpoint. */
async function checkEntries(
  body: Members,
  data: readonly unknown[],
  policy: TrustPolicy,
  asked: Inquiry,
  options: VerifyOptions,
): Promise<BodyVerdict> {
  if (!('anyQuestion' in asked)) return fail('answers_another_question')
  if (!Object.keys(body).every((member) => ['data', 'states', 'page', 'links', 'as_of'].includes(member)))
    return fail('not_recognised')
  const found = await placesOf({ data, states: body['states'] }, policy)
  if (!found.ok) return found
  const [log] = found.proofs.values()
  if (!log) return fail('nothing_proved')
  if (!checkpointsAre(body, log.checkpoint)) return fail('mixed_checkpoints')
  if (!oneWay(found.changes)) return fail('entries_out_of_order')
  if (!(await isFresh(log.checkpoint, policy, null, options))) return fail('state_too_old')
  return { ...noRows(), entries: data.length, checkpoint: log.checkpoint, recorded_at: null }
}

const noRows = () => ({ ok: true as const, rows: [], decisions: [], lacking: [], editions: [], entries: 0, refused: 0 })

/** The answer about the figures. */
async function figuresVerdict(
  body: Members,
  policy: TrustPolicy,
  asked: Inquiry,
  options: VerifyOptions,
): Promise<BodyVerdict> {
  if (!('figures' in asked) && !('anyQuestion' in asked)) return fail('answers_another_question')
  const found = await checkFigures(body, policy)
  if (!found.ok) return found
  const { state, checkpoint } = found
  if (!(await isFresh(checkpoint, policy, state.recorded_at, options))) return fail('state_too_old')
  return { ...noRows(), checkpoint, recorded_at: state.recorded_at, figures: state }
}

/** Whether a view is as new as was asked for, and not dated after now. False also if that is no instant. */
export async function isFresh(
  checkpoint: string,
  policy: TrustPolicy,
  recorded_at: string | null,
  { notBefore, notAfter }: VerifyOptions,
): Promise<boolean> {
  const limits = [notBefore, notAfter].filter((limit) => limit !== undefined)
  if (limits.length === 0) return true
  if (!limits.every(instant)) return false
  const viewed = Date.parse((await viewedAt(checkpoint, policy, recorded_at)) ?? '')
  const isNew = notBefore === undefined || viewed >= Date.parse(notBefore)
  return isNew && (notAfter === undefined || viewed <= Date.parse(notAfter))
}

/**
 * When this was the newest checkpoint of its log: by the median of the times at which pinned witnesses cosigned it, or, if
 * none did, by the log's own word. Null if nobody says so, and for what only retired keys signed.
 */
export async function viewedAt(
  checkpoint: string,
  policy: TrustPolicy,
  recorded_at: string | null,
): Promise<string | null> {
  const opened = await openCheckpoint(checkpoint, policy)
  if (!opened.ok || opened.retired) return null
  const seconds = medianSeconds(opened.cosigners)
  return seconds === undefined ? recorded_at : instantOf(seconds)
}

/** The year 9999 stands for any later time: no clock shows either. */
const instantOf = (seconds: number): string => new Date(Math.min(seconds, 253_402_300_799) * 1000).toISOString()

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
  type CoverageQuestion,
  type Fault,
  type HistoryQuestion,
  isNextPage,
  openCheckpoint,
  type PageQuestion,
  type ProvedEdition,
  type ProvedPage,
  parsePolicy,
  type Question,
  type ReleasesQuestion,
  type SheetQuestion,
  type TrustPolicy,
  type Verdict,
  verifyEntry,
  verifyFiguresState,
}
