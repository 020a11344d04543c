import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import type { Proof, RowPointer } from '../../src/proof/envelope.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { Period } from '../../src/proof/price/release.ts'
import { type Row, rowText } from '../../src/proof/price/row.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { exportRelease, FORMATS, type Format } from '../../src/registry/export/export.ts'
import { findLogged } from '../../src/registry/store.ts'
import type { Step } from '../../src/surfaces/browser/steps.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { closeBrowser, noBrowser, openPage, siteOf } from '../support/site.ts'

afterAll(closeBrowser)

const TODAY = '2026-11-15'
const SOURCE = 'code,price\nG0101,12.34\nG0102,20.00\n'

const amount = (text: string) => ({ price: { amount: text, currency: 'USD' as const } })

async function publishEditions(app: TestApp): Promise<void> {
  const citations = [
    {
      title: 'A schedule',
      url: 'https://example.org/schedule.csv',
      file: 'schedule.csv',
      sha256: new Bun.CryptoHasher('sha256').update(SOURCE).digest('hex'),
      bytes: SOURCE.length,
      media_type: 'text/csv',
      retrieved_at: '2026-01-01T00:00:00Z',
    },
  ]
  const rows = [
    aPrice({ code: 'G0101', locator: [{ citation: 0, line: 2 }] }),
    aPrice({ code: 'G0102', ...amount('20.00') }),
    anAbsence({ code: 'G0103' }),
  ]
  const old = rows.map((row) => (row.kind === 'absence' ? row : aPrice({ code: row.code, ...amount('11.00') })))
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows: old, citations }))
  await app.publish(aRelease({ edition: 'D', effective_from: '2026-10-01', rows: old, citations }))
  // A revision: the release before it is in force on no day.
  await app.publish(aRelease({ edition: 'D', effective_from: '2026-10-01', rows, citations }))
  for (const chart of ['cms-clfs', 'cms-asp', 'cms-dmepos'])
    await app.publish(aRelease({ chart, rows: [otherRow(chart)] }))
}
const otherRow = (chart: string): Row => {
  const basis = `medicare_${chart.slice(4)}` as Row['basis']
  return aPrice({
    code: 'A0001',
    basis,
    setting: chart === 'cms-dmepos' ? 'non_rural' : null,
    region: chart === 'cms-dmepos' ? 'US-AL' : 'national',
  })
}

const pathOf = (question: Question): string => `/reference?${new URLSearchParams(Object.entries(question))}`
/** A row with its whole proof. */
type WholeRow = Row & { row: RowPointer; proof: Proof; about?: object }
const ask = async (app: TestApp, question: Question): Promise<WholeRow> =>
  (await (await app.request(pathOf(question))).json()) as WholeRow

const QUESTION: Question = { cpt: 'G0101', as_of: TODAY }

interface Shown {
  state: string | null
  steps: Record<Step, string | null>
}

/** Pastes an answer and its question, and reads what the page says. */
async function verify(page: Page, answer: string, asked: string, hours = '72'): Promise<Shown> {
  await page.fill('#answer-text', answer)
  await page.fill('#asked', asked)
  await page.selectOption('#hours', hours)
  await page.evaluate("delete document.getElementById('check').dataset.state")
  await page.click('#verify button[type=submit]')
  await page.waitForSelector('#check[data-state]')
  return page.evaluate<Shown>(`({
    state: document.getElementById('check').dataset.state,
    steps: Object.fromEntries([...document.querySelectorAll('[data-step]')].map((item) => [item.dataset.step, item.dataset.state])),
  })`)
}

const badStep = ({ steps }: Shown): string | undefined =>
  Object.entries(steps).find(([, state]) => state === 'bad')?.[0]

