/** Every reason for which a verifier refuses. */
export type Fault =
  | 'note_malformed'
  | 'note_unsigned'
  | 'note_signature_invalid'
  | 'checkpoint_malformed'
  | 'origin_not_pinned'
  | 'key_retired'
  | 'quorum_not_met'
  | 'json_malformed'
  | 'not_recognised'
  | 'row_malformed'
  | 'row_too_large'
  | 'row_not_in_release'
  | 'row_not_of_release'
  | 'leaf_hash_mismatch'
  | 'leaves_contradict'
  | 'locator_not_cited'
  | 'proof_missing'
  | 'proof_malformed'
  | 'release_not_in_log'
  | 'release_not_in_force'
  | 'state_not_in_log'
  | 'state_not_last'
  | 'state_too_old'
  | 'period_not_in_timeline'
  | 'provider_not_in_state'
  | 'log_of_other_kind'
  | 'mixed_checkpoints'
  | 'entry_not_in_log'
  | 'entry_malformed'
  | 'seq_not_its_place'
  | 'entries_out_of_order'
  | 'entries_missing'
  | 'log_not_the_same'
  | 'log_rolled_back'
  | 'log_forked'
  | 'tile_unavailable'
  | 'tile_malformed'
  | 'tiles_not_of_checkpoint'
  | 'key_prefix_malformed'
  | 'key_not_enclosed'
  | 'body_contradicts_proof'
  | 'nothing_proved'
  | 'repeated_item'
  | 'rows_left_out'
  | 'releases_left_out'
  | 'question_malformed'
  | 'choice_not_proved'
  | 'answers_another_question'

export interface FailedCheck {
  ok: false
  reason: Fault
  /** The item of a list that failed, counted from 1. */
  at?: number
}
export type Verdict = { ok: true } | FailedCheck

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
    return { ok: false, reason: error.message, ...error.item }
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
