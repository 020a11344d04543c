import { dollars, type Parts, physicianFeeCents } from '../proof/physician-fee.ts'
import type { AbsenceReason, Row, Setting } from '../proof/row.ts'
import { NA_FLAG } from '../registry/choose-row.ts'
import type { Rejects } from '../registry/staging.ts'
import { csvRecords, type Record, unreadable } from './csv.ts'
import { type Locality, NATIONAL } from './gpci.ts'
import { CODE, reject } from './rejects.ts'
import type { Source } from './source.ts'

/** Assembled from the five stacked header lines. The order of columns differs between years, the names do not. */
const COLUMNS = {
  cpt: 'HCPCS',
  modifier: 'MOD',
  status: 'STATUS CODE',
  work: 'WORK RVU',
  nonFacilityPractice: 'NON-FAC PE RVU',
  nonFacilityNa: 'NON-FAC NA INDICATOR',
  facilityPractice: 'FACILITY PE RVU',
  facilityNa: 'FACILITY NA INDICATOR',
  malpractice: 'MP RVU',
  conversionFactor: 'CONV FACTOR',
  oppsNonFacilityPractice: 'NON-FACILITY PE USED FOR OPPS PAYMENT AMOUNT',
  oppsFacilityPractice: 'FACILITY PE USED FOR OPPS PAYMENT AMOUNT',
  oppsMalpractice: 'MP USED FOR OPPS PAYMENT AMOUNT',
} as const
type Column = keyof typeof COLUMNS
type Line = { line: number } & { [name in Column]: string }

const HEADER_LINES = 5
const PAYABLE = new Set(['A', 'R', 'T'])
/** Why the schedule states no price, by status code. Other codes state nothing but that there is none. */
const ABSENT: { [status: string]: AbsenceReason } = {
  B: 'bundled',
  P: 'bundled',
  C: 'carrier_priced',
  N: 'not_covered',
  E: 'not_covered',
  X: 'not_covered',
  I: 'not_valid',
  J: 'anesthesia',
}
const SETTINGS: readonly Setting[] = ['facility', 'non_facility'] // in key order

/**
 * Every row of one edition, in key order: a price per payable code, modifier, region and setting, and one
 * stated absence per code that has none.
 */
export function* physicianRows(
  source: Source,
  localities: readonly Locality[],
  effective_from: string,
  rejects: Rejects,
): Generator<Row> {
  const codes = groupByCode(readLines(source, rejects))
  for (const lines of codes) {
    // Localities are spelled US-.., which sorts before `national`.
    for (const locality of localities)
      for (const line of lines.filter(hasPrice))
        for (const setting of SETTINGS) yield priceRow(line, locality, setting, effective_from)
    for (const line of lines)
      if (!hasPrice(line)) yield { ...statedAbsence(line, effective_from), kind: 'absence', reason: reasonFor(line) }
      else for (const setting of SETTINGS) yield priceRow(line, NATIONAL, setting, effective_from)
  }
}

function readLines(source: Source, rejects: Rejects): Line[] {
  const recent: Record[] = []
  let columns: { [name in Column]: number } | undefined
  const lines = new Map<string, Line>()
  for (const record of csvRecords(source.text)) {
    if (!columns) {
      recent.push(record)
      if (recent.length > HEADER_LINES) recent.shift()
      if (record.cells[0]?.trim() === 'HCPCS') columns = findColumns(recent.map(({ cells }) => cells))
      continue
    }
    const line = readLine(record, columns)
    const key = `${line.cpt}|${line.modifier}`
    if (record.cells.every((cell) => cell.trim() === '')) continue
    if (!CODE.test(line.cpt) || !/^([A-Z0-9]{2})?$/.test(line.modifier)) reject(rejects, 'R03', record.line)
    else if (!isSound(line)) reject(rejects, 'R02', record.line)
    else if (lines.has(key)) reject(rejects, 'R10', record.line)
    else lines.set(key, line)
  }
  if (!columns) throw unreadable('this is not a PPRRVU file: it has no line that begins with HCPCS')
  return [...lines.values()]
}

function findColumns(header: readonly (readonly string[])[]): { [name in Column]: number } {
  const width = Math.max(...header.map((cells) => cells.length))
  const assembled = Array.from({ length: width }, (_, at) =>
    header
      .map((cells) => (cells[at] ?? '').trim())
      .filter((word) => word !== '')
      .join(' ')
      .toUpperCase(),
  )
  const entries = Object.entries(COLUMNS).map(([name, title]) => {
    const at = assembled.indexOf(title)
    if (at < 0 || at !== assembled.lastIndexOf(title)) throw unreadable(`the column "${title}" is missing or doubled`)
    return [name, at]
  })
  return Object.fromEntries(entries) as { [name in Column]: number }
}

