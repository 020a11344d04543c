// Codes, days and amounts as people write them on bills and in forms, read into the one form that lookups take.

import { capitals, codeOf } from '../../proof/lookup/question.ts'
import { drugCode, outpatientGroup, revenueCode, severityCode, stayCode } from '../../proof/price/code.ts'

/** `71046-26`, `71046 26 59`, `CPT 71046`, `27447RT`: a code with its modifiers. Digits that follow it at once may be those of another number. */
const CODE_WITH_MODIFIERS =
  /^ *(?:(?:CPT|HCPCS|code):? *)?([0-9A-Z]{5})(?:[ ,-]+([0-9A-Z]{2}(?:[ ,-]+[0-9A-Z]{2}){0,3})|([A-Z][0-9A-Z]|[0-9][A-Z]))? *$/i

/** `MS-DRG 470`, `revenue code 450`, `NDC 0781-1943-39`: the words before the number of another kind of code. */
const OTHER_KINDS: readonly [words: RegExp, read: (number: string) => string | undefined][] = [
  [/^ *(?:MS[ -]?)?DRG[ :#-]{0,3}(?=[0-9])/i, stayCode],
  [/^ *APR(?:[ -]?DRG)?[ :#-]{0,3}(?=[0-9])/i, severityCode],
  [/^ *(?:RC|REV(?:ENUE)?\.?(?: CODE)?)[ :#-]{0,3}(?=[0-9])/i, revenueCode],
  [/^ *APC[ :#-]{0,3}(?=[0-9])/i, outpatientGroup],
  [/^ *NDC[ :#-]{0,3}(?=[0-9])/i, drugCode],
]

function readOtherKind(text: string): string | undefined {
  for (const [words, read] of OTHER_KINDS) {
    const [before] = words.exec(text) ?? []
    if (before !== undefined) return read(text.slice(before.length).trimEnd())
  }
  return undefined
}

/** Undefined for a text of another form. Whether there is such a code is another question. */
export function readCode(text: string): { cpt: string; modifier: string } | undefined {
  const other = readOtherKind(text)
  if (other !== undefined) return { cpt: other, modifier: '' }
  const [, cpt, apart, modifiers = apart ?? ''] = CODE_WITH_MODIFIERS.exec(text) ?? []
  return cpt === undefined ? undefined : { cpt: codeOf(cpt), modifier: readModifiers(modifiers) }
}

export const readModifiers = (text: string): string => capitals(text).replaceAll(/[\s,;/-]+/g, '-')

/** The modifiers behind a code and those beside it: a line has all of them, each once. */
export const allModifiers = (...lists: readonly string[]): string =>
  [...new Set(lists.flatMap((list) => list.split('-')))].filter((each) => each !== '').join('-')

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec'
const MONTH = '([A-Za-z]{3})[a-z]{0,6}\\.?'
const YEAR = '((?:20)?[0-9]{2})'
const DATE = '([0-9]{1,2})(?:st|nd|rd|th)?'
const AMERICAN = new RegExp(`^([0-9]{1,2})([/-])([0-9]{1,2})\\2${YEAR}$`)
const MONTH_FIRST = new RegExp(`^${MONTH} ${DATE},? ${YEAR}$`)
const MONTH_ALONE = new RegExp(`^${MONTH} ${DATE}$`)
const DATE_ALONE = new RegExp(`^${DATE}(?:[ -]| of )${MONTH}$`)
const DAY_FIRST = new RegExp(`^${DATE}(?:[ -]| of )${MONTH}(?:[ -]|, )${YEAR}$`)

/** `11/16/2026`, `Nov 16th, 2026`, `16-Nov-26`, a day with a time and, where `today` is given, the word: an ISO day. Other text is returned unchanged. */
export function readDay(text: string, today = text): string {
  if (/^today$/i.test(text)) return today
  const iso = (year = '', month: string | number = '', day = ''): string =>
    `20${year.slice(-2).padStart(2, '0')}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  const numberOf = (name = ''): number => {
    const at = MONTHS.indexOf(name.toLowerCase())
    return at % 3 === 0 ? at / 3 + 1 : 0
  }
  const [, month, , date, year] = AMERICAN.exec(text) ?? []
  if (month !== undefined) return iso(year, month, date)
  const [, name, nameDate, nameYear] = MONTH_FIRST.exec(text) ?? []
  if (name !== undefined) return iso(nameYear, numberOf(name), nameDate)
  const [, first, middle, last] = DAY_FIRST.exec(text) ?? []
  if (first !== undefined) return iso(last, numberOf(middle), first)
  const [, alone = '', ofAlone = ''] = MONTH_ALONE.exec(text) ?? []
  const [, day = ofAlone, ofDay = alone] = DATE_ALONE.exec(text) ?? []
  if (day !== '' && /^[0-9]{4}-/.test(today)) return lastUntil(today, iso('', numberOf(ofDay), day).slice(4))
  return /^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ][0-9:.]+Z?$/.exec(text)?.[1] ?? text
}

/** The last day until today with a month and a date, as `-05-14`. */
const lastUntil = (today: string, date: string): string => {
  const year = Number(today.slice(0, 4))
  return `${year}${date}` <= today ? `${year}${date}` : `${year - 1}${date}`
}

/** `$1,234.5` is `1234.50`. Undefined for a text that is not surely an amount of dollars: `1.234,50` is refused. */
export function readAmount(text: string): string | undefined {
  const plain = text
    .replace(/^(?:\$|USD) ?| ?(?:\$|USD)$/i, '')
    .replace(/^[0-9]{1,3}(?:,[0-9]{3})+(?=\.|$)/, (grouped) => grouped.replaceAll(',', ''))
  const [, whole, cents = ''] = /^([0-9]{1,9})(?:\.([0-9]{0,2}))?$/.exec(plain) ?? []
  return whole === undefined ? undefined : `${Number(whole)}.${cents.padEnd(2, '0')}`
}
