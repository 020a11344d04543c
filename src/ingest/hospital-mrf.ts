import { isNpi } from '../proof/npi.ts'
import { dollars } from '../proof/physician-fee.ts'
import { type Basis, isDay, type Row, rowKey, type Setting } from '../proof/row.ts'
import type { Rejects } from '../registry/staging.ts'
import { csvRecords, type Record, unreadable } from './csv.ts'
import { CODE, moneyCents, reject } from './rejects.ts'
import type { Source } from './source.ts'

/** A hospital's price list: whose it is, from when it holds, and its rows in key order. */
export interface HospitalFile {
  npis: string[]
  last_updated_on: string
  rows: Row[]
}

/** The columns that hold prices. Payer and plan names, descriptions and notes are never read. */
const AMOUNTS: readonly { column: string; basis: Basis }[] = [
  { column: 'standard_charge|gross', basis: 'hospital_gross' },
  { column: 'standard_charge|discounted_cash', basis: 'hospital_cash' },
  { column: 'standard_charge|min', basis: 'hospital_negotiated_low' },
  { column: 'standard_charge|max', basis: 'hospital_negotiated_high' },
]
const SETTING = new Map<string, Setting | null>([
  ['outpatient', 'outpatient'],
  ['inpatient', 'inpatient'],
  ['both', null],
])

/** One amount that one line states: for what, on which basis, how much. */
export interface StatedAmount {
  line: number
  cpt: string
  modifier: string | null
  setting: Setting | null
  basis: Basis
  cents: number
}

/** The file as it reads, before anyone says whose it is: the NPIs it names may be none, or not be NPIs. */
export interface HospitalTable {
  named_npis: string[]
  last_updated_on: string | undefined
  amounts: Iterable<StatedAmount>
}

/** Everything stated under one key: the lowest and highest amount, and the lines on which they first stand. */
interface Stated {
  row: Pick<Row, 'cpt' | 'modifier' | 'region' | 'npi' | 'basis' | 'setting'>
  low: { cents: number; line: number }
  high: { cents: number; line: number }
}

export function hospitalFile(source: Source, givenNpis: readonly string[], rejects: Rejects): HospitalFile {
  const { named_npis, last_updated_on, amounts } = hospitalTable(source, rejects)
  const npis = npisOf(givenNpis.length > 0 ? givenNpis : named_npis)
  if (!last_updated_on) throw unreadable('the hospital file does not say when it was last updated')
  return { npis, last_updated_on, rows: hospitalRows(amounts, npis, last_updated_on) }
}

/** The tall CSV template, versions 2 and 3: names of columns tolerate case and spaces. */
export function hospitalTable(source: Source, rejects: Rejects): HospitalTable {
  const records = csvRecords(source.text)
  const heads = [...take(records, 3)].map(({ cells }) => cells)
  const [names = [], values = [], columns = []] = heads
  const general = (name: string): string => (values[names.map(plain).indexOf(name)] ?? '').trim()
  const at = new Map(columns.map((column, place) => [plain(column), place]))
  if (!at.has('code|1') || !at.has('setting'))
    throw unreadable('this is not a hospital file in the tall CSV template: line 3 names no code and setting')
  return {
    named_npis: general('type_2_npi')
      .split('|')
      .map((npi) => npi.trim()),
    last_updated_on: isoDate(general('last_updated_on')),
    amounts: readAmounts(records, at, rejects),
  }
}

function* readAmounts(
  records: Iterable<Record>,
  at: ReadonlyMap<string, number>,
  rejects: Rejects,
): Generator<StatedAmount> {
  for (const { line, cells } of records) {
    const cell = (name: string): string => (cells[at.get(name) ?? -1] ?? '').trim()
    const setting = SETTING.get(cell('setting').toLowerCase())
    const cpt = codeOf(cell)
    const modifier = modifierOf(cell('modifiers'))
    if (cells.every((text) => text.trim() === '')) continue
    if (cpt === undefined || modifier === undefined || setting === undefined) reject(rejects, 'R03', line)
    else
      for (const { column, basis } of AMOUNTS) {
        const text = cell(column)
        if (text === '') continue
        const cents = moneyCents(text)
        if (cents === undefined) reject(rejects, 'R02', line)
        else yield { line, cpt, modifier, setting, basis, cents }
      }
  }
}

/** A row per key, in key order: the amounts of a file are those of each of its providers. */
export function hospitalRows(
  amounts: Iterable<StatedAmount>,
  npis: readonly string[],
  effective_from: string,
): (Row & { kind: 'price' })[] {
  const stated = new Map<string, Stated>()
  for (const { line, cents, ...key } of amounts)
    for (const npi of npis) collect(stated, { ...key, region: 'national', npi }, cents, line)
  return [...stated.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => toRow(entry, effective_from))
}

const plain = (header: string): string =>
  header
    .toLowerCase()
    .split('|')
    .map((part) => part.trim())
    .join('|')

function* take<T>(items: Iterator<T>, most: number): Generator<T> {
  for (let taken = 0; taken < most; taken++) {
    const next = items.next()
    if (next.done) return
    yield next.value
  }
}

/** A price belongs to every provider the file names; an identifier that is not one refuses the file. */
function npisOf(npis: readonly string[]): string[] {
  if (npis.length === 0 || !npis.every(isNpi))
    throw unreadable('the hospital file names no valid NPI: give its NPIs with --npi')
  return [...new Set(npis)].sort()
}

/** The first code with the shape of CPT or HCPCS, whatever type the file says it has. */
function codeOf(cell: (name: string) => string): string | undefined {
  for (let i = 1; i <= 8; i++) {
    const type = cell(`code|${i}|type`).toUpperCase()
    const code = cell(`code|${i}`).toUpperCase()
    if ((type === 'CPT' || type === 'HCPCS') && CODE.test(code)) return code
  }
  return undefined
}

/** Null for none, undefined for what is not a list of two-character modifiers. */
function modifierOf(text: string): string | null | undefined {
  if (text === '') return null
  const parts = text
    .toUpperCase()
    .split('|')
    .map((part) => part.trim())
  if (parts.length > 4 || !parts.every((part) => /^[A-Z0-9]{2}$/.test(part))) return undefined
  return parts.sort().join('-')
}

function isoDate(text: string): string | undefined {
  const iso = /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})/.exec(text)
  const us = /^([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})/.exec(text)
  const [year = '', month = '', day = ''] = iso ? iso.slice(1) : us ? [us[3], us[1], us[2]] : []
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(date) ? date : undefined
}

function collect(stated: Map<string, Stated>, row: Stated['row'], cents: number, line: number): void {
  const known = stated.get(rowKey(row))
  if (!known) stated.set(rowKey(row), { row, low: { cents, line }, high: { cents, line } })
  else if (cents < known.low.cents) known.low = { cents, line }
  else if (cents > known.high.cents) known.high = { cents, line }
}

/** One amount is a price; several under one key are a range, because the file does not say which applies. */
function toRow({ row, low, high }: Stated, effective_from: string): Row & { kind: 'price' } {
  const one = low.cents === high.cents
  const [least, most] = [dollars(low.cents), dollars(high.cents)]
  return {
    ...row,
    kind: 'price',
    price: one ? { amount: least, currency: 'USD' } : { low: least, high: most, currency: 'USD' },
    effective_from,
    flags: [],
    derivation: one
      ? { method: 'verbatim/1', inputs: { amount: least } }
      : { method: 'range/1', inputs: { low: least, high: most } },
    locator: (one ? [low] : [low, high]).map(({ line }) => ({ citation: 0, line })),
  }
}
