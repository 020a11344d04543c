import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { listEvents } from '../../src/citations/store.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { parsePolicy, verifyBody } from '../../src/proof/verify-lists.ts'
import { createKey } from '../../src/rails/keys.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aRelease } from '../support/builders.ts'
import { DEFAULT_ENGINE, storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ATR } from '../support/service.ts'
import { until } from '../support/until.ts'

const SOURCE = 'code,amount\n99213,95.19\n'
const SHA256 = createHash('sha256').update(SOURCE).digest('hex')

/** The publisher, who answers when he is told to. */
const asked: { method: string; isGone: boolean }[] = []
let answer: () => Response | Promise<Response> = () => new Response(SOURCE)
const publisher = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 60,
  fetch: (request) => {
    const entry = { method: request.method, isGone: false }
    asked.push(entry)
    request.signal.addEventListener('abort', () => {
      entry.isGone = true
    })
    return answer()
  },
})
afterAll(() => publisher.stop(true))

/** An installation whose one edition cites a file of the publisher. */
async function citing(folder: string): Promise<Record<string, string>> {
  const environment = await storeEnvironment(join(folder, 'data'), DEFAULT_ENGINE)
  const now = Date.now()
  await createInstallation(readConfig(environment), { origin: 'registry.example', now }, async (made) => {
    const { db, registryLog: log, cosign } = made
    const url = `http://127.0.0.1:${publisher.port}/fees.csv`
    const source = { title: 'A schedule', url, file: 'fees.csv', sha256: SHA256, bytes: SOURCE.length }
    const citations = [{ ...source, media_type: 'text/csv', retrieved_at: '2026-01-01T00:00:00Z' }]
    const { rows, ...release } = aRelease({ citations })
    const { release_id } = (await stage(db, release, rows, new Map(), now)).release
    await publish({ db, log, cosign }, release_id, now, overrideAll('sample_data'))
  })
  return { ...environment, PORT: '0', CITATIONS_SCHEDULE: 'loopback', LOG_LEVEL: 'error' }
}

async function agentKey(environment: Record<string, string>): Promise<string> {
  const { db, pepper } = await openInstallation(readConfig(environment))
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes))
  const parts = { db, pepper, now: async () => Date.now(), random }
  const { key } = await createKey(parts, { name: 'reader', scopes: ['registry:read'] })
  await db.close()
  return key
}

