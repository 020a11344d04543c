/** An amount of dollars in a cell: as rows have it, and as the cell has it. */
export type StatedAmount =
  | { kind: 'none' }
  | { kind: 'zero' }
  | { kind: 'unreadable' }
  | { kind: 'dollars'; text: string; exact: string }

const NONE: StatedAmount = { kind: 'none' }
const UNREADABLE: StatedAmount = { kind: 'unreadable' }
const BLANKS = new Set(['', '-', '--', '---', 'N/A', 'NA', '#N/A', 'NULL', 'NONE', 'NAN'])

/** A cell as people write it: with a dollar sign, and thousands in groups. An exponent is what a spreadsheet left of it. */
export function statedAmount(cell: string): StatedAmount {
  const text = cell.trim()
  if (BLANKS.has(text.toUpperCase())) return NONE
  const [, whole = '', fraction = ''] = /^\$?\s*((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*))(?:\.([0-9]*))?$/.exec(text) ?? []
  return whole === '' && fraction === '' ? UNREADABLE : decimal(whole.replaceAll(',', ''), fraction, 0)
}

/** A value of JSON: a number, or a text that holds one. */
export function statedValue(value: unknown): StatedAmount {
  if (value === undefined || value === null) return NONE
  if (typeof value === 'number') {
    const [, whole = '', fraction = '', exponent] =
      /^([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/.exec(String(value)) ?? []
    return whole === '' ? UNREADABLE : decimal(whole, fraction, Number(exponent ?? 0))
  }
  return typeof value === 'string' ? statedAmount(value) : UNREADABLE
}

function decimal(whole: string, fraction: string, exponent: number): StatedAmount {
  const digits = whole + fraction
  const point = whole.length + exponent
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = Math.max(point, 1)
  const integer = padded.slice(0, at).replace(/^0+(?=[0-9])/, '')
  const decimals = padded.slice(at).replace(/0+$/, '')
  if (/^0*$/.test(integer + decimals)) return UNREADABLE // zero never means free
  // A row of nines is how hospitals write that they do not know.
  if (integer.length > 9 || (/^9{6,}$/.test(integer) && /^9*$/.test(decimals))) return UNREADABLE
  const exact = `${integer}.${decimals.padEnd(2, '0')}`
  if (decimals.length <= 4) return { kind: 'dollars', text: exact, exact }
  const cents = (BigInt(integer + decimals.slice(0, 3)) + 5n) / 10n
  if (cents === 0n) return UNREADABLE
  return { kind: 'dollars', text: `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`, exact }
}

/** Less than zero if the first is less. */
export function compareDollars(a: string, b: string): number {
  const difference = Number(a) - Number(b)
  if (difference !== 0) return difference // rounding to doubles keeps the order of what it keeps apart
  const [one, other] = [a, b].map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(24, '0'))
  }) as [bigint, bigint]
  return one < other ? -1 : one > other ? 1 : 0
}
