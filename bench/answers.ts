// The cost of an answer: a ready one, and the first of each kind of question, by HTTP, as a line of a batch and by MCP.

import { cpus } from 'node:os'
import { join } from 'node:path'
import { checking } from './checking.ts'
import { type Line, ms, notMeasured, perSecond, times } from './measure.ts'
import { type Kind, type KindName, kindsOf, parametersOf } from './questions.ts'
import { bareBun, fastify, nginx, type Rival, whyNoFastify, whyNoNginx } from './rivals.ts'
import { filledStore, type Service, startService } from './service.ts'
import { type Ask, type Load, load, middle, p99At, type Target } from './wrk.ts'

const ROUNDS = 3
const SECONDS = 2
/** No round may be asked longer than this before it is measured: nobody warms a service for minutes. */
const WARM_UP_SECONDS = 5
/** More than any server here answers in a second. */
const MOST_A_SECOND = 60_000
const WARM_QUESTIONS = 1_000

const MOST_OF_FASTIFY = 4
const MOST_P99_MS = 10
const MOST_OF_GET = 2.5
const MOST_BILL_MS = 20

export async function answers(folder: string): Promise<Line[]> {
  const { env, hospital } = await filledStore(join(folder, 'store'))
  const service = await startService(env)
  try {
    const kinds = await kindsOf(service, hospital)
    const body = (await Bun.file(hospital).text()).split('\n')[0] ?? ''
    const first = await firstAnswers(service, kinds, body, folder)
    return [
      ...(await warm(service, kinds, folder)),
      ...first,
      await bills(service, kinds.plain, folder),
      notMeasured(
        'a bill of 20 lines, checked with pairs',
        `${MOST_BILL_MS} ms`,
        'no table of pairs is among the published files in the layout of its publisher',
      ),
      ...(await checking(service, kinds.plain)),
    ]
  } finally {
    await service.stop()
  }
}

/** Answers that are ready, of every kind that has a price, beside servers that send the same bytes. */
async function warm(service: Service, kinds: Record<KindName, Kind>, folder: string): Promise<Line[]> {
  const priced = Object.values(kinds).filter(({ status }) => status === 200)
  const asks = priced.flatMap(({ asks }) => asks(0, WARM_QUESTIONS / priced.length))
  const bodies = await Promise.all(
    asks.map(async ({ path }) => [path, await (await fetch(service.url + path)).text()] as const),
  )
  const rivals: Rival[] = [await bareBun(folder, bodies)]
  if (whyNoNginx === undefined) rivals.push(await nginx(folder, bodies))
  try {
    const all: (Target & { asks: Ask[] })[] = [{ ...service, asks }, ...rivals]
    const [ours, bun, ngx] = await inTurn(all, folder)
    const line = (floor: number, name: string, rival: Load | undefined): Line =>
      ours && rival
        ? {
            what: 'warm GET, all kinds',
            floor: `at least ${floor}x of ${name}`,
            figure: `${times(ours.perSecond / rival.perSecond)} (${perSecond(ours.perSecond)} beside ${perSecond(rival.perSecond)})`,
            isMet: ours.perSecond >= floor * rival.perSecond,
          }
        : notMeasured('warm GET, all kinds', `at least ${floor}x of ${name}`, whyNoNginx ?? '')
    return [
      line(0.7, 'a bare Bun.serve with the same bytes', bun),
      line(0.4, 'nginx with the same bytes as files', ngx),
    ]
  } finally {
    for (const rival of rivals) await rival.stop()
  }
}

/** Runs alternate between servers, so that a slow minute of the machine falls on all of them. */
async function inTurn(targets: readonly (Target & { asks: Ask[] })[], folder: string): Promise<Load[]> {
  const runs = targets.map(() => [] as Load[])
  for (const target of targets) await load(target, target.asks, { seconds: SECONDS, folder })
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, target] of targets.entries())
      runs[i]?.push(await load(target, target.asks, { seconds: SECONDS, folder }))
  return runs.map(middle)
}

/** Questions that are asked once. */
class Fresh {
  #next = WARM_QUESTIONS
  constructor(readonly make: (from: number, count: number) => Ask[]) {}

  take(count: number): Ask[] {
    const asks = this.make(this.#next, count)
    this.#next += asks.length
    return asks
  }

  /** Loads a server with the next questions, which must be enough. */
  async load(target: Target, seconds: number, folder: string, most = MOST_A_SECOND, connections = 32): Promise<Load> {
    const asks = this.make(this.#next, Math.ceil(seconds * most))
    const found = await load(target, asks, { seconds, folder, connections })
    if (found.asked > asks.length) throw new Error('a question was asked twice')
    this.#next += found.asked + connections
    return found
  }
}

const batchOf = (asks: readonly Ask[]): Ask => ({
  path: '/reference/batch',
  body: JSON.stringify({ lines: asks.map(parametersOf) }),
})
const LINES = 100
/** Parts of the list of plain questions, which is millions long. */
const [BATCHES_FROM, CALLS_FROM, BILLS_FROM] = [5_000_000, 10_000_000, 15_000_000]
const JSON_BODY = ['Content-Type: application/json']
const MOST_BATCHES = 600
const HEAVY_CONNECTIONS = 4

const mcpCall = (question: Ask, id: number): Ask => ({
  path: '/mcp',
  body: JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'lookup_price', arguments: parametersOf(question) },
  }),
})
const MCP_HEADERS = [...JSON_BODY, 'Accept: application/json, text/event-stream', 'MCP-Protocol-Version: 2025-06-18']

