import type { Row } from '../../../src/proof/price/row.ts'
import type { Charge } from './charge.ts'
import { Amounts, keysOf, type Statement } from './combinations.ts'
import { type Disagreement, isNear, unitOf } from './comparison.ts'
import { type PayerCharge, PLACES, type Place } from './payer-charge.ts'

// The rates of payers, and what they have paid: those that the plain reading of a file finds, beside those of its release.

/** All that lines state for one payer under one key. */
class Gathering {
  amounts: Partial<Record<Place, Amounts>> = {}
  hasFormula = false
  isEmpty = false
  isAdrift = false
  isRestored = false
  isOfGroup = false
  /** Lines whose quotes are wrong are among those that state something. */
  isGuess = false
  /** How the rates of each place were agreed. */
  methods: Partial<Record<Place, Set<string>>> = {}

  add(charge: Charge, code: string, { stated, hasFormula, methodology }: PayerCharge): void {
    const { isAdrift } = charge
    this.isAdrift ||= isAdrift
    this.isGuess ||= charge.isGuess
    this.isRestored ||= charge.restored.includes(code)
    this.isOfGroup ||= charge.isOfGroup
    for (const place of PLACES) {
      const amount = stated[place]
      if (!amount) continue
      const amounts = this.amounts[place] ?? new Amounts()
      this.amounts[place] = amounts
      amounts.add(isAdrift ? { kind: 'unreadable' } : amount, charge)
      const methods = this.methods[place] ?? new Set()
      this.methods[place] = methods
      if (amount.kind === 'dollars' && methodology !== '') methods.add(methodology)
    }
    if (isAdrift) return
    this.hasFormula ||= hasFormula
    this.isEmpty ||= !hasFormula && TERMS.every(({ place }) => !stated[place])
  }

  at(place: Place): Statement | undefined {
    return this.amounts[place]?.statement()
  }
}

/** By `code|modifier|setting|class`, and then by payer. */
export type PayerRates = Map<string, Map<string, Gathering>>

/** Passes the charges on, and keeps what they state for payers. */
export function* gatherPayers(charges: Iterable<Charge>, into: PayerRates): Generator<Charge> {
  for (const charge of charges) {
    for (const payer of charge.payers)
      for (const key of keysOf(charge)) {
        const ofKey = into.get(key) ?? new Map<string, Gathering>()
        into.set(key, ofKey)
        const gathering = ofKey.get(payer.id) ?? new Gathering()
        ofKey.set(payer.id, gathering)
        gathering.add(charge, key.split('|')[0] ?? '', payer)
      }
    yield charge
  }
}

/** In the order in which one of them is the rate. */
const TERMS = [
  { place: 'dollars', also: '' },
  { place: 'by_day', also: 'also_by_day', per: 'DAY' },
  { place: 'percentage', also: 'also_percentage', per: '100 USD' },
] as const satisfies readonly { place: Place; also: string; per?: string }[]

const PAID = [
  ['median', 'hospital_allowed_median'],
  ['tenth', 'hospital_allowed_10th'],
  ['ninetieth', 'hospital_allowed_90th'],
  ['estimate', 'hospital_allowed_estimate'],
] as const satisfies readonly (readonly [Place, string])[]

/** A row as it should be: what it says in short, and whether other amounts of it cannot be read. */
interface Expected {
  says: string
  /** Places whose amounts it may lack. */
  places: readonly Place[]
}

function expectedRate(each: Gathering): Expected | undefined {
  const places = TERMS.map(({ place }) => place)
  const stated = TERMS.filter(({ place }) => each.at(place)?.low !== undefined)
  const isUnread = places.some((place) => (each.at(place)?.unreadable ?? 0) > 0)
  const [first, ...others] = stated
  if (first) {
    const also = others.map((term) => term.also)
    const flags = [...marks(each), ...also, ...(each.hasFormula ? ['also_formula'] : [])]
    const statement = each.at(first.place) as Statement
    return { says: price(statement, 'per' in first ? first.per : undefined, isUnread, flags), places }
  }
  if (isUnread) return { says: 'unreadable', places }
  if (each.hasFormula) return { says: 'algorithm_only', places }
  return each.isEmpty ? { says: 'no_price_stated', places } : undefined
}

function expectedPaid(each: Gathering, place: Place): Expected | undefined {
  const statement = each.at(place)
  if (!statement) return undefined
  const says =
    statement.low === undefined ? 'unreadable' : price(statement, undefined, statement.unreadable > 0, marks(each))
  return { says, places: [place] }
}

