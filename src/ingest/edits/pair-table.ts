// Two and a half million pairs, compactly: the file is read once, and its rows are made afterwards in the order of their codes.

import { unreadable } from '../../files/unreadable.ts'
import { compareEdits, type EditsRow, MODIFIER_INDICATORS, MOST_EDITS, type Pair } from '../../proof/price/edit-row.ts'
import type { Locator } from '../../proof/price/locator.ts'
import { type Findings, note, OLD_EDIT } from '../../registry/release/rules.ts'
import { PAIR_RATIONALES } from '../../tables/edits.ts'
import type { Line } from '../schedules/table.ts'
import { codeOf, dayOfDigits, numbersOf, UNKNOWN_WORD } from './edit-cells.ts'

/** Numbers that one pair takes in the list of its code: the other code, first and last day, and indicator with rationale. */
const NUMBERS = 4
/** In place of a last day: the pair did not end. */
const OPEN = 99_999_999
const NUMBER_OF_INDICATORS = 10

const rationaleOf = numbersOf(PAIR_RATIONALES)

interface CodePairs {
  numbers: number[]
  /** The first line of the code in each file. */
  locator: Locator
}

export class PairTable {
  readonly #pairs = new Map<string, CodePairs>()
  readonly #codes: string[] = []
  readonly #places = new Map<string, number>()
  readonly #days = new Map<string, number>()
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
      this.lines++
    }
    return { first: this.#first, last: this.#last }
  }

  #add(code: string, two: string, line: Line, citation: number, rejects: Findings): string | undefined {
    const other = codeOf(two)
    const [from, to] = [this.#day(line.cell('from')), line.cell('to') === '*' ? OPEN : this.#day(line.cell('to'))]
    const stated = line.cell('indicator')
    const indicator = MODIFIER_INDICATORS.find((each) => stated === String(each))
    if (other === undefined || from === 0 || to === 0 || indicator === undefined) return 'R03_field'
    const rationale = rationaleOf(line.cell('rationale'))
    if (rationale === UNKNOWN_WORD) note(rejects, 'W12', line.line)
    const known = this.#pairs.get(code) ?? { numbers: [], locator: [] }
    this.#pairs.set(code, known)
    if (known.locator.at(-1)?.citation !== citation) known.locator.push({ citation, line: line.line })
    known.numbers.push(this.#place(other), from, to, rationale * NUMBER_OF_INDICATORS + indicator)
    return undefined
  }

  #place(code: string): number {
    const known = this.#places.get(code)
    if (known !== undefined) return known
    this.#places.set(code, this.#codes.length)
    return this.#codes.push(code) - 1
  }

  /** A day as a number, 20260701; 0 for what is none. A table has some hundred days. */
  #day(text: string): number {
    const known = this.#days.get(text)
    if (known !== undefined) return known
    const day = dayOfDigits(text) === undefined ? 0 : Number(text)
    if (this.#days.size < MOST_DAYS) this.#days.set(text, day)
    return day
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
    const { numbers, locator } = this.#pairs.get(code) ?? { numbers: [], locator: [] }
    const edits: Pair[] = []
    for (let at = 0; at < numbers.length; at += NUMBERS) {
      const pair = this.#pairAt(numbers, at)
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

  #pairAt(numbers: readonly number[], at: number): Pair {
    const [place = 0, from = 0, to = 0, words = 0] = numbers.slice(at, at + NUMBERS)
    const indicator = (words % NUMBER_OF_INDICATORS) as Pair[1]
    const rationale = Math.floor(words / NUMBER_OF_INDICATORS)
    return [this.#codes[place] ?? '', indicator, dayText(from), to === OPEN ? null : dayText(to), rationale]
  }
}

const MOST_DAYS = 10_000

const texts = new Map<number, string>()
function dayText(day: number): string {
  const text = texts.get(day) ?? dayOfDigits(String(day)) ?? ''
  if (texts.size < MOST_DAYS) texts.set(day, text)
  return text
}
