import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { inFiles } from '../support/engines.ts'
import { temporaryFolder } from '../support/harness.ts'
import { ATR, atr, DemoService, told } from '../support/service.ts'
import { aroundPrism } from '../support/through-prism.ts'

const ENDPOINTS: [string, number, string][] = [
  ['/', 200, 'text/html; charset=utf-8'],
  ['/api/readme', 200, 'application/json'],
  ['/api/figures', 200, 'application/json'],
  ['/api/registry', 401, 'application/problem+json'],
  ['/reference?cpt=99213', 200, 'application/json'],
  ['/api/agent-rails/policy', 200, 'application/json'],
  ['/api/provider/1234567893', 401, 'application/problem+json'],
  ['/api/data-integrity', 401, 'application/problem+json'],
  ['/api/figure-changes', 401, 'application/problem+json'],
  ['/.well-known/ai-plugin.json', 200, 'application/json'],
  ['/.well-known/agent-card.json', 200, 'application/json'],
  ['/api/openapi.json', 200, 'application/json'],
]

let shared: Promise<DemoService> | undefined
/** One service for the tests that leave it as it was. */
const sharedService = (): Promise<DemoService> => {
  shared ??= DemoService.start()
  return shared
}
afterAll(async () => (await shared)?.[Symbol.asyncDispose]())

test('the demo answers every endpoint, and a second start reuses its data', async () => {
  const folder = temporaryFolder()
  const first = await DemoService.startNew({}, folder)
  expect(first.demoKey).toMatch(/^atk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
  for (const [path, status, type] of ENDPOINTS) {
    const response = await fetch(first.url + path)
    expect([path, response.status, response.headers.get('content-type')]).toEqual([path, status, type])
    await response.arrayBuffer()
  }
  const checkpoint = async (url: string) =>
    ((await (await fetch(`${url}/reference?cpt=99213`)).json()) as { proof: { log: { checkpoint: string } } }).proof.log
      .checkpoint
  const before = await checkpoint(first.url)
  expect(await first.stop()).toBe(0)

  const second = await DemoService.start({}, folder)
  expect(second.greeting).not.toContain(first.demoKey)
  expect(await checkpoint(second.url)).toBe(before)
  const challenge = await fetch(`${second.url}/api/agent-rails/challenge`, {
    method: 'POST',
    headers: { 'x-agent-key': first.demoKey },
  })
  expect(challenge.status).toBe(200)
  await second.stop()
  folder[Symbol.dispose]()
})

test('a key made on the command line works at once on the running service, within its scopes', async () => {
  const service = await sharedService()
  const made = await service.atr(['keys', 'create', '--name', 't', '--scopes', 'registry:read', '--json'])
  const { key, key_id, scopes } = JSON.parse(made.out) as { key: string; key_id: string; scopes: string[] }
  expect([key.slice(4, 16), scopes]).toEqual([key_id, ['registry:read']])
  const headers = { 'x-agent-key': key, 'content-type': 'application/json' }
  const { nonce } = (await (
    await fetch(`${service.url}/api/agent-rails/challenge`, { method: 'POST', headers })
  ).json()) as { nonce: string }
  const attest = await fetch(`${service.url}/api/agent-rails/attest`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ nonce }),
  })
  const { rails_token } = (await attest.json()) as { rails_token: string }
  const get = (path: string) => fetch(service.url + path, { headers: { 'x-agent-rails': rails_token } })
  expect((await get('/api/registry')).status).toBe(200)
  const integrity = await get('/api/data-integrity')
  expect([integrity.status, await integrity.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'insufficient_scope' }),
  ])

  const revoked = await service.atr(['keys', 'revoke', key_id, '--json'])
  expect(revoked.code).toBe(0)
  expect((await get('/api/registry')).status).toBe(401)
})

