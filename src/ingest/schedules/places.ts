import { textLines } from '../../files/text-lines.ts'
import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import type { AnyRow, PlaceRow } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { type Reader, readAll } from '../reader.ts'
import { byLine, fail, OK, type Place, perSource, type SourceInput, type SourceVerdict, whole } from '../reread.ts'
import { readMembers, type Source } from '../source.ts'
import { biddingAreasIn, isBiddingAreaList } from './bidding-areas.ts'
import { isPostalState, regionOf } from './localities.ts'
import { isList, isRuralList, type ListEntries, listedIn, ruralZipsIn } from './place-lists.ts'
import { type EditionOptions, quarterlyEdition } from './quarter.ts'
import { type Columns, type Line, readTable } from './table.ts'

/**
 * Both of CMS's fixed-width files (ZIP5lyout, ZIP9lyout), by columns counted from 1: state 1, ZIP code 3, contractor 8,
 * locality 13, at 21 whether the last four digits decide, at 22 in the ZIP9 file these, and at 76 year and quarter. The
 * state is where the ZIP code lies, not what its locality is named after.
 */
const RECORD = /^([A-Z]{2})([0-9]{5})([0-9]{5})([0-9]{2}).{6}([01 ])(?:(.{4})(?:.{50}([0-9]{5})?)?)?/
const COLUMNS = {
  state: { titles: ['STATE'] },
  zip: { titles: ['ZIP CODE', 'ZIP'] },
  carrier: { titles: ['CARRIER'] },
  locality: { titles: ['LOCALITY'] },
  plus_four: { titles: ['PLUS 4 FLAG', 'PLUS FOUR FLAG'] },
  quarter: { titles: ['YEAR/QTR', 'YEAR QUARTER'], optional: true },
} satisfies Columns

interface ZipLine {
  line: number
  zip: string
  state: string
  region: string
  /** Whether the last four digits decide where it lies. */
  isSplit: boolean
  /** Year and quarter, `20261`; empty where the line does not have them. */
  quarter: string
}
/** A line of the ZIP9 file. */
interface Extension {
  line: number
  zip: string
  state: string
  region: string
  four: string
}

export interface PlacesReading {
  edition: string
  effective_from: string
  rows: PlaceRow[]
  row_total: number
  line_total: number
  cited: readonly Source[]
}

/**
 * The locality of each ZIP code, from CMS's ZIP5 file. Where the last four digits decide, the region is null; the ZIP9
 * file beside it has a locality for the digits. The lists of rural ZIP codes and of former bidding areas are those of the equipment schedule.
 */
export function placesIn(given: readonly Source[], options: EditionOptions, rejects: Findings): PlacesReading {
  const { zip5, zip9, rural, bidding } = chosen(given)
  if (isZip9(zip5)) throw unreadable('this is a ZIP9 file: give the ZIP5 file of the same quarter together with it', 1)
  const stated = zipsOf(zip5, rejects)
  if (stated.size === 0) throw unreadable('the ZIP5 file has no ZIP codes')
  const dated = datedBy([...stated.values()], options)
  const extensions = Map.groupBy(zip9 ? extensionsIn(zip9) : [], ({ zip }) => zip)
  const cited = [zip5, zip9, rural, bidding].filter((source) => source !== undefined)
  const year = dated.effective_from.slice(0, 4)
  const listed = listedIn(
    rural && { of: ruralZipsIn(rural, [...stated.values()][0]?.quarter), citation: cited.indexOf(rural) },
    bidding && { of: biddingAreasIn(bidding, year), citation: cited.indexOf(bidding) },
  )
  const rows = [...stated.values()]
    .sort((a, b) => (a.zip < b.zip ? -1 : 1))
    .flatMap((each) => rowsOf(each, extensions.get(each.zip) ?? [], dated.effective_from, listed(each.zip)))
  return { ...dated, rows, row_total: rows.length, line_total: stated.size, cited }
}

const nameOf = ({ name, file }: Source): string => name ?? file

