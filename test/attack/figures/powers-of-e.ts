// Probabilities as sums of powers of e, between two whole numbers: nothing is rounded the wrong way.

/** All scales of the rule are whole multiples of this part: e^(-k/300). */
export const PARTS = 300

/** A number times 2^BITS lies between these. */
export interface Between {
  low: bigint
  high: bigint
}

const BITS = 256n
const ONE = 1n << BITS
/** Two numbers that are equal to this many bits are taken as equal: a bound may be reached, not only kept. */
const EQUAL_BITS = 128n

export const nothing: Between = { low: 0n, high: 0n }
export const plus = (a: Between, b: Between): Between => ({ low: a.low + b.low, high: a.high + b.high })
export const times = (a: Between, b: Between): Between => ({
  low: (a.low * b.low) >> BITS,
  high: ((a.high * b.high) >> BITS) + 1n,
})
export const part = (a: Between, n: number, d: number): Between => ({
  low: (a.low * BigInt(n)) / BigInt(d),
  high: (a.high * BigInt(n)) / BigInt(d) + 1n,
})
export const minus = (a: Between, b: Between): Between => ({ low: a.low - b.high, high: a.high - b.low })
export const fraction = (n: number, d: number): Between => part({ low: ONE, high: ONE }, n, d)

/** e^(-1/300), by its series, whose terms change sign and shrink: two neighbouring sums hold it between them. */
function base(): Between {
  let [term, sum, k] = [ONE, ONE, 1n]
  while (term > 1n) {
    term /= BigInt(PARTS) * k
    sum += k % 2n === 1n ? -term : term
    k++
  }
  // Each of the k divisions cut off less than one.
  return { low: sum - k - 1n, high: sum + k + 1n }
}

const powers: Between[] = [{ low: ONE, high: ONE }, base()]

/** e^(-k/300). */
export function powerOf(k: number): Between {
  for (let i = powers.length; i <= k; i++) powers.push(times(powers[i - 1] as Between, powers[1] as Between))
  return powers[k] as Between
}

/** Whether a is at most e^(parts/300) times b. */
export function isWithin(a: Between, b: Between, parts: number): boolean {
  const { high } = times(a, powerOf(parts))
  return high <= b.low + (b.low >> EQUAL_BITS) + ((ONE >> EQUAL_BITS) >> 60n)
}

/** Whether the number lies between two others, as far as 256 bits tell. */
export const isBetween = (a: Between, low: Between, high: Between): boolean => low.low <= a.high && a.low <= high.high
export const toNumber = ({ high }: Between): number => Number((high * 1_000_000_000_000n) >> BITS) / 1e12