test('atr verify accepts what the service answered and names what is wrong with a forgery', async () => {
  const service = await sharedService()
  const policy = join(service.folder.path, 'policy')
  writeFileSync(policy, await (await fetch(`${service.url}/log/policy`)).text())
  const check = (body: string, cpt = '99213') =>
    service.atr(['verify', '-', '--policy', policy, '--cpt', cpt, '--as-of', '2026-11-15'], body)
  const row = await (await fetch(`${service.url}/reference?cpt=99213&as_of=2026-11-15`)).text()
  expect(await check(row)).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
  expect(await check(row.replace('95.19', '95.18'))).toMatchObject({
    code: 1,
    out: 'failed: leaf_hash_mismatch\nThe row was changed: its hash is not the stated one.\n',
  })
  expect(await check(row.replace('"line":', '"line":1'))).toMatchObject({ code: 1 })
  const absent = await (await fetch(`${service.url}/reference?cpt=99999&as_of=2026-11-15`)).text()
  expect(await check(absent, '99999')).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
  for (const [body, cpt] of [
    [row, '99214'],
    [absent, '99213'],
  ] as const)
    expect(await check(body, cpt)).toMatchObject({ code: 1 })
  const unasked = await service.atr(['verify', '-', '--policy', policy], row)
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('give the question that was asked')])
  expect(await service.atr(['verify', '-', '--policy', policy, '--any'], row)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ok\n/),
  })
  const address = `${service.url}/reference?cpt=99213&as_of=2026-11-15`
  expect(await service.atr(['verify', address, '--policy', policy])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ok\n/),
  })
  // The row is not the answer where a modifier changes it.
  const assisted = `${service.url}/reference?cpt=27447&modifier=80&as_of=2026-11-15`
  const { out: said } = await service.atr(['verify', assisted, '--policy', policy])
  expect(said).toMatch(/\nwith modifier 80: 187\.90 USD, 0\.160 of 27447\|/)
  const refused = `${service.url}/reference?cpt=99213&modifier=62&as_of=2026-11-15`
  expect((await service.atr(['verify', refused, '--policy', policy])).out).toMatch(
    /^ok\nno price: modifier_not_allowed\nnot the answer, but the row without modifier 62: price 95\.19 USD: 99213\|/,
  )
  const coverage = `${service.url}/api/coverage`
  expect(await service.atr(['verify', coverage, '--policy', policy])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ok\n/),
  })
  const checkList = async (path: string) =>
    service.atr(['verify', '-', '--policy', policy], await (await fetch(service.url + path)).text())
  const { out } = await checkList('/api/releases')
  expect(out).toMatch(/cms-pfs:SAMPLE26D:1: in force from \S+ to \S+ \(sample data\)\n/)
  expect((await checkList('/api/releases?chart=cms-pfs')).out).toStartWith('failed: releases_left_out\n')
  expect(await check('{}')).toMatchObject({ code: 1, out: expect.stringMatching(/^failed: row_malformed\n/) })
  expect(await check('[]')).toMatchObject({ code: 1, out: expect.stringMatching(/^failed: not_recognised\n/) })
  expect(await check('nonsense')).toMatchObject({ code: 1, out: expect.stringMatching(/^failed: json_malformed\n/) })
})

test('without a store the service does not start, and creates nothing', async () => {
  using folder = temporaryFolder()
  const DATA_DIR = join(folder.path, 'data')
  for (const args of [['serve'], ['keys', 'list'], ['fsck']]) {
    const { code, err } = await atr(args, { DATA_DIR })
    expect([code, err]).toEqual([3, 'atr: there is no registry store here: run `atr init` first\n'])
  }
  expect(existsSync(DATA_DIR)).toBe(false)
})

test('a missing or damaged store, log key or pepper stops the service with one sentence', async () => {
  using folder = temporaryFolder()
  const damage: [string, (file: string) => void, RegExp][] = [
    ['registry.db', (file) => rmSync(file), /the store is missing/],
    ['registry.db', (file) => writeFileSync(file, 'not a database at all'.repeat(100)), /store is damaged/],
    ['registry.db', (file) => writeFileSync(file, ''), /store is empty/],
    ['log-keys', (file) => rmSync(file), /the log key is missing/],
    ['log-keys', (file) => writeFileSync(file, 'PRIVATE+KEY+x'), /log key file is damaged/],
    ['pepper', (file) => rmSync(file), /the pepper is missing/],
    ['pepper', (file) => writeFileSync(file, 'short'), /pepper file is damaged/],
  ]
  const settings = { PORT: '0', ...inFiles('files of the store are damaged') }
  const sound = join(folder.path, 'sound')
  expect((await atr(['init'], { DATA_DIR: sound, ...settings })).code).toBe(0)
  for (const [i, [name, harm, said]] of damage.entries()) {
    const env = { DATA_DIR: join(folder.path, String(i)), ...settings }
    cpSync(sound, env.DATA_DIR, { recursive: true })
    harm(join(env.DATA_DIR, name))
    for (const args of [['serve'], ['serve', '--demo']]) {
      const { code, err } = await atr(args, env)
      expect([name, code, err.trim().split('\n').length]).toEqual([name, 3, 1])
      expect(err).toMatch(said)
    }
  }
})

test('another installation\u2019s log key does not fit', async () => {
  using folder = temporaryFolder()
  const [one, two] = ['one', 'two'].map((name) => ({ DATA_DIR: join(folder.path, name), PORT: '0' }))
  for (const env of [one, two]) expect((await atr(['init'], env)).code).toBe(0)
  writeFileSync(join(one?.DATA_DIR ?? '', 'log-keys'), readFileSync(join(two?.DATA_DIR ?? '', 'log-keys')))
  const { code, err } = await atr(['serve'], one)
  expect([code, err]).toEqual([3, 'atr: the registry log was signed with another key: check SIGNING_KEY_FILE\n'])
})

