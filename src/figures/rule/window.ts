// Counting one window: what each case adds, and how much one person may add. Exact, before any noise.

import type { Rule2 } from './rule-2.ts'
import { casesWith, type Histogram, type Metric, type OutcomeCell, WON_50 } from './tally.ts'

/** Everything that is counted of a window. Figures are computed from sums of these, and from nothing else. */
export const CELLS = [
  'w_no',
  'w_yes',
  'r_no',
  'r_yes',
  'p_no',
  'p_yes',
  'under_500',
  'under_1000',
  'under_2000',
  'total_50',
] as const
export type Cell = (typeof CELLS)[number]
export type WindowTally = Readonly<Record<Cell, number>>

/** The four questions that a case answers, and the cells that each is counted in. Each costs epsilon once. */
export const QUESTION_CELLS = {
  w: ['w_no', 'w_yes'],
  r: ['r_no', 'r_yes'],
  p: ['p_no', 'p_yes'],
  savings: ['under_500', 'under_1000', 'under_2000', 'total_50'],
} as const satisfies Record<string, readonly Cell[]>

/** Which scale of the rule a cell is noised with. */
export const SCALE_OF: Record<Cell, keyof Rule2['scales']> = {
  w_no: 'rate',
  w_yes: 'rate',
  r_no: 'rate',
  r_yes: 'rate',
  p_no: 'rate',
  p_yes: 'rate',
  under_500: 'amount',
  under_1000: 'amount',
  under_2000: 'amount',
  total_50: 'total',
}

/** Settlements by amount, in steps of 50: below each of these and not below the one before. */
const AMOUNT_CELLS = [
  ['under_500', 10],
  ['under_1000', 20],
  ['under_2000', 40],
] as const

/** What one case with these answers adds to its window: to each question at most one cell, and to the total. */
export function contribution(answers: Omit<OutcomeCell, 'cases'>, rule: Rule2): Partial<WindowTally> {
  const { closed, settled, recurring, certified_mail, recovered_50 } = answers
  const amount = AMOUNT_CELLS.find(([, edge]) => recovered_50 < edge)?.[0]
  return {
    [recurring === 1 ? 'r_yes' : 'r_no']: 1,
    ...(closed === 1 && { [recovered_50 >= WON_50 ? 'w_yes' : 'w_no']: 1 }),
    ...(settled === 1 && {
      [certified_mail === 1 ? 'p_no' : 'p_yes']: 1,
      ...(amount && { [amount]: 1 }),
      total_50: Math.min(recovered_50, rule.clip_50),
    }),
  }
}

/** The exact tally of a window. Cases that were taken back, because of a correction or deletion, count negative. */
export function tallyWindow(cells: Iterable<OutcomeCell>, rule: Rule2): WindowTally {
  const tally = emptyTally()
  for (const cell of cells) {
    const one = contribution(cell, rule)
    for (const name of CELLS) tally[name] += (one[name] ?? 0) * cell.cases
  }
  return tally
}

/** What is kept of cases that were removed for their age while figures were exact, as a tally. */
export function tallyCarried(of: Partial<Record<Metric, Histogram>>, rule: Rule2): WindowTally {
  const settlements = of.savings_total ?? []
  const answers = { closed: 1, settled: 1, recurring: 0, certified_mail: 0 }
  const amounts = tallyWindow(
    settlements.map(([recovered_50, cases]) => ({ ...answers, recovered_50, cases })),
    rule,
  )
  const sides = (['w', 'r', 'p'] as const).flatMap((question) => [
    [`${question}_no`, casesWith(of[question] ?? [], 0)],
    [`${question}_yes`, casesWith(of[question] ?? [], 1)],
  ])
  return { ...amounts, ...(Object.fromEntries(sides) as Partial<WindowTally>) }
}

/** Windows do not overlap, so a figure about all of them is their sum. */
export function sumWindows(windows: Iterable<WindowTally>): WindowTally {
  const sum = emptyTally()
  for (const window of windows) for (const name of CELLS) sum[name] += window[name]
  return sum
}

const emptyTally = (): Record<Cell, number> =>
  Object.fromEntries(CELLS.map((name) => [name, 0])) as Record<Cell, number>

/** Counts what each person adds to one window, up to the limit. */
export class PersonLimit {
  readonly #taken = new Map<number, number>()

  constructor(readonly most: number) {}

  /** How many of these changes still count. */
  take(person: number, changes = 1): number {
    const before = this.#taken.get(person) ?? 0
    const taken = Math.min(changes, this.most - before)
    if (taken > 0) this.#taken.set(person, before + taken)
    return taken
  }
}
