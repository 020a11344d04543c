import { afterAll, expect, test } from 'bun:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { ColumnAnswers } from '../../src/surfaces/browser/bill-reference.ts'
import { ratio } from '../../src/surfaces/browser/bill-sheet.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { closeBrowser, noBrowser, openPage, siteOf } from '../support/site.ts'

afterAll(closeBrowser)

const TODAY = '2026-11-15'
const NPI = '1234567893'

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })

async function publishSchedules(app: TestApp): Promise<void> {
  await app.publish(
    aRelease({
      rows: [
        // In an office a doctor is paid more: with a hospital on the bill that fee is not the one to compare with.
        aPrice({ code: '99213', ...usd('120.00') }),
        aPrice({ code: '99213', setting: 'facility', ...usd('95.19') }),
        aPrice({ code: '99285', setting: 'facility', ...usd('193.15') }),
        anAbsence({ code: '99070', reason: 'bundled' }),
      ],
    }),
  )
  await app.publish(
    aRelease({ chart: 'cms-opps', rows: [aPrice({ code: '99285', basis: 'medicare_opps', ...usd('625.21') })] }),
  )
  const lab = { basis: 'medicare_clfs', setting: null, ...usd('10.56') } as const
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ code: '80053', ...lab })] }))
  const own = { npi: NPI, setting: 'outpatient' } as const
  await app.publish(
    aRelease({
      chart: `hospital-mrf:${NPI}`,
      rows: [
        aPrice({ code: '99213', basis: 'hospital_cash', ...own, ...usd('150.00') }),
        aPrice({ code: '99213', basis: 'hospital_gross', ...own, ...usd('310.00') }),
      ],
    }),
  )
}

const BILL = [
  'CPT\tMod\tQty\tCharges',
  '99213\t25\t2\t$1,300.00',
  '99285\t\t1\t1250.00',
  '80053\t\t1\t45.5',
  '99070\t\t1\t20',
  'nonsense\t\t1\t1',
].join('\n')

test('a ratio is exact, to one decimal', () => {
  expect(ratio('300.00', '95.19')).toBe('3.2\u00d7')
  expect(ratio('0.25', '1.00')).toBe('0.3\u00d7')
  expect(ratio('999999999.99', '0.0001')).toBe('9999999999900.0\u00d7')
  expect([ratio(null, '1.00'), ratio('1.00', undefined)]).toEqual([undefined, undefined])
})

/** The page is beside the API, so no document describes it. */
const send = async (app: TestApp, form: Record<string, string>, accept = 'text/html'): Promise<Response> =>
  app.app.fetch(
    new Request(`${BASE_URL}/bill`, { method: 'POST', headers: { accept }, body: new URLSearchParams(form) }),
    '192.0.2.1',
  )