test('a damaged page in the middle of the store is found before serving', async () => {
  await using service = await DemoService.start(inFiles('a page of the store is damaged'))
  await service.stop()
  const file = join(service.folder.path, 'data', 'registry.db')
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 8 * 4096, 40 * 4096)
  writeFileSync(file, bytes)
  const { code, err } = await atr(['serve', '--demo'], service.environment)
  expect([code, err]).toEqual([3, 'atr: the registry store is damaged: restore it from a backup\n'])
})

test('init makes a store once, and settings that make no sense are named', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data'), ...inFiles('the files of a new store are listed') }
  expect((await atr(['init', '--json'], env)).code).toBe(0)
  expect(readdirSync(env.DATA_DIR).sort()).toEqual(['log-keys', 'pepper', 'registry.db'])
  expect((await atr(['init'], env)).code).toBe(3)
  appendFileSync(join(folder.path, 'x'), '')
  expect(await atr(['serve'], { ...env, PORT: 'eighty' })).toMatchObject({
    code: 3,
    err: expect.stringContaining('PORT'),
  })
  expect(await atr(['serve'], { ...env, HOST: '0.0.0.0', RATE_LIMITS: 'off' })).toMatchObject({ code: 3 })
  expect(await atr(['serve', '--demo'], { ...env, HOST: '0.0.0.0' })).toMatchObject({ code: 2 })
  expect(await atr(['sing'], env)).toMatchObject({ code: 2 })
  expect(await atr(['keys', 'create', '--name', 'x', '--scopes', 'everything'], env)).toMatchObject({ code: 2 })
  expect(await atr(['keys', 'revoke', 'nokey'], env)).toMatchObject({
    code: 1,
    err: expect.stringContaining('unknown_key'),
  })
})

