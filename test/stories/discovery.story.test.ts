import { afterAll, expect, test } from 'bun:test'
import { PROBLEMS } from '../../src/problem.ts'
import { DOCUMENTS } from '../../src/surfaces/guides/documents.ts'
import { GUIDE_EXAMPLES } from '../../src/surfaces/guides/guide-examples.ts'
import { DemoService } from '../support/service.ts'

const TOKENS_OF_GUIDE = 1_500
/** Calls that the guide explains in words: they are the way in. */
const ACCESS = ['get_rails_policy', 'request_challenge', 'attest']

const service = await DemoService.start({ CONTACT: 'desk@operator.example', DEFAULT_RPM: '100000' })
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, service.url), { headers })
const textOf = async (path: string): Promise<string> => (await get(path)).text()

async function railsToken(): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'x-agent-key': service.demoKey, 'content-type': 'application/json' }
    return (await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as never
  }
  const { nonce } = await post('/api/agent-rails/challenge', {})
  return (await post('/api/agent-rails/attest', { nonce }))['rails_token'] as string
}

test('every listed document exists, in the type that the list says', async () => {
  for (const { path, type } of DOCUMENTS) {
    const answer = await get(path)
    expect([path, answer.status]).toEqual([path, 200])
    expect([path, answer.headers.get('content-type')?.split(';')[0]]).toEqual([path, type])
    expect([path, answer.headers.has('etag') || path === '/healthz']).toEqual([path, true])
    await answer.bytes()
  }
})

