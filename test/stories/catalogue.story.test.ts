import { expect, test } from 'bun:test'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { type Inquiry, isNextPage, type VerifiedAnswer, verifyBody } from '../../src/proof/verify-lists.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { mustBeProved } from '../support/lookup.ts'

interface List<Entry> {
  data: Entry[]
  page: { total: number; has_more: boolean }
  links: { next: string | null }
}
type Facts = Record<string, unknown> & { about?: Record<string, unknown> }

const NPI = '1234567893'
const list = <Entry = Facts>(app: TestApp, path: string): Promise<List<Entry>> =>
  app.getJson(path) as Promise<List<Entry>>
const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })

async function threeCharts(app: TestApp): Promise<void> {
  const regions = ['national', 'US-AL-00', 'US-CA-18']
  await app.publish(
    aRelease({
      rows: [
        ...regions.map((region) => aPrice({ code: '99213', region })),
        aPrice({ code: '99213', setting: 'facility' }),
        aPrice({ code: '70450', modifier: '26' }),
        anAbsence({ code: '80053' }),
      ],
    }),
  )
  const lab = { basis: 'medicare_clfs', setting: null } as const
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ code: '80053', ...lab })] }))
  const cash = { npi: NPI, basis: 'hospital_cash', setting: 'outpatient' } as const
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [aPrice({ code: '99213', ...cash })] }))
}

test('coverage says which charts are in force and what they hold', async () => {
  await using app = await testApp()
  await threeCharts(app)
  const { data, page } = await list(app, '/api/coverage')
  expect(page.total).toBe(3)
  expect(data.map(({ chart }) => chart)).toEqual(['cms-clfs', 'cms-pfs', `hospital-mrf:${NPI}`])
  expect(data[1]).toMatchObject({
    release_id: 'cms-pfs:TEST1:1',
    effective_from: '2026-01-01',
    data_class: 'published',
    rows: 6,
    about: {
      codes: 3,
      code_prefixes: [
        { prefix: '7', codes: 1 },
        { prefix: '8', codes: 1 },
        { prefix: '9', codes: 1 },
      ],
      regions: { total: 3, list: ['US-AL-00', 'US-CA-18', 'national'] },
      npis: { total: 0, list: [] },
    },
  })
  expect(data[1]?.about).not.toHaveProperty('code')
  expect(data[2]).toMatchObject({ about: { npis: { total: 1, list: [NPI] } } })
  const hospital = await list(app, `/api/coverage?npi=${NPI}`)
  expect(hospital.data.map(({ chart }) => chart)).toEqual([`hospital-mrf:${NPI}`])
  expect((await list(app, '/api/coverage?as_of=2025-12-31')).data).toEqual([])
})

test('an agent learns where a code has prices before it asks for one', async () => {
  await using app = await testApp()
  await threeCharts(app)
  const { data } = await list(app, '/api/coverage?cpt=99213')
  expect(data.map(({ chart, about }) => [chart, about?.['code']])).toEqual([
    [
      'cms-pfs',
      {
        cpt: '99213',
        rows: 4,
        prices: 4,
        bases: ['medicare_pfs'],
        modifiers: [null],
        settings: ['facility', 'non_facility'],
        regions: { total: 3, list: ['US-AL-00', 'US-CA-18', 'national'] },
        npis: { total: 0, list: [] },
      },
    ],
    [`hospital-mrf:${NPI}`, expect.objectContaining({ rows: 1, npis: { total: 1, list: [NPI] } })],
  ])
  const [clfs, pfs] = (await list(app, '/api/coverage?cpt=80053')).data
  expect([clfs, pfs]).toMatchObject([
    { about: { code: { prices: 1, settings: [null] } } },
    { about: { code: { rows: 1, prices: 0 } } },
  ])
  expect((await list(app, '/api/coverage?cpt=12345')).data).toEqual([])
})

