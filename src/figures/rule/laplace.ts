// Integer noise, sampled exactly from fair dice. Only whole numbers below 2^53 are formed: no fraction, no logarithm.

/** `count` fresh random bits as a whole number below 2^count, at most 30 at a time. */
export type Bits = (count: number) => number

/** A whole number from 0 to `bound` - 1, all equally likely. */
export type Dice = (bound: number) => number

/** A positive fraction of whole numbers. */
export interface Ratio {
  n: number
  d: number
}

/** Makes dice from random bits. Values out of bounds are drawn again, so that all others are exactly equally likely. */
export const diceOf =
  (bits: Bits): Dice =>
  (bound) => {
    const count = 32 - Math.clz32(bound - 1)
    if (bound < 1 || count > 30) throw new RangeError('a bound must be between 1 and 2^30')
    for (;;) {
      const drawn = count === 0 ? 0 : bits(count)
      if (drawn < bound) return drawn
    }
  }

/** True with probability exp(-n/d), for n/d from 0 to 1: Canonne, Kamath and Steinke (2020), algorithm 1. */
export function bernoulliExp(n: number, d: number, dice: Dice): boolean {
  let k = 1
  while (dice(d * k) < n) k++
  return k % 2 === 1
}

/**
 * A whole number z with probability proportional to exp(-|z| / scale): algorithm 2 of the same paper. With
 * scale = sensitivity / epsilon it makes a count epsilon-differentially private.
 */
export function discreteLaplace(scale: Ratio, dice: Dice): number {
  for (;;) {
    const drawn = laplaceTry(scale, dice)
    if (drawn !== undefined) return drawn
  }
}

/** One attempt; undefined if it fails. Attempts are independent, so only the successful one matters. */
export function laplaceTry({ n: t, d: s }: Ratio, dice: Dice): number | undefined {
  const u = dice(t)
  if (!bernoulliExp(u, t, dice)) return undefined
  let v = 0
  while (bernoulliExp(1, 1, dice)) v++
  const rest = (u + t * v) % s
  const magnitude = (u + t * v - rest) / s
  const negative = dice(2) === 1
  // Without this, zero would come up twice as often as it should, once for each sign.
  if (negative && magnitude === 0) return undefined
  return negative ? -magnitude : magnitude
}
