import { afterAll, beforeAll, expect } from 'bun:test'
import { load } from '../../src/ingest/load.ts'
import type { LoadOptions } from '../../src/ingest/reader.ts'
import { type ParsedQuestion, parseQuestion, type Question } from '../../src/proof/lookup/question.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { chartTable } from '../../src/registry/charts.ts'
import { find } from '../../src/registry/lookup/find.ts'
import { Proofs } from '../../src/registry/lookup/proofs.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { hasPdfReader, readPdf } from '../support/pdf.ts'
import { published, testOnPublished, whyNoPublishedFiles } from '../support/published-files.ts'
import { closeBrowser, openPage, siteOf } from '../support/site.ts'
import { isSkipped } from '../support/skipping.ts'

afterAll(closeBrowser)

// A bill of ten ordinary lines in Chicago, on the files that CMS and a hospital published. The amounts were worked out
// apart, from the printed relative values, indices and factor.

const PFS = ['cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz', 'cms-pfs/2026-rvu26b/GPCI2026.csv']
const CLFS = ['cms-clfs/PUF_CLFS_CY2026_Q2V1.csv']
const ASP = ['cms-asp/ASP_limits_2026_Jan.csv']
const ZIP = ['cms-pfs/zip-locality-2025q4/ZIP5_OCT2025.txt.gz']
const HOSPITAL = ['hospital-mrf/real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz']
const FILES = [...PFS, ...CLFS, ...ASP, ...ZIP, ...HOSPITAL]
const SEPTEMBER = { effective_to: '2026-09-30' }
const DAY = '2026-07-15'
const NPI = '1194866210'

const noPdfReader =
  whyNoPublishedFiles() === undefined &&
  isSkipped('the printed bill, read back', hasPdfReader() ? undefined : 'poppler is not here and cannot be installed')

let app: TestApp

async function publishFiles(chart: string, files: readonly string[], options: LoadOptions = {}): Promise<void> {
  const { db, registryLog, cosign } = app.installation
  const given = { url: 'https://publisher.example/files', ...options }
  const { release } = await load(db, chart, files.map(published), given, app.clock.now)
  await publish(
    { db, log: registryLog, cosign },
    release.release_id,
    app.clock.now,
    overrideAll('verified_by_operator'),
  )
}

beforeAll(async () => {
  app = await testApp({ today: DAY })
  if (whyNoPublishedFiles() !== undefined) return
  await publishFiles('cms-pfs', PFS, { regions: ['national', 'US-IL-12', 'US-IL-16', 'US-AL-00'] })
  await publishFiles('cms-clfs', CLFS, SEPTEMBER)
  await publishFiles('cms-asp', ASP, SEPTEMBER)
  await publishFiles('zip-locality', ZIP, SEPTEMBER)
  await publishFiles('hospital-mrf', HOSPITAL)
})
afterAll(() => app[Symbol.asyncDispose]())

interface Line extends Omit<Question, 'as_of'> {
  /** The amount and its basis, or the code of the problem. */
  expected: string
}
const BILL: Line[] = [
  { cpt: '99213', expected: '99.63 medicare_pfs' },
  { cpt: '99285', expected: '193.15 medicare_pfs' },
  { cpt: '70450', modifier: '26', expected: '41.82 medicare_pfs' },
  { cpt: '80053', expected: '10.56 medicare_clfs' },
  { cpt: '36415', expected: '9.34 medicare_clfs' },
  { cpt: '93000', expected: '16.31 medicare_pfs' },
  { cpt: '96372', expected: '15.88 medicare_pfs' },
  { cpt: 'J1885', expected: '0.333 medicare_asp' },
  { cpt: '71046', expected: '34.11 medicare_pfs' },
  { cpt: '99070', expected: 'absent_bundled' },
]

interface Answer {
  code?: string
  basis?: string
  price?: { amount: string }
}
const said = ({ code = '', price, basis }: Answer): string => (price ? `${price.amount} ${basis}` : code)

async function ask(question: Question): Promise<{ body: string; answer: Answer }> {
  const query = new URLSearchParams(Object.entries(question).filter(([, value]) => value !== undefined))
  const body = await (await app.request(`/reference?${query}`)).text()
  return { body, answer: JSON.parse(body) as Answer }
}

testOnPublished(
  'a bill of ten lines in Chicago gets nine prices and one stated absence, each proved',
  FILES,
  async () => {
    for (const { expected, ...line } of BILL) {
      const question: Question = { ...line, region: '60611', as_of: DAY }
      const { body, answer } = await ask(question)
      expect([line.cpt, said(answer)]).toEqual([line.cpt, expected])
      const verdict = await verifyBody(body, app.policy, { question })
      expect([line.cpt, verdict.ok ? 'ok' : verdict.reason]).toEqual([line.cpt, 'ok'])
    }
  },
)

