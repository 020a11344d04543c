// Short answers that point to their proof, and rows by their permalink.

import { expect, test } from 'bun:test'
import { PROOF, PROOF_REF, type Proof, type RowPointer } from '../../src/proof/envelope.ts'
import type { Manifest, Period } from '../../src/proof/price/release.ts'
import type { PricedRow } from '../../src/proof/price/row.ts'
import { periodOf, releaseOf } from '../../src/proof/shown.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'
import { ask, mustBeProved } from '../support/lookup.ts'

interface Short extends PricedRow {
  data_class: string
  effective_to: string
  modifiers_ignored?: string[]
  adjustment?: { amount: string }
  beside: unknown[]
  proof: { type: string; release_id: string; index: number; leaf_hash: string; href: string }
}
/** A row by its permalink. */
type WholeRow = PricedRow & { row: RowPointer; proof: Proof }
const releaseIn = (body: WholeRow): Manifest => releaseOf(body, body.row) as Manifest
const periodIn = (body: WholeRow): Period | undefined => periodOf(body, releaseIn(body))

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })
const ANY = { anyQuestion: true } as const

test('a short answer is small, says the price, and points to its proof', async () => {
  await using app = await testApp({ sample: true })
  const text = await (await app.request('/reference?cpt=99213&proof=ref')).text()
  const short = JSON.parse(text) as Short
  // What others are paid is a line for each of them.
  expect(text.length - 120 * short.beside.length).toBeLessThanOrEqual(600)
  expect(short).toMatchObject({
    code: '99213',
    region: 'national',
    basis: 'medicare_pfs',
    setting: 'non_facility',
    price: { amount: '95.19' },
    effective_from: '2026-10-01',
    effective_to: '2099-12-31',
  })
  const whole = await ask(app, { cpt: '99213' })
  const { release_id, index, leaf_hash, href } = short.proof
  expect([release_id, index, leaf_hash]).toEqual([releaseIn(whole).release_id, whole.row.index, whole.row.leaf_hash])
  expect(href).toBe(`/rows/${release_id}/${index}`)
  const body = await (await app.request(href)).text()
  const { rows } = await mustBeProved(app, body, ANY)
  const linked = JSON.parse(body) as WholeRow
  expect(linked.row.leaf_hash).toBe(leaf_hash)
  // The leaf hash binds the row: everything that the short answer says of it is in the row that was proved.
  const { proof: _, effective_to: _until, data_class, beside: _beside, ...said } = short
  expect(rows[0]?.row).toMatchObject(said)
  expect([data_class, releaseIn(linked).data_class]).toEqual(['sample', 'sample'])
})

test('a short answer says what became of the modifiers, and a short miss says the same without its proof', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice(usd('100.00'))] }))
  const short = (query: string) => app.getJson(`/reference?cpt=G0101&proof=ref&${query}`) as Promise<Short>
  expect(await short('modifier=25')).toMatchObject({ modifiers_ignored: ['25'] })
  expect(await short('modifier=50')).toMatchObject({ price: { amount: '100.00' }, adjustment: { amount: '150.00' } })
  const { request_id: _, ...full } = await app.problem('/reference?cpt=G0101&modifier=52')
  const { request_id: _r, ...ref } = await app.problem('/reference?cpt=G0101&modifier=52&proof=ref')
  const { proof, place: _p, ...said } = full as Record<string, unknown>
  const { proof: pointer, ...inShort } = ref as Record<string, unknown>
  expect(proof).toMatchObject({ type: PROOF })
  expect(inShort).toEqual(said)
  expect(pointer).toEqual({ type: PROOF_REF, href: expect.stringContaining('modifier=52') })
  const { request_id: _q, ...linked } = await app.problem((pointer as { href: string }).href)
  expect(linked as object).toEqual(full)
})

test('the row of a release that was withdrawn or replaced has its permalink for ever, and is in force no more', async () => {
  await using app = await testApp()
  const first = await app.publish(aRelease({ rows: [aPrice(usd('1.00'))] }))
  const before = (await app.getJson(`/rows/${first}/0`)) as WholeRow
  expect(periodIn(before)).toMatchObject({ chart: 'cms-pfs', from: '2026-01-01', to: '2099-12-31' })
  const second = await app.publish(aRelease({ rows: [aPrice(usd('2.00'))] }))
  const third = await app.publish(aRelease({ edition: 'B', effective_from: '2026-07-01', rows: [aPrice(usd('3.00'))] }))
  const { db, registryLog, cosign } = app.installation
  await withdraw({ db, log: registryLog, cosign }, third, 'wrong_source', app.clock.now)

  for (const [release_id, amount, isInForce] of [
    [first, '1.00', false],
    [second, '2.00', true],
    [third, '3.00', false],
  ] as const) {
    const text = await (await app.request(`/rows/${release_id}/0`)).text()
    const row = JSON.parse(text) as WholeRow
    expect([row.price, periodIn(row) !== undefined]).toMatchObject([{ amount }, isInForce])
    await mustBeProved(app, text, ANY)
    // It was published, and is the answer to nothing.
    const question = { cpt: 'G0101', as_of: '2026-08-01' }
    const verdict = await verifyBody(text, app.policy, { question })
    expect(verdict).toMatchObject(isInForce ? { ok: true } : { ok: false, reason: 'release_not_in_force' })
  }
  // Row, release and the nodes between them never change, whatever is published after them.
  const after = (await app.getJson(`/rows/${first}/0`)) as WholeRow
  expect([after.row, after.proof.releases]).toEqual([before.row, before.proof.releases])
  expect(await app.problem(`/rows/${first}/1`)).toMatchObject({ status: 404, code: 'row_not_found' })
  expect(await app.problem('/rows/cms-pfs:NONE:1/0')).toMatchObject({ status: 404, code: 'release_not_found' })
})