function readLine(record: Record, columns: { [name in Column]: number }): Line {
  const cells = Object.entries(columns).map(([name, at]) => [name, (record.cells[at] ?? '').trim()])
  return { ...(Object.fromEntries(cells) as { [name in Column]: string }), line: record.line }
}

const isNumber = (text: string): boolean => /^[0-9]{1,6}(\.[0-9]{1,2})?$/.test(text)

function isSound(line: Line): boolean {
  const { work, nonFacilityPractice, facilityPractice, malpractice } = line
  const opps = [line.oppsNonFacilityPractice, line.oppsFacilityPractice, line.oppsMalpractice]
  return (
    /^[A-Z]$/.test(line.status) &&
    /^[0-9]{1,4}\.[0-9]{1,4}$/.test(line.conversionFactor) &&
    [work, nonFacilityPractice, facilityPractice, malpractice, ...opps].every(isNumber)
  )
}

/** Lines of one code together, codes and modifiers in key order. */
function groupByCode(lines: readonly Line[]): Line[][] {
  const codes = new Map<string, Line[]>()
  for (const line of lines) codes.set(line.cpt, [...(codes.get(line.cpt) ?? []), line])
  const before = (a: string, b: string): number => (a < b ? -1 : 1)
  return [...codes.entries()]
    .sort(([a], [b]) => before(a, b))
    .map(([, group]) => group.sort((a, b) => before(`${a.modifier}|`, `${b.modifier}|`)))
}

/** A zero total means that no price is stated, never that the price is nothing. */
const hasPrice = (line: Line): boolean =>
  PAYABLE.has(line.status) &&
  [line.work, line.nonFacilityPractice, line.facilityPractice, line.malpractice].some((rvu) => Number(rvu) > 0)

const reasonFor = (line: Line): AbsenceReason => ABSENT[line.status] ?? 'no_price_stated'

function rowBase(line: Line, region: string, setting: Setting | null, effective_from: string) {
  return {
    cpt: line.cpt,
    modifier: line.modifier === '' ? null : line.modifier,
    region,
    npi: null,
    basis: 'medicare_pfs',
    setting,
    effective_from,
  } as const
}

const statedAbsence = (line: Line, effective_from: string) => ({
  ...rowBase(line, NATIONAL.region, null, effective_from),
  flags: [],
  derivation: { method: 'cms-status/1', inputs: { status_code: line.status } },
  locator: [{ citation: 0, line: line.line }],
})

/** The formula, or the hospital outpatient cap on imaging where CMS states one and it is lower (DRA 5102(b)). */
function priceRow(
  line: Line,
  place: Locality | typeof NATIONAL,
  setting: Setting,
  effective_from: string,
): Row & { kind: 'price' } {
  const facility = setting === 'facility'
  const rvu: Parts = {
    work: line.work,
    practice: facility ? line.facilityPractice : line.nonFacilityPractice,
    malpractice: line.malpractice,
  }
  const cap: Parts = {
    work: line.work,
    practice: facility ? line.oppsFacilityPractice : line.oppsNonFacilityPractice,
    malpractice: line.oppsMalpractice,
  }
  const capped = Number(cap.practice) > 0
  const fee = physicianFeeCents(rvu, place.gpci, line.conversionFactor)
  const ceiling = capped ? physicianFeeCents(cap, place.gpci, line.conversionFactor) : fee
  const na = (facility ? line.facilityNa : line.nonFacilityNa) === 'NA'
  return {
    kind: 'price',
    ...rowBase(line, place.region, setting, effective_from),
    price: { amount: dollars(Math.min(fee, ceiling)), currency: 'USD' },
    flags: [...(na ? [NA_FLAG] : []), ...(ceiling < fee ? ['opps_cap'] : [])],
    derivation: { method: 'pfs-formula/1', inputs: inputsOf(rvu, capped ? cap : undefined, place, line) },
    locator: [{ citation: 0, line: line.line }, ...('line' in place ? [{ citation: 1, line: place.line }] : [])],
  }
}

function inputsOf(rvu: Parts, cap: Parts | undefined, place: Locality | typeof NATIONAL, line: Line) {
  return {
    work_rvu: rvu.work,
    practice_rvu: rvu.practice,
    malpractice_rvu: rvu.malpractice,
    work_gpci: place.gpci.work,
    practice_gpci: place.gpci.practice,
    malpractice_gpci: place.gpci.malpractice,
    conversion_factor: line.conversionFactor,
    ...('work_floor' in place ? { work_gpci_column: place.work_floor } : {}),
    ...(cap ? { opps_practice_rvu: cap.practice, opps_malpractice_rvu: cap.malpractice } : {}),
  }
}
