import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Proof, RowPointer } from '../../src/proof/envelope.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { isLong } from '../support/long.ts'
import { PostgresServer, whyNoPostgres } from '../support/postgres.ts'
import { Replicas } from '../support/replicas.ts'
import { isSkipped } from '../support/skipping.ts'

// Two services on one PostgreSQL.

const SAMPLE = join(import.meta.dir, '../../sample')
const REPEATS = isLong ? 2_000 : 300
const AT_ONCE = 60

const describeOnPostgres = isSkipped('tests on PostgreSQL', whyNoPostgres()) ? describe.skip : describe

describeOnPostgres('two services on one PostgreSQL', () => {
  let server: PostgresServer
  let replicas: Replicas

  beforeAll(async () => {
    server = await PostgresServer.start()
    replicas = await Replicas.start(2, { DATABASE_URL: await server.database(), DATABASE_POOL: '4' })
  })
  afterAll(async () => {
    await replicas?.[Symbol.asyncDispose]()
    await server?.remove()
  })

  const post = (url: string, path: string, key: string, body?: object): Promise<Response> =>
    fetch(`${url}/api/agent-rails/${path}`, {
      method: 'POST',
      headers: { 'x-agent-key': key, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const newKey = () =>
    replicas.json<{ key: string; key_id: string }>('keys', 'create', '--name', 'test', '--scopes', 'registry:read')
  const nonceAt = async (url: string, key: string): Promise<string> =>
    ((await (await post(url, 'challenge', key)).json()) as { nonce: string }).nonce
  const tokenAt = async (url: string, key: string): Promise<string> => {
    const answer = await post(url, 'attest', key, { nonce: await nonceAt(url, key) })
    return ((await answer.json()) as { rails_token: string }).rails_token
  }
  const use = async (url: string, token: string): Promise<number> =>
    (await fetch(`${url}/api/registry?limit=1`, { headers: { 'x-agent-rails': token } })).status
  /** Runs work for each number, so many at a time. */
  const inTurns = async <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> => {
    const results: T[] = []
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < count) results.push(await work(next++))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    return results
  }
  const replica = (i: number): string => replicas.urls[i % 2] as string

  test(`one nonce sent ${REPEATS} times to both makes one token, and the repeats revoke it`, async () => {
    const { key, key_id } = await newKey()
    const nonce = await nonceAt(replica(0), key)
    const answers = await inTurns(REPEATS, async (i) => {
      const answer = await post(replica(i), 'attest', key, { nonce })
      return { status: answer.status, ...((await answer.json()) as { code?: string; rails_token?: string }) }
    })
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(1)
    const refused = answers.filter(({ status }) => status !== 200)
    expect([...new Set(refused.map(({ status, code }) => `${status} ${code}`))]).toEqual(['400 nonce_already_used'])
    for (const url of replicas.urls) expect(await use(url, made[0]?.rails_token ?? '')).toBe(401)
    // Every repeat is on record, under a number of its own: no collision undid a revocation.
    const events = await server.run<{ kind: string; n: string }>(
      `SELECT kind, COUNT(*) AS n FROM atr.rails_event WHERE key_id = '${key_id}' GROUP BY kind ORDER BY kind`,
      'store_1',
    )
    expect(events.map(({ kind, n }) => [kind, Number(n)])).toEqual([
      ['key_created', 1],
      ['nonce_reused', REPEATS - 1],
    ])
  })

  test('a token made by one is good at the other, until its key is revoked: then at neither, at once', async () => {
    const { key, key_id } = await newKey()
    const token = await tokenAt(replica(0), key)
    expect(await use(replica(1), token)).not.toBe(401)
    await replicas.json('keys', 'revoke', key_id)
    expect([await use(replica(0), token), await use(replica(1), token)]).toEqual([401, 401])
    expect((await post(replica(1), 'challenge', key)).status).toBe(401)
  })

  test('of two who publish a release at once one wins, and both services answer from it', async () => {
    const files = ['PPRRVU-SAMPLE26A.csv', 'GPCI-SAMPLE26.csv'].map((name) => join(SAMPLE, name))
    const period = ['--effective-from', '2026-01-01', '--effective-to', '2099-12-31', '--sample']
    const { release_id } = await replicas.json<{ release_id: string }>(
      'load',
      'cms-pfs',
      ...files,
      '--edition',
      'S',
      ...period,
    )
    const overrides = ['rejected_share', 'conflicting_keys'].flatMap((rule) => ['--override', rule])
    const publish = () => replicas.atr('release', 'publish', release_id, ...overrides, '--reason', 'sample_data')
    const said = await Promise.all([publish(), publish()])
    expect(said.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(said.find(({ code }) => code === 1)?.err).toContain('refused: release_conflict')
    for (const url of replicas.urls) {
      // Each looks once a second whether another process has published.
      const ask = () => fetch(`${url}/reference?cpt=99213`)
      let answer = await ask()
      for (let left = 50; left > 0 && answer.status !== 200; left--) {
        await Bun.sleep(100)
        answer = await ask()
      }
      expect(answer.status).toBe(200)
      const body = (await answer.json()) as { row: RowPointer; proof: Proof }
      expect(releaseOf(body, body.row)?.release_id).toBe(release_id)
    }
    expect(await replicas.atr('fsck')).toMatchObject({ code: 0 })
  })

  test('while PostgreSQL is away callers are told when to come back, and nothing that was acknowledged is lost', async () => {
    const { key } = await newKey()
    const tokens: string[] = []
    const seen = new Set<string>()
    let [isOver, untold] = [false, 0]
    const note = (what: string, answer: Response): void => {
      seen.add(`${what} ${answer.status}`)
      if (answer.status === 503 && !answer.headers.has('retry-after')) untold++
    }
    const reader = async (i: number): Promise<void> => {
      while (!isOver) {
        note('read', await fetch(`${replica(i)}/reference?cpt=99213`))
        await Bun.sleep(5)
      }
    }
    const writer = async (i: number): Promise<void> => {
      while (!isOver) {
        const challenged = await post(replica(i), 'challenge', key)
        note('challenge', challenged)
        const { nonce } = (await challenged.json()) as { nonce?: string }
        if (nonce === undefined) {
          await Bun.sleep(20)
          continue
        }
        const attested = await post(replica(i), 'attest', key, { nonce })
        note('attest', attested)
        const { rails_token } = (await attested.json()) as { rails_token?: string }
        if (rails_token !== undefined) tokens.push(rails_token)
      }
    }
    const load = Promise.all([reader(0), reader(1), writer(0), writer(1), writer(2), writer(3)])
    const recoveries: number[] = []
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await Bun.sleep(1_000)
      await server.stop(signal)
      const before = tokens.length
      await Bun.sleep(1_000)
      expect(tokens.length - before).toBeLessThan(8) // those that were acknowledged as it stopped
      for (const url of replicas.urls) {
        expect((await fetch(`${url}/healthz`)).status).toBe(200)
        // What was public goes on being answered; what needs the store does not.
        expect((await fetch(`${url}/reference?cpt=99213`)).status).toBe(200)
        const away = await post(url, 'challenge', key)
        expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
        expect(await away.json()).toMatchObject({ code: 'unavailable' })
        // Lookups are answered from memory, so that a load balancer must not take both services out.
        expect((await fetch(`${url}/readyz`)).status).toBe(200)
      }
      await server.resume()
      const started = performance.now()
      for (const url of replicas.urls) while ((await post(url, 'challenge', key)).status !== 200) await Bun.sleep(10)
      recoveries.push(performance.now() - started)
    }
    await Bun.sleep(500)
    isOver = true
    await load
    expect(untold).toBe(0)
    expect([...seen].filter((line) => !/ (200|503|400)$/.test(line))).toEqual([])
    expect(Math.max(...recoveries)).toBeLessThan(5_000)
    // Tokens past the newest twenty of a key are revoked, and still on record.
    const stored = await server.run<{ token_id: string }>('SELECT token_id FROM atr.rails_token', 'store_1')
    const known = new Set(stored.map(({ token_id }) => token_id))
    expect(tokens.length).toBeGreaterThan(4)
    expect(tokens.filter((token) => !known.has(token.split('_')[1] ?? ''))).toEqual([])
    // Both services use the store still, although their locks were lost with the connections.
    expect(await replicas.atr('migrate', '--to', 'elsewhere')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the store is in use: stop every service'),
    })
    expect(await replicas.atr('fsck')).toMatchObject({ code: 0 })
  })
})
