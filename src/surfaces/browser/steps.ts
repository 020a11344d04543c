// The check of an answer in five steps: the result of each, and the step at which a lie is found. The verdict is that of
// `atr verify`; the steps show how it comes about.

import { jsonIn } from '../../proof/canonical-json.ts'
import { type FailedCheck, type Fault, failed } from '../../proof/fault.ts'
import type { Decision } from '../../proof/lookup/decision.ts'
import { openCheckpoint } from '../../proof/note/checkpoint.ts'
import type { TrustPolicy } from '../../proof/note/policy.ts'
import { mainPointer, periodOf, releaseOf, type ShownBody } from '../../proof/shown.ts'
import { isFresh, type ProvedRow, type VerifyOptions, type View } from '../../proof/verify.ts'
import type { ExpectedAnswer } from '../../proof/whole/asked.ts'
import { claimOf } from './proved-claim.ts'

export const STEPS = ['row', 'release', 'in_force', 'answer', 'fresh'] as const
export type Step = (typeof STEPS)[number]
type CheckFault = Fault

export interface StepResult {
  step: Step
  /** `open` is a step that was not asked for or not reached. */
  state: 'good' | 'bad' | 'open'
  sentence: string
}
export interface Examination {
  ok: boolean
  /** The reason of `atr verify`, one fixed word. */
  reason?: CheckFault
  steps: StepResult[]
  /** Set if the answer is in its short form, without a proof. */
  unchecked?: true
  /** What was verified, in one sentence, where it is the answer to one lookup. */
  claim?: string
  /** The proved rows with their releases, for the comparison with the cited files. */
  rows: readonly ProvedRow[]
}

/** The faults of the steps after the first. All other faults are about the rows themselves. */
const FAULTS: Partial<Record<Step, readonly CheckFault[]>> = {
  release: [
    'note_malformed',
    'note_unsigned',
    'note_signature_invalid',
    'checkpoint_malformed',
    'origin_not_pinned',
    'key_retired',
    'quorum_not_met',
    'log_of_other_kind',
    'mixed_checkpoints',
    'state_not_in_log',
    'entry_not_in_log',
  ],
  in_force: [
    'release_not_in_force',
    'period_not_in_timeline',
    'provider_not_in_state',
    'periods_contradict',
    'state_not_last',
    'releases_left_out',
  ],
  answer: ['answers_another_question', 'choice_not_proved', 'question_malformed', 'tables_differ'],
  fresh: ['state_too_old'],
}

export const stepOf = (reason: CheckFault): Step => STEPS.find((step) => FAULTS[step]?.includes(reason)) ?? 'row'

const NOT_REACHED = 'Not checked, because another check failed.'

/** How old a view may be, and how far the clock of a log may be ahead of ours. */
const HOUR_MS = 3_600_000
export const MOST_HOURS = 72
export const ageLimits = (hours: number, now: number): VerifyOptions => {
  const at = (time: number): string => new Date(time).toISOString()
  return { notBefore: at(now - hours * HOUR_MS), notAfter: at(now + 300_000) }
}

/** An answer that was proved, as far as the steps describe it. */
export interface ProvedAnswer extends View {
  ok: true
  rows: readonly ProvedRow[]
  /** The decision on each lookup. */
  decisions?: readonly Decision[]
  /** The number of entries of a list that has no rows. */
  entries?: number
}
/** Checks a whole answer: `checkWhole`, or the same by a smaller verifier. */
export type PageCheck = (
  text: string,
  policy: TrustPolicy,
  asked: ExpectedAnswer,
  options?: VerifyOptions,
) => Promise<ProvedAnswer | FailedCheck>

/** The words for a result. They are in the page, or in its script if there is room for them. */
export interface Words {
  reasons: { readonly [reason in CheckFault]?: string }
  /** The sentence about a short answer; undefined for any other. */
  ofShort?: (text: string) => string | undefined
  /** The sentence about the points that are not proved, with the question or without it. */
  open?: (text: string, isAsked: boolean) => string
}

/** Checks an answer and tells the result step by step. Limits of age are left out for an answer of any age. */
export async function examine(
  check: PageCheck,
  text: string,
  policy: TrustPolicy,
  asked: ExpectedAnswer,
  options: VerifyOptions = {},
  words: Words = { reasons: {} },
): Promise<Examination> {
  const checked = asked.checkpoint ? ofCheckpoint : check
  const verdict = await checked(text, policy, asked, options)
  if (verdict.ok) {
    const good = await sentencesOf(text, verdict, policy, asked, options, words)
    const [decision] = verdict.decisions ?? []
    return {
      ok: true,
      ...(decision && 'question' in asked && { claim: claimOf(decision, asked.question) }),
      rows: verdict.rows,
      steps: STEPS.map((step) => result(step, good[step])),
    }
  }
  const { reason } = verdict
  let bad = stepOf(reason)
  const unchecked = words.ofShort?.(text)
  let sentence = unchecked ?? words.reasons[reason] ?? ''
  const before: Sentences = {}
  if (bad !== 'row' && bad !== 'release') {
    // The first steps may hold by themselves, whatever was asked, at any age.
    const published = await check(text, policy, { anyQuestion: true })
    if (published.ok) {
      Object.assign(before, await sentencesOf(text, published, policy, asked, options, words))
      const other = bad === 'answer' ? otherPeriod(text, asked) : undefined
      if (other) [bad, sentence] = ['in_force', other]
    }
  }
  const isBefore = (step: Step): boolean => STEPS.indexOf(step) < STEPS.indexOf(bad)
  return {
    ok: false,
    reason,
    ...(unchecked && { unchecked: true }),
    rows: [],
    steps: STEPS.map((step) =>
      step === bad
        ? { step, state: unchecked ? 'open' : 'bad', sentence }
        : isBefore(step) && before[step]
          ? result(step, before[step])
          : { step, state: 'open', sentence: NOT_REACHED },
    ),
  }
}

