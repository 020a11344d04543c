import { join } from 'node:path'

/** Runs `work` for about `seconds` after a warm-up, three times, and returns the median rate per second. */
export async function rate(work: () => unknown, seconds = 1): Promise<number> {
  const rounds: number[] = []
  await rateFor(work, seconds / 4)
  for (let round = 0; round < 3; round++) rounds.push(await rateFor(work, seconds))
  return rounds.sort((a, b) => a - b)[1] as number
}

async function rateFor(work: () => unknown, seconds: number): Promise<number> {
  const started = performance.now()
  let done = 0
  while (performance.now() - started < seconds * 1000) {
    await work()
    done++
  }
  return done / ((performance.now() - started) / 1000)
}

export interface Line {
  what: string
  figure: string
  /** Against a named peer in the same run, or nothing where there is none. */
  beside: string
  /** What is kept and compared with the next run. */
  ratio?: Ratio
}

export interface Ratio {
  name: string
  value: number
  /** More is better unless this says so. */
  lowerIsBetter?: true
}

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-US')}/s`
export const times = (value: number, peer: number): string => `${(value / peer).toFixed(2)}x`
export const MEBIBYTE = 1024 * 1024

export interface Timing {
  seconds: number
  cpuSeconds: number
  /** Of the command alone, in bytes. No less than that of the small process which starts it. */
  maxRss: number
}

const CHILD = join(import.meta.dir, 'timed-child.ts')

/** Runs a command to its end. */
export async function timed(command: string[], env: Record<string, string | undefined> = process.env): Promise<Timing> {
  const child = Bun.spawn([process.execPath, CHILD, ...command], { env, stdout: 'pipe', stderr: 'pipe' })
  const [timing, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed: ${said}`)
  return JSON.parse(timing) as Timing
}
