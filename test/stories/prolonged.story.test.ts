import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { load } from '../../src/ingest/load.ts'
import type { Proof } from '../../src/proof/envelope.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { ask, mustBeProved, questionOf, refusalOf } from '../support/lookup.ts'
import { connect } from '../support/mcp.ts'
import { asCsv } from '../support/source-files.ts'

// An operator may let an edition hold longer than its publisher does: a later one is late, or costs more than it tells. Who
// asks on a day after the publisher's own last one is told so, with every row, wherever it is read.

const OWN_END = '2026-06-30'
const MARK = { prolonged: { publisher_until: OWN_END } }
const NOTE = `The publisher\u2019s own period ended on ${OWN_END}; the operator prolonged the edition.`
const TODAY = '2026-07-15'

const rates = asCsv([
  ['YEAR', 'HCPCS', 'MOD', 'INDICATOR', 'RATE'],
  ['2026', '80053', '', 'N', '10.56'],
  ['2026', '86580', '', 'L', '0.00'],
])

/** The laboratory schedule of the second quarter. */
async function laboratory(
  app: TestApp,
  options: { effective_to?: string; data_class?: 'sample' } = {},
): Promise<string> {
  const { db, registryLog: log, cosign } = app.installation
  const path = join(app.folder.path, 'rates.csv')
  await Bun.write(path, rates)
  const edition = { url: 'https://publisher.example/rates.csv', edition: 'Q2', effective_from: '2026-04-01' }
  const { release } = await load(db, 'cms-clfs', [path], { ...edition, ...options }, app.clock.now)
  await publish({ db, log, cosign }, release.release_id, app.clock.now, overrideAll('verified_by_operator'))
  return release.release_id
}
const prolonged = (app: TestApp) => laboratory(app, { effective_to: '2026-09-30' })

const asked = { cpt: '80053', basis: 'medicare_clfs' }

test('the manifest of a prolonged edition says when the period of the publisher ended', async () => {
  await using app = await testApp({ today: TODAY })
  await prolonged(app)
  const answer = await ask(app, asked)
  expect(releaseOf(answer, answer.row)).toMatchObject({
    effective_to: '2026-09-30',
    period_by: 'operator',
    publisher_until: OWN_END,
  })
})

test('an edition that ends as its publisher says, or sooner, is not marked, and no sample is', async () => {
  for (const options of [
    {},
    { effective_to: OWN_END },
    { effective_to: '2026-05-31' },
    { effective_to: '2026-09-30', data_class: 'sample' },
  ] as const) {
    await using app = await testApp({ today: '2026-05-15' })
    await laboratory(app, options)
    const answer = await ask(app, asked)
    expect(releaseOf(answer, answer.row)).not.toHaveProperty('publisher_until')
    expect([options, 'prolonged' in answer]).toEqual([options, false])
  }
})

test('every row of it is marked, in whole answers and in short ones', async () => {
  await using app = await testApp({ today: TODAY })
  const id = await prolonged(app)
  expect(await ask(app, asked)).toMatchObject(MARK)
  expect(await app.getJson(`/reference?cpt=80053&basis=medicare_clfs&proof=ref`)).toMatchObject(MARK)
  expect(await app.getJson(`/rows/${id}/0`)).toMatchObject(MARK)
  const absent = await ask(app, { cpt: '86580', basis: 'medicare_clfs' })
  expect([refusalOf(absent), absent.row]).toMatchObject(['absent_carrier_priced', MARK])
  const headers = await app.railsHeaders()
  for (const proof of ['full', 'ref']) {
    const sheet = await app.getJson(`/reference/sheet?cpt=80053&proof=${proof}`)
    expect(sheet).toMatchObject({ data: [MARK] })
    const history = await app.getJson(`/reference/history?cpt=80053&basis=medicare_clfs&proof=${proof}`)
    expect(history).toMatchObject({ data: [{ answer: { row: MARK } }] })
    const batch = await app.request('/reference/batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ lines: [asked], proof }),
    })
    expect(await batch.json()).toMatchObject({ results: [{ row: MARK }] })
  }
  expect(await app.getJson('/api/registry?cpt=80053', headers)).toMatchObject({ data: [MARK] })
  // Once it has run out too, it is known as what it was.
  app.clock.now = Date.parse('2026-10-02T12:00:00Z')
  expect(await ask(app, asked)).toMatchObject({ code: 'no_edition_for_day', last_known: MARK })
})

