// Many callers of one service, in a process of their own: `crowd.ts <url> <addresses> <milliseconds> <requests as JSON>`.
// Each has an address of its own, asks a few things at once, and asks again as soon as it is answered. Prints how often each status came.

import { Caller } from './caller.ts'

const [url = '', addresses = '', milliseconds = '', requests = '[]'] = process.argv.slice(2)
const asked = JSON.parse(requests) as { path: string; body?: object }[]
const AT_ONCE = 4
const statuses: Record<string, number> = {}
const end = performance.now() + Number(milliseconds)
// On a machine that is busy with other things it takes longer until they are over their quota.
const last = end + 60_000
const isOver = (): boolean => {
  const wasRefused = '429' in statuses || '503' in statuses
  return performance.now() > (wasRefused ? end : last)
}

async function crowdCaller(number: number): Promise<void> {
  using caller = new Caller(url, `127.0.1.${number}`)
  for (let i = Math.floor(Math.random() * asked.length); !isOver(); i++) {
    const { path, body } = asked[i % asked.length] as (typeof asked)[0]
    const { status } = await caller.ask(path, body)
    statuses[status] = (statuses[status] ?? 0) + 1
    // A client waits a little when it is over its quota.
    if (status === 429) await Bun.sleep(200)
  }
}

const callers = Array.from({ length: Number(addresses) * AT_ONCE }, (_, i) => crowdCaller(1 + (i % Number(addresses))))
void Promise.all(callers).then(() => console.log(JSON.stringify(statuses)))
