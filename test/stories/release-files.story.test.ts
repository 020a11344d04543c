import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { loadVerifier } from '../../src/installation.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { sentBy } from '../../src/surfaces/discovery/sent-file.ts'
import { httpSurface } from '../../src/surfaces/http/router.ts'
import { WorkQueue } from '../../src/work-queue.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { editFile, replacing, state } from '../support/release-file.ts'

interface Index {
  schema: string
  files: { release_id: string; file: string; bytes: number }[]
}
/** Not described by the OpenAPI document, and so not checked against it. */
const ask = async ({ app }: TestApp, path: string, init: RequestInit = {}): Promise<Response> =>
  app.fetch(new Request(`${BASE_URL}${path}`, init), '192.0.2.1')
const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code
const indexOf = async (app: TestApp): Promise<Index> => (await (await ask(app, '/releases/index.json')).json()) as Index
const addressOf = (file: string): string => `/releases/${file}.atr.zst`

test('the file of every published release can be fetched with registry:read, and is the one that its name says', async () => {
  await using app = await testApp({ sample: true })
  const { schema, files } = await indexOf(app)
  expect(schema).toBe('agent-trust-registry/release-files@v1')
  expect(files.length).toBeGreaterThan(3)
  const headers = await app.railsHeaders(['registry:read'])
  for (const { file, bytes } of files) {
    const response = await ask(app, addressOf(file), { headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zstd'])
    const unpacked = Bun.zstdDecompressSync(await response.arrayBuffer())
    expect(unpacked.length).toBe(bytes)
    expect(createHash('sha256').update(unpacked).digest('hex')).toBe(file)
  }
  const { file = '' } = files[0] ?? {}
  expect(await codeOf(await ask(app, addressOf(file)))).toBe('rails_token_missing')
  const others = await app.railsHeaders(['figures:read', 'audit:read'])
  expect(await codeOf(await ask(app, addressOf(file), { headers: others }))).toBe('insufficient_scope')
})

test('what a caller has already is not sent again, and HEAD opens nothing', async () => {
  await using app = await testApp()
  await app.publish(aRelease())
  const [{ file } = { file: '' }] = (await indexOf(app)).files
  const headers = await app.railsHeaders(['registry:read'])
  const etag = (await ask(app, addressOf(file), { headers })).headers.get('etag') ?? ''
  expect(etag).toContain(file)
  for (const [more, status] of [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': '"another"' }, 200],
    [{ 'if-match': '"another"' }, 412],
  ] as const)
    expect((await ask(app, addressOf(file), { headers: { ...headers, ...more } })).status).toBe(status)
  // More often than there are places: none of them is kept.
  for (let i = 0; i < 20; i++) {
    const head = await ask(app, addressOf(file), { method: 'HEAD', headers })
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0])
  }
})

test('a release that is staged has no file for others, one that was withdrawn still has', async () => {
  await using app = await testApp()
  const { db, registryLog, cosign } = app.installation
  const published = await app.publish(aRelease())
  const { rows, ...staged } = aRelease({ edition: 'NEXT', rows: [aPrice({ cpt: 'G0199' })] })
  await stage(db, staged, rows, new Map(), app.clock.now)
  const headers = await app.railsHeaders(['registry:read'])
  const answer = async (file: string): Promise<number> => (await ask(app, addressOf(file), { headers })).status
  const store = { DATA_DIR: app.config.DATA_DIR, db }
  const [secret] = await state<{ file: string }>(store, "SELECT file FROM release WHERE state = 'staged'")
  expect((await indexOf(app)).files.map(({ release_id }) => release_id)).toEqual([published])
  expect(await answer(secret?.file ?? '')).toBe(404)
  expect(await answer('ab'.repeat(32))).toBe(404)
  expect((await ask(app, '/releases/..%2Fregistry.db', { headers })).status).toBe(404)

  await withdraw({ db, log: registryLog, cosign }, published, 'wrong_source', app.clock.now)
  const [kept] = (await indexOf(app)).files
  expect(kept?.release_id).toBe(published)
  expect(await answer(kept?.file ?? '')).toBe(200)
})

test('a file with rows that failed their verification is not given to anyone', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ cpt: 'G0101' }), aPrice({ cpt: 'G0102' })] }))
  const [{ file } = { file: '' }] = (await indexOf(app)).files
  const headers = await app.railsHeaders(['registry:read'])
  const store = { DATA_DIR: app.config.DATA_DIR, db: app.installation.db }
  await editFile(store, 1, replacing('12.34', '99.99'))
  const verifier = await loadVerifier(app.installation)
  await verifier.verifyPart(
    'cms-pfs:TEST1:1',
    () => app.clock.now,
    async () => undefined,
  )
  expect(await codeOf(await ask(app, addressOf(file), { headers }))).toBe('failed_verification')
})

test('a caller who stops reading or hangs up gives its place to the next one', async () => {
  const queue = new WorkQueue({ atOnce: 1, waiting: 0 })
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
    gate: { enter: async () => ({}), heavy: new WorkQueue() },
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
