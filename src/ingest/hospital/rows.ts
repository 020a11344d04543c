import { amountOf, statedAmount } from '../../proof/price/derivation.ts'
import { type Basis, type PricedRow, type Row, rowKey } from '../../proof/price/row.ts'
import { unreadableRow } from '../findings.ts'
import { ABOVE, BELOW, HIGHEST, LOWEST, OWN_CODE, RESTORED, STATED, unitsOf } from './amounts.ts'
import { perOf, together, UNSAID } from './drug-unit.ts'
import {
  ALLOWED,
  BY_DAY,
  DOLLARS,
  FORMULA,
  METHOD_NAMES,
  NOTHING,
  PERCENT,
  RATE_OWN_CODE,
  RATE_RESTORED,
} from './payer-rates.ts'
import type { PayerBook } from './payers.ts'
import type { ChargeTally, CodeEntries, Extreme, Spread, TallyEntry } from './tally.ts'
import { BOTH, LOST, partsOf } from './variant.ts'

/** A row per key and provider, in key order: the amounts of a file are those of each of its providers. */
export function* rowsOfTally(
  tally: ChargeTally,
  payers: PayerBook,
  npis: readonly string[],
  effective_from: string,
): Generator<Row> {
  for (const entries of tally.codes()) {
    const ordered = inKeyOrder(rowsOfEntries(entries, payers, effective_from))
    for (const npi of npis) for (const row of ordered) yield { ...row, npi }
  }
}

function rowsOfEntries(
  { code, hospital, payers: rates }: CodeEntries,
  payers: PayerBook,
  effective_from: string,
): Row[] {
  const rows = [...settled(hospital)].flatMap(([variant, entry]) =>
    rowsOf(entry, baseOf(code, variant, effective_from)),
  )
  const torn = [...hospital].filter(([variant]) => variant.includes(LOST))
  for (const [number, entries] of rates) {
    const payer = payers.idOf(number)
    const known = settled(entries)
    for (const [variant, lost] of torn)
      for (const each of settingsOf(variant)) for (const sound of maybe(each, known)) sound.doubtRates(lost, AMOUNTS)
    for (const [variant, entry] of known)
      rows.push(...rowsOfPayer(entry, { ...baseOf(code, variant, effective_from), payer }))
  }
  return rows
}
/** The rates of payers that are amounts. */
const AMOUNTS: readonly number[] = [DOLLARS, BY_DAY, PERCENT, ...ALLOWED.map(([place]) => place)]

/** A row without what it states. */
type BareRow = Pick<Row, 'code' | 'payer' | 'modifier' | 'setting' | 'class' | 'npi' | 'effective_from'>
const baseOf = (code: string, variant: string, effective_from: string): BareRow => ({
  code,
  payer: null,
  ...partsOf(variant),
  npi: null,
  effective_from,
})

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
function rowsOf(entry: TallyEntry, base: BareRow): Row[] {
  const rows = STATED.flatMap((basis, at): Row[] => {
    const price = priceOf(entry, at)
    const unread = entry.unread(at)
    if (!price) return unread ? [unreadableRow({ ...base, basis }, unread.rule, unread.line)] : []
    const flags = [
      ...(unread ? ['partial'] : []),
      ...(entry.has(RESTORED) ? ['code_restored'] : []),
      ...(entry.has(OWN_CODE) ? ['by_charge_code'] : []),
      ...((at === LOWEST && entry.has(BELOW)) || (at === HIGHEST && entry.has(ABOVE)) ? ['rate_outside_range'] : []),
      ...price.flags,
    ]
    return [{ ...base, kind: 'price', region: 'national', basis, indicators: {}, ...price, flags }]
  })
  const line = entry.emptyLine()
  return rows.length > 0 || line === undefined ? rows : [emptyRow(base, 'hospital_negotiated_low', line)]
}

