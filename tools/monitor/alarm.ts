// The alarms of a monitor: what may be wrong, what to do about it, and the evidence that goes with it.

// Advice that several alarms share.
const TELL_ALL =
  'keep the evidence and publish it: it holds statements of this service that cannot all be true. Do not rely on what it answers until it is explained'
const TELL_OPERATOR =
  'show the evidence to the operator and to other readers: it is signed by the log, so it can be checked offline'
const TRY_AGAIN =
  'run the monitor again, from another network too. If the alarm stays, tell the operator: a service that holds back what it signed cannot be checked'

/** Every alarm: what is wrong, and what to do. The place is added when it is raised. */
export const ALARMS = {
  unreachable: ['the service did not answer, or its answer has a wrong form', TRY_AGAIN],
  checkpoint_invalid: [
    'a checkpoint is not valid under the pinned policy',
    'ask the operator over another channel whether the log keys or witnesses were changed; pin a new policy only if they say so',
  ],
  log_not_the_same: [
    'a checkpoint belongs to another log',
    'check the address and the pinned policy; if both are right, tell the operator',
  ],
  log_rolled_back: [
    'the log is smaller than one that was signed before',
    'ask the operator what happened to the missing entries. Keep the state file: it shows that they were there',
  ],
  log_forked: ['two signed checkpoints cannot both be true', TELL_ALL],
  log_too_large: [
    'the log claims more entries than this monitor reads',
    'compare the size with what others see; this log was not checked',
  ],
  tiles_wrong: ['the tiles of a log do not match its checkpoint, or contradict each other', TRY_AGAIN],
  entry_missing: ['an entry that the checkpoint covers is not served', TRY_AGAIN],
  entry_altered: ['an entry is not the one that was hashed', TRY_AGAIN],
  entry_unknown: [
    'an entry is of a kind that this log does not have',
    'update this program if it is older than the service; otherwise show the evidence to the operator and to other readers',
  ],
  figures_wrong: ['an entry of the figures log does not follow from those before it', TELL_OPERATOR],
  release_id_reused: ['a release has the name of one before it', TELL_OPERATOR],
  revision_out_of_order: ['a release is an older revision than one before it', TELL_OPERATOR],
  withdrawal_unfounded: [
    'a withdrawal names a release that is not in the log, or that was withdrawn before',
    TELL_OPERATOR,
  ],
  move_unfounded: ['a provider is moved to a chart that does not name it', TELL_OPERATOR],
  supersedes_wrong: ['a release names the wrong predecessor', TELL_OPERATOR],
  state_wrong: ['a state does not follow from the entries before it', TELL_OPERATOR],
  state_missing: ['an entry is not followed by a state', TELL_OPERATOR],
  time_backwards: ['an entry has an earlier time than one before it', TELL_OPERATOR],
  head_stale: [
    'the newest state is too old',
    'ask the operator whether the service has stopped publishing, and compare with what others see: you may be shown an old view',
  ],
  head_from_future: [
    'the newest state has a time in the future',
    'check your own clock; if it is right, tell the operator',
  ],
  row_hashes_missing: ['the row hashes of a release are not served', TRY_AGAIN],
  row_hashes_wrong: ['the row hashes of a release do not match its manifest, or contradict each other', TRY_AGAIN],
  rows_unreadable: [
    'the rows of a release are not served',
    'check that the token or key has the scope registry:read; if it has, tell the operator',
  ],
  rows_unsorted: ['the rows of a release are not in the order of their keys, or a key occurs twice', TELL_OPERATOR],
  row_altered: ['a row is not the one that was hashed', TRY_AGAIN],
  row_not_of_release: ['a row does not fit its release', TELL_OPERATOR],
  page_unverified: ['a page of rows does not verify', 'keep the body and tell the operator; use no row of this page'],
  arithmetic_wrong: ['the price of a row does not follow from its inputs', TELL_OPERATOR],
  not_at_source: [
    'a row differs from the file that it cites',
    'compare the line of the file with the row, then show both to the operator and to the publisher of the file',
  ],
  left_out_of_release: [
    'the release has no row for something that its source states',
    'find the line in the file; if it is there, an absence that the service proves for this code is wrong. Show both to the operator',
  ],
  answer_unverified: ['an answer does not verify', 'do not use it; keep the body and tell the operator'],
  answer_forked: ['an answer has a checkpoint that the log does not continue', TELL_ALL],
  answer_ahead: [
    'an answer has a checkpoint that the log does not show',
    'run the monitor again. If the log never shows it, someone was shown another log: publish the evidence',
  ],
  answer_stale: [
    'an answer has a checkpoint that was replaced long ago',
    'look for a cache between you and the service that keeps answers too long; if there is none, tell the operator',
  ],
  withdrawn_served: [
    'an answer shows a release as in force that was withdrawn',
    'do not use the answer; tell the operator, and look for a cache that keeps answers too long',
  ],
} as const satisfies Record<string, readonly [string, string]>
export type AlarmCode = keyof typeof ALARMS