/** CMS ships the tables as text and as workbooks, beside their layouts. The text is taken. */
function chosen(all: readonly Source[]): Partial<Record<'zip9' | 'rural' | 'bidding', Source>> & { zip5: Source } {
  const lists = [all.filter(isRuralList), all.filter(isBiddingAreaList)]
  const [rural, bidding] = lists.map((each) => each.find((source) => /\.csv$/i.test(nameOf(source))) ?? each[0])
  const beside = { ...(rural && { rural }), ...(bidding && { bidding }) }
  const given = all.filter((source) => !lists.flat().includes(source))
  const [only] = given
  if (only && given.length === 1) return { zip5: only, ...beside } // reading it says what is wrong with it
  const named = (name: RegExp): Source | undefined => {
    const all = given.filter((source) => name.test(nameOf(source)))
    const texts = all.filter(({ kind }) => kind !== 'xlsx')
    const [found, ...more] = texts.length > 0 ? texts : all
    if (more.length > 0) throw unreadable('there are several ZIP5 or several ZIP9 files: give one of each')
    return found
  }
  const [zip5, zip9] = [named(/ZIP5(?!ly)/i), named(/ZIP9(?!ly)/i)]
  if (!zip5) throw unreadable('there is no ZIP5 file among these: its name must contain ZIP5')
  // A file that the operator gives was meant to be read; an archive may hold anything.
  if (given.some((source) => !source.archive && !/ZIP[59]/i.test(nameOf(source))))
    throw unreadable(
      'one of the files is no ZIP5 file, no ZIP9 file and no list of rural ZIP codes or bidding areas: leave it out, or give it the name that CMS gave it',
    )
  return { zip5, ...(zip9 && { zip9 }), ...beside }
}

function zipsOf(source: Source, rejects: Findings): Map<string, ZipLine> {
  const zips = new Map<string, ZipLine>()
  for (const each of statedIn(source)) {
    const known = zips.get(each.zip)
    if (known && (known.region !== each.region || known.state !== each.state || known.isSplit !== each.isSplit))
      throw unreadable('a ZIP code is listed twice, in different places: download the ZIP5 file again', each.line)
    if (known) note(rejects, 'R09', each.line)
    else zips.set(each.zip, each)
  }
  return zips
}

/** The edition, by the quarter that every line names. */
function datedBy(stated: readonly ZipLine[], options: EditionOptions): { edition: string; effective_from: string } {
  if (options.effective_from !== undefined) return quarterlyEdition('ZIP', [], options)
  const [quarter = '', ...more] = new Set(stated.map((each) => each.quarter))
  if (more.length > 0) throw unreadable('the lines of the ZIP5 file name different quarters')
  const effective_from = `${quarter.slice(0, 4)}-${String(Number(quarter[4]) * 3 - 2).padStart(2, '0')}-01`
  if (!/^20[0-9]{2}[1-4]$/.test(quarter) || !isDay(effective_from))
    throw new Problem(
      'invalid_parameter',
      'give --effective-from, a day as YYYY-MM-DD: the file does not name its quarter',
    )
  return quarterlyEdition('ZIP', [], { ...options, effective_from })
}

function* statedIn(source: Source): Generator<ZipLine> {
  if (source.kind !== 'xlsx' && !isTable(source.text)) return yield* fixedWidth(source.text)
  for (const line of readTable(source, COLUMNS, 'a ZIP5 file').lines) if (line.cell('zip') !== '') yield statedBy(line)
}

const isTable = (text: string): boolean => /^[^\n]{0,500}ZIP ?CODE/i.test(text)

/** The last four digits, at a place where the ZIP5 file has a letter between blanks. */
const FOUR = /^[0-9]{4}$/
const isZip9 = ({ text }: Source): boolean => FOUR.test(RECORD.exec(text)?.[6] ?? '')
const notA = (what: 'ZIP5' | 'ZIP9', line: number): Problem =>
  unreadable(`this is not a ${what} file: give the one that CMS's archive of ZIP codes holds`, line)

function* records(text: string, what: 'ZIP5' | 'ZIP9'): Generator<{ line: number; parts: readonly string[] }> {
  for (const { text: record, line } of textLines(text)) {
    if (record.trim() === '') continue
    const [whole, ...parts] = RECORD.exec(record) ?? []
    if (whole === undefined) throw notA(what, line)
    yield { line, parts: parts.map((part) => part ?? '') }
  }
}