async function railsHeaders(url: string, key: string): Promise<Record<string, string>> {
  const step = async (name: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'x-agent-key': key, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${url}/api/agent-rails/${name}`, init)).json() as never
  }
  const { nonce } = await step('challenge', {})
  const { rails_token = '' } = await step('attest', { nonce })
  return { 'x-agent-rails': rails_token }
}

async function served(environment: Record<string, string>) {
  const child = Bun.spawn([...ATR, 'serve'], {
    env: { ...process.env, ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  for await (const piece of child.stdout) {
    const url = /listening on (http:\S+)/.exec(new TextDecoder().decode(piece))?.[1]
    if (url !== undefined) return { child, url }
  }
  throw new Error(`it did not start: ${await new Response(child.stderr).text()}`)
}

test('a service looks at what it cites, once for all its processes, and says in its answers what is lost', async () => {
  using folder = temporaryFolder()
  const environment = await citing(folder.path)
  const key = await agentKey(environment)
  const waiting = Promise.withResolvers<Response>()
  asked.length = 0
  answer = () => waiting.promise.then((response) => response.clone())
  const { child, url } = await served({ ...environment, WORKERS: '2', RATE_LIMITS: 'off' })
  try {
    const get = async (path: string): Promise<Record<string, unknown>> => (await fetch(url + path)).json() as never
    await until(() => asked.length > 0)
    for (let i = 0; i < 3; i++) expect(await get('/reference?cpt=G0101')).not.toHaveProperty('about.sources_lost')
    waiting.resolve(new Response('another file\n'))
    await until(async () => JSON.stringify(await get('/reference?cpt=G0101')).includes('sources_lost'))
    const lost = [{ release_id: 'cms-pfs:TEST1:1', sha256: SHA256, state: 'changed', since: expect.any(String) }]
    const body = await (await fetch(`${url}/reference?cpt=G0101`)).text()
    expect(JSON.parse(body)).toMatchObject({ about: { sources_lost: lost } })
    expect(await get('/reference?cpt=G0101&proof=ref')).toMatchObject({ about: { sources_lost: lost } })
    const sheet = await (await fetch(`${url}/reference/sheet?cpt=G0101`)).text()
    expect(JSON.parse(sheet)).toMatchObject({ about: { sources_lost: lost } })
    expect(await get('/reference/sheet?cpt=G0101&proof=ref')).toMatchObject({ about: { sources_lost: lost } })
    const told = async (path: string, sent?: object, headers = {}): Promise<string> => {
      const json = { 'content-type': 'application/json', ...headers }
      const init = sent ? { method: 'POST', headers: json, body: JSON.stringify(sent) } : { headers }
      let text = ''
      await until(async () => {
        text = await (await fetch(url + path, init)).text()
        return text.includes('sources_lost')
      })
      expect(JSON.parse(text)).toMatchObject({ about: { sources_lost: lost } })
      return text
    }
    const bill = [{ cpt: 'G0101' }, { cpt: 'G0999' }]
    const batch = await told('/reference/batch', { lines: bill })
    await told('/reference/batch', { lines: bill, proof: 'ref' })
    const past = await told('/reference/history?cpt=G0101')
    await told('/reference/history?cpt=G0101&proof=ref')
    const page = await told('/api/registry?cpt=G0101', undefined, await railsHeaders(url, key))
    // A refusal is about a price that is not there.
    expect(JSON.stringify(await get('/reference?cpt=G0999'))).not.toContain('sources_lost')
    const list = await (await fetch(`${url}/api/releases`)).text()
    expect(JSON.parse(list)).toMatchObject({ data: [{ about: { sources_lost: lost } }] })

    // The flag is no part of the proof: with it and without it the answer is the same price.
    const policy = parsePolicy(await (await fetch(`${url}/log/policy`)).text())
    if (!policy) throw new Error('the service has no policy')
    const question = { cpt: 'G0101', as_of: new Date().toISOString().slice(0, 10) }
    expect(await verifyBody(body, policy, { question })).toMatchObject({ ok: true })
    const { about: _, ...bare } = JSON.parse(body) as Record<string, unknown>
    expect(await verifyBody(JSON.stringify(bare), policy, { question })).toMatchObject({ ok: true })
    expect(await verifyBody(list, policy, { releases: {} })).toMatchObject({ ok: true })
    expect(await verifyBody(sheet, policy, { sheet: question })).toMatchObject({ ok: true })
    const questions = bill.map((line) => ({ ...line, as_of: question.as_of }))
    expect(await verifyBody(batch, policy, { questions })).toMatchObject({ ok: true })
    expect(await verifyBody(past, policy, { history: { cpt: 'G0101' } })).toMatchObject({ ok: true })
    expect(await verifyBody(page, policy, { page: question })).toMatchObject({ ok: true })
    expect(asked.map(({ method }) => method)).toEqual(['HEAD', 'GET'])
  } finally {
    child.kill('SIGTERM')
  }
  const lines = (await new Response(child.stderr).text()).split('\n').filter((line) => line.includes('citations'))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', job: 'citations', event: 'source_changed', release_id: 'cms-pfs:TEST1:1', state: 'changed' },
  ])
  const { db } = await openInstallation(readConfig(environment))
  expect(await listEvents(db, 9)).toMatchObject([{ kind: 'source_changed', sha256: SHA256, http_status: 200 }])
  await db.close()
})

test('the process that looks ends with the service, whether that is stopped or killed', async () => {
  using folder = temporaryFolder()
  const environment = await citing(folder.path)
  answer = () => new Promise<Response>(() => undefined)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    asked.length = 0
    const { child } = await served(environment)
    await until(() => asked.length > 0)
    child.kill(signal)
    await child.exited
    await until(() => asked.every(({ isGone }) => isGone))
    expect(asked).toHaveLength(1)
  }
})