test('a release that is only staged has no permalinks', async () => {
  await using app = await testApp()
  const { rows, ...release } = aRelease()
  const { db } = app.installation
  const staged = await stage(db, release, rows, new Map(), app.clock.now)
  expect(await app.problemCode(`/rows/${staged.release.release_id}/0`)).toBe('release_not_found')
})

test('a short refusal has a pointer to what the schedule states, and is small', async () => {
  await using app = await testApp()
  const { price: _, ...base } = aPrice({ code: '99070', setting: null })
  const bundled = { ...base, kind: 'absence' as const, reason: 'bundled' as const }
  await app.publish(
    aRelease({
      rows: [{ ...bundled, derivation: { method: 'cms-status/1', inputs: { status_code: 'B' } } }],
    }),
  )
  const text = await (await app.request('/reference?cpt=99070&proof=ref')).text()
  const short = JSON.parse(text)
  expect(text.length).toBeLessThanOrEqual(1_300)
  expect(short).toMatchObject({ code: 'absent_bundled', row: { reason: 'bundled', proof: { index: 0 } } })
  expect(short.proof).toEqual({ type: PROOF_REF, href: expect.stringContaining('cpt=99070') })
  const linked = (await app.getJson(short.row.proof.href)) as WholeRow
  expect(linked.row.leaf_hash).toBe(short.row.proof.leaf_hash)
})

test('a batch in short says what the whole one says, with pointers in place of proofs', async () => {
  await using app = await testApp({ sample: true })
  const lines = [
    { cpt: '99213', units: 2, billed: '250.00' },
    { cpt: '99213', modifier: '25' },
    { cpt: '99999' },
    { cpt: 'x' },
  ]
  const ask = async (body: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const text = await (
      await app.request('/reference/batch', { method: 'POST', headers, body: JSON.stringify(body) })
    ).text()
    return { text, body: JSON.parse(text) as { results: Record<string, unknown>[]; summary: object } }
  }
  const whole = await ask({ lines })
  const short = await ask({ lines, proof: 'ref' })
  expect(short.body.summary).toEqual(whole.body.summary)
  expect(Object.keys(short.body)).toEqual(['results', 'summary', 'as_of'])
  expect(short.body.results.map(({ status }) => status)).toEqual([200, 200, 404, 400])
  const [priced, adjusted, missing] = short.body.results as [Record<string, unknown>, Record<string, unknown>, object]
  expect(priced).toMatchObject({
    row: { price: { amount: '95.19' }, proof: { href: expect.stringMatching(/^\/rows\//) } },
    units: 2,
    billed: '250.00',
    extended: { amount: '190.38' },
  })
  expect(adjusted['modifiers_ignored']).toEqual(['25'])
  expect(missing).toMatchObject({ problem: { code: 'not_on_schedule' } })
  expect(short.text.length).toBeLessThan(whole.text.length / 3)
  // There is nothing in it to check, and a verifier says so.
  const verdict = await verifyBody(short.text, app.policy, { anyQuestion: true })
  expect(verdict.ok).toBe(false)
})

test('a sheet and a history in short say what the whole ones say, with pointers in place of proofs', async () => {
  await using app = await testApp({ sample: true })
  type Row = Record<string, unknown> & { proof: { href: string } }
  interface Sheet {
    data: Row[]
    not_held: string[]
  }
  const [sheet, shortSheet] = [
    (await app.getJson('/reference/sheet?cpt=70450&region=NY')) as Sheet,
    (await app.getJson('/reference/sheet?cpt=70450&region=NY&proof=ref')) as Sheet,
  ]
  expect(Object.keys(shortSheet)).toEqual(['data', 'not_held', 'as_of'])
  expect(shortSheet.not_held).toEqual(sheet.not_held)
  const OUTSIDE = ['derivation', 'indicators', 'locator', 'proof', 'data_class', 'effective_to']
  const said = (row: Row) => Object.fromEntries(Object.entries(row).filter(([name]) => !OUTSIDE.includes(name)))
  expect(shortSheet.data.map(said)).toEqual(sheet.data.map(said))
  expect(new Set(shortSheet.data.map(({ kind }) => kind))).toEqual(new Set(['price', 'absence']))
  const { row: _, ...linked } = (await app.getJson(shortSheet.data[0]?.proof.href ?? '')) as Row
  expect(said(linked as Row)).toEqual(said(shortSheet.data[0] as Row))

  interface History {
    data: { release_id: string; answer: { status: number; row?: Row } }[]
    links: { next: string | null }
  }
  const path = '/reference/history?cpt=99213&limit=3'
  const [history, shortHistory] = [
    (await app.getJson(path)) as History,
    (await app.getJson(`${path}&proof=ref`)) as History,
  ]
  expect(Object.keys(shortHistory)).toEqual(['data', 'page', 'links'])
  const told = ({ release_id, answer: { status, row } }: History['data'][number]) => [
    release_id,
    status,
    row && said(row),
  ]
  expect(shortHistory.data.map(told)).toEqual(history.data.map(told))
  // The next page is in the same form, and links of the whole form are as before.
  expect([history.links.next?.includes('proof'), shortHistory.links.next?.includes('proof=ref')]).toEqual([false, true])
  expect(await app.problemCode('/reference/history?cpt=99213&npi=1992999833&proof=ref')).toBe('unknown_provider')
})
