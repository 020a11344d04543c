/** A case is won from $500 on, which is ten steps of 50. */
export const WON_50 = 10

/** Cases that give the same answers to all questions of the figures. */
export interface OutcomeCell {
  closed: number
  settled: number
  recurring: number
  certified_mail: number
  recovered_50: number
  cases: number
}

/** Unpacks the answers that the store has packed into one number. */
export const cellOf = (packed: number, cases: number): OutcomeCell => {
  const recovered_50 = packed % 1001
  const flags = (packed - recovered_50) / 1001
  return {
    closed: (flags >> 3) & 1,
    settled: (flags >> 2) & 1,
    recurring: (flags >> 1) & 1,
    certified_mail: flags & 1,
    recovered_50,
    cases,
  }
}

/** Every published value. The two counts are figures too: they change and are logged like the rest. */
export const METRICS = [
  'w',
  'r',
  'p',
  'savings_total',
  'savings_median',
  'cases_floor10',
  'settlements_floor10',
] as const
export type Metric = (typeof METRICS)[number]

/**
 * How many cases gave each answer to one question, by answer, without zeros. The disclosure rule needs more than the sum:
 * which answers were added, how alike they are and which dominate.
 */
export type Histogram = readonly (readonly [answer: number, cases: number])[]

interface Question {
  among: (cell: OutcomeCell) => boolean
  answer: (cell: OutcomeCell) => number
}

const every = (): boolean => true
const settlements = (cell: OutcomeCell): boolean => cell.settled === 1
const recovered = (cell: OutcomeCell): number => cell.recovered_50

/** The fixed denominators of rule F9, and the question for each case in them. */
const QUESTIONS: Record<Metric, Question> = {
  w: { among: (cell) => cell.closed === 1, answer: (cell) => (cell.recovered_50 >= WON_50 ? 1 : 0) },
  r: { among: every, answer: (cell) => cell.recurring },
  p: { among: settlements, answer: (cell) => 1 - cell.certified_mail },
  savings_total: { among: settlements, answer: recovered },
  savings_median: { among: settlements, answer: recovered },
  cases_floor10: { among: every, answer: () => 1 },
  settlements_floor10: { among: settlements, answer: () => 1 },
}

export function tally(cells: readonly OutcomeCell[], metric: Metric): Histogram {
  const { among, answer } = QUESTIONS[metric]
  const counts = new Map<number, number>()
  for (const cell of cells) if (among(cell)) counts.set(answer(cell), (counts.get(answer(cell)) ?? 0) + cell.cases)
  return [...counts].filter(([, cases]) => cases > 0).sort(([a], [b]) => a - b)
}

export const tallies = (cells: readonly OutcomeCell[]): Record<Metric, Histogram> =>
  Object.fromEntries(METRICS.map((metric) => [metric, tally(cells, metric)])) as Record<Metric, Histogram>

/** Joins the tallies of different cases. */
export function addTallies(
  one: Record<Metric, Histogram>,
  other: Partial<Record<Metric, Histogram>>,
): Record<Metric, Histogram> {
  const added = (metric: Metric): Histogram => {
    const counts = new Map(one[metric])
    for (const [answer, cases] of other[metric] ?? []) counts.set(answer, (counts.get(answer) ?? 0) + cases)
    return [...counts].sort(([a], [b]) => a - b)
  }
  return Object.fromEntries(METRICS.map((metric) => [metric, added(metric)])) as Record<Metric, Histogram>
}

export const size = (histogram: Histogram): number => histogram.reduce((sum, [, cases]) => sum + cases, 0)

export const casesWith = (histogram: Histogram, answer: number): number =>
  histogram.find(([found]) => found === answer)?.[1] ?? 0

/**
 * The difference of two tallies: the fewest cases that must have been added, removed or changed, and whether all
 * of them may have changed in the same way (the same answer added, the same removed, or one replaced by another).
 */
export function difference(before: Histogram, after: Histogram): { cases: number; alike: boolean } {
  const then = new Map(before)
  const now = new Map(after)
  let risen = 0
  let fallen = 0
  let added = 0
  let removed = 0
  for (const answer of new Set([...then.keys(), ...now.keys()])) {
    const shift = (now.get(answer) ?? 0) - (then.get(answer) ?? 0)
    if (shift > 0) risen++
    if (shift < 0) fallen++
    added += Math.max(shift, 0)
    removed += Math.max(-shift, 0)
  }
  // A changed case is removed from one answer and added to another: it is one case, not two.
  const alike = risen + fallen <= 1 || (risen === 1 && fallen === 1 && added === removed)
  return { cases: Math.max(added, removed), alike }
}

export const sum = (histogram: Histogram): number =>
  histogram.reduce((total, [answer, cases]) => total + answer * cases, 0)

/** The largest single answers, one for each case, at most `n`. */
export function largest(histogram: Histogram, n: number): number[] {
  const found: number[] = []
  for (const [answer, cases] of [...histogram].reverse())
    for (let i = 0; i < cases && found.length < n; i++) found.push(answer)
  return found
}

/** Twice the median answer. Twice, because the mean of the two middle answers may be a half. */
export function twiceMedian(histogram: Histogram): number {
  const n = size(histogram)
  const nth = (place: number): number => {
    let passed = 0
    for (const [answer, cases] of histogram) {
      passed += cases
      if (place < passed) return answer
    }
    throw new RangeError('cannot take the median of no cases')
  }
  return nth(Math.floor((n - 1) / 2)) + nth(Math.floor(n / 2))
}
