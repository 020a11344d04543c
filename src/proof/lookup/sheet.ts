// The rule for a sheet: everything in force for a code at a place and day. It is pure: the service makes the sheet by it,
// and the verifier checks that nothing is missing.

import { KIND_ENTRIES } from '../../tables/sides.ts'
import { type ChartFacts, type ChartTable, canHold, codeIn, factsOf, isOfSide, PLACE_CHART } from '../price/charts.ts'
import { type AnyRow, isOfPrices, isPerPayer, type PlaceRow } from '../price/row.ts'
import { payerPrefix } from './choose.ts'
import type { Registry } from './lists.ts'
import { type Place, placeOf } from './place.ts'
import type { ParsedQuestion, Question } from './question.ts'
import { localitiesOf } from './region.ts'

/** The question to a sheet. */
export type SheetQuestion = Pick<Question, (typeof SHEET_PARTS)[number]>
export const SHEET_PARTS = [
  'cpt',
  'as_of',
  'region',
  'npi',
  'payer',
  'kind',
  'revenue_code',
  'place_of_service',
] as const

export interface SheetRow {
  chart: string
  row: AnyRow
}
export type Sheet =
  | {
      outcome: 'sheet'
      /** By chart and key; those of a hospital last. */
      rows: SheetRow[]
      /** The charts that have no edition on the day. */
      notHeld: string[]
      place: PlaceRow | undefined
    }
  | { outcome: 'unknown_provider' | 'unknown_zip' | 'region_ambiguous' }
  /** No table of ZIP codes is in force on the day. */
  | { outcome: 'no_edition'; charts: string[] }

/** Searches every schedule, and with a provider its own file. With a side only what that side charges and is paid. */
export function sheetFor(
  { cpt, region, npi, payer, side }: ParsedQuestion,
  registry: Registry,
  table: ChartTable,
): Sheet {
  const { lists, timeline, providers } = registry
  const own = npi === null ? undefined : providers.chartOf(npi)
  if (npi !== null && own === undefined) return { outcome: 'unknown_provider' }
  const place = placeOf({ cpt, region, setting: undefined, basis: undefined, side: undefined }, registry, table)
  if (!place) return { outcome: 'unknown_zip' }
  if (place.notHeld) return { outcome: 'no_edition', charts: [PLACE_CHART] }
  // The ZIP code is in several localities, or in two states.
  if (place.split || (place.region !== 'national' && place.state === undefined)) return { outcome: 'region_ambiguous' }
  const classes = side && own !== undefined ? KIND_ENTRIES[side.kind].classes : undefined
  const isOfClass = (row: AnyRow): boolean =>
    !classes || !isOfPrices(row) || row.npi === null || classes.includes(row.class)
  const rows: SheetRow[] = []
  const notHeld: string[] = []
  for (const chart of [...Object.keys(table).sort(), ...(own === undefined ? [] : [own])]) {
    const facts = factsOf(chart, table)
    if (!facts || facts.bases.length === 0 || !canHold(facts, cpt)) continue
    if (side && chart !== own && !isOfSide(side.kind, facts)) continue
    if (!timeline.isHeld(chart)) {
      notHeld.push(chart)
      continue
    }
    for (const prefix of chart === own ? prefixesOfProvider(facts, npi as string, payer) : prefixesOf(facts, place)) {
      const found = lists.under(chart, `${codeIn(facts, cpt)}|${prefix}`)
      rows.push(...found.filter(isOfClass).map((row) => ({ chart, row })))
    }
  }
  return { outcome: 'sheet', rows, notHeld, place: place.row }
}

/** The prefixes of a hospital's keys after the code: its own amounts, and with a payer all rows of that payer. */
const prefixesOfProvider = ({ bases }: ChartFacts, npi: string, payer: string | undefined): string[] =>
  bases.flatMap((basis) => {
    const prefix = `national|${npi}|${basis}|`
    if (!isPerPayer(basis)) return [prefix]
    return payer === undefined ? [] : [`${prefix}${payerPrefix(payer)}`]
  })

/** The prefixes of keys after the code: the place, as far as the chart tells places apart, then the whole country. */
function prefixesOf({ speaks }: ChartFacts, { region, state = '', area }: Place): string[] {
  if (speaks === 'national' || region === 'national') return ['national|']
  if (speaks === 'state') return [...(area ? [`${area}|`] : []), `US-${state}|`, 'national|']
  return [region === undefined ? `US-${localitiesOf(state)}-` : `${region}|`, 'national|']
}
