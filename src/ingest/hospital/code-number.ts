import { digitOf } from '../../files/base36.ts'

// Codes as numbers of base 36, in the order of their bytes: a file names them millions of times, and what is compared
// and kept is then no text.

const BASE = 36
export const CODE_LENGTH = 5
const DIGITS = 10

/** `CODE` of findings.ts, for numbers. */
export function isCode(number: number): boolean {
  const first = Math.floor(number / BASE ** (CODE_LENGTH - 1))
  let middle = Math.floor(number / BASE) % BASE ** (CODE_LENGTH - 2)
  for (; middle > 0; middle = Math.floor(middle / BASE)) if (middle % BASE >= DIGITS) return false
  return first < DIGITS || number % BASE < DIGITS
}

/** The code that a text names in capitals or not; undefined where it is none. */
export function codeNumber(text: string): number | undefined {
  if (text.length !== CODE_LENGTH) return undefined
  let number = 0
  for (let at = 0; at < CODE_LENGTH; at++) {
    const character = digitOf(text.charCodeAt(at))
    if (character < 0) return undefined
    number = number * BASE + character
  }
  return isCode(number) ? number : undefined
}

export const codeText = (number: number): string => number.toString(BASE).toUpperCase().padStart(CODE_LENGTH, '0')
