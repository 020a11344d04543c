// The error of values that are computed from noised cells. In whole numbers, so that everyone gets the same digits.

import type { Ratio } from './laplace.ts'

/** A fraction of whole numbers. */
export interface Variance {
  over: bigint
  under: bigint
}

const MILLION = 1_000_000n

export const divideUp = (n: bigint, d: bigint): bigint => (n + d - 1n) / d
export const roundUp = (n: number, step: number): number => Math.ceil(n / step) * step

/** The variance of one cell over several windows: 2 scale^2 for each, which is a little more than the noise has. */
export const varianceOf = ({ n, d }: Ratio, windows: number): Variance => ({
  over: 2n * BigInt(windows) * BigInt(n) ** 2n,
  under: BigInt(d) ** 2n,
})

/** The standard error of yes / (yes + no) when it is rounded to one part in `steps`, rounded up to a thousandth. */
export function rateError(yes: number, no: number, { over, under }: Variance, steps: number): number {
  const [y, n] = [BigInt(yes), BigInt(no)]
  // The rate moves by no / cases^2 with each yes more, and by yes / cases^2 with each no more.
  const noise = divideUp(over * (y * y + n * n) * MILLION * MILLION, under * (y + n) ** 4n)
  const rounding = divideUp(MILLION * MILLION, 12n * BigInt(steps) ** 2n)
  return roundUp(root(noise + rounding), 1000) / 1_000_000
}

/**
 * The edges that the median lies between, each at least twice the standard error away: if the noise leaves open on which
 * side of an edge the median is, the band reaches over that edge. Null if there is no upper edge.
 *
 * `cells` are counts of what lies below each edge and not below the one before; `all` is the sum of two sides.
 */
export function medianEdges(
  cells: readonly (readonly [count: number, edge: number])[],
  all: number,
  variance: { cell: Variance; side: Variance },
): [low: number, high: number | null] {
  let [low, below] = [0, 0]
  for (const [i, [count, edge]] of cells.entries()) {
    below += count
    // Positive if more than half are below the edge.
    const excess = 2 * below - all
    const { cell, side } = variance
    const square = divideUp(4n * BigInt(i + 1) * cell.over, cell.under) + divideUp(2n * side.over, side.under)
    const margin = 2 * root(square)
    if (excess < -margin) low = edge
    if (excess > margin) return [low, edge]
  }
  return [low, null]
}

/** The square root, rounded up to a whole number. */
export function root(square: bigint): number {
  let low = 0n
  let high = 1n
  while (high * high < square) high *= 2n
  while (low < high) {
    const middle = (low + high) / 2n
    if (middle * middle < square) low = middle + 1n
    else high = middle
  }
  return Number(low)
}
