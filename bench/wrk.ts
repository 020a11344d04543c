// One load generator for every server: wrk on a processor of its own, so that it takes nothing from what it measures.

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { temporaryFolder } from '../test/support/folder.ts'

export const SERVER_CORE = '0'
const LOAD_CORE = '1'
const CONNECTIONS = 32

export interface Load {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time of the server for one request, in microseconds, whatever else the machine was doing. */
  cpuUs: number
}

export interface Ask {
  method?: 'GET' | 'POST'
  path: string
  body?: string
}

/** What stands between the fields of a line cannot stand in them. */
export function writeRequests(file: string, asks: readonly Ask[]): string {
  writeFileSync(file, asks.map(({ method = 'GET', path, body = '' }) => `${method}\t${path}\t${body}\n`).join(''))
  return file
}

export const pinned = (core: string, command: readonly string[]): string[] =>
  cpus().length > 1 && Bun.which('taskset') ? ['taskset', '-c', core, ...command] : [...command]

export interface Target {
  port: number
  pids: readonly number[]
  requests: string
  headers?: readonly string[]
  connections?: number
}

/** Answers that are not 2xx or 3xx are a fault of the bench: they would be fast and mean nothing. */
export async function load(
  { port, pids, requests, headers = [], connections = CONNECTIONS }: Target,
  seconds: number,
): Promise<Load> {
  const script = join(import.meta.dir, 'requests.lua')
  const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', script]
  const before = await cpuSeconds(pids)
  const said = await outputOf(
    pinned(LOAD_CORE, ['wrk', ...options, `http://127.0.0.1:${port}`, '--', requests, ...headers]),
  )
  const used = (await cpuSeconds(pids)) - before
  const { requests: asked, us, bad, p50_us, p99_us } = JSON.parse(said.trim().split('\n').at(-1) as string)
  if (bad > 0 || asked === 0) throw new Error(`${bad} of ${asked} answers were refusals or errors`)
  return {
    perSecond: asked / (us / 1e6),
    p50Ms: p50_us / 1000,
    p99Ms: p99_us / 1000,
    cpuUs: (used * 1e6) / asked,
  }
}

const COLD_SECONDS = 4
/** No server here answers more first questions in a second. */
const MOST_FIRST = 50_000
/** Until the engine has compiled what runs often: it sees little of each step in a first answer. */
const COLD_WARM_UP_SECONDS = 15
const LEAST_WARM_UP_SECONDS = 4
const ROUNDS = 3
/** A p99 differs by a third from run to run. */
const ROUNDS_IN_TURN = 5

/** Questions that are asked once, so that none of them is ready, and others that are asked again and again. */
export interface Asking {
  warm: Target
  once: readonly Ask[]
}

/**
 * The medians of both, of one server or several: runs alternate between them, so that a slow minute of the machine falls on all. The
 * first half of what is asked once is asked before anything is measured.
 */
export async function onceBeside<Name extends string>(
  servers: Record<Name, Asking>,
  folder: string,
): Promise<Record<Name, Record<'warm' | 'cold', Load>>> {
  const all = (Object.entries(servers) as [Name, Asking][]).map(([name, { warm, once }]) => {
    const half = Math.floor(once.length / 2)
    const part = Math.floor(half / ROUNDS_IN_TURN)
    return { name, warm, once, half, part, runs: { warm: [] as Load[], cold: [] as Load[] } }
  })
  const askOnce = async (warm: Target, list: readonly Ask[], most: number): Promise<Load> => {
    const seconds = Math.min(most, Math.max(1, Math.floor(list.length / MOST_FIRST)))
    const found = await load({ ...warm, requests: writeRequests(join(folder, 'once'), list) }, seconds)
    if (found.perSecond * seconds > list.length) throw new Error('a question was asked twice')
    return found
  }
  for (const { warm, once, half } of all) {
    await askOnce(warm, once.slice(0, half), COLD_WARM_UP_SECONDS)
    await load(warm, COLD_SECONDS)
  }
  for (let round = 0; round < ROUNDS_IN_TURN; round++)
    for (const { warm, once, half, part, runs } of all) {
      const from = half + round * part
      runs.warm.push(await load(warm, COLD_SECONDS))
      runs.cold.push(await askOnce(warm, once.slice(from, from + part), COLD_SECONDS))
    }
  const found = all.map(({ name, runs }) => [name, { warm: middleOf(runs.warm), cold: middleOf(runs.cold) }])
  return Object.fromEntries(found) as Record<Name, Record<'warm' | 'cold', Load>>
}

