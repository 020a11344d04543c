// The Medicare physician fee schedule formula, exactly.

const PARTS = ['work', 'practice', 'malpractice'] as const
export type Parts = Record<(typeof PARTS)[number], string>

/** The decimals of the formula as CMS prints them. Their digits are what keeps the arithmetic below exact. */
export const RELATIVE_VALUE = /^(\d{1,6})(?:\.(\d{1,2}))?$/
export const INDEX = /^(\d)(?:\.(\d{1,3}))?$/
export const CONVERSION_FACTOR = /^(\d{1,4})(?:\.(\d{1,4}))?$/

/** Whole numbers in place of decimals: hundredths of a relative value, or thousandths of an index. */
export type WholeParts = Readonly<Record<keyof Parts, number>>

export const relativeValues = (rvu: Parts): WholeParts => wholeParts(rvu, RELATIVE_VALUE, 2)
export const indices = (gpci: Parts): WholeParts => wholeParts(gpci, INDEX, 3)
/** In ten-thousandths. */
export const conversionFactor = (text: string): number => whole(text, CONVERSION_FACTOR, 4)

const wholeParts = ({ work, practice, malpractice }: Parts, form: RegExp, places: number): WholeParts => ({
  work: whole(work, form, places),
  practice: whole(practice, form, places),
  malpractice: whole(malpractice, form, places),
})

/** '1.3' at two places is 130. Throws on a decimal that the file format does not have. */
function whole(decimal: string, form: RegExp, places: number): number {
  const [, units, fraction = ''] = form.exec(decimal) ?? []
  if (units === undefined) throw new RangeError('not a decimal of the physician fee schedule')
  return Number(units + fraction.padEnd(places, '0'))
}

/** A cent is so many of the products below: 10^-2 x 10^-3 x 10^-4 dollars each. */
const CENT = 10_000_000

/**
 * The fee schedule amount for one code in one locality, in cents: the exact sum, rounded once, half up, at the end, so
 * everyone who recomputes it from the cited file gets the same cent.
 *
 * Every number here is whole and below 2^53, where doubles are exact: three values below 10^8 times indices below 10^4
 * are below 3 x 10^12. Its product with a factor below 10^8 would not be, so what is above 10^7 is multiplied by
 * itself: it is worth whole cents.
 */
export function feeCents(rvu: WholeParts, gpci: WholeParts, factor: number): number {
  const adjusted = rvu.work * gpci.work + rvu.practice * gpci.practice + rvu.malpractice * gpci.malpractice
  const rest = adjusted % CENT
  const product = rest * factor + CENT / 2
  return ((adjusted - rest) / CENT) * factor + (product - (product % CENT)) / CENT
}

/** The amount from the decimals of the file, in cents. */
export const physicianFeeCents = (rvu: Parts, gpci: Parts, factor: string): number =>
  feeCents(relativeValues(rvu), indices(gpci), conversionFactor(factor))

/** 9519 is '95.19'. */
export function dollars(cents: number): string {
  const digits = String(cents).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
