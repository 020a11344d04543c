import { unreadable } from '../../files/unreadable.ts'
import { dollars } from '../../proof/price/physician-fee.ts'
import type { Row, Setting } from '../../proof/price/row.ts'
import { HIGHEST, LOWEST, STATED } from './charges.ts'
import type { ChargeTally, Extreme, Tallied } from './tally.ts'

type PriceRow = Row & { kind: 'price' }

/** The rows of one code are in memory at a time: far more than any hospital has, and not without limit. */
const ROWS_OF_A_CODE = 100_000

/** A row per key and provider, in key order: the amounts of a file are those of each of its providers. */
export function* rowsOfTally(tally: ChargeTally, npis: readonly string[], effective_from: string): Generator<PriceRow> {
  for (const rows of byCode(tally, effective_from)) {
    const ordered = inKeyOrder(rows)
    for (const npi of npis) for (const row of ordered) yield { ...row, npi }
  }
}

function* byCode(tally: ChargeTally, effective_from: string): Generator<PriceRow[]> {
  let rows: PriceRow[] = []
  let code = ''
  for (const entry of tally.entries()) {
    const { cpt, variant } = tally.keys.textOf(entry.key)
    if (cpt !== code && rows.length > 0) {
      yield rows
      rows = []
    }
    code = cpt
    rows.push(...pricesOf(entry, cpt, variant, effective_from))
    if (rows.length > ROWS_OF_A_CODE) throw unreadable('the file has too many modifiers for one code')
  }
  if (rows.length > 0) yield rows
}

/** The rows of one code and provider as their keys stand. */
const inKeyOrder = (rows: readonly PriceRow[]): PriceRow[] =>
  rows
    .map((row) => ({ row, order: orderOf(row) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ row }) => row)
const orderOf = ({ modifier, basis, setting }: PriceRow): string => `${modifier ?? ''}|${basis}|${setting ?? ''}`

function pricesOf(entry: Tallied, cpt: string, variant: string, effective_from: string): PriceRow[] {
  const [modifier = '', setting = ''] = variant.split('|')
  const key = { cpt, modifier: modifier || null, region: 'national', setting: (setting || null) as Setting | null }
  return STATED.flatMap((basis, at) => {
    const price = statedPrice(entry, at) ?? ratePrice(entry, at)
    return price ? [{ ...key, npi: null, basis, effective_from, flags: [], kind: 'price' as const, ...price }] : []
  })
}

type Derived = Pick<PriceRow, 'price' | 'derivation' | 'locator'>

/** One amount is a price; several under one key are a range, because the file does not say which applies. */
function statedPrice(entry: Tallied, basis: number): Derived | undefined {
  const span = entry.stated(basis)
  if (!span) return undefined
  const [low, high] = span
  if (low.cents === high.cents) return oneAmount('verbatim/1', low)
  const inputs = { low: dollars(low.cents), high: dollars(high.cents) }
  return {
    price: { ...inputs, currency: 'USD' },
    derivation: { method: 'range/1', inputs },
    locator: [low, high].map(({ line }) => ({ citation: 0, line })),
  }
}

/** Where no line states the lowest or the highest, it is that of the rates in dollars. */
function ratePrice(entry: Tallied, basis: number): Derived | undefined {
  const [least, greatest] = entry.rates() ?? []
  if (basis === LOWEST && least && least.cents > 0) return oneAmount('least-rate/1', least)
  if (basis === HIGHEST && greatest && greatest.cents > 0) return oneAmount('greatest-rate/1', greatest)
  return undefined
}

const oneAmount = (method: string, { cents, line }: Extreme): Derived => ({
  price: { amount: dollars(cents), currency: 'USD' },
  derivation: { method, inputs: { amount: dollars(cents) } },
  locator: [{ citation: 0, line }],
})
