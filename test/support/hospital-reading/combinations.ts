import type { Charge } from './charge.ts'
import { compareDollars, type StatedAmount } from './stated-amount.ts'

export const BASES = ['hospital_gross', 'hospital_cash', 'hospital_negotiated_low', 'hospital_negotiated_high'] as const
export type Basis = (typeof BASES)[number]

/** The least and the greatest amount that a file states on one basis under one code, modifier, setting and class. */
export interface Statement {
  low: string | undefined
  high: string | undefined
  /** Where the least and the greatest stand, or the first that cannot be read. */
  lines: number[]
  /** Amounts that stand there and cannot be read. */
  unreadable: number
  /** Units of the amounts, as the lines say them; nothing where a line does not say it. */
  units: Set<string>
}

/** `cpt|modifier|setting|class`. */
export type ChargeKey = string

export interface Combination {
  bases: Record<Basis, Statement>
  /** Amounts without lines whose quotes are wrong, if there are any: a reader who does not guess reads these, and says so. */
  unguessed: Record<Basis, Statement> | undefined
  /** A line has a rate below the least, or above the greatest, that it states itself. */
  isRateBelow: boolean
  isRateAbove: boolean
  isRestored: boolean
  isAdrift: boolean
  /** A line is for a charge of the hospital's own, of which the code is only the group. */
  isOfGroup: boolean
}

export class Amounts {
  low: string | undefined
  high: string | undefined
  lowLine = 0
  highLine = 0
  unreadable = 0
  badLine = 0
  units = new Set<string>()

  add(stated: StatedAmount, { line, unit }: Pick<Charge, 'line' | 'unit'>): void {
    if (stated.kind === 'unreadable') {
      this.unreadable++
      this.badLine ||= line
    }
    if (stated.kind !== 'dollars') return
    this.units.add(unit)
    if (this.low === undefined || compareDollars(stated.text, this.low) < 0) {
      this.low = stated.text
      this.lowLine = line
    }
    if (this.high === undefined || compareDollars(stated.text, this.high) > 0) {
      this.high = stated.text
      this.highLine = line
    }
  }

  statement(): Statement {
    const lines = [this.lowLine, this.highLine, this.badLine].filter((line) => line > 0)
    return { low: this.low, high: this.high, lines, unreadable: this.unreadable, units: this.units }
  }
}

class Gathering {
  readonly gross = new Amounts()
  readonly cash = new Amounts()
  readonly min = new Amounts()
  readonly max = new Amounts()
  /** Amounts of lines that do not state the least, or the greatest, themselves. */
  readonly ratesBesideMin = new Amounts()
  readonly ratesBesideMax = new Amounts()
  isRateBelow = false
  isRateAbove = false
  isRestored = false
  isAdrift = false
  isOfGroup = false

  add(charge: Charge, code: string): void {
    const { min, max } = charge
    this.isAdrift ||= charge.isAdrift
    this.isOfGroup ||= charge.isOfGroup
    this.isRestored ||= charge.restored.includes(code)
    this.gross.add(charge.gross, charge)
    this.cash.add(charge.cash, charge)
    this.min.add(min, charge)
    this.max.add(max, charge)
    for (const rate of charge.rates) {
      this.isRateBelow ||= isLess(rate, min)
      this.isRateAbove ||= isLess(max, rate)
      if (min.kind === 'none') this.ratesBesideMin.add(rate, charge)
      if (max.kind === 'none') this.ratesBesideMax.add(rate, charge)
    }
  }

  statements(): Record<Basis, Statement> {
    return {
      hospital_gross: this.gross.statement(),
      hospital_cash: this.cash.statement(),
      hospital_negotiated_low: joined(this.min, this.ratesBesideMin, 'low'),
      hospital_negotiated_high: joined(this.max, this.ratesBesideMax, 'high'),
    }
  }

  combination(unguessed: Record<Basis, Statement> | undefined): Combination {
    const { isRateBelow, isRateAbove, isRestored, isAdrift, isOfGroup } = this
    return { bases: this.statements(), unguessed, isRateBelow, isRateAbove, isRestored, isAdrift, isOfGroup }
  }
}

/** Less as it stands there, and still less, by more than half a cent, once it is rounded. */
const isLess = (a: StatedAmount, b: StatedAmount): boolean =>
  a.kind === 'dollars' &&
  b.kind === 'dollars' &&
  compareDollars(a.exact, b.exact) < 0 &&
  Math.round((Number(b.text) - Number(a.text)) * 10_000) > 50

/** The ends that lines state, and beside them one end of the rates of the other lines. */
function joined(stated: Amounts, rates: Amounts, end: 'low' | 'high'): Statement {
  const all = new Amounts()
  const take = (text: string | undefined, line: number): void => {
    if (text !== undefined) all.add({ kind: 'dollars', text, exact: text }, { line, unit: '' })
  }
  take(stated.low, stated.lowLine)
  take(stated.high, stated.highLine)
  if (end === 'low') take(rates.low, rates.lowLine)
  else take(rates.high, rates.highLine)
  all.units = new Set([...stated.units, ...rates.units])
  all.unreadable = stated.unreadable + rates.unreadable
  all.badLine = stated.badLine || rates.badLine
  return all.statement()
}

export function combinationsOf(charges: Iterable<Charge>): Map<ChargeKey, Combination> {
  const gathered = new Map<ChargeKey, Gathering>()
  const guessed: Charge[] = []
  const put = (charge: Charge): void => {
    for (const key of keysOf(charge)) {
      const gathering = gathered.get(key) ?? new Gathering()
      gathered.set(key, gathering)
      gathering.add(charge, key.split('|')[0] ?? '')
    }
  }
  for (const charge of charges)
    if (charge.isGuess) guessed.push(charge)
    else put(charge)
  const combinations = new Map<ChargeKey, Combination>()
  const doubtful = new Map(
    guessed.flatMap(keysOf).map((key) => [key, (gathered.get(key) ?? new Gathering()).statements()]),
  )
  for (const charge of guessed) put(charge)
  for (const [key, gathering] of gathered) combinations.set(key, gathering.combination(doubtful.get(key)))
  return combinations
}

export const keysOf = ({ codes, modifier, settings, class: whose }: Charge): ChargeKey[] =>
  codes.flatMap((code) => settings.map((setting) => [code, modifier, setting ?? '', whose ?? ''].join('|')))
