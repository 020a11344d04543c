// What is said beside the price of equipment: whether it is another one in rural areas, and in former bidding areas.

import { isBiddingArea } from '../../proof/lookup/region.ts'
import type { PricedRow } from '../../proof/price/row.ts'
import type { Members } from '../../proof/shape.ts'
import { holdsInRural } from './sentence-words.ts'

/** What decides about the price of equipment at a ZIP code. */
export interface ShownPlace {
  rural?: boolean
  bidding_area?: string | null
}

/** Only lists of CMS say which ZIP codes are rural by the rule of this schedule, or lie in a former bidding area. */
const RURAL = 'In rural areas it may be another amount: ask with setting=rural.'
const BIDDING = 'In former competitive bidding areas it may be another amount: give the ZIP code.'
const UNLISTED =
  'In former competitive bidding areas it may be another amount, and whether this ZIP code is in one is not known.'
const AREA_LACKS = 'No amount of its own was loaded for the former competitive bidding area there.'
const ALSO_RURAL = 'CMS states no other amount for rural areas.'
/** The amount outside rural areas: of one that holds in both, and of one that was asked for, there is nothing to ask further. */
export function ruralNote(place: ShownPlace | undefined, { setting }: Members): string[] {
  if (holdsInRural(place, String(setting))) return [ALSO_RURAL]
  return setting === 'non_rural' || place?.rural === false ? [] : [RURAL]
}
const RURAL_ALONE = 'CMS states it for rural areas alone: outside of them there is no amount.'
/** Nobody asked for the amount of rural areas, and it is not known that the place is one. */
export const ruralAlone = (row: Pick<PricedRow, 'setting'>, place: ShownPlace | undefined, asked: Members): string[] =>
  row.setting === 'rural' && asked['setting'] !== 'rural' && place?.rural !== true ? [RURAL_ALONE] : []

/** Where the list says that there is no such area, nothing more is to be said. */
export function biddingNote(place: ShownPlace | undefined): string[] {
  if (place?.bidding_area === undefined) return [place ? UNLISTED : BIDDING]
  return place.bidding_area === null ? [] : [AREA_LACKS]
}
/** An amount outside rural areas, and of no bidding area. */
export const isOfState = ({ setting, region }: Pick<PricedRow, 'setting' | 'region'>): boolean =>
  setting === 'non_rural' && !isBiddingArea(region)

/** Whether the setting that was asked for is not that of the place, as far as that is known. */
const isContradicted = (place: ShownPlace, asked: unknown): boolean =>
  (asked === 'rural' && place.rural === false) || (asked === 'non_rural' && place.rural === true)
/** Who asks for the rural fee in a city gets it, and is told which one applies there. */
export const settingNote = (place: ShownPlace | undefined, asked: unknown): string[] =>
  place && isContradicted(place, asked) ? appliesAt(place) : []

const AT_RURAL =
  'CMS lists this ZIP code as rural: there the rural fee applies, or the other one where it stands alone.'
const AT_NON_RURAL = 'CMS does not list this ZIP code as rural: there the non_rural fee applies.'
const inArea = (area: string): string =>
  `This ZIP code lies in the former bidding area ${area}: its fee applies there, and the non_rural fee of the state where it has none.`
/** Which of several fees for equipment applies, as far as the place says it. */
export function appliesAt(place: ShownPlace | undefined): string[] {
  if (!place) return []
  const { rural, bidding_area: area } = place
  if (area) return [inArea(area)]
  const isOpen = area === undefined && !rural
  return [...(rural === undefined ? [] : [rural ? AT_RURAL : AT_NON_RURAL]), ...(isOpen ? [UNLISTED] : [])]
}
