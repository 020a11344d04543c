// MCP on a running service, as the programs of others use it: over standard input and output, with the official
// conformance suite, and with the inspector.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { spawn } from 'bun'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'
import { type AnyClient, type Era, INFO, newClient, type ToolResult } from '../support/mcp.ts'
import { EXPECTED_CHECKS, EXPECTED_FAILURES, FAILURES_OF_FIXTURE, MUST_PASS } from '../support/mcp-conformance.ts'
import { fixtureService } from '../support/mcp-fixture.ts'
import { ATR, DemoService } from '../support/service.ts'
import { tools } from '../support/tools.ts'

const ROOT = join(import.meta.dir, '../..')
const BUN = join(ROOT, 'node_modules/.bin/bun')
const programs = tools('mcp')
let service: DemoService
beforeAll(async () => {
  service = await DemoService.start({ RATE_LIMITS: 'off' })
})
afterAll(() => service[Symbol.asyncDispose]())

type Environment = Record<string, string>

/** A client that starts `atr mcp` with nothing in its environment but what is named here. */
async function overStdio(era: Era, env: Environment): Promise<AnyClient & AsyncDisposable> {
  const [command = '', ...args] = [...ATR, 'mcp']
  const started = { command, args, env, stderr: 'inherit' as const }
  const client = era === 'legacy' ? new OldClient(INFO) : newClient(era)
  const transport = era === 'legacy' ? new OldStdioTransport(started) : new StdioClientTransport(started)
  await client.connect(transport as never)
  return Object.assign(client as unknown as AnyClient, { [Symbol.asyncDispose]: () => client.close() })
}

const PROTECTED = [
  { name: 'browse_registry', arguments: { limit: 1 } },
  { name: 'provider_stats', arguments: { npi: '1234567893' } },
  { name: 'data_integrity', arguments: {} },
  { name: 'figures', arguments: { view: 'changes' } },
]

test('a stdio session prices a code and uses every scope, with only an address and a key', async () => {
  for (const era of ['modern', 'legacy'] as const) {
    await using client = await overStdio(era, { ATR_BASE_URL: service.url, ATR_AGENT_KEY: service.demoKey })
    expect((await client.listTools()).tools).toHaveLength(13)
    const price = await client.callTool({ name: 'lookup_price', arguments: { cpt: '99213' } })
    expect(price.content[0]?.text).toStartWith('Doctor: $95.19 is the Medicare physician fee schedule amount for 99213')
    const results = await Promise.all(PROTECTED.map((each) => client.callTool(each)))
    expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false, false, false])
    const { contents } = await client.readResource({ uri: price.content[1]?.uri ?? '' })
    expect(contents[0]?.text).toContain('"price"')
  }
})

test('over stdio the public tools work with no key and with a wrong one, and the others say what is missing', async () => {
  for (const [key, said] of [
    ['', 'Set ATR_AGENT_KEY to use this tool.'],
    [`atk_${'a'.repeat(12)}_${'b'.repeat(49)}`, 'The key in ATR_AGENT_KEY does not open this tool.'],
  ] as const) {
    await using client = await overStdio('modern', { ATR_BASE_URL: service.url, ATR_AGENT_KEY: key })
    expect((await client.callTool({ name: 'lookup_price', arguments: { cpt: '99213' } })).isError).toBeUndefined()
    const refused: ToolResult = await client.callTool({ name: 'data_integrity' })
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'rails_token_missing' } })
    expect(refused.content[0]?.text).toContain(said)
    expect((await client.callTool({ name: 'lookup_price', arguments: { cpt: '99214' } })).isError).toBeUndefined()
  }
})

async function stdioLines(lines: readonly string[], env: Environment): Promise<{ code: number; answers: unknown[] }> {
  const child = spawn([...ATR, 'mcp'], { env, stdin: new Blob([lines.join('\n')]), stdout: 'pipe', stderr: 'pipe' })
  const out = await new Response(child.stdout).text()
  return {
    code: await child.exited,
    answers: out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

test('over stdio each line has an answer, also a broken one and one that nobody can reach', async () => {
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} }
  const { code, answers } = await stdioLines(['{', JSON.stringify(list), '[]'], { ATR_BASE_URL: service.url })
  expect(code).toBe(0)
  expect(answers).toHaveLength(3)
  expect(answers).toContainEqual(expect.objectContaining({ id: 7, result: expect.anything() }))
  const away = await stdioLines([JSON.stringify(list)], { ATR_BASE_URL: 'http://127.0.0.1:9' })
  expect(away.answers).toMatchObject([{ id: 7, error: { code: -32603 } }])
  expect((await stdioLines([], {})).code).toBe(2)
})

/** Runs an official program under Bun: they ask for a newer Node than this service does. */
async function program(name: string, args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn([BUN, '--bun', join(programs ?? '', 'node_modules/.bin', name), ...args], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env },
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

interface Check {
  id: string
  status: string
}
function checksIn(folder: string): Map<string, Check[]> {
  const found = readdirSync(folder).map((name) => {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    return [scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[]] as const
  })
  return new Map(found)
}
const failed = (checks: readonly Check[]): string[] =>
  checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)

