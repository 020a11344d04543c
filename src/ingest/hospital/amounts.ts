import { amountOf } from '../../proof/price/derivation.ts'
import type { Basis } from '../../proof/price/row.ts'
import { isPlaceholder } from '../findings.ts'

/**
 * Places in the list of numbers that one line or item states for one key. First its amounts in dollars: 0 where it states
 * none, `BAD` where the amount cannot be read, and `NONE` where the line states nothing else. A double holds every amount of
 * fifteen digits, so none is changed by it.
 *
 * The least and the greatest rate take the place of a lowest and a highest that the line does not state. `UNIT` is the unit
 * of the amounts (drug-unit.ts). `MARKS` is a sum of marks.
 */
export const [GROSS, CASH, LOWEST, HIGHEST, LEAST_RATE, GREATEST_RATE, UNIT, MARKS] = [0, 1, 2, 3, 4, 5, 6, 7] as const
/**
 * Marks: a rate of the line lies below its lowest, or above its highest; the code had lost its leading zeros, or had one more; the line
 * is for a charge code of the hospital's own, of which the code is only the group; its cells cannot be told apart.
 */
export const [BELOW, ABOVE, RESTORED, OWN_CODE, TORN_LINE] = [1, 2, 4, 8, 16] as const
export const STATED: readonly Basis[] = [
  'hospital_gross',
  'hospital_cash',
  'hospital_negotiated_low',
  'hospital_negotiated_high',
]
export type Amounts = number[]
export const noAmounts = (): Amounts => [0, 0, 0, 0, 0, 0, 0, 0]

/** An amount that cannot be read. */
export const BAD = -1
/** An amount of which nobody can say what it is for: the modifier, setting or cells of its line cannot be told apart. */
export const BAD_FIELD = -2
/** Takes the place of the lowest in a line without any amount in dollars, but a percentage, a formula, or nothing. */
export const NONE = -3

