import type { LoadProgress } from '../ingest/load.ts'
import type { PublishProgress } from '../registry/release/publish.ts'
import { ruleOf } from '../registry/release/rules.ts'
import { table } from './command.ts'
import { notesText } from './release-text.ts'

/** The output for progress: standard error, because standard output is for data. */
interface Screen {
  isTTY?: boolean | undefined
  write(text: string): unknown
}

/** The progress of a command through rows, bytes or tables. */
export interface StageProgress {
  /** The kind of work, such as `checking`. */
  phase: string
  done: number
  total: number
  unit: 'rows' | 'bytes' | 'tables'
}

type Progress = LoadProgress | PublishProgress | StageProgress

/** Shows progress on standard error; with `--json`, nowhere. */
export const progressLine = (asJson: boolean): ProgressLine =>
  new ProgressLine(asJson ? { write: () => undefined } : process.stderr, () => performance.now())

const BAR = 24
const REDRAW_MS = 100
/** When a log file gets the first line, and how often further ones. */
const BEGIN_MS = 5_000
const FURTHER_MS = 60_000
const MEBIBYTE = 1024 * 1024

/**
 * Shows the progress of a command: on a terminal one line that is redrawn; elsewhere, as in a log file, a line at the
 * beginning, one each further minute, and one at the end. Short work shows nothing.
 */
export class ProgressLine {
  #phase: Progress['phase'] | undefined
  #phaseStarted = 0
  #shownAt: number
  #updatedAt: number
  #drawn = false
  /** The progress that was not shown yet. */
  #latest: Progress | undefined

  constructor(
    readonly screen: Screen,
    readonly now: () => number,
  ) {
    this.#shownAt = this.#updatedAt = now()
  }

  update(progress: Progress): void {
    const at = this.now()
    if (progress.phase !== this.#phase) {
      this.#phase = progress.phase
      this.#phaseStarted = this.#updatedAt
    }
    this.#updatedAt = at
    this.#latest = progress
    if (at - this.#shownAt >= this.#pauseMs) this.#show(progress)
  }

  get #pauseMs(): number {
    if (this.screen.isTTY) return REDRAW_MS
    return this.#drawn ? FURTHER_MS : BEGIN_MS
  }

  #show(progress: Progress): void {
    const seconds = (this.#updatedAt - this.#phaseStarted) / 1000
    const line = progressText(progress, seconds, this.screen.isTTY === true)
    this.screen.write(this.screen.isTTY ? `\r${line}\u001b[K` : `${line}\n`)
    this.#shownAt = this.#updatedAt
    this.#latest = undefined
    this.#drawn = true
  }

  /** Shows a text on a terminal for work of unknown length. */
  say(text: string): void {
    if (!this.screen.isTTY) return
    this.screen.write(`\r${text}\u001b[K`)
    this.#drawn = true
  }

  /** Clears the line before the command prints; elsewhere, writes the last progress. */
  clear(): void {
    if (this.screen.isTTY && this.#drawn) this.screen.write('\r\u001b[K')
    else if (this.#drawn && this.#latest) this.#show(this.#latest)
    this.#drawn = false
  }
}

export function progressText(progress: Progress, seconds: number, bar: boolean): string {
  if ('unit' in progress) return stageText(progress, seconds, bar)
  const reading = progress.phase === 'reading'
  const [done, total] = reading ? [progress.bytes, progress.bytes_total] : [progress.rows, progress.row_total]
  const share = total ? Math.min(1, done / total) : undefined
  const perSecond = (count: number): number => (seconds > 0 ? count / seconds : 0)
  const rate = perSecond(done)
  const amount = reading
    ? [`${megabytes(done)} read`, `${megabytes(rate)}/s`, `${whole(perSecond(progress.lines))} lines/s`]
    : [`${whole(done)} rows${DOING[progress.phase]}`, ...size(progress), `${whole(rate)} rows/s`]
  return [...percentText(share, bar), ...amount, ...timeLeft(share, seconds)].join('  ')
}

function stageText({ phase, done, total, unit }: StageProgress, seconds: number, bar: boolean): string {
  const share = total > 0 ? Math.min(1, done / total) : 1
  const amount =
    unit === 'bytes' ? `${megabytes(done)} of ${megabytes(total)}` : `${whole(done)} of ${whole(total)} ${unit}`
  return [...percentText(share, bar), `${phase} ${amount}`, ...timeLeft(share, seconds)].join('  ')
}

/** Below this, what is left is a guess from the first moments of the work, and wrong by far. */
const LEAST_SHARE = 0.02

const timeLeft = (share: number | undefined, seconds: number): string[] =>
  share !== undefined && share >= LEAST_SHARE ? [`${Math.ceil((seconds / share) * (1 - share))} s left`] : []

const percentText = (share: number | undefined, bar: boolean): string[] =>
  share === undefined ? [] : [`${bar ? drawn(share) : ''}${Math.floor(share * 100)}%`]

const DOING = { writing: '', comparing: ' compared with the previous release' } as const
const size = (progress: Progress): string[] => ('bytes' in progress ? [megabytes(progress.bytes)] : [])

const drawn = (share: number): string => {
  const full = Math.floor(share * BAR)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] `
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const megabytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`

/** The result of a load. */
export interface Summary {
  release_id: string
  state: string
  rows: number
  absences: number | undefined
  rejected: number
  seconds: number
  rows_per_second: number
  checks: readonly { rule: string; severity: string; failed: number; sample_lines: readonly number[] }[]
  judged_without: readonly string[]
  shares_npis_with: readonly string[]
  /** The last day of the edition, if that is over. */
  ended?: string | null
}

const SHOWN_LINES = 5

/** The result of a load as text: the totals, then each broken rule and its first lines. */
export function summaryText(summary: Summary): string {
  const totals = table([
    ['release', summary.release_id],
    ['state', summary.state],
    ['rows', whole(summary.rows)],
    ...(summary.absences === undefined ? [] : [['absences', whole(summary.absences)]]),
    ['rejected', whole(summary.rejected)],
    ['seconds', summary.seconds.toFixed(1)],
    ['rows/s', whole(summary.rows_per_second)],
  ])
  return [totals, ...brokenText(summary), ...notesText(summary)].join('\n\n')
}

function brokenText({ checks }: Summary): string[] {
  const broken = checks.filter(({ failed }) => failed > 0)
  if (broken.length === 0) return []
  const rules = broken.map(({ rule, severity, failed, sample_lines }) => [
    rule,
    severity,
    whole(failed),
    placesText(sample_lines, failed),
    ruleOf(rule).meaning,
  ])
  return [table([['rule', 'action', 'count', 'lines', 'meaning'], ...rules])]
}

function placesText(lines: readonly number[], failed: number): string {
  const shown = lines.slice(0, SHOWN_LINES)
  return `${shown.join(', ')}${failed > shown.length && shown.length > 0 ? ', ...' : ''}`
}
