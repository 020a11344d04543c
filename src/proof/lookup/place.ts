// Where a question is about: the locality and the state of what was asked, and which rows of a chart speak for it.

import { type ChartFacts, type ChartTable, chartsFor, factsOf, PLACE_CHART } from '../price/charts.ts'
import type { PlaceRow } from '../price/row.ts'
import { type Editions, findRow, inForce } from './editions.ts'
import type { ParsedQuestion } from './question.ts'

/** Where the question is about, as far as it is known. */
export interface Place {
  /** `national` or a locality; none where several may be meant. */
  region?: string
  state?: string | undefined
  /** The former bidding area, which has prices of its own for some equipment. */
  area?: string | undefined
  /** The last four digits of the ZIP code decide, and were not given or are not listed. */
  split?: true
  notHeld?: true
  row?: PlaceRow
}

/** Undefined for a ZIP code that does not exist. */
export function placeOf(
  editions: Editions,
  { region, setting, basis }: Pick<ParsedQuestion, 'region' | 'setting' | 'basis'>,
  table: ChartTable,
): Place | undefined {
  if (!('zip' in region)) return region
  // A question that only national schedules may answer needs no place.
  if (chartsFor(basis, setting, table).every((chart) => factsOf(chart, table)?.speaks === 'national'))
    return { region: 'national' }
  if (!editions.isHeld(PLACE_CHART)) return { notHeld: true }
  const whole = findRow(editions, PLACE_CHART, `${region.zip}|`) as PlaceRow | undefined
  if (!whole) return undefined
  const { plusFour } = region
  const isOpen = whole.region === null || whole.state === null
  const part = isOpen && plusFour !== null ? partHolding(editions, region.zip, plusFour) : undefined
  return placeIn(part ?? whole)
}

/** The part of a ZIP code that has these last four digits. Parts do not overlap, so it is the last that begins by then. */
function partHolding(editions: Editions, zip: string, digits: string): PlaceRow | undefined {
  // Two ends are joined by `-`, which comes before `.`: this is after every part that begins with these digits.
  const last = editions.notAfter(PLACE_CHART, `${zip}|${digits}.`) as PlaceRow | null | undefined
  const part = inForce(editions, last)
  return part?.zip === zip && part.plus_four && digits <= part.plus_four.slice(5) ? part : undefined
}

const placeIn = (row: PlaceRow): Place => {
  const { region, state, bidding_area: area } = row
  return {
    row,
    state: state ?? undefined,
    area: area ?? undefined,
    ...(region === null ? { split: true } : { region }),
  }
}

/** The region of the rows that can answer; undefined where several may be meant. */
export function regionFor({ speaks }: ChartFacts, place: Place): string | undefined {
  if (speaks === 'national' || place.region === 'national') return 'national'
  if (speaks === 'locality') return place.region
  return place.state && `US-${place.state}`
}
