// What a person sees in a browser where an agent gets a problem document: the same status, words, code and hint.

import { expect, test } from 'bun:test'
import { PROBLEMS } from '../../src/problem.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { onSqlite } from '../support/engines.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { aroundPrism } from '../support/through-prism.ts'

const BESIDE = aroundPrism('the document is for programs, and the pages that browsers are refused with stand beside it')

/** What browsers send for a page. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' }

const get = async (app: TestApp, path: string, headers: Record<string, string> = {}, address = '192.0.2.1') =>
  app.app.fetch(new Request(`${BASE_URL}${path}`, { headers }), address)

/** A page as text: without tags, entities put right. */
const wordsOf = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

interface Document {
  status: number
  code: string
  title: string
  detail: string
  agent_hint: string
}

async function expectSame(page: Response, problem: Document): Promise<string> {
  const words = wordsOf(await page.text())
  expect(page.status).toBe(problem.status)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('x-request-id')).not.toBeNull()
  for (const said of [problem.code, problem.title, problem.detail, problem.agent_hint.replaceAll('`', '')])
    expect(words).toContain(said)
  return words
}

test('a browser that is refused gets a page with the words of the problem document; everyone else gets the document', async () => {
  await using app = await testApp(BESIDE)
  await app.publish(aRelease({ rows: [aPrice({ code: 'G0101' })] }))
  for (const path of [
    '/nothing-here',
    '/reference?cpt=9921',
    '/reference?cpt=99999',
    '/reference?cpt=G0101&as_of=2020-01-01',
    '/rows/cms-pfs:TEST1:1/999',
    '/api/registry',
    '/log/registry/tile/0/000',
    '/mcp',
  ]) {
    // The first makes the answer, later ones may find it ready-made.
    for (const _ of [1, 2, 3]) {
      const plain = await get(app, path)
      expect([path, plain.headers.get('content-type')]).toEqual([path, 'application/problem+json'])
      await expectSame(await get(app, path, BROWSER), (await plain.json()) as Document)
    }
    for (const accept of ['*/*', 'application/json', 'application/problem+json', 'application/json, text/html;q=0.9'])
      expect((await get(app, path, { accept })).headers.get('content-type')).toBe('application/problem+json')
  }
  // What is found is the same for everyone.
  expect((await get(app, '/reference?cpt=G0101', BROWSER)).headers.get('content-type')).toBe('application/json')
  const proved = wordsOf(await (await get(app, '/reference?cpt=99999', BROWSER)).text())
  expect(proved).toContain('"schema": "registry-state/2"')
})

test('nothing of a request gets onto the page of its refusal', async () => {
  await using app = await testApp(BESIDE)
  const lie = '<script>alert(1)</script>'
  for (const path of [
    `/${encodeURIComponent(lie)}`,
    `/reference?cpt=${encodeURIComponent(lie)}`,
    `/reference?${lie}=1`,
  ]) {
    const page = await (await get(app, path, BROWSER)).text()
    expect(page).toContain('<h1>')
    expect(page).not.toContain('alert(1)')
  }
})

test('the page of a used-up quota says when to come again, and is made once for all', async () => {
  await using app = await testApp({ ...BESIDE, limits: { enabled: true, default_rpm: 3, reference_rpm: 3 } })
  await app.publish(aRelease({ rows: [aPrice({ code: 'G0101' })] }))
  // A page and an operation, cold and ready-made.
  for (const path of ['/', '/reference?cpt=G0101', '/nothing-here']) {
    const address = `198.51.100.${path.length}`
    const all = []
    for (let i = 0; i < 6; i++) all.push(await get(app, path, BROWSER, address))
    const limited = all.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(2)
    for (const page of limited) {
      const words = await expectSame(page, { status: 429, code: 'rate_limited', ...spoken(PROBLEMS.rate_limited) })
      expect(words).toContain(`Try again after ${page.headers.get('retry-after')} seconds`)
    }
    const plain = await get(app, path, {}, address)
    expect([plain.status, plain.headers.get('content-type')]).toEqual([429, 'application/problem+json'])
  }
})
const spoken = ({ title, hint }: { title: string; hint: string }) => ({ title, detail: title, agent_hint: hint })

test('a service that fails says so on a page too, with the number of the request for the operator', async () => {
  const engine = onSqlite('a store of PostgreSQL that was closed is one that is away, which is no fault')
  await using app = await testApp({ ...BESIDE, engine })
  await app.installation.db.close()
  const problem = (await (await get(app, '/api/releases')).json()) as Document
  expect(problem.code).toBe('internal_error')
  const page = await get(app, '/api/releases', BROWSER)
  const id = page.headers.get('x-request-id') ?? 'none'
  expect(await expectSame(page, problem)).toContain(`Number of this request: ${id}`)
})

test('a bill that is refused shows the code and what to do beside the form', async () => {
  await using app = await testApp(BESIDE)
  await app.publish(aRelease())
  const send = (accept: string, lines: string) =>
    app.app.fetch(
      new Request(`${BASE_URL}/bill`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ lines, npi: 'no such hospital' }).toString(),
      }),
      '192.0.2.1',
    )
  const problem = (await (await send('text/markdown', 'G0101')).json()) as Document
  const page = await send(BROWSER.accept, 'G0101')
  expect([page.status, problem.code]).toEqual([problem.status, 'invalid_npi'])
  const text = await page.text()
  for (const said of [problem.code, problem.detail, problem.agent_hint.replaceAll('`', '')])
    expect(wordsOf(text)).toContain(said)
  expect(text).toContain('<form id="bill"')
})

test('a page that a browser is refused with is compressed, and says that it depends on what the browser can read', async () => {
  await using app = await testApp()
  for (const [coding, read] of [
    ['gzip', (bytes: Uint8Array<ArrayBuffer>) => Bun.gunzipSync(bytes)],
    ['identity', (bytes: Uint8Array<ArrayBuffer>) => bytes],
  ] as const) {
    const page = await get(app, '/reference?cpt=nonsense', { ...BROWSER, 'accept-encoding': coding })
    expect(page.headers.get('content-encoding') ?? 'identity').toBe(coding)
    expect(page.headers.get('vary')).toContain('Accept, Accept-Encoding')
    expect(Buffer.from(read(await page.bytes())).toString()).toContain('</html>')
  }
})
