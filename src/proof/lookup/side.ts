// The side of a bill: whose charge a line is follows from what the bill says, never from what is loaded.
// docs/spec/tables/place-of-service.json has the places and the revenue codes.

import type { Setting } from '../../tables/charts.ts'
import { BILL_KINDS, type BillKind, KIND_ENTRIES, PLACES_OF_SERVICE, PROFESSIONAL_REVENUE } from '../../tables/sides.ts'
import { closed, oneOf } from '../shape.ts'

export type { BillKind }

/** What a bill says about whose it is. An empty text is as if it were left out. */
export interface SideWords {
  kind?: string | undefined
  revenue_code?: string | undefined
  place_of_service?: string | undefined
}

/** Only what is said. */
export const sideWords = ({ kind, revenue_code, place_of_service }: SideWords): SideWords => ({
  ...(kind && { kind }),
  ...(revenue_code && { revenue_code }),
  ...(place_of_service && { place_of_service }),
})

export interface Side {
  kind: BillKind
  /** Where the service is priced; undefined where the bill does not say. */
  setting: Setting | undefined
  /** What the kind was read from. */
  why: 'kind' | 'revenue_code' | 'place_of_service'
}

export const isBillKind = oneOf(...BILL_KINDS) as (value: unknown) => value is BillKind

/** The side as an answer states it: whose bill it was taken for, and what said so. */
export type SideMember = Pick<Side, 'kind' | 'why'>
export const isSideMember = closed({
  kind: oneOf(...BILL_KINDS),
  why: oneOf('kind', 'revenue_code', 'place_of_service'),
})
export const sideMember = ({ side }: { side: Side | undefined }): SideMember | undefined =>
  side && { kind: side.kind, why: side.why }

/** A revenue code has four digits; the leading zero is often left out. */
const REVENUE_CODE = /^\d{3,4}$/
export const isRevenueCode = (text: string): boolean => REVENUE_CODE.test(text)
export const isPlaceOfService = (text: string): boolean => PLACES_OF_SERVICE.has(text)

/** Undefined where nothing is said. What is said must have a meaning: see `isBillKind`, `isRevenueCode`, `isPlaceOfService`. */
export function sideOf({ kind, revenue_code, place_of_service }: SideWords): Side | undefined {
  if (kind) return sideWith(kind as BillKind, 'kind', revenue_code, place_of_service)
  // Only a facility's bill has revenue codes, and those of professional fees are few.
  if (revenue_code)
    return sideWith(isOfProfessional(revenue_code) ? 'professional' : 'hospital', 'revenue_code', revenue_code)
  return place_of_service ? sideWith('professional', 'place_of_service', undefined, place_of_service) : undefined
}

const isOfProfessional = (revenue_code: string): boolean =>
  PROFESSIONAL_REVENUE.includes(revenue_code.padStart(4, '0').slice(0, 3))

function sideWith(kind: BillKind, why: Side['why'], revenue_code?: string, place_of_service?: string): Side {
  const { settings } = KIND_ENTRIES[kind]
  // A professional is paid by the place; whose fee stands on a facility's bill worked in that facility.
  const place = PLACES_OF_SERVICE.get(place_of_service ?? '')?.setting ?? (revenue_code ? 'facility' : undefined)
  if (kind === 'professional') return { kind, setting: place, why }
  // Equipment is priced by the area of the home, which no part of the bill says.
  return { kind, setting: kind === 'equipment' ? undefined : settings[0], why }
}