test.skipIf(noBrowser)(
  'a good answer turns green step by step, without a network once the page is loaded',
  async () => {
    await using app = await testApp({ today: TODAY })
    await publishEditions(app)
    await using site = await siteOf(app)
    const page = await openPage(site, '/verify')
    await page.waitForSelector('#verify:not([hidden])')
    expect(await page.textContent('.check-tools')).toContain('First use')
    await page.context().setOffline(true)
    const good = { row: 'good', release: 'good', in_force: 'good', answer: 'good', fresh: 'good' } as const
    const answer = JSON.stringify(await ask(app, QUESTION))
    for (const tool of ['Check again', 'Compare with the source'])
      expect(await page.isVisible(`text=${tool}`)).toBe(false)
    expect(await verify(page, answer, pathOf(QUESTION))).toEqual({ state: 'good', steps: good })
    expect(await page.isVisible('text=Check again')).toBe(true)
    // An absence that is stated, and one that is proved.
    for (const cpt of ['G0103', 'G0999']) {
      const question = { ...QUESTION, cpt }
      const absence = await (await app.request(pathOf(question))).text()
      expect(await verify(page, absence, pathOf(question))).toEqual({ state: 'good', steps: good })
    }
    expect(await page.textContent('[data-step=row] p')).toContain('no list that was searched has this code')
    expect((await verify(page, answer, '', '')).steps).toEqual({ ...good, answer: 'waiting', fresh: 'waiting' })
    expect(await page.textContent('[data-step=answer] p')).toContain('so this is not proved: that it answers')
    // A short answer is neither good nor bad.
    const short = await (await app.request(`${pathOf(QUESTION)}&proof=ref`)).text()
    expect(await verify(page, short, pathOf(QUESTION))).toMatchObject({ state: 'waiting', steps: { row: 'waiting' } })
    expect(await page.textContent('.check-result')).toBe('This answer cannot be checked as it stands.')
    expect(await page.textContent('[data-step=row] p')).toContain('has a pointer in place of its proof')
    // Another description of the edition, and another code: each is told as what it may be.
    const { proof, ...others } = JSON.parse(answer) as WholeRow
    const [first, ...releases] = proof.releases ?? []
    const release = { ...first?.release, publisher: 'Somebody else' }
    const renamed = { ...others, proof: { ...proof, releases: [{ ...first, release }, ...releases] } }
    await verify(page, JSON.stringify(renamed), pathOf(QUESTION))
    expect(await page.textContent('[data-step=in_force] p')).toContain('it was changed, withdrawn or replaced')
    await verify(page, answer, pathOf({ ...QUESTION, cpt: 'G0102' }))
    expect(await page.textContent('[data-step=answer] p')).toContain('it may be of another code or place')

    // The right file, and a wrong one.
    await verify(page, answer, pathOf(QUESTION))
    const file = (text: string) => ({ name: 'schedule.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.setInputFiles('.drop input', file(SOURCE))
    await page.waitForSelector('.check-tools [role=status][data-state=good]')
    expect(await page.textContent('.check-tools pre')).toBe('2: G0101,12.34')
    await page.setInputFiles('.drop input', file(SOURCE.replace('12.34', '99.99')))
    await page.waitForSelector('.check-tools [role=status][data-state=bad]')
    expect(await page.isVisible('.check-tools pre')).toBe(false)
  },
)

test.skipIf(noBrowser)('each of fourteen lies turns red at its own step', async () => {
  await using app = await testApp({ today: TODAY })
  await publishEditions(app)
  await using other = await testApp({ today: TODAY })
  await publishEditions(other)
  await using site = await siteOf(app)
  const page = await openPage(site, '/verify')
  await page.waitForSelector('#verify:not([hidden])')

  const good = await ask(app, QUESTION)
  const { proof, row: pointer, about: _, ...row } = good
  const changed = { ...row, price: { ...('price' in row ? row.price : {}), amount: '0.34' } } as Row
  const changedHash = toBase64(leafHash(utf8(rowText(changed))))
  const withProof = (members: Partial<Proof>) => ({ ...good, proof: { ...proof, ...members } })
  const withLog = (log: Partial<typeof proof.log>) => withProof({ log: { ...proof.log, ...log } })
  const longer = (proof.timeline?.leaves ?? []).map(
    ([index, period]) => [index, { ...period, to: '2098-12-31' }] as [number, Period],
  )
  const absent = (await (await app.request(pathOf({ ...QUESTION, cpt: 'G0999' }))).json()) as { proof: Proof }
  const withoutNeighbour = absent.proof.releases?.map((each) => ({ release: each.release }))
  const lies: [name: string, step: Step, answer: object][] = [
    ['another amount', 'row', { ...good, ...changed }],
    ['another amount with its hash', 'row', { ...good, ...changed, row: { ...pointer, leaf_hash: changedHash } }],
    ['another line of the source', 'row', { ...good, locator: [{ citation: 0, line: 3 }] }],
    ['without its proof', 'row', { ...row, row: pointer }],
    [
      'an absence that leaves room for the row',
      'answer',
      { ...absent, proof: { ...absent.proof, releases: withoutNeighbour } },
    ],
    ['another log', 'release', await ask(other, QUESTION)],
    [
      'a checkpoint that was changed',
      'release',
      withLog({ checkpoint: proof.log.checkpoint.replace(/\n[0-9]+\n/, '\n99\n') }),
    ],
    [
      'a state that is not in the log',
      'release',
      withProof({ state: { ...proof.state, recorded_at: '2026-11-15T11:59:59Z' } }),
    ],
    ['an edition that was over', 'in_force', await ask(app, { ...QUESTION, as_of: '2026-03-01' })],
    ['a release that was replaced', 'in_force', (await app.getJson('/rows/cms-pfs:D:1/0')) as object],
    ['a longer period', 'in_force', withProof({ timeline: { ...proof.timeline, leaves: longer } })],
    ['the answer to another code', 'answer', await ask(app, { ...QUESTION, cpt: 'G0102' })],
    ['a modifier that was not asked', 'answer', { ...good, modifiers_ignored: ['25'] }],
  ]
  const found: Record<string, string | undefined> = {}
  for (const [name, , answer] of lies)
    found[name] = badStep(await verify(page, JSON.stringify(answer), pathOf(QUESTION)))
  expect(found).toEqual(Object.fromEntries(lies.map(([name, step]) => [name, step])))

  await page.clock.setFixedTime(app.clock.now + 73 * 3_600_000)
  const stale = await verify(page, JSON.stringify(good), pathOf(QUESTION))
  expect(stale.steps).toEqual({ row: 'good', release: 'good', in_force: 'good', answer: 'good', fresh: 'bad' })
})

test.skipIf(noBrowser)('pages, bills and exports are verified too, and a line left out is noticed', async () => {
  await using app = await testApp({ today: TODAY })
  await publishEditions(app)
  await using site = await siteOf(app)
  const page = await openPage(site, '/verify')
  await page.waitForSelector('#verify:not([hidden])')
  for (const path of [
    '/reference/sheet?cpt=G0101',
    '/reference/history?cpt=G0101',
    '/api/coverage',
    '/api/releases',
    '/api/figures',
    '/log/registry/checkpoint',
  ]) {
    const answer = await (await app.request(path)).text()
    // A checkpoint that no witness cosigned does not say how old it is.
    const hours = path.endsWith('checkpoint') ? '' : '72'
    expect([path, (await verify(page, answer, path, hours)).state]).toEqual([path, 'good'])
    const other = await verify(page, answer, pathOf(QUESTION))
    expect([path, other.state]).toEqual([path, 'bad'])
  }
  const request = JSON.stringify({ lines: [{ cpt: 'G0101', units: 2 }, { cpt: 'G0103' }] })
  const headers = { 'content-type': 'application/json' }
  const bill = await (await app.request('/reference/batch', { method: 'POST', headers, body: request })).text()
  expect((await verify(page, bill, request)).state).toBe('good')
  expect(badStep(await verify(page, bill, request.replace('G0103', 'G0102')))).toBe('answer')

  const rows = await exported(app, 'cms-pfs:D:2')
  expect((await verify(page, rows.join(''), 'cms-pfs:D:2')).state).toBe('good')
  expect(badStep(await verify(page, rows.slice(1).join(''), 'cms-pfs:D:2'))).toBe('row')
  expect((await verify(page, rows.join(''), 'cms-pfs:A:1')).state).toBe('bad')
  expect((await verify(page, rows.join(''), '')).state).toBe('bad')
  expect(await page.textContent('.check-result')).toContain('write the name of its release')
  const drop = async (format: Format, change: (file: Buffer) => Buffer = (file) => file): Promise<string | null> => {
    const file = await exportedFile(app, 'cms-pfs:D:2', format)
    await page.setInputFiles('#answer-file', { name: 'export', mimeType: 'text/plain', buffer: change(file) })
    await page.fill('#asked', 'cms-pfs:D:2')
    await page.evaluate("delete document.getElementById('check').dataset.state")
    await page.click('#verify button[type=submit]')
    await page.waitForSelector('#check[data-state=good], #check[data-state=bad]')
    return page.getAttribute('#check', 'data-state')
  }
  for (const format of FORMATS) expect([format, await drop(format)]).toEqual([format, 'good'])
  expect(await drop('csv', (file) => Buffer.from(file.toString().replace('12.34', '12.35')))).toBe('bad')
  // What the footer says about the release is compared as well.
  const renamed = (file: Buffer): Buffer =>
    Buffer.from(file.toString('latin1').replace('cms-pfs:D:2', 'cms-pfs:D:1'), 'latin1')
  expect(await drop('parquet', renamed)).toBe('bad')
})

/** A whole release, as the operator exports it. */
async function exportedFile({ installation: { db } }: TestApp, release_id: string, format: Format): Promise<Buffer> {
  const release = await findLogged(db, release_id)
  if (!release) throw new Error('there is no such release')
  const { rows_root } = release.manifest
  return Buffer.concat(await Array.fromAsync(exportRelease(db, { ...release, rows_root }, format)))
}

/** The lines of an export. */
async function exported(app: TestApp, release_id: string): Promise<string[]> {
  const rows = await Promise.all([0, 1, 2].map((i) => app.getJson(`/rows/${release_id}/${i}`) as Promise<WholeRow>))
  return rows.map(({ proof: _, row: _pointer, ...row }) => `${rowText(row as Row)}\n`)
}

test.skipIf(noBrowser)('keys are pinned at first use, and a site that serves others later is noticed', async () => {
  await using app = await testApp({ today: TODAY })
  await publishEditions(app)
  await using other = await testApp({ today: TODAY })
  await using site = await siteOf(app)
  const page = await openPage(site, '/verify')
  await page.waitForSelector('#verify:not([hidden])')
  const served = await (await other.request('/log/policy')).text()
  await page.route('**/log/policy', (route) => route.fulfill({ body: served }))
  await page.reload()
  await page.waitForSelector('#verify:not([hidden])')
  expect(await page.textContent('.check-tools')).toContain('The site now serves other keys')
  const answer = JSON.stringify(await ask(app, QUESTION))
  expect((await verify(page, answer, pathOf(QUESTION))).state).toBe('good')
  // Whoever pins the other keys trusts the other log, and this one no longer.
  await page.click('.check-tools summary')
  await page.click('text=Pin this log policy')
  await page.waitForSelector('#check[data-state=bad]')
})

test.skipIf(noBrowser)(
  'the page of a price is checked as it stands, without a network, and so is that of an absence',
  async () => {
    await using app = await testApp({ today: TODAY })
    await publishEditions(app)
    await using site = await siteOf(app)
    for (const cpt of ['G0101', 'G0103', 'G0999']) {
      const page = await openPage(site, `/price/${cpt}?as_of=${TODAY}`)
      await page.waitForSelector('#check[data-state=good]')
      expect(await page.$$eval('[data-step][data-state=good]', (all) => all.length)).toBe(5)
      await page.close()
    }
    const page = await openPage(site, `/price/G0101?as_of=${TODAY}`)
    await page.waitForSelector('#check[data-state=good]')
    await page.context().setOffline(true)
    await page.evaluate("delete document.getElementById('check').dataset.state")
    await page.click('text=Check again')
    await page.waitForSelector('#check[data-state=good]')
    await page.clock.setFixedTime(app.clock.now + 73 * 3_600_000)
    await page.click('text=Check again')
    await page.waitForSelector('[data-step=fresh][data-state=bad]')
  },
)

test.skipIf(noBrowser)('a browser that cannot check signatures says so, and passes nothing', async () => {
  await using app = await testApp({ today: TODAY })
  await publishEditions(app)
  await using site = await siteOf(app)
  const page = await site.page()
  await page.addInitScript(
    "crypto.subtle.importKey = async () => { throw new DOMException('unknown', 'NotSupportedError') }",
  )
  await page.goto(`/price/G0101?as_of=${TODAY}`)
  await page.waitForSelector('#check[data-state=bad]')
  expect(await page.textContent('.check-result')).toContain('cannot check signatures')
  expect(await page.$$eval('[data-step][data-state]', (all) => all.length)).toBe(0)
})
