import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  // A protocol that is mounted describes itself.
  const mounted = app.app.mounts.map(({ path }) => path)
  const routed = app.app.routes
    .filter(({ path }) => !mounted.includes(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(documented.sort()).toEqual(routed.sort())
})

test('every operation that needs a credential says so in the document, and no other does', async () => {
  await using app = await testApp()
  const { paths } = (await app.getJson('/api/openapi.json')) as {
    paths: Record<string, Record<string, { security: object[]; 'x-required-scopes'?: string[] }>>
  }
  const secured = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).flatMap(({ security, 'x-required-scopes': scopes }) =>
      security.length > 0 ? [[path, Object.keys(security[0] ?? {})[0], scopes?.[0]]] : [],
    ),
  )
  expect(secured.sort()).toEqual([
    ['/api/agent-rails/attest', 'AgentKey', undefined],
    ['/api/agent-rails/challenge', 'AgentKey', undefined],
    ['/api/data-integrity', 'AgentRails', 'integrity:read'],
    ['/api/figure-changes', 'AgentRails', 'audit:read'],
    ['/api/provider/{npi}', 'AgentRails', 'provider:read'],
    ['/api/registry', 'AgentRails', 'registry:read'],
    ['/log/figures/tile/entries/{bundle}', 'AgentRails', 'audit:read'],
    ['/log/releases/{release_id}/tile/entries/{bundle}', 'AgentRails', 'registry:read'],
  ])
})

test('Redocly and Spectral find nothing to say, and Respect walks the rails on a running service', async () => {
  using folder = temporaryFolder()
  await using service = await DemoService.start()
  const text = await (await fetch(`${service.url}/api/openapi.json`)).text()
  writeFileSync(join(folder.path, 'openapi.json'), text)
  writeFileSync(join(folder.path, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  copyFileSync(join(ROOT, 'docs/spec/rails.arazzo.yaml'), join(folder.path, 'rails.arazzo.yaml'))

  const redocly = tool('redocly', ['lint', 'openapi.json', '--extends=recommended-strict'], folder.path)
  expect([redocly.status, redocly.output]).toEqual([0, expect.stringContaining('valid')])
  expect(redocly.output).not.toMatch(/\d+ (error|warning)/)
  const spectral = tool('spectral', ['lint', 'openapi.json', '--fail-severity=hint'], folder.path)
  expect([spectral.status, spectral.output]).toEqual([0, expect.stringContaining('No results')])
  const respect = tool(
    'redocly',
    ['respect', 'rails.arazzo.yaml', '--input', `agent_key=${service.demoKey}`],
    folder.path,
  )
  expect([respect.status, respect.output]).toEqual([0, expect.stringContaining('Steps: 8 passed, 8 total')])
}, 300_000)
