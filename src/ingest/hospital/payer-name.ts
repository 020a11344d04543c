import { utf8 } from '../../proof/bytes.ts'
import { BILLING_WORDS, SPELLINGS } from '../../tables/payers.ts'

// Names of payers and plans as hospitals write them, made comparable. A name is hostile: it may be long, hold the signs of other
// scripts, or orders for programs. All that comes out is small letters, digits and single blanks, and nothing of it is served.

/** What stands behind is not looked at: the longest real name has 90 characters. */
export const MOST_CHARACTERS = 1_000

/** Letters of other scripts that look like Latin ones. */
const LOOK_ALIKES = new Map(
  [...'аеорсухіѕјԁһӏкмтвн'].map((letter, at) => [letter, [...'aeopcyxisjdhlkmtbh'][at] as string]),
)
for (const [at, letter] of [...'αεορυχικντηβμ'].entries()) LOOK_ALIKES.set(letter, [...'aeopyxikvtnbm'][at] as string)

/** Orders to terminals. */
const ESCAPES = /\u001b\[[0-9;]{0,20}[A-Za-z]/g
/** Controls, marks that are not seen, and those that turn the direction of a text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{M}]/gu

/** The text of a cell as it was meant: cells are read byte by byte, and most files are UTF-8. */
function decoded(cell: string): string {
  if (!/[\u0080-\u00ff]/.test(cell)) return cell
  if (/[^\u0000-\u00ff]/.test(cell)) return cell
  const bytes = Uint8Array.from(cell, (byte) => byte.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return cell
  }
}

const asLatin = (text: string): string =>
  [...text.toLowerCase()].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('')

/** Small letters and digits, with single blanks between words and one at either end. */
function plainWords(text: string): string {
  const words = asLatin(text)
    .replace(/&/g, ' and ')
    .replace(/['\u2019`]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
  return ` ${words} `
}

function spelledOut(words: string): string {
  let text = words
  for (const billing of BILLING_WORDS) if (text.startsWith(` ${billing} `)) text = text.slice(billing.length + 1)
  for (const { written, means } of SPELLINGS) text = text.replaceAll(` ${written} `, ` ${means} `)
  return text
}

/** `UnitedHealthcare` is two words, and `UAEPolice` too. */
const split = (text: string): string =>
  text.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')

export interface PayerName {
  /** With words that were written together apart, and as they are written: ` uhc `, ` unitedhealthcare `. */
  readings: readonly string[]
  /** The same for every spelling of case, blanks and marks. */
  bytes: Uint8Array
}

export function payerName(cell: string): PayerName {
  const seen = decoded(cell.slice(0, MOST_CHARACTERS))
    .replace(ESCAPES, '')
    .normalize('NFKD')
    .replace(/\s/g, ' ')
    .replace(UNSEEN, '')
    .replace(/(?<! ) *\[[0-9]{1,12}\] *$/, '')
  const [apart, together] = [plainWords(split(seen)), plainWords(seen)]
  return { readings: [...new Set([apart, together].map(spelledOut))], bytes: utf8(together.trim()) }
}

/** Whether a name has the words, one of them perhaps with an s. */
export const hasWords = ({ readings }: PayerName, words: string): boolean =>
  readings.some((reading) => reading.includes(` ${words} `) || reading.includes(` ${words}s `))
