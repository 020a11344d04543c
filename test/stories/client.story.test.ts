import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sign as ed25519, generateKeyPairSync, randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp } from '../../src/app.ts'
import { type ClientError, type ClientOptions, memoryPins, RegistryClient } from '../../src/client/client.ts'
import { readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { mainPointer, releaseOf, type ShownBody } from '../../src/proof/shown.ts'
import { createKey, revokeKey } from '../../src/rails/keys.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { inFiles, onSqlite } from '../support/engines.ts'
import { BASE_URL, TestApp, temporaryFolder, testApp } from '../support/harness.ts'

type Fetch = NonNullable<ClientOptions['fetch']>

/** The service, without the network between. */
const serviceOf =
  ({ app }: TestApp): Fetch =>
  async (url, init) =>
    app.fetch(new Request(url, init), '192.0.2.1')

/** A proxy that counts what passes, and may put another answer in the place of one. */
function proxied(app: TestApp, lie?: (path: string, answer: Response) => Promise<Response> | Response) {
  const paths: string[] = []
  const fetch: Fetch = async (url, init) => {
    const path = url.slice(BASE_URL.length)
    paths.push(path)
    const answer = await serviceOf(app)(url, init)
    return lie ? lie(path, answer) : answer
  }
  return { paths, fetch, count: (path: string) => paths.filter((each) => each === path).length }
}

const clientOf = (app: TestApp, options: Partial<ClientOptions> = {}): RegistryClient =>
  new RegistryClient({
    baseUrl: BASE_URL,
    fetch: serviceOf(app),
    pins: memoryPins(),
    now: () => app.clock.now,
    ...options,
  })

async function failure(work: Promise<unknown>): Promise<Partial<ClientError>> {
  const error = await work.then(
    () => undefined,
    (caught: ClientError) => caught,
  )
  if (error?.name !== 'ClientError') throw new Error(`this should have been refused by the client: ${error}`)
  const { code, reason, status, hint } = error
  return { code, ...(reason && { reason }), ...(status && { status }), ...(hint && { hint }) }
}

/** For the tests that change nothing in it. */
let app: TestApp
beforeAll(async () => {
  app = await testApp({ sample: true })
})
afterAll(() => app[Symbol.asyncDispose]())

test('every answer with a proof is verified, and says what it proves', async () => {
  const { key } = await app.createKey()
  const client = clientOf(app, { agentKey: key })
  const price = await client.lookup({ cpt: '99213', region: '35203' })
  expect(price.proved?.decisions).toMatchObject([{ outcome: 'price' }])
  const missing = await client.lookup({ cpt: '99999' })
  expect([missing.status, missing.proved?.decisions[0]?.outcome]).toEqual([404, 'not_on_schedule'])
  const bill = await client.bill([{ cpt: '99213', units: 2 }, { cpt: '71046', modifier: '26' }, { cpt: '99999' }])
  expect(bill.body.results.map(({ status }) => status)).toEqual([200, 200, 404])
  expect((await client.sheet({ cpt: '99213', region: 'IL' })).proved?.rows.length).toBeGreaterThan(1)
  expect((await client.history({ cpt: '99213', limit: 1 })).proved?.editions).toHaveLength(1)
  expect((await client.browse({ limit: 3 })).proved?.rows).toHaveLength(3)
  expect((await client.coverage({ chart: 'cms-pfs' })).proved?.editions).toHaveLength(1)
  expect((await client.releases({ limit: 2 })).proved?.editions).toHaveLength(2)
  expect((await client.figures()).proved?.figures?.schema).toBe('figures-state/1')
  expect((await client.figureChanges({ limit: 1 })).proved?.entries).toBe(1)
  const [{ release } = { release: undefined }] = price.proved?.rows ?? []
  const place = { release_id: release?.release_id ?? '', index: 0 }
  const body = (await client.row(place)).body as ShownBody
  expect(releaseOf(body, mainPointer(body))?.release_id).toBe(place.release_id)
  expect((await client.integrity()).status).toBeOneOf(['ok', 'warn', 'fail'])
  expect((await client.provider({ npi: '1234567893' })).npi).toBe('1234567893')
  expect((await client.railsPolicy()).rails).toBe('service_agent_rails_v1')
  const { size } = await app.installation.registryLog.head(app.installation.db)
  expect(await client.tile('registry', 0, 0, size)).toHaveLength(size * 32)
})

test('nothing is believed before a policy is pinned, and a pinned one is not replaced', async () => {
  await using other = await testApp({ sample: true, ownKeys: true })
  const bare = new RegistryClient({ baseUrl: BASE_URL, fetch: serviceOf(app), now: () => app.clock.now })
  expect((await failure(bare.lookup({ cpt: '99213' }))).code).toBe('policy_missing')
  const pins = memoryPins()
  await clientOf(app, { pins }).lookup({ cpt: '99213' })
  const { paths, fetch } = proxied(other)
  expect(await failure(clientOf(app, { pins, fetch }).lookup({ cpt: '99213' }))).toMatchObject({ code: 'not_verified' })
  expect(paths).not.toContain('/log/policy')
  expect((await clientOf(app, { pins, verify: false, fetch }).lookup({ cpt: '99213' })).proved).toBeUndefined()
})

test('a policy that is given is the one that counts, and nothing is asked of the service for it', async () => {
  const policy = await (await app.request('/log/policy')).text()
  const { paths, fetch } = proxied(app)
  const client = clientOf(app, { policy, pins: undefined, fetch })
  expect((await client.lookup({ cpt: '99213' })).proved?.ok).toBe(true)
  expect(paths).toHaveLength(1)
  expect((await failure(clientOf(app, { policy: 'quorum none', fetch }).figures())).code).toBe('policy_missing')
})

test('a key that is registered with a public key signs its nonces', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))
  const { db, pepper } = app.installation
  const parts = { db, pepper, now: async () => app.clock.now, random: (n: number) => new Uint8Array(randomBytes(n)) }
  const { key } = await createKey(parts, { name: 'signing', scopes: ['integrity:read'], publicKey: raw })
  const sign = (message: string): string => ed25519(null, Buffer.from(message), privateKey).toString('base64url')
  expect((await clientOf(app, { agentKey: key, sign }).integrity()).status).toBeString()
  const unsigned = clientOf(app, { agentKey: key })
  expect(await failure(unsigned.integrity())).toMatchObject({ code: 'proof_required' })
})

