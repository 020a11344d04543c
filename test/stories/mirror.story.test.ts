import { expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePolicy, type TrustPolicy, verifyBody } from '../../src/proof/verify-lists.ts'
import { createKey } from '../../src/rails/keys.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { StaticTree } from '../../tools/mirror/static-tree.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { MirrorWorld, type ServedMirror, shownBy, withoutId } from '../support/mirror-world.ts'

const GOOD = { alarms: [], notes: [] }
interface Index {
  releases: { release_id: string; row_count: number }[]
}

/** The service and its mirror give the same bytes, but for the name of the request. */
async function expectSame(
  world: MirrorWorld,
  mirror: ServedMirror,
  path: string,
  init: RequestInit = {},
): Promise<string> {
  const [theirs, ours] = await Promise.all([
    withoutId(await world.ask(path, init)),
    withoutId(await mirror.ask(path, init)),
  ])
  expect([path, ours]).toEqual([path, theirs])
  return ours.slice(4)
}

test('a mirror gives the same bytes as the service, for prices, absences, lists and the log itself', async () => {
  await using world = await MirrorWorld.start({ sample: true })
  expect(await world.mirror()).toMatchObject({ ...GOOD, releases: 13, brought: 13 })
  await using mirror = await world.serve()
  const policy = parsePolicy(world.policy) as TrustPolicy
  const codes = ['99213', '99214', '80053', 'J0585', 'E0601', 'G0101', '99999', '0001U', '00100', 'x']
  const places = ['', '&region=US-AK-01', '&region=99001', '&npi=1234567893', '&npi=1245319599', '&as_of=2020-01-01']
  const more = [
    '&setting=facility',
    '&modifier=26',
    '&modifier=25',
    '&modifier=51',
    '&basis=medicare_opps',
    '&proof=ref',
  ]
  let proved = 0
  for (const cpt of codes) {
    for (const rest of [...places, ...more]) {
      const body = await expectSame(world, mirror, `/reference?cpt=${cpt}${rest}`)
      const question = Object.fromEntries(new URLSearchParams(`cpt=${cpt}${rest}`)) as { cpt: string }
      if (!/"(proof|absence)":/.test(body) || rest === '&proof=ref') continue
      expect(await verifyBody(body, policy, { question: { as_of: '2026-11-15', ...question } })).toMatchObject({
        ok: true,
      })
      proved++
    }
    await expectSame(world, mirror, `/reference/sheet?cpt=${cpt}`)
    await expectSame(world, mirror, `/reference/history?cpt=${cpt}`)
  }
  expect(proved).toBeGreaterThan(50)
  const lines = codes.slice(0, 8).map((cpt) => ({ cpt, units: 2, billed: '100.00' }))
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ lines }) }
  await expectSame(world, mirror, '/reference/batch', post)
  const index = JSON.parse(await expectSame(world, mirror, '/releases/index.json')) as Index
  for (const { release_id: release } of index.releases) {
    for (const row of [0, 5, 100_000]) await expectSame(world, mirror, `/rows/${encodeURIComponent(release)}/${row}`)
    await expectSame(world, mirror, `/log/releases/${encodeURIComponent(release)}/tile/0/000.p/5`)
  }
  for (const path of ['/api/coverage', '/api/releases', '/api/figures', '/log/policy', '/feed.atom'])
    await expectSame(world, mirror, path)
  await expectSame(world, mirror, '/api/releases/diff?from=cms-pfs:SAMPLE26A:1&to=cms-pfs:SAMPLE26D:1')
  for (const log of ['registry', 'figures'])
    for (const path of ['checkpoint', 'tile/0/000.p/9', 'proof/0', 'proof/8', 'tile/0/001'])
      await expectSame(world, mirror, `/log/${log}/${path}`)
  await expectSame(world, mirror, '/log/registry/tile/entries/000.p/15')
})

test('what a static host shows of the folder is what the service shows under the same paths', async () => {
  await using world = await MirrorWorld.start({ sample: true })
  await world.mirror()
  const shown = shownBy(world.tree)
  const headers = { 'x-agent-rails': (await world.app.railsHeaders(['registry:read']))['x-agent-rails'] ?? '' }
  expect(Object.keys(shown).length).toBeGreaterThan(30)
  for (const path of Object.keys(shown)) {
    const response = await world.ask(path.replaceAll(':', '%3A'), { headers })
    expect([path, response.status]).toEqual([path, 200])
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(readFileSync(world.tree.path(path))))
  }
})

