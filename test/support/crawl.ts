import { PROBLEMS } from '../../src/problem.ts'
import { BILL_RULES } from '../../src/tables/bill-rules.ts'

/** Asks the service for one path: over the network, or in this process. */
export type Ask = (
  path: string,
  init: { method?: string; headers: Record<string, string>; body?: string },
) => Promise<Response>

/** A text that a channel gave, by a name that a person can find it again with. */
export interface Given {
  channel: string
  content: string | Uint8Array
}

export interface Known {
  /** Releases that are published, oldest first. */
  releases: readonly string[]
  codes: readonly string[]
  npis: readonly string[]
  /** The headers of an agent that may read everything. */
  rails: Record<string, string>
}

/** A day on which all that is asked about is in force, whatever the clock says. */
const DAY = 'as_of=2026-11-15'
const each = (values: readonly string[], path: (value: string) => string): string[] => values.map(path)
const pages = (path: string, count: number, size: number): string[] =>
  Array.from({ length: count }, (_, i) => `${path}${path.includes('?') ? '&' : '?'}limit=${size}&offset=${i * size}`)

/** For every route of the OpenAPI document, the addresses under which it has something to say. */
function addresses({ releases, codes, npis }: Known): Record<string, string[]> {
  const few = codes.slice(0, 12)
  const pairs = releases.slice(1).map((to, i) => `from=${releases[i]}&to=${to}`)
  // Each release has an entry of its own and the state after it.
  const tiles = ['0/000.p/1', `0/000.p/${1 + 2 * releases.length}`, '1/000']
  return {
    '/reference': [
      ...each(codes, (cpt) => `?cpt=${cpt}&${DAY}`),
      ...[
        'region=US-AK-01',
        'region=ZIP-99001',
        'basis=medicare_clfs',
        'basis=medicare_opps',
        `npi=${npis[0]}`,
      ].flatMap((more) => each(few, (cpt) => `?cpt=${cpt}&${DAY}&${more}`)),
    ],
    '/reference/sheet': [
      ...each(codes, (cpt) => `?cpt=${cpt}&${DAY}`),
      ...['region=US-AK-01', 'region=US-AK', 'region=ZIP-99001', `npi=${npis[0]}`].flatMap((more) =>
        each(few, (cpt) => `?cpt=${cpt}&${DAY}&${more}`),
      ),
    ],
    '/reference/compare': each(few, (cpt) => `?cpt=${cpt}&region=US-AK&${DAY}`),
    '/providers': [`?near=US-AK&${DAY}`, `?name=hospital&${DAY}`],
    '/rows/{release_id}/{index}': releases.flatMap((id) =>
      ['0', '1', '7', '60'].map((index) => `/${encodeURIComponent(id)}/${index}`),
    ),
    '/reference/history': [...each(few, (cpt) => `?cpt=${cpt}`), ...each(few, (cpt) => `?cpt=${cpt}&npi=${npis[0]}`)],
    '/api/registry': [...pages(`?${DAY}`, 3, 200), ...npis.flatMap((npi) => pages(`?npi=${npi}&${DAY}`, 1, 200))],
    '/api/coverage': [...pages(`?${DAY}`, 4, 200), `?prefix=G0&${DAY}`, ...each(few, (cpt) => `?cpt=${cpt}&${DAY}`)],
    '/api/releases': ['', '?state=withdrawn', ...pages('', 2, 5)],
    '/api/releases/diff': each(pairs, (pair) => `?${pair}`),
    '/api/provider/{npi}': each(npis, (npi) => `/${npi}`),
    '/log/registry/tile/entries/{bundle}': [`/000.p/${1 + 2 * releases.length}`],
    '/log/figures/tile/entries/{bundle}': ['/000.p/1'],
    '/log/registry/proof/{index}': ['/0'],
    '/log/figures/proof/{index}': ['/0'],
    '/log/registry/tile/{tile}': each(tiles, (tile) => `/${tile}`),
    '/log/figures/tile/{tile}': each(tiles, (tile) => `/${tile}`),
    '/log/releases/{release_id}/tile/entries/{bundle}': releases.map(
      (id) => `/${encodeURIComponent(id)}/tile/entries/000.p/1`,
    ),
    '/log/releases/{release_id}/tile/{tile}': releases.flatMap((id) =>
      each(['0/000', '0/000.p/1'], (tile) => `/${encodeURIComponent(id)}/tile/${tile}`),
    ),
    '/.well-known/oauth-protected-resource/{part}': each(['mcp', 'a2a'], (part) => `/${part}`),
    '/problems/{code}': each(Object.keys(PROBLEMS), (code) => `/${code}`),
    '/rules/{rule}': each(BILL_RULES, (rule) => `/${rule}`),
  }
}

/** The question for a route; undefined if nobody knows what its parameters can be. */
export const addressesOf = (route: string, known: Known): string[] | undefined =>
  addresses(known)[route] ?? (route.includes('{') ? undefined : [''])

/** Pages that the OpenAPI document leaves out, with what to ask them for; then files. */
export const pagesBesideApi = ({ codes, npis }: Pick<Known, 'codes' | 'npis'>): Record<string, string[]> => ({
  '/price/{cpt}': [
    ...each(codes, (cpt) => `/price/${cpt}?${DAY}`),
    ...each(codes.slice(0, 6), (cpt) => `/price/${cpt}?${DAY}&npi=${npis[0]}`),
  ],
  '/price': each(codes.slice(0, 1), (cpt) => `/price?cpt=${cpt}`),
  '/figures': ['/figures'],
  '/status': ['/status'],
  '/docs': ['/docs'],
  '/verify': ['/verify'],
  '/bill': ['/bill'],
})
export const BESIDE_API = [
  ...['/llms.txt', '/index.md', '/auth.md', '/robots.txt', '/sitemap.xml', '/favicon.ico', '/mcp/server-card'],
  '/releases/index.json',
  ...['api-catalog', 'ai-catalog.json', 'mcp/server-card.json', 'security.txt'].map((name) => `/.well-known/${name}`),
]

