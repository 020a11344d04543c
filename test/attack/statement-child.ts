// Reads the hostile statements of `statement-bombs.ts`, one after the other, and tells what became of each and what it took.

import { readStatement } from '../../src/statement/statement.ts'
import { effort } from '../support/effort.ts'
import { HOSTILE_STATEMENTS } from './statement-bombs.ts'

export interface Told {
  name: string
  /** The refusal, or `read` with the number of lines. */
  became: string
  text: string
  cpu_ms: number
}

if (import.meta.main)
  for (const { name, source } of HOSTILE_STATEMENTS) {
    // What the bombs before have left is not counted to this one.
    Bun.gc(true)
    const made = source()
    const spent = effort()
    const statement = await readStatement(made)
    const lines = statement.ok ? statement.papers.reduce((sum, { request }) => sum + request.lines.length, 0) : 0
    const told: Told = {
      name,
      became: statement.ok ? `read ${lines}` : statement.why,
      text: JSON.stringify(statement).slice(0, 2_000),
      cpu_ms: spent(),
    }
    console.log(JSON.stringify(told))
  }
