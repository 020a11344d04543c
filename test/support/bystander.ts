// A crowd at its full quota on the most expensive public routes, and someone who only wants a price.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { createInstallation } from '../../src/installation.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aPrice, aRelease } from './builders.ts'
import { Caller } from './caller.ts'
import { storeEnvironment } from './engines.ts'
import { temporaryFolder } from './folder.ts'
import { Nginx } from './proxy.ts'
import { serve } from './replicas.ts'
import { aroundPrism } from './through-prism.ts'

const CODES = Array.from({ length: 400 }, (_, i) => String(10_000 + 7 * i))
const REGIONS = ['national', ...Array.from({ length: 29 }, (_, i) => `US-CA-${String(i + 1).padStart(2, '0')}`)]
const lines = Array.from({ length: 100 }, (_, i) => ({ cpt: CODES[i], region: REGIONS[i % REGIONS.length] }))
const ids = ['A', 'B'].map((edition) => `cms-pfs:${edition}:1`)
const EXPENSIVE = [
  { path: '/reference/batch', body: { lines } },
  { path: '/api/openapi.json' },
  { path: `/api/releases/diff?from=${ids[1]}&to=${ids[0]}` },
  { path: `/reference/sheet?cpt=${CODES[1]}&region=US-CA` },
  { path: '/api/coverage' },
  { path: `/reference/history?cpt=${CODES[2]}` },
  { path: '/api/coverage?prefix=1' },
  { path: '/api/releases' },
  { path: '/' },
  { path: '/feed.atom' },
  { path: '/problems/unavailable' },
]

/** Two editions of twelve thousand rows each. */
async function store(folder: string): Promise<Record<string, string>> {
  const environment = await storeEnvironment(join(folder, 'data'))
  await createInstallation(readConfig(environment), { origin: 'bystander.example', now: Date.now() }, async (made) => {
    for (const [i, edition] of ['A', 'B'].entries()) {
      const price = { amount: `${12 + i}.00`, currency: 'USD' } as const
      const rows = CODES.flatMap((code) => REGIONS.map((region) => aPrice({ code, region, price })))
      const { rows: sorted, ...release } = aRelease({ edition, effective_from: `2026-0${i + 1}-01`, rows })
      const { release_id } = (await stage(made.db, release, sorted, new Map(), Date.now())).release
      const publisher = { db: made.db, log: made.registryLog, cosign: made.cosign }
      await publish(publisher, release_id, Date.now, overrideAll('sample_data'))
    }
  })
  return { ...environment, PORT: '0', TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'error' }
}

/** Milliseconds that the thread that answers has computed. Other programs on the machine do not count. */
const computed = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

export interface Bystander {
  asked: number
  /** The 99th percentile of what the service computed between a question and its answer, in milliseconds. */
  work: number
  /** The 99th percentile of the time until the answer, in milliseconds. */
  wall: number
}

/** The work of the service between a bystander's question and its answer, and how long it takes, in milliseconds. */
async function bystander(url: string, pid: number, until: () => boolean): Promise<Bystander> {
  const asked: { work: number; wall: number }[] = []
  const callers = Array.from({ length: 200 }, (_, i) => new Caller(url, `127.0.2.${1 + i}`))
  for (let i = 0; !until(); i++) {
    const [work, wall] = [computed(pid), performance.now()]
    const caller = callers[i % callers.length] as Caller
    const { status } = await caller.ask(`/reference?cpt=${CODES[i % CODES.length]}`)
    if (status !== 200) throw new Error(`the bystander was answered ${status}`)
    asked.push({ work: computed(pid) - work, wall: performance.now() - wall })
    await Bun.sleep(5)
  }
  for (const caller of callers) caller[Symbol.dispose]()
  const p99 = (of: 'work' | 'wall'): number => {
    const sorted = asked.map((each) => each[of]).sort((a, b) => a - b)
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
  }
  return { asked: asked.length, work: p99('work'), wall: p99('wall') }
}

/**
 * A bystander alone with the service, and then beside fifty callers who ask as much as they may for some seconds. With the
 * path of an nginx all of them ask through it.
 */
export async function besideACrowd(
  crowdMs: number,
  nginxPath?: string,
): Promise<{ quiet: Bystander; busy: Bystander; statuses: Record<string, number> }> {
  using folder = temporaryFolder()
  const around = aroundPrism('what the service computes between a question and its answer is measured')
  const { child, url: ownUrl } = await serve({ ...(await store(folder.path)), ...around })
  const nginx = nginxPath ? await Nginx.start(nginxPath, { service: Number(new URL(ownUrl).port) }) : undefined
  const url = nginx?.url ?? ownUrl
  try {
    let left = 100
    await bystander(url, child.pid, () => left-- === 0)
    left = 100
    const quiet = await bystander(url, child.pid, () => left-- === 0)
    const crowd = Bun.spawn(
      [process.execPath, join(import.meta.dir, 'crowd.ts'), url, '50', String(crowdMs), JSON.stringify(EXPENSIVE)],
      { stdout: 'pipe' },
    )
    let isOver = false
    const said = new Response(crowd.stdout).text().finally(() => {
      isOver = true
    })
    const busy = await bystander(url, child.pid, () => isOver)
    return { quiet, busy, statuses: JSON.parse(await said) as Record<string, number> }
  } finally {
    await nginx?.[Symbol.asyncDispose]()
    child.kill('SIGTERM')
    await child.exited
  }
}
