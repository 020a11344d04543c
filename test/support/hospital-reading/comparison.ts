import type { Row } from '../../../src/proof/price/row.ts'
import { BASES, type Basis, type ChargeKey, type Combination, type Statement } from './combinations.ts'

/** Where the release and the plain reading of its file do not say the same. */
export interface Disagreement {
  kind: 'missing' | 'wrong' | 'invented' | 'hidden' | 'unmarked' | 'unit' | 'flags' | 'unexplained'
  key: string
  read: string
  said: string
  lines: number[]
}

export interface Comparison {
  /** Keys and bases under which the file states an amount that can be read. */
  combinations: number
  found: number
  /** Marked ones among those found: another amount under the key cannot be read. */
  marked: number
  /** Under which something stands, and no amount that can be read: they have an absence. */
  absences: number
  disagreements: Disagreement[]
}

const textOf = ({ low, high, unreadable, units }: Statement): string =>
  [
    low === high ? low : `${low}..${high}`,
    ...[...units].filter((unit) => unit !== '').map((unit) => `per ${unit}`),
    ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
  ].join(' + ')

function said(row: Row | undefined): string {
  if (!row) return 'no row'
  if (row.kind === 'absence') return `absence ${row.reason}`
  const { price } = row
  return `${'amount' in price ? price.amount : `${price.low}..${price.high}`} per ${price.per} ${row.flags.join(' ')}`
}

/**
 * The rows of one provider of a release, beside what its file states. Codes on lines that nobody can read: which key
 * those are of is unknown, so no price under them may pass for all there is.
 */
export function compareWithRows(
  read: ReadonlyMap<ChargeKey, Combination>,
  rows: Iterable<Row>,
  tornCodes: ReadonlySet<string> = new Set(),
): Comparison {
  const result: Comparison = { combinations: 0, found: 0, marked: 0, absences: 0, disagreements: [] }
  const byKey = new Map<string, Row>()
  // Rows of payers are compared by themselves.
  for (const row of rows)
    if (row.payer === null)
      byKey.set([row.code, row.modifier ?? '', row.setting ?? '', row.class ?? '', row.basis].join('|'), row)
  const adrift = [...read].flatMap(([key, each]) =>
    each.isAdrift ? [{ parts: key.split('|'), bases: each.bases }] : [],
  )
  for (const [key, combination] of read) {
    const isEmpty = BASES.every((basis) => {
      const { low, unreadable } = combination.bases[basis]
      return low === undefined && unreadable === 0
    })
    for (const basis of BASES) {
      const statement = combination.bases[basis]
      const name = `${key}|${basis}`
      const row = byKey.get(name)
      byKey.delete(name)
      const disagree = (kind: Disagreement['kind']): void => {
        const { lines } = statement
        result.disagreements.push({ kind, key: name, read: textOf(statement), said: said(row), lines })
      }
      if (statement.low === undefined) {
        const isExpected = statement.unreadable > 0 || (isEmpty && basis === 'hospital_negotiated_low')
        if (row?.kind === 'price') disagree('invented')
        else if (isExpected && !row) disagree('hidden')
        else if (isExpected) result.absences++
        continue
      }
      result.combinations++
      const without = combination.unguessed?.[basis]
      if (without && isMarked(without, row)) {
        result.found++
        result.marked++
        continue
      }
      if (row?.kind !== 'price') {
        const isConflict =
          row?.kind === 'absence' &&
          row.reason === 'withheld_conflict' &&
          (statement.unreadable > 0 || endsCross(combination))
        if (isConflict) result.found++
        else disagree('missing')
        continue
      }
      const { price } = row
      const isPartial = row.flags.includes('partial')
      const mayLack =
        tornCodes.has(row.code) || adrift.some(({ parts, bases }) => bases[basis].unreadable > 0 && isNear(parts, key))
      if (mayLack && !isPartial) {
        disagree('unmarked')
        continue
      }
      const [low, high] = 'amount' in price ? [price.amount, price.amount] : [price.low, price.high]
      if (low !== statement.low || high !== statement.high) disagree('wrong')
      else if (!mayLack && statement.unreadable > 0 !== isPartial) disagree(isPartial ? 'flags' : 'wrong')
      else if ((price.per ?? '') !== unitOf(statement)) disagree('unit')
      else if (flagsOf(combination, basis).join() !== row.flags.filter((flag) => FLAGS.includes(flag)).join())
        disagree('flags')
      else {
        result.found++
        if (isPartial) result.marked++
      }
    }
  }
  for (const [key, row] of byKey) {
    if (row.kind === 'absence' && tornCodes.has(row.code)) continue
    const kind = row.kind === 'price' ? 'invented' : 'unexplained'
    result.disagreements.push({
      kind,
      key,
      read: 'nothing',
      said: said(row),
      lines: row.locator.map(({ line }) => line),
    })
  }
  return result
}

const UNITS = 'MG|ML|MCG|IU|UNIT|UNITS|GM|CC|DOSE|EA|EACH|MICROCURIE|MILLICURIE|MEQ|GR|ME|UN|F2'
const PER = new RegExp(`^([1-9][0-9]{0,6}(\\.[0-9]{1,4})?|0\\.[0-9]{1,4}) (${UNITS})$`)

/** One unit for all amounts, or none: a range over several units is for no unit. */
export function unitOf({ units }: Statement): string {
  const [unit = ''] = units.size === 1 ? units : []
  return unit === '' || PER.test(unit) ? unit : '1 UNIT'
}

/** Whether an amount whose modifier or setting cannot be told may be of this key. */
export function isNear([code, modifier, setting, whose]: readonly string[], key: ChargeKey): boolean {
  const [cpt, ownModifier, ownSetting, ownClass] = key.split('|')
  if (code !== cpt || whose !== ownClass) return false
  return (modifier === '' || modifier === ownModifier) && (setting === '' || setting === ownSetting)
}

const FLAGS = ['code_restored', 'by_charge_code', 'mixed_units', 'rate_outside_range', 'unit_unparsed']

/** Other remarks on a price: sorted. */
function flagsOf({ bases, isRestored, isOfGroup, isRateBelow, isRateAbove }: Combination, basis: Basis): string[] {
  const isOutside = { hospital_negotiated_low: isRateBelow, hospital_negotiated_high: isRateAbove }[basis as string]
  return [
    ...(isRestored ? ['code_restored'] : []),
    ...(isOfGroup ? ['by_charge_code'] : []),
    ...(bases[basis].units.size > 1 ? ['mixed_units'] : []),
    ...(isOutside ? ['rate_outside_range'] : []),
    ...(unitOf(bases[basis]) === '1 UNIT' ? ['unit_unparsed'] : []),
  ]
}

/** A reader who does not guess at a torn line says that something is left out. */
function isMarked({ low, high }: Statement, row: Row | undefined): boolean {
  if (row?.kind === 'absence') return row.reason === 'withheld_conflict' || (row.reason === 'unreadable' && !low)
  if (row?.kind !== 'price' || !row.flags.includes('partial')) return false
  const { price } = row
  return 'amount' in price ? price.amount === low && low === high : price.low === low && price.high === high
}

/** The file contradicts itself: its least rate is above its greatest. */
function endsCross({ bases }: Combination): boolean {
  const [low, high] = [bases.hospital_negotiated_low.low, bases.hospital_negotiated_high.high]
  return low !== undefined && high !== undefined && Number(low) > Number(high)
}
