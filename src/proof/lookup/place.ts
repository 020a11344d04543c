// Where a question is about: the locality and the state of what was asked, and which rows of a chart speak for it.

import { type ChartFacts, type ChartTable, chartsFor, factsOf, PLACE_CHART } from '../price/charts.ts'
import type { PlaceRow } from '../price/row.ts'
import { type Editions, findRow } from './editions.ts'
import type { ParsedQuestion } from './question.ts'

/** Where the question is about, as far as it is known. */
export interface Place {
  /** `national` or a locality; none where several may be meant. */
  region?: string
  state?: string | undefined
  /** The last four digits of the ZIP code decide, and were not given or are not listed. */
  split?: true
  unknown?: true
  notHeld?: true
  row?: PlaceRow
}

export function placeOf(
  editions: Editions,
  { region, setting, basis }: Pick<ParsedQuestion, 'region' | 'setting' | 'basis'>,
  table: ChartTable,
): Place {
  if (region.level !== 'zip') return region
  // A question that only national schedules may answer needs no place.
  if (chartsFor(basis, setting, table).every((chart) => factsOf(chart, table)?.speaks === 'national'))
    return { region: 'national' }
  if (!editions.isHeld(PLACE_CHART)) return { notHeld: true }
  const whole = findRow(editions, PLACE_CHART, `${region.zip}|`) as PlaceRow | undefined
  if (whole?.region) return placeIn(whole)
  const listed = editions.rows(PLACE_CHART, `${region.zip}|`) as readonly PlaceRow[]
  const parts = listed.filter((part) => part.effective_from <= editions.day)
  const [first] = parts
  if (!first) return { unknown: true }
  const { plusFour } = region
  const own = plusFour === null ? undefined : parts.find((part) => holds(part.plus_four, plusFour))
  if (own?.region) return placeIn(own)
  // A ZIP code can lie in two localities, and in two states. Its own row names one of them; only its parts name all.
  const isOne = (name: 'region' | 'state'): boolean => parts.every((part) => part[name] === first[name])
  const state = parts.some((part) => part.plus_four) && isOne('state') ? first.state : undefined
  if (first.region && isOne('region')) return { ...placeIn(first), state }
  return { state, split: true, ...(whole ? { row: whole } : {}) }
}

const placeIn = (row: PlaceRow): Place => ({ region: row.region as string, state: row.state, row })

const holds = (range: string | null, digits: string): boolean =>
  range !== null && range.slice(0, 4) <= digits && digits <= range.slice(5)

/** The region of the rows that can answer; undefined where several may be meant. */
export function regionFor({ speaks }: ChartFacts, place: Place): string | undefined {
  if (speaks === 'national' || place.region === 'national') return 'national'
  if (speaks === 'locality') return place.region
  return place.state === undefined ? undefined : `US-${place.state}`
}