const emptyRow = (base: BareRow, basis: Basis, line: number): Row => ({
  ...base,
  kind: 'absence',
  region: 'national',
  basis,
  reason: 'no_price_stated',
  flags: [],
  indicators: {},
  derivation: { method: 'no-amount/1', inputs: { rate: 'blank' } },
  locator: [{ citation: 0, line }],
})

const formulaRow = (base: BareRow, line: number): Row => ({
  ...base,
  kind: 'absence',
  region: 'national',
  basis: 'hospital_payer',
  reason: 'algorithm_only',
  flags: [],
  indicators: {},
  derivation: { method: 'formula-only/1', inputs: { terms: 'formula' } },
  locator: [{ citation: 0, line }],
})

/** The rows of one payer: its own rate, and what it has paid. */
function rowsOfPayer(entry: TallyEntry, base: BareRow): Row[] {
  const paid = ALLOWED.flatMap(([place, basis]): Row[] => {
    const stated = entry.stated(place)
    const unread = entry.unread(place)
    if (!stated) return unread ? [unreadableRow({ ...base, basis }, unread.rule, unread.line)] : []
    const price = amountsOf(stated.low, stated.high, stated.unit)
    const flags = [...(unread ? ['partial'] : []), ...marksOf(entry, place), ...price.flags]
    return [{ ...base, kind: 'price', region: 'national', basis, indicators: {}, ...price, flags }]
  })
  const own = rateOf(entry, base)
  return own ? [own, ...paid] : paid
}

/** What a payer's rate may be by, the first that it has: an amount for a service, for a day, or for each 100 dollars charged. */
const TERMS = [
  { place: DOLLARS, kind: 'price', per: undefined, also: undefined },
  { place: BY_DAY, kind: 'rate', per: 'DAY', also: 'also_by_day' },
  { place: PERCENT, kind: 'rate', per: '100 USD', also: 'also_percentage' },
] as const

/**
 * The row of a payer's own rate. Plans of one payer and kind may have rates by different terms: the row has those of the first kind, and
 * flags for the others. A formula is never computed.
 */
function rateOf(entry: TallyEntry, base: BareRow): Row | undefined {
  const unread = TERMS.map(({ place }) => entry.unread(place)).find((each) => each !== undefined)
  const [first, ...others] = TERMS.filter(({ place }) => entry.stated(place))
  const [formula, nothing] = [entry.stated(FORMULA), entry.stated(NOTHING)]
  const basis = 'hospital_payer'
  if (!first) {
    if (unread) return unreadableRow({ ...base, basis }, unread.rule, unread.line)
    if (formula) return formulaRow(base, formula.low.line)
    return nothing && emptyRow(base, basis, nothing.low.line)
  }
  const { low, high, unit } = entry.stated(first.place) as Spread
  const price = amountsOf(low, high, unit)
  const flags = [
    ...(unread ? ['partial'] : []),
    ...marksOf(entry, first.place),
    ...others.flatMap(({ also }) => also ?? []),
    ...(formula ? ['also_formula'] : []),
    ...price.flags,
  ]
  return {
    ...base,
    kind: first.kind,
    region: 'national',
    basis,
    indicators: methodsOf(entry.marks(first.place)),
    ...price,
    ...(first.per && { price: { ...price.price, per: first.per } }),
    flags,
  }
}

const marksOf = (entry: TallyEntry, place: number): string[] => [
  ...(entry.marks(place) & RATE_RESTORED ? ['code_restored'] : []),
  ...(entry.marks(place) & RATE_OWN_CODE ? ['by_charge_code'] : []),
]

/** How the rates were agreed, in the words of the template. */
function methodsOf(marks: number): Record<string, string> {
  const names = METHOD_NAMES.filter((_, at) => marks & (1 << at))
  const [name, another] = names
  return name === undefined ? {} : { methodology: another === undefined ? name : 'mixed' }
}

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
  return amountsOf(low, high, together(stated.unit, rate?.unit ?? UNSAID))
}

/** One amount, or the least and the greatest of several. */
function amountsOf(low: Extreme, high: Extreme, unit: number): DerivedPrice {
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
