import type { Db } from '../../db/db.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { firstDayOfHistory } from '../../proof/check/edit-tables.ts'
import { kindOfRows } from '../../proof/price/charts.ts'
import { type EditRow, isEditKind, type Pair, type Primary } from '../../proof/price/edit-row.ts'
import type { AnyRow, Price } from '../../proof/price/row.ts'
import { ourTurn } from '../../queue.ts'
import { type FiledRelease, openRelease, type ReleaseFile, type StoredRow } from '../rows/release-file-store.ts'
import { decimalOf, endsOfText } from './price-ends.ts'
import type { NewRelease } from './store.ts'

/** Few enough that reading them takes a millisecond or two: other requests wait for that long. */
const ROWS_PER_READ = 1_000
const ROWS_PER_REPORT = 5_000
const LARGEST = 10
const SAMPLE_KEYS = 5

/** A price that both releases state, and differently. */
export interface Move {
  row_key: string
  before: Price
  after: Price
  /** In dollars, with its sign; of a range, the end that moved most. */
  change: string
  change_pct: number
}

/** Rows whose price changed by more than this share. The 25 % count also includes rows that gained or lost a price. */
export interface PriceMoves {
  count: number
  sample_keys: string[]
}

export interface ReleaseDiff {
  added: number
  removed: number
  /** Another price, another reason for which there is none, one in place of the other, or another place. */
  changed: number
  unchanged: number
  moved_over_25_pct: PriceMoves
  moved_over_100_pct: PriceMoves
  max_abs_change_pct: number
  largest_by_amount: Move[]
  largest_by_percent: Move[]
  /** Of limits, pairs and primary codes, each by itself; only of the charts of edits. */
  edits?: EditMoves
}

/** How the entries of two tables of edits differ. One that ended long ago leaves the table, and is not counted. */
export interface EditMoves {
  before: number
  added: number
  /** Gone, or with another last day, indicator, number of units or reason. */
  changed: number
}

/** A release that is compared with another one of its chart. */
type ComparedRelease = FiledRelease & Pick<NewRelease, 'chart' | 'effective_from'>

/** How a release differs from itself. */
export const noDiff = (rows: number): ReleaseDiff => ({ ...new Tally().result(), unchanged: rows })

/**
 * How one release differs from another, key by key. Both are read once, side by side, in stretches: the memory
 * it takes does not grow with them. A row that only moved to another line of its source is unchanged.
 */
export async function diffReleases(
  db: Db,
  from_release: ComparedRelease,
  to_release: ComparedRelease,
  onCompared?: (rows: number) => void,
): Promise<ReleaseDiff> {
  const [from, to] = [new Walk(openRelease(db, from_release)), new Walk(openRelease(db, to_release))]
  const ended = firstDayOfHistory(to_release.effective_from)
  const edits = isEditKind(kindOfRows(to_release.chart)) ? new EditTally(ended) : undefined
  const tally = new Tally(edits)
  let compared = 0
  await Promise.all([from.fill(), to.fill()])
  for (;;) {
    const [before, after] = [from.current, to.current]
    if (!before && !after) return tally.result()
    const order = compare(before?.row_key, after?.row_key)
    if (order < 0) tally.diff.removed++
    else if (order > 0) tally.diff.added++
    else if (before && after) tally.compare(before.row_key, before.body, after.body)
    edits?.compare(order <= 0 ? before?.body : undefined, order >= 0 ? after?.body : undefined)
    if (order <= 0 && !from.step()) await from.fill()
    if (order >= 0) {
      if (++compared % ROWS_PER_REPORT === 0) onCompared?.(compared)
      if (!to.step()) await to.fill()
    }
  }
}

/** A release that has come to its end stands after every key. */
function compare(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined) return 1
  if (b === undefined) return -1
  return a < b ? -1 : 1
}

/** A place in the rows of one release. */
class Walk {
  #rows: StoredRow[] = []
  #at = 0
  #after = ''

  constructor(readonly file: ReleaseFile) {}

  get current(): StoredRow | undefined {
    return this.#rows[this.#at]
  }

  /** False when the next stretch has to be read first. */
  step(): boolean {
    this.#at++
    return this.#at < this.#rows.length
  }

  /** Lets others go first: reading millions of rows must not hold up other requests. */
  async fill(): Promise<void> {
    await ourTurn()
    this.#after = this.#rows.at(-1)?.row_key ?? this.#after
    this.#rows = this.file.rowsAfter(this.#after, ROWS_PER_READ)
    this.#at = 0
  }
}

class Tally {
  readonly diff: ReleaseDiff = {
    added: 0,
    removed: 0,
    changed: 0,
    unchanged: 0,
    moved_over_25_pct: { count: 0, sample_keys: [] },
    moved_over_100_pct: { count: 0, sample_keys: [] },
    max_abs_change_pct: 0,
    largest_by_amount: [],
    largest_by_percent: [],
  }
  constructor(readonly edits?: EditTally) {}

  readonly #byAmount = new Largest()
  readonly #byPercent = new Largest()

