import { reasonForStatus } from '../proof/derivation.ts'
import { dollars, type Parts, physicianFeeCents } from '../proof/physician-fee.ts'
import type { Row, Setting } from '../proof/row.ts'
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
/** One line of the file, its cells as printed. */
export type PhysicianLine = { line: number } & { [name in Column]: string }

type Place = Locality | typeof NATIONAL

const HEADER_LINES = 5
const PAYABLE = new Set(['A', 'R', 'T'])
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
  // Localities are spelled US-.., which sorts before `national`.
  const places = [...localities, NATIONAL]
  for (const lines of groupByCode(physicianLines(source, rejects)))
    for (const place of places) for (const line of lines) yield* rowsOfLine(line, place, effective_from)
}

/** What one line states in one place: a price for each setting that has one or, nationally, that there is none. */
export function rowsOfLine(line: PhysicianLine, place: Place, effective_from: string): Row[] {
  const settings = pricedSettings(line)
  if (settings.length === 0) return place === NATIONAL ? [statedAbsence(line, effective_from)] : []
  return settings.map((setting) => priceRow(line, place, setting, effective_from))
}

/** The lines that can be published; of two with one key, the first. */
export function physicianLines(source: Source, rejects: Rejects): PhysicianLine[] {
  const recent: Record[] = []
  let columns: { [name in Column]: number } | undefined
  const lines = new Map<string, PhysicianLine>()
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

function readLine(record: Record, columns: { [name in Column]: number }): PhysicianLine {
  const cells = Object.entries(columns).map(([name, at]) => [name, (record.cells[at] ?? '').trim()])
  return { ...(Object.fromEntries(cells) as { [name in Column]: string }), line: record.line }
}

const isNumber = (text: string): boolean => /^[0-9]{1,6}(\.[0-9]{1,2})?$/.test(text)

function isSound(line: PhysicianLine): boolean {
  const { work, nonFacilityPractice, facilityPractice, malpractice } = line
  const opps = [line.oppsNonFacilityPractice, line.oppsFacilityPractice, line.oppsMalpractice]
  return (
    /^[A-Z]$/.test(line.status) &&
    /^[0-9]{1,4}\.[0-9]{1,4}$/.test(line.conversionFactor) &&
    [work, nonFacilityPractice, facilityPractice, malpractice, ...opps].every(isNumber)
  )
}

/** Lines of one code together, codes and modifiers in key order. */
function groupByCode(lines: readonly PhysicianLine[]): PhysicianLine[][] {
  const codes = new Map<string, PhysicianLine[]>()
  for (const line of lines) codes.set(line.cpt, [...(codes.get(line.cpt) ?? []), line])
  const before = (a: string, b: string): number => (a < b ? -1 : 1)
  return [...codes.entries()]
    .sort(([a], [b]) => before(a, b))
    .map(([, group]) => group.sort((a, b) => before(`${a.modifier}|`, `${b.modifier}|`)))
}

/** A zero total means that no price is stated, never that the price is nothing. */
const pricedSettings = (line: PhysicianLine): readonly Setting[] =>
  SETTINGS.filter(
    (setting) => PAYABLE.has(line.status) && Object.values(partsFor(line, setting)).some((rvu) => Number(rvu) > 0),
  )

const partsFor = (line: PhysicianLine, setting: Setting): Parts => ({
  work: line.work,
  practice: setting === 'facility' ? line.facilityPractice : line.nonFacilityPractice,
  malpractice: line.malpractice,
})

function rowBase(line: PhysicianLine, region: string, setting: Setting | null, effective_from: string) {
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

const statedAbsence = (line: PhysicianLine, effective_from: string): Row => ({
  kind: 'absence',
  reason: reasonForStatus(line.status),
  ...rowBase(line, NATIONAL.region, null, effective_from),
  flags: [],
  derivation: { method: 'cms-status/1', inputs: { status_code: line.status } },
  locator: [{ citation: 0, line: line.line }],
})

/** The formula, or the hospital outpatient cap on imaging where CMS states one and it is lower (DRA 5102(b)). */
function priceRow(
  line: PhysicianLine,
  place: Place,
  setting: Setting,
  effective_from: string,
): Row & { kind: 'price' } {
  const facility = setting === 'facility'
  const rvu = partsFor(line, setting)
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

function inputsOf(rvu: Parts, cap: Parts | undefined, place: Place, line: PhysicianLine) {
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
