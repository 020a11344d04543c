// pace.ts URL FILE RATE SECONDS: asks the paths of the file at a fixed rate, and prints the 99th percentile of the wait in ms.
// A question that is late waits from the moment at which it was due: a slow server cannot hide behind its own queue.

import { readFileSync } from 'node:fs'

const [url, file = '', rate, seconds] = process.argv.slice(2)
const paths = JSON.parse(readFileSync(file, 'utf8')) as string[]
const total = Math.min(paths.length, Math.floor(Number(rate) * Number(seconds)))
const everyMs = 1_000 / Number(rate)
const waits: number[] = []
const pending: Promise<void>[] = []
const began = performance.now()

async function ask(path: string, due: number): Promise<void> {
  const response = await fetch(`${url}${path}`)
  await response.bytes()
  waits.push(performance.now() - due)
}

for (let i = 0; i < total; ) {
  const now = performance.now()
  while (i < total && began + i * everyMs <= now) pending.push(ask(paths[i] as string, began + i++ * everyMs))
  await Bun.sleep(1)
}
await Promise.all(pending)
console.log(waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)])
