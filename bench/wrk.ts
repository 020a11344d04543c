// The load on every server: `wrk` asks as fast as it is answered, `pace.ts` at a rate that it keeps.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSeconds, LOAD_CORE, median, outputOf, pinned } from './measure.ts'

export interface Ask {
  path: string
  /** Makes it a POST. */
  body?: string
}

export interface Target {
  port: number
  pids: readonly number[]
  headers?: readonly string[]
  /** The status that every answer must have: an answer of another status is fast and means nothing. */
  status?: 200 | 404
}

export interface Load {
  perSecond: number
  p50Ms: number
  /** Processor time of the server for one answer, in microseconds, whatever else the machine was doing. */
  cpuUs: number
}

const CONNECTIONS = 32
const SCRIPT = join(import.meta.dir, 'requests.lua')

/** Asks the questions in their order, again and again if there are too few of them for the time. */
export async function load(
  target: Target,
  asks: readonly Ask[],
  { seconds, folder, connections = CONNECTIONS }: { seconds: number; folder: string; connections?: number },
): Promise<Load & { asked: number }> {
  const { port, pids, headers = [], status = 200 } = target
  const requests = join(folder, 'requests')
  writeFileSync(requests, asks.map(({ path, body }) => `${body ? 'POST' : 'GET'}\t${path}\t${body ?? ''}\n`).join(''))
  const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '30s', '-s', SCRIPT]
  const before = await cpuSeconds(pids)
  const said = await outputOf(
    pinned(LOAD_CORE, ['wrk', ...options, `http://127.0.0.1:${port}`, '--', requests, ...headers]),
  )
  const used = (await cpuSeconds(pids)) - before
  const { requests: asked, us, refused, broken, p50_us } = JSON.parse(said.trim().split('\n').at(-1) as string)
  if (broken > 0 || asked === 0 || refused !== (status === 200 ? 0 : asked))
    throw new Error(`of ${asked} answers to ${asks[0]?.path}, ${refused} were refusals, and ${broken} did not come`)
  return { asked, perSecond: asked / (us / 1e6), p50Ms: p50_us / 1000, cpuUs: (used * 1e6) / asked }
}

/** The median of each figure. */
export const middle = (loads: readonly Load[]): Load => ({
  perSecond: median(loads.map(({ perSecond }) => perSecond)),
  p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
  cpuUs: median(loads.map(({ cpuUs }) => cpuUs)),
})

const PACE = join(import.meta.dir, 'pace.ts')
const PACE_SECONDS = 4

/** The 99th percentile of the wait at a fixed rate, from the moment at which a question was due. */
export async function p99At(rate: number, { port }: Target, asks: readonly Ask[], folder: string): Promise<number> {
  const file = join(folder, 'paced')
  writeFileSync(file, JSON.stringify(asks.map(({ path }) => path)))
  const command = [process.execPath, PACE, `http://127.0.0.1:${port}`, file, String(rate), String(PACE_SECONDS)]
  return Number(await outputOf(pinned(LOAD_CORE, command)))
}