export interface Alarm {
  code: AlarmCode
  /** Says what is wrong, and where. Holds no text of the service except names that fit their pattern. */
  sentence: string
  advice: string
  /** Notes, entries and bodies as they came, by the names that docs/spec/monitor.md gives them. */
  evidence: Record<string, string>
}

/**
 * More of one code nobody reads. A hostile service must not be able to fill a disk with alarms, nor to hide one lie behind
 * many others: so each code has a limit of its own, and what is new is raised before what is old.
 */
const MOST_OF_CODE = 20
const MOST_NOTES = 50
/** No part of the evidence is longer. */
const EVIDENCE_BYTES = 256 * 1024
const WITHHELD = '(left out: it holds a secret of this monitor)'

export class Alarms {
  readonly raised: Alarm[] = []
  readonly #notes: string[] = []
  /** All sentences of each code, also those left out of `raised`. */
  readonly #found = new Map<AlarmCode, Set<string>>()

  /** `secrets` are shown to the service, which may send them back. They must not get into evidence, which is for everyone. */
  constructor(readonly secrets: ReadonlySet<string> = new Set()) {}

  raise(code: AlarmCode, detail: string, evidence: Record<string, string> = {}): void {
    const [what, advice] = ALARMS[code]
    const sentence = `${what}: ${detail}`
    const found = this.#found.get(code) ?? new Set()
    this.#found.set(code, found)
    if (found.has(sentence)) return
    found.add(sentence)
    if (found.size > MOST_OF_CODE) return
    const shown = Object.entries(evidence).map(([name, each]) => [name, this.#shown(each)])
    // A name that fits its pattern can still be a token.
    const safe = this.#shown(sentence) === WITHHELD ? `${what}: ${WITHHELD}` : sentence
    this.raised.push({ code, sentence: safe, advice, evidence: Object.fromEntries(shown) })
  }

  /** Looks behind the cut too: of a secret across it, all but the end would be left. */
  #shown(text: string): string {
    return holdsSecret(text.slice(0, 2 * EVIDENCE_BYTES), this.secrets) ? WITHHELD : text.slice(0, EVIDENCE_BYTES)
  }

  note(text: string): void {
    if (!this.#notes.includes(text) && this.#notes.length < MOST_NOTES) this.#notes.push(text)
  }

  /** How many alarms were left out, and what was not checked and why, which accuses nobody. */
  get notes(): string[] {
    const leftOut = [...this.#found].flatMap(([code, { size }]) =>
      size > MOST_OF_CODE ? [`${code}: ${size - MOST_OF_CODE} more were found and are not shown`] : [],
    )
    return [...leftOut, ...this.#notes]
  }
}

/** How many encodings, one within the other, are undone. */
const DEPTH = 2

/** Whether a text holds a secret, as it is or in an encoding that anyone would recognise and undo. */
function holdsSecret(text: string, secrets: ReadonlySet<string>, depth = DEPTH): boolean {
  if (secrets.size === 0) return false
  if ([...secrets].some((secret) => text.includes(secret))) return true
  return depth > 0 && [unescaped, fromBase64, fromHex].some((form) => holdsSecret(form(text), secrets, depth - 1))
}

const ESCAPE = /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|\\(.)/gi

/** Undoes escapes of JSON, of addresses and of markup. */
const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_, ...groups: (string | undefined)[]) => {
    const [json, byte, percent, hex, decimal, plain] = groups
    if (plain !== undefined) return plain
    const code = decimal === undefined ? Number.parseInt(json ?? byte ?? percent ?? hex ?? '', 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })

/** Decodes each run of base64, also over several lines, from each place at which a group of four may begin. */
const fromBase64 = (text: string): string =>
  text
    .split(/[^\w+/\s-]+/)
    .map((run) => run.replace(/\s+/g, ''))
    .flatMap((run) => [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')))
    .join('\n')

const fromHex = (text: string): string =>
  (text.match(/[0-9a-f]{2,}/gi) ?? [])
    .flatMap((run) => [0, 1].map((from) => Buffer.from(run.slice(from), 'hex').toString('latin1')))
    .join('\n')
