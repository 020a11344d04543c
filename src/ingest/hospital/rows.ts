import { unreadable } from '../../files/unreadable.ts'
import { amountOf, statedAmount } from '../../proof/price/derivation.ts'
import { type PricedRow, type Row, rowKey } from '../../proof/price/row.ts'
import { unreadableRow } from '../findings.ts'
import { ABOVE, BELOW, HIGHEST, LOWEST, RESTORED, STATED, unitsOf } from './amounts.ts'
import { perOf, together, UNSAID } from './drug-unit.ts'
import type { ChargeTally, Extreme, TallyEntry } from './tally.ts'
import { BOTH, LOST, partsOf } from './variant.ts'

/** The rows of one code are in memory at a time: far more than any hospital has, and not without limit. */
const ROWS_OF_A_CODE = 100_000

/** A row per key and provider, in key order: the amounts of a file are those of each of its providers. */
export function* rowsOfTally(tally: ChargeTally, npis: readonly string[], effective_from: string): Generator<Row> {
  for (const { cpt, entries } of byCode(tally)) {
    const rows = [...settled(entries)].flatMap(([variant, entry]) => rowsOf(entry, cpt, variant, effective_from))
    if (rows.length > ROWS_OF_A_CODE) throw tooMany()
    const ordered = inKeyOrder(rows)
    for (const npi of npis) for (const row of ordered) yield { ...row, npi }
  }
}

interface CodeEntries {
  cpt: string
  entries: Map<string, TallyEntry>
}

function* byCode(tally: ChargeTally): Generator<CodeEntries> {
  let code: CodeEntries | undefined
  for (const entry of tally.entries()) {
    const { cpt, variant } = tally.keys.textOf(entry.key)
    if (code && cpt !== code.cpt) {
      yield code
      code = undefined
    }
    code ??= { cpt, entries: new Map() }
    code.entries.set(variant, entry)
    if (code.entries.size > ROWS_OF_A_CODE) throw tooMany()
  }
  if (code) yield code
}

const tooMany = () => unreadable('the file has too many modifiers for one code')

type Entries = ReadonlyMap<string, TallyEntry>

/**
 * The amounts under each variant of one code, once all are known. An amount for `both` settings counts for outpatients and
 * for inpatients. An amount whose modifier, setting or class cannot be read may belong to any key that it does not rule
 * out: none of those is stated as if it were complete, and the unread amount has a row of its own.
 */
function settled(entries: Entries): Entries {
  if (![...entries.keys()].some((variant) => variant.includes(BOTH) || variant.includes(LOST))) return entries
  const known = new Map<string, TallyEntry>()
  const lost = new Map<string, TallyEntry>()
  for (const [variant, entry] of entries)
    for (const each of settingsOf(variant)) put(each.includes(LOST) ? lost : known, each, entry)
  const unreadable = new Map<string, TallyEntry>()
  for (const [variant, entry] of lost) {
    for (const sound of maybe(variant, known)) sound.doubt(entry)
    const own = variant.replaceAll(LOST, '')
    if (!known.has(own)) put(unreadable, own, entry)
  }
  return new Map([...known, ...unreadable])
}

function settingsOf(variant: string): string[] {
  const [modifier, setting, billing] = variant.split('|')
  return setting === BOTH ? ['outpatient', 'inpatient'].map((each) => `${modifier}|${each}|${billing}`) : [variant]
}

function put(into: Map<string, TallyEntry>, variant: string, entry: TallyEntry): void {
  const there = into.get(variant)
  if (there) there.merge(entry)
  else into.set(variant, entry.copy())
}

/** The entries that a variant with lost parts may be about. A code may have thousands of modifiers: they are searched only if the modifier is lost. */
function* maybe(lost: string, known: Entries): Generator<TallyEntry> {
  const [modifier, setting, billing] = lost.split('|')
  const settings = setting === LOST ? ['outpatient', 'inpatient'] : [setting]
  const classes = billing === LOST ? ['', 'facility', 'professional'] : [billing]
  const endings = settings.flatMap((each) => classes.map((own) => `|${each}|${own}`))
  for (const ending of endings) {
    if (modifier === LOST) {
      for (const [variant, entry] of known) if (variant.endsWith(ending)) yield entry
    } else {
      const entry = known.get(`${modifier}${ending}`)
      if (entry) yield entry
    }
  }
}

