// The reasons for which an answer is refused, each as a sentence for the command line, the service and the pages.

import type { Fault } from '../fault.ts'

/** Reasons that only a comparison with the cited files finds. */
export type SourceFault =
  | 'source_missing'
  | 'source_hash_mismatch'
  | 'source_unreadable'
  | 'line_not_found'
  | 'inputs_not_at_line'
  | 'other_amounts_in_file'
  | 'code_in_source'
export type Reason = Fault | SourceFault

export const REASONS: Readonly<Record<Reason, string>> = {
  json_malformed: 'This is not an answer of the registry: it is not JSON as the registry writes it.',
  not_recognised: 'This is no answer that can be verified, or it has members that no answer has.',
  row_malformed: 'A row has a member too many or too few, or one that was changed into something no row has.',
  row_too_large: 'A row is larger than any row may be.',
  proof_missing: 'There is no proof in it. Ask for the whole answer.',
  proof_malformed: 'A proof does not have the form of a proof: it was changed or cut.',
  leaf_hash_mismatch: 'The row was changed: its hash is not the stated one.',
  row_not_in_release: 'A row is not in the release: it was changed or left out, or is of another edition.',
  locator_not_cited: 'The row names a source that its edition does not cite.',
  row_not_of_release: 'The row does not fit its edition: it is of another schedule, provider, place or time.',
  release_not_in_force:
    'The description of the edition is not the one that is in force: it was changed, withdrawn or replaced.',
  state_not_in_log: 'The state of the registry that it stands on is not in the signed log.',
  state_not_last: 'The state of the registry that it stands on is not the last one: a newer one was kept back.',
  state_too_old: 'The view of the registry is too old, or is dated in the future. Ask again.',
  period_not_in_timeline: 'The period is not the published one.',
  provider_not_in_state: 'The provider is not listed as it stands here.',
  rows_contradict: 'Rows of the proof contradict each other.',
  periods_contradict: 'Periods of the proof contradict each other.',
  log_of_other_kind: 'It is signed in a log that does not speak about this.',
  mixed_checkpoints: 'Its parts are of different views of the registry: it was put together from several answers.',
  body_contradicts_proof: 'What is said does not follow from what is proved: a member was changed or left out.',
  nothing_proved: 'There is nothing in it that is proved.',
  rows_left_out: 'A row was left out, or the rows are not in their order.',
  releases_left_out: 'An edition was left out, or the page does not say truly whether the list goes on.',
  repeated_item: 'The same change stands in it twice.',
  question_malformed: 'The question has no meaning: check the code, the place and the day.',
  choice_not_proved:
    'It is not proved that this is the first choice for the question that was asked; it may be of another code or place.',
  answers_another_question:
    'It is not the answer to the question that was asked: it may be of another kind, code, place or day, or something was changed, added, left out or moved.',
  entry_malformed: 'An entry is not a change of a figure.',
  entry_not_in_log: 'An entry is not in the signed log: it was changed or never published.',
  seq_not_its_place: 'The number of a change is not its place in the log.',
  entries_out_of_order: 'The list is not in its order: entries were moved.',
  entries_missing: 'Changes are missing: left out, or cut off at an end.',
  note_malformed: 'The checkpoint is not a signed note.',
  note_unsigned: 'No key that was pinned has signed it: it is of another log.',
  note_signature_invalid: 'A signature is false: something was changed after it was signed.',
  checkpoint_malformed: 'The signed text is not a checkpoint.',
  key_retired: 'Only a retired key signed it, after the last checkpoint that counts under that key.',
  origin_not_pinned: 'It is signed by a pinned key that does not speak for this log.',
  quorum_not_met: 'Too few of the witnesses that were pinned have signed.',
  log_not_the_same: 'The two checkpoints are of different logs.',
  log_rolled_back: 'The log is shorter than it was: entries were taken away.',
  log_forked: 'The log does not continue the older one: what was published before was changed.',
  tile_unavailable: 'A part of the log that is needed could not be read.',
  tile_malformed: 'A part of the log has the wrong length.',
  tiles_not_of_checkpoint: 'The parts of the log do not lead to its checkpoint.',
  unknown_method: 'The row says that its amount was derived in a way that is not known.',
  inputs_malformed: 'The inputs of the row are not those that its amount is derived from.',
  price_mismatch: 'The amount does not follow from the inputs of the row.',
  reason_mismatch: 'The reason for which there is no price does not follow from the inputs of the row.',
  flags_mismatch: 'The flags do not follow from the inputs of the row.',
  sum_mismatch: 'A product or a total does not follow from the lines of the bill.',
  tables_differ: 'The registry uses other tables than this verifier: get the verifier of its version.',
  source_missing: 'None of the given files is the cited one.',
  source_hash_mismatch: 'A given file has the name of the cited one and other content.',
  source_unreadable: 'The file cannot be read as what the row says it is.',
  line_not_found: 'There is no record at the cited line of the file.',
  inputs_not_at_line: 'The cited lines of the file do not make this row.',
  other_amounts_in_file: 'The file states other amounts under the same key: this one was picked out.',
  code_in_source: 'It is said that there is no row of the code, and the cited file has a line for it.',
}
