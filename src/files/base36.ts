const DIGITS = 10

/** The value of a character as a digit of base 36. Digits come before letters, as in ASCII; -1 for any other character. */
export function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = unit | 0x20
  return letter >= 0x61 && letter <= 0x7a ? letter - 0x61 + DIGITS : -1
}
