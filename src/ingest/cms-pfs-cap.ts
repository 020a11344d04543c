import type { Rejects } from '../registry/staging.ts'
import { isPayable, pricedSettings, priceRow } from './cms-pfs.ts'
import type { PhysicianLine } from './cms-pfs-lines.ts'
import { csvRecords, unreadable } from './csv.ts'
import type { Locality } from './gpci.ts'
import { moneyCents, reject } from './rejects.ts'
import type { Source } from './source.ts'

const COLUMNS = {
  cpt: /^HCPCS$/i,
  modifier: /^MOD/i,
  status: /^PROCSTAT$/i,
  carrier: /^CARRIER$/i,
  locality: /^LOCALITY$/i,
  facility: /^FACILITY PRICE$/i,
  non_facility: /^NON-?FACIL(I?TY) PRICE$/i, // CMS writes NON-FACILTY
} as const
type Column = keyof typeof COLUMNS

function findColumns(text: string): { [name in Column]: number } | undefined {
  const { value: header } = csvRecords(text).next()
  if (!header) return undefined
  const entries = Object.entries(COLUMNS).map(([name, title]) => [
    name,
    header.cells.findIndex((cell: string) => title.test(cell.trim())),
  ])
  return entries.some(([, at]) => (at as number) < 0)
    ? undefined
    : (Object.fromEntries(entries) as { [name in Column]: number })
}

/** Whether the text is an OPPSCAP file, by its header. */
export const isCapFile = (source: Source): boolean => findColumns(source.text) !== undefined

/**
 * Compares the prices of an edition with those that CMS itself lists for imaging under the outpatient cap. Each
 * line that differs is counted under W02; nothing is refused, because the two files can be of different weeks.
 * Lines that carriers price are ceilings, not prices.
 */
export function checkAgainstCap(
  source: Source,
  lines: readonly PhysicianLine[],
  localities: readonly Locality[],
  rejects: Rejects,
): { compared: number } {
  const columns = findColumns(source.text)
  if (!columns) throw unreadable('this is not an OPPSCAP file')
  const byKey = new Map(lines.map((line) => [`${line.cpt}|${line.modifier}`, line]))
  const placeOf = localityFinder(localities)
  let compared = 0
  for (const record of csvRecords(source.text)) {
    const cell = (name: Column): string => (record.cells[columns[name]] ?? '').trim()
    if (record.line === 1 || !isPayable({ status: cell('status') })) continue
    compared++
    const line = byKey.get(`${cell('cpt')}|${cell('modifier')}`)
    const place = placeOf(cell('carrier'), cell('locality'))
    const same =
      line &&
      place &&
      pricedSettings(line).every((setting) => {
        const { price } = priceRow(line, place, setting, { effective_from: '' })
        const stated = moneyCents(cell(setting === 'facility' ? 'facility' : 'non_facility'))
        return 'amount' in price && moneyCents(price.amount) === stated
      })
    if (!same) reject(rejects, 'W02', record.line)
  }
  return { compared }
}

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