test('a ZIP code that is spelled like a code is not taken for one', async () => {
  await using app = await testApp()
  await threeCharts(app)
  await app.publish(aRelease({ chart: 'zip-locality', rows: [aPlace('99213', 'US-WA-99')] }))
  const { data } = await list(app, '/api/coverage?cpt=99213')
  expect(data.map(({ chart }) => chart)).toEqual(['cms-pfs', `hospital-mrf:${NPI}`])
  const codes = await list(app, '/api/coverage?prefix=992')
  expect(codes.data).toMatchObject([{ cpt: '99213', charts: 2 }])
  const headers = await app.railsHeaders(['registry:read'])
  for (const filter of ['cpt=99213', 'region=US-WA-99', 'cpt=99213&chart=zip-locality']) {
    const page = (await app.getJson(`/api/registry?${filter}`, headers)) as List<{ kind: string }>
    expect([filter, page.data.filter(({ kind }) => kind === 'place')]).toEqual([filter, []])
  }
})

test('codes are found by how they begin', async () => {
  await using app = await testApp()
  await threeCharts(app)
  expect((await list(app, '/api/coverage?prefix=9')).data).toEqual([{ kind: 'code', cpt: '99213', charts: 2, rows: 5 }])
  expect((await list(app, '/api/coverage?prefix=8005')).data).toMatchObject([{ cpt: '80053', charts: 2 }])
  expect((await list(app, '/api/coverage?prefix=9&chart=cms-clfs')).page.total).toBe(0)
  await app.publish(
    aRelease({
      chart: 'cms-opps',
      rows: ['G0001', 'G0002', 'G0003'].map((code) => aPrice({ code, basis: 'medicare_opps' })),
    }),
  )
  const first = await list(app, '/api/coverage?prefix=g&limit=2')
  expect(first.page).toMatchObject({ total: 3, has_more: true })
  const second = await list(app, first.links.next ?? '')
  expect([...first.data, ...second.data].map(({ cpt }) => cpt)).toEqual(['G0001', 'G0002', 'G0003'])
})

test('what coverage cannot answer is refused', async () => {
  await using app = await testApp()
  const cases: [string, string][] = [
    ['cpt=1', 'invalid_cpt'],
    ['npi=1234567890', 'invalid_npi'],
    ['prefix=12345', 'invalid_parameter'],
    ['prefix=%25', 'invalid_parameter'],
    ['prefix=9&cpt=99213', 'invalid_parameter'],
    ['chart=unknown', 'invalid_parameter'],
    ['limit=0', 'invalid_parameter'],
    ['region=national', 'unknown_parameter'],
  ]
  for (const [query, code] of cases)
    expect([query, await app.problem(`/api/coverage?${query}`)]).toMatchObject([query, { status: 400, code }])
  // An empty parameter is as if it were not there.
  expect((await list(app, '/api/coverage?prefix=')).data).toEqual((await list(app, '/api/coverage')).data)
})

async function twoEditionsOneWithdrawn(app: TestApp): Promise<void> {
  const other = aPrice({ code: '10000' })
  await app.publish(aRelease({ edition: 'A', rows: [aPrice(usd('10.00')), aPrice({ code: 'G0105' }), other] }))
  app.clock.now += 3_600_000
  const rows = [aPrice(usd('15.00')), aPrice({ code: 'G0106' }), other]
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-07-01', rows }))
  app.clock.now += 3_600_000
  const { db, registryLog, cosign } = app.installation
  await withdraw({ db, log: registryLog, cosign }, 'cms-pfs:B:1', 'wrong_source', app.clock.now)
}

