import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/postgres.ts'

export const ATR = join(import.meta.dir, '../src/cli/atr.ts')

export interface Service {
  pid: number
  ask: (path: string) => Promise<Response>
  /** When it was started, by `performance.now()`. */
  started: number
  readyMs: number
  readyCpuMs: number
  stop: () => Promise<void>
}

/** `atr serve` in a process of its own, from its start to ready. */
export async function startService(given: Record<string, string | undefined>): Promise<Service> {
  const port = await freePort()
  const env = { ...given, HOST: '127.0.0.1', PORT: String(port), RATE_LIMITS: 'off', LOG_LEVEL: 'error' }
  const started = performance.now()
  const child = Bun.spawn([process.execPath, ATR, 'serve'], { env, stdout: 'ignore', stderr: 'inherit' })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await child.exited
  }
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  const isReady = async (): Promise<boolean> => (await ask('/readyz').catch(() => undefined))?.ok === true
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('the service ended')
    await Bun.sleep(5)
  }
  const { pid } = child
  return { pid, ask, started, readyMs: performance.now() - started, readyCpuMs: cpuMsOf(pid), stop }
}

const TICK_MS = 10

/** Processor time of a process that runs: fields 14 and 15 of its status, in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = after.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * TICK_MS
}
