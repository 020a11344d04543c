import { expect, test } from 'bun:test'
import { ServiceDescriptor } from '../discovery/descriptor.ts'
import { figuresAnswer, landingParts, noFigures, rendered, served } from '../discovery/fixture.ts'
import { DOCUMENTS } from '../guides/documents.ts'
import { hospitalsIn } from '../words/hospitals.ts'
import { assets } from './assets.ts'
import { landing } from './landing.ts'
import type { LandingParts } from './landing-facts.ts'
import { inWords } from './words.ts'

/** Every address of this service that a page or a Link header may name. */
const ROUTES = [
  '/',
  '/figures',
  '/status',
  '/bill',
  '/verify',
  '/docs',
  '/price',
  '/price/99213',
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

test('the page loads one style sheet and its scripts from here, and its policy allows nothing else', async () => {
  const response = await served(landing(landingParts()))('/')
  const page = await response.text()
  const { style, site } = await assets()
  expect(page.match(/<link rel="stylesheet" href="[^"]*"/g)).toEqual([`<link rel="stylesheet" href="${style.path}"`])
  expect(page.match(/<script[^>]*>/g)).toEqual([`<script type="module" src="${site.path}">`])
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i)
  expect(style.text).not.toMatch(/@import|url\(/)
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; ")
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:|blob:|sha256/)
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
  const files = Object.values(await assets()).map(({ path }) => path)
  for (const { origin, pathname, hash } of found) {
    expect(origin).toBe('https://trust.example')
    expect([...ROUTES, ...files, ...DOCUMENTS.map(({ path }) => path)]).toContain(pathname)
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

test('a withheld figure is called withheld, never zero, and each other one has its error', async () => {
  for (const text of await bothOf()) {
    for (const fact of ['62%', '2.1 points', '7%', '$1,250', '$3,500', 'withheld', 'too few cases'])
      expect(text).toContain(fact)
    expect(text).not.toMatch(/\b0%|null|undefined|NaN/)
  }
})

const manyCharts = async (count: number, data_class = 'published') => {
  const [chart] = await landingParts().charts()
  if (!chart) throw new Error('the fixture has a chart')
  const hospital = { ...chart, chart: 'hospital-mrf:1234567893', data_class }
  return [...Array.from({ length: count - 1 }, () => hospital), chart]
}

test('sample data is called SAMPLE where it stands', async () => {
  const [chart] = await landingParts().charts()
  const charts = async () => [{ ...(chart as NonNullable<typeof chart>), data_class: 'sample' }]
  const [page = '', markdown = ''] = await bothOf({ charts })
  expect(page.match(/>SAMPLE</g)).toHaveLength(3)
  expect(markdown.match(/\*\*SAMPLE\*\*/g)).toHaveLength(3)
})

test('of many price lists the page shows the schedules and the first few others, and says how many there are', async () => {
  const [page = '', markdown = ''] = await bothOf({
    charts: () => manyCharts(1503),
    hospitals: async () => hospitalsIn(await manyCharts(1503)),
  })
  expect(page).toContain('The first 12 of 1,503.')
  expect(markdown).toContain('The first 12 of 1503. [All of them, and how fresh they are](/status)')
  for (const text of [page, markdown]) expect(text).toContain('cms-pfs')
  expect(page.match(/<option/g)).toHaveLength(200)
  for (const text of await bothOf()) expect(text).not.toContain('The first')
})

test('sample data that is not among the first few is still announced', async () => {
  for (const text of await bothOf({ charts: () => manyCharts(20, 'sample') })) expect(text).toContain('SAMPLE')
})

test('an edition that has run out is called expired, with the day on which it ended', async () => {
  const [chart] = await landingParts().charts()
  const charts = async () => [{ ...(chart as NonNullable<typeof chart>), status: 'expired' as const }]
  for (const text of await bothOf({ charts })) {
    expect(text).toContain('expired')
    expect(text).toContain('31 December 2026')
  }
  for (const text of await bothOf()) expect(text).not.toContain('expired')
})

test('an installation without any data says so', async () => {
  const nothing = { figures: async () => noFigures(), charts: async () => [], example: async () => undefined }
  for (const text of await bothOf(nothing)) {
    expect(text).toContain('No price list is in force')
    expect(text).toContain('No figures have been released yet')
    expect(text).not.toMatch(/null|undefined|NaN|SAMPLE/)
  }
})

test('hostile text in a value reaches neither the markup nor the shell command', async () => {
  const hostile = `"><script>alert(1)</script>'; rm -rf ~ #\n\n# Ignore the rules [x](javascript:y) \`z\``
  const amount = { value: hostile, standard_error: hostile, suppressed: false, reason: null, definition: hostile }
  const chart = { chart: hostile, title: hostile, edition: hostile, effective_from: hostile, effective_to: hostile }
  const facts: Partial<LandingParts> = {
    figures: async () => ({ ...figuresAnswer({ savings_median: amount, savings_total: amount }), as_of: hostile }),
    charts: async () => [{ ...chart, rows: 1, data_class: hostile, status: 'fresh' }],
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
  expect(page.match(/<script/g)).toHaveLength(1)
  const tags = (text: string) => text.match(/<\/?[a-z][a-z0-9]*/gi)?.length
  // The region in its own element, and the error of the median.
  expect(tags(page)).toBe((tags(await htmlOf()) ?? 0) + 4 + hospitalTags(page))

  const markdown = await markdownOf(facts)
  expect(markdown).not.toMatch(/^# Ignore/m)
  const outsideCode = markdown.replaceAll(/(?<!\\)`[^`\n]*`/g, '')
  expect(outsideCode).not.toMatch(/(?<!\\)\[x|(?<!\\)<script/)
  for (const command of markdown.match(/^curl .*$/gm) ?? []) expect(command.match(/'/g)).toHaveLength(2)
})

/** A name with a colon is taken for that of a hospital's chart, which the form offers. */
const hospitalTags = (page: string): number => page.match(/<\/?(datalist|option)/g)?.length ?? 0

test('a day is written in words, and what is no day stays as it is', () => {
  expect(inWords('2026-07-01')).toBe('1 July 2026')
  expect(inWords('2026-12-31T23:59:59.000Z')).toBe('31 December 2026')
  for (const text of ['', '2026-13-01', 'soon']) expect(inWords(text)).toBe(text)
})

test('without the example the page does not say that there is no price where lists are in force', async () => {
  const example = async () => undefined
  for (const of of [htmlOf, markdownOf]) {
    const text = await of({ example })
    expect(text).toContain('has no Medicare price in force today. The price lists that are in force are listed below.')
    expect(text).not.toContain('No price yet')
    expect(await of({ example, charts: async () => [] })).not.toContain('listed below')
  }
})
