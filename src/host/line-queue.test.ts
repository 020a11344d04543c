import { expect, test } from 'bun:test'
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { effort } from '../../test/support/effort.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { LineQueue } from './line-queue.ts'

test('lines for a reader who has stalled are dropped and counted, and nobody waits for them', async () => {
  using folder = temporaryFolder()
  const pipe = join(folder.path, 'pipe')
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
  const end = openSync(pipe, 'r+') // both ends, so that opening does not wait
  const queue = new LineQueue(end, 10_000)
  const spent = effort()
  const line = `${'x'.repeat(99)}\n`
  for (let i = 0; i < 5_000; i++) {
    queue.add(line)
    if (i % 500 === 0) await Bun.sleep(1)
  }
  expect(spent()).toBeLessThan(2_000)
  let text = ''
  const bytes = Buffer.alloc(65_536)
  const known = (): number[] => {
    const lines = text.split('\n').filter((each) => each.endsWith('}') || each === line.trimEnd())
    return lines.map((each) =>
      each.startsWith('{') ? (JSON.parse(each) as { dropped_lines: number }).dropped_lines : 1,
    )
  }
  const sum = (): number => known().reduce((total, each) => total + each, 0)
  for (let i = 0; i < 200 && sum() < 4_990; i++) {
    queue.add(line) // something is always there to be read
    await Bun.sleep(5)
    text += bytes.toString('utf8', 0, readSync(end, bytes, 0, bytes.length, null))
  }
  expect(sum()).toBeGreaterThanOrEqual(4_990)
  expect(known().filter((each) => each > 1).length).toBeGreaterThan(0)
  await queue.drain()
  closeSync(end)
})
