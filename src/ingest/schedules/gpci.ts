import { textLines } from '../../files/text-lines.ts'
import { unreadable } from '../../files/unreadable.ts'
import { shownNumber } from '../../files/xlsx.ts'
import { INDEX, indices, type Parts, type WholeParts } from '../../proof/price/physician-fee.ts'
import { headOf, oneLine, tableRecords } from '../records.ts'
import type { Source } from '../source.ts'
import { isLocalityState, LOCALITIES as KNOWN } from './localities.ts'

/** One Medicare locality and its geographic cost indices. */
export interface Locality {
  region: string
  /** The contractor that pays there. Locality numbers are unique only together with it, or with the state. */
  mac: string
  line: number
  gpci: Parts
  /** The indices in whole numbers, for the formula. */
  indices: WholeParts
  /** The work index that was used: with the floor of 1.0 where the file has it, as CMS pays. */
  work_floor: 'with_floor' | 'without_floor'
}

const NATION: Parts = { work: '1.000', practice: '1.000', malpractice: '1.000' }

/** The national amount is the formula with every index at one. */
export const NATIONAL = { region: 'national', gpci: NATION, indices: indices(NATION) } as const

/** Whether Medicare pays in so many localities: three of California were retired with 2024. Where the year is not known, both numbers will do. */
export function isLocalityCount(count: number, year: number | undefined): boolean {
  if (year === undefined) return count === LOCALITIES || count === LOCALITIES_BEFORE_2024
  return count === (year < 2024 ? LOCALITIES_BEFORE_2024 : LOCALITIES)
}

/** The first locality that Medicare does not pay in. The list of them is that of 2025 and 2026. */
export const findUnknownLocality = (localities: readonly Locality[], year: number | undefined): Locality | undefined =>
  year !== undefined && year >= 2025 ? localities.find(({ region }) => !KNOWN.includes(region)) : undefined
const LOCALITIES = 109
const LOCALITIES_BEFORE_2024 = 112

const PREAMBLE_LINES = 40

/** One line of either layout, before it is known to be sound. */
interface LocalityLine {
  line: number
  mac: string
  state: string
  number: string
  gpci: Parts
}
type WorkFloor = Locality['work_floor'] | 'not_stated'

/** Whether a file is a GPCI file, by its contents. */
export const isGpciFile = (source: Source): boolean =>
  findFixedHeader(source.text) !== undefined || findHeader(source) !== undefined

/** Localities sorted by region. Footnotes stand after them, and are any line that does not begin with a contractor. */
export function readGpci(source: Source): Locality[] {
  const { floor, stated } = findFixedHeader(source.text) ? readFixedWidth(source.text) : readTable(source)
  const localities = new Map<string, Locality>()
  const contractors = new Set<string>()
  // A file that does not say whether the floor of 1.0 was applied shows it: with the floor, nothing is below.
  const floored = stated.every(({ gpci }) => Number(gpci.work) >= 1)
  const work_floor = floor === 'not_stated' ? (floored ? 'with_floor' : 'without_floor') : floor
  for (const { line, mac, state, number, gpci } of stated) {
    if (!/^[0-9]{2}$/.test(number) || !Object.values(gpci).every((index) => INDEX.test(index)))
      throw unreadable(
        'a locality of the GPCI file has a number or an index that is not valid: download the file again',
        line,
      )
    if (!isLocalityState(state))
      throw unreadable(
        'a locality of the GPCI file is in a state that Medicare does not pay in: download the file again',
        line,
      )
    if (!Object.values(gpci).every(isPlausible))
      throw unreadable('an index of the GPCI file is below 0.2 or above 3.0: download the file again', line)
    const region = `US-${state}-${number}`
    if (localities.has(region) || contractors.has(`${mac} ${number}`))
      throw unreadable('a locality of the GPCI file is listed twice: download the file again', line)
    localities.set(region, { region, mac, line, gpci, indices: indices(gpci), work_floor })
    contractors.add(`${mac} ${number}`)
  }
  if (localities.size === 0) throw unreadable('this is not a GPCI file: it has no localities')
  return [...localities.values()].sort((a, b) => (a.region < b.region ? -1 : 1))
}

/** The year that the columns of indices are headed with or, where their heads are cut, that the title or the name says. */
export function gpciYear(source: Source): number | undefined {
  const head = oneLine(headOf(source))
  const [, year] =
    /\b(20[0-9]{2}) PW GPCI/i.exec(head) ??
    /\bCY (20[0-9]{2}) GEOGRAPHIC PRACTICE/i.exec(head) ??
    /GPCI[-_ ]?(20[0-9]{2})(?![0-9])/i.exec(source.file) ??
    []
  return year === undefined ? undefined : Number(year)
}

type Columns = { [name in 'mac' | 'state' | 'locality' | 'work' | 'practice' | 'malpractice']: number }

