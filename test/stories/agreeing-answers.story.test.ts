// An answer must not contradict itself: its hint, its label and its members say the same.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ sample: true })
})
afterAll(() => app[Symbol.asyncDispose]())

interface Refusal {
  code: string
  detail: string
  agent_hint: string
  errors?: { name: string }[]
  charts?: { held: unknown[] }[]
}
const refusal = async (path: string, headers: Record<string, string> = {}): Promise<Refusal> =>
  (await app.problem(path, { headers })) as unknown as Refusal

test('an unknown ZIP code is told what can be asked for in its place, and that is answered', async () => {
  const { code, agent_hint } = await refusal('/reference?cpt=99213&region=99999')
  expect(code).toBe('unknown_zip')
  expect(agent_hint).toContain('`US-XX-LL`')
  expect(agent_hint).toContain('`national`')
  for (const region of ['US-CA-05', 'national'])
    expect((await app.request(`/reference?cpt=99213&region=${region}`)).status).toBe(200)
})

test('whoever browses by ZIP code is not told to use a ZIP code', async () => {
  const headers = await app.railsHeaders()
  for (const region of ['94102', 'ZIP-94102', '94102-1234']) {
    const { code, agent_hint, errors } = await refusal(`/api/registry?region=${region}`, headers)
    expect([code, errors?.[0]?.name]).toEqual(['invalid_region', 'region'])
    expect(agent_hint).not.toContain('94102')
    expect(agent_hint).toContain('/reference')
  }
  for (const region of ['national', 'US-CA', 'CA', 'US-CA-05'])
    expect((await app.request(`/api/registry?region=${region}`, { headers })).status).toBe(200)
})

test('whoever names a basis without a chart is not sent to another day', async () => {
  const without = await refusal('/reference?cpt=99213&basis=medicare_opps')
  expect([without.code, without.charts?.map(({ held }) => held)]).toEqual(['no_edition_for_day', [[]]])
  expect(without.agent_hint).not.toContain('day in a period of')
  expect(without.agent_hint).toContain('another basis')
  // Where periods are held, the hint still names them.
  const { charts, agent_hint } = await refusal('/reference?cpt=99213&basis=medicare_pfs&as_of=2020-01-01')
  expect(charts?.[0]?.held.length).toBeGreaterThan(0)
  expect(agent_hint).toContain('day in a period of')
})

test('a comparison of two charts names the parameter to change', async () => {
  const { code, detail, errors } = await refusal('/api/releases/diff?from=cms-pfs:SAMPLE26D:1&to=cms-clfs:SAMPLE26Q4:1')
  expect([code, errors?.map(({ name }) => name)]).toEqual(['invalid_parameter', ['to']])
  expect(detail).toContain('different charts')
})

test('an agent that narrowed its own token is told to get another, and is not sent to the operator', async () => {
  const narrowed = async (has: 'figures:read' | 'registry:read') => {
    const { key } = await app.createKey(has === 'registry:read' ? ['registry:read', 'audit:read'] : ['audit:read'])
    const attested = await app.attest(key, { nonce: await app.challenge(key), scopes: ['audit:read'] })
    const { rails_token } = (await attested.json()) as { rails_token: string }
    return refusal('/api/registry', { 'x-agent-rails': rails_token })
  }
  const own = await narrowed('registry:read')
  expect(own.code).toBe('insufficient_scope')
  expect(own.agent_hint).toContain('Your key has the scopes')
  expect(own.agent_hint).not.toContain('operator')
  expect((await narrowed('figures:read')).agent_hint).toContain('ask the operator')
})

test('statistics of providers and changes of figures say of what class their cases are', async () => {
  const headers = await app.railsHeaders()
  expect(await app.getJson('/api/provider/1234567893', headers)).toMatchObject({ data_class: 'sample' })
  for (const query of ['', '?metric=w', '?after_seq=-1', '?offset=1000'])
    expect(await app.getJson(`/api/figure-changes${query}`, headers)).toMatchObject({ data_class: 'sample' })
  await using empty = await testApp()
  expect(await empty.getJson('/api/figure-changes', await empty.railsHeaders())).toMatchObject({ data_class: null })
})

test('after_seq gives the changes after a place, oldest first, and its links lead to the last one', async () => {
  const headers = await app.railsHeaders()
  interface Page {
    data: { seq: number }[]
    links: { next: string | null }
  }
  const page = async (path: string): Promise<Page> => (await app.getJson(path, headers)) as Page
  const seqs = ({ data }: Page): number[] => data.map(({ seq }) => seq)
  const newestFirst = seqs(await page('/api/figure-changes?limit=200'))
  const all = newestFirst.toReversed()
  expect(all.length).toBeGreaterThan(3)
  expect(all).toEqual(newestFirst.toSorted((a, b) => a - b))
  const followed: number[] = []
  for (let next: string | null = '/api/figure-changes?after_seq=-1&limit=3'; next !== null; ) {
    const here: Page = await page(next)
    followed.push(...seqs(here))
    next = here.links.next?.replace(/^https?:\/\/[^/]+/, '') ?? null
  }
  expect(followed).toEqual(all)
  expect(seqs(await page(`/api/figure-changes?after_seq=${all[1]}`))).toEqual(all.slice(2))
  expect(seqs(await page(`/api/figure-changes?after_seq=${all.at(-1)}`))).toEqual([])
  for (const wrong of ['-2', '1.5', 'x'])
    expect(await app.problemCode(`/api/figure-changes?after_seq=${wrong}`, { headers })).toBe('invalid_parameter')
})
