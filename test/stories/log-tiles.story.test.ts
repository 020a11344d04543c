import { expect, test } from 'bun:test'
import { commitToLog, finish } from '../../src/integrity/publication.ts'
import { equalBytes, fromUtf8, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { isManifest, isState, type RegistryEntry } from '../../src/proof/price/release.ts'
import { EMPTY_ROOT, type Hash, leafHash, nodeHash, rangeRoot } from '../../src/proof/tree/merkle.ts'
import { rootInTile, subtreesFromTiles, tilePath, tilesOf } from '../../src/proof/tree/tiles.ts'
import { openCheckpoint, parsePolicy } from '../../src/proof/verify-lists.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'

type Headers = Record<string, string>

async function bytesAt(app: TestApp, path: string, headers: Headers = {}): Promise<Uint8Array> {
  const response = await app.request(path, { headers })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return response.bytes()
}

const statusOf = async (app: TestApp, path: string, headers: Headers = {}): Promise<number> =>
  (await app.request(path, { headers })).status

/** RFC 6962 2.1, word for word. */
function treeHash(leaves: readonly Hash[]): Hash {
  const [only] = leaves
  if (!only) return EMPTY_ROOT
  if (leaves.length === 1) return only
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  return nodeHash(treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)))
}

/** C2SP tlog-tiles: a length of two bytes, the higher first, and the entry, again and again. */
function entriesIn(bundle: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bundle.length; ) {
    const length = (bundle[at] as number) * 256 + (bundle[at + 1] as number)
    entries.push(bundle.slice(at + 2, at + 2 + length))
    at += 2 + length
  }
  return entries
}

/** Every tile of a tree, each hash of a higher level checked against the full tile it stands for. */
async function cloneTiles(app: TestApp, prefix: string, size: number): Promise<{ leaves: Hash[]; root: Hash }> {
  const tiles = new Map<string, Uint8Array>()
  const at = (level: number, n: number): Uint8Array => tiles.get(`${level}/${n}`) ?? new Uint8Array()
  for (const { level, n, width } of tilesOf(size)) {
    const hashes = await bytesAt(app, `${prefix}/${tilePath(level, n, width)}`)
    expect(hashes.length).toBe(width * 32)
    tiles.set(`${level}/${n}`, hashes)
    for (let i = 0; level > 0 && i < width; i++) {
      const below = rootInTile(at(level - 1, n * 256 + i), 0, 256)
      expect(equalBytes(below, rootInTile(hashes, i, 1))).toBe(true)
    }
  }
  const leaves = Array.from({ length: size }, (_, i) => rootInTile(at(0, Math.floor(i / 256)), i % 256, 1))
  return {
    leaves,
    root: await rangeRoot(
      0,
      size,
      subtreesFromTiles(async (level, n) => at(level, n)),
    ),
  }
}

/** A whole log as a stranger gets it: only the policy is pinned. */
async function cloneLog(app: TestApp, name: string, headers: Headers = {}): Promise<Uint8Array[]> {
  const policy = parsePolicy(await (await app.request('/log/policy')).text())
  if (!policy) throw new Error('the policy cannot be read')
  const prefix = `/log/${name}`
  const opened = await openCheckpoint(await (await app.request(`${prefix}/checkpoint`)).text(), policy)
  if (!opened.ok) throw new Error(opened.reason)
  const { origin, size, root } = opened.head
  expect(origin).toBe(`registry.example/log/${name}`)

  const bundles = tilesOf(size).filter(({ level }) => level === 0)
  const entries: Uint8Array[] = []
  for (const { n, width } of bundles)
    entries.push(...entriesIn(await bytesAt(app, `${prefix}/${tilePath('entries', n, width)}`, headers)))
  const leaves = entries.map(leafHash)
  const tree = await cloneTiles(app, prefix, size)
  expect(tree.leaves.map(toBase64)).toEqual(leaves.map(toBase64))
  expect([toBase64(treeHash(leaves)), toBase64(tree.root)]).toEqual([toBase64(root), toBase64(root)])
  return entries
}

/** Adds entries to the registry log as publishing does; what they say does not matter to its tree. */
async function append(app: TestApp, bodies: readonly Uint8Array[]): Promise<void> {
  await commitToLog(publisherOf(app), app.clock.now, (_, add) => add(bodies))
}

const publisherOf = ({ installation: { db, registryLog, cosign } }: TestApp) => ({ db, log: registryLog, cosign })

const entryOf = (entry: Uint8Array): RegistryEntry => JSON.parse(fromUtf8(entry)) as RegistryEntry

const numbered = (count: number): Uint8Array[] => Array.from({ length: count }, (_, i) => utf8(`entry ${i}`))