/** The rows of one code and provider, in the order of their keys. */
const inKeyOrder = (rows: readonly Row[]): Row[] =>
  rows
    .map((row) => ({ row, order: rowKey(row) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ row }) => row)

/**
 * A price for each basis that has one. An amount that cannot be read makes it partial, or is a row of its own. Where no
 * line has an amount, the row of the lowest negotiated one says so.
 */
function rowsOf(entry: TallyEntry, cpt: string, variant: string, effective_from: string): Row[] {
  const base = { code: cpt, payer: null, ...partsOf(variant), npi: null, effective_from }
  const rows = STATED.flatMap((basis, at): Row[] => {
    const price = priceOf(entry, at)
    const unread = entry.unread(at)
    if (!price) return unread ? [unreadableRow({ ...base, basis }, unread.rule, unread.line)] : []
    const flags = [
      ...(unread ? ['partial'] : []),
      ...(entry.has(RESTORED) ? ['code_restored'] : []),
      ...((at === LOWEST && entry.has(BELOW)) || (at === HIGHEST && entry.has(ABOVE)) ? ['rate_outside_range'] : []),
      ...price.flags,
    ]
    return [{ ...base, kind: 'price', region: 'national', basis, indicators: {}, ...price, flags }]
  })
  const line = entry.emptyLine()
  return rows.length > 0 || line === undefined ? rows : [emptyRow(base, line)]
}

const emptyRow = (
  base: Pick<Row, 'code' | 'payer' | 'modifier' | 'setting' | 'class' | 'npi' | 'effective_from'>,
  line: number,
): Row => ({
  ...base,
  kind: 'absence',
  region: 'national',
  basis: 'hospital_negotiated_low',
  reason: 'no_price_stated',
  flags: [],
  indicators: {},
  derivation: { method: 'no-amount/1', inputs: { rate: 'blank' } },
  locator: [{ citation: 0, line }],
})

type DerivedPrice = Pick<PricedRow, 'price' | 'derivation' | 'locator' | 'flags'>

/**
 * One amount is a price; several under one key are a range, because the file does not say which applies. Lines that do not
 * state the lowest, or the highest, have that of their rates.
 */
function priceOf(entry: TallyEntry, basis: number): DerivedPrice | undefined {
  const [stated, rate] = [entry.stated(basis), rateFor(entry, basis)]
  if (!stated) return rate && oneAmount(basis === LOWEST ? 'least-rate/1' : 'greatest-rate/1', rate.end, rate.unit)
  let { low, high } = stated
  if (rate && unitsOf(rate.end.dollars) < unitsOf(low.dollars)) low = rate.end
  if (rate && unitsOf(rate.end.dollars) > unitsOf(high.dollars)) high = rate.end
  const unit = together(stated.unit, rate?.unit ?? UNSAID)
  const [least, greatest] = [amountIn(low), amountIn(high)]
  if (least === greatest) return oneAmount(statedAmount(String(low.dollars)) ? 'verbatim/1' : 'rounded/1', low, unit)
  const { per, flags } = perOf(unit)
  return {
    price: { low: least, high: greatest, currency: 'USD', per },
    flags,
    derivation: { method: 'range/1', inputs: { low: inputOf(low), high: inputOf(high) } },
    locator: [low, high].map(({ line }) => ({ citation: 0, line })),
  }
}

/** The least rate for the lowest, or the greatest for the highest. */
function rateFor(entry: TallyEntry, basis: number): { end: Extreme; unit: number } | undefined {
  const rates = basis === LOWEST || basis === HIGHEST ? entry.rates() : undefined
  if (!rates) return undefined
  const end = basis === LOWEST ? rates.low : rates.high
  return end.dollars > 0 ? { end, unit: rates.unit } : undefined
}

/** The amount that a row states: up to four decimals as they are, more rounded half up to the cent. */
const amountIn = ({ dollars }: Extreme): string => amountOf(String(dollars)) ?? ''

/** The input that the amount was made from: itself, or the longer number that was rounded. */
const inputOf = ({ dollars }: Extreme): string => statedAmount(String(dollars)) ?? String(dollars)

function oneAmount(method: string, extreme: Extreme, unit: number): DerivedPrice {
  const { per, flags } = perOf(unit)
  return {
    price: { amount: amountIn(extreme), currency: 'USD', per },
    flags,
    derivation: { method, inputs: { amount: inputOf(extreme) } },
    locator: [{ citation: 0, line: extreme.line }],
  }
}
