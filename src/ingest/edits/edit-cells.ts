// The cells of CMS's tables of bill edits: codes, days and words of closed lists.

import { unreadable } from '../../files/unreadable.ts'
import { isDay } from '../../proof/shape.ts'
import type { EditWords } from '../../tables/edits.ts'
import { CODE, codeIn } from '../findings.ts'
import { oneLine } from '../records.ts'
import type { Source } from '../source.ts'

/** A code, or nothing where the cell has none. */
export function codeOf(cell: string): string | undefined {
  const code = codeIn(cell)
  return CODE.test(code) ? code : undefined
}

/** A day as CMS writes it in its pairs, 20260701; undefined for anything else. */
export function dayOfDigits(text: string): string | undefined {
  const day = /^\d{8}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : ''
  return isDay(day) ? day : undefined
}

/** A day by its number in the year, 2026182; undefined for anything else. */
export function dayOfYear(text: string): string | undefined {
  if (!/^\d{7}$/.test(text)) return undefined
  const [year, day] = [Number(text.slice(0, 4)), Number(text.slice(4))]
  const at = new Date(Date.UTC(year, 0, day))
  return day > 0 && at.getUTCFullYear() === year ? at.toISOString().slice(0, 10) : undefined
}

/** The number of a word that the table does not have: the publisher has made a new one. */
export const UNKNOWN_WORD = 0

/** The numbers of the words of a closed list, as the publisher spells them. */
export function numbersOf(words: EditWords): (text: string) => number {
  const squashed = (text: string): string => oneLine(text).toLowerCase()
  const known = new Map(
    Object.entries(words).flatMap(([number, { spelled }]) => spelled.map((word) => [squashed(word), Number(number)])),
  )
  const found = new Map<string, number>()
  return (text) => {
    const number = found.get(text) ?? known.get(squashed(text)) ?? UNKNOWN_WORD
    // Not the text itself: a part of a file keeps the whole file in memory.
    if (found.size < MOST_FOUND && !found.has(text)) found.set(Buffer.from(text).toString(), number)
    return number
  }
}
const MOST_FOUND = 1_000

export const nameOf = ({ name, file }: Pick<Source, 'name' | 'file'>): string => name ?? file

/** Medicaid has edits of its own, in files of the same form: they are not those of Medicare. */
export function refuseMedicaid(source: Pick<Source, 'name' | 'file' | 'archive'>): void {
  const names = [nameOf(source), source.archive ?? '']
  if (names.some((name) => /(^|[^a-z])(mcd|medicaid)/i.test(name)))
    throw unreadable('this file is of Medicaid, whose edits are others: give the one of Medicare')
}
