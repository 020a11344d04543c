import { dollars } from '../proof/price/physician-fee.ts'
import type { Price } from '../proof/price/row.ts'

/** The two ends of a price in cents; of a single amount, twice the same. */
export interface Ends {
  low: number
  high: number
}

export function endsOf(price: Price): Ends {
  if (!('amount' in price)) return { low: centsOf(price.low), high: centsOf(price.high) }
  const cents = centsOf(price.amount)
  return { low: cents, high: cents }
}

const AMOUNT = '{"amount":"'

/** The same of a price's canonical text. Millions are compared, so that of a single amount is not parsed. */
export function endsOfText(text: string): Ends {
  if (!text.startsWith(AMOUNT)) return endsOf(JSON.parse(text) as Price)
  const cents = centsOf(text.slice(AMOUNT.length, text.indexOf('"', AMOUNT.length)))
  return { low: cents, high: cents }
}

const POINT = 0x2e

/** Of a decimal with two places, as rows have them. */
export function centsOf(decimal: string): number {
  let cents = 0
  for (let at = 0; at < decimal.length; at++) {
    const unit = decimal.charCodeAt(at)
    if (unit !== POINT) cents = cents * 10 + unit - 0x30
  }
  return cents
}

export const toPrice = ({ low, high }: Ends): Price =>
  low === high ? { amount: dollars(low), currency: 'USD' } : { low: dollars(low), high: dollars(high), currency: 'USD' }
