// What a price was until its edition ended, for those who see the text of a refusal alone.

import type { PricedRow } from '../../proof/price/row.ts'
import { type Classed, codeTold, isSample, lastDayOf, placeOf, priceOf, RATES, whereOf } from './sentence-words.ts'

type LastKnown = Omit<PricedRow, 'derivation' | 'indicators' | 'locator'> & Classed & { effective_to?: string }

/** Of the member `last_known` of a refusal, if it has one. Its row is named: a modifier that adjusts it is not in the amount. */
export function lastKnownNote(members: object | undefined): string[] {
  const { last_known: row } = (members ?? {}) as { last_known?: LastKnown }
  if (!row) return []
  const day = lastDayOf(row)
  const source = placeOf(row.proof)?.release_id
  // Of Medicare the source says on which list.
  const where = row.npi === null ? whereOf(row) : `${row.basis}, ${whereOf(row)}`
  return [
    `For ${codeTold(row)} (${where}) it was ${priceOf(row.price)} until ${day} (${source}).`,
    ...(row.kind === 'rate' ? [RATES] : []),
    ...(isSample(row) ? ['Sample data, not a real price.'] : []),
  ]
}
