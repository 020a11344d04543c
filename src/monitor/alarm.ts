// What a monitor may find, and what it shows for it.

/** Every alarm, and what it says. */
export const ALARMS = {
  unreachable: 'the service did not answer, or not with what the address has',
  checkpoint_invalid: 'a checkpoint does not open under the pinned policy',
  log_not_the_same: 'a checkpoint is of another log',
  log_rolled_back: 'the log is smaller than one that was signed before',
  log_forked: 'two signed checkpoints cannot both be true',
  log_too_large: 'the log claims more entries than this monitor reads',
  tiles_wrong: 'the tiles of a log do not lead to its checkpoint',
  entry_missing: 'an entry that the checkpoint covers is not served',
  entry_altered: 'an entry is not the one that was hashed',
  entry_unknown: 'an entry is none that this log has',
  release_id_reused: 'a release has the name of one before it',
  revision_out_of_order: 'a release is an older revision than one before it',
  withdrawal_unfounded: 'a withdrawal is of a release that is not there, or a second one',
  move_unfounded: 'a provider is moved to a chart that does not name it',
  supersedes_wrong: 'a release names another predecessor than it has',
  state_wrong: 'a state does not follow from the entries before it',
  state_missing: 'an entry has no state behind it',
  time_backwards: 'an entry says that it is older than one before it',
  head_stale: 'the newest state is too old',
  head_from_future: 'the newest state is of a time that has not come',
  row_hashes_missing: 'the row hashes of a release are not served',
  row_hashes_wrong: 'the row hashes of a release do not lead to its manifest',
  rows_unreadable: 'the rows of a release are not served',
  rows_unsorted: 'the rows of a release are not in the order of their keys, or one key is there twice',
  row_altered: 'a row is not the one that was hashed',
  row_not_of_release: 'a row is none that its release can have',
  page_unverified: 'a page of rows does not verify',
  arithmetic_wrong: 'the price of a row does not follow from its inputs',
  not_at_source: 'a row is not what the file says that it cites',
  answer_unverified: 'an answer does not verify',
  answer_forked: 'an answer stands under a checkpoint that the log does not continue',
  answer_ahead: 'an answer stands under a checkpoint that the log does not show',
  answer_stale: 'an answer stands under a checkpoint that was replaced long ago',
  withdrawn_served: 'an answer is from a release that was withdrawn',
} as const
export type AlarmCode = keyof typeof ALARMS

export interface Alarm {
  code: AlarmCode
  /** Says what, and where. Holds no text of the service but names that fit their pattern. */
  sentence: string
  /** What shows it, by what it is: notes, entries, bodies, as they came. */
  evidence: Record<string, string>
}

/** Far more than anyone reads: a hostile service must not be able to fill a disk with what is said about it. */
const MOST_ALARMS = 50

export class Alarms {
  readonly raised: Alarm[] = []
  /** What was not looked at, and why: nobody is accused of it. */
  readonly notes: string[] = []

  raise(code: AlarmCode, detail: string, evidence: Record<string, string> = {}): void {
    const sentence = `${ALARMS[code]}: ${detail}`
    const isKnown = this.raised.some((alarm) => alarm.code === code && alarm.sentence === sentence)
    if (!isKnown && this.raised.length < MOST_ALARMS) this.raised.push({ code, sentence, evidence })
  }

  note(text: string): void {
    if (!this.notes.includes(text) && this.notes.length < MOST_ALARMS) this.notes.push(text)
  }
}