test('a refusal of the service comes with its code, its status and what to do next', async () => {
  const refused = await failure(clientOf(app).lookup({ cpt: 'nonsense' }))
  expect(refused).toMatchObject({ code: 'invalid_cpt', status: 400, hint: expect.stringContaining(' ') })
})

test('a list without entries is verified where the proof shows it, and is told apart where nothing does', async () => {
  const { key } = await app.createKey()
  const client = clientOf(app, { agentKey: key })
  await using bare = await testApp()
  const none = await clientOf(bare).releases()
  expect([none.body.data, none.proved?.ok, none.unproved]).toEqual([[], true, undefined])
  const without = [
    await client.browse({ cpt: '99999' }),
    await client.coverage({ cpt: '99999' }),
    await client.figureChanges({ since: '2099-01-01T00:00:00Z' }),
  ]
  for (const { status, body, proved, unproved } of without)
    expect([status, body.data, proved, unproved]).toEqual([200, [], undefined, 'empty_list'])
  const bill = await client.bill([{ cpt: 'x' }])
  expect([bill.body.results[0]?.status, bill.proved, bill.unproved]).toEqual([400, undefined, 'all_refused'])
  const codes = await client.coverage({ prefix: '99' })
  expect([codes.body.data.length > 0, codes.proved, codes.unproved]).toEqual([true, undefined, 'never_proved'])
})

test('a liar who leaves out every entry gets no verified answer', async () => {
  const { key } = await app.createKey()
  const empty = async (_: string, answer: Response) => {
    const body = (await answer
      .clone()
      .json()
      .catch(() => ({}))) as { data?: unknown[] }
    return body.data ? new Response(JSON.stringify({ ...body, data: [] }), answer) : answer
  }
  const client = clientOf(app, { fetch: proxied(app, empty).fetch, agentKey: key })
  const page = await client.browse({ limit: 2 }).catch((error: ClientError) => error.code)
  expect(page).toBeOneOf(['not_verified', expect.objectContaining({ unproved: 'empty_list' })])
  expect((await failure(client.releases())).code).toBe('not_verified')
  expect((await failure(client.coverage())).code).toBe('not_verified')
  const list: Fetch = (url, init) =>
    url.includes('/reference') ? Promise.resolve(Response.json({ data: [] })) : serviceOf(app)(url, init)
  expect((await failure(clientOf(app, { fetch: list }).lookup({ cpt: '99213' }))).reason).toBe(
    'answers_another_question',
  )
})