test('a stranger clones both logs and every release, and derives the roots that were signed', async () => {
  await using app = await testApp({ sample: true })
  const entries = (await cloneLog(app, 'registry')).map(entryOf)
  const manifests = entries.filter(isManifest)
  // The state that follows from each of the others stands after it, so the last entry is one.
  expect(entries.map((entry) => isState(entry))).toEqual(entries.map((_, i) => i % 2 === 0))
  expect(entries.length).toBe(1 + 2 * manifests.length)
  const changes = await cloneLog(app, 'figures', await app.railsHeaders(['audit:read']))
  expect(changes.length).toBeGreaterThan(2)
  expect(manifests.length).toBeGreaterThan(2)
  for (const { release_id, row_count, rows_root } of manifests) {
    const { root } = await cloneTiles(app, `/log/releases/${release_id}`, row_count)
    expect([release_id, toBase64(root)]).toEqual([release_id, rows_root])
  }
})

test('each log begins with the state that there is nothing yet, and has no tile beyond it', async () => {
  await using app = await testApp()
  const headers = await app.railsHeaders(['audit:read'])
  const [state, ...changes] = await cloneLog(app, 'figures', headers)
  expect([changes, JSON.parse(fromUtf8(state as Uint8Array))]).toMatchObject([
    [],
    { schema: 'figures-state/1', release_id: null, cases_floor10: null },
  ])
  for (const path of ['tile/0/000', 'tile/0/000.p/2', 'tile/1/000.p/1', 'tile/entries/000.p/2', 'tile/entries/000'])
    expect(await statusOf(app, `/log/figures/${path}`, headers)).toBe(404)
  const [first, ...more] = (await cloneLog(app, 'registry')).map(entryOf)
  expect([more, first]).toMatchObject([[], { schema: 'registry-state/2', timeline_size: 0, providers_size: 0 }])
})

test('the clone follows the log as it grows over the edge of a tile', async () => {
  await using app = await testApp()
  let size = 0
  for (const next of [1, 254, 255, 256, 300]) {
    await append(app, numbered(next).slice(size))
    size = next
    expect((await cloneLog(app, 'registry')).slice(1).map(fromUtf8)).toEqual(numbered(size).map(fromUtf8))
  }
})

test('a tile is there as far as the tree is, at every width, and no further', async () => {
  await using app = await testApp()
  await append(app, numbered(599)) // after the state that the log began with
  const tile = (path: string): Promise<Uint8Array> => bytesAt(app, `/log/registry/tile/${path}`)
  const [full, last, above] = [await tile('0/000'), await tile('0/002.p/88'), await tile('1/000.p/2')]
  expect([full.length, last.length, above.length]).toEqual([8192, 88 * 32, 64])
  const bundle = entriesIn(await tile('entries/001'))
  expect(bundle.map(fromUtf8)).toEqual(
    numbered(599)
      .slice(255, 511)
      .map((body) => fromUtf8(body)),
  )

  for (let width = 1; width < 256; width++) {
    expect(equalBytes(await tile(`0/000.p/${width}`), full.slice(0, width * 32))).toBe(true)
    expect(entriesIn(await tile(`entries/001.p/${width}`))).toEqual(bundle.slice(0, width))
    const status = width <= 88 ? 200 : 404
    expect([width, await statusOf(app, `/log/registry/tile/0/002.p/${width}`)]).toEqual([width, status])
    expect([width, await statusOf(app, `/log/registry/tile/entries/002.p/${width}`)]).toEqual([width, status])
  }
  const beyond = ['0/002', '0/003', '0/003.p/1', '0/x001/000', '1/000', '1/000.p/3', '1/001.p/1', '2/000.p/1', '63/000']
  for (const path of [...beyond, 'entries/002', 'entries/003.p/1', 'entries/x999/x999/x999/x999/999.p/255']) {
    const response = await app.request(`/log/registry/tile/${path}`)
    expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 404, 'no-store'])
    expect(await response.json()).toMatchObject({ code: 'route_not_found' })
  }
})

test('what is signed and not yet public cannot be read', async () => {
  await using app = await testApp()
  const { db, registryLog } = app.installation
  await append(app, numbered(254))
  const before = await bytesAt(app, '/log/registry/checkpoint')
  await db.transaction((tx) => registryLog.append(tx, numbered(299).slice(254), app.clock.now))

  const beyond = ['0/000', '0/001.p/44', '1/000.p/1', 'entries/000', 'entries/001.p/1']
  for (const path of beyond) expect([path, await statusOf(app, `/log/registry/tile/${path}`)]).toEqual([path, 404])
  expect(await bytesAt(app, '/log/registry/checkpoint')).toEqual(before)
  expect((await cloneLog(app, 'registry')).length).toBe(255)

  await finish(publisherOf(app))
  for (const path of beyond) expect([path, await statusOf(app, `/log/registry/tile/${path}`)]).toEqual([path, 200])
  expect((await cloneLog(app, 'registry')).length).toBe(300)
})

