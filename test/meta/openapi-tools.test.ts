// What others make of the OpenAPI document: a proxy that lets nothing pass which the document does not describe, and clients
// that are generated from it. With ATR_THROUGH=prism every story passes the proxy; here a client does that needs all of it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryPins, RegistryClient } from '../../src/client/client.ts'
import { temporaryFolder } from '../support/harness.ts'
import { DemoService } from '../support/service.ts'
import { startPrism } from '../support/through-prism.ts'
import { newerNode, tools } from '../support/tools.ts'

const set = tools('openapi')
const node = newerNode() ?? 'node'
const program = (name: string): string => join(set ?? '', 'node_modules/.bin', name)
const TSC = join(import.meta.dir, '../../node_modules/.bin/tsc')
const folder = temporaryFolder()
let service: DemoService

beforeAll(async () => {
  if (!set) return
  service = await DemoService.start({ RATE_LIMITS: 'off' })
  writeFileSync(join(folder.path, 'openapi.json'), await (await fetch(`${service.url}/api/openapi.json`)).text())
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}')
  symlinkSync(join(set, 'node_modules'), join(folder.path, 'node_modules'))
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder.path, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stdout}${stderr}`)
  return stdout
}

describe.skipIf(!set)('through a proxy that refuses what is not described', () => {
  let url = ''
  beforeAll(async () => {
    url = await startPrism(readFileSync(join(folder.path, 'openapi.json'), 'utf8'), service.url)
  })

  test('a verifying client does all that it can do', async () => {
    const client = new RegistryClient({ baseUrl: url, agentKey: service.demoKey, pins: memoryPins(), retries: 0 })
    const price = await client.lookup({ cpt: '99213', region: '94102' })
    expect(price.proved?.decisions).toMatchObject([{ outcome: 'price' }])
    for (const question of [{ cpt: '99999' }, { cpt: '76499' }, { cpt: '99213', as_of: '2020-01-01' }])
      expect((await client.lookup(question)).status).toBe(404)
    const lines = [{ cpt: '99213', units: 2, billed: '300.00' }, { cpt: '71046', modifier: '26' }, { cpt: '99999' }]
    expect((await client.bill(lines)).body.results.map(({ status }) => status)).toEqual([200, 200, 404])
    expect((await client.sheet({ cpt: '99213', region: 'CA', npi: '1234567893' })).status).toBe(200)
    expect((await client.history({ cpt: '99213' })).status).toBe(200)
    const [{ release } = { release: undefined }] = price.proved?.rows ?? []
    expect((await client.row({ release_id: release?.release_id ?? '', index: 7 })).status).toBe(200)
    for (const question of [{}, { cpt: '99213' }, { prefix: '99' }])
      expect((await client.coverage(question)).status).toBe(200)
    expect((await client.releases({ state: 'published' })).status).toBe(200)
    expect((await client.browse({ limit: 200, offset: 100 })).proved?.rows).toHaveLength(200)
    expect((await client.figures()).status).toBe(200)
    expect((await client.figureChanges()).proved?.entries).toBeGreaterThan(0)
    expect((await client.provider({ npi: '1234567893' })).npi).toBe('1234567893')
    expect((await client.integrity()).report_version).toBeString()
    expect((await client.railsPolicy()).rate_limits.default_rpm).toBe(120)
    const releases = { from: 'cms-pfs:SAMPLE26A:1', to: 'cms-pfs:SAMPLE26D:1' }
    expect(await client.diff(releases)).toHaveProperty('to')
  })

  test('pages, files and refusals pass too', async () => {
    const ask = async (path: string, headers = {}): Promise<[string, number, boolean]> => {
      const response = await fetch(`${url}${path}`, { headers })
      return [path, response.status, (await response.text()).includes('stoplight.io/prism')]
    }
    for (const path of [
      '/',
      '/api/readme',
      '/api/openapi.json',
      '/api/openapi-core.json',
      '/.well-known/ai-plugin.json',
      '/.well-known/agent-card.json',
      '/log/policy',
      '/log/registry/checkpoint',
      '/log/figures/checkpoint',
      '/log/registry/proof/0',
      '/log/registry/tile/0%2F000.p%2F1',
      '/log/registry/tile/entries/000.p%2F1',
      '/log/releases/cms-pfs%3ASAMPLE26D%3A1/tile/0%2F000',
      '/reference?cpt=99213&proof=ref',
      '/feed.atom',
      '/logo.svg',
      '/problems/rate_limited',
      '/healthz',
      '/readyz',
    ])
      expect(await ask(path)).toEqual([path, 200, false])
    const token = { 'x-agent-rails': `atr_${'0'.repeat(12)}_${'0'.repeat(49)}` }
    expect(await ask('/api/registry', token)).toEqual(['/api/registry', 401, false])
    expect(await ask('/reference?cpt=99213&region=CA')).toEqual(['/reference?cpt=99213&region=CA', 404, false])
    expect(await ask('/rows/no:such:1/0')).toEqual(['/rows/no:such:1/0', 404, false])
    // What the document does not allow is stopped on the way: the proxy does look.
    expect((await ask('/reference?cpt=no'))[2]).toBe(true)
  })
})

const FETCH_CLIENT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'
const [baseUrl = '', key = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl })
const asKey = { headers: { 'X-Agent-Key': key } }
const challenge = await client.POST('/api/agent-rails/challenge', { ...asKey, body: {} })
const attested = await client.POST('/api/agent-rails/attest', { ...asKey, body: { nonce: challenge.data?.nonce ?? '' } })
const headers = { 'X-Agent-Rails': attested.data?.rails_token ?? '' }
const page = await client.GET('/api/registry', { params: { query: { limit: 2 } }, headers })
const kinds: string[] = page.data?.data.map((row) => String((row as { kind?: string }).kind)) ?? []
const absent = await client.GET('/reference', { params: { query: { cpt: '99999' } } })
const code: components['schemas']['ProblemCode'] | undefined = absent.error?.code
const tile = await client.GET('/log/registry/tile/{tile}', { params: { path: { tile: '0/000.p/3' } }, parseAs: 'arrayBuffer' })
console.log(JSON.stringify([kinds.length, code, (tile.data as ArrayBuffer).byteLength]))
`

