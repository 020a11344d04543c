import type { TableLine } from '../../files/csv.ts'
import { textLines } from '../../files/text-lines.ts'
import { unreadable } from '../../files/unreadable.ts'
import { shownNumber } from '../../files/xlsx.ts'
import { CONVERSION_FACTOR, RELATIVE_VALUE } from '../../proof/price/physician-fee.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import { CODE, codeIn, findingFor } from '../findings.ts'
import { oneLine, tableRecords, withoutSeparators } from '../records.ts'
import type { Source } from '../source.ts'

/**
 * The titles that CMS has given each column, assembled from the lines of the stacked header. The order of columns differs
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
  malpractice: /^(MP|PLI|MALPRACTICE) RVU$/,
  nonFacilityTotal: /^NON-?FAC(ILITY)? TOTAL( RVUS?)?$/,
  facilityTotal: /^FAC(ILITY)? TOTAL( RVUS?)?$/,
  pcTc: /^PC ?\/?TC IND(ICATOR)?$/,
  globalDays: /^GLOB(AL)? DAYS$/,
  before: /^PRE OP$/,
  during: /^INTRA OP$/,
  after: /^POST OP$/,
  multipleProcedure: /^MULT(IPLE)? PROC$/,
  bilateral: /^BILAT(ERAL)? SURG$/,
  assistant: /^ASST SURG$/,
  coSurgeon: /^CO-? ?SURG$/,
  endoscopicBase: /^ENDO(SCOPIC)? BASE( CODE)?$/,
  conversionFactor: /^CONV(ERSION)? FACTOR$/,
  oppsNonFacilityPractice: /^NON-?FAC(ILITY)? PE USED FOR OPPS PAYMENT AMOUNT$/,
  oppsFacilityPractice: /^FAC(ILITY)? PE USED FOR OPPS PAYMENT AMOUNT$/,
  oppsMalpractice: /^MP USED FOR OPPS PAYMENT AMOUNT$/,
} as const
type Column = keyof typeof COLUMNS
const NAMES = Object.keys(COLUMNS) as Column[]

/**
 * One line of the file, its cells as printed, and the line that says something else of the same code and modifier. In a
 * line that a rule refuses only the code can be relied on, and the modifier unless that is what cannot be read.
 */
export type PhysicianLine = { line: number; contradicted_on?: number; refused?: 'R02' | 'R03' } & {
  [name in Column]: string
}
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
  nonFacilityTotal: [91, 96],
  facilityTotal: [97, 102],
  pcTc: [103, 103],
  globalDays: [104, 106],
  before: [107, 109],
  during: [110, 112],
  after: [113, 115],
  multipleProcedure: [116, 116],
  bilateral: [117, 117],
  assistant: [118, 118],
  coSurgeon: [119, 119],
  endoscopicBase: [128, 132],
  conversionFactor: [133, 140],
  oppsNonFacilityPractice: [152, 157],
  oppsFacilityPractice: [159, 164],
  oppsMalpractice: [165, 171],
}
/** How many decimals CMS prints. A workbook leaves out the zeros at the end. */
const DECIMALS: { readonly [name in Column]?: number } = {
  before: 2,
  during: 2,
  after: 2,
  work: 2,
  nonFacilityPractice: 2,
  facilityPractice: 2,
  malpractice: 2,
  nonFacilityTotal: 2,
  facilityTotal: 2,
  conversionFactor: 4,
  oppsNonFacilityPractice: 2,
  oppsFacilityPractice: 2,
  oppsMalpractice: 2,
}
const FIXED_WIDTH = 171
const HEADER_LINES = 5
/** A header that has not come by then never will. */
const PREAMBLE_LINES = 40

/** Whether a file is a PPRRVU file, by its contents: its name may have been changed. */
export const isRelativeValueFile = (source: Source): boolean =>
  isFixedWidth(source.text) || findHeader(source) !== undefined

