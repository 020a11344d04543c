// Hostile statements, read in a process of their own: each ends with one sentence, soon, and without much memory.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CANARIES } from '../../src/statement/fixture.ts'
import { REFUSALS } from '../../src/statement/reasons.ts'
import { temporaryFolder } from '../support/harness.ts'
import { HOSTILE_STATEMENTS, HOSTILE_WORD } from './statement-bombs.ts'
import type { Told } from './statement-child.ts'

/** Bun itself takes some 60 MB, and the bombs are made in the same process. */
const MOST_MEMORY = 300 * 1024 * 1024

test('a hostile statement is refused by one sentence, or read without what is hostile in it, soon and in little memory', async () => {
  using folder = temporaryFolder()
  const peak = join(folder.path, 'peak')
  const child = Bun.spawn(
    [
      process.execPath,
      '--preload',
      join(import.meta.dir, '../support/peak-memory.ts'),
      join(import.meta.dir, 'statement-child.ts'),
    ],
    { stdout: 'pipe', stderr: 'pipe', env: { ...process.env, PEAK_MEMORY: peak } },
  )
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, stderr]).toEqual([0, ''])
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told)
  expect(told.map(({ name, became }) => [name, became])).toEqual(
    HOSTILE_STATEMENTS.map(({ name, becomes }) => [name, becomes]),
  )
  for (const { name, cpu_ms, text } of told) {
    expect([name, cpu_ms < 2_000]).toEqual([name, true])
    for (const word of [HOSTILE_WORD, 'HYPERLINK', ...CANARIES])
      expect([name, text.includes(word)]).toEqual([name, false])
  }
  expect(Number(readFileSync(peak, 'utf8'))).toBeLessThan(MOST_MEMORY)
})

test('there are more than sixty of them, and a sentence for each refusal', () => {
  expect(HOSTILE_STATEMENTS.length).toBeGreaterThan(60)
  for (const { becomes } of HOSTILE_STATEMENTS)
    expect(Object.hasOwn(REFUSALS, becomes) || /^read [0-9]+$/.test(becomes)).toBe(true)
  for (const sentence of Object.values(REFUSALS)) expect(sentence).toMatch(/^[A-Z].*\.$/)
})
