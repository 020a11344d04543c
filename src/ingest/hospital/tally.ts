import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { unreadable } from '../../files/unreadable.ts'
import type { LoadBudget } from '../budget.ts'
import {
  ABOVE,
  type Amounts,
  BAD,
  BAD_FIELD,
  BELOW,
  GREATEST_RATE,
  HIGHEST,
  LEAST_RATE,
  LOWEST,
  MARKS,
  NONE,
  STATED,
  TORN_LINE,
  UNIT,
  unitsOf,
} from './amounts.ts'
import { boundScratch } from './bounds.ts'
import type { ChargeSink } from './charges.ts'
import { codeText } from './code-number.ts'
import { NO_UNIT, together } from './drug-unit.ts'
import { ChargeKeys } from './keys.ts'
import { BY_DAY, type PayerRates, PERCENT, RATE_MARKS, RATE_UNIT, STATED_RATES } from './payer-rates.ts'

/**
 * Places in a span: the least and the greatest amount found, the first lines that have them, and their unit; the first line where
 * one cannot be read, twice, and one more by rule R03; and the marks of all lines. No amount is 0. Most amounts are for one
 * service: the unit is then 0, so that nothing is written.
 */
const [LOW, LOW_LINE, HIGH, HIGH_LINE, FOR, UNREAD, ALL_MARKS] = [0, 1, 2, 3, 4, 5, 6] as const
const SPAN = 7

/** The parts of what is stated under one code and variant. First the four amounts, by their places in `STATED`. */
const RATE_ENDS = STATED.length
const EMPTY = RATE_ENDS + 1
/** What was said of every amount, of a line whose cells cannot be told apart. */
const TORN = EMPTY + 1
/** From here on the rates of payers: 16 places for each. */
const OF_PAYERS = 16

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

/** Everything that the hospital, or one payer of it, states under one code, modifier, setting and class. */
export class TallyEntry {
  readonly #spans: (Float64Array | undefined)[] = []

  put(part: number, values: Float64Array): void {
    this.#spans[part] = values
  }

  /** By its place in `STATED`, or in the rates of a payer: the least and the greatest, or nothing. */
  stated(part: number): Spread | undefined {
    const values = this.#spans[part]
    if (!values) return undefined
    const extreme = (amount: number, line: number): Extreme => ({
      dollars: values[amount] as number,
      line: values[line] as number,
    })
    const [low, high] = [extreme(LOW, LOW_LINE), extreme(HIGH, HIGH_LINE)]
    // Rates count for one end only where their lines state the other.
    if (low.dollars === 0 && high.dollars === 0) return undefined
    return { low, high, unit: values[FOR] || NO_UNIT }
  }

  /** The least and the greatest rate of lines that do not state the lowest, or the highest. */
  rates(): Spread | undefined {
    return this.stated(RATE_ENDS)
  }

  /** The marks of all lines with such an amount. */
  marks(part: number): number {
    return this.#spans[part]?.[ALL_MARKS] ?? 0
  }

  /** Whether any line has the mark: `BELOW`, `ABOVE` or `RESTORED`. */
  has(mark: number): boolean {
    return this.#spans.some((span) => span !== undefined && ((span[ALL_MARKS] as number) & mark) !== 0)
  }

