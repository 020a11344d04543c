// How the pages are made: for everyone, small, quick, and deaf to hostile text. In a real browser.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import HOSTILE from '../attack/hostile-texts.json'
import { closeBrowser, keepScreenshot, noBrowser, openSite, type Site } from '../support/site.ts'

let site: Site
beforeAll(async () => {
  if (!noBrowser) site = await openSite()
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await closeBrowser()
})

/** One of each kind of page. */
const PAGES: Record<string, string> = {
  landing: '/',
  price: '/price/99213?region=94102&npi=1234567893',
  'price-area': '/price/71046?region=94102',
  absence: '/price/00100',
  refusal: '/price?cpt=hello',
  choice: '/price?cpt=99213&region=Washington',
  figures: '/figures',
  status: '/status',
  docs: '/docs',
  verify: '/verify',
  bill: '/bill',
  problem: '/problems/invalid_cpt',
}
const WIDTHS = [390, 1280]
const SCHEMES = ['light', 'dark'] as const

/** Run from outside, so that the policy of the page need not allow it. In the dark only colours differ. */
async function violations(page: Page, scheme: (typeof SCHEMES)[number]): Promise<string[]> {
  const rules = scheme === 'light' ? {} : { runOnly: { type: 'rule' as const, values: ['color-contrast'] } }
  return page.evaluate(async (options) => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, options)
    return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`))
  }, rules)
}

test.skipIf(noBrowser)('nobody is shut out of any page, in any width or light', async () => {
  const page = await site.page()
  for (const [name, path] of Object.entries(PAGES)) {
    await page.goto(path)
    await page.evaluate(axe.source)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      // Colours are the same in any width.
      for (const colorScheme of width === WIDTHS[0] ? SCHEMES : SCHEMES.slice(0, 1)) {
        await page.emulateMedia({ colorScheme })
        expect([name, width, colorScheme, await violations(page, colorScheme)]).toEqual([name, width, colorScheme, []])
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([name, width, overflow]).toEqual([name, width, 0])
      await keepScreenshot(page, `${name}-${width}`)
    }
  }
  expect(page.complaints).toEqual([])
  await page.context().close()
})

test.skipIf(noBrowser)('the first page is small, and does not move while it loads', async () => {
  const page = await site.page()
  const requests: Promise<{ url: string; bytes: number }>[] = []
  page.on('requestfinished', (request) =>
    requests.push(
      request.sizes().then((size) => ({ url: request.url(), bytes: size.responseBodySize + size.responseHeadersSize })),
    ),
  )
  await page.goto('/', { waitUntil: 'networkidle' })
  const sizes = await Promise.all(requests)
  const sum = (of: typeof sizes): number => of.reduce((total, { bytes }) => total + bytes, 0)
  expect(sum(sizes)).toBeLessThan(60_000)
  expect(sum(sizes.filter(({ url }) => url.endsWith('.js')))).toBeLessThan(30_000)
  // A browser that is kept waiting may paint half of a line and then the rest of it. Up to 0.1 counts as good.
  expect(await page.evaluate(shiftOfLayout)).toBeLessThan(0.1)
  await page.context().close()
})

function shiftOfLayout(): Promise<number> {
  return new Promise((resolve) => {
    let shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(shift), 100)
  })
}

test.skipIf(noBrowser)('who wants no motion gets none', async () => {
  const page = await site.page({ reducedMotion: 'reduce' })
  await page.goto('/docs')
  const motion = () => [getComputedStyle(document.documentElement).scrollBehavior, document.getAnimations().length]
  expect(await page.evaluate(motion)).toEqual(['auto', 0])
  await page.context().close()
})

const get = (path: string, accept = 'text/html'): Promise<Response> =>
  fetch(`${site.url}${path}`, { headers: { accept }, redirect: 'manual' })

test.skipIf(noBrowser)('every page is also markdown and JSON, under a policy without exceptions', async () => {
  for (const path of Object.values(PAGES)) {
    const page = await get(path)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|blob:|sha\d|nonce/)
    expect(await page.text()).not.toMatch(
      /<style|\sstyle=|\son[a-z]+=|<iframe|<object|(src|href)="(https?:)?\/\/(?!registry\.example|example\.org)/,
    )
    const markdown = await get(path, 'text/markdown')
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await markdown.text()).toStartWith('# ')
    const json = await get(path, 'application/json')
    expect(json.status).toBe(page.status)
    expect(typeof (await json.json())).toBe('object')
    expect((await get(path, 'image/png')).status).toBe(406)
  }
})

test.skipIf(noBrowser)('a price page that was asked for before is ready-made', async () => {
  const path = '/price/99214?region=94102'
  const first = await (await get(path)).text()
  await get(path)
  const { hits } = site.app.app.cacheFigures()
  const again = await get(path)
  expect(await again.text()).toBe(first)
  expect(site.app.app.cacheFigures().hits).toBe(hits + 1)
  expect(
    (
      await fetch(`${site.url}${path}`, {
        headers: { accept: 'text/html', 'if-none-match': again.headers.get('etag') ?? '' },
      })
    ).status,
  ).toBe(304)
})

const NAMES = ['cpt', 'region', 'as_of', 'modifier', 'npi', 'setting', 'basis', 'other']
const tagsOf = (page: string): string[] => [...new Set(page.match(/<\/?[a-zA-Z][a-zA-Z0-9]*/g))].sort()

test.skipIf(noBrowser)('two hundred hostile queries change nothing but the words of the page', async () => {
  const texts = Object.values(HOSTILE)
    .flat()
    .concat('"><script>alert(1)</script>', "' onload=alert(1) '", '%0d%0aset-cookie: a=b', '\u2028</script>')
  let asked = 0
  const known = new Set(
    tagsOf((await Promise.all(Object.values(PAGES).map(async (path) => (await get(path)).text()))).join('')),
  )
  for (const [at, text] of texts.map((each) => each.toWellFormed()).entries()) {
    const query = new URLSearchParams({ [NAMES[at % NAMES.length] as string]: text })
    if (!query.has('cpt')) query.set('cpt', '99213')
    const inPath = `/price/${encodeURIComponent(text)}?${query}`
    for (const path of at % 4 === 0 ? [`/price?${query}`, inPath] : [`/price?${query}`]) {
      const response = await get(path)
      asked++
      expect([200, 303, 400, 404, 414]).toContain(response.status)
      expect(response.headers.get('set-cookie')).toBeNull()
      const page = await response.text()
      expect(tagsOf(page).filter((tag) => !known.has(tag))).toEqual([])
      expect(page.match(/<script/g)?.length ?? 0).toBeLessThanOrEqual(4)
      if (text.length > 12 && response.status !== 303) expect(page).not.toContain(text)
    }
  }
  expect(asked).toBeGreaterThanOrEqual(200)
})

test.skipIf(noBrowser)('in the browser no hostile query runs anything', async () => {
  const page = await site.page()
  page.on('dialog', (dialog) => page.complaints.push(dialog.message()))
  const attacks = [
    '"><img src=x onerror=alert(1)>',
    '</script><script>alert(1)</script>',
    "javascript:alert(1)//'",
    '{{constructor}}',
  ]
  for (const attack of attacks)
    for (const name of ['cpt', 'region', 'npi']) {
      await page.goto(`/price?cpt=99213&${name === 'cpt' ? 'x' : name}=${encodeURIComponent(attack)}`)
      await page.goto(`/price/${encodeURIComponent(attack)}#${attack}`)
    }
  expect(page.complaints).toEqual([])
  await page.context().close()
})