test('strange requests over a raw socket leave the service standing', async () => {
  const around = aroundPrism('what no HTTP client sends is written to the socket')
  await using service = await DemoService.start({ RATE_LIMITS: 'off', ...around })
  const { port } = new URL(service.url)
  const send = (raw: string): Promise<string> =>
    new Promise((resolve) => {
      let text = ''
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(raw, 'latin1'))
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
      setTimeout(() => socket.destroy(), 5_000)
    })
  const head = 'Host: x\r\nConnection: close\r\n'
  const answered: [string, RegExp][] = [
    ['GET /api/figures HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 200/],
    [`GET http://elsewhere/api/figures HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 200/],
    ...['//api//figures', '/api/figures%00', '/api%2ffigures'].map((path): [string, RegExp] => [
      `GET ${path} HTTP/1.1\r\n${head}\r\n`,
      /^HTTP\/1\.1 404[\s\S]*route_not_found/,
    ]),
    [`TRACE / HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 405[\s\S]*method_not_allowed/],
    [`GET /reference?cpt=${'9'.repeat(8_000)} HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 414[\s\S]*uri_too_long/],
    [`GET /api/figures HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`, /^HTTP\/1\.1 400[\s\S]*invalid_request/],
    [`GET /reference?cpt=\xff HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 400[\s\S]*"code":"invalid_/],
    [
      `POST /api/agent-rails/attest HTTP/1.1\r\n${head}X-Agent-Key: ${service.demoKey}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n${'a'.repeat(100_000)}`,
      /^HTTP\/1\.1 413[\s\S]*payload_too_large/,
    ],
    [
      `POST /api/agent-rails/attest HTTP/1.1\r\n${head}X-Agent-Key: ${service.demoKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'4000\r\n'.concat('a'.repeat(0x4000), '\r\n').repeat(3)}0\r\n\r\n`,
      /^HTTP\/1\.1 413[\s\S]*payload_too_large/,
    ],
  ]
  for (const [raw, expected] of answered)
    expect([raw.slice(0, 60), await send(raw)]).toEqual([raw.slice(0, 60), expect.stringMatching(expected)])
  // These never reach the service: Bun refuses them with a bare status, or closes the connection.
  for (const raw of [
    '\x00\x01\r\n\r\n',
    'GET /a\x01b HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    `GET / HTTP/1.1\r\n${head}${'X-A: b\r\n'.repeat(300)}\r\n`,
    `GET / HTTP/1.1\r\n${head}X-Long: ${'a'.repeat(18_000)}\r\n\r\n`,
    `GET /reference?cpt=${'9'.repeat(20_000)} HTTP/1.1\r\n${head}\r\n`,
    `POST /reference/batch HTTP/1.1\r\n${head}Content-Length: 3000000\r\n\r\n${'a'.repeat(1_000)}`,
    `POST /reference/batch HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ])
    expect(await send(raw)).toMatch(/^(HTTP\/1\.1 (400|413|431|505) |$)/)
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})

test('a service that others can reach without a proxy warns in one line, and one behind a proxy does not', async () => {
  using folder = temporaryFolder()
  const PUBLIC_URL = 'https://registry.example'
  const env = { DATA_DIR: join(folder.path, 'data'), HOST: '0.0.0.0', PORT: '0', LOG_LEVEL: 'error', PUBLIC_URL }
  expect((await atr(['init'], env)).code).toBe(0)
  const said = async (more: Record<string, string>): Promise<string> => {
    const child = Bun.spawn([...ATR, 'serve'], { env: await told({ ...env, ...more }), stdout: 'pipe', stderr: 'pipe' })
    for await (const _ of child.stdout) break
    child.kill('SIGTERM')
    return new Response(child.stderr).text()
  }
  expect(await said({})).toMatch(/^warning: HOST is not loopback and TRUSTED_PROXIES is not set: .*\n$/)
  expect(await said({ TRUSTED_PROXIES: '10.0.0.1' })).toBe('')
  // An address that nobody can call, and that of another service.
  expect(await said({ TRUSTED_PROXIES: '10.0.0.1', PUBLIC_URL: '' })).toMatch(
    /^atr: HOST is all addresses .*PUBLIC_URL .*\n$/,
  )
  expect(await said({ TRUSTED_PROXIES: '10.0.0.1', PUBLIC_URL: 'https://other.example' })).toMatch(
    /^warning: PUBLIC_URL has another host than the one that the logs of this store are named after: .*\n$/,
  )
})

test('a second service on the same port does not start, and a key needs a name', async () => {
  const service = await sharedService()
  using folder = temporaryFolder()
  const { port } = new URL(service.url)
  const second = await atr(['serve', '--demo'], { DATA_DIR: join(folder.path, 'data'), PORT: port })
  expect(second.code).toBe(3)
  expect((await service.atr(['keys', 'create', '--scopes', 'registry:read'])).code).toBe(2)
  expect(second.err).toMatch(/^atr: port \d+ is in use: .* PORT=\d+$/m)
  // Nothing was made: the demo's key would have been shown to no one.
  expect([second.out, readdirSync(folder.path)]).toEqual(['', []])
})

test('a store in use is copied whole to a new file, and to nothing else', async () => {
  await using service = await DemoService.start()
  const copy = join(service.folder.path, 'copy.db')
  const made = await atr(['backup', copy, '--json'], service.environment)
  expect(made.code).toBe(0)
  const files = readdirSync(join(service.folder.path, 'releases'))
  expect(JSON.parse(made.out)).toEqual({
    file: copy,
    bytes: statSync(copy).size,
    releases: files.length,
    copied: files.length,
  })
  expect(statSync(copy).mode & 0o777).toBe(0o600)

  const again = await atr(['backup', copy], service.environment)
  expect([again.code, again.err]).toEqual([3, expect.stringContaining('a file of that name exists')])
  const nowhere = await atr(['backup', join(service.folder.path, 'no/such/folder.db')], service.environment)
  expect([nowhere.code, nowhere.err]).toEqual([
    3,
    expect.stringContaining('the folder for the copy is not there: make it first'),
  ])
  using empty = temporaryFolder()
  const none = await atr(['backup', join(empty.path, 'copy.db')], { DATA_DIR: join(empty.path, 'data') })
  expect([none.code, none.err]).toEqual([3, expect.stringContaining('there is no registry store here')])
  expect(readdirSync(empty.path)).toEqual([])

  await service.stop()
  renameSync(copy, join(service.folder.path, 'data/registry.db'))
  for (const end of ['-wal', '-shm']) rmSync(join(service.folder.path, `data/registry.db${end}`), { force: true })
  expect((await atr(['fsck'], service.environment)).code).toBe(0)
})

test('a person who mistypes is told which option, and is helped command by command', async () => {
  const misspelt = await atr(['load', 'cms-pfs', 'x.csv', '--efective-from', '2026-07-01'])
  expect([misspelt.code, misspelt.err]).toEqual([2, expect.stringContaining('check --efective-from')])
  for (const words of [
    ['load', '--help'],
    ['help', 'load'],
  ]) {
    const { code, out } = await atr(words)
    expect([code, out.includes('atr load'), out.includes('atr serve')]).toEqual([0, true, false])
  }
  expect((await atr(['help', 'load'])).out).toContain('--effective-to DAY')
  expect((await atr(['help', 'nothing'])).code).toBe(2)
  expect((await atr(['--version'])).out.trim()).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+$/)
})
