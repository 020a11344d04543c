import type { FactFault } from './facts.ts'

/** Every reason for which a verifier refuses. */
export type Fault =
  | FactFault
  | 'json_malformed'
  | 'not_recognised'
  | 'row_malformed'
  | 'proof_missing'
  | 'proof_malformed'
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
  | 'state_too_old'

export interface FailedCheck {
  ok: false
  reason: Fault
  /** Of a list, which item it was, counted from 1. */
  at?: number
}
export type Verdict = { ok: true } | FailedCheck
export const fail = (reason: Fault): FailedCheck => ({ ok: false, reason })
