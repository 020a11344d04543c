// Why an answer is refused: a class that all verifiers agree on, and a reason that is a hint.

/** Each class with its reasons. */
export const REASONS = {
  /** It does not have the form of an answer, a proof, a note or a row. */
  malformed: [
    'json_malformed',
    'not_recognised',
    'note_malformed',
    'checkpoint_malformed',
    'row_malformed',
    'row_too_large',
    'proof_malformed',
    'entry_malformed',
    'mixed_checkpoints',
    'repeated_item',
    'tile_malformed',
  ],
  /** It was signed by other keys than those of the policy, or by too few. */
  wrong_key: ['note_unsigned', 'note_signature_invalid', 'origin_not_pinned', 'key_retired', 'quorum_not_met'],
  /** It is older than it may be, or a newer state is kept back. */
  stale: ['state_too_old', 'state_not_last', 'log_rolled_back'],
  not_in_log: [
    'state_not_in_log',
    'entry_not_in_log',
    'log_of_other_kind',
    'log_not_the_same',
    'log_forked',
    'seq_not_its_place',
  ],
  not_in_release: [
    'row_not_in_release',
    'leaf_hash_mismatch',
    'row_not_of_release',
    'locator_not_cited',
    'rows_contradict',
  ],
  not_in_force: ['period_not_in_timeline', 'provider_not_in_state', 'release_not_in_force', 'periods_contradict'],
  not_the_answer: ['question_malformed', 'answers_another_question', 'body_contradicts_proof', 'entries_out_of_order'],
  /** An amount, a product or a total does not follow from its inputs. */
  arithmetic: [
    'unknown_method',
    'inputs_malformed',
    'price_mismatch',
    'reason_mismatch',
    'flags_mismatch',
    'sum_mismatch',
  ],
  /** Something that the answer rests on is not shown. */
  incomplete: [
    'choice_not_proved',
    'rows_left_out',
    'releases_left_out',
    'entries_missing',
    'tile_unavailable',
    'tiles_not_of_checkpoint',
  ],
  nothing_proved: ['proof_missing', 'nothing_proved'],
  /** The registry states other tables than those that this verifier has. */
  tables_differ: ['tables_differ'],
} as const

export type VerdictClass = keyof typeof REASONS
/** Every reason for which a verifier refuses. */
export type Fault = (typeof REASONS)[VerdictClass][number]

const CLASS_OF = new Map<Fault, VerdictClass>(
  Object.entries(REASONS).flatMap(([name, reasons]) => reasons.map((reason) => [reason, name as VerdictClass])),
)
export const classOf = (reason: Fault): VerdictClass => CLASS_OF.get(reason) as VerdictClass

export interface FailedCheck {
  ok: false
  class: VerdictClass
  reason: Fault
  /** The item of a list that failed, counted from 1. */
  at?: number
}
export type Verdict = { ok: true } | FailedCheck

export const failed = (reason: Fault): FailedCheck => ({ ok: false, class: classOf(reason), reason })

/** Thrown where a check fails, and caught where the verdict is given: a verdict is about the whole of an answer. */
export class Failure extends Error {
  /** The reason. */
  declare readonly message: Fault
  /** The item of a list that failed, counted from 1. */
  declare item?: { at: number }
}
export function ensure(holds: unknown, reason: Fault): asserts holds {
  if (!holds) throw new Failure(reason)
}

export async function verdictOf<T extends { ok: true }>(check: () => Promise<T>): Promise<T | FailedCheck> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...failed(error.message), ...error.item }
  }
}

/** Checks each item of a list. A failure says which item it was. */
export const eachOf = <T, R>(items: readonly T[], check: (item: T, i: number) => R): R[] =>
  items.map((item, i) => {
    try {
      return check(item, i)
    } catch (error) {
      throw withItem(error, i)
    }
  })

/** Waits for the check of one item. A failure says which item it was. */
export async function itemOf<R>(i: number, check: Promise<R>): Promise<R> {
  try {
    return await check
  } catch (error) {
    throw withItem(error, i)
  }
}

function withItem(error: unknown, i: number): unknown {
  if (error instanceof Failure) error.item = { at: i + 1 }
  return error
}