/** Whether a cell is empty in the words of hospitals, and of the programs that write their files. */
export const isNothing = (text: string): boolean => NOTHING.test(text)
const NOTHING = /^\s*(#?N\/?A|NULL|NONE|NAN|-{1,3})\s*$/i

/**
 * An amount in dollars, 0 where the text says that there is none, or `BAD`. The template forbids dollar signs and thousands commas, and hospitals write them: they
 * leave no doubt. A number with more digits than a double has was written from one: it is that double.
 */
export function dollarsOf(text: string): number {
  if (isNothing(text)) return 0
  const stated = WITH_SIGNS.test(text) ? text.replace(/[$,\s]/g, '') : text.trim()
  if (isPlaceholder(stated.replace(/\.0*$/, '')) || !/^[0-9]*(?:\.[0-9]*)?$/.test(stated) || !/[1-9]/.test(stated))
    return BAD
  const value = Number(stated)
  return amountOf(String(value)) === undefined ? BAD : value
}
const WITH_SIGNS = /^\s*(?:\$\s*)?([0-9]{1,3}(,[0-9]{3})+|[0-9]{1,12})(\.[0-9]{0,20})?\s*$/

const UNITS = 10_000

/**
 * An amount as rows state it, in hundredths of a cent, for comparison. Four decimals are stated as they are, and more are
 * rounded to the cent.
 */
export function unitsOf(dollars: number): number {
  const units = Math.round(dollars * UNITS)
  return units / UNITS === dollars ? units : Math.round(Number(amountOf(String(dollars))) * UNITS)
}

/** The amounts of one line while it is read. */
export class LineAmounts {
  readonly dollars: Amounts = noAmounts()
  #bad = false
  #badRate = false

  begin(unit: number): void {
    this.dollars.fill(0)
    this.dollars[UNIT] = unit
    this.#bad = false
    this.#badRate = false
  }

  state(at: number, dollars: number): void {
    if (dollars === BAD) this.#bad = true
    this.dollars[at] = dollars
  }

  /** Whether the line states the lowest and the highest, and a number lies between them. */
  isBetween(stated: number): boolean {
    const lowest = this.dollars[LOWEST] as number
    return lowest > 0 && stated >= lowest && stated <= (this.dollars[HIGHEST] as number)
  }

  /** Whether a negotiated rate changes nothing: the line states the lowest and the highest, and it lies between them. */
  covers(rate: number): boolean {
    const lowest = this.dollars[LOWEST] as number
    const highest = this.dollars[HIGHEST] as number
    if (lowest === 0 || highest === 0) return rate === 0
    return this.isBetween(rate) || !(isOutside(rate, lowest) || isOutside(highest, rate))
  }

  /** Takes a negotiated rate: it is the lowest or the highest where the line does not state that itself. */
  rate(rate: number): void {
    const { dollars } = this
    if (rate === BAD) this.#badRate = true
    if (rate <= 0) return
    const lowest = dollars[LOWEST] as number
    const highest = dollars[HIGHEST] as number
    const least = dollars[LEAST_RATE] as number
    const greatest = dollars[GREATEST_RATE] as number
    if (lowest !== 0) {
      if (isOutside(rate, lowest)) this.mark(BELOW, true)
    } else if (least === 0 || isBelow(rate, least)) dollars[LEAST_RATE] = rate
    if (highest !== 0) {
      if (isOutside(highest, rate)) this.mark(ABOVE, true)
    } else if (greatest === 0 || isBelow(greatest, rate)) dollars[GREATEST_RATE] = rate
  }

  mark(mark: number, isSo: boolean): void {
    const marks = this.dollars[MARKS] as number
    this.dollars[MARKS] = isSo ? marks | mark : marks & ~mark
  }

  /** Drops the amounts of a line whose modifier or setting cannot be read; that there is one on a basis still counts. */
  disown(): void {
    const { dollars } = this
    if (dollars[LEAST_RATE] !== 0) dollars[LOWEST] = BAD_FIELD
    if (dollars[GREATEST_RATE] !== 0) dollars[HIGHEST] = BAD_FIELD
    dollars[LEAST_RATE] = 0
    dollars[GREATEST_RATE] = 0
    for (let at = 0; at < STATED.length; at++) if (dollars[at] !== 0) dollars[at] = BAD_FIELD
  }

  /** Marks every basis as unread: in a torn line nobody can say which bases have an amount. */
  tear(): void {
    this.begin(0)
    this.dollars.fill(BAD_FIELD, 0, STATED.length)
    this.mark(TORN_LINE, true)
  }

  /** Whether the line states an amount, one that can be read or not. */
  get isEmpty(): boolean {
    for (let at = 0; at <= GREATEST_RATE; at++) if (this.dollars[at] !== 0) return false
    return true
  }

  /** Ends the line: `bad` if an amount cannot be read, `empty` if there is none, read or not. */
  settle(): 'bad' | 'empty' | undefined {
    // A rate that cannot be read matters where the line does not state the lowest or the highest itself.
    if (this.#badRate) for (const end of [LOWEST, HIGHEST]) if (this.dollars[end] === 0) this.state(end, BAD)
    if (this.#bad) return 'bad'
    if (!this.isEmpty) return undefined
    this.dollars[LOWEST] = NONE
    return 'empty'
  }
}

/** Compares two amounts as rows state them; amounts that differ in noise alone are equal. `BAD` is below none. */
const isBelow = (a: number, b: number): boolean => a < b && a > 0 && b > 0 && unitsOf(a) < unitsOf(b)
/** A hospital may round its lowest and highest to the cent, and not the rates that they are: 18.015 is not below 18.02. */
const isOutside = (a: number, b: number): boolean => isBelow(a, b) && unitsOf(b) - unitsOf(a) > HALF_A_CENT
const HALF_A_CENT = UNITS / 200
