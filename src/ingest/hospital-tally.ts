import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type ChargeSink, GREATEST_RATE, LEAST_RATE, STATED } from './hospital-charges.ts'

/** The least and the greatest amount found, and the lines on which they first stand. No amount is 0. */
const [LOW, LOW_LINE, HIGH, HIGH_LINE] = [0, 1, 2, 3] as const
const SPAN = 4
/** Four stated amounts, and one span for the rates, of which only the ends are wanted. */
const RATES = STATED.length * SPAN
const WIDTH = RATES + SPAN

export interface Extreme {
  cents: number
  line: number
}

/** Everything stated under one `cpt|modifier|setting`. */
export class Tallied {
  constructor(
    readonly key: string,
    readonly values: Float64Array,
  ) {}

  /** By the basis' place in `STATED`: the least and the greatest, or nothing. */
  stated(basis: number): [Extreme, Extreme] | undefined {
    return this.#span(basis * SPAN)
  }

  rates(): [Extreme, Extreme] | undefined {
    return this.#span(RATES)
  }

  #span(at: number): [Extreme, Extreme] | undefined {
    const { values } = this
    const extreme = (cents: number, line: number): Extreme => ({
      cents: values[at + cents] as number,
      line: values[at + line] as number,
    })
    const [low, high] = [extreme(LOW, LOW_LINE), extreme(HIGH, HIGH_LINE)]
    // Rates stand in for one end only where the file states the other.
    return low.cents > 0 || high.cents > 0 ? [low, high] : undefined
  }

  /** Takes up what a later part of the file states under the same key. */
  merge(later: Float64Array): void {
    for (let at = 0; at < WIDTH; at += SPAN) {
      if (later[at + LOW]) lower(this.values, at, later[at + LOW] as number, later[at + LOW_LINE] as number)
      if (later[at + HIGH]) higher(this.values, at, later[at + HIGH] as number, later[at + HIGH_LINE] as number)
    }
  }
}

function lower(values: Float64Array, at: number, cents: number, line: number): void {
  const known = values[at + LOW] as number
  if (known > 0 && known <= cents) return
  values[at + LOW] = cents
  values[at + LOW_LINE] = line
}

function higher(values: Float64Array, at: number, cents: number, line: number): void {
  if ((values[at + HIGH] as number) >= cents) return
  values[at + HIGH] = cents
  values[at + HIGH_LINE] = line
}

const KEYS_IN_MEMORY = 60_000
const FIRST_POOL = 1_024
const READ = 64 * 1024
const WRITE = 256 * 1024

/**
 * Collects amounts by key, and gives them back in key order. What does not fit in memory is written to a temporary
 * file as sorted runs, which are merged at the end. The file has no name once it is open, so that a crash leaves
 * nothing behind.
 */
export class ChargeTally {
  /** By code and variant: where in the pool its values stand. */
  readonly #places = new Map<string, Map<string, number>>()
  #keys = 0
  readonly #last = { cpt: '', variant: '', at: 0 }
  #pool = new Float64Array(FIRST_POOL * WIDTH)
  readonly #runs: { from: number; to: number }[] = []
  #file: number | undefined
  #written = 0

  constructor(
    readonly folder: string,
    readonly keysInMemory = KEYS_IN_MEMORY,
  ) {}

  readonly sink: ChargeSink = (cpt, variant, line, amounts) => {
    const at = this.#placeOf(cpt, variant)
    const pool = this.#pool
    for (let basis = 0; basis < STATED.length; basis++) {
      const cents = amounts[basis] as number
      if (cents === 0) continue
      lower(pool, at + basis * SPAN, cents, line)
      higher(pool, at + basis * SPAN, cents, line)
    }
    const [least, greatest] = [amounts[LEAST_RATE] as number, amounts[GREATEST_RATE] as number]
    if (least > 0) lower(pool, at + RATES, least, line)
    if (greatest > 0) higher(pool, at + RATES, greatest, line)
  };

  *entries(): Generator<Tallied> {
    const runs: Iterator<Tallied>[] = this.#runs.map(({ from, to }) => this.#readRun(from, to))
    yield* merged([...runs, this.#inMemory()])
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** The lines of one item, one for each payer, mostly follow one another. */
  #placeOf(cpt: string, variant: string): number {
    if (cpt === this.#last.cpt && variant === this.#last.variant) return this.#last.at
    const at = this.#places.get(cpt)?.get(variant) ?? this.#newPlace(cpt, variant)
    this.#last.cpt = cpt
    this.#last.variant = variant
    this.#last.at = at
    return at
  }

  #newPlace(cpt: string, variant: string): number {
    if (this.#keys >= this.keysInMemory) this.#spill()
    const at = this.#keys++ * WIDTH
    if (at === this.#pool.length) {
      const larger = new Float64Array(this.#pool.length * 2)
      larger.set(this.#pool)
      this.#pool = larger
    }
    const variants = this.#places.get(cpt)
    if (variants) variants.set(variant, at)
    else this.#places.set(cpt, new Map([[variant, at]]))
    return at
  }

  *#inMemory(): Generator<Tallied> {
    for (const cpt of [...this.#places.keys()].sort())
      for (const [variant, at] of [...(this.#places.get(cpt) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)))
        yield new Tallied(`${cpt}|${variant}`, this.#pool.subarray(at, at + WIDTH))
  }

  #spill(): void {
    this.#file ??= openNameless(this.folder)
    const from = this.#written
    let text = ''
    for (const { key, values } of this.#inMemory()) {
      text += `${key},${values.join()}\n`
      if (text.length > WRITE) text = this.#write(text)
    }
    this.#write(text)
    this.#runs.push({ from, to: this.#written })
    this.#places.clear()
    this.#keys = 0
    this.#last.cpt = ''
    this.#pool.fill(0)
  }

  #write(text: string): '' {
    const bytes = Buffer.from(text, 'latin1')
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file as number, bytes, done, bytes.length - done, this.#written + done)
    this.#written += bytes.length
    return ''
  }

  *#readRun(from: number, to: number): Generator<Tallied> {
    const bytes = Buffer.allocUnsafe(READ)
    let rest = ''
    for (let at = from; at < to; ) {
      const read = readSync(this.#file as number, bytes, 0, Math.min(READ, to - at), at)
      if (read === 0) throw new Error('the temporary file of a load has become shorter')
      at += read
      const lines = (rest + bytes.toString('latin1', 0, read)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const comma = line.indexOf(',')
        yield new Tallied(line.slice(0, comma), Float64Array.from(line.slice(comma + 1).split(','), Number))
      }
    }
  }
}

/** Runs in the order of the file: of two lines with the same amount the first is kept. */
function* merged(runs: readonly Iterator<Tallied>[]): Generator<Tallied> {
  const heads = runs.map((run) => run.next())
  for (;;) {
    let first: Tallied | undefined
    for (const { done, value } of heads) if (!done && (!first || value.key < first.key)) first = value
    if (!first) return
    const whole = first
    for (const [i, head] of heads.entries()) {
      if (head.done || head.value.key !== whole.key) continue
      if (head.value !== whole) whole.merge(head.value.values)
      heads[i] = (runs[i] as Iterator<Tallied>).next()
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
