import type { Rejects } from '../registry/staging.ts'
import { csvRecords, type Record, unreadable } from './csv.ts'
import { CODE, reject } from './rejects.ts'
import type { Source } from './source.ts'
import { textLines } from './text-lines.ts'

/**
 * How CMS has headed each column, assembled from the lines of the stacked header. The order of columns differs
 * between years, and some years spell a word out that others shorten.
 */
const COLUMNS = {
  cpt: /^HCPCS( CODE)?$/,
  modifier: /^MOD(IFIER)?$/,
  status: /^STATUS CODE$/,
  work: /^WORK RVU$/,
  nonFacilityPractice: /^NON-?FAC(ILITY)? PE RVU$/,
  nonFacilityNa: /^NON-?FAC(ILITY)? NA INDICATOR$/,
  facilityPractice: /^FAC(ILITY)? PE RVU$/,
  facilityNa: /^FAC(ILITY)? NA INDICATOR$/,
  malpractice: /^MP RVU$/,
  conversionFactor: /^CONV(ERSION)? FACTOR$/,
  oppsNonFacilityPractice: /^NON-?FAC(ILITY)? PE USED FOR OPPS PAYMENT AMOUNT$/,
  oppsFacilityPractice: /^FAC(ILITY)? PE USED FOR OPPS PAYMENT AMOUNT$/,
  oppsMalpractice: /^MP USED FOR OPPS PAYMENT AMOUNT$/,
} as const
type Column = keyof typeof COLUMNS
const NAMES = Object.keys(COLUMNS) as Column[]

/** One line of the file, its cells as printed. */
export type PhysicianLine = { line: number } & { [name in Column]: string }
type Cells = { [name in Column]: string }

/** First and last character, counted from 1 as in the record layout that CMS ships (RVU25D.pdf). */
const POSITIONS: { [name in Column]: readonly [number, number] } = {
  cpt: [1, 5],
  modifier: [6, 7],
  status: [58, 58],
  work: [60, 65],
  nonFacilityPractice: [67, 72],
  nonFacilityNa: [73, 74],
  facilityPractice: [76, 81],
  facilityNa: [82, 83],
  malpractice: [85, 89],
  conversionFactor: [133, 140],
  oppsNonFacilityPractice: [152, 157],
  oppsFacilityPractice: [159, 164],
  oppsMalpractice: [165, 171],
}
const FIXED_WIDTH = 171
const HEADER_LINES = 5
/** A header that has not come by then never will. */
const PREAMBLE_LINES = 40

/** Whether the text is a PPRRVU file, by what stands in it: names are given by whoever saved it. */
export const isRelativeValueFile = (source: Source): boolean =>
  isFixedWidth(source.text) || findHeader(source.text) !== undefined

/** The lines that can be published. Of two that say the same, the first; of two that contradict each other, none. */
export function physicianLines(source: Source, rejects: Rejects): PhysicianLine[] {
  const lines = new Map<string, PhysicianLine>()
  const conflicts = new Set<string>()
  for (const line of isFixedWidth(source.text) ? fixedWidthLines(source.text) : csvLines(source.text)) {
    const key = `${line.cpt}|${line.modifier}`
    const known = lines.get(key)
    if (!CODE.test(line.cpt) || !/^([A-Z0-9]{2})?$/.test(line.modifier)) reject(rejects, 'R03', line.line)
    else if (!isSound(line)) reject(rejects, 'R02', line.line)
    else if (!known) lines.set(key, line)
    else if (NAMES.every((name) => known[name] === line[name])) reject(rejects, 'R09', line.line)
    else {
      if (!conflicts.has(key)) reject(rejects, 'R10', known.line)
      reject(rejects, 'R10', line.line)
      conflicts.add(key)
    }
  }
  for (const key of conflicts) lines.delete(key)
  return [...lines.values()]
}

function* csvLines(text: string): Generator<PhysicianLine> {
  const header = findHeader(text)
  if (!header) throw unreadable('this is not a PPRRVU file: no line that begins with HCPCS heads a column of work RVUs')
  const columns = findColumns(header.names)
  for (const record of csvRecords(text)) {
    if (record.line <= header.line || record.cells.every((cell) => cell.trim() === '')) continue
    yield { ...cellsOf((name) => record.cells[columns[name]] ?? ''), line: record.line }
  }
}

/** The last line of the header, and the names assembled from it and the lines above it. */
function findHeader(text: string): { line: number; names: string[] } | undefined {
  const recent: Record[] = []
  for (const record of csvRecords(text)) {
    if (record.line > PREAMBLE_LINES) return undefined
    recent.push(record)
    if (recent.length > HEADER_LINES) recent.shift()
    if (!COLUMNS.cpt.test((record.cells[0] ?? '').trim().toUpperCase())) continue
    const names = assemble(recent.map(({ cells }) => cells))
    return names.some((name) => COLUMNS.work.test(name)) ? { line: record.line, names } : undefined
  }
  return undefined
}

function assemble(header: readonly (readonly string[])[]): string[] {
  const width = Math.max(...header.map((cells) => cells.length))
  return Array.from({ length: width }, (_, at) =>
    header
      .map((cells) => (cells[at] ?? '').trim())
      .filter((word) => word !== '')
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .toUpperCase(),
  )
}

function findColumns(names: readonly string[]): { [name in Column]: number } {
  const entries = Object.entries(COLUMNS).map(([name, title]) => {
    const places = names.flatMap((each, at) => (title.test(each) ? [at] : []))
    if (places.length !== 1)
      throw unreadable(`the column "${READABLE(title)}" is ${places.length === 0 ? 'missing' : 'there twice'}`)
    return [name, places[0]]
  })
  return Object.fromEntries(entries) as { [name in Column]: number }
}

/** How a pattern of ours reads: NON-FAC PE RVU. */
const READABLE = (title: RegExp): string => title.source.replaceAll(/\(.*?\)\?|[?^$]/g, '')

function* fixedWidthLines(text: string): Generator<PhysicianLine> {
  for (const { text: record, line } of textLines(text)) {
    if (record.startsWith('HDR') || record.startsWith('TRL') || record.trim() === '') continue
    // Shorter than its last field: cut off, so no value of it can be trusted.
    if (record.length < FIXED_WIDTH - 2) throw unreadable('a record of the fixed-width file is cut short', line)
    yield { ...cellsOf((name) => record.slice(POSITIONS[name][0] - 1, POSITIONS[name][1])), line }
  }
}

/** A code, a modifier or none, fifty characters of description, a status, then numbers at their places. */
const RECORD = /^[0-9A-Z]{5}(?:[0-9A-Z]{2}| {2}).{50}[A-Z] [ 0-9.]{6} [ 0-9.]{6}(?:NA| {2}) [ 0-9.]{6}(?:NA| {2}) /

function isFixedWidth(text: string): boolean {
  for (const { text: record, line } of textLines(text)) {
    if (line > PREAMBLE_LINES) return false
    if (!record.startsWith('HDR') && record.trim() !== '') return RECORD.test(record)
  }
  return false
}

function cellsOf(cell: (name: Column) => string): Cells {
  return Object.fromEntries(NAMES.map((name) => [name, cell(name).trim()])) as Cells
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
