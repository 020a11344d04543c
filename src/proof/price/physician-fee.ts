// The Medicare physician fee schedule formula, exactly.

const PARTS = ['work', 'practice', 'malpractice'] as const
export type Parts = Record<(typeof PARTS)[number], string>

/**
 * The fee schedule amount for one code in one locality, in cents.
 *
 * Factors arrive as the decimal strings CMS prints. The sum is exact and is rounded once, half up, at
 * the end, so everyone who recomputes it from the cited file gets the same cent.
 */
export function physicianFeeCents(rvu: Parts, gpci: Parts, conversionFactor: string): number {
  const adjusted = PARTS.reduce((sum, part) => sum + scaled(rvu[part], 2) * scaled(gpci[part], 3), 0n)
  const dollarsE9 = adjusted * scaled(conversionFactor, 4)
  return Number((dollarsE9 + 5_000_000n) / 10_000_000n)
}

/** '1.3' at two places is 130n. Throws on more places than the file format allows. */
function scaled(decimal: string, places: number): bigint {
  const match = /^(\d{1,9})(?:\.(\d+))?$/.exec(decimal)
  const fraction = match?.[2] ?? ''
  if (!match || fraction.length > places) throw new RangeError(`not a decimal with at most ${places} places`)
  return BigInt(match[1] + fraction.padEnd(places, '0'))
}

/** 9519 is '95.19'. */
export const dollars = (cents: number): string => String(cents).padStart(3, '0').replace(/..$/, '.$&')
