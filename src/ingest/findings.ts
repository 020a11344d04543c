// What the rules for rows find in the cells and lines of a source.

import { statedCents } from '../proof/price/derivation.ts'

/** Rule R03: a code of the wrong shape is refused, whatever type the source says it has. */
export const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/

/** Rule R02: a positive amount of at most two decimals, and not a row of nines that stands for "unknown". */
export function moneyCents(text: string): number | undefined {
  const stated = text.trim()
  return isPlaceholder(stated) ? undefined : statedCents(stated)
}

/** What stands for "unknown", or has more digits than a row can state as what it was made of. */
export const isPlaceholder = (text: string): boolean => text.length > MAX_NUMBER || /^9{6,}(\.9*)?$/.test(text)
const MAX_NUMBER = 64

/** In a schedule of CMS's rates are padded with zeros, and a field may be filled with nines. */
export function isFilled(rate: string): boolean {
  const bare = rate.trim().replace(/^0+(?=[0-9])/, '')
  return isPlaceholder(bare.replace(/\.0+$/, '')) || bare === '99999.99'
}

/** Rule R02 for a rate of such a schedule. */
export const scheduleCents = (rate: string): number | undefined => (isFilled(rate) ? undefined : moneyCents(rate))