/** The lines with a code. The first of two that agree is taken; if they do not, it says where the other is. */
export function physicianLines(source: Source, rejects: Findings): PhysicianLine[] {
  const lines = new Map<string, PhysicianLine>()
  let seen = 0
  let unsound = 0
  let disagreeing = 0
  for (const line of isFixedWidth(source.text) ? fixedWidthLines(source.text) : tableLines(source)) {
    const broken = ruleBrokenBy(line)
    const key = `${line.cpt}|${broken === 'R03' ? '' : line.modifier}|${broken ? 'refused' : ''}`
    const known = lines.get(key)
    const sums = broken !== undefined || totalsAgree(line)
    seen++
    if (broken) unsound++
    if (!sums) {
      disagreeing++
      note(rejects, 'W06', line.line)
    }
    if (broken === 'code') note(rejects, 'R03', line.line)
    else if (broken) {
      note(rejects, findingFor(broken), line.line)
      if (!known) lines.set(key, { ...line, modifier: broken === 'R03' ? '' : line.modifier, refused: broken })
    } else if (!known) lines.set(key, line)
    else if (NAMES.every((name) => known[name] === line[name])) note(rejects, 'R09', line.line)
    else {
      note(rejects, 'R10', line.line)
      known.contradicted_on ??= line.line
    }
  }
  // A few invented lines may have invented totals; a whole schedule never has.
  if (seen >= WHOLE_SCHEDULE) unsound += disagreeing
  if (seen >= ENOUGH_LINES && unsound > seen * MOST_UNSOUND)
    throw unreadable(
      `${unsound} of ${seen} lines of the PPRRVU file are not valid: its header may not belong to its data; download it again`,
    )
  return [...lines.values()]
}

/** Above this share of unsound lines the columns themselves must be misread. */
const MOST_UNSOUND = 0.2
const ENOUGH_LINES = 50
const WHOLE_SCHEDULE = 1_000

/** The rule that refuses a line, if one does; `code` where there is no code that can be read. */
function ruleBrokenBy(line: PhysicianLine): 'code' | 'R02' | 'R03' | undefined {
  if (!CODE.test(line.cpt)) return 'code'
  if (!/^([A-Z0-9]{2})?$/.test(line.modifier)) return 'R03'
  return isSound(line) ? undefined : 'R02'
}

/** CMS prints each total beside its parts. Prices are made of the parts, so that one that disagrees is only told. */
function totalsAgree(line: PhysicianLine): boolean {
  const sum = (practice: string): number => hundredths(line.work) + hundredths(practice) + hundredths(line.malpractice)
  const agrees = (total: string, practice: string): boolean =>
    total === '' || (RELATIVE_VALUE.test(total) && hundredths(total) === sum(practice))
  return agrees(line.nonFacilityTotal, line.nonFacilityPractice) && agrees(line.facilityTotal, line.facilityPractice)
}

const hundredths = (decimal: string): number => Math.round(Number(decimal) * 100)

function* tableLines(source: Source): Generator<PhysicianLine> {
  const header = findHeader(source)
  if (!header)
    throw unreadable(
      'this is not a PPRRVU file: it has no header line that begins with HCPCS and names a column of work RVUs',
    )
  const columns = findColumns(header.names)
  const last = Math.max(...Object.values(columns))
  const printed = source.kind === 'xlsx' ? printedCell : plainCell
  let whole = false
  let cut: number | undefined
  for (const { line, cells } of tableRecords(source)) {
    if (line <= header.line || cells.every((cell) => cell.trim() === '')) continue
    cut = whole && cells.length <= last ? line : undefined
    whole ||= cells.length > last
    yield { ...cellsOf((name) => printed(name, (cells[columns[name]] ?? '').trim())), line }
  }
  if (cut !== undefined) throw unreadable('the PPRRVU file ends in the middle of a record: download it again', cut)
}

const plainCell = (name: Column, text: string): string =>
  DECIMALS[name] === undefined ? text : withoutSeparators(text)

