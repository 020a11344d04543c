// X12 as text: separators, segments, composite elements.

import { Refused } from './bill.ts'
import type { FoundPaper } from './paper.ts'
import type { Reason } from './reasons.ts'

/** A segment: its number in the file, its name and its elements. The element named 01 in the standard has index 1. */
export interface Segment {
  at: number
  name: string
  elements: readonly string[]
}

interface Separators {
  element: string
  component: string
  segment: string
}

const MOST_SEGMENTS = 500_000
const MOST_ELEMENTS = 120

/**
 * The separators stand in the first segment: the fourth character, the sixteenth element and the character after it. Without an
 * envelope they are the usual ones.
 */
export function separatorsOf(text: string): Separators {
  const usual = { element: text[2] ?? '*', component: ':', segment: text.includes('~') && text[2] !== '~' ? '~' : '\n' }
  if (!/^ISA/i.test(text)) return usual
  const element = text[3] ?? '*'
  let from = 3
  for (let i = 1; i < 16; i++) {
    from = text.indexOf(element, from + 1)
    if (from < 0 || from > 400) return { ...usual, element }
  }
  const component = text[from + 1] ?? ':'
  const [next = '~'] = /[^ ]/.exec(text.slice(from + 2, from + 20)) ?? []
  return { element, component, segment: next === '\r' ? '\n' : next }
}

/** The segments of a text. Line breaks and blanks around them are no part of them. */
export function* segmentsOf(text: string, { element, segment }: Separators): Generator<Segment> {
  let number = 0
  let start = 0
  while (start < text.length) {
    const found = text.indexOf(segment, start)
    const end = found < 0 ? text.length : found
    const raw = text.slice(start, Math.min(end, start + 20_000)).trim()
    start = end + 1
    if (raw === '') continue
    if (++number > MOST_SEGMENTS) throw new Refused('too_large')
    const elements = raw.split(element, MOST_ELEMENTS).map((each) => each.trim())
    yield { at: number, name: (elements[0] ?? '').toUpperCase(), elements }
  }
}

/** Codes of the components of a composite element. A file may name another separator than it uses: then the usual ones are tried. */
export function componentsOf(text: string, component: string): string[] {
  const parts = text.split(component, 20)
  if (parts.length > 1 || (parts[0] ?? '').length <= 2) return parts
  const other = [...':><|^'].find((each) => text.includes(each))
  return other === undefined ? parts : text.split(other, 20)
}

export interface Transaction {
  segments: readonly Segment[]
  component: string
}

/** A claim, or the number of its segment and why it is left out. */
export type FoundClaim = FoundPaper | { at: number; why: Reason }
