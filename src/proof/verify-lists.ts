// The verifier of everything that is served with a proof: lookups, and all lists. It is the verifier of lookups with more
// kinds of bodies, and gives the same verdicts on theirs.

import {
  checkAge,
  factsOf,
  readBody,
  type VerifiedAnswer as VerifiedLookup,
  type VerifyOptions,
  type View,
  viewOf,
} from './body.ts'
import { type CoverageQuestion, checkCoverage } from './catalogue/coverage.ts'
import { checkHistory, type HistoryQuestion, onAnyDay } from './catalogue/history.ts'
import { checkReleases, type ReleasesQuestion } from './catalogue/releases.ts'
import type { StatedBill } from './check/bill.ts'
import { checkBillAnswer } from './check/checked-bill.ts'
import { oneWay, placesOf } from './entries.ts'
import { hasCheckpointsOf } from './evidence.ts'
import { ensure, type FailedCheck, verdictOf } from './fault.ts'
import { checkFigures, type FiguresState, isDataClass } from './figures.ts'
import { type BillQuestion, checkBatch } from './list/batch.ts'
import type { CheckedList, FactsOfBody, ProvedEdition, ProvedPage } from './list/checked-list.ts'
import { checkCompare } from './list/compare.ts'
import { checkPage, type PageQuestion } from './list/page.ts'
import { checkSheet } from './list/sheet.ts'
import type { CompareQuestion } from './lookup/compare.ts'
import type { SheetQuestion } from './lookup/sheet.ts'
import type { TrustPolicy } from './note/policy.ts'
import { hasOnly, isObject, type Members } from './shape.ts'
import { type Inquiry as LookupInquiry, provedBy, verifyLookup } from './verify.ts'
import { type Kind, kindOf } from './whole/kind.ts'

/** The question. */
export type Inquiry =
  | LookupInquiry
  | { questions: readonly BillQuestion[] }
  | { bill: StatedBill }
  | { page: PageQuestion }
  | { sheet: SheetQuestion }
  | { compare: CompareQuestion }
  | { figures: true }
  | { releases: ReleasesQuestion }
  | { coverage: CoverageQuestion }
  | { history: HistoryQuestion }

/** The proved content of a body, as data. Nothing else of the body should be used. */
export interface VerifiedAnswer extends VerifiedLookup {
  /** Each release or edition of a list of them, and when it is in force. */
  editions: ProvedEdition[]
  /** The place of the page in such a list. See `isNextPage`. */
  page?: ProvedPage
  /** The number of changes of figures, or of listed releases, that were proved. */
  entries: number
  refused: number
  /** The current figures, if the body is the answer about them. */
  figures?: FiguresState
}
export type BodyVerdict = VerifiedAnswer | FailedCheck

/** Checks a whole response body as it came, and that it answers what was asked. */
export const verifyBody = (
  text: string,
  policy: TrustPolicy,
  asked: Inquiry,
  options: VerifyOptions = {},
): Promise<BodyVerdict> =>
  verdictOf(async () => {
    const body = readBody(text)
    const kind = 'figures' in asked ? 'figures' : kindOf(body)
    if (kind === 'figures' || kind === 'entries') {
      ensure(kind in asked || 'anyQuestion' in asked, 'answers_another_question')
      return kind === 'figures' ? figuresOf(body, policy, options) : entriesOf(body, policy, options)
    }
    if (kind === 'question' && 'history' in asked && body['code'] === 'unknown_provider')
      return asList(await verifyLookup(body, policy, onAnyDay(asked.history), options))
    const question = (asked as Partial<Record<Kind, never>>)[kind]
    // A question that is undefined by mistake must not pass for `anyQuestion`.
    ensure(question !== undefined || 'anyQuestion' in asked, 'answers_another_question')
    if (kind === 'question') return asList(await verifyLookup(body, policy, question, options))
    const { about: _, ...told } = body
    const checked = await CHECKS[kind](told, sentParts(question) as never, (shown) =>
      factsOf(body, shown, policy, options),
    )
    const { evidence, answers, refused = 0, editions = [], page } = checked
    const proved = { ...provedBy(answers), ...viewOf(evidence) }
    return { ok: true, ...proved, editions, ...(page && { page }), entries: editions.length, refused }
  })

/** What was asked of a list, without the parts that are empty: they count as left out. */
function sentParts(question: unknown): unknown {
  if (question === undefined || Array.isArray(question)) return question
  ensure(isObject(question), 'question_malformed')
  return Object.fromEntries(Object.entries(question).filter(([, part]) => part !== ''))
}

const CHECKS: {
  [kind in Exclude<Kind, 'question'>]: (body: Members, asked: never, factsOf: FactsOfBody) => Promise<CheckedList>
} = {
  questions: checkBatch,
  bill: checkBillAnswer,
  page: checkPage,
  sheet: checkSheet,
  compare: checkCompare,
  releases: checkReleases,
  coverage: checkCoverage,
  history: checkHistory,
}

const asList = (answer: VerifiedLookup): VerifiedAnswer => ({ ...answer, editions: [], entries: 0, refused: 0 })

/** Checks a page of changes of the figures: each is an entry of the figures log, all under one checkpoint. */
async function entriesOf(body: Members, policy: TrustPolicy, options: VerifyOptions): Promise<VerifiedAnswer> {
  const isPage = hasOnly(body, ['data', 'states', 'data_class', 'page', 'links', 'as_of'])
  ensure(isPage && isDataClass(body['data_class'] ?? null), 'not_recognised')
  const { proofs, changes } = await placesOf(body as Members & { data: unknown[] }, policy)
  const [log] = proofs.values()
  ensure(log, 'nothing_proved')
  const { checkpoint } = log
  const logs = [...proofs.values()]
  const isOne = logs.every((each) => each.checkpoint === checkpoint) && hasCheckpointsOf(body, logs)
  ensure(isOne, 'mixed_checkpoints')
  ensure(oneWay(changes), 'entries_out_of_order')
  const view = { checkpoint, recorded_at: null }
  await checkAge(view, policy, options)
  return { ...asList({ ok: true, rows: [], decisions: [], lacking: [], ...view }), entries: changes.length }
}

/** Checks the answer about the figures. */
async function figuresOf(body: Members, policy: TrustPolicy, options: VerifyOptions): Promise<VerifiedAnswer> {
  const { state, checkpoint } = await checkFigures(body, policy)
  const view: View = { checkpoint, recorded_at: state.recorded_at }
  await checkAge(view, policy, options)
  return { ...asList({ ok: true, rows: [], decisions: [], lacking: [], ...view }), figures: state }
}

export { isNextPage } from './catalogue/stretch.ts'
export { verifyEntry, verifyFiguresState } from './entries.ts'
export type { ProvedEdition, ProvedPage } from './list/checked-list.ts'
export {
  type Decision,
  type Fault,
  isFresh,
  openCheckpoint,
  type ProvedRow,
  parsePolicy,
  type Question,
  type TrustPolicy,
  type Verdict,
  type VerdictClass,
  type VerifyOptions,
  viewedAt,
} from './verify.ts'
export type {
  CompareQuestion,
  CoverageQuestion,
  HistoryQuestion,
  PageQuestion,
  ReleasesQuestion,
  SheetQuestion,
  StatedBill,
}