type Sentences = { [step in Step]?: string }
const NOT_ASKED = 'Not checked: '
const result = (step: Step, sentence = ''): StepResult => ({
  step,
  state: sentence.startsWith(NOT_ASKED) ? 'open' : 'good',
  sentence,
})

/** The sentence for each step of a good answer. */
async function sentencesOf(
  text: string,
  { rows, checkpoint, recorded_at, entries = 0 }: ProvedAnswer,
  policy: TrustPolicy,
  asked: ExpectedAnswer,
  { notBefore }: VerifyOptions,
  words: Words,
): Promise<Required<Sentences>> {
  const opened = await openCheckpoint(checkpoint, policy)
  const log = opened.ok ? `${opened.head.origin}, ${opened.head.size} entries` : ''
  const [first] = rows
  const period = periodIn(text)
  return {
    row: asked.checkpoint
      ? `${NOT_ASKED}a checkpoint has no rows.`
      : rows.length === 0 && entries === 0
        ? reasonIn(text)
        : `${rows.length > 0 ? 'Rows' : 'Entries'} proved: ${rows.length || entries}. Every hash and all arithmetic is right.`,
    release: `${rows.length === 1 && first ? `${first.release.release_id} is` : 'It is all'} in the signed log that you pinned: ${log}.`,
    in_force: period
      ? `In force from ${period.from} to ${period.to}.`
      : period === null
        ? `${NOT_ASKED}the release is in force on no day; the row was published.`
        : 'Proved under one state of the registry.',
    answer: asked.checkpoint
      ? `${NOT_ASKED}a checkpoint answers no question.`
      : 'anyQuestion' in asked && !asked.permalink
        ? `${NOT_ASKED}${words.open?.(text, false) || 'you did not say what was asked.'}`
        : `It answers what was asked${questionText(asked)}. ${asked.permalink ? '' : (words.open?.(text, true) ?? '')}`.trim(),
    fresh:
      notBefore === undefined
        ? `${NOT_ASKED}any age will do.`
        : recorded_at === null
          ? 'Signed recently enough.'
          : `The state of the registry was recorded at ${recorded_at}.`,
  }
}

/** The question in the words of a reader; empty if there is none. */
const questionText = (asked: ExpectedAnswer): string =>
  'question' in asked ? `: ${Object.values(asked.question).filter(Boolean).join(', ')}` : ''

interface DayRange {
  from: string
  to: string
}

const NO_ROW: Record<string, string> = {
  not_on_schedule: 'Proved by neighbouring rows: no list that was searched has this code for this place.',
  no_edition_for_day: 'Proved by neighbouring periods: no edition covers this day.',
  unknown_provider: 'Proved by neighbouring hospitals: no file names this one.',
}

/** The sentence for a refusal without a row. */
function reasonIn(text: string): string {
  const { code = '' } = (jsonIn(text) ?? {}) as { code?: string }
  return NO_ROW[code] ?? 'The reason for this answer is proved.'
}

/** The period of the release of a body with one row; null if it is in force on no day. */
function periodIn(text: string): DayRange | null | undefined {
  const body = (jsonIn(text) ?? {}) as ShownBody
  const release = releaseOf(body, mainPointer(body))
  return release && (periodOf(body, release) ?? null)
}

/** The sentence about an edition of another day than the one asked about. Its period is proved. */
function otherPeriod(text: string, asked: ExpectedAnswer): string | undefined {
  const day = 'question' in asked ? asked.question.as_of : ''
  const period = periodIn(text)
  if (day === '' || !period || (period.from <= day && day <= period.to)) return undefined
  return `This edition is in force from ${period.from} to ${period.to}, and you asked about ${day}.`
}

/** Checks a checkpoint by itself. */
const ofCheckpoint: PageCheck = async (text, policy, _, options = {}) => {
  const opened = await openCheckpoint(text, policy)
  if (!opened.ok) return opened
  const isNew = await isFresh(text, policy, null, options)
  return isNew ? { ok: true, rows: [], checkpoint: text, recorded_at: null } : failed('state_too_old')
}