test('the guide has every call but those of the way in, and fits into its tokens', async () => {
  const guide = await textOf('/index.md')
  expect(guide.length / 4).toBeLessThan(TOKENS_OF_GUIDE)
  const { paths } = (await (await get('/api/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-resource'?: true }>>
  }
  const documented = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  for (const name of Object.keys(GUIDE_EXAMPLES)) expect(documented).toContain(name)
  for (const path of ['/reference', '/reference/batch', '/api/registry', '/api/data-integrity'])
    expect(guide).toContain(path)
  expect(guide).not.toContain('undefined')
  expect(ACCESS.filter((name) => name in GUIDE_EXAMPLES)).toEqual([])
})

test('the words and codes that the guide names are those that the service knows', async () => {
  const guide = await textOf('/index.md')
  const wordsOf = (line: RegExp): string[] =>
    [...(line.exec(guide)?.[0] ?? '').matchAll(/`([a-z_]+)`/g)].slice(1).map(([, word = '']) => word)
  const settings = wordsOf(/^- `setting`.*/m)
  expect(settings).toEqual(expect.arrayContaining(['asc', 'rural']))
  for (const [name, words] of [
    ['setting', settings],
    ['basis', wordsOf(/^- `basis`.*/m)],
  ] as const)
    for (const word of words) {
      const npi = /^(inpatient|hospital_)/.test(word) ? '&npi=1234567893' : ''
      const { status } = await get(`/reference?cpt=99213&${name}=${word}${npi}`)
      expect([word, status]).not.toEqual([word, 400])
    }
  for (const code of wordsOf(/^A 404 with a.*/m)) expect(Object.keys(PROBLEMS)).toContain(code)
})

test('each call of the guide is answered as the guide shows', async () => {
  const headers = { 'x-agent-rails': await railsToken(), 'content-type': 'application/json' }
  for (const { call, answer } of Object.values(GUIDE_EXAMPLES)) {
    const [, method, path, body] = /^(GET|POST) (\S+) ?(.*)$/.exec(call) as unknown as [string, string, string, string]
    const found = await fetch(service.url + path, { method, headers, ...(body !== '' && { body }) })
    expect([call, found.status]).toEqual([call, 200])
    const whole = (await found.json()) as Record<string, unknown>
    const shown = JSON.parse(answer) as Record<string, unknown>
    if (Array.isArray(shown['charts'])) expect(whole['charts']).toBeArray()
    else
      for (const [name, value] of Object.entries(shown))
        expect([call, name, contains(whole[name], value)]).toEqual([call, name, true])
  }
})

test('a region that a description gives as an example is taken by its route', async () => {
  interface Described {
    name?: string
    schema?: { examples?: string[]; description?: string }
  }
  const document = (await (await get('/api/openapi-core.json')).json()) as {
    paths: Record<string, { get?: { parameters?: Described[] } }>
  }
  const headers = { 'x-agent-rails': await railsToken() }
  for (const path of ['/reference', '/api/registry']) {
    const { schema } = document.paths[path]?.get?.parameters?.find(({ name }) => name === 'region') ?? {}
    const written = [...(schema?.description ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
    expect(written).toContain('national')
    for (const region of [...written, ...(schema?.examples ?? [])]) {
      const { status } = await get(`${path}?cpt=99213&region=${region}`, headers)
      expect([path, region, status]).not.toEqual([path, region, 400])
    }
  }
})

/** Arrays may have more entries than the guide shows, and objects more members. */
function contains(whole: unknown, shown: unknown): boolean {
  if (Array.isArray(shown)) return Array.isArray(whole) && shown.every((each, i) => contains(whole[i], each))
  if (typeof shown !== 'object' || shown === null) return whole === shown
  return Object.entries(shown).every(([name, value]) => contains((whole as Record<string, unknown>)?.[name], value))
}

test('every link in every document leads somewhere', async () => {
  const found = new Set<string>()
  for (const path of [
    '/',
    '/sitemap.xml',
    '/robots.txt',
    '/.well-known/security.txt',
    ...DOCUMENTS.map((each) => each.path),
  ]) {
    const answer = await get(path, path === '/' ? { accept: 'text/html' } : {})
    for (const [, target] of (answer.headers.get('link') ?? '').matchAll(/<([^>]+)>/g)) found.add(target as string)
    for (const target of linksIn((await answer.text()).replaceAll('&quot;', '"'))) found.add(target)
  }
  for (const target of linksIn(await (await get('/', { accept: 'text/markdown' })).text())) found.add(target)
  expect(found.size).toBeGreaterThan(30)
  for (const target of found) {
    // The address of a log is where its paths begin, and no page.
    const { status } = await get(/\/log\/(registry|figures)$/.test(target) ? `${target}/checkpoint` : target)
    // A route for POST alone says so; one that needs a token asks for it.
    expect([target, [200, 401, 405].includes(status)]).toEqual([target, true])
  }
})

/** Addresses of this service in quotes, brackets, tags or sentences, and paths in markdown links and attributes. */
function linksIn(page: string): string[] {
  const text = page.replaceAll('&amp;', '&').replaceAll('&#39;', "'")
  const whole = [...text.matchAll(/http:\/\/127\.0\.0\.1:\d+(?:\/[^\s"'<>)\]`\\{}]*)?/g)].map(([address]) =>
    address.replace(/[.,;:]+$/, ''),
  )
  const markdown = [...text.matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, path]) => path as string)
  const attributes = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path]) => path as string)
  return [...whole, ...markdown, ...attributes]
}

test('the operator is reached where CONTACT says', async () => {
  expect(await textOf('/.well-known/security.txt')).toStartWith('Contact: mailto:desk@operator.example\nExpires: ')
  expect(await (await get('/.well-known/ai-plugin.json')).json()).toHaveProperty(
    'contact_email',
    'desk@operator.example',
  )
})

test('the server card is the same under both of its names', async () => {
  expect(await textOf('/mcp/server-card')).toBe(await textOf('/.well-known/mcp/server-card.json'))
})

test('the file for registries of MCP servers says what the server card says', async () => {
  const file = JSON.parse(await Bun.file('server.json').text())
  const card = JSON.parse(await textOf('/mcp/server-card'))
  const { name, version } = JSON.parse(await Bun.file('package.json').text())
  expect([file.name, file.title, file.version]).toEqual([card.name, card.title, version])
  expect(file.remotes[0].headers).toEqual(card.remotes[0].headers)
  expect(file.packages[0]).toMatchObject({ identifier: name, version })
  expect(file.description.length).toBeLessThanOrEqual(100)
})
