import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadBudget } from '../budget.ts'
import { BAD_FIELD, GREATEST_RATE, LEAST_RATE, MARKS, NONE, STATED, UNIT, unitsOf } from './amounts.ts'
import { boundScratch } from './bounds.ts'
import type { ChargeSink } from './charges.ts'
import { NO_UNIT, together } from './drug-unit.ts'
import { ChargeKeys } from './keys.ts'

/**
 * Places in a span: the least and the greatest amount found, the first lines that have them, and their unit. No amount
 * is 0. Most amounts are for one service: the unit is then 0, so that nothing is written.
 */
const [LOW, LOW_LINE, HIGH, HIGH_LINE, FOR] = [0, 1, 2, 3, 4] as const
const SPAN = 5
/** Four stated amounts, and one span for the rates, of which only the ends are wanted. */
const RATES = STATED.length * SPAN
/** For each stated amount, the first line where it cannot be read: twice the line, and one more by rule R03. */
const UNREAD = RATES + SPAN
/** The first line without any amount. */
const EMPTY_LINE = UNREAD + STATED.length
/** The marks of all lines together. */
const ALL_MARKS = EMPTY_LINE + 1
const WIDTH = ALL_MARKS + 1

export interface Extreme {
  dollars: number
  line: number
}

/** The least and the greatest of some amounts, 0 where there is none, and their unit (drug-unit.ts). */
export interface Spread {
  low: Extreme
  high: Extreme
  unit: number
}

/** Everything stated under one code, modifier, setting and class. */
export class TallyEntry {
  constructor(
    /** The number of these four, see `ChargeKeys`. */
    readonly key: number,
    readonly values: Float64Array,
  ) {}

  /** By the basis' place in `STATED`: the least and the greatest, or nothing. */
  stated(basis: number): Spread | undefined {
    return this.#span(basis)
  }

  /** The least and the greatest rate of lines that do not state the lowest, or the highest. */
  rates(): Spread | undefined {
    return this.#span(STATED.length)
  }

  /** Whether any line has the mark: `BELOW`, `ABOVE` or `RESTORED`. */
  has(mark: number): boolean {
    return ((this.values[ALL_MARKS] as number) & mark) !== 0
  }

  copy(): TallyEntry {
    return new TallyEntry(this.key, this.values.slice())
  }

  /** The line with an amount on this basis that cannot be read, and the rule that it breaks. */
  unread(basis: number): { line: number; rule: 'R02' | 'R03' } | undefined {
    const place = this.values[UNREAD + basis] as number
    return place === 0 ? undefined : { line: Math.floor(place / 2), rule: place % 2 === 1 ? 'R03' : 'R02' }
  }

  /** The first line that states no amount. */
  emptyLine(): number | undefined {
    return this.values[EMPTY_LINE] || undefined
  }

  #span(place: number): Spread | undefined {
    const { values } = this
    const at = place * SPAN
    const extreme = (amount: number, line: number): Extreme => ({
      dollars: values[at + amount] as number,
      line: values[at + line] as number,
    })
    const [low, high] = [extreme(LOW, LOW_LINE), extreme(HIGH, HIGH_LINE)]
    // Rates count for one end only where their lines state the other.
    if (low.dollars === 0 && high.dollars === 0) return undefined
    return { low, high, unit: (values[at + FOR] as number) || NO_UNIT }
  }

  /** Adds the other amounts of the file under the same key. */
  merge(other: TallyEntry): void {
    const { values } = this
    const more = other.values
    for (let at = 0; at < UNREAD; at += SPAN) {
      const isAny = more[at + LOW] !== 0 || more[at + HIGH] !== 0
      if (isAny) measure(values, at, (more[at + FOR] as number) || NO_UNIT)
      if (more[at + LOW]) lower(values, at, more[at + LOW] as number, more[at + LOW_LINE] as number)
      if (more[at + HIGH]) higher(values, at, more[at + HIGH] as number, more[at + HIGH_LINE] as number)
    }
    for (let at = UNREAD; at < ALL_MARKS; at++) values[at] = earlier(values[at] as number, more[at] as number)
    values[ALL_MARKS] = (values[ALL_MARKS] as number) | (more[ALL_MARKS] as number)
  }

  /** Adds the unread amounts of a key that cannot be read, and that may be this one. */
  doubt(lost: TallyEntry): void {
    for (let at = UNREAD; at < EMPTY_LINE; at++)
      this.values[at] = earlier(this.values[at] as number, lost.values[at] as number)
  }
}