function* fixedWidth(text: string): Generator<ZipLine> {
  for (const { line, parts } of records(text, 'ZIP5')) {
    const [state = '', zip = '', contractor = '', locality = '', flag, , quarter = ''] = parts
    yield {
      line,
      zip,
      state: postal(state, line),
      region: knownRegion(contractor, locality, line),
      isSplit: flag === '1',
      quarter,
    }
  }
}

/** A spreadsheet drops the zeros in front of a number. */
function statedBy({ line, cell }: Line): ZipLine {
  const padded = (name: string, length: number): string => cell(name).padStart(length, '0')
  const [zip, contractor, locality] = [padded('zip', 5), padded('carrier', 5), padded('locality', 2)]
  const [state, flag] = [cell('state'), cell('plus_four')]
  if (
    !/^[A-Z]{2} [0-9]{5} [0-9]{5} [0-9]{2}$/.test(`${state} ${zip} ${contractor} ${locality}`) ||
    !/^[01]?$/.test(flag)
  )
    throw notA('ZIP5', line)
  const region = knownRegion(contractor, locality, line)
  return { line, zip, state: postal(state, line), region, isSplit: flag === '1', quarter: cell('quarter') }
}

function* extensionsIn({ kind, text }: Source): Generator<Extension> {
  if (kind === 'xlsx') throw unreadable('the ZIP9 file is read as text: give the one that ends with .txt')
  for (const { line, parts } of records(text, 'ZIP9')) {
    const [state = '', zip = '', contractor = '', locality = '', , four = ''] = parts
    if (!FOUR.test(four)) throw notA('ZIP9', line)
    yield { line, zip, state: postal(state, line), four, region: knownRegion(contractor, locality, line) }
  }
}

/** CMS writes the two halves of Missouri and of Kansas, which once had contractors of their own, as if they were states. */
const HALVES: { readonly [half: string]: string } = { EM: 'MO', WM: 'MO', EK: 'KS', WK: 'KS' }

function postal(written: string, line: number): string {
  const state = HALVES[written] ?? written
  if (!isPostalState(state))
    throw unreadable('a ZIP code lies in a state that is not known: download the file again', line)
  return state
}

function knownRegion(contractor: string, locality: string, line: number): string {
  const region = regionOf(contractor, locality)
  if (!region)
    throw unreadable('a ZIP code lies in a locality that is not known: get a newer version of this program', line)
  return region
}

/** The row of a ZIP code, and where the last four digits decide, those of the digits that are listed. */
function rowsOf(
  stated: ZipLine,
  extensions: readonly Extension[],
  effective_from: string,
  listed: ListEntries,
): PlaceRow[] {
  const { zip, isSplit, line } = stated
  const row = (plus_four: string | null, where: Whereabouts, locator: PlaceRow['locator']): PlaceRow => ({
    kind: 'place',
    zip,
    plus_four,
    ...where,
    ...listed.says,
    effective_from,
    locator: [...locator, ...listed.at],
  })
  const runs = isSplit ? runsOf(extensions) : []
  const lines = runs.slice(0, 1).flatMap(locatorOf)
  return [
    row(null, whereabouts(stated, runs), [{ citation: 0, line }, ...lines]),
    ...runs.map((run) => row(`${run[0].four}-${run[1].four}`, placeIn(run[0]), locatorOf(run))),
  ]
}

type Whereabouts = Pick<PlaceRow, 'region' | 'state'>
const placeIn = ({ region, state }: Whereabouts): Whereabouts => ({ region, state })

/** The place of a whole ZIP code. Where its last four digits decide, its line names one of its places, and the runs name all. */
function whereabouts(stated: ZipLine, runs: readonly Run[]): Whereabouts {
  if (!stated.isSplit) return placeIn(stated)
  const only = (name: 'region' | 'state'): string | null => {
    const [one = null, ...others] = new Set(runs.map(([first]) => first[name]))
    return others.length === 0 ? one : null
  }
  return { region: only('region'), state: only('state') }
}

/** The first and the last of digits that follow each other without a gap and lie in one locality. */
type Run = readonly [first: Extension, last: Extension]

const isOnePlace = (a: Extension, b: Extension): boolean => a.region === b.region && a.state === b.state

