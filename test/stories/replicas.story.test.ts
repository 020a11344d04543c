// Three machines over one PostgreSQL, object storage and Valkey, behind the nginx of deploy/, as its compose file has them. While
// they are asked without a pause, everything that happens to machines happens to them.

import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { Proof, RowPointer } from '../../src/proof/envelope.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { parsePolicy, verifyBody } from '../../src/proof/verify.ts'
import { Caller } from '../support/caller.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'
import { ObjectStorage } from '../support/object-storage.ts'
import { freePort } from '../support/port.ts'
import { PostgresServer, whyNoPostgres } from '../support/postgres.ts'
import { findProxy, Nginx } from '../support/proxy.ts'
import { serve } from '../support/replicas.ts'
import { atr } from '../support/service.ts'
import { isSkipped } from '../support/skipping.ts'
import { aroundPrism } from '../support/through-prism.ts'
import { until } from '../support/until.ts'
import { findValkey, ValkeyServer } from '../support/valkey.ts'

const nginxPath = findProxy('nginx')
const valkeyPath = findValkey()
const missing = whyNoPostgres() ?? (nginxPath && valkeyPath ? undefined : 'nginx or Valkey is not here')
const noMachines = isSkipped('three machines behind nginx', missing)

const LIST = join(import.meta.dir, '../../sample/CLFS-SAMPLE26Q4.csv')
const QUESTION = { cpt: '80053', region: 'national', as_of: '2026-11-15' }
const PATH = `/reference?${new URLSearchParams(QUESTION)}`
/** The time after which every machine has seen what was published: a look each second, and the fetch of the file. */
const SEEN_MS = 5_000
const LEAST_REQUESTS = isLong ? 20_000 : 400

interface Answer {
  askedAt: number
  status: number
  text: string
}

/** Asks through nginx without a pause, from several addresses, until it is stopped. */
class Crowd {
  readonly answers: Answer[] = []
  #isOver = false
  readonly #workers: Promise<void>[]

