import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSource } from '../../src/ingest/source.ts'
import { sourceCheck } from '../../src/ingest/source-check.ts'
import { verifyDerivation } from '../../src/proof/price/derivation.ts'
import type { CitedRow } from '../../src/proof/price/row.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const RVUS = join(SAMPLE, 'PPRRVU-SAMPLE26D.csv')
const FILES = [
  RVUS,
  ...[
    'PPRRVU-SAMPLE26A.csv',
    'GPCI-SAMPLE26.csv',
    'CLFS-SAMPLE26Q4.csv',
    '1234567893_sample-hospital_standardcharges.csv',
  ].map((file) => join(SAMPLE, file)),
]
const asSources = (files: readonly string[]): string[] => files.flatMap((file) => ['--source', file])

interface Page {
  data: CitedRow[]
  page: { next_offset: number | null }
}

async function pages(app: TestApp, as_of: string): Promise<Page[]> {
  const headers = await app.railsHeaders(['registry:read'])
  const found: Page[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const page = (await app.getJson(`/api/registry?limit=200&as_of=${as_of}&offset=${offset}`, headers)) as Page
    found.push(page)
    offset = page.page.next_offset
  }
  return found
}

/** `atr verify` on an answer, under the policy the service publishes. */
async function verifier(app: TestApp) {
  const policy = join(app.folder.path, 'policy')
  writeFileSync(policy, await (await app.request('/log/policy')).text())
  return (body: string, files: readonly string[] = []) =>
    atr(['verify', '-', '--policy', policy, ...asSources(files)], {}, body)
}

test('every row of the sample can be recomputed, and stands in the file it cites', async () => {
  await using app = await testApp({ sample: true })
  const check = sourceCheck(await Promise.all(FILES.map(readSource)))
  const editions = new Set<string>()
  for (const day of ['2026-02-01', '2026-11-15'])
    for (const { data } of await pages(app, day))
      for (const { proof, ...row } of data) {
        expect([row, verifyDerivation({ ...row, proof })]).toEqual([row, { ok: true }])
        expect([row, check(row, proof.release.citations)]).toEqual([row, { ok: true }])
        editions.add(proof.release.release_id.replace(/:[^:]*$/, ''))
      }
  expect([...editions].sort()).toEqual([
    'cms-clfs:SAMPLE26Q4',
    'cms-pfs:SAMPLE26A',
    'cms-pfs:SAMPLE26D',
    'hospital-mrf:1234567893:2026-09-01',
  ])
})

test('atr verify follows an answer back to the files, and names what is missing or changed', async () => {
  await using app = await testApp({ sample: true })
  const verify = await verifier(app)
  const price = await (await app.request('/reference?cpt=99213&region=US-CA-05')).text()
  expect(await verify(price, FILES)).toMatchObject({
    code: 0,
    out: 'ok\n',
    err: expect.stringContaining('recomputed: 1 rows; found in the files they cite: 1'),
  })
  const absent = await (await app.request('/reference?cpt=00100')).text()
  expect(await verify(absent, FILES)).toMatchObject({ code: 0, out: 'ok\n' })
  const [page] = await pages(app, '2026-11-15')
  expect(await verify(JSON.stringify(page), FILES)).toMatchObject({ code: 0, out: 'ok\n' })

  const missing = await verify(price, [RVUS])
  expect(missing).toMatchObject({ code: 1, out: 'failed: source_missing\n' })
  expect(missing.err).toContain('needed: GPCI-SAMPLE26.csv, SHA-256 ')
  using folder = temporaryFolder()
  const changed = join(folder.path, 'PPRRVU-SAMPLE26D.csv')
  writeFileSync(changed, readFileSync(RVUS, 'utf8').replace('33.4009', '33.4008'))
  expect(await verify(price, [changed, ...FILES.slice(1)])).toMatchObject({
    code: 1,
    out: 'failed: source_hash_mismatch\n',
  })
  copyFileSync(join(SAMPLE, 'PPRRVU-SAMPLE26A.csv'), changed)
  expect(await verify(price, [changed, ...FILES.slice(1)])).toMatchObject({
    code: 1,
    out: 'failed: source_hash_mismatch\n',
  })
  expect((await verify(price, [join(folder.path, 'nowhere.csv')])).code).toBe(1)
})

test('a row that was really published, but whose arithmetic is wrong, does not verify', async () => {
  await using app = await testApp()
  const wrong = aPrice({ derivation: { method: 'verbatim/1', inputs: { amount: '12.35' } } })
  const unknown = aPrice({ cpt: 'G0102', derivation: { method: 'guess/1', inputs: {} } })
  await app.publish(aRelease({ rows: [wrong, unknown, aPrice({ cpt: 'G0103' })] }))
  const verify = await verifier(app)
  const check = async (cpt: string) => verify(await (await app.request(`/reference?cpt=${cpt}`)).text())
  const { code, out, err } = await check('G0101')
  expect([code, out, err]).toEqual([1, 'failed: price_mismatch\n', 'row: G0101|national|||medicare_pfs|non_facility\n'])
  expect(await check('G0102')).toMatchObject({ code: 1, out: 'failed: unknown_method\n' })
  expect(await check('G0103')).toMatchObject({ code: 0, out: 'ok\n' })
})

test('a row that was really published, but cites the wrong line, does not stand in its file', async () => {
  await using app = await testApp({ sample: true })
  const { proof, ...row } = (await app.getJson('/reference?cpt=99213')) as CitedRow
  const [at] = row.locator as [CitedRow['locator'][number]]
  const lines = { line_not_found: 1, inputs_not_at_line: at.line + 1 }
  const verify = await verifier(app)
  for (const [i, [reason, line]] of Object.entries(lines).entries()) {
    const edition = { edition: `FORGED${i}`, effective_from: `2026-11-0${i + 1}` }
    const { effective_from } = edition
    const { citations } = proof.release
    await app.publish(
      aRelease({ ...edition, citations, rows: [{ ...row, effective_from, locator: [{ ...at, line }] }] }),
    )
    const answer = await (await app.request('/reference?cpt=99213')).text()
    expect(await verify(answer)).toMatchObject({ code: 0, out: 'ok\n' })
    expect(await verify(answer, FILES)).toMatchObject({ code: 1, out: `failed: ${reason}\n` })
  }
})
