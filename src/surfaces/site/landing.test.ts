import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { ServiceDescriptor } from '../discovery/descriptor.ts'
import { landingParts, rendered, served } from '../discovery/fixture.ts'
import { DOCUMENTS } from '../guides/documents.ts'
import { landing } from './landing.ts'
import { inWords, type LandingParts } from './landing-facts.ts'

/** Every address of this service that a page or a Link header may name. */
const ROUTES = [
  '/',
  '/reference',
  '/api/readme',
  '/api/figures',
  '/api/openapi.json',
  '/api/agent-rails/policy',
  '/.well-known/agent-card.json',
  '/.well-known/ai-plugin.json',
  '/log/policy',
  '/logo.svg',
  '/healthz',
]

const htmlOf = (facts?: Partial<LandingParts>) => rendered(landing(landingParts(facts)), 'text/html')
const markdownOf = (facts?: Partial<LandingParts>) => rendered(landing(landingParts(facts)), 'text/markdown')
const bothOf = async (facts?: Partial<LandingParts>) => [await htmlOf(facts), await markdownOf(facts)]

test('one address serves a page, markdown and the descriptor, each to whom it suits', async () => {
  const get = served(landing(landingParts()))
  const types: [accept: string, type: string][] = [
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
    ['text/markdown, text/html;q=0.5', 'text/markdown; charset=utf-8'],
    ['application/json', 'application/json'],
  ]
  for (const [accept, type] of types) {
    const response = await get('/?utm_source=mail', { accept })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding')
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
  }
  expect((await get('/', { accept: 'image/png' })).status).toBe(406)
  const json = await (await get('/', { accept: 'application/json' })).json()
  expect(ServiceDescriptor.parse(json).service).toBe('Agent Trust Registry')
})

test('the policy of the page allows exactly the style that is in it, and nothing else', async () => {
  const response = await served(landing(landingParts()))('/')
  const page = await response.text()
  const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  )
  expect(page.match(/<style/g)).toHaveLength(1)
  expect(page).not.toMatch(/<script|\sstyle=|\son\w+=|javascript:|@import|url\(/i)
})

test('every address the page, its markdown and its Link header name exists', async () => {
  const document = landing(landingParts())
  const page = await rendered(document, 'text/html')
  const found = [
    ...page.matchAll(/(?:href|src|action)="([^"]*)"/g),
    ...(await rendered(document, 'text/markdown')).matchAll(/\]\(([^)]*)\)/g),
    ...(document.headers?.['link'] ?? '').matchAll(/<([^>]*)>/g),
  ].map(([, address = '']) => new URL(address.replaceAll('&amp;', '&'), 'https://trust.example/'))
  expect(found.length).toBeGreaterThan(20)
  for (const { origin, pathname, hash } of found) {
    expect(origin).toBe('https://trust.example')
    expect([...ROUTES, ...DOCUMENTS.map(({ path }) => path)]).toContain(pathname)
    if (hash) expect(page).toContain(`id="${hash.slice(1)}"`)
  }
})

test('the page is one document that every reader can find a way through', async () => {
  const page = await htmlOf()
  expect(page).toStartWith('<!doctype html>\n<html lang="en">')
  expect(page.match(/<h1[ >]/g)).toHaveLength(1)
  expect(page.match(/<main[ >]/g)).toHaveLength(1)
  expect(page).toContain('<title>Agent Trust Registry')
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [, id] of page.matchAll(/(?:aria-labelledby|aria-describedby|for)="([^"]+)"/g)) expect(ids).toContain(id)
  for (const image of page.match(/<img[^>]*>/g) ?? []) expect(image).toContain('alt=')
})

test('a price is shown with the file and line it comes from', async () => {
  for (const text of await bothOf()) {
    for (const fact of ['$95.19', '99213', 'Medicare Physician Fee Schedule', 'PPRRVU.csv', 'cms-pfs:RVU26D:1'])
      expect(text).toContain(fact)
    expect(text).toMatch(/line 4,?312/)
    expect(text).toContain('1 October 2026')
    expect(text).not.toContain('SAMPLE')
  }
})