test('the list of releases shows what was published and what was withdrawn, in the order of the timeline', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  await twoEditionsOneWithdrawn(app)
  const { data, page } = await list(app, '/api/releases')
  expect(page.total).toBe(2)
  expect(data).toMatchObject([
    {
      release_id: 'cms-pfs:A:1',
      state: 'published',
      in_force: { from: '2026-01-01', to: '2099-12-31' },
      row_count: 3,
      log_index: 1,
    },
    {
      release_id: 'cms-pfs:B:1',
      state: 'withdrawn',
      published_at: '2026-11-15T13:00:00.000Z',
      withdrawn_at: '2026-11-15T14:00:00.000Z',
      withdrawn_reason: 'wrong_source',
      supersedes: 'cms-pfs:A:1',
      log_index: 3,
      withdrawn_log_index: 5,
    },
  ])
  const named = async (query: string) => (await list(app, `/api/releases?${query}`)).data.map((each) => each['edition'])
  expect(await named('state=published')).toEqual(['A'])
  expect(await named('state=withdrawn')).toEqual(['B'])
  expect(await named('chart=cms-clfs')).toEqual([])
  expect(await named('limit=1&offset=1')).toEqual(['B'])
  expect(await app.problemCode('/api/releases?state=staged')).toBe('invalid_parameter')
})

/** Ten releases of five charts: some replaced, some withdrawn, some of the same charts one after the other. */
async function tenReleases(app: TestApp): Promise<void> {
  const lab = { basis: 'medicare_clfs', setting: null } as const
  await threeCharts(app)
  for (const [edition, effective_from, amount] of [
    ['B', '2026-04-01', '1.00'],
    ['C', '2026-07-01', '2.00'],
    ['C', '2026-07-01', '3.00'],
    ['D', '2026-10-01', '4.00'],
  ] as const)
    await app.publish(aRelease({ edition, effective_from, rows: [aPrice({ effective_from, ...usd(amount) })] }))
  await app.publish(aRelease({ chart: 'cms-pfs-qpp', rows: [aPrice({ basis: 'medicare_pfs_qpp' })] }))
  await app.publish(aRelease({ chart: 'cms-clfs', edition: 'B', rows: [aPrice({ code: '80053', ...lab })] }))
  await app.publish(aRelease({ chart: 'cms-opps', rows: [aPrice({ basis: 'medicare_opps' })] }))
  const { db, registryLog, cosign } = app.installation
  await withdraw({ db, log: registryLog, cosign }, 'cms-pfs:D:1', 'wrong_source', app.clock.now)
}

/** All pages of a list, each of them checked beside its question, and beside the page before. */
async function provedPages(app: TestApp, path: string, asked: (offset: number) => Inquiry): Promise<Facts[]> {
  const data: Facts[] = []
  let before: VerifiedAnswer | undefined
  for (let next: string | null = path; next !== null; ) {
    const text = await (await app.request(next)).text()
    const proved = await mustBeProved(app, text, asked(data.length), next)
    const body = JSON.parse(text) as List<Facts>
    expect(proved.entries).toBe(body.data.length)
    if (before && proved.page?.from !== undefined) expect([next, isNextPage(proved, before)]).toEqual([next, true])
    before = proved
    data.push(...body.data)
    next = body.links.next
  }
  return data
}

test('every page of the releases proves what is in force, and none that is in force is missing', async () => {
  await using app = await testApp()
  expect(await provedPages(app, '/api/releases', () => ({ releases: {} }))).toEqual([])
  await tenReleases(app)
  const all = await provedPages(app, '/api/releases', () => ({ releases: {} }))
  expect(all.map(({ release_id, state }) => [release_id, state])).toEqual([
    ['cms-clfs:B:1', 'published'],
    ['cms-clfs:TEST1:1', 'replaced'],
    ['cms-opps:TEST1:1', 'published'],
    ['cms-pfs-qpp:TEST1:1', 'published'],
    ['cms-pfs:TEST1:1', 'published'],
    ['cms-pfs:B:1', 'published'],
    ['cms-pfs:C:2', 'published'],
    ['cms-pfs:C:1', 'replaced'],
    ['cms-pfs:D:1', 'withdrawn'],
    [`hospital-mrf:${NPI}:TEST1:1`, 'published'],
  ])
  for (const limit of [1, 3]) {
    const paged = await provedPages(app, `/api/releases?limit=${limit}`, (offset) => ({ releases: { offset } }))
    expect(paged.map(({ release_id }) => release_id)).toEqual(all.map(({ release_id }) => release_id))
  }
  for (const chart of ['cms-pfs', 'cms-clfs', 'cms-asc', `hospital-mrf:${NPI}`]) {
    const of = await provedPages(app, `/api/releases?chart=${chart}&limit=2`, (offset) => ({
      releases: { chart, offset },
    }))
    expect(of.length).toBe(all.filter((each) => each['chart'] === chart).length)
  }
  for (const state of ['published', 'replaced', 'withdrawn'] as const) {
    const of = await provedPages(app, `/api/releases?state=${state}`, (offset) => ({ releases: { state, offset } }))
    expect(of.length).toBe(all.filter((each) => each['state'] === state).length)
  }
})

