import { dayOf } from '../calendar.ts'
import { isBiddingArea } from '../proof/lookup/region.ts'
import { PLACE_CHART } from '../proof/price/charts.ts'
import type { PlaceRow } from '../proof/price/row.ts'
import { openRelease, type ReleaseFile } from '../registry/rows/release-file-store.ts'
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
  const [said, areas] = saidOf(openRelease(db, places))
  const regions = openRelease(db, equipment).totals('region')
  const unpriced = [...areas].filter((area) => !regions.has(area)).length
  const missing = [
    ...(said.has('rural') ? [] : [`${places.release_id} does not say which ZIP codes are rural`]),
    ...(said.has('bidding_area') ? [] : [`${places.release_id} does not say which ZIP codes are in bidding areas`]),
    ...([...regions.keys()].some(isBiddingArea)
      ? unpriced > 0
        ? [`${equipment.release_id} has no fees of ${unpriced} of the ${areas.size} bidding areas of the ZIP codes`]
        : []
      : [`${equipment.release_id} has no fees of bidding areas`]),
  ]
  return missing.length === 0 ? [] : [finding('equipment_lists_missing', missing.join('; '))]
}

const AT_ONCE = 2_000

/** Which members the rows of places have, and which bidding areas they name. */
function saidOf(file: ReleaseFile): [members: Set<string>, areas: Set<string>] {
  const [members, areas] = [new Set<string>(), new Set<string>()]
  for (let from = 0; from < file.rowCount; from += AT_ONCE)
    for (const { body } of file.rowsAt(from, from + AT_ONCE)) {
      const place = JSON.parse(body) as PlaceRow
      for (const name of Object.keys(place)) members.add(name)
      if (place.bidding_area) areas.add(place.bidding_area)
    }
  return [members, areas]
}
