// Two and a half million pairs, compactly: the file is read once, and its rows are made afterwards in the order of their codes.

import { unreadable } from '../../files/unreadable.ts'
import { compareEdits, type EditsRow, MODIFIER_INDICATORS, MOST_EDITS, type Pair } from '../../proof/price/edit-row.ts'
import type { Locator } from '../../proof/price/locator.ts'
import { type Findings, note, OLD_EDIT } from '../../registry/release/rules.ts'
import { PAIR_RATIONALES } from '../../tables/edits.ts'
import type { Line } from '../schedules/table.ts'
import { codeOf, dayOfDigits, numbersOf, UNKNOWN_WORD } from './edit-cells.ts'

// A pair is one number: the place of its other code, those of its first and last day, its rationale and its indicator.
const [MOST_CODES, MOST_DAYS, MOST_RATIONALES, MOST_INDICATORS] = [65_536, 4_096, 64, 16]
/** Left alone, the engine lets the cells of a whole file pile up. */
const LINES_IN_MEMORY = 100_000
/** In place of a last day: the pair did not end. */
const OPEN = '*'

const rationaleOf = numbersOf(PAIR_RATIONALES)

/** Different texts by the order in which they were met. */
class Words {
  readonly all: string[] = []
  readonly #places = new Map<string, number>()

  constructor(readonly most: number) {}

  place(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    if (this.all.length === this.most) throw unreadable('the file has more codes or days than such a table can have')
    const own = copied(text)
    this.#places.set(own, this.all.length)
    return this.all.push(own) - 1
  }
}

interface CodePairs {
  pairs: number[]
  /** The first line of the code in each file. */
  locator: Locator
}

export class PairTable {
  readonly #pairs = new Map<string, CodePairs>()
  readonly #codes = new Words(MOST_CODES)
  readonly #days = new Words(MOST_DAYS)
  /** The least and the greatest pair of codes, as they stand in the file that was read last. */
  #first = ''
  #last = ''
  lines = 0

  /** Reads a file, and says with which pair it begins and ends. */
  read(lines: Iterable<Line>, citation: number, rejects: Findings): { first: string; last: string } {
    this.#first = ''
    for (const line of lines) {
      const [one, two] = [line.cell('cpt'), line.cell('with')]
      // The heading goes on for some lines, in columns of its own.
      if (one === '' && two === '' && (this.#first === '' || line.cell('from') === '')) continue
      const code = codeOf(one)
      const fault = code === undefined ? 'R03' : this.#add(code, two, line, citation, rejects)
      if (fault !== undefined) note(rejects, fault, line.line)
      if (code === undefined) continue
      this.#last = `${code}/${two}`
      if (this.#first === '') this.#first = this.#last
      if (++this.lines % LINES_IN_MEMORY === 0) Bun.gc(true)
    }
    return { first: copied(this.#first), last: copied(this.#last) }
  }

  #add(code: string, two: string, line: Line, citation: number, rejects: Findings): string | undefined {
    const other = codeOf(two)
    const [from, to, stated] = [line.cell('from'), line.cell('to'), line.cell('indicator')]
    const indicator = MODIFIER_INDICATORS.find((each) => stated === String(each))
    const isDated = isoDay(from) !== undefined && (to === OPEN || isoDay(to) !== undefined)
    if (other === undefined || indicator === undefined || !isDated) return 'R03_field'
    const rationale = rationaleOf(line.cell('rationale'))
    if (rationale === UNKNOWN_WORD) note(rejects, 'W12', line.line)
    const known = this.#pairs.get(code) ?? { pairs: [], locator: [] }
    if (known.pairs.length === 0) this.#pairs.set(copied(code), known)
    if (known.locator.at(-1)?.citation !== citation) known.locator.push({ citation, line: line.line })
    const days = this.#days.place(from) * MOST_DAYS + this.#days.place(to)
    const number = this.#codes.place(other) * MOST_DAYS ** 2 + days
    known.pairs.push((number * MOST_RATIONALES + rationale) * MOST_INDICATORS + indicator)
    return undefined
  }

  /** The codes of column one, in order. */
  get codes(): string[] {
    return [...this.#pairs.keys()].sort()
  }

  /**
   * The row of a code, without the pairs that ended before `since`; undefined if it has no others. `order` is the place of each
   * citation in the manifest.
   */
  row(
    code: string,
    { effective_from, since, order }: { effective_from: string; since: string; order: readonly number[] },
    rejects: Findings,
  ): EditsRow | undefined {
    const { pairs, locator } = this.#pairs.get(code) ?? { pairs: [], locator: [] }
    const edits: Pair[] = []
    for (const number of pairs) {
      const pair = this.#pairOf(number)
      if (pair[3] !== null && pair[3] < since) note(rejects, OLD_EDIT, undefined)
      else edits.push(pair)
    }
    edits.sort(compareEdits)
    const distinct = edits.filter((pair, i) => i === 0 || compareEdits(edits[i - 1] as Pair, pair) !== 0)
    for (let i = distinct.length; i < edits.length; i++) note(rejects, 'R09', undefined, code)
    if (distinct.length > MOST_EDITS) throw unreadable('a code has more pairs than a row can have')
    if (distinct.length === 0) return undefined
    const places = locator
      .map(({ citation, line }) => ({ citation: order[citation] ?? citation, line }))
      .sort((a, b) => a.citation - b.citation)
    return { kind: 'edits', code, edits: distinct, effective_from, locator: places }
  }

  #pairOf(number: number): Pair {
    let rest = number
    const next = (most: number): number => {
      const part = rest % most
      rest = Math.floor(rest / most)
      return part
    }
    const [indicator, rationale] = [next(MOST_INDICATORS) as Pair[1], next(MOST_RATIONALES)]
    const [to = '', from = ''] = [next(MOST_DAYS), next(MOST_DAYS)].map((place) => this.#days.all[place])
    return [
      this.#codes.all[rest] ?? '',
      indicator,
      isoDay(from) ?? '',
      to === OPEN ? null : (isoDay(to) ?? ''),
      rationale,
    ]
  }
}

/** A part of a text keeps the whole text in memory, which is a file here. */
const copied = (text: string): string => Buffer.from(text).toString()

const isoDays = new Map<string, string | undefined>()
/** A table has some hundred days, and each of them in thousands of lines. */
function isoDay(text: string): string | undefined {
  if (isoDays.has(text)) return isoDays.get(text)
  const day = dayOfDigits(text)
  if (isoDays.size < MOST_DAYS) isoDays.set(copied(text), day)
  return day
}
