import { dayOf } from '../calendar.ts'
import { isBiddingArea } from '../proof/lookup/region.ts'
import { PLACE_CHART } from '../proof/price/charts.ts'
import type { PlaceRow } from '../proof/price/row.ts'
import { openRelease, type ReleaseFile } from '../registry/rows/release-file-store.ts'
import { releasesInForce } from '../registry/store.ts'
import { type Finding, finding } from './finding.ts'
import type { Subject } from './records.ts'

/**
 * Finds missing lists of rural areas and former bidding areas, in which equipment has other amounts. Without them, every ZIP
 * code has the amount of the rest of its state.
 */
export async function equipmentFindings({ installation: { db }, now }: Subject): Promise<Finding[]> {
  const inForce = await releasesInForce(db, dayOf(now))
  const equipment = inForce.find(({ chart }) => chart === 'cms-dmepos')
  const places = inForce.find(({ chart }) => chart === PLACE_CHART)
  if (!equipment || !places) return []
  const [members, areas] = placeMembers(openRelease(db, places))
  const regions = openRelease(db, equipment).totals('region')
  const unpriced = [...areas].filter((area) => !regions.has(area)).length
  const missing = [
    ...(members.has('rural') ? [] : [`${places.release_id} does not say which ZIP codes are rural`]),
    ...(members.has('bidding_area') ? [] : [`${places.release_id} does not say which ZIP codes are in bidding areas`]),
    ...([...regions.keys()].some(isBiddingArea)
      ? unpriced > 0
        ? [`${equipment.release_id} has no fees of ${unpriced} of the ${areas.size} bidding areas of the ZIP codes`]
        : []
      : [`${equipment.release_id} has no fees of bidding areas`]),
  ]
  return missing.length === 0 ? [] : [finding('equipment_lists_missing', missing.join('; '))]
}

const AT_ONCE = 2_000

/** The members that rows of places have, and the bidding areas that they name. */
function placeMembers(file: ReleaseFile): [members: Set<string>, areas: Set<string>] {
  const [members, areas] = [new Set<string>(), new Set<string>()]
  for (let from = 0; from < file.rowCount; from += AT_ONCE)
    for (const { body } of file.rowsAt(from, from + AT_ONCE)) {
      const place = JSON.parse(body) as PlaceRow
      for (const name of Object.keys(place)) members.add(name)
      if (place.bidding_area) areas.add(place.bidding_area)
    }
  return [members, areas]
}
