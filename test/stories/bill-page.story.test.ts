import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { aLimit, aService, aTest, somePairs } from '../../src/proof/check/check-fixture.ts'
import {
  A_CLAIM_835,
  A_COPIED_TEXT,
  A_CSV,
  A_MEDICARE_TEXT,
  an835,
  an837,
  anEob,
  CANARIES,
  LINES_837,
} from '../../src/statement/fixture.ts'
import { aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { hasPdfReader, readPdf } from '../support/pdf.ts'
import { closeBrowser, noBrowser, openPage, siteOf } from '../support/site.ts'

afterAll(closeBrowser)

const TODAY = '2026-11-15'
const DAY = '2026-07-15'

/** Invented schedules and tables of edits for an emergency visit. */
async function publishSchedules(app: TestApp): Promise<void> {
  const charts = {
    'cms-opps': [
      aService('99284', 'V', '400.00'),
      aService('80053', 'A'),
      aService('82947', 'A'),
      aService('J1885', 'N'),
    ],
    'cms-clfs': [aTest('80053', '10.56'), aTest('82947', '3.93')],
    'ncci-ptp-outpatient': [somePairs('80053', ['82947', 1])],
    'ncci-mue-outpatient': [aLimit('80053', 1, 3)],
  }
  for (const [chart, rows] of Object.entries(charts))
    await app.publish(aRelease({ chart, rows, ...(chart.startsWith('ncci-ptp') && { edits_left_out: 0 }) } as never))
}

const BILL = [
  'Rev\tCode\tModifiers\tDescription\tUnits\tCharges\tDate',
  `0450\t99284\t25\tVisit of Zebulon Canary\t1\t$2,187.00\t${DAY}`,
  `0301\t80053\t\tPanel\t1\t310.00\t${DAY}`,
  `0301\t82947\t\tGlucose\t1\t62.00\t${DAY}`,
  `0636\tJ1885\t\tDrug\t2\t32.90\t${DAY}`,
  `0301\t99999999\t\tUnreadable\t1\t1.00\t${DAY}`,
].join('\n')

/** The page is beside the API, so no document describes it. */
const send = async (app: TestApp, form: Record<string, string>, accept = 'text/html'): Promise<Response> =>
  app.app.fetch(
    new Request(`${BASE_URL}/bill`, { method: 'POST', headers: { accept }, body: new URLSearchParams(form) }),
    '192.0.2.1',
  )

const FOUND = [
  '2 findings in 4 lines, $94.90 at issue',
  'lines 2, 3, $62.00',
  'line 4, $32.90',
  '$2,591.90',
  '$400.00',
  'To the billing office:',
  '45 CFR 180.50',
  'On the telephone',
  'This is no pass',
]

test('without a script typed lines are answered with the whole sheet, and nothing of the bill is logged or cached', async () => {
  await using app = await testApp({ today: TODAY })
  await publishSchedules(app)
  const response = await send(app, { lines: BILL })
  const page = await response.text()
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const [, sheet = ''] = page.split('id="sheet"')
  for (const text of FOUND) expect([text, sheet.includes(text)]).toEqual([text, true])
  expect(sheet).toContain('/rows/ncci-ptp-outpatient:')
  for (const canary of CANARIES) expect([canary, sheet.includes(canary)]).toEqual([canary, false])
  expect(JSON.stringify(app.lines)).not.toMatch(/99284|Zebulon/)
  const markdown = await send(app, { lines: BILL }, 'text/markdown')
  expect(await markdown.text()).toContain('## Findings')
  const typed = await (
    await send(app, { lines: `80053,,1,310.00,${DAY}\n82947,,1,62.00,${DAY}`, kind: 'hospital' })
  ).text()
  expect(typed).toContain('lines 1, 2, $62.00')
})

test('what is hostile in a form comes back as text or not at all', async () => {
  await using app = await testApp({ today: TODAY })
  await publishSchedules(app)
  const hostile = '</textarea><script>alert(1)</script>'
  const page = await (await send(app, { lines: `${BILL}\n${hostile}`, place: '"><b>' })).text()
  expect(page).not.toContain('<script>alert')
  expect(page).not.toContain('"><b>')
  for (const [form, status] of [
    [{ lines: '99213', npi: '1' }, 400],
    [{ lines: '' }, 400],
    [{ lines: '99213,,1,5.00' }, 400],
    [{ lines: `99213,,1,5.00,${DAY}`, kind: 'somebody' }, 400],
    [{ lines: `99213,,1,5.00,${DAY}`, type: '<b>' }, 400],
    [{ lines: `99213,,1,5.00,${DAY}\n`.repeat(300) }, 400],
    [{ lines: 'x'.repeat(100_000) }, 413],
  ] as const)
    expect([form, (await send(app, form as Record<string, string>)).status]).toEqual([form, status])
})

test('a bill counts its lines as requests, and a form that cannot be read as one', async () => {
  await using app = await testApp({ today: TODAY, limits: { enabled: true, reference_rpm: 10 } })
  await publishSchedules(app)
  const left = ({ headers }: Response): string | undefined => /r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1]
  expect(left(await send(app, { lines: BILL }))).toBe('6')
  expect(left(await send(app, { lines: 'nothing' }))).toBe('5')
})