test('entries of any size the log takes come back whole', async () => {
  await using app = await testApp()
  const bodies = [new Uint8Array(), new Uint8Array(65_535).fill(255), utf8('x'), new Uint8Array(256)]
  await append(app, bodies)
  expect((await cloneLog(app, 'registry')).slice(1)).toEqual(bodies)
})

test('the row hashes of a large release are tiles in three levels', async () => {
  await using app = await testApp()
  const rows = Array.from({ length: 70_000 }, (_, i) => aPrice({ code: String(i).padStart(5, '0') }))
  const release_id = await app.publish(aRelease({ rows }))
  const prefix = `/log/releases/${release_id}/tile`
  const widths: [string, number][] = [
    ['0/000', 256],
    ['0/272', 256],
    ['0/273.p/112', 112],
    ['0/273.p/1', 1],
    ['0/272.p/255', 255],
    ['1/000', 256],
    ['1/001.p/17', 17],
    ['2/000.p/1', 1],
  ]
  for (const [path, width] of widths) expect((await bytesAt(app, `${prefix}/${path}`)).length).toBe(width * 32)
  for (const path of ['0/273', '0/273.p/113', '0/274.p/1', '1/001.p/18', '1/001', '2/000.p/2', '2/000', '3/000.p/1'])
    expect([path, await statusOf(app, `${prefix}/${path}`)]).toEqual([path, 404])
  const [manifest] = (await cloneLog(app, 'registry')).map(entryOf).filter(isManifest)
  const { row_count = 0, rows_root = '' } = manifest ?? {}
  const { leaves, root } = await cloneTiles(app, `/log/releases/${release_id}`, row_count)
  expect([leaves.length, toBase64(root)]).toEqual([70_000, rows_root])
})

test('a release has tiles once it can be read, under its name in either spelling', async () => {
  await using app = await testApp()
  const { db } = app.installation
  const { rows, ...release } = aRelease({ edition: 'NEXT' })
  const staged = await stage(db, release, rows, new Map(), app.clock.now)
  const { release_id } = staged.release
  const [plain, encoded] = [release_id, encodeURIComponent(release_id)].map(
    (name) => `/log/releases/${name}/tile/0/000.p/1`,
  ) as [string, string]
  expect(plain).not.toBe(encoded)
  expect([await statusOf(app, plain), await statusOf(app, encoded)]).toEqual([404, 404])

  const cosign = { isEnough: async () => false, ask: () => Promise.reject(new Error('no witness answers')) }
  await expect(publish({ ...publisherOf(app), cosign }, release_id, app.clock.now)).rejects.toThrow(
    'no witness answers',
  )
  expect([await statusOf(app, plain), await statusOf(app, encoded)]).toEqual([404, 404])
  await finish(publisherOf(app))
  expect(await bytesAt(app, encoded)).toEqual(await bytesAt(app, plain))
  for (const name of ['cms-pfs:NONE:1', '%', '%2e%2e', "'", '0', release_id.toUpperCase()])
    expect([name, await statusOf(app, `/log/releases/${name}/tile/0/000.p/1`)]).toEqual([name, 404])
})

test('the rows of a release are bundles for those who may read the registry, also when it was withdrawn', async () => {
  await using app = await testApp()
  const rows = Array.from({ length: 300 }, (_, i) => aPrice({ code: String(i).padStart(5, '0') }))
  const release_id = await app.publish(aRelease({ rows }))
  await withdraw(publisherOf(app), release_id, 'wrong_source', app.clock.now)
  const prefix = `/log/releases/${release_id}`
  const headers = await app.railsHeaders(['registry:read'])
  const first = entriesIn(await bytesAt(app, `${prefix}/tile/entries/000`, headers))
  const last = entriesIn(await bytesAt(app, `${prefix}/tile/entries/001.p/44`, headers))
  const { leaves } = await cloneTiles(app, prefix, rows.length)
  expect([...first, ...last].map((body) => toBase64(leafHash(body)))).toEqual(leaves.map(toBase64))
  expect(entriesIn(await bytesAt(app, `${prefix}/tile/entries/001.p/3`, headers))).toEqual(last.slice(0, 3))

  expect(await app.problem(`${prefix}/tile/entries/000`)).toMatchObject({ status: 401, code: 'rails_token_missing' })
  expect(
    await app.problem(`${prefix}/tile/entries/000`, { headers: await app.railsHeaders(['audit:read']) }),
  ).toMatchObject({ status: 403, required_scopes: ['registry:read'] })
  const paths = ['tile/entries/001.p/45', 'tile/entries/001', 'tile/entries/002.p/1', 'tile/entries/x999/999/000']
  for (const path of [...paths.map((each) => `${prefix}/${each}`), '/log/releases/no:such:1/tile/entries/000.p/1'])
    expect([path, await statusOf(app, path, headers)]).toEqual([path, 404])
})

