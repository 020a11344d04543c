// Many callers of one service, in a process of their own: `crowd.ts <url> <addresses> <milliseconds> <requests as JSON>`.
// Each has an address of its own, asks a few things at once, and asks again as soon as it is answered. Prints how often each status came.

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

async function caller(number: number): Promise<void> {
  const headers = { 'x-forwarded-for': `198.51.100.${number}`, 'content-type': 'application/json' }
  for (let i = Math.floor(Math.random() * asked.length); !isOver(); i++) {
    const { path, body } = asked[i % asked.length] as (typeof asked)[0]
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const response = await fetch(url + path, { ...init, headers })
    await response.arrayBuffer()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    // Who is over the quota waits a little, as a client would.
    if (response.status === 429) await Bun.sleep(200)
  }
}

const callers = Array.from({ length: Number(addresses) * AT_ONCE }, (_, i) => caller(1 + (i % Number(addresses))))
void Promise.all(callers).then(() => console.log(JSON.stringify(statuses)))
