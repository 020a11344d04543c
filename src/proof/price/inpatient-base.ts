// Medicare's federal base rate for a stay at a wage index of 1.0000, exactly.

/** The weight of a group of stays as CMS prints it, and an amount in dollars and cents. */
export const WEIGHT = /^(\d{1,3})\.(\d{4})$/
export const AMOUNT = /^(\d{1,6})\.(\d{2})$/

/** The decimals of CMS's tables: the weight, the two parts of the operating amount, and the capital rate. */
export interface StayInputs {
  weight: string
  labor: string
  nonlabor: string
  capital: string
}

/**
 * The operating and the capital payment, in cents, each rounded half up after the weight, as CMS's own program rounds them.
 *
 * At a wage index of 1.0000 neither part of the operating amount is adjusted, and the capital rate is multiplied by one.
 * All numbers are whole and below 2^53: a weight below 10^7 times an amount below 10^8 cents.
 */
export function inpatientBaseCents({ weight, labor, nonlabor, capital }: StayInputs): {
  operating: number
  capital: number
} {
  const times = whole(weight, WEIGHT)
  const paid = (cents: number): number => {
    const product = cents * times + TEN_THOUSANDTH / 2
    return (product - (product % TEN_THOUSANDTH)) / TEN_THOUSANDTH
  }
  return { operating: paid(whole(labor, AMOUNT) + whole(nonlabor, AMOUNT)), capital: paid(whole(capital, AMOUNT)) }
}
const TEN_THOUSANDTH = 10_000

function whole(decimal: string, form: RegExp): number {
  const [, units, fraction] = form.exec(decimal) ?? []
  if (units === undefined) throw new RangeError('not a decimal of the inpatient tables')
  return Number(`${units}${fraction}`)
}