/** Faults are told without repeating the text. */
const WRONG = ['?unknown=1', '?cpt=x', '?limit=x', '/no-such-thing']
const FORMS = ['*/*', 'text/html', 'text/markdown']

/**
 * Every GET route, with every form it has and with what it refuses. Headers are part of an answer. A route that never
 * answered well was not asked in the right way, and that is an error of the test.
 */
export async function crawl(ask: Ask, known: Known): Promise<Given[]> {
  const given: Given[] = []
  const visit = async (path: string, headers: Record<string, string>, body?: string): Promise<Response> => {
    const response = await ask(path, body === undefined ? { headers } : { method: 'POST', headers, body })
    const head = `${response.status} ${JSON.stringify([...response.headers])}\n`
    const content = new Uint8Array(await response.clone().arrayBuffer())
    given.push({ channel: `head of ${path}`, content: head }, { channel: `GET ${path}`, content })
    return response
  }
  const document = (await (await visit('/api/openapi.json', {})).json()) as { paths: Record<string, object> }
  for (const [route, methods] of Object.entries(document.paths)) {
    if (!('get' in methods)) continue
    const fixed = route.split('/{')[0] as string
    const found = addressesOf(route, known)
    if (!found) throw new Error(`it is not known what to ask ${route} for`)
    const statuses = new Set<number>()
    for (const rest of found) statuses.add((await visit(`${fixed}${rest}`, known.rails)).status)
    if (!statuses.has(200)) throw new Error(`${route} had nothing to say: ${[...statuses].join()}`)
    for (const accept of FORMS) await visit(`${fixed}${found[0] ?? ''}`, { ...known.rails, accept })
    for (const wrong of WRONG) await visit(`${fixed}${wrong}`, known.rails)
    await visit(fixed, {})
  }
  const loaded = new Set<string>()
  for (const [page, addresses] of Object.entries(pagesBesideApi(known))) {
    let answered = false
    for (const path of addresses)
      for (const accept of FORMS) {
        const response = await visit(path, { accept })
        answered = response.ok || response.status === 303 || answered
        for (const [file] of (await response.text()).matchAll(/\/assets\/[^"]+/g)) loaded.add(file)
      }
    if (!answered) throw new Error(`${page} had nothing to say`)
  }
  for (const file of loaded) if (!(await visit(file, {})).ok) throw new Error(`${file} is not there`)
  for (const path of BESIDE_API) if (!(await visit(path, {})).ok) throw new Error(`${path} had nothing to say`)
  const { releases } = (await (await visit('/releases/index.json', {})).json()) as {
    releases: { release_id: string }[]
  }
  for (const { release_id } of releases) {
    const response = await visit(`/releases/${release_id}.ndjson.zst`, known.rails)
    const content = new Uint8Array(Bun.zstdDecompressSync(await response.arrayBuffer()))
    given.push({ channel: `unpacked ${release_id}`, content })
  }
  const lines = known.codes.slice(0, 50).map((cpt) => ({ cpt, as_of: '2026-11-15' }))
  const bill = { kind: 'professional', region: 'US-AK-01', npi: known.npis[0] }
  const billed = known.codes.slice(0, 50).map((code) => ({ code, day: '2026-11-15', units: '1', billed: '100.00' }))
  for (const [path, sent] of [
    ['/reference/batch', { lines }],
    ['/bill/check', { ...bill, lines: billed }],
  ] as const) {
    const answer = await visit(path, { 'content-type': 'application/json' }, JSON.stringify(sent))
    if (!answer.ok) throw new Error(`${path} had nothing to say`)
  }
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  for (const params of toolCalls(known))
    await visit(
      '/mcp',
      { ...known.rails, ...json },
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    )
  return given
}

/** Every tool of MCP, with what it says of each code where it takes one. */
function toolCalls({ codes, npis: [npi] }: Known): { name: string; arguments: object }[] {
  const as_of = '2026-11-15'
  const ofCodes = codes.slice(0, 12).flatMap((cpt) => [
    { name: 'lookup_price', arguments: { cpt, as_of } },
    { name: 'lookup_price', arguments: { cpt, as_of, npi, include: 'proof' } },
    { name: 'code_sheet', arguments: { cpt, as_of } },
    { name: 'compare_hospitals', arguments: { cpt, region: 'US-AK', as_of } },
    { name: 'check_bill', arguments: { kind: 'professional', lines: [{ code: cpt, day: as_of }] } },
    { name: 'price_history', arguments: { cpt, limit: 5 } },
    { name: 'price_bill', arguments: { lines: [{ cpt, as_of }] } },
    { name: 'coverage', arguments: { cpt, as_of } },
  ])
  return [
    ...ofCodes,
    { name: 'find_hospital', arguments: { near: 'US-AK', as_of } },
    { name: 'figures', arguments: {} },
    { name: 'figures', arguments: { view: 'changes' } },
    { name: 'browse_registry', arguments: { limit: 20, as_of } },
    { name: 'provider_stats', arguments: { npi } },
    { name: 'data_integrity', arguments: {} },
  ]
}