  compare(row_key: string, before: string, after: string): void {
    const [old, current] = [priceText(before), priceText(after)]
    const same =
      old === undefined && current === undefined ? statementOf(before) === statementOf(after) : old === current
    if (same) this.diff.unchanged++
    else {
      this.diff.changed++
      if (old !== undefined && current !== undefined) this.#move(row_key, old, current)
      // A price that gives way to an absence has moved as far as a price can.
      else if (old !== undefined || current !== undefined) count(this.diff.moved_over_25_pct, row_key)
    }
  }

  #move(row_key: string, old: string, current: string): void {
    const [before, after] = [endsOfText(old), endsOfText(current)]
    const ends = [after.low - before.low, after.high - before.high] as const
    const shares = [ends[0] / Math.max(1, before.low), ends[1] / Math.max(1, before.high)] as const
    const units = Math.abs(ends[1]) >= Math.abs(ends[0]) ? ends[1] : ends[0]
    const share = Math.abs(shares[1]) >= Math.abs(shares[0]) ? shares[1] : shares[0]
    const move = (): Move => ({
      row_key,
      before: JSON.parse(old) as Price,
      after: JSON.parse(current) as Price,
      change: units < 0 ? `-${decimalOf(-units)}` : decimalOf(units),
      change_pct: percent(share),
    })
    if (Math.abs(share) > 0.25) count(this.diff.moved_over_25_pct, row_key)
    if (Math.abs(share) > 1) count(this.diff.moved_over_100_pct, row_key)
    this.diff.max_abs_change_pct = Math.max(this.diff.max_abs_change_pct, Math.abs(percent(share)))
    this.#byAmount.offer(Math.abs(units), move)
    this.#byPercent.offer(Math.abs(share), move)
  }

  result(): ReleaseDiff {
    const largest = { largest_by_amount: this.#byAmount.moves, largest_by_percent: this.#byPercent.moves }
    return { ...this.diff, ...largest, ...(this.edits && { edits: this.edits.moves }) }
  }
}

/** Counts entries of edits, row by row. */
class EditTally {
  readonly moves: EditMoves = { before: 0, added: 0, changed: 0 }

  /** An entry whose last day is before `ended` leaves the table by itself. */
  constructor(readonly ended: string) {}

  compare(before: string | undefined, after: string | undefined): void {
    const [old, current] = [entriesOf(before), entriesOf(after)]
    this.moves.before += old.size
    for (const [name, text] of old) {
      const now = current.get(name)
      if (now === undefined ? !this.#hasEnded(text) : now !== text) this.moves.changed++
    }
    for (const name of current.keys()) if (!old.has(name)) this.moves.added++
  }

  #hasEnded(text: string): boolean {
    const entry = JSON.parse(text) as unknown
    const to = Array.isArray(entry) ? (entry as Pair)[3] : null
    return to !== null && to < this.ended
  }
}

/** The entries of a row by what they are about: a code and its first day, or the limit. */
function entriesOf(body: string | undefined): ReadonlyMap<string, string> {
  if (body === undefined) return new Map()
  const row = JSON.parse(body) as EditRow
  if (row.kind === 'limit') return new Map([['', JSON.stringify([row.units, row.adjudication, row.rationale])]])
  const entries: readonly (Pair | Primary)[] = row.kind === 'edits' ? row.edits : row.primaries
  return new Map(entries.map((entry) => [`${entry[0]} ${entry[2]}`, JSON.stringify(entry)]))
}

/** The few largest of many, the first found where two are as large. */
class Largest {
  #kept: { size: number; move: Move }[] = []

  offer(size: number, move: () => Move): void {
    const least = this.#kept.at(-1)
    if (this.#kept.length === LARGEST && least && size <= least.size) return
    const place = this.#kept.findIndex((each) => each.size < size)
    this.#kept.splice(place < 0 ? this.#kept.length : place, 0, { size, move: move() })
    this.#kept.length = Math.min(this.#kept.length, LARGEST)
  }

  get moves(): Move[] {
    return this.#kept.map(({ move }) => move)
  }
}

function count(moved: PriceMoves, row_key: string): void {
  moved.count++
  if (moved.sample_keys.length < SAMPLE_KEYS) moved.sample_keys.push(row_key)
}

const PRICE = '"price":{'

/**
 * The price in a canonical row text, as text; nothing for a row without one. Millions of rows are compared, so the
 * text is not parsed: inputs are never objects, and no value can hold a quotation mark, so the mark is unique.
 */
function priceText(body: string): string | undefined {
  const at = body.lastIndexOf(PRICE)
  return at < 0 ? undefined : body.slice(at + PRICE.length - 1, body.indexOf('}', at) + 1)
}

/** The statement of a row without a price: why it has none, where a ZIP code lies, or what an edit says. */
function statementOf(body: string): string | null {
  const row = JSON.parse(body) as Exclude<AnyRow, { price: Price }>
  if (row.kind === 'place') return row.region
  if (row.kind === 'absence') return row.reason
  const { effective_from: _, locator: __, ...stated } = row
  return canonical(stated)
}

/** Zero has no sign: it would be lost in JSON. */
const percent = (share: number): number => Math.round(share * 10_000) / 100 + 0
