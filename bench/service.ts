import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/port.ts'
import { family } from './rivals.ts'
import { cpuSeconds, outputOf, pinned, SERVER_CORE } from './wrk.ts'

export const ATR = join(import.meta.dir, '../src/cli/atr.ts')
const MANY = '10000000'

export type Environment = Record<string, string | undefined>

export interface Service {
  port: number
  url: string
  pids: readonly number[]
  ask: (path: string) => Promise<Response>
  /** When it was started, by `performance.now()`. */
  started: number
  readyMs: number
  readyCpuMs: number
  /** The most memory that it had at any moment. */
  peakBytes: () => number
  stop: () => Promise<void>
}

/**
 * `atr serve` in processes of its own, on the processor of the servers, from its start to ready. Quotas are on and counted;
 * they are only too large to be met.
 */
export async function startService(given: Environment, core = SERVER_CORE): Promise<Service> {
  const port = await freePort()
  const quotas = { REFERENCE_RPM: MANY, DEFAULT_RPM: MANY, LOG_RPM: MANY, ANONYMOUS_RPM: MANY }
  const env = { ...quotas, ...given, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error' }
  const started = performance.now()
  const child = Bun.spawn(pinned(core, [process.execPath, ATR, 'serve']), { env, stdout: 'ignore', stderr: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  const ask = (path: string): Promise<Response> => fetch(url + path)
  const isReady = async (): Promise<boolean> => (await ask('/readyz').catch(() => undefined))?.ok === true
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('the service ended')
    await Bun.sleep(5)
  }
  const readyMs = performance.now() - started
  const pids = await family(child.pid)
  return {
    port,
    url,
    pids,
    ask,
    started,
    readyMs,
    readyCpuMs: (await cpuSeconds(pids)) * 1000,
    peakBytes: () => Math.max(...pids.map(peakOf)),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

const REST_SECONDS = 2
const MOST_AT_REST = 0.05
const MOST_REST_SECONDS = 600

/** Waits until a service has checked the files that it was asked about, which it does once: then it uses next to nothing of its processor. */
export async function atRest({ pids }: Pick<Service, 'pids'>): Promise<void> {
  for (let waited = 0; waited < MOST_REST_SECONDS; waited += REST_SECONDS) {
    const before = await cpuSeconds(pids)
    await Bun.sleep(REST_SECONDS * 1000)
    if ((await cpuSeconds(pids)) - before < MOST_AT_REST * REST_SECONDS) return
  }
  throw new Error('the service does not come to rest')
}

const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

export const makeKey = async (env: Environment): Promise<string> => {
  const command = [process.execPath, ATR, 'keys', 'create', '--name', 'bench', '--scopes', 'registry:read', '--json']
  return JSON.parse(await outputOf(command, env)).key
}