test('without a script the form is answered with the whole sheet, and nothing of the bill is logged or cached', async () => {
  await using app = await testApp({ today: TODAY })
  await publishSchedules(app)
  const response = await send(app, { lines: BILL, npi: NPI })
  const page = await response.text()
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  for (const text of [
    '3 of 5 lines',
    '$190.38',
    '6.8\u00d7',
    '$300.00',
    '$620.00',
    '$625.21',
    '$1,300.00',
    'bundled',
    'Line 6: the code is not one',
  ])
    expect([text, page.includes(text)]).toEqual([text, true])
  expect(page).toContain('/rows/cms-pfs:TEST1:1/')
  expect(page).toContain('This is not a statement of what is owed.')
  expect(JSON.stringify(app.lines)).not.toContain('99213')

  const csv = await (await send(app, { lines: BILL, npi: NPI, as: 'csv' })).text()
  const [head = '', first = '', ...more] = csv.split('\r\n')
  expect(head).toStartWith('Line,Code,Units,Billed,Place,Day,"Medicare, doctor","Medicare, doctor: edition",')
  expect(first).toStartWith('2,99213-25,2,1300.00,,2026-11-15,190.38,cms-pfs:TEST1:1,')
  expect(first).toContain(`,${BASE_URL}/rows/cms-pfs:TEST1:1/`)
  expect(first).toContain(',,,,not listed,300.00,')
  expect(more[3]).toMatch(/^6,+"?the code is not one of five characters/)
  expect(csv).not.toMatch(/\u2013|"[0-9][0-9,.]*"/)
  const widths = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.replace(/"[^"]*"/g, '').split(',').length)
  expect([...new Set(widths)]).toEqual([27])
})

test('a bill of the sample cites each line in its own file, gives a reason for every dash, and says that it is invented', async () => {
  await using app = await testApp({ sample: true, today: TODAY })
  const lines = ['99213,25,1,300.00,94102,2026-11-02', '99213,,1,145.20,CA', '99999,,1,1', '=1+1,,1,1'].join('\n')
  const asText = async (form: Record<string, string>): Promise<string> =>
    (await (await send(app, form)).text()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  const page = await asText({ lines, npi: NPI })
  for (const text of [
    /PPRRVU-SAMPLE26D\.csv [0-9a-f]{16}\u2026 99213: 84 /,
    /GPCI-SAMPLE26\.csv [0-9a-f]{16}\u2026 99213: 7 /,
    'PPRRVU-SAMPLE26D.csv line 84 and GPCI-SAMPLE26.csv line 7',
    'Medicare, doctor, line 2 (99213): the place has several Medicare areas: give a ZIP code.',
    'These are invented sample amounts, not published prices',
    '2 of the 4 lines of this bill',
  ])
    expect(page).toMatch(text)
  expect(page).not.toContain('published reference prices apply')
  const dashes = page.match(/\u2013/g) ?? []
  const [, reasons = ''] = page.split('Where there is no price, and why')
  expect(reasons.split('For a letter')[0]?.match(/line \d/g)?.length).toBe(dashes.length)

  const csv = await (await send(app, { lines, npi: NPI, as: 'csv' })).text()
  const [, first, second, , unread] = csv.split('\r\n')
  expect(first).toContain(
    ',cms-pfs:SAMPLE26D:1 (sample data),PPRRVU-SAMPLE26D.csv line 84 and GPCI-SAMPLE26.csv line 7,',
  )
  expect(first).toStartWith('1,99213-25,1,300.00,94102,2026-11-02,')
  expect(second).toContain(',CA,2026-11-15,,,,,the place has several Medicare areas: give a ZIP code,')
  expect(unread).toMatch(/^4,+"the code is not one/)
  expect(csv).not.toMatch(/(^|,)"?[=+@-]/m)

  const bare = await asText({ lines: '99999,,1,1' })
  expect(bare).not.toMatch(/Totals|Sources|For a letter/)
})

test('a bill is answered in the form that the caller accepts', async () => {
  await using app = await testApp({ today: TODAY })
  await publishSchedules(app)
  const as = (accept: string): Promise<Response> => send(app, { lines: BILL, npi: NPI }, accept)
  const markdown = await as('text/markdown')
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  const text = await markdown.text()
  expect(text).toStartWith('# ')
  for (const part of [
    '3 of 5 lines',
    '[$190.38](/rows/cms-pfs:TEST1:1/',
    '## For a letter',
    'Line 6: the code is not one',
  ])
    expect([part, text.includes(part)]).toEqual([part, true])
  // A bill may be the doctor's or the hospital's: a letter names what Medicare pays either of them, and which is which.
  expect(text).toMatch(
    /Code 99285, .*: \$193\.15 \([^;]*the doctor’s part[^;]*\); \$625\.21 \([^;]*the hospital’s part/,
  )
  expect(text.match(/\$10\.56 \(laboratory/g)).toHaveLength(1)
  // A total says what it is of: only amounts of the physician schedule are the doctor's.
  for (const title of ['Medicare, doctor: physician fee', 'Medicare, laboratory: laboratory fee'])
    expect(text).toContain(`| ${title} schedule |`)
  expect(text).not.toContain('Medicare, doctor: laboratory')
  expect((await as('text/csv')).headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const json = (await (await as('application/json')).json()) as Record<string, object>
  expect(Object.keys(json)).toEqual(['lines', 'unread', 'answers'])
  expect(json['unread']).toMatchObject([{ at: 6 }])
  expect((await send(app, { lines: '' }, 'text/markdown')).status).toBe(400)
})

test('an assistant whose need must be documented is said to be, on the price page and in a bill', async () => {
  await using app = await testApp({ today: TODAY })
  const [needs, free] = ['0', '2'].map((assistant) => ({ status: 'A', assistant, co_surgeon: '1' }))
  await app.publish(
    aRelease({
      rows: [
        aPrice({ code: '27447', ...usd('1000.00'), indicators: needs as never }),
        aPrice({ code: '33405', ...usd('2000.00'), indicators: free as never }),
      ],
    }),
  )
  const sentence = 'only if documents show'
  const page = async (code: string): Promise<string> =>
    (
      await app.app.fetch(new Request(`${BASE_URL}/price/${code}`, { headers: { accept: 'text/html' } }), '192.0.2.1')
    ).text()
  expect(await page('27447-80')).toContain('$160.00')
  for (const [code, isSaid] of [
    ['27447-80', true],
    ['33405-80', false],
    ['33405-62', true],
  ] as const)
    expect([code, (await page(code)).includes(sentence)]).toEqual([code, isSaid])
  const sheet = await (await send(app, { lines: '27447-80\n33405-80' }, 'text/markdown')).text()
  expect(sheet.match(/documents show/g)).toHaveLength(1)
  expect(sheet).toContain('Line 1, 27447-80 (Medicare, doctor)')
})

test('what is hostile in a form comes back as text or not at all', async () => {
  await using app = await testApp({ today: TODAY })
  await publishSchedules(app)
  const hostile = '</textarea><script>alert(1)</script>'
  const page = await (await send(app, { lines: `99213\n${hostile}`, place: '"><b>', day: '', npi: '' })).text()
  expect(page).not.toContain('<script>alert')
  expect(page).not.toContain('"><b>')
  for (const [form, status] of [
    [{ lines: '99213', npi: '1' }, 400],
    [{ lines: '' }, 400],
    [{ lines: '99213\n'.repeat(5_000) }, 400],
    [{ lines: 'x'.repeat(100_000) }, 413],
  ] as const)
    expect((await send(app, form as Record<string, string>)).status).toBe(status)
  const asJson = await send(app, { lines: '' }, 'application/json')
  expect([asJson.status, asJson.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
})

test('a bill counts its lines once for the first column and half for each other one, before anything is looked up', async () => {
  await using app = await testApp({ today: TODAY, limits: { enabled: true, reference_rpm: 10 } })
  await publishSchedules(app)
  const left = ({ headers }: Response): string | undefined => /r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1]
  // Two columns without a hospital, four with one.
  expect(left(await send(app, { lines: '99213\n80053' }))).toBe('7')
  const whole = await send(app, { lines: '99213\n80053', npi: NPI })
  expect([whole.status, left(whole)]).toEqual([200, '2'])
  expect((await send(app, { lines: '99213', npi: NPI })).status).toBe(429)
})

test('a form that cannot be read counts as one request', async () => {
  await using app = await testApp({ today: TODAY, limits: { enabled: true, reference_rpm: 3 } })
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) statuses.push((await send(app, { lines: '99213', npi: '123' })).status)
  expect(statuses).toEqual([400, 400, 400, 429, 429])
  const told = await send(app, { lines: '99213', npi: '123' }, 'application/json')
  expect([told.status, told.headers.get('ratelimit')?.split(';')[1]]).toEqual([429, 'r=0'])
})

/** What keeps someone from using the page as it stands now. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document)
    return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`))
  })
}

async function compare(page: Page, lines: string, npi = ''): Promise<string> {
  // As a paste: typing thousands of lines takes a browser very long.
  await page.$eval('#lines', (field, text) => Object.assign(field, { value: text }), lines)
  await page.fill('#npi', npi)
  await page.evaluate("delete document.getElementById('bill-status').dataset.state")
  await page.click('#bill button[type=submit]')
  await page.waitForSelector('#bill-status[data-state=good], #bill-status[data-state=bad]')
  return (await page.textContent('#bill-status')) ?? ''
}

test.skipIf(noBrowser)(
  'in the browser a bill is verified before it is shown, and a forged amount is not shown',
  async () => {
    await using app = await testApp({ today: TODAY })
    await publishSchedules(app)
    await using site = await siteOf(app)
    const page = await openPage(site, '/bill')
    expect(await compare(page, BILL, NPI)).toContain('Checked in this browser')
    const rows = await page.$$eval('#bill-lines tbody tr', (all) => all.map((row) => row.textContent))
    expect(rows).toHaveLength(4)
    expect(await page.textContent('#sheet')).toContain('$190.38')
    expect(page.url()).toBe(`${site.url}/bill`)
    expect(await violations(page)).toEqual([])
    // What is shown is what the server shows to a reader without a script.
    const served = await (await send(app, { lines: BILL, npi: NPI })).text()
    for (const cell of await page.$$eval('#sheet td.number', (all) =>
      all.map((each) => each.firstChild?.textContent ?? ''),
    ))
      expect(served).toContain(cell)
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: 10_000 }),
      page.click('#sheet button:text-is("CSV")', { timeout: 5000 }),
    ])
    const asServed = await (await send(app, { lines: BILL, npi: NPI, as: 'csv' })).text()
    expect(await Bun.file(await download.path()).text()).toBe(asServed.replaceAll(BASE_URL, site.url))

    await page.route('**/bill', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const response = await route.fetch()
      return route.fulfill({ response, body: (await response.text()).replaceAll('120.00', '15.19') })
    })
    expect(await compare(page, BILL)).toContain('its proof does not hold')
    expect(await page.textContent('#sheet')).toBe('')
    await page.unroute('**/bill')
    // A column that is left out, or whose lines are said to be no questions while it has a total all the same.
    const lies: ((answers: { -readonly [column in keyof ColumnAnswers]: ColumnAnswers[column] }) => void)[] = [
      (answers) => delete answers.doctor,
      (answers) => {
        for (const line of answers.doctor?.results ?? []) {
          for (const member of Object.keys(line)) delete (line as Record<string, unknown>)[member]
          Object.assign(line, { status: 400 })
        }
      },
    ]
    for (const lie of lies) {
      await page.route('**/bill', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        const response = await route.fetch()
        const body = (await response.json()) as { answers: ColumnAnswers }
        lie(body.answers)
        return route.fulfill({ response, body: JSON.stringify(body) })
      })
      expect(await compare(page, BILL)).toContain('its proof does not hold')
      expect(await page.textContent('#sheet')).toBe('')
      await page.unroute('**/bill')
    }
    expect(await compare(page, '99213\n'.repeat(5_000))).toContain('more than 100 lines')
    await page.fill('#lines', '=cmd|x\n<img src=x>')
    await page.click('#bill button[type=submit]')
    await page.waitForSelector('#sheet li')
    expect(await page.$$eval('#sheet img', (all) => all.length)).toBe(0)
  },
)

test.skipIf(noBrowser)('the page keeps its parts in their places, on a desk and in a hand', async () => {
  await using app = await testApp({ sample: true, today: TODAY })
  await using site = await siteOf(app)
  const page = await openPage(site, '/bill')
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await compare(page, `${await page.getAttribute('#lines', 'placeholder')}\n71046,26,1,20,CA`, NPI)).toContain(
    'Checked in this browser',
  )
  expect(await page.textContent('#letter')).toContain('1 of the 2 lines')
  const places = (selector: string, side: 'top' | 'bottom') =>
    page.$$eval(selector, (all, of) => [...new Set(all.map((each) => each.getBoundingClientRect()[of]))], side)
  expect(await places('.lookup label', 'top')).toHaveLength(1)
  expect(await places('.lookup input, .lookup button', 'bottom')).toHaveLength(1)
  expect(await page.$$eval('.scroll', (all) => all.map((each) => each.scrollWidth - each.clientWidth))).toEqual([
    0, 0, 0,
  ])
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 800 })
    expect([width, await places('nav li', 'top')]).toEqual([width, [expect.any(Number)]])
  }
})
