import type { PricedRow, Row } from '../../proof/price/row.ts'
import type { Comparable } from '../charts.ts'
import { type Ends, endsOf, unitsOf } from './price-ends.ts'

export interface MedicareRow {
  row: Row
  release_id: string
}

/** A schedule states one amount for a key, never a range. */
export type ComparedRow = MedicareRow & { row: { price: { amount: string; per: string | null } } }

/**
 * Medicare's price of the same thing as a hospital's, the first that there is. Nothing where the two are not for the same:
 * for inpatients Medicare pays by the stay; what is unlisted is a different service each time; an add-on is paid beside
 * another code; and a drug's price says nothing without its unit.
 */
export function besideMedicare(
  row: PricedRow,
  medicare: readonly MedicareRow[],
  comparable: readonly Comparable[],
): ComparedRow | undefined {
  if (row.npi === null || row.setting === 'inpatient' || row.flags.includes('mixed_units')) return undefined
  if (UNLISTED.has(row.code) || medicare.some(isAddOn)) return undefined
  for (const { basis, settings } of comparable) {
    // A doctor's charge is not what Medicare pays a hospital.
    if (row.class === 'professional' && basis === 'medicare_opps') continue
    const found = medicare.find(
      (each): each is ComparedRow =>
        each.row.kind === 'price' &&
        'amount' in each.row.price &&
        each.row.basis === basis &&
        each.row.modifier === row.modifier &&
        settings.includes(each.row.setting),
    )
    if (found) return isSameUnit(row, found) ? found : undefined
  }
  return undefined
}

/** The physician schedule has no days of its own for an add-on: those are of the code that it is billed beside. */
const isAddOn = ({ row }: MedicareRow): boolean => row.indicators['global_days'] === 'ZZZ'

/** One of something is one service, unless it is a drug: a vial is not the dose that Medicare pays by. */
function isSameUnit({ code, price }: PricedRow, { row }: ComparedRow): boolean {
  if (isDrug(code)) return price.per !== null && price.per === row.price.per
  return price.per === row.price.per || price.per === null || /^1 (EA|EACH|UN|UNIT)$/.test(price.per)
}

export function ratiosTo(row: PricedRow, { row: { price } }: ComparedRow): Ends {
  const { low, high } = endsOf(row.price)
  const reference = unitsOf(price.amount)
  return { low: low / reference, high: high / reference }
}

/** HCPCS drugs and biologicals, contrast agents, and the vaccines and globulins of CPT: a unit may cost cents. */
export const isDrug = (cpt: string): boolean =>
  /^([JQ]|A9|C9|P9)/.test(cpt) ||
  (cpt >= '90281' && cpt <= '90399') ||
  (cpt >= '90476' && cpt <= '90759') ||
  /^913[0-9]{2}$/.test(cpt)

/** Codes for what has no code of its own: CPT's unlisted services, and those of HCPCS that are not otherwise classified. */
const UNLISTED: ReadonlySet<string> = new Set(
  `01999 15999 17999 19499 20999 21089 21299 21499 21899 22899 22999 23929 24999 25999 26989 27299 27599 27899 28899 29799
   29999 30999 31299 31599 31899 32999 33999 36299 37501 37799 38129 38589 38999 39499 39599 40799 40899 41599 41899 42299
   42699 42999 43289 43499 43659 43999 44238 44799 44899 44979 45399 45499 45999 46999 47379 47399 47579 47999 48999 49329
   49659 49999 50549 50949 51999 53899 54699 55559 55899 58578 58579 58679 58999 59897 59898 59899 60659 60699 64999 66999
   67299 67399 67599 67999 68399 68899 69399 69799 69949 69979 76496 76497 76498 76499 76999 77299 77399 77499 77799 78099
   78199 78299 78399 78499 78599 78699 78799 78999 79999 80299 81099 81479 81599 84999 85999 86486 86849 86999 
   87999 88099 88199 88299 88399 88749 89240 89398 90399 90749 90899 90999 91299 92499 92700 93799 93998 94799
   95199 95999 96379 96549 96999 97039 97139 97799 99199 99429 99499 99600
   A0999 A4421 A4649 A4913 A9150 A9698 A9699 A9900 A9999 B9998 B9999 C1889 C2698 C2699 C9399 E0769
   E0770 E1399 E1699 E2599 J1599 J3490 J3590 J7199 J7599 J7699 J7799 J7999 J8498 J8499 J8597 J8999 J9999 K0108
   K0812 K0898 K0899 L0999 L1499 L2999 L3649 L3999 L5999 L7499 L8039 L8499 L8698 L8699 P9099 Q0507 Q0508 Q0509 Q4050 Q4051
   Q4082 Q4100 S0590 S8189 S9379 T1999 T5999 V2199 V2299 V2399 V2499 V2599 V2797 V2799 V5298 V5299`.split(/\s+/),
)
