import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTRACT_ROUTES } from '../../src/rails/policy.ts'
import { openApiOf } from '../support/contract.ts'
import { temporaryFolder, testApp } from '../support/harness.ts'
import { DemoService } from '../support/service.ts'

const ROOT = join(import.meta.dir, '../..')

function tool(name: string, args: readonly string[], cwd: string): { status: number | null; output: string } {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', CI: 'true' }
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin', name), args, {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

test('the document says what the contract fixes', async () => {
  await using app = await testApp()
  const document = (await app.getJson('/api/openapi.json')) as Record<string, never>
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { version: '0.2.0', title: expect.stringContaining('Trust API') },
    servers: [{ url: 'https://registry.example' }],
    tags: [{ name: 'discovery' }, { name: 'metrics' }, { name: 'agent-tools' }, { name: 'agent-rails' }],
    components: {
      securitySchemes: {
        AgentRails: { type: 'apiKey', in: 'header', name: 'X-Agent-Rails' },
        AgentKey: { type: 'apiKey', in: 'header', name: 'X-Agent-Key' },
      },
    },
  })
  expect(JSON.stringify(document['info'])).toContain('Protected routes require the `X-Agent-Rails` header')
})

test('the router and the document agree, in both directions', async () => {
  await using app = await testApp()
  const { paths } = await openApiOf(app.app)
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  // A protocol that is mounted describes itself, and the files that every host has need no description.
  const beside = app.app.resources.filter(({ isBesideApi }) => isBesideApi)
  const mounted = [...app.app.mounts, ...beside].map(({ path }) => path)
  const routed = app.app.routes
    .filter(({ path }) => !mounted.includes(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(documented.sort()).toEqual(routed.sort())
})

test('every operation that needs a credential says so in the document, and no other does', async () => {
  await using app = await testApp()
  const { paths, security: usual } = (await app.getJson('/api/openapi.json')) as {
    security: object[]
    paths: Record<string, Record<string, { security?: object[]; 'x-required-scopes'?: string[] }>>
  }
  expect(usual).toEqual([])
  const secured = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).flatMap(({ security, 'x-required-scopes': scopes }) =>
      security ? [[path, ...security.flatMap((each) => Object.keys(each)), ...(scopes ?? [])]] : [],
    ),
  )
  expect(secured.sort()).toEqual([
    ['/api/agent-rails/attest', 'AgentKey'],
    ['/api/agent-rails/challenge', 'AgentKey'],
    ['/api/data-integrity', 'AgentRails', 'Bearer', 'integrity:read'],
    ['/api/figure-changes', 'AgentRails', 'Bearer', 'audit:read'],
    ['/api/provider/{npi}', 'AgentRails', 'Bearer', 'provider:read'],
    ['/api/registry', 'AgentRails', 'Bearer', 'registry:read'],
    ['/log/figures/tile/entries/{bundle}', 'AgentRails', 'Bearer', 'audit:read'],
    ['/log/releases/{release_id}/tile/entries/{bundle}', 'AgentRails', 'Bearer', 'registry:read'],
  ])
})

/** What a language model pays for a text, about. */
const tokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

test('each document fits in thirty thousand tokens, and the short one has exactly the fourteen routes of the contract', async () => {
  await using app = await testApp()
  const [whole, core] = await Promise.all(
    ['/api/openapi.json', '/api/openapi-core.json'].map(async (path) => (await app.request(path)).text()),
  )
  expect(tokens(whole ?? '')).toBeLessThanOrEqual(30_000)
  expect(tokens(core ?? '')).toBeLessThanOrEqual(20_000)
  const { paths } = JSON.parse(core ?? '') as { paths: object }
  expect(Object.keys(paths).sort()).toEqual([...CONTRACT_ROUTES].sort())
  expect(CONTRACT_ROUTES).toHaveLength(14)
})

test('a client that percent-encodes the slashes of a tile gets the same bytes', async () => {
  await using app = await testApp({ sample: true })
  const { size } = await app.installation.registryLog.head(app.installation.db)
  for (const path of [`tile/0/000.p/${size}`, `tile/entries/000.p/${size}`]) {
    const [, base = '', rest = ''] = /^(tile\/(?:entries\/)?)(.*)$/.exec(path) ?? []
    const plain = await app.request(`/log/registry/${path}`)
    const encoded = await app.request(`/log/registry/${base}${encodeURIComponent(rest)}`)
    expect([plain.status, encoded.status]).toEqual([200, 200])
    expect(await encoded.bytes()).toEqual(await plain.bytes())
  }
  expect(await app.problemCode('/log/registry/tile/0%252F000')).toBe('route_not_found')
})

test('every header that the service sends for its callers is described', async () => {
  await using app = await testApp({ sample: true, limits: { enabled: true, default_rpm: 3 } })
  const { components, info } = (await app.getJson('/api/openapi-core.json')) as {
    components: { headers: object }
    info: { description: string }
  }
  const rails = await app.railsHeaders()
  const sent = new Set<string>()
  for (const [path, init] of [
    ['/reference?cpt=99213', {}],
    ['/api/registry', { headers: rails }],
    ['/api/registry', {}],
    ['/', {}],
    ['/api/figures', { method: 'PUT' }],
    ['/api/figures', {}],
    ['/api/figures', {}],
  ] as [string, RequestInit][])
    for (const [name] of (await app.request(path, init, '192.0.2.7')).headers) sent.add(name)
  const ofTheWeb = ['content-type', 'content-length', 'content-security-policy', 'strict-transport-security']
  const told = [...Object.keys(components.headers).map((name) => name.toLowerCase()), ...ofTheWeb]
  const unknown = [...sent].filter(
    (name) => !told.includes(name) && !/^(access-control|cross-origin|permissions|x-content-type|referrer)/.test(name),
  )
  expect(unknown).toEqual([])
  expect(Object.keys(components.headers).filter((name) => !sent.has(name.toLowerCase()))).toEqual([])
  for (const word of ['CORS', 'nosniff', 'no-referrer']) expect(info.description).toContain(word)
})

test('Redocly and Spectral find nothing to say, and Respect walks the rails on a running service', async () => {
  using folder = temporaryFolder()
  await using service = await DemoService.start()
  for (const name of ['openapi', 'openapi-core'])
    writeFileSync(join(folder.path, `${name}.json`), await (await fetch(`${service.url}/api/${name}.json`)).text())
  writeFileSync(join(folder.path, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  copyFileSync(join(ROOT, 'docs/spec/rails.arazzo.yaml'), join(folder.path, 'rails.arazzo.yaml'))

  const redocly = tool(
    'redocly',
    ['lint', 'openapi.json', 'openapi-core.json', '--extends=recommended-strict'],
    folder.path,
  )
  expect([redocly.status, redocly.output]).toEqual([0, expect.stringContaining('valid')])
  expect(redocly.output).not.toMatch(/\d+ (error|warning)/)
  const spectral = tool('spectral', ['lint', 'openapi.json', 'openapi-core.json', '--fail-severity=hint'], folder.path)
  expect([spectral.status, spectral.output]).toEqual([0, expect.stringContaining('No results')])
  const respect = tool(
    'redocly',
    ['respect', 'rails.arazzo.yaml', '--input', `agent_key=${service.demoKey}`],
    folder.path,
  )
  expect([respect.status, respect.output]).toEqual([0, expect.stringContaining('Steps: 8 passed, 8 total')])
})
