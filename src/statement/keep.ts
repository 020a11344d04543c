// The closed list of what is kept. Every value that leaves a reader has passed one of these forms, and none of them can hold a name.

import type { BillLine } from './bill.ts'
import type { Note, Reason } from './reasons.ts'
import { countOf } from './values.ts'

/** A line as a reader found it: texts of the paper, and days and amounts that were read already. */
export interface FoundLine {
  code?: string | undefined
  /** Drug numbers and local codes are told apart by the system that the paper names. */
  system?: 'ndc' | 'local' | undefined
  modifiers?: readonly string[]
  revenue?: string | undefined
  place?: string | undefined
  day?: string | undefined
  units?: string | undefined
  billed?: string | undefined
  allowed?: string | undefined
  patient?: string | undefined
}

const CODE = /^(?:[0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/
export const isCode = (text: string): boolean => CODE.test(text)
const MODIFIER = /^[0-9A-Z]{2}$/
export const isModifier = (text: string): boolean => MODIFIER.test(text)

const MOST_MODIFIERS = 4

/** Rows of payment groups and of totals in the list of revenue codes (NUBC). */
const TOTAL = '0001'
const GROUPS = ['0022', '0023', '0024']

/** Returns the line with everything that has a kept form, or why there is none. */
export function keepLine(found: FoundLine): { line: BillLine; notes: Note[] } | { why: Reason } {
  const notes: Note[] = []
  const revenue = revenueCode(found.revenue)
  if (revenue === TOTAL) return { why: 'total_row' }
  if (revenue !== undefined && GROUPS.includes(revenue)) return { why: 'hipps' }
  if (found.revenue !== undefined && found.revenue !== '' && revenue === undefined) return { why: 'revenue_form' }
  if (found.system === 'local') return { why: 'local_code' }
  const modifiers: string[] = []
  let written = (found.code ?? '').trim().toUpperCase()
  for (const modifier of found.modifiers ?? []) {
    const plain = modifier.trim().toUpperCase()
    if (plain === '' || modifiers.includes(plain)) continue
    if (isModifier(plain) && modifiers.length < MOST_MODIFIERS) modifiers.push(plain)
    else if (written === '' && isCode(plain)) {
      written = plain
      notes.push('code_from_modifier')
    } else notes.push('modifier_left_out')
  }
  const code =
    written === '' ? undefined : found.system === 'ndc' ? drugNumber(written) : isCode(written) ? written : undefined
  if (written !== '' && code === undefined) return { why: 'code_form' }
  if (code === undefined && revenue === undefined) return { why: 'no_code' }
  // A part of a unit counts a dose or a distance, not services.
  const counted = found.units === undefined ? undefined : countOf(found.units)
  const units = counted !== undefined && /^[0-9]{1,6}$/.test(counted) ? counted : undefined
  if (found.units !== undefined && units === undefined) notes.push('units_left_out')
  const place = /^[0-9]{1,2}$/.test(found.place ?? '') ? found.place?.padStart(2, '0') : undefined
  const line: BillLine = {
    ...(code !== undefined && { code }),
    ...(modifiers.length > 0 && { modifiers }),
    ...(revenue !== undefined && { revenue_code: revenue }),
    ...(place !== undefined && { place_of_service: place }),
    ...(found.day !== undefined && { day: found.day }),
    ...(units !== undefined && { units }),
    ...(found.billed !== undefined && { billed: found.billed }),
    ...(found.allowed !== undefined && { allowed: found.allowed }),
    ...(found.patient !== undefined && { patient: found.patient }),
  }
  return { line, notes }
}

/** Four digits; papers leave out the first zero. */
function revenueCode(text = ''): string | undefined {
  const plain = text.trim()
  return /^[0-9]{3,4}$/.test(plain) ? plain.padStart(4, '0') : undefined
}

/** Eleven digits, or ten with hyphens, which say where the zero goes (5-4-2). Ten digits alone can be read in three ways. */
function drugNumber(text: string): string | undefined {
  const parts = text.split('-')
  if (parts.length === 1) return /^[0-9]{11}$/.test(text) ? `NDC-${text}` : undefined
  const [labeler = '', product = '', size = ''] = parts
  const digits = labeler.padStart(5, '0') + product.padStart(4, '0') + size.padStart(2, '0')
  return parts.length === 3 && /^[0-9]{4,5}-[0-9]{3,4}-[0-9]{1,2}$/.test(text) && digits.length === 11
    ? `NDC-${digits}`
    : undefined
}
