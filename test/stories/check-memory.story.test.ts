// A check reads all rows of a release. What it holds of them must not grow with them.

import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { temporaryFolder } from '../support/folder.ts'
import { rowsOf, writeLargeSchedule } from '../support/large-schedule.ts'
import { isLong } from '../support/long.ts'
import { ATR, atr, told } from '../support/service.ts'

const MEBIBYTE = 1024 * 1024
/** As many rows as it takes until the engine has compiled what runs often and collects what is left of each. */
const FEW_CODES = 300
const MANY_CODES = isLong ? 1_800 : 1_000
/** The rows that one has more than the other take many times this as texts. */
const MOST_MORE_BYTES = 24 * MEBIBYTE

async function storeOf(folder: string, codes: number): Promise<Record<string, string>> {
  mkdirSync(folder)
  const environment = { DATA_DIR: join(folder, 'data') }
  const days = ['--effective-from', '2026-01-01', '--effective-to', '2099-12-31']
  const load = ['load', 'cms-pfs', ...writeLargeSchedule(folder, codes), '--sample', '--edition', 'LARGE', ...days]
  for (const args of [
    ['init', '--origin', 'memory.example'],
    [...load, '--publish', '--json'],
  ])
    expect(await atr(args, environment)).toMatchObject({ code: 0 })
  return environment
}

/** The most memory that `fsck` had, in bytes. */
async function checked(folder: string, codes: number): Promise<number> {
  const environment = await storeOf(folder, codes)
  const [bun = '', program = ''] = ATR
  const peak = join(folder, 'peak')
  const preload = ['--preload', join(import.meta.dir, '../support/peak-memory.ts')]
  const child = spawn([bun, ...preload, program, 'fsck', '--json'], {
    env: { ...(await told(environment)), PEAK_MEMORY: peak },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ ok: true, rows: rowsOf(codes) })
  return Number(readFileSync(peak, 'utf8'))
}

test('a check of many rows takes about as much memory as one of few', async () => {
  using folder = temporaryFolder()
  const few = await checked(join(folder.path, 'few'), FEW_CODES)
  const many = await checked(join(folder.path, 'many'), MANY_CODES)
  expect(few).toBeGreaterThan(10 * MEBIBYTE)
  expect(many - few).toBeLessThan(MOST_MORE_BYTES)
})
