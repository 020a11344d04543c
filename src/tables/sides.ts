// Which side of the bill a line is, as docs/spec/tables/place-of-service.json has it.

import { kinds, places, revenue_codes } from '../../docs/spec/tables/place-of-service.json'
import type { Setting } from './charts.ts'
import { frozen } from './frozen.ts'

/** Whose bill it is. Each is paid by schedules of its own. */
export type BillKind = keyof typeof kinds

export interface KindEntry {
  /** The settings that its schedules price. Those of the first answer where none is asked for. */
  settings: readonly Setting[]
  /** The classes of charges in a hospital's file that are its own, in the order in which they are tried. */
  classes: readonly ('facility' | 'professional' | null)[]
}
export const KIND_ENTRIES = frozen(kinds as Readonly<Record<BillKind, KindEntry>>)
export const BILL_KINDS = frozen(Object.keys(kinds) as [BillKind, ...BillKind[]])

export interface PlaceOfService {
  place: string
  /** The rate at which a professional is paid there. */
  setting: Setting
  /** Who else bills for the same service there. */
  beside?: BillKind
}
export const PLACES_OF_SERVICE: ReadonlyMap<string, PlaceOfService> = new Map(
  frozen(places as readonly PlaceOfService[]).map((entry) => [entry.place, entry]),
)

/** The first three digits of the revenue codes of professional fees. */
export const PROFESSIONAL_REVENUE: readonly string[] = frozen(revenue_codes.professional)
