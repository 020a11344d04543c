import type { PlaceRow } from '../../proof/price/row.ts'
import type { Source } from '../source.ts'
import { type BiddingAreas, isBiddingAreaList } from './bidding-areas.ts'
import { isRuralList, type RuralZips } from './rural-zips.ts'

/** One of the lists of ZIP codes that come with the equipment schedule. */
export const isList = (source: Source): boolean => isRuralList(source) || isBiddingAreaList(source)

/** What the lists of the equipment schedule say of a ZIP code, and where: the line that lists it, or else the head of the list. */
export interface Listed {
  says: Pick<PlaceRow, 'rural' | 'bidding_area'>
  at: PlaceRow['locator']
}

export const listedIn =
  (
    rural: { of: RuralZips; citation: number } | undefined,
    bidding: { of: BiddingAreas; citation: number } | undefined,
  ) =>
  (zip: string): Listed => ({
    says: { ...(rural && { rural: rural.of.has(zip) }), ...(bidding && areaFor(zip, bidding.of)) },
    at: [
      ...(rural ? [{ citation: rural.citation, line: rural.of.get(zip) ?? 1 }] : []),
      ...(bidding ? [{ citation: bidding.citation, line: bidding.of.get(zip)?.line ?? 1 }] : []),
    ],
  })

function areaFor(zip: string, areas: BiddingAreas): Pick<PlaceRow, 'bidding_area'> {
  const found = areas.get(zip)
  if (!found) return { bidding_area: null }
  return found.area === undefined ? {} : { bidding_area: found.area }
}
