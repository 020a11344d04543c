// The catalogue of findings: everything that can be wrong with an installation, how bad it is, and the remedy.

export type Level = 'fail' | 'warn'

interface Entry {
  level: Level
  /** One or two sentences. */
  remedy: string
}

const RESTORE = 'restore it from a backup, see "Backup" in docs/operate.md'
const LOAD = 'load and publish the next edition with `atr load ... --publish`'

/** The findings by code. Scripts rely on the codes. */
export const FINDINGS = {
  not_installed: { level: 'fail', remedy: 'Check DATA_DIR and DATABASE_URL, or run `atr init`.' },
  store_missing: { level: 'fail', remedy: `Check DATA_DIR and DATABASE_URL, or ${RESTORE}.` },
  store_moved: {
    level: 'fail',
    remedy:
      'Set DATABASE_URL or DATA_DIR to its new place. If the move was interrupted, run the same `atr migrate --to` again. Restore nothing here.',
  },
  move_interrupted: {
    level: 'fail',
    remedy: 'Run the same `atr migrate --to` again, with the settings of the old place. Restore nothing here.',
  },
  log_keys_missing: {
    level: 'fail',
    remedy: `Check SIGNING_KEY_FILE, or ${RESTORE}. Never run \`atr init\` over the rest.`,
  },
  pepper_missing: { level: 'fail', remedy: `Check PEPPER_FILE, or ${RESTORE}. Never run \`atr init\` over the rest.` },
  store_newer: { level: 'fail', remedy: 'Upgrade the program. There is no way back but a backup.' },
  store_older: {
    level: 'warn',
    remedy: 'Make a backup with that version. Then run `atr upgrade`, which brings the store up to date.',
  },
  older_form: {
    level: 'fail',
    remedy: 'Run `atr upgrade --sources FOLDER` with the folder of the published files.',
  },
  older_left: {
    level: 'warn',
    remedy: 'They are not served. Find their files, and run `atr upgrade --sources FOLDER`, which names them.',
  },
  store_away: {
    level: 'fail',
    remedy: 'Start the database, or look why it does not answer. Then run `atr doctor` again.',
  },
  store_unusable: {
    level: 'fail',
    remedy: 'See "When it does not start" in docs/operate.md, where this sentence stands.',
  },
  secrets_readable: {
    level: 'fail',
    remedy:
      'Run `chmod 600` on the file. If someone may have read it, rotate the log keys (`atr log rotate-key`), or the agent keys for the pepper.',
  },
  data_readable: { level: 'warn', remedy: 'Run `chmod 700` on the folder: it holds outcomes and the digests of keys.' },
  creation_left: { level: 'warn', remedy: 'An `atr init` was interrupted. Remove the folder: it holds keys.' },
  lock_missing: {
    level: 'fail',
    remedy:
      'Check LOCK_DIR. If it is lost, put back the last checkpoint of each log, see "The checkpoint lock" in docs/operate.md.',
  },
  lock_disagrees: {
    level: 'fail',
    remedy: 'Do not publish. Use `atr restore` after a restored backup, see "Backup" in docs/operate.md.',
  },
  fork_kept: {
    level: 'fail',
    remedy:
      'Two histories were signed under one key. Stop publishing, and find out which one readers have: see "Witnesses" in docs/operate.md.',
  },
  disk_nearly_full: {
    level: 'fail',
    remedy: 'Make room, or set DISK_FREE_BYTES lower. Old backups and `atr release discard` give space back.',
  },
  clock_wrong: {
    level: 'fail',
    remedy: 'Correct the clock of this machine (NTP). Nothing can be published until then.',
  },
  port_taken: { level: 'fail', remedy: 'Stop the other program, or set PORT.' },
  chart_expired: { level: 'fail', remedy: `Its last edition has run out, or the next one is long overdue: ${LOAD}.` },
  chart_stale: { level: 'warn', remedy: `The publisher has a newer edition by now: ${LOAD}.` },
  no_chart_published: {
    level: 'warn',
    remedy: 'Load a price list: `atr load`, see "Loading and publishing" in docs/operate.md.',
  },
  gap: {
    level: 'warn',
    remedy:
      'Lookups for these days are refused. Load the edition that is missing, or the one before it with a later --effective-to.',
  },
  gap_ahead: { level: 'warn', remedy: `There will be days without an edition: ${LOAD} before they begin.` },
  equipment_lists_missing: {
    level: 'warn',
    remedy:
      "Equipment has the amount of the state where another one holds. Give CMS's archive of the equipment schedule to `atr load cms-dmepos`, and beside the ZIP5 file to `atr load zip-locality`.",
  },
  release_held: {
    level: 'warn',
    remedy: 'Run `atr release check` on it. Then publish it with --override and --reason, or discard it.',
  },
  load_interrupted: {
    level: 'warn',
    remedy: 'If no `atr load` is running, load the files again: what was left is removed then.',
  },
  release_waiting: {
    level: 'fail',
    remedy: 'It is signed and not public. Look after the witnesses, then run `atr log publish`.',
  },
  release_file_damaged: {
    level: 'fail',
    remedy: 'Put back a copy of the file (any of the same name will do), or use `atr restore`; then run `atr fsck`.',
  },
  release_file_of_other_form: {
    level: 'fail',
    remedy: 'Another version of the program made it. Run `atr release withdraw` on it, and load the edition again.',
  },
  witness_silent: {
    level: 'warn',
    remedy: 'Ask whoever runs it. To replace it, change WITNESSES; see "Witnesses" in docs/operate.md.',
  },
  state_old: {
    level: 'warn',
    remedy:
      'Readers see an old view. Run `atr serve`, or `atr log publish` daily. If the service runs, the clock of this machine may be ahead.',
  },
  proofs_failed: { level: 'fail', remedy: 'Run `atr fsck`, which names every fault. Then restore what it names.' },
  proofs_never_verified: { level: 'warn', remedy: 'Run `atr fsck`, daily from now on.' },
  proofs_overdue: {
    level: 'warn',
    remedy: 'Run `atr fsck`, or look why the verification of `atr serve` does not go on.',
  },
  no_citations: { level: 'warn', remedy: 'Nobody can look at its source. Load the files again with --url.' },
  citations_unchecked: { level: 'warn', remedy: 'Run `atr citations check` from cron, or set CITATIONS_SCHEDULE=on.' },
  source_lost: {
    level: 'fail',
    remedy:
      'The cited file is another one now, or is gone, and there is no copy. Load the new file as a new edition; set ARCHIVE to keep copies from now on.',
  },
  source_failing: {
    level: 'warn',
    remedy: 'Look at the address yourself. `atr citations check` tries again when it is due.',
  },
  fetch_failing: {
    level: 'warn',
    remedy: 'See its code in docs/operate/fetch.md. `atr fetch CHART` tries again at once.',
  },
  storage_away: {
    level: 'fail',
    remedy:
      'Check RELEASES and the keys S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. Machines that lack files refuse lookups meanwhile.',
  },
  valkey_away: {
    level: 'warn',
    remedy: 'Start it, or check VALKEY_URL. Meanwhile each machine counts requests for itself.',
  },
  archive_damaged: {
    level: 'fail',
    remedy:
      'Remove the damaged copy, and run `atr citations check --all`: it keeps the file again if it is still published. Then check the disk.',
  },
  archive_away: { level: 'warn', remedy: 'Check ARCHIVE, and whether the folder or storage can be reached.' },
  key_expires: { level: 'warn', remedy: 'Run `atr keys rotate ID`, and give the new key to its holder.' },
  other: { level: 'warn', remedy: 'See `/api/data-integrity`.' },
} as const satisfies { [code: string]: Entry }
export type FindingCode = keyof typeof FINDINGS