test('a revision that takes effect on another day than the one it replaces is listed with its proof', async () => {
  await using app = await testApp()
  for (const [edition, effective_from] of [
    ['A', '2026-01-01'],
    ['A', '2026-01-15'],
    ['B', '2026-01-15'],
  ] as const)
    await app.publish(aRelease({ edition, effective_from, rows: [aPrice({ effective_from })] }))
  for (const limit of [1, 50]) {
    const all = await provedPages(app, `/api/releases?limit=${limit}`, (offset) => ({ releases: { offset } }))
    expect(all.map(({ release_id, state }) => [release_id, state])).toEqual([
      ['cms-pfs:A:1', 'replaced'],
      ['cms-pfs:B:1', 'published'],
      ['cms-pfs:A:2', 'replaced'],
    ])
  }
})

test('every page of coverage proves which editions are in force on the day', async () => {
  await using app = await testApp()
  await tenReleases(app)
  for (const as_of of ['2026-11-15', '2026-05-05', '2020-01-01'])
    for (const limit of [1, 2, 50]) {
      const path = `/api/coverage?as_of=${as_of}&limit=${limit}`
      const all = await provedPages(app, path, (offset) => ({ coverage: { as_of, offset } }))
      expect(all.length).toBe(as_of < '2026' ? 0 : 5)
    }
  const as_of = '2026-11-15'
  for (const chart of ['cms-pfs', 'cms-clfs', 'cms-asc']) {
    const of = await provedPages(app, `/api/coverage?chart=${chart}`, () => ({ coverage: { as_of, chart } }))
    expect(of.length).toBe(chart === 'cms-asc' ? 0 : 1)
  }
  const some = await provedPages(app, '/api/coverage?cpt=80053', () => ({ coverage: { as_of, cpt: '80053' } }))
  expect(some.map(({ chart }) => chart)).toEqual(['cms-clfs'])
  const text = await (await app.request('/api/coverage?prefix=9')).text()
  expect(await verifyBody(text, app.policy, { coverage: { as_of } })).toMatchObject({ class: 'not_the_answer' })
})

test('two releases can be compared, withdrawn or not', async () => {
  await using app = await testApp()
  await twoEditionsOneWithdrawn(app)
  const path = '/api/releases/diff?from=cms-pfs:A:1&to=cms-pfs:B:1'
  const diff = await app.getJson(path)
  expect(diff).toMatchObject({
    chart: 'cms-pfs',
    from: { release_id: 'cms-pfs:A:1', rows: 3 },
    to: { release_id: 'cms-pfs:B:1', effective_from: '2026-07-01' },
    added: 1,
    removed: 1,
    changed: 1,
    unchanged: 1,
    largest_by_percent: [{ row_key: 'G0101|national||medicare_pfs|||non_facility|', change: '5.00', change_pct: 50 }],
  })
  expect(await app.getJson(path)).toEqual(diff)
  const back = await app.getJson('/api/releases/diff?from=cms-pfs:B:1&to=cms-pfs:A:1')
  expect(back).toMatchObject({ added: 1, removed: 1, changed: 1 })
})