describe('an answer that a liar has changed is refused', () => {
  test.each([
    ['another amount', (text: string) => text.replace(/"amount":"\d+\.\d\d"/, '"amount":"1.00"')],
    ['a member that was added', (text: string) => `{"note":"now 10.00",${text.slice(1)}`],
    ['no proof', (text: string) => JSON.stringify({ ...JSON.parse(text), proof: undefined })],
  ])('%s', async (_, change) => {
    const lie = async (path: string, answer: Response) =>
      path.startsWith('/reference') ? new Response(change(await answer.text()), answer) : answer
    const client = clientOf(app, { fetch: proxied(app, lie).fetch })
    expect((await failure(client.lookup({ cpt: '99213' }))).code).toBe('not_verified')
  })

  test('the true answer to another question', async () => {
    const swap: Fetch = (url, init) => serviceOf(app)(url.replace('cpt=99213', 'cpt=99214'), init)
    const refused = await failure(clientOf(app, { fetch: swap }).lookup({ cpt: '99213' }))
    expect(refused.reason).toBeOneOf(['answers_another_question', 'choice_not_proved'])
  })

  test('a true price where changes of the figures were asked for', async () => {
    const { key } = await app.createKey()
    const swap: Fetch = (url, init) =>
      serviceOf(app)(url.replace(/\/api\/figure-changes.*/, '/reference?cpt=99213'), init)
    const refused = await failure(clientOf(app, { fetch: swap, agentKey: key }).figureChanges())
    expect(refused).toMatchObject({ reason: 'log_of_other_kind' })
  })

  test('the true row of another place', async () => {
    const body = (await clientOf(app).lookup({ cpt: '99213' })).body as ShownBody
    const release_id = releaseOf(body, mainPointer(body))?.release_id ?? ''
    const swap: Fetch = (url, init) => serviceOf(app)(url.replace(/\/0$/, '/1'), init)
    const refused = await failure(clientOf(app, { fetch: swap }).row({ release_id, index: 0 }))
    expect(refused).toMatchObject({ reason: 'answers_another_question' })
  })
})

test('an answer of before the pinned checkpoint is refused, at once and after a restart; a newer one is taken', async () => {
  await using app = await testApp()
  await app.publish(aRelease())
  const pins = memoryPins()
  const old = new Map<string, Response>()
  let shows: 'old' | 'new' = 'new'
  const lie = async (path: string, answer: Response) => {
    if (!path.startsWith('/reference')) return answer
    const kept = old.get(path) ?? answer.clone()
    old.set(path, kept.clone())
    return shows === 'old' ? kept : answer
  }
  const proxy = proxied(app, lie)
  const client = clientOf(app, { pins, fetch: proxy.fetch })
  const ask = (by = client) => by.lookup({ cpt: 'G0101', as_of: '2026-11-15' })
  await ask()
  await app.publish(aRelease({ edition: 'TEST2', effective_from: '2027-01-01' }))
  await ask()
  shows = 'old'
  proxy.paths.length = 0
  expect(await failure(ask())).toMatchObject({ reason: 'log_rolled_back' })
  expect(proxy.count('/reference?as_of=2026-11-15&cpt=G0101')).toBe(2) // the second time past all caches
  expect(await failure(ask(clientOf(app, { pins, fetch: proxy.fetch })))).toMatchObject({ reason: 'log_rolled_back' })
  shows = 'new'
  await ask()
})

test('a view that is older than 72 hours is refused, unless the caller says otherwise', async () => {
  await using app = await testApp()
  await app.publish(aRelease())
  const later = (hours: number): number => app.clock.now + hours * 3_600_000
  const ask = (hours: number, options = {}) =>
    clientOf(app, { now: () => later(hours), ...options }).lookup({ cpt: 'G0101', as_of: '2026-11-15' })
  await ask(71)
  expect(await failure(ask(73))).toMatchObject({ reason: 'state_too_old' })
  await ask(73, { maxAgeHours: 100 })
  expect(await failure(ask(-1))).toMatchObject({ reason: 'state_too_old' })
})

test('a second history that the same key has signed is refused as a fork', async () => {
  await using app = await testApp({ engine: onSqlite('the whole store is copied, as a folder') })
  await app.publish(aRelease())
  using folder = temporaryFolder()
  cpSync(app.folder.path, folder.path, { recursive: true })
  const config = readConfig({
    DATA_DIR: join(folder.path, 'data'),
    ...inFiles('the whole store is copied, as a folder'),
  })
  const installation = await openInstallation(config)
  const options = {
    baseUrl: () => BASE_URL,
    now: () => app.clock.now,
    limits: { default_rpm: 1, reference_rpm: 1, log_rpm: 1, enabled: false },
    observe: () => {},
  }
  const { lines, clock, contract } = app
  const fork = new TestApp(folder, config, installation, makeApp(installation, options), clock, lines, contract)
  const pins = memoryPins()
  await app.publish(aRelease({ edition: 'TRUE', effective_from: '2027-01-01' }))
  await clientOf(app, { pins }).lookup({ cpt: 'G0101' })
  for (const edition of ['FALSE', 'FALSER'])
    await fork.publish(aRelease({ edition, effective_from: '2027-01-01', rows: [aPrice({ code: 'G0102' })] }))
  const refused = await failure(clientOf(fork, { pins }).lookup({ cpt: 'G0101' }))
  expect(refused).toMatchObject({ code: 'not_verified', reason: 'log_forked' })
  await clientOf(app, { pins }).lookup({ cpt: 'G0101' })
  await installation.db.close()
})