/** Runs a whole requirement set. The suite also fails for an expected failure that does not happen. */
async function conformance(
  url: string,
  revision: string,
  expected: Readonly<Record<string, string>>,
): Promise<Map<string, Check[]>> {
  using folder = temporaryFolder()
  const baseline = join(folder.path, 'expected.json')
  writeFileSync(baseline, JSON.stringify({ server: Object.keys(expected) }))
  const results = join(folder.path, 'results')
  const { code, out } = await program('conformance', [
    'server',
    ...['--url', `${url}/mcp`, '--requirements', revision],
    ...['--expected-failures', baseline, '-o', results],
  ])
  expect(code, out).toBe(0)
  return checksIn(results)
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test.skipIf(!programs)(
    `the conformance suite finds nothing in the requirements of ${revision} but what has a reason`,
    async () => {
      const expected = EXPECTED_FAILURES[revision] ?? {}
      const checks = await conformance(service.url, revision, expected)
      for (const scenario of MUST_PASS[revision] ?? []) {
        expect(checks.get(scenario)?.length, scenario).toBeGreaterThan(0)
        expect(failed(checks.get(scenario) ?? []), scenario).toEqual([])
      }
      for (const [scenario, ids] of Object.entries(EXPECTED_CHECKS))
        if (scenario in expected) expect(failed(checks.get(scenario) ?? []).sort()).toEqual([...ids])
    },
  )

  test.skipIf(!programs)(
    `with the things of the suite behind the same transport, all of ${revision} passes that needs no session`,
    async () => {
      await using fixture = await fixtureService()
      const checks = await conformance(fixture.url, revision, FAILURES_OF_FIXTURE[revision] ?? {})
      expect(checks.size).toBeGreaterThanOrEqual(30)
    },
  )
}

async function railsToken(): Promise<string> {
  const headers = { 'x-agent-key': service.demoKey, 'content-type': 'application/json' }
  const ask = async (path: string, body?: object): Promise<Record<string, string>> => {
    const response = await fetch(`${service.url}/api/agent-rails/${path}`, {
      method: 'POST',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, string>
  }
  const { nonce } = await ask('challenge')
  return (await ask('attest', { nonce }))['rails_token'] ?? ''
}

const CALLS = [
  { name: 'lookup_price', arguments: { cpt: '99213' } },
  { name: 'price_bill', arguments: { lines: [{ cpt: '99213' }] } },
  { name: 'check_bill', arguments: { lines: [{ code: '99213' }] } },
  { name: 'code_sheet', arguments: { cpt: '99213' } },
  { name: 'compare_hospitals', arguments: { cpt: '99213', region: 'IL' } },
  { name: 'find_hospital', arguments: { near: 'IL' } },
  { name: 'price_history', arguments: { cpt: '99213' } },
  { name: 'coverage', arguments: {} },
  { name: 'verify_proof', arguments: { href: '/rows/cms-pfs:SAMPLE26D:1/0' } },
  ...PROTECTED,
]

/** Each call starts the inspector. Other tests call every tool. */
const FEW = { modern: 3, legacy: 1 } as const

test.skipIf(!programs)('the inspector finds nothing in the schemas in both eras, and calls tools', async () => {
  const token = await railsToken()
  const inspect = (era: string, args: readonly string[]) =>
    program('mcp-inspector', [
      ...['--cli', `${service.url}/mcp`, '--transport', 'http', '--protocol-era', era],
      ...['--header', `X-Agent-Rails: ${token}`, ...args],
    ])
  for (const era of ['modern', 'legacy'] as const) {
    const listed = await inspect(era, ['--method', 'tools/list', '--strict'])
    expect([listed.code, listed.err]).toEqual([0, expect.not.stringContaining('Warning')])
    const { tools } = JSON.parse(listed.out) as { tools: { name: string }[] }
    expect(new Set(CALLS.map(({ name }) => name))).toEqual(new Set(tools.map(({ name }) => name)))
    for (const { name, arguments: args } of isLong ? CALLS : CALLS.slice(0, FEW[era])) {
      const asked = ['--tool-name', name, '--tool-args-json', JSON.stringify(args), '--format', 'json']
      const { code, out, err } = await inspect(era, ['--method', 'tools/call', ...asked])
      expect([name, code], err).toEqual([name, 0])
      expect(JSON.parse(out)).toMatchObject({ result: { structuredContent: expect.anything() } })
    }
  }
  const card = await inspect('modern', [
    ...['--advertise-apps', '--app-info', '--method', 'tools/call', '--tool-name', 'lookup_price'],
  ])
  expect(JSON.parse(card.out)).toMatchObject({
    hasApp: true,
    resourceMimeType: 'text/html;profile=mcp-app',
    csp: { connectDomains: [], resourceDomains: [] },
  })
})