test('a mark that is left out, moved or invented is refused', async () => {
  await using app = await testApp({ today: TODAY })
  await prolonged(app)
  const question = questionOf(app, asked)
  const { prolonged: mark, ...answer } = await ask(app, asked)
  const verdictOf = (body: object) => verifyBody(JSON.stringify(body), app.policy, { question })
  expect(await verdictOf({ ...answer, prolonged: mark })).toMatchObject({ ok: true })
  for (const lie of [{}, { prolonged: { publisher_until: '2026-07-31' } }])
    expect(await verdictOf({ ...answer, ...lie })).toMatchObject({ class: 'not_the_answer' })
  const proof = structuredClone(answer.proof) as Proof
  for (const { release } of proof.releases ?? []) delete release.publisher_until
  expect(await verdictOf({ ...answer, proof })).toMatchObject({ ok: false })

  await using other = await testApp({ today: '2026-05-15' })
  await laboratory(other)
  const plain = await ask(other, asked)
  expect(
    await verifyBody(JSON.stringify({ ...plain, ...MARK }), other.policy, { question: questionOf(other, asked) }),
  ).toMatchObject({ class: 'not_the_answer' })
})

test('sentences for agents say it', async () => {
  await using app = await testApp({ today: TODAY })
  await prolonged(app)
  const client = await connect(app, 'modern')
  const said = async (name: string, args: Record<string, unknown>): Promise<string> =>
    (await client.callTool({ name, arguments: args })).content[0]?.text ?? ''
  for (const include of [{}, { include: 'proof' }])
    expect(await said('lookup_price', { ...asked, ...include })).toContain(NOTE)
  expect(await said('lookup_price', { cpt: '86580', basis: 'medicare_clfs' })).toContain(NOTE)
  const listed = `It is of editions that the operator prolonged: the publisher\u2019s own period ended on ${OWN_END}.`
  expect(await said('code_sheet', { cpt: '80053' })).toContain(listed)
  expect(await said('price_history', asked)).toContain(listed)
  expect(await said('price_bill', { lines: [asked] })).toContain(listed)
  app.clock.now = Date.parse('2026-10-02T12:00:00Z')
  expect(await said('lookup_price', asked)).toContain(NOTE)
})

test('pages say it', async () => {
  await using app = await testApp({ today: TODAY })
  await prolonged(app)
  const send = async (path: string, init: RequestInit): Promise<string> =>
    (await app.app.fetch(new Request(BASE_URL + path, init), '192.0.2.1')).text()
  const page = (path: string, accept: string): Promise<string> => send(path, { headers: { accept } })
  const later = '&as_of=2026-10-02'
  for (const accept of ['text/html', 'text/markdown']) {
    expect(await page('/price/80053?basis=medicare_clfs', accept)).toContain(NOTE)
    expect(await page('/price/86580?basis=medicare_clfs', accept)).toContain(NOTE)
    expect(await page(`/price/80053?basis=medicare_clfs${later}`, accept)).toContain(NOTE)
  }
  const form = new URLSearchParams({ lines: 'CPT\tCharges\n80053\t45.50', place: '', day: TODAY, npi: '' })
  const bill = await send('/bill', { method: 'POST', body: form, headers: { accept: 'text/html' } })
  expect(bill).toContain(`ended on ${OWN_END}; the operator prolonged it`)
})

test('a list of rows proves the marks it shows', async () => {
  await using app = await testApp({ today: TODAY })
  await prolonged(app)
  const headers = await app.railsHeaders()
  const text = await (await app.request('/api/registry?cpt=80053', { headers })).text()
  await mustBeProved(app, text, { page: { as_of: TODAY, cpt: '80053' } })
  const { data, ...page } = JSON.parse(text) as { data: { prolonged?: object }[] }
  const bare = data.map(({ prolonged: _, ...row }) => row)
  const inquiry = { page: { as_of: TODAY, cpt: '80053' } }
  expect(await verifyBody(JSON.stringify({ ...page, data: bare }), app.policy, inquiry)).toMatchObject({
    class: 'not_the_answer',
  })
})
