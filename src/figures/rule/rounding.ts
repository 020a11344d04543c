/** Divides to the nearest integer, ties to even. Exact for safe integers, because no fraction is formed. */
export function divideHalfEven(n: number, d: number): number {
  if (!Number.isSafeInteger(n) || !Number.isSafeInteger(d) || n < 0 || d <= 0)
    throw new RangeError('both numbers must be counts, and the divisor positive')
  const rest = n % d
  const quotient = (n - rest) / d
  if (rest * 2 === d) return quotient % 2 === 0 ? quotient : quotient + 1
  return rest * 2 > d ? quotient + 1 : quotient
}