  copy(): TallyEntry {
    const copy = new TallyEntry()
    for (const [part, values] of this.#spans.entries()) if (values) copy.put(part, values.slice())
    return copy
  }

  /** The line with an amount that cannot be read, and the rule that it breaks. */
  unread(part: number): { line: number; rule: 'R02' | 'R03' } | undefined {
    const place = this.#spans[part]?.[UNREAD] ?? 0
    return place === 0 ? undefined : { line: Math.floor(place / 2), rule: place % 2 === 1 ? 'R03' : 'R02' }
  }

  /** The first line that states no amount. */
  emptyLine(): number | undefined {
    return this.#spans[EMPTY]?.[LOW_LINE]
  }

  /** Adds the other amounts of the file under the same key. */
  merge(other: TallyEntry): void {
    for (const [part, more] of other.#spans.entries()) {
      if (!more) continue
      const values = this.#spans[part]
      if (values) mergeSpan(values, more)
      else this.#spans[part] = more.slice()
    }
  }

  /** Adds the unread amounts of a key that cannot be read, and that may be this one. */
  doubt(lost: TallyEntry): void {
    for (const [part, more] of lost.#spans.entries())
      if (more && more[UNREAD] !== 0) this.#doubtPart(part, more[UNREAD] as number)
  }

  /** Adds the doubt of a line whose cells cannot be told apart: it may have stated another rate of the payer. */
  doubtRates(lost: TallyEntry, parts: readonly number[]): void {
    const place = lost.#spans[TORN]?.[UNREAD] ?? 0
    if (place !== 0) for (const part of parts) if (this.stated(part)) this.#doubtPart(part, place)
  }

  #doubtPart(part: number, place: number): void {
    this.#spans[part] ??= new Float64Array(SPAN)
    const values = this.#spans[part] as Float64Array
    values[UNREAD] = earlier(values[UNREAD] as number, place)
  }
}

/** Adds the other amounts of a span. */
function mergeSpan(values: Float64Array, more: Float64Array): void {
  const isAny = more[LOW] !== 0 || more[HIGH] !== 0
  if (isAny) measure(values, 0, (more[FOR] as number) || NO_UNIT)
  if (more[LOW]) lower(values, 0, more[LOW] as number, more[LOW_LINE] as number)
  if (more[HIGH]) higher(values, 0, more[HIGH] as number, more[HIGH_LINE] as number)
  values[UNREAD] = earlier(values[UNREAD] as number, more[UNREAD] as number)
  values[ALL_MARKS] = (values[ALL_MARKS] as number) | (more[ALL_MARKS] as number)
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

/** More spans than most hospitals' lists have; together they take about 50 MB. */
const KEYS_IN_MEMORY = 400_000
/** Values are kept in blocks, so that none is ever copied to make room for more. */
const BLOCK = 16_384
/** A spilled span: the two parts of its key, and its values. */
const RECORD = 2 + SPAN
const RECORDS_AT_ONCE = 1_000

/** A span with its key. */
interface KeyedSpan {
  code: number
  slot: number
  values: Float64Array
}

/** Everything that is stated for one code, by `modifier|setting|class`. */
export interface CodeEntries {
  code: string
  hospital: Map<string, TallyEntry>
  /** By the numbers of payers. */
  payers: Map<number, Map<string, TallyEntry>>
}

/** The entries of one code are in memory at a time: far more than any hospital has, and not without limit. */
const SPANS_OF_A_CODE = 2_000_000

/**
 * Collects amounts by key, and gives them back in the order of codes. Keys that do not fit in memory are written to a temporary
 * file as sorted runs, which are merged at the end. The file has no name once it is open, so that a crash leaves
 * nothing behind.
 */
export class ChargeTally implements ChargeSink {
  readonly keys = new ChargeKeys()
  /** How much of the file has been read: it bounds the temporary file. */
  sourceBytes = 0
  /** How often a charge was counted for a code. */
  counted = 0
  readonly #last = { text: '', variant: -1 }
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

  charge(code: number, variant: string, line: number, amounts: Readonly<Amounts>, again: boolean): void {
    this.counted++
    if (again) return
    const number = this.#variantOf(variant)
    const unit = amounts[UNIT] as number
    const marks = amounts[MARKS] as number
    const isTorn = (marks & TORN_LINE) !== 0
    const ofAll = marks & ~(BELOW | ABOVE | TORN_LINE)
    for (let part = 0; part < STATED.length; part++) {
      const dollars = amounts[part] as number
      if (dollars === NONE) this.#add(code, this.keys.slotOf(number, EMPTY), line, 1, NO_UNIT, ofAll)
      else if (dollars !== 0) {
        const own = part === LOWEST ? marks & BELOW : part === HIGHEST ? marks & ABOVE : 0
        this.#add(code, this.keys.slotOf(number, part), line, dollars, unit, ofAll | own)
      }
    }
    const least = amounts[LEAST_RATE] as number
    const greatest = amounts[GREATEST_RATE] as number
    if (least > 0 || greatest > 0) this.#addEnds(code, this.keys.slotOf(number, RATE_ENDS), line, amounts, ofAll)
    if (isTorn) this.#add(code, this.keys.slotOf(number, TORN), line, BAD_FIELD, NO_UNIT, 0)
  }

  /** Adds the least and the greatest rate of a line that does not state the lowest, or the highest. */
  #addEnds(code: number, slot: number, line: number, amounts: Readonly<Amounts>, marks: number): void {
    const place = this.#placeOf(code, slot)
    const block = this.#blocks[Math.trunc(place / this.block)] as Float64Array
    const at = (place % this.block) * SPAN
    const [least, greatest] = [amounts[LEAST_RATE] as number, amounts[GREATEST_RATE] as number]
    measure(block, at, amounts[UNIT] as number)
    if (least > 0) lower(block, at, least, line)
    if (greatest > 0) higher(block, at, greatest, line)
    block[at + ALL_MARKS] = (block[at + ALL_MARKS] as number) | marks
  }

  rates(code: number, variant: string, line: number, payer: number, rates: Readonly<PayerRates>): void {
    this.counted++
    const first = this.keys.slotOf(this.#variantOf(variant), (payer + 1) * OF_PAYERS)
    const [marks, unit] = [rates[RATE_MARKS] as number, rates[RATE_UNIT] as number]
    for (let part = 0; part < STATED_RATES; part++) {
      const amount = rates[part] as number
      // A rate by the day, or by a hundred dollars, is for no unit of a drug.
      if (amount !== 0)
        this.#add(code, first + part, line, amount, part === BY_DAY || part === PERCENT ? NO_UNIT : unit, marks)
    }
  }

  /** The entries of each code, in the order of codes. */
  *codes(): Generator<CodeEntries> {
    const runs: Iterator<KeyedSpan>[] = this.#runs.map(({ from, to }) => this.#readRun(from, to))
    let number = -1
    let entries: CodeEntries | undefined
    let spans = 0
    for (const { code, slot, values } of merged([...runs, this.#inMemory()])) {
      this.#given++
      if (!entries || code !== number) {
        if (entries) yield entries
        entries = { code: codeText(code), hospital: new Map(), payers: new Map() }
        number = code
        spans = 0
      }
      if (++spans > SPANS_OF_A_CODE) throw unreadable('the file has too many modifiers and payers for one code')
      const { variant, part } = this.keys.partOf(slot)
      const payer = Math.floor(part / OF_PAYERS) - 1
      const own = payer < 0 ? entries.hospital : (entries.payers.get(payer) ?? new Map<string, TallyEntry>())
      if (payer >= 0) entries.payers.set(payer, own)
      const entry = own.get(variant) ?? new TallyEntry()
      own.set(variant, entry)
      entry.put(part % OF_PAYERS, values)
    }
    if (entries) yield entries
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

  #variantOf(text: string): number {
    if (this.#last.text !== text) {
      this.#last.variant = this.keys.variantOf(text)
      this.#last.text = text
    }
    return this.#last.variant
  }

  /** Adds one amount of one line. One below zero cannot be read. */
  #add(code: number, slot: number, line: number, dollars: number, unit: number, marks: number): void {
    const place = this.#placeOf(code, slot)
    const block = this.#blocks[Math.trunc(place / this.block)] as Float64Array
    const at = (place % this.block) * SPAN
    if (dollars < 0) block[at + UNREAD] ||= line * 2 + (dollars === BAD ? 0 : 1)
    else {
      measure(block, at, unit)
      lower(block, at, dollars, line)
      higher(block, at, dollars, line)
    }
    if (marks !== 0) block[at + ALL_MARKS] = (block[at + ALL_MARKS] as number) | marks
  }

  #placeOf(code: number, slot: number): number {
    const known = this.keys.find(code, slot)
    if (known !== undefined) return known
    if (this.keys.size >= this.keysInMemory) this.#spill()
    const place = this.keys.add(code, slot)
    if (place === this.#blocks.length * this.block) this.#blocks.push(new Float64Array(this.block * SPAN))
    return place
  }

  *#inMemory(): Generator<KeyedSpan> {
    for (const place of this.keys.sorted())
      yield { code: this.keys.codeAt(place), slot: this.keys.slotAt(place), values: this.#valuesOf(place) }
  }

  #valuesOf(place: number): Float64Array {
    const at = (place % this.block) * SPAN
    return (this.#blocks[Math.trunc(place / this.block)] as Float64Array).subarray(at, at + SPAN)
  }

  #spill(): void {
    boundScratch(this.scratchBytes + this.keys.size * RECORD * 8, this.sourceBytes, this.budget)
    this.#file ??= openNameless(this.folder)
    const from = this.scratchBytes
    const records = new Float64Array(RECORDS_AT_ONCE * RECORD)
    let filled = 0
    for (const place of this.keys.sorted()) {
      records[filled] = this.keys.codeAt(place)
      records[filled + 1] = this.keys.slotAt(place)
      records.set(this.#valuesOf(place), filled + 2)
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

  *#readRun(from: number, to: number): Generator<KeyedSpan> {
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
        yield {
          code: records[record] as number,
          slot: records[record + 1] as number,
          values: records.subarray(record + 2, record + RECORD),
        }
    }
  }
}

const isBefore = (a: KeyedSpan, b: KeyedSpan): boolean => a.code < b.code || (a.code === b.code && a.slot < b.slot)

/** Merges runs in the order of the file: the first of two lines with the same amount is kept. */
function* merged(runs: readonly Iterator<KeyedSpan>[]): Generator<KeyedSpan> {
  if (runs.length === 1) return yield* runs[0] as Generator<KeyedSpan>
  const heads = runs.map((run) => run.next())
  for (;;) {
    let first: KeyedSpan | undefined
    for (const { done, value } of heads) if (!done && (!first || isBefore(value, first))) first = value
    if (!first) return
    const whole = first
    for (const [i, head] of heads.entries()) {
      if (head.done || head.value.code !== whole.code || head.value.slot !== whole.slot) continue
      if (head.value !== whole) mergeSpan(whole.values, head.value.values)
      heads[i] = (runs[i] as Iterator<KeyedSpan>).next()
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