test.skipIf(!set)('a client of openapi-typescript and openapi-fetch is let in, and fetches a tile', () => {
  run(program('openapi-typescript'), ['openapi.json', '-o', 'api.d.ts'])
  writeFileSync(join(folder.path, 'fetch-client.ts'), FETCH_CLIENT)
  const strictly = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--outDir', 'built', '--types', 'node']
  run(TSC, ['fetch-client.ts', ...strictly, '--typeRoots', join(import.meta.dir, '../../node_modules/@types')])
  cpSync(join(folder.path, 'package.json'), join(folder.path, 'built/package.json'))
  const told = run('node', ['built/fetch-client.js', service.url, service.demoKey])
  expect(JSON.parse(told)).toEqual([2, 'not_on_schedule', 96])
})

const HEY_CLIENT = `
import { client } from './hey/client.gen.ts'
import { attest, browseRegistry, getRegistryTile, lookupReference, requestChallenge } from './hey/sdk.gen.ts'
const [baseUrl = '', key = ''] = process.argv.slice(2)
client.setConfig({ baseUrl, auth: ({ name }) => (name === 'X-Agent-Key' ? key : undefined) })
const challenge = await requestChallenge({ body: {} })
const attested = await attest({ body: { nonce: challenge.data?.nonce ?? '' } })
client.setConfig({ baseUrl, auth: ({ name }) => (name === 'X-Agent-Rails' ? attested.data?.rails_token : undefined) })
const page = await browseRegistry({ query: { limit: 2 } })
const absent = await lookupReference({ query: { cpt: '99999' } })
const tile = await getRegistryTile({ path: { tile: '0/000.p/3' }, parseAs: 'arrayBuffer' })
console.log(JSON.stringify([page.data?.data.length, absent.error?.code, (tile.data as unknown as ArrayBuffer).byteLength]))
`

test.skipIf(!set)('a client of @hey-api/openapi-ts is let in, and fetches a tile', () => {
  run(node, [program('openapi-ts'), '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'])
  writeFileSync(join(folder.path, 'hey-client.ts'), HEY_CLIENT)
  const loosely = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  const lenient = [...loosely, '--allowImportingTsExtensions', '--skipLibCheck', '--types', 'node']
  run(TSC, ['hey-client.ts', ...lenient, '--typeRoots', join(import.meta.dir, '../../node_modules/@types')])
  const told = run(process.execPath, ['hey-client.ts', service.url, service.demoKey])
  expect(JSON.parse(told)).toEqual([2, 'not_on_schedule', 96])
})
