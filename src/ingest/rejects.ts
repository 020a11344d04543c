import { statedCents } from '../proof/price/derivation.ts'
import type { Rejects } from '../registry/release/staging.ts'

const SAMPLE_LINES = 20

/** Counts a row that was refused: by rule and line, never with the value that broke the rule. */
export function reject(rejects: Rejects, rule: string, line: number): void {
  const entry = rejects.get(rule) ?? { count: 0, lines: [] }
  entry.count++
  if (entry.lines.length < SAMPLE_LINES) entry.lines.push(line)
  rejects.set(rule, entry)
}

/** Rule R03: a code of the wrong shape is refused, whatever type the source says it has. */
export const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/

/** Rule R02: a positive amount of at most two decimals, and not a row of nines that stands for "unknown". */
export function moneyCents(text: string): number | undefined {
  const stated = text.trim()
  return isPlaceholder(stated) ? undefined : statedCents(stated)
}

/** What stands for "unknown", or has more digits than a row can state as what it was made of. */
export const isPlaceholder = (text: string): boolean => text.length > MAX_NUMBER || /^9{6,}(\.9*)?$/.test(text)
const MAX_NUMBER = 64

/** In a schedule of CMS's rates are padded with zeros, and a field may be filled with nines. */
export function isFilled(rate: string): boolean {
  const bare = rate.trim().replace(/^0+(?=[0-9])/, '')
  return isPlaceholder(bare.replace(/\.0+$/, '')) || bare === '99999.99'
}

/** Rule R02 for a rate of such a schedule. */
export const scheduleCents = (rate: string): number | undefined => (isFilled(rate) ? undefined : moneyCents(rate))