export interface Finding {
  code: FindingCode
  level: Level
  /** The fault and its place, without secrets and without text from source files. */
  what: string
  remedy: string
}

export const finding = (code: FindingCode, what: string, level: Level = FINDINGS[code].level): Finding => ({
  code,
  level,
  what,
  remedy: FINDINGS[code].remedy,
})

/** `fail` if any finding has that level, `warn` if there are other findings, else `ok`. */
export const statusOf = (findings: readonly Finding[]): 'ok' | Level =>
  findings.some(({ level }) => level === 'fail') ? 'fail' : findings.length > 0 ? 'warn' : 'ok'

/** The reasons of the integrity report that have another name here. */
const REASONS: { readonly [reason: string]: FindingCode } = {
  citation_changed: 'source_lost',
  citation_gone: 'source_lost',
  citation_unreachable: 'source_failing',
  citation_blocked: 'source_failing',
}

/** A reason of the integrity report, `chart_stale:cms-pfs`, as a finding. */
export function findingOf(reason: string): Finding {
  const [name = '', ...about] = reason.split(':')
  const code = REASONS[name] ?? (Object.hasOwn(FINDINGS, name) ? (name as FindingCode) : 'other')
  const what = name.replaceAll('_', ' ')
  return finding(code, about.length > 0 ? `${about.join(':')}: ${what}` : what)
}