const earlier = (one: number, other: number): number =>
  one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other)

/** Whether to keep the known amount: it is further out, or equal and on an earlier line. */
function isKept(known: number, knownLine: number, fresh: number, line: number, toward: 1 | -1): boolean {
  if (known === 0) return false
  const step = known === fresh ? 0 : (unitsOf(fresh) - unitsOf(known)) * toward
  return step === 0 ? knownLine <= line : step < 0
}

/** Adds the unit of an amount, before the amount itself. */
function measure(values: Float64Array, at: number, unit: number): void {
  const known = values[at + FOR] as number
  if (unit === NO_UNIT && known === 0) return
  const isFirst = values[at + LOW] === 0 && values[at + HIGH] === 0
  values[at + FOR] = isFirst ? unit : together(known || NO_UNIT, unit)
}

function lower(values: Float64Array, at: number, dollars: number, line: number): void {
  if (isKept(values[at + LOW] as number, values[at + LOW_LINE] as number, dollars, line, -1)) return
  values[at + LOW] = dollars
  values[at + LOW_LINE] = line
}

function higher(values: Float64Array, at: number, dollars: number, line: number): void {
  if (isKept(values[at + HIGH] as number, values[at + HIGH_LINE] as number, dollars, line, 1)) return
  values[at + HIGH] = dollars
  values[at + HIGH_LINE] = line
}

/** More than most hospitals' lists have; together they take about 25 MB. */
const KEYS_IN_MEMORY = 100_000
/** Values are kept in blocks, so that none is ever copied to make room for more. */
const BLOCK = 4_096
/** A spilled entry: its key and its values. */
const RECORD = 1 + WIDTH
const RECORDS_AT_ONCE = 400

/**
 * Collects amounts by key, and gives them back in key order. Keys that do not fit in memory are written to a temporary
 * file as sorted runs, which are merged at the end. The file has no name once it is open, so that a crash leaves
 * nothing behind.
 */
export class ChargeTally {
  readonly keys = new ChargeKeys()
  /** How much of the file has been read: it bounds the temporary file. */
  sourceBytes = 0
  /** How often a charge was counted for a code. */
  counted = 0
  readonly #last = { code: -1, variant: '', place: 0 }
  readonly #blocks: Float64Array[] = []
  readonly #runs: { from: number; to: number }[] = []
  #file: number | undefined
  /** How much is in the temporary file. */
  scratchBytes = 0
  #given = 0

  constructor(
    readonly folder: string,
    readonly keysInMemory = KEYS_IN_MEMORY,
    readonly block = BLOCK,
    readonly budget?: LoadBudget,
  ) {}

  readonly sink: ChargeSink = (code, variant, line, amounts, again) => {
    this.counted++
    if (again) return
    const place = this.#numberOf(code, variant)
    const block = this.#blocks[Math.trunc(place / this.block)] as Float64Array
    const at = (place % this.block) * WIDTH
    const unit = amounts[UNIT] as number
    for (let basis = 0; basis < STATED.length; basis++) {
      const dollars = amounts[basis] as number
      if (dollars === 0) continue
      if (dollars === NONE) block[at + EMPTY_LINE] ||= line
      else if (dollars < 0) block[at + UNREAD + basis] ||= line * 2 + (dollars === BAD_FIELD ? 1 : 0)
      else {
        measure(block, at + basis * SPAN, unit)
        lower(block, at + basis * SPAN, dollars, line)
        higher(block, at + basis * SPAN, dollars, line)
      }
    }
    const least = amounts[LEAST_RATE] as number
    const greatest = amounts[GREATEST_RATE] as number
    if (least > 0 || greatest > 0) measure(block, at + RATES, unit)
    if (least > 0) lower(block, at + RATES, least, line)
    if (greatest > 0) higher(block, at + RATES, greatest, line)
    const marks = amounts[MARKS] as number
    if (marks !== 0) block[at + ALL_MARKS] = (block[at + ALL_MARKS] as number) | marks
  };

