import { unreadable } from '../../files/unreadable.ts'
import { amountOf, statedAmount } from '../../proof/price/derivation.ts'
import type { PricedRow, Row } from '../../proof/price/row.ts'
import { unreadableRow } from '../findings.ts'
import { HIGHEST, LOWEST, partsOf, STATED } from './charges.ts'
import type { ChargeTally, Extreme, TallyEntry } from './tally.ts'

/** The rows of one code are in memory at a time: far more than any hospital has, and not without limit. */
const ROWS_OF_A_CODE = 100_000

/** A row per key and provider, in key order: the amounts of a file are those of each of its providers. */
export function* rowsOfTally(tally: ChargeTally, npis: readonly string[], effective_from: string): Generator<Row> {
  for (const rows of byCode(tally, effective_from)) {
    const ordered = inKeyOrder(rows)
    for (const npi of npis) for (const row of ordered) yield { ...row, npi }
  }
}

function* byCode(tally: ChargeTally, effective_from: string): Generator<Row[]> {
  let rows: Row[] = []
  let code = ''
  for (const entry of tally.entries()) {
    const { cpt, variant } = tally.keys.textOf(entry.key)
    if (cpt !== code && rows.length > 0) {
      yield rows
      rows = []
    }
    code = cpt
    rows.push(...rowsOf(entry, cpt, variant, effective_from))
    if (rows.length > ROWS_OF_A_CODE) throw unreadable('the file has too many modifiers for one code')
  }
  if (rows.length > 0) yield rows
}

/** The rows of one code and provider as their keys stand. */
const inKeyOrder = (rows: readonly Row[]): Row[] =>
  rows
    .map((row) => ({ row, order: orderOf(row) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ row }) => row)
const orderOf = (row: Row): string => `${row.modifier ?? ''}|${row.basis}|${row.setting ?? ''}|${row.class ?? ''}`

/**
 * A price for each basis that has one. An amount that cannot be read makes it partial, or stands for itself. Where no
 * line has an amount, the lowest negotiated one is said not to be stated.
 */
function rowsOf(entry: TallyEntry, cpt: string, variant: string, effective_from: string): Row[] {
  const place = { cpt, ...partsOf(variant), npi: null, effective_from }
  const rows = STATED.flatMap((basis, at): Row[] => {
    const price = statedPrice(entry, at) ?? ratePrice(entry, at)
    const unread = entry.unread(at)
    if (price) {
      const flags = unread ? ['partial'] : []
      return [{ ...place, kind: 'price', region: 'national', basis, flags, indicators: {}, ...price }]
    }
    return unread ? [unreadableRow({ ...place, basis }, unread.rule, unread.line)] : []
  })
  const line = entry.emptyLine()
  return rows.length > 0 || line === undefined ? rows : [emptyRow(place, line)]
}

const emptyRow = (
  place: Pick<Row, 'cpt' | 'modifier' | 'setting' | 'class' | 'npi' | 'effective_from'>,
  line: number,
): Row => ({
  ...place,
  kind: 'absence',
  region: 'national',
  basis: 'hospital_negotiated_low',
  reason: 'no_price_stated',
  flags: [],
  indicators: {},
  derivation: { method: 'no-amount/1', inputs: { rate: 'blank' } },
  locator: [{ citation: 0, line }],
})

type DerivedPrice = Pick<PricedRow, 'price' | 'derivation' | 'locator'>

/** One amount is a price; several under one key are a range, because the file does not say which applies. */
function statedPrice(entry: TallyEntry, basis: number): DerivedPrice | undefined {
  const span = entry.stated(basis)
  if (!span) return undefined
  const [low, high] = span
  const [least, greatest] = [amountIn(low), amountIn(high)]
  if (least === greatest) return oneAmount(statedAmount(String(low.dollars)) ? 'verbatim/1' : 'rounded/1', low)
  return {
    price: { low: least, high: greatest, currency: 'USD', per: null },
    derivation: { method: 'range/1', inputs: { low: inputOf(low), high: inputOf(high) } },
    locator: [low, high].map(({ line }) => ({ citation: 0, line })),
  }
}

/** Where no line states the lowest or the highest, it is that of the rates in dollars. */
function ratePrice(entry: TallyEntry, basis: number): DerivedPrice | undefined {
  const [least, greatest] = entry.rates() ?? []
  if (basis === LOWEST && least && least.dollars > 0) return oneAmount('least-rate/1', least)
  if (basis === HIGHEST && greatest && greatest.dollars > 0) return oneAmount('greatest-rate/1', greatest)
  return undefined
}

/** What a row states: up to four decimals as they are, more rounded half up to the cent. */
const amountIn = ({ dollars }: Extreme): string => amountOf(String(dollars)) ?? ''

/** What it is made from: the amount itself, or the longer number that was rounded. */
const inputOf = ({ dollars }: Extreme): string => statedAmount(String(dollars)) ?? String(dollars)

const oneAmount = (method: string, extreme: Extreme): DerivedPrice => ({
  price: { amount: amountIn(extreme), currency: 'USD', per: null },
  derivation: { method, inputs: { amount: inputOf(extreme) } },
  locator: [{ citation: 0, line: extreme.line }],
})
