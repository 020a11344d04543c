import { Problem } from '../problem.ts'

/**
 * Limits of one load, so that a hostile file cannot fill the machine. Each is a setting, named `LOAD_` and its name.
 * Seconds and memory are watched from outside (cli/load-process.ts): code that is stuck cannot watch itself.
 */
export interface LoadBudget {
  rows: number
  /** Combinations of code, modifier, setting and class that a hospital's file states. */
  keys: number
  scratch_bytes: number
}

const NAMES = {
  rows: 'rows',
  keys: 'combinations of code, modifier, setting and class',
  scratch_bytes: 'bytes of temporary files',
  seconds: 'seconds',
  memory_bytes: 'bytes of memory',
} as const
export type BudgetPart = keyof typeof NAMES

export const NOTHING_KEPT = 'nothing of it was kept'

/** The one sentence for every part of the budget: what was exceeded, what is left of the load, and what to do. */
export const overBudget = (part: BudgetPart, most: number): Problem =>
  new Problem(
    'load_stopped',
    `the load needs more than ${most} ${NAMES[part]} and was stopped; ${NOTHING_KEPT}. If the file is right, raise LOAD_${part.toUpperCase()}`,
  )

/** Throws when `used` is more than the budget has. Without a budget nothing is bounded. */
export function spend(budget: LoadBudget | undefined, part: keyof LoadBudget, used: number): void {
  if (budget && used > budget[part]) throw overBudget(part, budget[part])
}