  *entries(): Generator<TallyEntry> {
    const runs: Iterator<TallyEntry>[] = this.#runs.map(({ from, to }) => this.#readRun(from, to))
    for (const entry of merged([...runs, this.#inMemory()])) {
      yield entry
      this.#given++
    }
  }

  /** How many keys there are, at most: a key may be in several runs. */
  get mostKeys(): number {
    return this.scratchBytes / (RECORD * 8) + this.keys.size
  }

  /** About how much of it has been given back, from 0 to 1. */
  share(): number {
    return this.#given / Math.max(1, this.mostKeys)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** The lines of one item, one for each payer, mostly follow one another. */
  #numberOf(code: number, variant: string): number {
    const last = this.#last
    if (code === last.code && variant === last.variant) return last.place
    const key = this.keys.keyOf(code, variant)
    let place = this.keys.find(key)
    if (place === undefined) {
      if (this.keys.size >= this.keysInMemory) this.#spill()
      place = this.keys.add(key)
      if (place === this.#blocks.length * this.block) this.#blocks.push(new Float64Array(this.block * WIDTH))
    }
    last.code = code
    last.variant = variant
    last.place = place
    return place
  }

  *#inMemory(): Generator<TallyEntry> {
    for (const key of this.keys.sorted()) yield new TallyEntry(key, this.#valuesOf(key))
  }

  #valuesOf(key: number): Float64Array {
    const place = this.keys.find(key) as number
    const at = (place % this.block) * WIDTH
    return (this.#blocks[Math.trunc(place / this.block)] as Float64Array).subarray(at, at + WIDTH)
  }

  #spill(): void {
    boundScratch(this.scratchBytes + this.keys.size * RECORD * 8, this.sourceBytes, this.budget)
    this.#file ??= openNameless(this.folder)
    const from = this.scratchBytes
    const records = new Float64Array(RECORDS_AT_ONCE * RECORD)
    let filled = 0
    for (const key of this.keys.sorted()) {
      records[filled] = key
      records.set(this.#valuesOf(key), filled + 1)
      filled += RECORD
      if (filled === records.length) filled = this.#write(records)
    }
    this.#write(records.subarray(0, filled))
    this.#runs.push({ from, to: this.scratchBytes })
    this.keys.clear()
    for (const block of this.#blocks) block.fill(0)
  }

  #write(records: Float64Array): 0 {
    const bytes = new Uint8Array(records.buffer, 0, records.byteLength)
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file as number, bytes, done, bytes.length - done, this.scratchBytes + done)
    this.scratchBytes += bytes.length
    return 0
  }

  *#readRun(from: number, to: number): Generator<TallyEntry> {
    for (let at = from; at < to; ) {
      const bytes = new Uint8Array(Math.min(RECORDS_AT_ONCE * RECORD * 8, to - at))
      for (let done = 0; done < bytes.length; ) {
        const read = readSync(this.#file as number, bytes, done, bytes.length - done, at + done)
        if (read === 0) throw new Error('the temporary file of a load has become shorter')
        done += read
      }
      at += bytes.length
      const records = new Float64Array(bytes.buffer)
      for (let record = 0; record < records.length; record += RECORD)
        yield new TallyEntry(records[record] as number, records.subarray(record + 1, record + RECORD))
    }
  }
}

/** Merges runs in the order of the file: the first of two lines with the same amount is kept. */
function* merged(runs: readonly Iterator<TallyEntry>[]): Generator<TallyEntry> {
  if (runs.length === 1) return yield* runs[0] as Generator<TallyEntry>
  const heads = runs.map((run) => run.next())
  for (;;) {
    let first: TallyEntry | undefined
    for (const { done, value } of heads) if (!done && (!first || value.key < first.key)) first = value
    if (!first) return
    const whole = first
    for (const [i, head] of heads.entries()) {
      if (head.done || head.value.key !== whole.key) continue
      if (head.value !== whole) whole.merge(head.value)
      heads[i] = (runs[i] as Iterator<TallyEntry>).next()
    }
    yield whole
  }
}

function openNameless(folder: string): number {
  const path = join(folder, `atr-load-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
