// The place of a question: the locality and the state, and which rows of a chart answer for them.

import { type ChartFacts, type ChartTable, chartsFor, factsOf, PLACE_CHART } from '../price/charts.ts'
import type { PlaceRow } from '../price/row.ts'
import { isFrom, type Lists, type Registry, type Timeline } from './lists.ts'
import type { ParsedQuestion } from './question.ts'

/** The place of a question, as far as it is known. */
export interface Place {
  /** `national` or a locality; left out if it may be one of several. */
  region?: string
  state?: string | undefined
  /** The former bidding area, which has prices of its own for some equipment. */
  area?: string | undefined
  /** The last four digits of the ZIP code decide, and were not given or are not listed. */
  split?: true
  /** No table of ZIP codes is in force on the day. */
  notHeld?: true
  /** The row of the ZIP code. */
  row?: PlaceRow
}

/** Undefined for a ZIP code that does not exist. */
export function placeOf(
  question: Pick<ParsedQuestion, 'cpt' | 'region' | 'setting' | 'basis' | 'side'>,
  registry: Registry,
  table: ChartTable,
): Place | undefined {
  const { region } = question
  if (region.level !== 'zip') return region
  // A question that only national schedules may answer needs no place.
  if (chartsFor(question, table).every((chart) => factsOf(chart, table)?.speaks === 'national'))
    return { region: 'national' }
  return zipPlace(region, registry)
}

/** The place of a ZIP code by the table of that day; undefined for a ZIP code that does not exist. */
export function zipPlace(
  region: Extract<ParsedQuestion['region'], { level: 'zip' }>,
  { lists, timeline }: Registry,
): Place | undefined {
  if (!timeline.isHeld(PLACE_CHART)) return { notHeld: true }
  // The row of the whole ZIP code, whose key ends with it, is before those of its parts.
  const whole = inForce(timeline, lists.upTo(PLACE_CHART, `${region.zip}|`) as PlaceRow | undefined)
  if (whole?.zip !== region.zip) return undefined
  const isOpen = whole.region === null || whole.state === null
  const part = isOpen && region.plusFour !== null ? partWith(lists, timeline, region.zip, region.plusFour) : undefined
  return placeIn(part ?? whole)
}

/** Parts do not overlap: the part with these digits is the last that begins by them. */
function partWith(lists: Lists, timeline: Timeline, zip: string, digits: string): PlaceRow | undefined {
  // A key joins both ends by `-`, which is before `.`.
  const part = inForce(timeline, lists.upTo(PLACE_CHART, `${zip}|${digits}.`) as PlaceRow | undefined)
  return part?.zip === zip && part.plus_four && digits <= part.plus_four.slice(5) ? part : undefined
}

const inForce = (timeline: Timeline, row: PlaceRow | undefined): PlaceRow | undefined =>
  row && isFrom(timeline)(row) ? row : undefined

function placeIn(row: PlaceRow): Place {
  const { region, state, bidding_area } = row
  return {
    row,
    state: state ?? undefined,
    area: bidding_area ?? undefined,
    ...(region === null ? { split: true } : { region }),
  }
}

/** The region of the rows that can answer; undefined if it may be one of several. */
export function regionFor({ speaks }: ChartFacts, { region, state }: Place): string | undefined {
  if (speaks === 'national' || region === 'national') return 'national'
  if (speaks === 'locality') return region
  return state && `US-${state}`
}