async function firstAnswers(
  service: Service,
  kinds: Record<KindName, Kind>,
  row: string,
  folder: string,
): Promise<Line[]> {
  const peer = whyNoFastify === undefined ? await fastify(row) : undefined
  try {
    if (peer) await load(peer, peer.asks, { seconds: WARM_UP_SECONDS, folder })
    /** Processor time of one answer of ours and of the peer, in turn. */
    const beside = async (
      ask: (seconds: number) => Promise<Load>,
    ): Promise<{ ours: Load; peerUs: number | undefined }> => {
      const [ours, others]: [Load[], Load[]] = [[], []]
      await ask(WARM_UP_SECONDS)
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await ask(SECONDS))
        if (peer) others.push(await load(peer, peer.asks, { seconds: SECONDS, folder }))
      }
      return { ours: middle(ours), peerUs: peer && middle(others).cpuUs }
    }
    const found: Line[] = []
    const measured = new Map<KindName, { fresh: Fresh; cpuUs: number }>()
    for (const [key, kind] of Object.entries(kinds) as [KindName, Kind][]) {
      const fresh = new Fresh(kind.asks)
      const target = { ...service, status: kind.status }
      const { ours, peerUs } = await beside((seconds) => fresh.load(target, seconds, folder))
      measured.set(key, { fresh, cpuUs: ours.cpuUs })
      found.push(firstLine(kind.name, ours.cpuUs, peerUs))
    }
    const plain = measured.get('plain') as { fresh: Fresh; cpuUs: number }
    const batches = new Fresh((from, count) =>
      Array.from({ length: count }, (_, i) => batchOf(kinds.plain.asks(BATCHES_FROM + (from + i) * LINES, LINES))),
    )
    const inBatch = await beside((seconds) =>
      batches.load({ ...service, headers: JSON_BODY }, seconds, folder, MOST_BATCHES, HEAVY_CONNECTIONS),
    )
    found.push(firstLine('line of a batch', inBatch.ours.cpuUs / LINES, inBatch.peerUs))
    const rate = Math.max(1, Math.floor(0.5 * (1e6 / plain.cpuUs)))
    const p99 = await p99At(rate, service, plain.fresh.take(4 * rate), folder)
    found.push({
      what: 'first answer, plain, p99 at half load',
      floor: `under ${MOST_P99_MS} ms`,
      figure: `${ms(p99)} at ${perSecond(rate)}`,
      isMet: p99 < MOST_P99_MS,
    })
    const calls = new Fresh((from, count) => kinds.plain.asks(CALLS_FROM + from, count).map(mcpCall))
    const byMcp = await beside((seconds) => calls.load({ ...service, headers: MCP_HEADERS }, seconds, folder, 10_000))
    found.push({
      what: '`lookup_price` by MCP, first answer, plain',
      floor: `at most ${MOST_OF_GET}x the same by GET`,
      figure: `${times(byMcp.ours.cpuUs / plain.cpuUs)} (${ms(byMcp.ours.cpuUs / 1_000)})`,
      isMet: byMcp.ours.cpuUs <= MOST_OF_GET * plain.cpuUs,
    })
    return found
  } finally {
    await peer?.stop()
  }
}

function firstLine(name: string, cpuUs: number, peerUs: number | undefined): Line {
  const what = `first answer, ${name}`
  const floor = `at most ${MOST_OF_FASTIFY}x of Fastify + pg, by processor time`
  if (peerUs === undefined) return notMeasured(what, floor, whyNoFastify ?? '')
  return {
    what,
    floor,
    figure: `${times(cpuUs / peerUs)} (${ms(cpuUs / 1_000)} beside ${ms(peerUs / 1_000)})`,
    isMet: cpuUs <= MOST_OF_FASTIFY * peerUs,
  }
}

/** How long one caller waits for the prices of a bill that was not asked before. */
async function bills(service: Service, plain: Kind, folder: string): Promise<Line> {
  const asks = Array.from({ length: MOST_BATCHES * SECONDS * ROUNDS }, (_, i) =>
    batchOf(plain.asks(BILLS_FROM + i * LINES, LINES)),
  )
  const runs: Load[] = []
  for (let round = 0; round < ROUNDS; round++)
    runs.push(
      await load({ ...service, headers: JSON_BODY }, asks.slice(round * MOST_BATCHES * SECONDS), {
        seconds: SECONDS,
        folder,
        connections: 1,
      }),
    )
  const { p50Ms, cpuUs } = middle(runs)
  return {
    what: `a bill of ${LINES} lines, priced`,
    floor: `${MOST_BILL_MS} ms`,
    figure: `${ms(p50Ms)} (${ms(cpuUs / 1_000)} of processor time)`,
    isMet: p50Ms <= MOST_BILL_MS,
  }
}

export const machine = (): string =>
  `Bun ${Bun.version}, ${cpus()[0]?.model.replace(/^unknown$/, process.arch) ?? process.arch}, ${cpus().length} cores`