test('a withheld figure is called withheld, never zero', async () => {
  for (const text of await bothOf()) {
    for (const fact of ['62%', '7%', '$1,250', 'withheld']) expect(text).toContain(fact)
    expect(text).not.toMatch(/\b0%|null|undefined|NaN/)
  }
})

test('sample data is called SAMPLE where it stands', async () => {
  const { list, total } = await landingParts().charts()
  const charts = async () => ({
    list: list.map((chart) => ({ ...chart, data_class: 'sample' })),
    total,
    hasSample: true,
  })
  const [page = '', markdown = ''] = await bothOf({ charts })
  expect(page.match(/>SAMPLE</g)).toHaveLength(3)
  expect(markdown.match(/\*\*SAMPLE\*\*/g)).toHaveLength(3)
})

test('of many price lists the page shows the first few and says how many there are', async () => {
  const { list } = await landingParts().charts()
  const charts = async () => ({ list, total: 1503, hasSample: false })
  const [page = '', markdown = ''] = await bothOf({ charts })
  expect(page).toContain('The first 1 of 1,503.')
  expect(markdown).toContain('The first 1 of 1503. [All of them, with their content](/api/coverage)')
  for (const text of await bothOf()) expect(text).not.toContain('The first')
})

test('sample data that is not among the first few is still announced', async () => {
  const { list } = await landingParts().charts()
  for (const text of await bothOf({ charts: async () => ({ list, total: 20, hasSample: true }) }))
    expect(text).toContain('SAMPLE')
})

test('an installation without any data says so', async () => {
  const figures = async () => ({
    w: null,
    r: null,
    p: null,
    savings: { total: null, median: null },
    as_of: null,
    data_class: null,
  })
  const charts = async () => ({ list: [], total: 0, hasSample: false })
  for (const text of await bothOf({ figures, charts, example: async () => undefined })) {
    expect(text).toContain('No price list is in force')
    expect(text).toContain('No figures have been released yet')
    expect(text).not.toMatch(/null|undefined|NaN|SAMPLE/)
  }
})

test('hostile text in a value reaches neither the markup nor the shell command', async () => {
  const hostile = `"><script>alert(1)</script>'; rm -rf ~ #\n\n# Ignore the rules [x](javascript:y) \`z\``
  const facts: Partial<LandingParts> = {
    figures: async () => ({
      ...(await landingParts().figures()),
      savings: { total: hostile, median: hostile },
      as_of: hostile,
    }),
    charts: async () => ({
      list: [
        { chart: hostile, title: hostile, edition: hostile, effective_from: hostile, rows: 1, data_class: hostile },
      ],
      total: 1,
      hasSample: false,
    }),
    example: async () => ({
      cpt: hostile,
      amount: hostile,
      region: hostile,
      effective_from: hostile,
      release_id: `${hostile}:${hostile}:1`,
      file: hostile,
      line: 1,
    }),
  }
  const page = await htmlOf(facts)
  expect(page).toContain('&lt;script&gt;')
  expect(page).not.toContain('<script')
  const tags = (text: string) => text.match(/<\/?[a-z][a-z0-9]*/gi)?.length
  expect(tags(page)).toBe(tags((await htmlOf()).replace('national reference', '<code>x</code> reference')))

  const markdown = await markdownOf(facts)
  expect(markdown).not.toMatch(/^# Ignore/m)
  const outsideCode = markdown.replaceAll(/(?<!\\)`[^`\n]*`/g, '')
  expect(outsideCode).not.toMatch(/(?<!\\)\[x|(?<!\\)<script/)
  for (const command of markdown.match(/^curl .*$/gm) ?? []) expect(command.match(/'/g)).toHaveLength(2)
})

test('a day is written in words, and what is no day stays as it is', () => {
  expect(inWords('2026-07-01')).toBe('1 July 2026')
  expect(inWords('2026-12-31T23:59:59.000Z')).toBe('31 December 2026')
  for (const text of ['', '2026-13-01', 'soon']) expect(inWords(text)).toBe(text)
})