test('a thousand calls at once with one key make one challenge and one attest', async () => {
  const { key } = await app.createKey()
  const proxy = proxied(app)
  const client = clientOf(app, { agentKey: key, fetch: proxy.fetch, verify: false })
  // As a service does: then what many ask for at once is made once, and nobody is turned away.
  const heads = app.app.followHeads(() => {})
  await Bun.sleep(200)
  await Promise.all(Array.from({ length: 1_000 }, () => client.browse({ limit: 1 })))
  await heads.stop()
  expect(proxy.paths).toHaveLength(1_002)
  expect(proxy.count('/api/agent-rails/challenge')).toBe(1)
  expect(proxy.count('/api/agent-rails/attest')).toBe(1)
})

test('a token is renewed before it expires, and one that stopped counting is replaced', async () => {
  await using app = await testApp({ sample: true })
  const { key } = await app.createKey()
  const proxy = proxied(app)
  const client = clientOf(app, { agentKey: key, fetch: proxy.fetch, verify: false })
  const statuses = () => app.lines.filter(({ route }) => route === '/api/registry').map(({ status }) => status)
  await client.browse({ limit: 1 })
  app.clock.now += 839_000
  await client.browse({ limit: 1 })
  expect(proxy.count('/api/agent-rails/attest')).toBe(1)
  app.clock.now += 2_000
  await client.browse({ limit: 1 })
  expect(proxy.count('/api/agent-rails/attest')).toBe(2)
  expect(statuses()).toEqual([200, 200, 200])
  // The service forgets it, though by the clock of the client it is good.
  const slow = clientOf(app, { agentKey: key, fetch: proxy.fetch, verify: false, now: () => 0 })
  await slow.browse({ limit: 1 })
  app.clock.now += 901_000
  await slow.browse({ limit: 1 })
  expect(statuses().slice(3)).toEqual([200, 401, 200])
})

test('a revoked key stops the client with a clear error, and is not sent again', async () => {
  await using app = await testApp({ sample: true })
  const { key, key_id } = await app.createKey()
  const proxy = proxied(app)
  const client = clientOf(app, { agentKey: key, fetch: proxy.fetch })
  await client.integrity()
  await revokeKey({ db: app.installation.db, now: async () => app.clock.now }, key_id)
  const refused = await failure(client.integrity())
  expect(refused).toMatchObject({ code: 'agent_key_invalid', status: 401, hint: expect.stringContaining(' ') })
  const sent = proxy.paths.length
  expect(await failure(client.integrity())).toMatchObject({ code: 'agent_key_invalid' })
  expect(proxy.paths).toHaveLength(sent)
  await client.lookup({ cpt: '99213' }) // what needs no key goes on
})

test('a call that needs a key and has none says so', async () => {
  expect(await failure(clientOf(app).integrity())).toMatchObject({ code: 'agent_key_missing' })
})

test('a quota that is used up is waited for as long as Retry-After says, and not for longer than the caller has patience', async () => {
  let refusals = 1
  const busy = (seconds: string) => (_path: string, answer: Response) =>
    refusals-- > 0
      ? new Response('{"code":"rate_limited","detail":"x"}', { status: 429, headers: { 'retry-after': seconds } })
      : answer
  const began = performance.now()
  await clientOf(app, { fetch: proxied(app, busy('1')).fetch, verify: false }).figures()
  expect(performance.now() - began).toBeGreaterThanOrEqual(990)
  refusals = 1
  const refused = await failure(clientOf(app, { fetch: proxied(app, busy('600')).fetch, verify: false }).figures())
  expect(refused).toMatchObject({ code: 'rate_limited', status: 429 })
})

test('a service that does not answer in time, or at all, and a caller who gives up, are told apart', async () => {
  const silent: Fetch = (_, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const options = { fetch: silent, verify: false, timeoutMs: 20, retries: 0 }
  expect(await failure(clientOf(app, options).figures())).toMatchObject({ code: 'timeout' })
  const away: Fetch = () => Promise.reject(new TypeError('no such host'))
  expect(await failure(clientOf(app, { ...options, fetch: away }).figures())).toMatchObject({ code: 'unreachable' })
  const patient = clientOf(app, { ...options, timeoutMs: 60_000 })
  const signal = AbortSignal.timeout(20)
  expect(await failure(patient.figures({ signal }))).toMatchObject({ code: 'aborted' })
})
