import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'

/** A line of the table: what is measured, the floor it has to meet, and the figure of this run. */
export interface Line {
  what: string
  floor: string
  figure: string
  /** Undefined where it was not measured. */
  isMet?: boolean
}

export const notMeasured = (what: string, floor: string, why: string): Line => ({
  what,
  floor,
  figure: `not measured: ${why}`,
})

export const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] as number

export const MEBIBYTE = 1024 * 1024
export const mebibytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`
export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`
export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-US')}/s`
export const times = (value: number): string => `${value.toFixed(2)}x`

/** Servers run on one processor and the load generator on another, so that neither takes time from the other. */
export const SERVER_CORE = '0'
export const LOAD_CORE = '1'

export const pinned = (core: string, command: readonly string[]): string[] =>
  cpus().length > 1 && Bun.which('taskset') ? ['taskset', '-c', core, ...command] : [...command]

export type Environment = Record<string, string | undefined>

/** Runs a command to its end and returns what it printed. */
export async function outputOf(command: readonly string[], env: Environment = process.env): Promise<string> {
  const child = Bun.spawn([...command], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [said, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed: ${complaint}`)
  return said
}

export interface Timing {
  seconds: number
  cpuSeconds: number
  /** The memory of the command alone, in bytes: no less than that of the small process which starts it. */
  maxRss: number
}

const CHILD = join(import.meta.dir, 'timed-child.ts')

/** Runs a command to its end and returns what it took. */
export async function timed(command: readonly string[], env: Environment = process.env): Promise<Timing> {
  return JSON.parse(await outputOf([process.execPath, CHILD, ...command], env)) as Timing
}

/** Waits until a server answers at all. */
export async function ready(url: string, child: Subprocess): Promise<void> {
  for (let i = 0; i < 6_000; i++) {
    if (child.exitCode !== null) throw new Error(`the server for ${url} has ended`)
    const answer = await fetch(url).catch(() => undefined)
    await answer?.bytes()
    if (answer !== undefined && answer.status < 500) return
    await Bun.sleep(5)
  }
  throw new Error(`${url} does not answer`)
}

const TICKS_PER_SECOND = 100

/** User and system time of these processes. */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  let ticks = 0
  for (const pid of pids) {
    const stat = await Bun.file(`/proc/${pid}/stat`).text()
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / TICKS_PER_SECOND
}

/** The most memory that a process had at any moment, in bytes. */
export const peakOf = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(await Bun.file(`/proc/${pid}/status`).text())?.[1] ?? 0) * 1024

/** A process and its children. */
export async function family(pid: number): Promise<number[]> {
  const listed = (await Bun.file(`/proc/${pid}/task/${pid}/children`).text()).trim()
  const children = listed === '' ? [] : listed.split(' ').map(Number)
  return [pid, ...(await Promise.all(children.map(family))).flat()]
}