test('the entries of the figures log are for auditors; its hashes and those of the registry are for all', async () => {
  await using app = await testApp({ sample: true })
  const path = '/log/figures/tile/entries/000.p/1'
  expect(await app.problem(path)).toMatchObject({ status: 401, code: 'rails_token_missing' })
  expect(await app.problem('/log/figures/tile/entries/no-such')).toMatchObject({ status: 401 })
  expect(await app.problem(path, { headers: await app.railsHeaders(['registry:read']) })).toMatchObject({
    status: 403,
    code: 'insufficient_scope',
    required_scopes: ['audit:read'],
  })
  const headers = await app.railsHeaders(['audit:read'])
  const entries = await app.request(path, { headers })
  expect([entries.status, entries.headers.get('cache-control'), entries.headers.get('vary')]).toEqual([
    200,
    'private, max-age=31536000, immutable',
    'Accept-Encoding, X-Agent-Rails, Authorization',
  ])
  expect(await statusOf(app, '/log/figures/tile/entries/000', headers)).toBe(404)
  // An address that only looks like another one is not the other one.
  for (const other of ['%65ntries/000.p/1', '/entries/000.p/1', 'entries%2F000.p/1', 'Entries/000.p/1'])
    expect(await statusOf(app, `/log/figures/tile/${other}`)).toBe(404)
  const open = await app.request('/log/figures/tile/0/000.p/1')
  expect([open.status, open.headers.get('cache-control'), open.headers.get('vary')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    null,
  ])
})

test('method, query, quota and caching follow the rules of every other route', async () => {
  await using app = await testApp({ limits: { enabled: true, default_rpm: 120 } })
  const release_id = await app.publish(aRelease())
  const paths = ['registry/checkpoint', 'registry/tile/0/000.p/1', 'registry/tile/entries/000.p/1']
  for (const path of [...paths, `releases/${release_id}/tile/0/000.p/1`].map((each) => `/log/${each}`)) {
    const response = await app.request(path)
    const etag = response.headers.get('etag') ?? ''
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('ratelimit-policy')).toBe('"log";q=6000;w=60')
    const head = await app.request(path, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag])
    expect(head.headers.get('content-type')).toBe(response.headers.get('content-type'))
    const again = await app.request(path, { headers: { 'if-none-match': etag } })
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, response.headers.get('cache-control')])
    const posted = await app.request(path, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(await statusOf(app, `${path}?x=1`)).toBe(400)
    const asked = await app.request(path, { method: 'OPTIONS' })
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  }
  const routes = app.lines.filter(({ method, status }) => method === 'GET' && status === 200).map(({ route }) => route)
  expect(routes).toEqual([
    '/log/registry/checkpoint',
    '/log/registry/tile/{tile}',
    '/log/registry/tile/entries/{bundle}',
    '/log/releases/{release_id}/tile/{tile}',
  ])
})

test('the rails policy lists the addresses of the logs, and the log policy says where each log is', async () => {
  await using app = await testApp()
  const policy = (await app.getJson('/api/agent-rails/policy')) as Record<string, unknown>
  expect(policy['additional_protected_routes']).toEqual({
    '/log/figures/tile/entries/{bundle}': ['audit:read'],
    '/log/releases/{release_id}/tile/entries/{bundle}': ['registry:read'],
    '/releases/{file}': ['registry:read'],
  })
  expect(policy['additional_public_routes']).toEqual(
    expect.arrayContaining([
      '/log/registry/checkpoint',
      '/log/registry/tile/{tile}',
      '/log/registry/tile/entries/{bundle}',
      '/log/figures/checkpoint',
      '/log/figures/tile/{tile}',
      '/log/releases/{release_id}/tile/{tile}',
    ]),
  )
  const lines = (await (await app.request('/log/policy')).text()).split('\n')
  const urls = lines.filter((line) => line.startsWith('log ')).map((line) => line.split(' ')[2])
  expect(urls).toEqual([`${BASE_URL}/log/registry`, `${BASE_URL}/log/figures`])
})