/** What keeps someone from using the page as it stands now. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document)
    return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`))
  })
}

const said = (page: Page, ...states: string[]) =>
  page.waitForSelector(states.map((state) => `#bill-status[data-state=${state}]`).join(', '))
const press = (page: Page) => page.click('#bill button[type=submit]')

async function check(page: Page, lines: string): Promise<string> {
  await page.$eval('#lines', (field, text) => Object.assign(field, { value: text }), lines)
  await page.evaluate("delete document.getElementById('bill-status').dataset.state")
  await press(page)
  await said(page, 'read', 'bad')
  await press(page)
  await said(page, 'good', 'bad')
  return (await page.textContent('#bill-status')) ?? ''
}

test.skipIf(noBrowser)(
  'in the browser a bill is read, shown, sent once, verified, and shown with its findings first',
  async () => {
    await using app = await testApp({ today: TODAY })
    await publishSchedules(app)
    await using site = await siteOf(app)
    const page = await openPage(site, '/bill')
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(`${request.url()} ${request.postData()}`))
    await page.fill('#lines', BILL)
    await press(page)
    await said(page, 'read')
    expect(sent).toEqual([])
    expect(await page.inputValue('#lines')).not.toContain('Zebulon')
    expect(await page.textContent('#bill-preview')).toContain('line 6 is left out: its code is not')
    await press(page)
    await said(page, 'good', 'bad')
    expect(await page.textContent('#bill-status')).toContain('Checked in this browser')
    expect(sent).toHaveLength(1)
    expect(sent[0]).toContain(`${site.url}/bill/check {"kind":"hospital"`)
    const sheet = (await page.textContent('#sheet')) ?? ''
    for (const text of FOUND) expect([text, sheet.includes(text)]).toEqual([text, true])
    expect(await page.$$eval('#call li', (all) => all.length)).toBe(8)
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page)).toEqual([])
    for (const width of [360, 390]) {
      await page.setViewportSize({ width, height: 800 })
      expect([width, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)]).toEqual([
        width,
        true,
      ])
    }
    expect(page.url()).toBe(`${site.url}/bill`)
    await page.route('**/bill/check', async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, body: (await response.text()).replaceAll('62.00', '61.00') })
    })
    expect(await check(page, BILL)).toContain('its proof does not hold')
    expect(await page.textContent('#sheet')).toBe('')
  },
)

const PAPERS: Record<string, string> = {
  'eob.json': JSON.stringify(anEob()),
  'claim.edi': an837(LINES_837),
  'remittance.835': an835(A_CLAIM_835),
  'table.csv': A_CSV,
  'medicare.txt': A_MEDICARE_TEXT,
  'copied.txt': A_COPIED_TEXT,
}

test.skipIf(noBrowser)('nothing of a person in any paper is sent, stored, logged or shown again', async () => {
  using folder = temporaryFolder()
  await using app = await testApp({ today: TODAY })
  await publishSchedules(app)
  await using site = await siteOf(app)
  const page = await openPage(site, '/bill')
  const traffic: string[] = []
  page.on('request', (request) =>
    traffic.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`),
  )
  page.on('console', (message) => traffic.push(message.text()))
  for (const [name, text] of Object.entries(PAPERS)) {
    const file = join(folder.path, `Zebulon-Canary-${name}`)
    writeFileSync(file, text)
    await page.evaluate("delete document.getElementById('bill-status').dataset.state")
    await page.setInputFiles('#files', file)
    await said(page, 'read')
    traffic.push(await page.content(), await page.inputValue('#lines'))
    await press(page)
    await said(page, 'good', 'bad')
    expect([name, await page.getAttribute('#bill-status', 'data-state')]).toEqual([name, 'good'])
    traffic.push(await page.content())
  }
  expect(traffic.filter((each) => each.includes('/bill/check ')).length).toBe(Object.keys(PAPERS).length)
  await page.reload()
  traffic.push(await page.content(), await page.inputValue('#lines'))
  traffic.push(
    await page.evaluate(async () =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases()]),
    ),
  )
  const everything = [...traffic, JSON.stringify(app.lines)].join('\n').toLowerCase()
  for (const canary of CANARIES) expect([canary, everything.includes(canary.toLowerCase())]).toEqual([canary, false])
})

test.skipIf(noBrowser)('all that the page loads is at most 120 KB', async () => {
  await using app = await testApp({ today: TODAY })
  await using site = await siteOf(app)
  const page = await openPage(site, '/bill')
  const paths = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  const texts = await Promise.all(
    [...new Set([`${site.url}/bill`, ...paths])].map(async (path) => (await fetch(path)).bytes()),
  )
  expect(texts.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)).toBeLessThan(120_000)
})

test.skipIf(noBrowser || !hasPdfReader())(
  'the printed sheet has every column and line, on Letter and on A4',
  async () => {
    await using app = await testApp({ today: TODAY })
    await publishSchedules(app)
    await using site = await siteOf(app)
    const page = await openPage(site, '/bill')
    expect(await check(page, BILL)).toContain('Checked in this browser')
    for (const format of ['Letter', 'A4'] as const) {
      const { text } = readPdf(await page.pdf({ format }))
      const plain = text.replaceAll(/\s+/g, ' ')
      for (const part of [
        'Provider',
        'hospital',
        DAY,
        '$2,591.90',
        'Medicare, by rules',
        '99284-25',
        '82947',
        '$94.90',
        'What was not checked',
        'Where the proof is',
      ])
        expect([format, part, plain.includes(part)]).toEqual([format, part, true])
    }
  },
)