/** The median of each figure. */
function middleOf(loads: readonly Load[]): Load {
  const middle = (pick: (load: Load) => number): number =>
    loads.map(pick).sort((a, b) => a - b)[Math.floor(loads.length / 2)] as number
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    cpuUs: middle(({ cpuUs }) => cpuUs),
  }
}

/**
 * Open load at a fixed rate: what callers wait when a server is half busy. The medians of three runs, in turn: a part of it is
 * the load generator's own, which is the same for all.
 */
export async function p99sAtRate(urls: readonly string[], perSecond: number, seconds: number): Promise<number[]> {
  const runs: number[][] = []
  for (let round = 0; round < 3; round++) {
    const found: number[] = []
    for (const url of urls) found.push(await p99AtRate(url, perSecond, seconds))
    runs.push(found)
  }
  return urls.map((_, i) => runs.map((found) => found[i] as number).sort((a, b) => a - b)[1] as number)
}

async function p99AtRate(url: string, perSecond: number, seconds: number): Promise<number> {
  using folder = temporaryFolder()
  const log = join(folder.path, 'log')
  const each = Math.max(1, Math.floor(perSecond / CONNECTIONS))
  const options = ['--h1', '-t', '1', '-c', String(CONNECTIONS), '-D', String(seconds), `--rps=${each}`]
  await outputOf(pinned(LOAD_CORE, ['h2load', ...options, `--log-file=${log}`, url]))
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const waits: number[] = []
  for (const line of lines) {
    const [, status, us] = line.split('\t')
    if (status !== '200') throw new Error(`an answer has the status ${status}`)
    waits.push(Number(us) / 1000)
  }
  // Whoever asks less often than it should measures itself.
  if (waits.length < 0.95 * each * CONNECTIONS * seconds) throw new Error('the load generator was too slow')
  return waits.sort((one, other) => one - other)[Math.floor(waits.length * 0.99)] as number
}

/** Runs alternate between servers, so that a slow minute of the machine falls on all of them. */
export async function medians<Name extends string>(
  targets: Record<Name, Target>,
  seconds: number,
): Promise<Record<Name, Load>> {
  const names = Object.keys(targets) as Name[]
  const runs = Object.fromEntries(names.map((name) => [name, [] as Load[]])) as Record<Name, Load[]>
  // Engines that compile what runs often have done so before anything is measured.
  for (const name of names) await load(targets[name], Math.max(LEAST_WARM_UP_SECONDS, 2 * seconds))
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) runs[name].push(await load(targets[name], seconds))
  return Object.fromEntries(names.map((name) => [name, middleOf(runs[name])])) as Record<Name, Load>
}

export async function outputOf(
  command: readonly string[],
  env: Record<string, string | undefined> = process.env,
): Promise<string> {
  const child = Bun.spawn([...command], { env, stdout: 'pipe', stderr: 'pipe' })
  const [said, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed: ${complaint}`)
  return said
}

/** Waits until a server answers at all. */
export async function ready(url: string, child: Subprocess): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (child.exitCode !== null) throw new Error(`the server for ${url} has ended`)
    const answer = await fetch(url).catch(() => undefined)
    await answer?.bytes()
    if (answer) return
    await Bun.sleep(50)
  }
  throw new Error(`${url} does not answer`)
}

const TICKS_PER_SECOND = 100

/** User and system time of these processes and their children that are alive. */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  let ticks = 0
  for (const pid of pids) {
    const stat = await Bun.file(`/proc/${pid}/stat`).text()
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / TICKS_PER_SECOND
}
