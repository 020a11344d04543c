// Ratios of this run beside those that are committed. Ratios, because seconds are those of one machine. And those of one kind of
// processor: on x64 bare Node is twice as fast beside us as on arm64.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Line, Ratio } from './measure.ts'

const FILE = join(import.meta.dir, 'results.json')
/** A ratio may fall by this share before it counts as a loss: machines differ, and so do minutes. */
const MAY_FALL = 1 / 3

/** What was measured, part by part. Parts are measured on different days, and on different machines. */
export type Results = Record<string, { machine: string; lines: Line[] }>

const ratiosIn = (results: Results): Ratio[] =>
  Object.values(results).flatMap(({ lines }) => lines.flatMap(({ ratio }) => ratio ?? []))

/** Parts that were not run stay as they are committed, and so does what was measured on other processors. */
export function writeResults(results: Results): void {
  const all = { ...allCommitted(), [process.arch]: { ...committed(), ...results } }
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`)
}

/** Of processors of this kind. */
export const committed = (): Results | undefined => allCommitted()[process.arch]

const allCommitted = (): Record<string, Results> => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {})

export interface Loss {
  name: string
  was: number
  is: number
}

/** The ratios of `now` that are worse than those of `before` by more than a third. */
export function losses(before: Results, now: Results): Loss[] {
  const was = new Map(ratiosIn(before).map((ratio) => [ratio.name, ratio.value]))
  return ratiosIn(now).flatMap(({ name, value, lowerIsBetter }) => {
    const old = was.get(name)
    if (old === undefined) return []
    const kept = lowerIsBetter ? old / value : value / old
    return kept < 1 - MAY_FALL ? [{ name, was: old, is: value }] : []
  })
}