test('a mirror of a static host, which asks for no key, is the same folder', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease({ rows: [aPrice({ code: 'G0101' }), aPrice({ code: 'G0102' })] }))
  await world.mirror()
  const host = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const file = Bun.file(world.tree.path(decodeURIComponent(new URL(request.url).pathname)))
      return existsSync(file.name ?? '') ? new Response(file) : new Response(null, { status: 404 })
    },
  })
  const second = new StaticTree(join(world.folder.path, 'second'))
  const round = await world.mirror({ tree: second, url: `http://127.0.0.1:${host.port}`, key: '' })
  await host.stop(true)
  expect(round).toMatchObject({ ...GOOD, brought: 1 })
  expect(shownBy(second)).toEqual(shownBy(world.tree))
  await using mirror = await world.serve(second)
  await expectSame(world, mirror, '/reference?cpt=G0102')
})

test('a mirror that is served sees what a later round has brought, also a withdrawal', async () => {
  await using world = await MirrorWorld.start()
  const { db, registryLog, cosign } = world.app.installation
  const first = aRelease({ rows: [aPrice({ code: 'G0101' })] })
  await world.app.publish(first)
  await world.mirror()
  await using mirror = await world.serve()
  await expectSame(world, mirror, '/reference?cpt=G0101')
  const old = await withoutId(await mirror.ask('/reference?cpt=G0101'))

  const price = { amount: '99.00', currency: 'USD' } as const
  const second = await world.app.publish(
    aRelease({ edition: 'TEST2', effective_from: '2026-06-01', rows: [aPrice({ code: 'G0101', price })] }),
  )
  // Until the next round the answer is the old one, under the old checkpoint.
  expect(await withoutId(await mirror.ask('/reference?cpt=G0101'))).toBe(old)
  expect(await world.mirror()).toMatchObject({ ...GOOD, releases: 2, brought: 1 })
  expect(await expectSame(world, mirror, '/reference?cpt=G0101')).toContain('99.00')
  await withdraw({ db, log: registryLog, cosign }, second, 'wrong_source', world.app.clock.now)
  expect(await world.mirror()).toMatchObject({ ...GOOD, releases: 2, brought: 0 })
  expect(await expectSame(world, mirror, '/reference?cpt=G0101')).toContain('12.34')
  await expectSame(world, mirror, `/rows/${second}/0`)
  await expectSame(world, mirror, '/api/releases?state=withdrawn')
  expect(await world.mirror()).toMatchObject({ ...GOOD, brought: 0 })
})

test('a mirror refuses what it does not have, says where to ask, and says how old it is', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease())
  await world.mirror()
  await using mirror = await world.serve()
  const gets = [
    '/api/registry',
    '/api/data-integrity',
    '/api/provider/1234567893',
    '/api/figure-changes',
    '/api/agent-rails/policy',
  ]
  const bytes = [
    '/log/figures/tile/entries/000.p/1',
    '/log/releases/cms-pfs:TEST1:1/tile/entries/000.p/1',
    '/releases/cms-pfs:TEST1:1.ndjson.zst',
  ]
  const metadata = ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource']
  const problem = async (path: string, init: RequestInit = {}) => (await mirror.ask(path, init)).json()
  const refused = { status: 501, code: 'not_on_mirror', service: world.url }
  for (const path of [...gets, ...bytes, ...metadata])
    expect([path, await problem(path)]).toMatchObject([path, refused])
  const headers = { 'x-agent-key': world.key, 'content-type': 'application/json' }
  for (const step of ['challenge', 'attest'])
    expect(
      await problem(`/api/agent-rails/${step}`, { method: 'POST', headers, body: '{"nonce":"atn_x"}' }),
    ).toHaveProperty('status')
  expect((await mirror.ask('/token', { method: 'POST' })).status).toBe(404)

  const status = async () =>
    (await (await mirror.ask('/api/status')).json()) as { status: string; status_reasons: string[] }
  expect((await status()).status_reasons.join()).not.toContain('behind')
  world.app.clock.now += 27 * 3_600_000
  expect((await status()).status_reasons).toContain('mirror_behind:2026-11-15T12:00:00.000Z')
  expect((await status()).status).not.toBe('ok')
})

