// How sure one can be of a probability after so many tries: Clopper and Pearson (1934).

/** The probability of at least `right` successes in so many tries. */
export function atLeast(right: number, tries: number, p: number): number {
  let log = 0
  let sum = 0
  // From the binomial coefficient of one term to the next, in logarithms: the terms are too small for anything else.
  for (let k = 0; k <= tries; k++) {
    if (k > 0) log += Math.log((tries - k + 1) / k)
    if (k >= right) sum += Math.exp(log + k * Math.log(p) + (tries - k) * Math.log1p(-p))
  }
  return Math.min(1, sum)
}

/** The lower limit: were the probability smaller, so many successes would come with less than `alpha`. */
export function lowerLimit(right: number, tries: number, alpha: number): number {
  if (right === 0) return 0
  let [low, high] = [0, 1]
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2
    if (atLeast(right, tries, middle) < alpha) low = middle
    else high = middle
  }
  return low
}

/** How many tries, all successful, show that a probability is above this. */
export const triesToShow = (probability: number, alpha: number): number =>
  Math.ceil(Math.log(alpha) / Math.log(probability))
