import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/port.ts'
import { published } from '../test/support/published-files.ts'
import { cpuSeconds, type Environment, family, outputOf, peakOf, pinned, ready, SERVER_CORE } from './measure.ts'
import type { Target } from './wrk.ts'

const ATR = [process.execPath, join(import.meta.dir, '../src/cli/atr.ts')]
export const atr = (...args: string[]): string[] => [...ATR, ...args]

export const PHYSICIAN = ['cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz', 'cms-pfs/2026-rvu26b/GPCI2026.csv'].map(
  published,
)
export const ZIP_CODES = published('cms-pfs/zip-locality-2025q4/ZIP5_OCT2025.txt.gz')
const HOSPITAL = published('hospital-mrf/real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz')
export const NPI = '1194866210'
export const FILES = [...PHYSICIAN, ZIP_CODES, HOSPITAL]

const CITED = ['--url', 'https://publisher.example/files']
export const LOAD_PHYSICIAN = ['load', 'cms-pfs', ...PHYSICIAN, '--publish', ...CITED]

/** A new installation in this folder. */
export async function newStore(folder: string): Promise<Environment> {
  mkdirSync(folder, { recursive: true })
  const env = { ...process.env, DATABASE_URL: '', DATA_DIR: join(folder, 'data') }
  await outputOf(atr('init', '--origin', 'bench.example'), env)
  return env
}

/** Schedule, ZIP codes and a hospital, as an operator loads them; what a release has, as `atr export` writes it. */
export async function filledStore(folder: string): Promise<{ env: Environment; hospital: string }> {
  const env = await newStore(folder)
  await outputOf(atr(...LOAD_PHYSICIAN), env)
  await outputOf(atr('load', 'zip-locality', ZIP_CODES, '--effective-to', '2026-09-30', '--publish', ...CITED), env)
  const loaded = await outputOf(atr('load', 'hospital-mrf', HOSPITAL, '--publish', '--json', ...CITED), env)
  const hospital = join(folder, 'hospital.ndjson')
  const { release_id } = JSON.parse(loaded) as { release_id: string }
  await outputOf(atr('export', release_id, '--format', 'ndjson', '--out', hospital), env)
  return { env, hospital }
}

const MANY = '10000000'

export interface Service extends Target {
  url: string
  readyMs: number
  startCpuMs: number
  peakBytes: () => Promise<number>
  stop: () => Promise<void>
}

/** `atr serve` on the processor of the servers, from its start to ready. Quotas are counted; they are only too large to be met. */
export async function startService(given: Environment): Promise<Service> {
  const port = await freePort()
  const quotas = { REFERENCE_RPM: MANY, DEFAULT_RPM: MANY, LOG_RPM: MANY, ANONYMOUS_RPM: MANY }
  const env = { ...given, ...quotas, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error' }
  const began = performance.now()
  const child = Bun.spawn(pinned(SERVER_CORE, atr('serve')), { env, stdout: 'ignore', stderr: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  await ready(`${url}/readyz`, child)
  const readyMs = performance.now() - began
  const pids = await family(child.pid)
  return {
    port,
    url,
    pids,
    readyMs,
    startCpuMs: (await cpuSeconds(pids)) * 1_000,
    peakBytes: async () => Math.max(...(await Promise.all(pids.map(peakOf)))),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
