import { unreadable } from '../../files/unreadable.ts'
import { shownNumber } from '../../files/xlsx.ts'
import { Problem } from '../../problem.ts'
import { codeIn, factsOf } from '../../proof/price/charts.ts'
import type { Row } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { roundedScheduleAmount, scheduleAmount } from '../findings.ts'
import { wholeFiles } from '../reader.ts'
import { headOf, isTabbed, oneLine, tableRecords } from '../records.ts'
import { byLine, fail, isOneOf, perSource, type Reread, whole } from '../reread.ts'
import type { Source } from '../source.ts'
import { regionOf } from './localities.ts'
import type { EditionOptions } from './quarter.ts'
import { type RowBase, refused, type ScheduleReader, type ScheduleReading } from './schedule.ts'
import { rowsInOrder } from './table.ts'

const FACTS = factsOf('cms-anesthesia')
/** The code of the row that stands for all anesthesia codes: the factor is the same for each of them. */
const ANY_CODE = FACTS?.standIn?.as ?? ''

/**
 * Since 2026 there are two factors: the one for clinicians who are not in a qualifying payment model is taken. CMS's
 * workbook leaves out the word National.
 */
const FACTOR =
  /^(?<qualifying>qualifying apm )?(non-qualifying apm )?(national )?anes cf\b.* of (?<national>[0-9.]{1,12})$/i
const WHAT = 'a list of anesthesia conversion factors'

/** A factor as the file has it. No region where the contractor and the locality are not numbers. */
interface FactorLine {
  line: number
  region: string | undefined
  factor: string
}

/** The anesthesia conversion factor of each locality, and the national one, which is in the header. */
export const reader: ScheduleReader = {
  open,
  read: wholeFiles(open),
  reread: rereadFactors,
  finds: (_, cpt) => codeIn(FACTS, cpt) === ANY_CODE,
  options: [],
}

function open(given: readonly Source[], options: EditionOptions, rejects: Findings): ScheduleReading {
  const source = chosen(given)
  const dated = datedBy(source, options)
  const rows = rowsInOrder(madeOf(source, dated.effective_from, rejects), rejects)
  return { ...dated, rows, row_total: rows.length, line_total: rows.length, cited: [source] }
}

/** The forms in which CMS ships the list, CSV, text and workbook: the first that is there is taken. */
const FORMS: readonly ((source: Source) => boolean)[] = [
  (source) => source.kind !== 'xlsx' && !isTabbed(source),
  (source) => source.kind !== 'xlsx',
  () => true,
]

function chosen(given: readonly Source[]): Source {
  const found = given.length === 1 ? given : given.filter((source) => /\banes cf\b/i.test(headOf(source)))
  const form = FORMS.find((is) => found.some(is))
  const [only, ...more] = form ? found.filter(form) : []
  if (!only) throw unreadable(`none of the files is ${WHAT}`)
  if (more.length > 0) throw unreadable(`there are several files that could be ${WHAT}: give one of them`)
  return only
}

/** The file's name says its year, and nothing in the file does. */
function datedBy({ name, file }: Source, given: EditionOptions): { edition: string; effective_from: string } {
  const [, year] = /ANES[^0-9]{0,3}(20[0-9]{2})/i.exec(name ?? file) ?? []
  const effective_from = given.effective_from ?? (year && `${year}-01-01`)
  if (effective_from === undefined || !isDay(effective_from))
    throw new Problem(
      'invalid_parameter',
      'give --effective-from, a day as YYYY-MM-DD: the file does not name its year',
    )
  return { edition: given.edition ?? `ANES${effective_from.slice(0, 4)}`, effective_from }
}

function* statedIn(source: Source): Generator<FactorLine> {
  let at: number | undefined
  const shown = source.kind === 'xlsx' ? shownNumber : (text: string): string => text
  for (const { line, cells } of tableRecords(source)) {
    const [contractor = '', locality = ''] = cells.map((cell) => cell.trim())
    if (at === undefined) {
      const factors = /^contractor$/i.test(contractor) && /^locality$/i.test(locality) ? factorsIn(cells) : []
      if (factors.length > 1) throw unreadable(`this is not ${WHAT} as it is published: a column is there twice`, line)
      if (!factors[0]) continue
      at = factors[0].at
      yield { line, region: 'national', factor: factors[0].national }
      continue
    }
    const factor = shown((cells[at] ?? '').trim())
    if (/^[0-9]{1,5}$/.test(contractor) && /^[0-9]{1,2}$/.test(locality))
      yield { line, region: knownRegion(contractor, locality, line), factor }
    // Notes are below the list.
    else if (factor !== '') yield { line, region: undefined, factor }
  }
  if (at === undefined)
    throw unreadable(`this is not ${WHAT}: no line names the columns Contractor, Locality and factor; give the CSV`)
}

const factorsIn = (cells: readonly string[]): { at: number; national: string }[] =>
  cells.flatMap((title, at) => {
    const { qualifying, national = '' } = FACTOR.exec(oneLine(title))?.groups ?? {}
    return national === '' || qualifying !== undefined ? [] : [{ at, national }]
  })

/** A spreadsheet drops the zeros in front of a number. */
function knownRegion(contractor: string, locality: string, line: number): string {
  const region = regionOf(contractor.padStart(5, '0'), locality.padStart(2, '0'))
  if (!region)
    throw unreadable('a factor is for a locality that is not known: get a newer version of this program', line)
  return region
}

function* madeOf(source: Source, effective_from: string, rejects: Findings): Generator<{ line: number; row: Row }> {
  for (const stated of statedIn(source)) {
    if (stated.region === undefined) note(rejects, 'R03', stated.line)
    else yield { line: stated.line, row: rateOf(stated, stated.region, effective_from) }
  }
}

function rateOf({ line, factor }: FactorLine, region: string, effective_from: string): Row {
  const base: RowBase = {
    code: ANY_CODE,
    payer: null,
    modifier: null,
    region,
    npi: null,
    basis: 'medicare_anesthesia',
    setting: null,
    class: null,
    effective_from,
    indicators: {},
    locator: [{ citation: 0, line }],
  }
  const exact = scheduleAmount(factor)
  const amount = exact ?? roundedScheduleAmount(factor)
  if (amount === undefined) return refused(base, 'R02')
  const derivation = { method: exact === undefined ? 'rounded/1' : 'verbatim/1', inputs: { rate: factor } }
  return { ...base, kind: 'rate', price: { amount, currency: 'USD', per: 'UNIT' }, flags: [], derivation }
}

/** The cited line must make the same row again. Each locality has one line. */
function rereadFactors(): Reread {
  const lists = perSource((source) => byLine([...statedIn(whole(source))]))
  return (row, places) => {
    const cited = places.map(({ source, line }) => lists(source).get(line))
    if (cited.length === 0 || !cited.every((stated) => stated !== undefined)) return fail('line_not_found')
    const made = cited.flatMap((stated) =>
      stated.region === undefined ? [] : rateOf(stated, stated.region, row.effective_from),
    )
    return isOneOf(row, made)
  }
}
