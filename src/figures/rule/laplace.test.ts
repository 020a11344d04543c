import { describe, expect, test } from 'bun:test'
import { bernoulliExp, type Dice, diceOf, discreteLaplace, laplaceTry, type Ratio } from './laplace.ts'

class OutOfBits extends Error {}
class NextThrow extends Error {
  constructor(readonly bound: number) {
    super()
  }
}

/**
 * The distribution of the results of a sampler, found by running it on every way the dice can fall. Branches that are less
 * likely than `least` are cut; `open` is the sum of their probabilities.
 */
function distribution<T>(sample: (dice: Dice) => T, least: number): { of: Map<T, number>; open: number } {
  const of = new Map<T, number>()
  let open = 0
  const run = (fallen: readonly number[], probability: number): void => {
    let place = 0
    try {
      const value = sample((bound) => {
        if (bound === 1) return 0
        const drawn = fallen[place++]
        if (drawn === undefined) throw new NextThrow(bound)
        return drawn
      })
      of.set(value, (of.get(value) ?? 0) + probability)
    } catch (error) {
      if (!(error instanceof NextThrow)) throw error
      if (probability < least) open += probability
      else for (let drawn = 0; drawn < error.bound; drawn++) run([...fallen, drawn], probability / error.bound)
    }
  }
  run([], 1)
  return { of, open }
}

test('dice made of bits are fair: every string of bits is tried', () => {
  const falls = new Map<number, number>()
  for (let string = 0; string < 64; string++) {
    let left = string
    const bits = (count: number): number => {
      const drawn = left % 2 ** count
      left = (left - drawn) / 2 ** count
      return drawn
    }
    // Each throw takes two bits: the first two decide 48 of the 64 strings, the next two 12, and the last two 3.
    if (string % 4 === 3 && ((string >> 2) & 3) === 3 && string >> 4 === 3) continue
    const drawn = diceOf(bits)(3)
    falls.set(drawn, (falls.get(drawn) ?? 0) + 1)
  }
  expect([...falls].sort()).toEqual([
    [0, 21],
    [1, 21],
    [2, 21],
  ])
})

test('dice use no bit where there is no choice, and know their limits', () => {
  const none = (): number => {
    throw new OutOfBits()
  }
  expect(diceOf(none)(1)).toBe(0)
  expect(() => diceOf(none)(2)).toThrow(OutOfBits)
  for (const bound of [0, -1, 2 ** 31]) expect(() => diceOf(none)(bound)).toThrow(RangeError)
})

test('a coin comes up with probability exp(-n/d), over all falls of the dice', () => {
  const coins: Ratio[] = [
    { n: 0, d: 3 },
    { n: 1, d: 2 },
    { n: 1, d: 1 },
    { n: 2, d: 5 },
  ]
  for (const { n, d } of coins) {
    const { of, open } = distribution((dice) => bernoulliExp(n, d, dice), 1e-6)
    expect(open).toBeLessThan(0.001)
    expect(Math.abs((of.get(true) ?? 0) - Math.exp(-n / d))).toBeLessThanOrEqual(open + 1e-12)
  }
})

describe('noise has the probabilities of the discrete Laplace distribution', () => {
  const scales: Ratio[] = [
    { n: 1, d: 1 },
    { n: 5, d: 3 },
    { n: 3, d: 1 },
  ]
  for (const scale of scales)
    test(`of scale ${scale.n}/${scale.d}, over all falls of the dice`, () => {
      const { of, open } = distribution((dice) => laplaceTry(scale, dice), 1e-6)
      const failed = of.get(undefined) ?? 0
      expect(open).toBeLessThan(0.03)
      const q = Math.exp(-scale.d / scale.n)
      for (let z = -6; z <= 6; z++) {
        const exact = ((1 - q) / (1 + q)) * q ** Math.abs(z)
        const found = of.get(z) ?? 0
        // Both are shares of the successful tries: with none of the cut branches counted for this value, and with all.
        expect(found / (1 - failed)).toBeLessThanOrEqual(exact + 1e-12)
        expect((found + open) / (1 - failed - open)).toBeGreaterThanOrEqual(exact - 1e-12)
        expect(of.get(-z) ?? 0).toBeCloseTo(found, 12)
      }
    })

  test('and a failed try is followed by another', () => {
    // A zero with a minus sign, which fails, and then a zero with a plus.
    const falls = [1, 1, 1, 0]
    const dice: Dice = (bound) => (bound === 1 ? 0 : (falls.shift() as number))
    expect(discreteLaplace({ n: 1, d: 1 }, dice)).toBe(0)
    expect(falls).toEqual([])
  })
})