test('a mirror says wherever it describes itself that it is one, cannot issue tokens, and what it answers', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease())
  await world.mirror()
  await using mirror = await world.serve()
  const notice = `This is a mirror of ${world.url}: it answers from a verified copy and cannot issue tokens.`
  const textOf = async (path: string, accept: string): Promise<string> =>
    (await mirror.ask(path, { headers: { accept } })).text()
  for (const page of [
    '/',
    '/bill',
    '/verify',
    '/figures',
    '/status',
    '/docs',
    '/price/G0101',
    '/price/99999',
    '/problems/not_on_mirror',
  ]) {
    expect([page, await textOf(page, 'text/html')]).toEqual([page, expect.stringContaining(notice)])
    expect(await (await world.ask(page, { headers: { accept: 'text/html' } })).text()).not.toContain('a mirror of')
  }
  // What a mirror refuses is not on its lists, and nothing there asks for a token.
  const elsewhere = /\/api\/(registry|data-integrity|provider\/|figure-changes|agent-rails)|X-Agent-Key|rails token/
  for (const [path, accept] of [
    ['/', 'text/markdown'],
    ['/llms.txt', 'text/plain'],
    ['/index.md', 'text/markdown'],
    ['/auth.md', 'text/markdown'],
  ] as const) {
    const text = await textOf(path, accept)
    expect([path, text.replaceAll('\\', '')]).toEqual([path, expect.stringContaining(notice)])
    if (path === '/index.md') expect(text).not.toMatch(elsewhere)
  }
  for (const path of ['/llms.txt', '/index.md'])
    expect(await textOf(path, '*/*')).toContain('GET /reference, GET /reference/sheet,')
  const landing = await textOf('/', 'text/html')
  expect(landing).toContain('GET /reference')
  expect(landing).not.toMatch(elsewhere)

  const note = { of: world.url, notice, answers: expect.arrayContaining(['GET /reference', 'POST /reference/batch']) }
  const status: typeof note = { ...note, answers: expect.not.arrayContaining(['GET /api/registry']) }
  for (const [path, accept] of [
    ['/api/readme', 'application/json'],
    ['/', 'application/json'],
    ['/api/status', 'application/json'],
    ['/status', 'application/json'],
  ] as const) {
    const body = JSON.parse(await textOf(path, accept)) as { mirror: object }
    expect([path, body.mirror]).toEqual([path, note])
    expect(body.mirror).toEqual(status)
  }
  expect(JSON.parse(await textOf('/api/openapi.json', '*/*')).paths).not.toHaveProperty('/api/registry')
})

test('a folder that was damaged is put right by the next round, and goes on from its own checkpoint', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease())
  await world.mirror()
  const { tree } = world
  const before = shownBy(tree)
  writeFileSync(tree.path('/log/registry/tile/0/000.p/3'), new Uint8Array(96))
  writeFileSync(tree.path('/log/registry/tile/entries/000.p/3'), 'none')
  rmSync(tree.inside('registry.db'))
  rmSync(tree.inside('releases'), { recursive: true })
  expect(await world.mirror()).toMatchObject({ ...GOOD, brought: 1 })
  expect(shownBy(tree)).toEqual(before)
  // One byte of a file that is there is noticed too.
  const [name = ''] = readdirSync(tree.inside('releases'))
  const file = join(tree.inside('releases'), name)
  const bytes = readFileSync(file)
  bytes[9_000] = (bytes[9_000] ?? 0) ^ 1
  writeFileSync(file, bytes)
  expect(await world.mirror()).toMatchObject({ ...GOOD, brought: 1 })
  // So is a byte of a stream that others read: it is fetched again.
  writeFileSync(tree.path('/releases/cms-pfs:TEST1:1.ndjson.zst'), 'none')
  expect(await world.mirror()).toMatchObject({ ...GOOD, brought: 1 })
  expect(shownBy(tree)).toEqual(before)
  await using mirror = await world.serve()
  await expectSame(world, mirror, '/reference?cpt=G0101')
})

test('an agent key that is bound to a public key needs its private half', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease())
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const { db, pepper } = world.app.installation
  const parts = {
    db,
    pepper,
    now: async () => world.app.clock.now,
    random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
  }
  const { key } = await createKey(parts, { name: 'bound', scopes: ['registry:read'], publicKey: new Uint8Array(x) })
  const { alarms } = await world.mirror({ key })
  expect(alarms).toMatchObject([{ code: 'rows_unreadable' }])
  const signed = (message: string): string => sign(null, Buffer.from(message), privateKey).toString('base64url')
  expect(await world.mirror({ key, sign: signed })).toMatchObject({ ...GOOD, brought: 1 })
})
