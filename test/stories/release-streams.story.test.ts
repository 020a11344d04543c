import { expect, test } from 'bun:test'
import { loadVerifier } from '../../src/installation.ts'
import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { GrowingTree, leafHash } from '../../src/proof/tree/merkle.ts'
import { Queue } from '../../src/queue.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { findLogged } from '../../src/registry/store.ts'
import { sentBy } from '../../src/surfaces/discovery/sent-file.ts'
import { httpSurface } from '../../src/surfaces/http/router.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { editFile, replacing } from '../support/release-file.ts'

interface Index {
  schema: string
  releases: { release_id: string; row_count: number }[]
}
/** Not described by the OpenAPI document, and so not checked against it. */
const ask = async ({ app }: TestApp, path: string, init: RequestInit = {}): Promise<Response> =>
  app.fetch(new Request(`${BASE_URL}${path}`, init), '192.0.2.1')
const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code
const indexOf = async (app: TestApp): Promise<Index> => (await (await ask(app, '/releases/index.json')).json()) as Index
const addressOf = (release_id: string): string => `/releases/${release_id}.ndjson.zst`

test('the rows of every published release can be fetched with registry:read, and lead to the root of its manifest', async () => {
  await using app = await testApp({ sample: true })
  const { schema, releases } = await indexOf(app)
  expect(schema).toBe('agent-trust-registry/release-streams@v1')
  expect(releases.length).toBeGreaterThan(3)
  const headers = await app.railsHeaders(['registry:read'])
  for (const { release_id, row_count } of releases) {
    const response = await ask(app, addressOf(release_id), { headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zstd'])
    const lines = Bun.zstdDecompressSync(await response.arrayBuffer())
      .toString()
      .split('\n')
    expect(lines.pop()).toBe('')
    const tree = new GrowingTree()
    for (const line of lines) tree.add(leafHash(utf8(line)))
    const { manifest } = (await findLogged(app.installation.db, release_id)) ?? {}
    expect([tree.size, toBase64(tree.root)]).toEqual([row_count, manifest?.rows_root ?? ''])
  }
  const { release_id = '' } = releases[0] ?? {}
  expect(await codeOf(await ask(app, addressOf(release_id)))).toBe('rails_token_missing')
  expect((await ask(app, addressOf(release_id).replaceAll(':', '%3A'), { headers })).status).toBe(200)
  const others = await app.railsHeaders(['figures:read', 'audit:read'])
  expect(await codeOf(await ask(app, addressOf(release_id), { headers: others }))).toBe('insufficient_scope')
})

test('what a caller has already is not sent again, and HEAD opens nothing', async () => {
  await using app = await testApp()
  const release = await app.publish(aRelease())
  const headers = await app.railsHeaders(['registry:read'])
  const etag = (await ask(app, addressOf(release), { headers })).headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[\w+/]{43}=-zst"$/)
  for (const [more, status] of [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': '"another"' }, 200],
    [{ 'if-match': '"another"' }, 412],
  ] as const)
    expect((await ask(app, addressOf(release), { headers: { ...headers, ...more } })).status).toBe(status)
  // More often than there are places: none of them is kept.
  for (let i = 0; i < 20; i++) {
    const head = await ask(app, addressOf(release), { method: 'HEAD', headers })
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0])
  }
})

test('a release that is staged has no stream for others, one that was withdrawn still has', async () => {
  await using app = await testApp()
  const { db, registryLog, cosign } = app.installation
  const published = await app.publish(aRelease())
  const { rows, ...staged } = aRelease({ edition: 'NEXT', rows: [aPrice({ code: 'G0199' })] })
  await stage(db, staged, rows, new Map(), app.clock.now)
  const headers = await app.railsHeaders(['registry:read'])
  const answer = async (release: string): Promise<number> => (await ask(app, addressOf(release), { headers })).status
  const isListed = async (): Promise<boolean> =>
    Bun.deepEquals((await indexOf(app)).releases, [{ release_id: published, row_count: 1 }])
  expect(await isListed()).toBe(true)
  expect(await answer('cms-pfs:NEXT:1')).toBe(404)
  expect(await answer('cms-pfs:NONE:1')).toBe(404)
  expect((await ask(app, '/releases/..%2Fregistry.db', { headers })).status).toBe(404)

  await withdraw({ db, log: registryLog, cosign }, published, 'wrong_source', app.clock.now)
  expect(await isListed()).toBe(true)
  expect(await answer(published)).toBe(200)
})

test('a release with rows that failed their verification is not given to anyone', async () => {
  await using app = await testApp()
  const release = await app.publish(aRelease({ rows: [aPrice({ code: 'G0101' }), aPrice({ code: 'G0102' })] }))
  const headers = await app.railsHeaders(['registry:read'])
  const store = { DATA_DIR: app.config.DATA_DIR, db: app.installation.db }
  await editFile(store, 1, replacing('12.34', '99.99'))
  const verifier = await loadVerifier(app.installation)
  await verifier.verifyPart(
    release,
    () => app.clock.now,
    async () => undefined,
  )
  expect(await codeOf(await ask(app, addressOf(release), { headers }))).toBe('failed_verification')
})

test('a caller who stops reading or hangs up gives its place to the next one', async () => {
  const queue = new Queue({ atOnce: 1, waiting: 0 })
  const told = { opened: 0, closed: 0 }
  async function* endless(): AsyncGenerator<Uint8Array> {
    told.opened++
    try {
      for (;;) {
        await Bun.sleep(1)
        yield new Uint8Array(64 * 1024)
      }
    } finally {
      told.closed++
    }
  }
  const surface = httpSurface({
    operations: [],
    resources: [
      {
        name: 'get_endless',
        path: '/endless',
        summary: 'A file without end',
        tag: 'discovery',
        cache: 'no-cache',
        forms: [{ type: 'application/zstd', render: () => ({ etag: '"a"', open: sentBy(queue, endless) }) }],
      },
    ],
    gate: { enter: async () => ({}), queue: new Queue() },
    baseUrl: () => 'http://127.0.0.1',
    observe: () => undefined,
    randomId: () => crypto.randomUUID(),
  })
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => surface.fetch(request, '192.0.2.1') })
  const url = `http://127.0.0.1:${server.port}/endless`
  for (let round = 1; round <= 3; round++) {
    const caller = new AbortController()
    const response = await fetch(url, { signal: caller.signal })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    expect((await fetch(url)).status).toBe(503)
    caller.abort()
    for (let i = 0; i < 300 && queue.size > 0; i++) await Bun.sleep(10)
    expect({ size: queue.size, ...told }).toEqual({ size: 0, opened: round, closed: round })
  }
  await server.stop(true)
})
