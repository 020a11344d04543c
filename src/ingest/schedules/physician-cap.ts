import type { TableLine } from '../../files/csv.ts'
import { textLines } from '../../files/text-lines.ts'
import { unreadable } from '../../files/unreadable.ts'
import { shownNumber } from '../../files/xlsx.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { note } from '../../registry/release/rules.ts'
import { scheduleAmount } from '../findings.ts'
import { oneLine, tableRecords } from '../records.ts'
import type { Source } from '../source.ts'
import type { Locality } from './gpci.ts'
import type { PhysicianLine } from './physician-lines.ts'
import { isPayable, type PhysicianEdition, pricedSettings, priceRow, serviceOf } from './physician-rows.ts'

const COLUMNS = {
  cpt: /^HCPCS( CODE)?$/i,
  modifier: /^MOD/i,
  status: /^(PROC ?STAT|STATUS( CODE)?)$/i,
  carrier: /^(CARRIER|MAC|CONTRACTOR)$/i,
  locality: /^LOCALITY$/i,
  facility: /^FACILITY PRICE$/i,
  non_facility: /^NON[- ]?FACIL(I?TY) PRICE$/i, // CMS writes NON-FACILTY
} as const
type Column = keyof typeof COLUMNS

/** One line of the list, with its cells as printed. */
type CapLine = { line: number } & { [name in Column]: string }

/** The text form: code and modifier, status, carrier, locality, then the price in a facility and the one outside. */
const FIXED =
  /^([0-9A-Z]{5})([0-9A-Z]{2}| {2}) ([A-Z]) ([0-9]{5}) {1,3}([0-9]{2}) +([0-9]+\.[0-9]{2}) +([0-9]+\.[0-9]{2}) *$/
const FIXED_LENGTH = 39

function findColumns(header: TableLine | undefined): { [name in Column]: number } | undefined {
  const titles = header?.cells.map(oneLine) ?? []
  const entries = Object.entries(COLUMNS).map(([name, title]) => [name, titles.findIndex((cell) => title.test(cell))])
  return entries.some(([, at]) => (at as number) < 0)
    ? undefined
    : (Object.fromEntries(entries) as { [name in Column]: number })
}

const firstRecord = (source: Source): TableLine | undefined => {
  for (const record of tableRecords(source)) return record
  return undefined
}
const isFixedWidth = ({ text }: Source): boolean => {
  const [first] = text.split('\n', 1)
  return first !== undefined && first.length <= FIXED_LENGTH + 2 && FIXED.test(first.replace(/\r$/, ''))
}

/** Whether the source is an OPPSCAP file, by its header or the shape of its first line. */
export const isCapFile = (source: Source): boolean =>
  isFixedWidth(source) || findColumns(firstRecord(source)) !== undefined

function* listed(source: Source): Generator<CapLine> {
  if (isFixedWidth(source)) {
    for (const { text, line } of textLines(source.text)) {
      const [, cpt = '', modifier = '', status = '', carrier = '', locality = '', facility = '', non_facility = ''] =
        text.length > FIXED_LENGTH + 8 ? [] : (FIXED.exec(text) ?? [])
      yield { line, cpt, modifier: modifier.trim(), status, carrier, locality, facility, non_facility }
    }
    return
  }
  const columns = findColumns(firstRecord(source))
  if (!columns) throw unreadable('this is not an OPPSCAP file')
  const shown = source.kind === 'xlsx' ? shownNumber : (text: string): string => text
  for (const { line, cells } of tableRecords(source)) {
    if (line === 1) continue
    const cell = (name: Column): string => (cells[columns[name]] ?? '').trim()
    const [facility, non_facility] = [shown(cell('facility')), shown(cell('non_facility'))]
    // A spreadsheet drops the zeros in front of a number.
    const [carrier, locality] = [cell('carrier').padStart(5, '0'), cell('locality').padStart(2, '0')]
    yield {
      line,
      cpt: cell('cpt'),
      modifier: cell('modifier'),
      status: cell('status'),
      carrier,
      locality,
      facility,
      non_facility,
    }
  }
}

/**
 * Compares the prices of an edition with those that CMS itself lists for imaging under the outpatient cap. Each
 * line that differs is counted under W02; nothing is refused, because CMS has shipped lists that were made with the
 * conversion factor before (January 2021, July 2024).
 * Lines that carriers price are ceilings, not prices.
 */
export function checkAgainstCap(
  source: Source,
  lines: readonly PhysicianLine[],
  localities: readonly Locality[],
  rejects: Findings,
): { compared: number } {
  const byKey = new Map(lines.map((line) => [`${line.cpt}|${line.modifier}`, line]))
  const localityOf = localityFinder(localities)
  let compared = 0
  for (const each of listed(source)) {
    if (!isPayable(each)) continue
    compared++
    const line = byKey.get(`${each.cpt}|${each.modifier}`)
    const place = localityOf(each.carrier, each.locality)
    const same =
      line &&
      place &&
      pricedSettings(line).every((setting) => {
        const { price } = priceRow(serviceOf(line, setting, ANY_EDITION), place)
        const stated = scheduleAmount(setting === 'facility' ? each.facility : each.non_facility)
        return 'amount' in price && price.amount === stated
      })
    if (!same) note(rejects, 'W02', each.line)
  }
  return { compared }
}

/** Only amounts are compared. */
const ANY_EDITION: PhysicianEdition = { basis: 'medicare_pfs', effective_from: '' }

/**
 * A locality by its contractor and number. OPPSCAP lists some localities of California under the state's other
 * contractor, so failing that it is the one with this number in a state the contractor pays in.
 */
function localityFinder(localities: readonly Locality[]): (mac: string, number: string) => Locality | undefined {
  const stateOf = (region: string): string => region.slice(0, 5)
  const byContractor = new Map(localities.map((each) => [`${each.mac} ${each.region.slice(-2)}`, each]))
  const states = new Map(localities.map((each) => [each.mac, stateOf(each.region)]))
  const byRegion = new Map(localities.map((each) => [each.region, each]))
  return (mac, number) => byContractor.get(`${mac} ${number}`) ?? byRegion.get(`${states.get(mac)}-${number}`)
}
