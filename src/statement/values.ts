// Amounts, days, units and numbers as papers write them, in the one form that is kept. Undefined where a text is not surely one.

const MOST_IN_VALUE = 60

/** A plain decimal of the formats for programs: `1800`, `84.4`, `-91.0`, `.5`. Rounded half up to the cent. */
export function decimalAmount(text: string): string | undefined {
  if (text.length > MOST_IN_VALUE) return undefined
  const [match, sign, whole = '', fraction = ''] = /^([+-]?)([0-9]{0,12})(?:\.([0-9]{0,20}))?$/.exec(text.trim()) ?? []
  if (match === undefined || whole + fraction === '') return undefined
  const thousandths = BigInt(whole || '0') * 1000n + BigInt(fraction.slice(0, 3).padEnd(3, '0'))
  const cents = (thousandths + 5n) / 10n
  return cents > MOST_CENTS ? undefined : fromCents(sign === '-' ? -cents : cents)
}
const MOST_CENTS = 99_999_999_999n

/** Dollars as people and printers write them: `$1,234.50`, `1234`, `-$47.60`, `($47.60)`, `47.60-`, `47.60 CR`. `1.234,50` is refused. */
export function printedAmount(text: string): string | undefined {
  if (text.length > MOST_IN_VALUE) return undefined
  let plain = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[\u2212\u2012-\u2014]/g, '-')
  let isCredit = false
  const credit = /^\((.*)\)$/.exec(plain) ?? /^(.*?) ?(?:CR|-)$/i.exec(plain) ?? /^-(.*)$/.exec(plain)
  if (credit) {
    isCredit = true
    plain = (credit[1] ?? '').trim()
  }
  plain = plain.replace(/^(?:\$|USD) ?| ?USD$/i, '')
  if (!isCredit && plain.startsWith('-')) {
    isCredit = true
    plain = plain.slice(1)
  }
  plain = plain.replace(/^[0-9]{1,3}(?:,[0-9]{3})+(?=\.|$)/, (grouped) => grouped.replaceAll(',', ''))
  const [match, whole = '', cents = ''] = /^([0-9]{1,9})(?:\.([0-9]{0,2}))?$/.exec(plain) ?? []
  if (match === undefined) return undefined
  const value = BigInt(whole) * 100n + BigInt(cents.padEnd(2, '0'))
  return fromCents(isCredit ? -value : value)
}

/** Cents of an amount in the kept form. */
export function toCents(amount: string): bigint {
  const [, sign, whole = '0', cents = '00'] = /^(-?)([0-9]+)\.([0-9]{2})$/.exec(amount) ?? []
  const value = BigInt(whole) * 100n + BigInt(cents)
  return sign === '-' ? -value : value
}

export function fromCents(cents: bigint): string {
  const size = cents < 0n ? -cents : cents
  return `${cents < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`
}

export const sumOf = (amounts: readonly string[]): string =>
  fromCents(amounts.reduce((sum, amount) => sum + toCents(amount), 0n))

/** A count above zero, without needless zeros: `1.00` is `1`. */
export function countOf(text: string): string | undefined {
  const [match, whole = '', fraction = ''] = /^0*([0-9]{0,7})(?:\.([0-9]{0,4}))?$/.exec(text.trim()) ?? []
  if (match === undefined) return undefined
  const rest = fraction.replace(/(?<!0)0+$/, '')
  const plain = rest === '' ? whole : `${whole || '0'}.${rest}`
  return plain === '' || !/[1-9]/.test(plain) ? undefined : plain
}

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec'
const monthOf = (name: string): number => {
  const at = MONTHS.indexOf(name.slice(0, 3).toLowerCase())
  return at >= 0 && at % 3 === 0 ? at / 3 + 1 : 0
}

/** A day in one of the forms of American papers, as an ISO day: `2026-05-14`, `20260514`, `5/14/2026`, `05/14/26`, `05-14-2026`, `May 14, 2026`, `14-May-26`. */
export function dayOf(text: string): string | undefined {
  const plain = text.trim().replace(/\s+/g, ' ')
  if (plain.length > MOST_IN_VALUE) return undefined
  const iso =
    /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ][0-9:.Zz+-]*)?$/.exec(plain) ??
    /^((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})$/.exec(plain)
  if (iso) return calendarDay(iso[1], Number(iso[2]), Number(iso[3]))
  const american = /^([0-9]{1,2})([/-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})$/.exec(plain)
  if (american) return calendarDay(american[4], Number(american[1]), Number(american[3]))
  const monthFirst = /^([A-Za-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4}|[0-9]{2})$/.exec(plain)
  if (monthFirst) return calendarDay(monthFirst[3], monthOf(monthFirst[1] ?? ''), Number(monthFirst[2]))
  const dayFirst = /^([0-9]{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?(?:[ -]|, )([0-9]{4}|[0-9]{2})$/.exec(plain)
  if (dayFirst) return calendarDay(dayFirst[3], monthOf(dayFirst[2] ?? ''), Number(dayFirst[1]))
  return undefined
}

/** The six digits of the boxes of UB-04 and CMS-1500 forms: MMDDYY. */
export function boxedDay(text: string): string | undefined {
  const [, month, day, year] = /^([0-9]{2}) ?([0-9]{2}) ?([0-9]{2})$/.exec(text.trim()) ?? []
  return month === undefined ? undefined : calendarDay(year, Number(month), Number(day))
}

function calendarDay(year = '', month: number, day: number): string | undefined {
  const full = year.length === 2 ? Number(year) + 2000 : Number(year)
  if (full < 1900 || full > 2099 || month < 1 || month > 12 || day < 1) return undefined
  const lengths = [31, full % 4 === 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  if (day > (lengths[month - 1] ?? 0)) return undefined
  return `${full}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** Two days as a range, or one: the first, and whether there are several. */
export function daysOf(text: string): { day: string; isRange: boolean } | undefined {
  const one = dayOf(text)
  if (one !== undefined) return { day: one, isRange: false }
  const parts = /^(.{6,20}?)(?: ?- ?| to | through | thru )(.{6,20})$/i.exec(
    text
      .trim()
      .replace(/\s+/g, ' ')
      .replace(/[\u2012-\u2014]/g, '-'),
  )
  const [from, to] = parts ? [dayOf(parts[1] ?? ''), dayOf(parts[2] ?? '')] : []
  return from !== undefined && to !== undefined && from <= to ? { day: from, isRange: from !== to } : undefined
}

/** Ten digits with the check digit of the NPI standard (Luhn, with the prefix 80840, which adds 24). */
export function npiOf(text: string): string | undefined {
  if (!/^[12][0-9]{9}$/.test(text)) return undefined
  const sum = [...text].reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 24)
  return sum % 10 === 0 ? text : undefined
}