  constructor(url: string) {
    this.#workers = Array.from({ length: 6 }, async (_, at) => {
      using caller = new Caller(url, `127.0.0.${20 + at}`)
      while (!this.#isOver) {
        const askedAt = Date.now()
        // A connection that is cut is a failed answer too.
        const { status, text } = await caller.ask(PATH).catch(() => ({ status: 0, text: '' }))
        if (!this.#isOver) this.answers.push({ askedAt, status, text })
        if (!isLong) await Bun.sleep(20)
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers)
  }
}

test.skipIf(noMachines)(
  'three machines behind nginx give no wrong, no stale and no failed answer, whatever happens to them',
  async () => {
    const around = aroundPrism('machines are killed, and nginx stands before them')
    using folder = temporaryFolder()
    await using storage = new ObjectStorage()
    const postgres = await PostgresServer.start()
    await using counts = await ValkeyServer.start(valkeyPath ?? '')
    const machines: { child: Subprocess; environment: Record<string, string> }[] = []
    try {
      const shared = {
        ...storage.environment,
        DATABASE_URL: await postgres.database(),
        VALKEY_URL: counts.url,
        RELEASES: 's3://bucket/registry',
        TRUSTED_PROXIES: '127.0.0.1',
        PUBLIC_URL: 'https://replicas.example',
        REFERENCE_RPM: '1000000',
        ANONYMOUS_RPM: '10000000',
        LOG_LEVEL: 'error',
        DRAIN_SECONDS: isLong ? '5' : '1',
        ...around,
      }
      const publisher = { ...shared, DATA_DIR: join(folder.path, 'publisher'), LOCK_DIR: join(folder.path, 'lock') }
      const run = async (...words: string[]): Promise<void> => {
        const { code, err } = await atr(words, publisher)
        expect([words, code, err]).toEqual([words, 0, ''])
      }
      const load = (edition: string, from: string) =>
        run(
          ...['load', 'cms-clfs', LIST, '--edition', edition, '--effective-from', from, '--sample', '--json'],
          ...['--publish', '--override', 'r11_overlap', '--reason', 'sample_data'],
        )
      await run('init', '--origin', 'replicas.example')
      await load('ONE', '2026-10-01')

      const ports = await Promise.all([freePort(), freePort(), freePort()])
      const readiness = (at: number) => fetch(`http://127.0.0.1:${ports[at]}/readyz`)
      const begin = async (at: number): Promise<void> => {
        const DATA_DIR = join(folder.path, `machine-${at}`)
        mkdirSync(DATA_DIR, { recursive: true })
        for (const name of ['log-keys', 'pepper']) copyFileSync(join(publisher.DATA_DIR, name), join(DATA_DIR, name))
        const environment = { ...publisher, DATA_DIR, PORT: String(ports[at]) }
        machines[at] = { child: (await serve(environment)).child, environment }
        // As an operator does before the next one is touched.
        await until(async () => (await readiness(at)).status === 200, `machine ${at} is ready`)
      }
      const end = async (at: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
        machines[at]?.child.kill(signal)
        await machines[at]?.child.exited
      }
      const ALL = [0, 1, 2]
      // In the short form one machine is killed, another is stopped, and one is left alone.
      const [KILLED, STOPPED] = isLong ? [ALL, ALL] : [[0], [1]]
      await Promise.all(ALL.map(begin))
      await using nginx = await Nginx.start(nginxPath ?? '', { service: ports })
      await using crowd = new Crowd(nginx.url)
      const editionOf = ({ text }: Answer): string | undefined => {
        const body = JSON.parse(text) as { row: RowPointer; proof: Proof }
        return releaseOf(body, body.row)?.edition
      }
      const newest = (): Answer | undefined => crowd.answers.at(-1)
      const isSeen = (edition: string) => until(() => editionOf(newest() as Answer) === edition, `${edition} is seen`)
      await until(() => newest()?.status === 200, 'the machines answer')

      await load('TWO', '2026-11-01')
      await isSeen('TWO')
      await run('release', 'withdraw', 'cms-clfs:TWO:1', '--reason', 'wrong_source')
      const withdrawnAt = Date.now()
      await isSeen('ONE')
      await run('log', 'rotate-key')
      for (const at of ALL)
        copyFileSync(join(publisher.DATA_DIR, 'log-keys'), join(folder.path, `machine-${at}`, 'log-keys'))
      for (const at of KILLED) {
        await end(at, 'SIGKILL')
        await begin(at)
      }
      await postgres.stop('SIGQUIT')
      await Bun.sleep(1_500)
      // Lookups are answered from memory, so that a load balancer must not take all machines out.
      for (const at of ALL) expect((await readiness(at)).status).toBe(200)
      await postgres.resume()
      await counts.stop()
      await counts.start()
      for (const at of STOPPED) {
        await end(at, 'SIGTERM')
        await begin(at)
      }
      await until(() => crowd.answers.length >= LEAST_REQUESTS, 'enough was asked')
      await crowd[Symbol.asyncDispose]()

      const failed = crowd.answers.filter(({ status }) => status !== 200)
      expect(
        failed.slice(0, 5).map(({ status, text, askedAt }) => `${askedAt} ${status} ${text.slice(0, 300)}`),
      ).toEqual([])
      // Keys were rotated meanwhile: the newest policy has all of them.
      const policy = parsePolicy(await (await fetch(`http://127.0.0.1:${ports[0]}/log/policy`)).text())
      if (!policy) throw new Error('the service has no policy')
      const verdicts = new Map<string, boolean>()
      for (const { text } of crowd.answers)
        if (!verdicts.has(text)) verdicts.set(text, (await verifyBody(text, policy, { question: QUESTION })).ok)
      expect([...verdicts.values()]).not.toContain(false)
      const stale = crowd.answers.filter((each) => each.askedAt > withdrawnAt + SEEN_MS && editionOf(each) !== 'ONE')
      expect(stale).toEqual([])
      if (isLong) console.log(`${crowd.answers.length} answers, ${verdicts.size} different, 0 wrong, 0 failed, 0 stale`)
    } finally {
      for (const { child } of machines) child.kill('SIGKILL')
      await postgres.remove()
    }
  },
)
