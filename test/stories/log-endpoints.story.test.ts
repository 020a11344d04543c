import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { retireOldKeys, rotateKeys } from '../../src/integrity/key-rotation.ts'
import { commitToLog } from '../../src/integrity/publication.ts'
import { openCheckpoint, parsePolicy, type TrustPolicy } from '../../src/proof/verify-lists.ts'
import { aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

/** C2SP tlog-proof, read from its specification alone, with the inclusion check of RFC 9162 2.1.3.2. */
function readProof(text: string, entry: Uint8Array): { checkpoint: string; holds: boolean } {
  const gap = text.indexOf('\n\n')
  const [magic, index, ...path] = text.slice(0, gap).split('\n')
  const checkpoint = text.slice(gap + 2)
  const [, size = '', root = ''] = checkpoint.split('\n')
  const at = /^index (0|[1-9][0-9]*)$/.exec(index ?? '')?.[1]
  if (magic !== 'c2sp.org/tlog-proof@v1' || at === undefined) throw new Error('not a tlog-proof')
  const hashes = path.map((line) => {
    const hash = Buffer.from(line, 'base64')
    if (hash.length !== 32 || hash.toString('base64') !== line) throw new Error('not a hash')
    return hash
  })
  let [fn, sn] = [BigInt(at), BigInt(size) - 1n]
  let r = sha256(Buffer.of(0), entry)
  if (fn > sn) return { checkpoint, holds: false }
  for (const hash of hashes) {
    if (sn === 0n) return { checkpoint, holds: false }
    if ((fn & 1n) === 1n || fn === sn) {
      r = sha256(Buffer.of(1), hash, r)
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n]
    } else r = sha256(Buffer.of(1), r, hash)
    ;[fn, sn] = [fn >> 1n, sn >> 1n]
  }
  return { checkpoint, holds: sn === 0n && r.toString('base64') === root }
}

const append = ({ installation: { db, registryLog, cosign }, clock }: TestApp, bodies: Uint8Array[]): Promise<number> =>
  commitToLog({ db, log: registryLog, cosign }, clock.now, (_, add) => add(bodies))
const textAt = async (app: TestApp, path: string): Promise<string> => (await app.request(path)).text()

test('the tlog-proof of every entry holds for that entry and for no other', async () => {
  await using app = await testApp()
  const entries = Array.from({ length: 260 }, (_, i) => Buffer.from(`entry ${i}`))
  const first = await append(app, entries)
  for (const i of [0, 1, 2, 100, 254, 255, 256, 258, 259]) {
    const { checkpoint, holds } = readProof(
      await textAt(app, `/log/registry/proof/${first + i}`),
      entries[i] as Uint8Array,
    )
    expect([i, holds]).toEqual([i, true])
    expect(checkpoint).toBe(await textAt(app, '/log/registry/checkpoint'))
    expect(await openCheckpoint(checkpoint, app.policy)).toMatchObject({ ok: true, head: { size: first + 260 } })
    const other = readProof(
      await textAt(app, `/log/registry/proof/${first + ((i + 1) % 260)}`),
      entries[i] as Uint8Array,
    )
    expect(other.holds).toBe(false)
  }
})

test('a log of one entry has a proof without hashes', async () => {
  await using app = await testApp()
  const [state] = await app.installation.db.query<{ body: Uint8Array }>('SELECT body FROM log_leaf')
  const text = await textAt(app, '/log/registry/proof/0')
  expect(text).toStartWith('c2sp.org/tlog-proof@v1\nindex 0\n\nregistry.example/log/registry\n1\n')
  expect(readProof(text, state?.body ?? new Uint8Array()).holds).toBe(true)
})

test('proofs are for all, not cached, and only of what is public', async () => {
  await using app = await testApp({ sample: true })
  for (const log of ['registry', 'figures']) {
    const size = Number((await textAt(app, `/log/${log}/checkpoint`)).split('\n')[1])
    const last = await app.request(`/log/${log}/proof/${size - 1}`)
    expect([last.status, last.headers.get('content-type'), last.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'no-cache',
    ])
    for (const no of [size, '00', '-1', '+1', '1e3', '0x0', '9007199254740993', '99999999999999999', '', ' 1'])
      expect([no, (await app.request(`/log/${log}/proof/${no}`)).status]).toEqual([no, 404])
  }
})