/** Editions with enough rows that comparing two of them takes a while. */
async function longEditions(app: TestApp): Promise<string[]> {
  const ids: string[] = []
  for (const edition of ['A', 'B', 'C', 'D', 'E']) {
    const rows = Array.from({ length: 2_000 }, (_, i) => aPrice({ code: String(10_000 + i) }))
    ids.push(await app.publish(aRelease({ edition, rows })))
  }
  return ids
}
const comparing = (from = '', to = ''): string => `/api/releases/diff?from=${from}&to=${to}`
/** Every pair the wrong way round, which nobody has compared yet. */
const backwards = (ids: readonly string[]): string[] =>
  ids.flatMap((from, i) => ids.slice(0, i).map((to) => comparing(from, to)))

test('only a few comparisons wait for their turn; the others are told to come back', async () => {
  await using app = await testApp()
  const paths = backwards(await longEditions(app))
  const answers = await Promise.all([...paths, ...paths].map((path) => app.request(path)))
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const response of refused) {
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.json()).toMatchObject({ code: 'unavailable' })
  }
  expect(await app.getJson(paths[0] as string)).toMatchObject({ added: 0, changed: 0, unchanged: 2_000 })
})

test('a release beside the one it took the place of, or beside itself, is compared whatever else is being asked for', async () => {
  await using app = await testApp({ limits: { enabled: true, default_rpm: 1_000 } })
  const ids = await longEditions(app)
  const others = [...backwards(ids), ...backwards(ids)].map((path) => app.request(path))
  const usual = [comparing(ids[0], ids[1]), comparing(ids[1], ids[2]), comparing(ids[3], ids[3])]
  const answers = await Promise.all(usual.map((path) => app.request(path, {}, '192.0.2.2')))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  for (const answer of answers) expect(await answer.json()).toMatchObject({ added: 0, removed: 0, unchanged: 2_000 })
  const left = answers.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  expect(left.sort()).toEqual(['997', '998', '999'])
  expect((await Promise.all(others)).some(({ status }) => status === 503)).toBe(true)
})

test('a comparison that nobody stored counts as ten requests', async () => {
  await using app = await testApp({ limits: { enabled: true, default_rpm: 12 } })
  const [from, to] = [await app.publish(aRelease({ edition: 'A' })), await app.publish(aRelease({ edition: 'B' }))]
  const ask = async (path: string) => (await app.request(path)).status
  expect(await ask(`/api/releases/diff?from=${to}&to=${from}`)).toBe(200)
  expect(await ask(`/api/releases/diff?from=${to}&to=${from}`)).toBe(429)
  expect(await ask(`/api/releases/diff?from=${from}&to=${to}`)).toBe(200)
})

test('what is stored of a comparison is what comparing again gives', async () => {
  await using app = await testApp()
  await twoEditionsOneWithdrawn(app)
  const path = '/api/releases/diff?from=cms-pfs:A:1&to=cms-pfs:B:1'
  const stored = await app.getJson(path)
  await app.installation.db.query('UPDATE release_delta SET moves = NULL')
  expect(await app.getJson(path)).toEqual(stored)
})

test('a comparison that makes no sense is refused', async () => {
  await using app = await testApp()
  await threeCharts(app)
  const cases: [string, number, string][] = [
    ['from=cms-pfs:TEST1:1', 400, 'missing_parameter'],
    ['from=cms-pfs:TEST1:1&to=cms-pfs:TEST9:1', 404, 'release_not_found'],
    ['from=cms-pfs:TEST1:1&to=cms-clfs:TEST1:1', 400, 'invalid_parameter'],
    ['from=%27%20OR%201&to=cms-pfs:TEST1:1', 400, 'invalid_parameter'],
  ]
  for (const [query, status, code] of cases)
    expect([query, await app.problem(`/api/releases/diff?${query}`)]).toMatchObject([query, { status, code }])
})