function runsOf(extensions: readonly Extension[]): Run[] {
  const runs: Run[] = []
  for (const each of [...extensions].sort((a, b) => Number(a.four) - Number(b.four))) {
    const [first, last] = runs.at(-1) ?? []
    if (first && last && each.four === last.four) {
      if (!isOnePlace(each, last))
        throw unreadable(
          'the last four digits of a ZIP code are listed twice, in different places: download the ZIP9 file again',
          each.line,
        )
    } else if (first && last && Number(each.four) === Number(last.four) + 1 && isOnePlace(each, last))
      runs[runs.length - 1] = [first, each]
    else runs.push([each, each])
  }
  return runs
}

const locatorOf = ([first, last]: Run): PlaceRow['locator'] =>
  [...new Set([first.line, last.line])].map((line) => ({ citation: 1, line }))

/** Whether a file has a line for a ZIP code. */
export function findsZip(source: SourceInput, zip: string): boolean {
  for (const stated of statedIn(whole(source))) if (stated.zip === zip) return true
  return false
}

/** Makes the rows of the ZIP code again, from the files that the row cites, and looks for it among them. */
export function rereadPlaces(): (
  row: AnyRow,
  places: readonly Place[],
  beside: readonly SourceInput[],
) => SourceVerdict {
  const zips = perSource((source: SourceInput) => byLine([...statedIn(whole(source))]))
  const extensions = perSource((source: SourceInput) => {
    const all = [...extensionsIn(whole(source))]
    return { at: byLine(all), ofZip: Map.groupBy(all, ({ zip }) => zip) }
  })
  const lists = perSource((source: SourceInput) => {
    const list = whole(source)
    return isBiddingAreaList(list) ? { bidding: biddingAreasIn(list) } : { rural: ruralZipsIn(list) }
  })
  // A workbook is opened to see what it is: once, not for each row.
  const isUnusedList = perSource((source: SourceInput) => isList(whole(source)))
  return (row, places, unused) => {
    const [first] = places
    if (row.kind !== 'place' || !first) return fail('line_not_found')
    // Every row says what each list says of it: one that leaves a list out hides what it says.
    if (unused.some(isUnusedList)) return fail('inputs_not_at_line')
    const { zip, plus_four, state, region } = row
    const others = places.slice(plus_four === null ? 1 : 0)
    const beside = others.filter(({ source }) => !isZip9(whole(source)))
    const { rural, bidding } = Object.assign({}, ...beside.map(({ source }) => lists(source))) as ReturnType<
      typeof lists
    >
    const { says, at } = listedIn(rural && { of: rural, citation: 0 }, bidding && { of: bidding, citation: 0 })(zip)
    if (row.rural !== says.rural || row.bidding_area !== says.bidding_area) return fail('inputs_not_at_line')
    if (beside.length !== at.length || beside.some(({ line }, i) => line !== at[i]?.line)) return fail('line_not_found')
    const nine = others.filter((each) => !beside.includes(each))
    const parts = nine.map(({ source, line }) => ({ line: extensions(source).at.get(line), all: extensions(source) }))
    if (!parts.every(({ line }) => line?.zip === zip)) return fail('line_not_found')
    const runs = runsOf(parts[0]?.all.ofZip.get(zip) ?? [])
    const isHere = (where: Whereabouts): boolean => where.region === region && where.state === state
    if (plus_four !== null) {
      const isThere = runs.some((run) => `${run[0].four}-${run[1].four}` === plus_four && isHere(run[0]))
      return isThere ? OK : fail('inputs_not_at_line')
    }
    const stated = zips(first.source).get(first.line)
    if (stated?.zip !== zip) return fail('line_not_found')
    return isHere(whereabouts(stated, runs)) ? OK : fail('inputs_not_at_line')
  }
}

/** CMS's archive holds the tables twice, and their layouts; both lists come with the equipment, whose tables are not read. */
const OWN_MEMBERS = /ZIP[59](?!ly)|(rural|cba)[ _-]?zip/i

export const reader: Reader = {
  read: async (paths, options, rejects) =>
    placesIn(await readAll(paths, (path) => readMembers(path, OWN_MEMBERS)), options, rejects),
  reread: rereadPlaces,
  finds: findsZip,
  options: [],
}
