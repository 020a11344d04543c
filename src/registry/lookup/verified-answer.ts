import { Problem } from '../../problem.ts'
import { jsonIn } from '../../proof/canonical-json.ts'
import { failed } from '../../proof/fault.ts'
import { isObject, type Members } from '../../proof/shape.ts'
import { openCheckpoint, type TrustPolicy } from '../../proof/verify-lists.ts'
import { billAsked, checkAsked, type ExpectedAnswer } from '../../proof/whole/asked.ts'
import { type AnyKind, kindOf } from '../../proof/whole/kind.ts'
import { isShortAnswer, openPoints, SHORT_ANSWER } from '../../proof/whole/open-points.ts'
import { REASONS } from '../../proof/whole/reasons.ts'
import { checkWhole } from '../../proof/whole/whole-check.ts'
import { questionOf } from './query.ts'
import type { AskedQuestion, Verification } from './verification.ts'

/** Runs the published verifier, under the keys that this service signs with. */
export async function verification(
  text: string,
  policy: TrustPolicy,
  question: AskedQuestion | undefined,
  today: string,
): Promise<Verification> {
  const read = jsonIn(text)
  const body = isObject(read) ? read : undefined // the verifier says what is wrong with it
  const asked: ExpectedAnswer = question && body ? askedOf(kindOf(body), question, today) : { anyQuestion: true }
  const checked = await checkWhole(text, policy, asked)
  const verdict = checked.ok && isOtherPage(body, question) ? ANOTHER : checked
  const question_checked = !('anyQuestion' in asked)
  if (!verdict.ok) {
    const { class: kind, reason } = verdict
    const detail = isShortAnswer(body) ? SHORT_ANSWER : REASONS[reason]
    return { verified: false, class: kind, reason, detail, rows: 0, question_checked, origin: null, log_size: null }
  }
  const opened = await openCheckpoint(verdict.checkpoint, policy)
  const { origin, size } = opened.ok ? opened.head : { origin: null, size: null }
  return {
    verified: true,
    class: null,
    reason: null,
    detail: detailOf(kindOf(body ?? {}), question_checked),
    rows: verdict.rows.length,
    question_checked,
    origin,
    log_size: size,
  }
}

const NAMES: Record<AnyKind, string> = {
  question: 'the answer to a lookup',
  questions: 'a bill',
  bill: 'the check of a bill',
  page: 'a page of rows',
  sheet: 'a sheet',
  compare: 'a comparison of hospitals',
  releases: 'a list of releases',
  coverage: 'a list of coverage',
  history: 'a history',
  figures: 'the figures',
  entries: 'a list of changes',
}

const detailOf = (kind: AnyKind, isAsked: boolean): string => {
  const passed = isAsked ? `It was published, and it answers the question, as ${NAMES[kind]}.` : 'It was published.'
  return `${passed} ${openPoints(kind, isAsked)}`.trim()
}

/** Where a page of rows stands is not proved. One that says itself that it stands elsewhere is not the one that was asked for. */
const isOtherPage = (body: Members | undefined, question: AskedQuestion | undefined): boolean =>
  question?.offset !== undefined && isObject(body?.['page']) && body['page']['offset'] !== question.offset
const ANOTHER = failed('answers_another_question')

const SIDE = ['kind', 'revenue_code', 'place_of_service'] as const
const LOOKUP = ['cpt', 'region', 'npi', 'as_of', 'modifier', 'setting', 'basis', 'payer', ...SIDE] as const
/** The parameters of each kind of question. The length of a page and its cursor are no part of it. */
const PARTS: Record<AnyKind, readonly (keyof AskedQuestion)[]> = {
  question: LOOKUP,
  questions: ['lines', 'as_of'],
  bill: ['bill'],
  page: ['cpt', 'region', 'npi', 'chart', 'as_of', 'offset', 'limit', 'after'],
  sheet: ['cpt', 'region', 'npi', 'as_of', 'payer', ...SIDE],
  compare: LOOKUP.filter((part) => part !== 'npi' && !SIDE.some((name) => name === part)),
  releases: ['chart', 'state', 'offset', 'limit'],
  coverage: ['chart', 'cpt', 'npi', 'as_of', 'offset', 'limit'],
  history: [...LOOKUP.filter((part) => part !== 'as_of'), 'offset', 'limit'],
  figures: [],
  entries: [],
}

/**
 * The question, for the kind of answer that was given. A question of a bill about something else, and the
 * other way round, goes to the verifier as it is, which refuses it; parts that have no place in it are a mistake of the caller.
 */
function askedOf(kind: AnyKind, given: AskedQuestion, today: string): ExpectedAnswer {
  const { limit: _, after: _a, lines, bill, ...question } = given
  if (bill !== undefined || kind === 'bill') return checkAsked(bill ?? {}, today)
  if (lines !== undefined || kind === 'questions') return ofBill(lines, question, today)
  const others = Object.keys(given).filter((part) => !PARTS[kind].includes(part as keyof AskedQuestion))
  if (others.length > 0)
    throw Problem.parameter(
      'question',
      `the question of ${NAMES[kind]} has no ${others.join(', ')}; it has ${PARTS[kind].join(', ') || 'no parts'}`,
    )
  const { cpt, region, as_of = today, offset = 0, ...rest } = question
  if (kind === 'figures') return { figures: true }
  if (kind === 'entries') return { anyQuestion: true }
  if (kind === 'releases') return { releases: { ...rest, offset } }
  if (kind === 'coverage') return { coverage: { ...rest, cpt, as_of, offset } }
  if (kind === 'page') return { page: { ...rest, cpt, region, as_of } }
  if (cpt === undefined) throw Problem.parameter('question', `the question of ${NAMES[kind]} needs cpt`)
  const { chart: _c, state: _s, ...lookup } = rest
  if (kind === 'compare') return { compare: { ...lookup, cpt, region, as_of } }
  questionOf({ ...lookup, cpt, region: region ?? 'national', as_of }, today)
  if (kind === 'history') return { history: { ...lookup, cpt, region, offset } }
  const asked = { ...lookup, cpt, region, as_of }
  return kind === 'sheet' ? { sheet: asked } : { question: asked }
}

/** Lines as they were sent: one without a day is about the day of the request. */
function ofBill(
  lines: unknown[] | undefined,
  { as_of, ...other }: Omit<AskedQuestion, 'lines'>,
  today: string,
): ExpectedAnswer {
  if (lines === undefined) return { question: { cpt: '', as_of: as_of ?? today } }
  if (Object.keys(other).length > 0)
    throw Problem.parameter('question', 'the question of a bill has lines, and as_of for those without one')
  return billAsked(lines, as_of ?? today)
}