testOnPublished('the same bill as one batch adds up exactly, and is verified line by line', FILES, async () => {
  const lines = BILL.map(({ expected: _, ...line }) => ({
    ...line,
    region: '60611',
    as_of: DAY,
    units: 2,
    billed: '300.00',
  }))
  const response = await app.request('/reference/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  const body = await response.text()
  const { summary } = JSON.parse(body) as { summary: object }
  expect(summary).toEqual({
    lines: 10,
    priced: 9,
    totals: [
      { basis: 'medicare_asp', lines: 1, low: '0.666', high: '0.666', billed: '300.00' },
      { basis: 'medicare_clfs', lines: 2, low: '39.80', high: '39.80', billed: '600.00' },
      { basis: 'medicare_pfs', lines: 6, low: '801.80', high: '801.80', billed: '1800.00' },
    ],
  })
  const questions = lines.map(({ units: _u, billed: _b, ...question }) => question)
  expect(await verifyBody(body, app.policy, { questions })).toMatchObject({ ok: true, refused: 0 })
  const swapped = [...questions].reverse()
  expect(await verifyBody(body, app.policy, { questions: swapped })).toMatchObject({ ok: false })
})

testOnPublished('pasted from a spreadsheet, the bill is verified in the browser and printed', FILES, async () => {
  await using site = await siteOf(app)
  const page = await openPage(site, '/bill')
  const rows = BILL.map(({ cpt, modifier = '' }) => [cpt, modifier, 1, '$300.00', '7/15/2026'].join('\t'))
  const pasted = ['CPT\tMod\tUnits\tCharges\tDate', ...rows].join('\r\n')
  await page.$eval('#lines', (field, text) => Object.assign(field, { value: text }), pasted)
  await page.fill('#place', '60611')
  await page.click('#bill button[type=submit]')
  await page.waitForSelector('#bill-status[data-state=read]')
  await page.click('#bill button[type=submit]')
  await page.waitForSelector('#bill-status[data-state=good]')
  expect(await page.$$eval('#bill-lines tbody tr', (all) => all.length)).toBe(10)
  const shown = process.env['SCREENSHOTS']
  if (shown) await page.screenshot({ path: `${shown}/bill.png`, fullPage: true })

  const pdf = await page.pdf({ format: 'Letter', preferCSSPageSize: true })
  if (noPdfReader) return
  if (shown) await Bun.write(`${shown}/bill.pdf`, pdf)
  const { pages, text, image } = readPdf(pdf)
  // The letter has a page of its own.
  expect(pages).toBeLessThanOrEqual(3)
  for (const part of ['$3,000.00', 'cms-pfs:RVU26C:1', 'This is not a statement of what is owed'])
    expect([part, text.replaceAll(/\s+/g, ' ').includes(part)]).toEqual([part, true])
  // The sheet is written on, and nothing is cut off at its edges.
  const { width, height, points } = image
  const inkAt = (x: number, y: number): boolean => (points[y * width + x] ?? 255) < 128
  const written = points.filter((point) => point < 128).length / points.length
  expect([written > 0.01, written < 0.3]).toEqual([true, true])
  for (let y = 0; y < height; y++) expect([inkAt(2, y), inkAt(width - 3, y)]).toEqual([false, false])
})

testOnPublished('a hospital and a ZIP code together are answered by the hospital', FILES, async () => {
  const question: Question = { cpt: '99213', npi: NPI, region: '60611', as_of: DAY }
  const { body, answer } = await ask(question)
  expect(answer.basis).toBe('hospital_cash')
  expect(await verifyBody(body, app.policy, { question })).toMatchObject({ ok: true })
})

testOnPublished('every laboratory price is found with every kind of region and setting', FILES, async () => {
  const prices = (await Bun.file(published(CLFS[0] as string)).text())
    .split('\n')
    .map((line) => line.split(','))
    .filter(([year, , modifier, , , rate]) => year === '2026' && modifier === '' && Number(rate) > 0)
  expect(prices.length).toBe(2_006)
  const questions = [
    {},
    { region: '60611' },
    { region: 'IL' },
    { region: 'US-AL-00', setting: 'facility' },
    { setting: 'outpatient' },
    { setting: 'asc' },
  ]
  const { db, registryLog } = app.installation
  const proofs = await Proofs.at(db, registryLog, chartTable())
  for (const [i, [, cpt = '', , , , rate = '']] of prices.entries())
    for (const each of questions) {
      const expected = `${Number(rate).toFixed(2)} medicare_clfs`
      const { decision } = await find(proofs, parseQuestion({ cpt, as_of: DAY, ...each }) as ParsedQuestion)
      expect([cpt, each, decision.outcome === 'price' ? said(decision.row as Answer) : decision.outcome]).toEqual([
        cpt,
        each,
        expected,
      ])
      if (i % 100 === 0)
        expect([cpt, each, said((await ask({ cpt, as_of: DAY, ...each })).answer)]).toEqual([cpt, each, expected])
    }
})

testOnPublished('a day outside every period has no price, and says which periods are held', FILES, async () => {
  for (const [as_of, code] of [
    ['2026-06-30', 'no_edition_for_day'],
    ['2026-07-01', undefined],
    ['2026-09-30', undefined],
    ['2026-10-01', 'no_edition_for_day'],
    ['2035-01-01', 'no_edition_for_day'],
  ] as const) {
    const question: Question = { cpt: '99213', as_of }
    const { body, answer } = await ask(question)
    expect([as_of, answer.price ? undefined : answer.code]).toEqual([as_of, code])
    expect(await verifyBody(body, app.policy, { question })).toMatchObject({ ok: true })
    if (as_of > '2026-09-30')
      expect(JSON.parse(body)).toMatchObject({
        last_known: { price: { amount: '95.19' } },
        charts: expect.arrayContaining([expect.objectContaining({ chart: 'cms-pfs' })]),
      })
  }
})