const marks = ({ isRestored, isOfGroup }: Gathering): string[] => [
  ...(isRestored ? ['code_restored'] : []),
  ...(isOfGroup ? ['by_charge_code'] : []),
]

function price(statement: Statement, per: string | undefined, isPartial: boolean, flags: readonly string[]): string {
  const unit = per ?? unitOf(statement)
  const ofUnit = per
    ? []
    : [...(statement.units.size > 1 ? ['mixed_units'] : []), ...(unit === '1 UNIT' ? ['unit_unparsed'] : [])]
  const all = [...flags, ...ofUnit, ...(isPartial ? ['partial'] : [])].sort()
  return `${statement.low}..${statement.high} per ${unit} ${all.join(' ')}`
}

function said(row: Row | undefined): string {
  if (!row) return 'no row'
  if (row.kind === 'absence') return row.reason
  const { price } = row
  const ends = 'amount' in price ? `${price.amount}..${price.amount}` : `${price.low}..${price.high}`
  return `${ends} per ${price.per ?? ''} ${[...row.flags].sort().join(' ')}`
}

const asPartial = (says: string): string => {
  const [, start = '', flags = ''] = /^(\S+ per (?:\d\S* \S+|DAY)?) ?(.*)$/.exec(says) ?? []
  return `${start} ${[...new Set([...flags.split(' ').filter((flag) => flag !== ''), 'partial'])].sort().join(' ')}`
}

export interface PayerComparison {
  rates: number
  disagreements: Disagreement[]
}

/** Every row of a payer that the file says, and no other. */
export function comparePayers(
  read: PayerRates,
  rows: Iterable<Row>,
  tornCodes: ReadonlySet<string> = new Set(),
): PayerComparison {
  const result: PayerComparison = { rates: 0, disagreements: [] }
  const byKey = new Map<string, Row>()
  for (const row of rows)
    if (row.payer !== null)
      byKey.set([row.code, row.modifier ?? '', row.setting ?? '', row.class ?? '', row.payer, row.basis].join('|'), row)
  const adrift = new Map<string, { parts: string[]; each: Gathering }[]>()
  for (const [key, payers] of read)
    for (const [id, each] of payers) {
      if (!each.isAdrift) continue
      const parts = key.split('|')
      const name = `${parts[0]}|${id}`
      adrift.set(name, [...(adrift.get(name) ?? []), { parts, each }])
    }
  for (const [key, payers] of read)
    for (const [id, each] of payers) {
      const isNearOthers = (places: readonly Place[]): boolean =>
        tornCodes.has(key.split('|')[0] ?? '') ||
        (adrift.get(`${key.split('|')[0]}|${id}`) ?? []).some(
          (other) =>
            other.each !== each && places.some((place) => other.each.amounts[place]) && isNear(other.parts, key),
        )
      const compare = (basis: string, expected: Expected | undefined): Row | undefined => {
        const name = `${key}|${id}|${basis}`
        const row = byKey.get(name)
        byKey.delete(name)
        if (!expected) {
          if (row) disagree('invented', name, 'nothing', row)
          return undefined
        }
        const isPrice = expected.says.includes(' per ')
        const says = isPrice && isNearOthers(expected.places) ? asPartial(expected.says) : expected.says
        if (isPrice) result.rates++
        // A reader who does not guess at a torn line says that something is left out.
        const isDoubtful = each.isGuess && (row?.kind === 'absence' || row?.flags.includes('partial'))
        if (says === said(row) || isDoubtful) return row
        disagree(row ? (isPrice ? 'wrong' : 'invented') : isPrice ? 'missing' : 'hidden', name, says, row)
        return undefined
      }
      const disagree = (kind: Disagreement['kind'], name: string, says: string, row: Row | undefined): void => {
        const lines = row?.locator.map(({ line }) => line) ?? []
        result.disagreements.push({ kind, key: name, read: says, said: said(row), lines })
      }
      const rate = compare('hospital_payer', expectedRate(each))
      if (rate && rate.kind !== 'absence' && !each.isGuess) {
        const { place } = TERMS.find((term) => each.at(term.place)?.low !== undefined) ?? TERMS[0]
        const methods = each.methods[place] ?? new Set<string>()
        const [method = ''] = methods.size > 1 ? ['mixed'] : methods
        const told = String(rate.indicators['methodology'] ?? '')
        if (told !== method) disagree('flags', `${key}|${id}`, `methodology ${method}, not ${told}`, rate)
      }
      for (const [place, basis] of PAID) compare(basis, expectedPaid(each, place))
    }
  for (const [key, row] of byKey) {
    const kind = row.kind === 'absence' ? 'unexplained' : 'invented'
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
