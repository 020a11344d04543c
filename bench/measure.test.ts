import { expect, test } from 'bun:test'
import { cpus } from 'node:os'
import { MEBIBYTE, timed } from './measure.ts'

const WRITE = (mebibytes: number): string => `Buffer.alloc(${mebibytes} * ${MEBIBYTE}, 1)`

test('the memory of a command is its own, however much the bench has', async () => {
  const held = Buffer.alloc(400 * MEBIBYTE, 1)
  const [small, large] = [
    await timed([process.execPath, '-e', WRITE(1)]),
    await timed([process.execPath, '-e', WRITE(200)]),
  ]
  expect(small.maxRss).toBeWithin(10 * MEBIBYTE, 150 * MEBIBYTE)
  expect(large.maxRss - small.maxRss).toBeWithin(150 * MEBIBYTE, 250 * MEBIBYTE)
  expect(held.at(-1)).toBe(1)
})

test('a command that fails is no measurement, and says why', async () => {
  const failing = timed([process.execPath, '-e', 'console.error("no such store"); process.exit(3)'])
  await expect(failing).rejects.toThrow('no such store')
})

test('the time of a command is that of its work', async () => {
  const used = '(({ user, system }) => user + system)(process.cpuUsage())'
  const busy = `while (${used} < 200_000);`
  const { seconds, cpuSeconds } = await timed([process.execPath, '-e', busy])
  expect(cpuSeconds).toBeWithin(0.2, 2)
  // The engine compiles on other processors meanwhile.
  expect(seconds).toBeWithin(0.2 / cpus().length, 30)
})