test('the feed is an Atom feed of the log: stable, newest first, one entry per entry', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  const read = async () => {
    const response = await app.request('/feed.atom')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/atom+xml'])
    return atom(await response.text())
  }
  const empty = await read()
  expect([empty.entries, empty.updated]).toEqual([[], '2026-11-15T12:00:00.000Z'])
  await twoEditionsOneWithdrawn(app)
  const { id, updated, entries } = await read()
  expect(id).toBe(empty.id)
  expect(updated).toBe('2026-11-15T14:00:00.000Z')
  expect(entries.map(({ title, updated: at }) => [title, at])).toEqual([
    ['cms-pfs:B:1 withdrawn', '2026-11-15T14:00:00.000Z'],
    ['cms-pfs:B:1 published', '2026-11-15T13:00:00.000Z'],
    ['cms-pfs:A:1 published', '2026-11-15T12:00:00.000Z'],
  ])
  const ids = [id, ...entries.map((entry) => entry.id)]
  expect(new Set(ids).size).toBe(4)
  for (const each of ids)
    expect(each).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  await app.publish(aRelease({ edition: 'C', effective_from: '2026-10-01' }))
  expect((await read()).entries.slice(1)).toEqual(entries)
  const proofs = (await (await app.request('/feed.atom')).text()).matchAll(/rel="related"[^>]*href="([^"]+)"/g)
  expect([...proofs].map(([, href]) => href)).toEqual(
    [7, 5, 3, 1].map((index) => `https://registry.example/log/registry/proof/${index}`),
  )
})

test('the feed has the newest fifty', async () => {
  await using app = await testApp()
  for (let i = 0; i < 52; i++) await app.publish(aRelease({ edition: `E${i}` }))
  const { entries } = atom(await (await app.request('/feed.atom')).text())
  expect([entries.length, entries[0]?.title, entries.at(-1)?.title]).toEqual([
    50,
    'cms-pfs:E51:1 published',
    'cms-pfs:E2:1 published',
  ])
})

test('what was added is listed for agents among the public routes', async () => {
  await using app = await testApp()
  const policy = (await app.getJson('/api/agent-rails/policy')) as { additional_public_routes: string[] }
  for (const path of [
    '/reference/batch',
    '/reference/history',
    '/api/coverage',
    '/api/releases',
    '/api/releases/diff',
    '/feed.atom',
  ])
    expect(policy.additional_public_routes).toContain(path)
})

/** Reads a feed after checking that its tags nest and its text holds nothing that XML does not allow. */
function atom(xml: string): { id: string; updated: string; entries: { id: string; title: string; updated: string }[] } {
  const [declaration, ...rest] = xml.split('\n')
  expect(declaration).toBe('<?xml version="1.0" encoding="utf-8"?>')
  const open: string[] = []
  for (const [, tag = '', text = ''] of rest.join('\n').matchAll(/<([^<>]+)>([^<>]*)/g)) {
    const name = tag.replace(/^\//, '').split(/[\s/]/)[0] ?? ''
    expect(text).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/)
    if (tag.startsWith('/')) expect(open.pop()).toBe(name)
    else if (!tag.endsWith('/')) open.push(name)
  }
  expect(open).toEqual([])
  const textOf = (part: string, name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(part)?.[1] ?? ''
  const [head = '', ...entries] = xml.split('<entry>')
  expect(head).toContain('<feed xmlns="http://www.w3.org/2005/Atom">')
  expect(head).toContain('<link rel="self" type="application/atom+xml" href="https://registry.example/feed.atom"/>')
  return {
    id: textOf(head, 'id'),
    updated: textOf(head, 'updated'),
    entries: entries.map((entry) => ({
      id: textOf(entry, 'id'),
      title: textOf(entry, 'title'),
      updated: textOf(entry, 'updated'),
    })),
  }
}
