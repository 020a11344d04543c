import { dayOf } from '../calendar.ts'
import { PLACE_CHART } from '../proof/price/charts.ts'
import type { PlaceRow } from '../proof/price/row.ts'
import { openRelease } from '../registry/file/release-file-store.ts'
import { releasesInForce } from '../registry/store.ts'
import { type Finding, finding } from './finding.ts'
import type { Examined } from './records.ts'

/**
 * Equipment has other amounts in rural areas and in former bidding areas. Which ZIP codes these are stands in lists of their own,
 * and without them every one has the amount of the rest of its state.
 */
export async function equipmentFindings({ installation: { db }, now }: Examined): Promise<Finding[]> {
  const inForce = await releasesInForce(db, dayOf(now))
  const equipment = inForce.find(({ chart }) => chart === 'cms-dmepos')
  const places = inForce.find(({ chart }) => chart === PLACE_CHART)
  if (!equipment || !places) return []
  // A ZIP code that is listed in two areas says nothing of either.
  const some = openRelease(db, places).rowsAt(0, 100)
  const has = (name: keyof PlaceRow): boolean => some.some(({ body }) => name in JSON.parse(body))
  const regions = [...openRelease(db, equipment).totals('region').keys()]
  const missing = [
    ...(has('rural') ? [] : [`${places.release_id} does not say which ZIP codes are rural`]),
    ...(has('bidding_area') ? [] : [`${places.release_id} does not say which ZIP codes are in bidding areas`]),
    ...(regions.some((region) => region.startsWith('CBA-'))
      ? []
      : [`${equipment.release_id} has no fees of bidding areas`]),
  ]
  return missing.length === 0 ? [] : [finding('equipment_lists_missing', missing.join('; '))]
}