test('entry bundles are compressed for those who take it', async () => {
  await using app = await testApp()
  await app.publish(aRelease())
  const path = '/log/registry/tile/entries/000.p/3'
  const get = (headers: Record<string, string> = {}, method = 'GET') => app.request(path, { headers, method })
  const plain = await get()
  const bytes = await plain.bytes()
  expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding'])
  const unpack = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  for (const [taken, coding] of [
    ['gzip', 'gzip'],
    ['br, gzip;q=0.5', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['*', 'br'],
    ['GZIP;q=1.0, identity', 'gzip'],
  ] as const) {
    const zipped = await get({ 'accept-encoding': taken })
    expect([taken, zipped.headers.get('content-encoding'), zipped.headers.get('vary')]).toEqual([
      taken,
      coding,
      'Accept-Encoding',
    ])
    const body = await zipped.bytes()
    expect(zipped.headers.get('content-length')).toBe(String(body.length))
    expect(body.length).toBeLessThan(bytes.length)
    expect(Buffer.from(unpack[coding](body)).equals(bytes)).toBe(true)
  }
  for (const refused of ['gzip;q=0', '*;q=0, gzip;q=0.000', 'identity', 'deflate', 'xgzip'])
    expect([refused, (await get({ 'accept-encoding': refused })).headers.get('content-encoding')]).toEqual([
      refused,
      null,
    ])
  // Two forms have two names: a cache that holds the one is not told that it holds the other.
  const zipped = await get({ 'accept-encoding': 'gzip' }, 'HEAD')
  const etag = zipped.headers.get('etag') ?? ''
  expect(etag).not.toBe(plain.headers.get('etag') ?? '')
  expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(304)
  expect((await get({ 'if-none-match': etag })).status).toBe(200)
})

test('the policy of a running service shows rotated and retired keys at once', async () => {
  await using app = await testApp()
  const { db, registryLog, figuresLog, keyFile } = app.installation
  const logs = [registryLog, figuresLog]
  const before = await textAt(app, '/log/registry/checkpoint')
  const kinds = async () => (await textAt(app, '/log/policy')).match(/^(log|#retired)/gm)
  expect(await kinds()).toEqual(['log', 'log'])
  await rotateKeys(db, logs, keyFile)
  expect(await kinds()).toEqual(['log', 'log', 'log', 'log'])
  await retireOldKeys(db, logs, keyFile)
  expect(await kinds()).toEqual(['log', 'log', '#retired', '#retired'])
  await app.publish(aRelease())
  const policy = parsePolicy(await textAt(app, '/log/policy')) as TrustPolicy
  expect(await openCheckpoint(before, policy)).toMatchObject({ ok: true, retired: true })
  expect(await openCheckpoint(await textAt(app, '/log/registry/checkpoint'), policy)).toMatchObject({
    ok: true,
    retired: false,
  })
})

test('whoever clones a log uses a quota of its own, and not that of the other routes', async () => {
  await using app = await testApp({ limits: { enabled: true, default_rpm: 3, log_rpm: 9 } })
  const release_id = await app.publish(aRelease())
  const paths = [
    ...['registry/checkpoint', 'registry/tile/0/000.p/1', 'registry/tile/entries/000.p/1', 'registry/proof/0'],
    ...['figures/checkpoint', `releases/${release_id}/tile/0/000.p/1`, 'registry/tile/0/001', 'registry/proof/99'],
  ]
  for (const path of paths)
    expect((await app.request(`/log/${path}`)).headers.get('ratelimit-policy')).toBe('"log";q=9;w=60')
  expect((await app.request('/log/registry/checkpoint')).status).toBe(200)
  const refused = await app.request('/log/registry/checkpoint')
  expect([refused.status, await refused.json()]).toMatchObject([429, { 'violated-policies': ['log'] }])
  for (const status of [200, 200, 200, 429]) expect((await app.request('/log/policy')).status).toBe(status)
})