/** A number of a workbook as CMS prints it in its text files: 0.5 is 0.50. */
function printedCell(name: Column, text: string): string {
  const decimals = DECIMALS[name]
  const shown = decimals === undefined ? text : shownNumber(text)
  const [whole = '', fraction = '', ...more] = shown.split('.')
  if (decimals === undefined || !/^[0-9]+$/.test(whole) || fraction.length > decimals || more.length > 0) return shown
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

/** The last line of the header, and the names assembled from it and the lines above it. */
function findHeader(source: Source): { line: number; names: string[] } | undefined {
  const recent: TableLine[] = []
  for (const record of tableRecords(source)) {
    if (record.line > PREAMBLE_LINES) return undefined
    recent.push(record)
    if (recent.length > HEADER_LINES) recent.shift()
    if (!COLUMNS.cpt.test((record.cells[0] ?? '').trim().toUpperCase())) continue
    // The fewest lines that name the most columns are the header: a title above them is not part of it.
    const headers = recent.map((_, at) => assemble(recent.slice(recent.length - 1 - at).map(({ cells }) => cells)))
    const [names = []] = headers.toSorted((one, other) => columnsNamed(other) - columnsNamed(one))
    return names.some((name) => COLUMNS.work.test(name)) ? { line: record.line, names } : undefined
  }
  return undefined
}

function assemble(header: readonly (readonly string[])[]): string[] {
  const width = Math.max(...header.map((cells) => cells.length))
  return Array.from({ length: width }, (_, at) =>
    oneLine(header.map((cells) => cells[at] ?? '').join(' ')).toUpperCase(),
  )
}

/** The totals only repeat what the other columns say, and the indicators are beside the price. */
const OPTIONAL: ReadonlySet<string> = new Set<Column>([
  'nonFacilityTotal',
  'facilityTotal',
  'pcTc',
  'globalDays',
  'before',
  'during',
  'after',
  'multipleProcedure',
  'bilateral',
  'assistant',
  'coSurgeon',
  'endoscopicBase',
])

const columnsNamed = (names: readonly string[]): number =>
  Object.values(COLUMNS).filter((title) => names.some((name) => title.test(name))).length

function findColumns(names: readonly string[]): { [name in Column]: number } {
  const entries = Object.entries(COLUMNS).map(([name, title]) => {
    const places = names.flatMap((each, at) => (title.test(each) ? [at] : []))
    if (places.length === 0 && OPTIONAL.has(name)) return [name, -1]
    if (places.length !== 1)
      throw unreadable(`the column "${READABLE(title)}" is ${places.length === 0 ? 'missing' : 'there twice'}`)
    return [name, places[0]]
  })
  return Object.fromEntries(entries) as { [name in Column]: number }
}

/** A pattern of ours as a reader would write it: NON-FAC PE RVU. */
const READABLE = (title: RegExp): string => title.source.replaceAll(/\(.*?\)\?|[?^$]/g, '')

function* fixedWidthLines(text: string): Generator<PhysicianLine> {
  for (const { text: record, line } of textLines(text)) {
    if (record.startsWith('HDR') || record.startsWith('TRL') || record.trim() === '') continue
    // Shorter than its last field: cut off, so no value of it can be trusted.
    if (record.length < FIXED_WIDTH - 2)
      throw unreadable('a record of the fixed-width file is too short: download the file again', line)
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
  return Object.fromEntries(
    NAMES.map((name) => [name, name === 'cpt' ? codeIn(cell(name)) : cell(name).trim()]),
  ) as Cells
}

function isSound(line: PhysicianLine): boolean {
  const { work, nonFacilityPractice, facilityPractice, malpractice } = line
  const opps = [line.oppsNonFacilityPractice, line.oppsFacilityPractice, line.oppsMalpractice]
  return (
    /^[A-Z]$/.test(line.status) &&
    CONVERSION_FACTOR.test(line.conversionFactor) &&
    [work, nonFacilityPractice, facilityPractice, malpractice, ...opps].every((value) => RELATIVE_VALUE.test(value))
  )
}