function readTable(source: Source): { floor: WorkFloor; stated: LocalityLine[] } {
  const header = findHeader(source)
  if (!header) throw unreadable('this is not a GPCI file: it has no localities')
  const { columns, floor } = findColumns(header.cells)
  const shown = source.kind === 'xlsx' ? shownNumber : (text: string): string => text
  const stated: LocalityLine[] = []
  for (const { line, cells } of tableRecords(source)) {
    const cell = (name: keyof Columns): string => (cells[columns[name]] ?? '').trim()
    // A spreadsheet drops the zero in front of 02102.
    if (line <= header.line || !/^[0-9]{4,5}$/.test(cell('mac'))) continue
    const index = (name: keyof Columns): string => shown(cell(name))
    const gpci = { work: index('work'), practice: index('practice'), malpractice: index('malpractice') }
    const number = cell('locality').padStart(2, '0')
    stated.push({ line, mac: cell('mac').padStart(5, '0'), state: cell('state'), number, gpci })
  }
  return { floor, stated }
}

function findHeader(source: Source): { line: number; cells: string[] } | undefined {
  for (const { line, cells } of tableRecords(source)) {
    if (line > PREAMBLE_LINES) return undefined
    const titles = cells.map(oneLine)
    if (titles.some((cell) => LOCALITY.test(cell)) && titles.some((cell) => /GPCI/i.test(cell)))
      return { line, cells: titles }
  }
  return undefined
}

const LOCALITY = /^Locality (Number|Code)/i

/** Columns are found by name: they move from year to year. */
function findColumns(cells: readonly string[]): { columns: Columns; floor: WorkFloor } {
  const find = (pattern: RegExp): number => cells.findIndex((cell) => pattern.test(cell))
  const floored = find(/(PW|Work) GPCI.*with 1\.0+ (work )?floor/i)
  const bare = find(/(PW|Work) GPCI.*without 1\.0+ (work )?floor/i)
  const columns = {
    mac: find(/\bMAC\b|Contractor/i),
    state: find(/^\s*State/i),
    locality: find(LOCALITY),
    work: floored >= 0 ? floored : find(/(PW|Work) GPCI/i),
    practice: find(/(PE|Practice Expense) GPCI/i),
    malpractice: find(/(MP|Malpractice|PLI) GPCI/i),
  }
  if (Object.values(columns).some((at) => at < 0))
    throw unreadable(
      'a column of the GPCI file is missing: its header must name contractor, state, locality and three indices',
    )
  return { columns, floor: floored >= 0 ? 'with_floor' : bare >= 0 ? 'without_floor' : 'not_stated' }
}

/** Contractor, state, locality, name, then the work index (in 2026 without and with the floor), practice, malpractice. */
const FIXED = /^([0-9]{5}) +([A-Z]{2}) +([0-9]{2}) +\S.*? {2,}([0-9.]+) +(?:([0-9.]+) +)?([0-9.]+) +([0-9.]+) *$/

/** Longer lines are none of CMS's, and would take the pattern long to refuse. */
const MAX_FIXED = 300
const fixedRecord = (record: string): string[] => (record.length > MAX_FIXED ? [] : (FIXED.exec(record) ?? []))

/** The line above the first locality of a fixed-width file. CMS cuts its words to the width of the columns. */
function findFixedHeader(text: string): number | undefined {
  let header: number | undefined
  for (const { text: record, line } of textLines(text)) {
    if (line > PREAMBLE_LINES || record.includes(',,')) return undefined
    if (/GPCI.*GPCI/i.test(record) && !record.includes(',')) header = line
    if (header !== undefined && fixedRecord(record).length > 0) return header
  }
  return undefined
}

function readFixedWidth(text: string): { floor: WorkFloor; stated: LocalityLine[] } {
  let floor: WorkFloor = 'not_stated'
  const stated: LocalityLine[] = []
  for (const { text: record, line } of textLines(text)) {
    if (!/^[0-9]{5} /.test(record)) continue
    const [, mac, state, number, first, second, practice, malpractice] = fixedRecord(record)
    if (!mac || !state || !number || !first || !practice || !malpractice)
      throw unreadable(
        'a locality of the GPCI file has a number or an index that is not valid: download the file again',
        line,
      )
    if (stated.length > 0 && (floor === 'with_floor') !== (second !== undefined))
      throw unreadable(
        'a locality has more or fewer indices than the ones before it: download the GPCI file again',
        line,
      )
    if (second !== undefined) floor = 'with_floor'
    if (Number(second ?? first) < Number(first))
      throw unreadable('the work index with the floor is below the one without it: download the GPCI file again', line)
    stated.push({ line, mac, state, number, gpci: { work: second ?? first, practice, malpractice } })
  }
  return { floor, stated }
}

/** No index has been as low or as high: the least is a malpractice index of 0.296, the highest one of 2.6. */
const isPlausible = (index: string): boolean => Number(index) >= 0.2 && Number(index) <= 3
