import type { Price } from '../../proof/price/row.ts'

/** The two ends of a price in hundredths of a cent; of a single amount, twice the same. */
export interface Ends {
  low: number
  high: number
}

export function endsOf(price: Price): Ends {
  if (!('amount' in price)) return { low: unitsOf(price.low), high: unitsOf(price.high) }
  const units = unitsOf(price.amount)
  return { low: units, high: units }
}

const AMOUNT = '{"amount":"'

/** The ends of a price, from its canonical text. Millions are compared, so a single amount is not parsed as JSON. */
export function endsOfText(text: string): Ends {
  if (!text.startsWith(AMOUNT)) return endsOf(JSON.parse(text) as Price)
  const units = unitsOf(text.slice(AMOUNT.length, text.indexOf('"', AMOUNT.length)))
  return { low: units, high: units }
}

const POINT = 0x2e

/** Hundredths of a cent, from a decimal with two to four places, as rows have them: '95.19' is 951900. */
export function unitsOf(decimal: string): number {
  let units = 0
  let places = 0
  for (let at = 0; at < decimal.length; at++) {
    const unit = decimal.charCodeAt(at)
    if (unit === POINT) places = decimal.length - 1 - at
    else units = units * 10 + unit - 0x30
  }
  return units * 10 ** (4 - places)
}

/** 951900 is '95.19', 64970 is '6.497'. */
export function decimalOf(units: number): string {
  const digits = String(units).padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/0{1,2}$/, '')
}
