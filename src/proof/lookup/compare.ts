// The rule for a comparison: what each hospital near a place states for a code. It is pure: the service compares by it, and the
// verifier checks that no hospital of the place is left out.

import { type ChartTable, HOSPITAL_LIST, PLACE_CHART } from '../price/charts.ts'
import type { HospitalRow } from '../price/hospital-row.ts'
import { tenThousandths } from '../price/money.ts'
import type { PlaceRow, PricedRow } from '../price/row.ts'
import { choose } from './choose.ts'
import type { Decision, PriceDecision } from './decision.ts'
import { isFrom, type Registry } from './lists.ts'
import { zipPlace } from './place.ts'
import { hasOnlyTexts, type ParsedQuestion, type Question, understood } from './question.ts'
import type { Region } from './region.ts'

/** The question to a comparison: that of a lookup, with a place in place of a hospital. */
export type CompareQuestion = Pick<Question, 'cpt' | 'as_of' | 'region' | 'modifier' | 'setting' | 'basis' | 'payer'>

/** Reads the question as one to a hospital, whichever it is; undefined if it is none. */
export const comparisonOf = (question: CompareQuestion): ParsedQuestion | undefined =>
  hasOnlyTexts(question, PARTS) ? understood({ ...question, npi: ANY_HOSPITAL }) : undefined
const PARTS = ['cpt', 'as_of', 'region', 'modifier', 'setting', 'basis', 'payer']
const ANY_HOSPITAL = '1234567893'

/** More hospitals than these are asked for by a smaller place. */
export const MOST_COMPARED = 60
/** Hospitals near a ZIP code are those of its state whose ZIP codes begin with the same digits. */
const AREA_DIGITS = 3

export interface HospitalDecision {
  hospital: HospitalRow
  decision: Decision
}
export type Comparison =
  | {
      outcome: 'comparison'
      place: PlaceRow | undefined
      /** By amount, the lowest first. */
      priced: (HospitalDecision & { decision: PriceDecision })[]
      /** Hospitals that state no price for it, by state, ZIP code and NPI. */
      others: HospitalDecision[]
    }
  | { outcome: 'unknown_zip' | 'region_ambiguous' | 'region_too_large' }
  | { outcome: 'no_edition'; charts: string[] }

export function compareFor(question: ParsedQuestion, registry: Registry, table: ChartTable): Comparison {
  const { lists, timeline } = registry
  if (!timeline.isHeld(HOSPITAL_LIST)) return { outcome: 'no_edition', charts: [HOSPITAL_LIST] }
  const area = hospitalArea(question.region, registry)
  if ('outcome' in area) return area
  const listed = (lists.under(HOSPITAL_LIST, area.prefix) as readonly HospitalRow[]).filter(isFrom(timeline))
  // A hospital with several places is one hospital.
  const hospitals = listed.filter(({ npi }, i) => listed.findIndex((each) => each.npi === npi) === i)
  if (hospitals.length > MOST_COMPARED) return { outcome: 'region_too_large' }
  const decided = hospitals.map((hospital): HospitalDecision => {
    const { decision } = choose({ ...question, npi: hospital.npi }, registry, table)
    return { hospital, decision }
  })
  return {
    outcome: 'comparison',
    place: area.place,
    priced: decided.filter(isPriced).sort(byAmount),
    others: decided.filter((each) => !isPriced(each)),
  }
}

/** The part of the list of hospitals that is near a place, by what its keys begin with. */
type Area = { prefix: string; place: PlaceRow | undefined } | Exclude<Comparison, { outcome: 'comparison' }>

export function hospitalArea(region: Region, registry: Registry): Area {
  if (region.level === 'state' || region.level === 'locality')
    return { prefix: `US-${region.state}|`, place: undefined }
  if (region.level !== 'zip') return { outcome: 'region_ambiguous' }
  const place = zipPlace(region, registry)
  if (!place) return { outcome: 'unknown_zip' }
  if (place.notHeld) return { outcome: 'no_edition', charts: [PLACE_CHART] }
  if (place.state === undefined) return { outcome: 'region_ambiguous' }
  return { prefix: `US-${place.state}|${region.zip.slice(0, AREA_DIGITS)}`, place: place.row }
}

const isPriced = (each: HospitalDecision): each is HospitalDecision & { decision: PriceDecision } =>
  each.decision.outcome === 'price'

/** Prices before factors; of a range the lower end; then the higher end, and the NPI. */
function byAmount(a: { decision: PriceDecision }, b: { decision: PriceDecision }): number {
  const [left, right] = [sortKey(a.decision.row), sortKey(b.decision.row)]
  const at = left.findIndex((part, i) => part !== right[i])
  return at < 0 ? 0 : (left[at] as bigint | string) < (right[at] as bigint | string) ? -1 : 1
}
const sortKey = ({ kind, price, npi }: PricedRow): readonly (bigint | string)[] => {
  const [low, high] = 'amount' in price ? [price.amount, price.amount] : [price.low, price.high]
  return [kind === 'price' ? 0n : 1n, tenThousandths(low), tenThousandths(high), npi ?? '']
}
