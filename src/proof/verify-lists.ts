// The verifier of everything that is served with a proof: lookups, and all lists. It is the verifier of lookups with more
// kinds of bodies, and gives the same verdicts on theirs.

import { checkAnswer } from './answer.ts'
import {
  answerOf,
  checkAge,
  hasOneCheckpoint,
  provedByAll,
  readBody,
  type VerifiedAnswer as VerifiedLookup,
  type VerifyOptions,
  type View,
} from './body.ts'
import { type CoverageQuestion, checkCoverage } from './catalogue/coverage.ts'
import { checkHistory, checkUnknownProvider, type HistoryQuestion } from './catalogue/history.ts'
import type { CheckedCatalogue, ProvedEdition, ProvedPage } from './catalogue/page.ts'
import { checkReleases, type ReleasesQuestion } from './catalogue/releases.ts'
import { oneWay, placesOf } from './entries.ts'
import { type Facts, noFacts } from './facts.ts'
import { ensure, type FailedCheck, verdictOf } from './fault.ts'
import { checkFigures, type FiguresState, isDataClass } from './figures.ts'
import { type BillQuestion, checkBatch } from './list/batch.ts'
import { checkPage, type PageQuestion } from './list/page.ts'
import type { CheckedList } from './list/parts.ts'
import { checkSheet } from './list/sheet.ts'
import type { Question } from './lookup/question.ts'
import type { SheetQuestion } from './lookup/sheet.ts'
import type { TrustPolicy } from './note/policy.ts'
import { hasOnly, type Members } from './shape.ts'
import type { Inquiry as LookupInquiry } from './verify.ts'
import { type Kind, kindOf } from './whole/kind.ts'

/** The question. */
export type Inquiry =
  | LookupInquiry
  | { questions: readonly BillQuestion[] }
  | { page: PageQuestion }
  | { sheet: SheetQuestion }
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
    const facts = noFacts(policy, options.charts)
    const { shown = [], refused = 0, editions = [], page } = await checkBody(facts, body, kind, asked)
    const answer = await answerOf(facts, body, provedByAll(shown), options)
    return { ...answer, editions, ...(page && { page }), entries: editions.length, refused }
  })

/** The rows or editions that a body has proved. */
type CheckedBody = Partial<CheckedList & CheckedCatalogue>

const CHECKS: { [kind in Kind]: (facts: Facts, body: Members, asked: never) => Promise<CheckedBody> } = {
  question: async (facts, body, asked: Question | undefined) => ({ shown: [await checkAnswer(facts, body, asked)] }),
  questions: checkBatch,
  page: checkPage,
  sheet: checkSheet,
  releases: checkReleases,
  coverage: checkCoverage,
  history: checkHistory,
}

async function checkBody(facts: Facts, body: Members, kind: Kind, asked: Inquiry): Promise<CheckedBody> {
  const isList = 'releases' in asked || 'coverage' in asked || 'history' in asked
  ensure(kind !== 'page' || !isList, 'proof_missing')
  if ('history' in asked && body['code'] === 'unknown_provider' && kind === 'question')
    return { shown: [await checkUnknownProvider(facts, body, asked.history)] }
  const question = (asked as Partial<Record<Kind, never>>)[kind]
  // A question that is undefined by mistake must not pass for `anyQuestion`.
  ensure(question !== undefined || 'anyQuestion' in asked, 'answers_another_question')
  return CHECKS[kind](facts, body, question as never)
}

/** Checks a page of changes of the figures: each is an entry of the figures log, all under one checkpoint. */
async function entriesOf(body: Members, policy: TrustPolicy, options: VerifyOptions): Promise<VerifiedAnswer> {
  const isPage = hasOnly(body, ['data', 'states', 'data_class', 'page', 'links', 'as_of'])
  ensure(isPage && isDataClass(body['data_class'] ?? null), 'not_recognised')
  const { proofs, changes } = await placesOf(body as Members & { data: unknown[] }, policy)
  const [log] = proofs.values()
  ensure(log, 'nothing_proved')
  const view = { checkpoint: log.checkpoint, recorded_at: null }
  ensure(hasOneCheckpoint(body, log.checkpoint), 'mixed_checkpoints')
  ensure(oneWay(changes), 'entries_out_of_order')
  await checkAge(view, policy, options)
  return { ...noRows(view), entries: changes.length }
}

/** Checks the answer about the figures. */
async function figuresOf(body: Members, policy: TrustPolicy, options: VerifyOptions): Promise<VerifiedAnswer> {
  const { state, checkpoint } = await checkFigures(body, policy)
  const view = { checkpoint, recorded_at: state.recorded_at }
  await checkAge(view, policy, options)
  return { ...noRows(view), figures: state }
}

const noRows = (view: View): VerifiedAnswer => ({
  ok: true,
  rows: [],
  decisions: [],
  lacking: [],
  ...view,
  editions: [],
  entries: 0,
  refused: 0,
})

export { isNextPage, type ProvedEdition, type ProvedPage } from './catalogue/page.ts'
export { verifyEntry, verifyFiguresState } from './entries.ts'
export {
  type Fault,
  isFresh,
  openCheckpoint,
  type ProvedRow,
  parsePolicy,
  type Question,
  type TrustPolicy,
  type Verdict,
  type VerifyOptions,
  verifyAbsence,
  verifyRow,
  viewedAt,
} from './verify.ts'
export type { CoverageQuestion, HistoryQuestion, PageQuestion, ReleasesQuestion, SheetQuestion }
