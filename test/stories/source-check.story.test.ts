import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reader as outpatient } from '../../src/ingest/schedules/outpatient.ts'
import { citation, readSource } from '../../src/ingest/source.ts'
import { sourceCheck } from '../../src/ingest/source-check.ts'
import type { Proof, RowPointer, ShownRow } from '../../src/proof/envelope.ts'
import { verifyDerivation } from '../../src/proof/price/derivation.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import { type AnyRow, isOfPrices, type PlaceRow, type Row } from '../../src/proof/price/row.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { isLong } from '../support/long.ts'
import { atr } from '../support/service.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const RVUS = join(SAMPLE, 'PPRRVU-SAMPLE26D.csv')
const FILES = [
  RVUS,
  ...[
    'PPRRVU-SAMPLE26A.csv',
    'GPCI-SAMPLE26.csv',
    'CLFS-SAMPLE26Q4.csv',
    'ASP-SAMPLE26Q4.csv',
    'DMEPOS-SAMPLE26Q4.csv',
    'ZIP5-SAMPLE.txt',
    'MCR_MUE_PractitionerServices_Eff_10-01-2026_SAMPLE.csv',
    'MCR_MUE_OutpatientHospitalServices_Eff_10-01-2026_SAMPLE.csv',
    'MCR_MUE_DMESupplierServices_Eff_10-01-2026_SAMPLE.csv',
    'CCIPRA-SAMPLE26Q4.txt',
    'CCIOPH-SAMPLE26Q4.txt',
    'AOC-SAMPLE26Q4.csv',
    '1234567893_sample-hospital_standardcharges.csv',
  ].map((file) => join(SAMPLE, file)),
]
const asSources = (files: readonly string[]): string[] => files.flatMap((file) => ['--source', file])

interface Page {
  data: ShownRow[]
  proof: Proof
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

const DAY = ['--as-of', '2026-11-15']

/** `atr verify` on an answer, under the policy the service publishes. */
async function verifier(app: TestApp) {
  const policy = join(app.folder.path, 'policy')
  writeFileSync(policy, await (await app.request('/log/policy')).text())
  return (body: string, asked: readonly string[], files: readonly string[] = []) =>
    atr(['verify', '-', '--policy', policy, ...asked, ...asSources(files)], {}, body)
}

test('every row of the sample can be recomputed, and stands in the file it cites', async () => {
  await using app = await testApp({ sample: true })
  const check = sourceCheck(await Promise.all(FILES.map(readSource)))
  const editions = new Set<string>()
  for (const day of ['2026-02-01', '2026-11-15'])
    for (const page of await pages(app, day))
      for (const { proof, ...row } of page.data) {
        const release = releaseOf(page, proof) as Manifest
        if (isOfPrices(row)) expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
        expect([row, check(row as AnyRow, release.citations, release.chart)]).toEqual([row, { ok: true }])
        editions.add(release.release_id.replace(/:[^:]*$/, ''))
      }
  expect([...editions].sort()).toEqual([
    'cms-asp:SAMPLE26Q4',
    'cms-clfs:SAMPLE26Q4',
    'cms-dmepos:SAMPLE26Q4',
    'cms-pfs:SAMPLE26A',
    'cms-pfs:SAMPLE26D',
    'hospital-mrf:1234567893:2026-09-01',
    'ncci-add-on:SAMPLE26Q4',
    'ncci-mue-dme:SAMPLE26Q4',
    'ncci-mue-outpatient:SAMPLE26Q4',
    'ncci-mue-practitioner:SAMPLE26Q4',
    'ncci-ptp-outpatient:SAMPLE26Q4',
    'ncci-ptp-practitioner:SAMPLE26Q4',
    'zip-locality:SAMPLE26Q4',
  ])
})

test('atr verify follows an answer back to the files, and names what is missing or changed', async () => {
  await using app = await testApp({ sample: true })
  const verify = await verifier(app)
  const price = await (await app.request('/reference?cpt=99213&region=US-CA-05')).text()
  const asked = ['--cpt', '99213', '--region', 'US-CA-05', ...DAY]
  expect(await verify(price, asked, FILES)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ok\n(?:.*\n)*.*recomputed: 1 rows; found in the files they cite: 1/),
    err: '',
  })
  const absent = await (await app.request('/reference?cpt=00100')).text()
  expect(await verify(absent, ['--cpt', '00100', ...DAY], FILES)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ok\n/),
  })
  // Each row was checked above. Here the command does so, for some pages of each file.
  for (const page of (await pages(app, '2026-11-15')).filter((_, i) => isLong || i % 5 === 0))
    expect(await verify(JSON.stringify(page), ['--any'], FILES)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ok\n/),
    })

  const missing = await verify(price, asked, [RVUS])
  expect([missing.code, missing.out]).toEqual([
    1,
    expect.stringMatching(/^failed: source_missing\n(?:.*\n)*.*needed: GPCI-SAMPLE26\.csv, SHA-256 /),
  ])
  using folder = temporaryFolder()
  const changed = join(folder.path, 'PPRRVU-SAMPLE26D.csv')
  writeFileSync(changed, readFileSync(RVUS, 'utf8').replace('33.4009', '33.4008'))
  expect(await verify(price, asked, [changed, ...FILES.slice(1)])).toMatchObject({
    code: 1,
    out: expect.stringContaining('failed: source_hash_mismatch\n'),
  })
  copyFileSync(join(SAMPLE, 'PPRRVU-SAMPLE26A.csv'), changed)
  expect(await verify(price, asked, [changed, ...FILES.slice(1)])).toMatchObject({
    code: 1,
    out: expect.stringContaining('failed: source_hash_mismatch\n'),
  })
  expect((await verify(price, asked, [join(folder.path, 'nowhere.csv')])).code).toBe(1)
})

test('where a ZIP code lies is looked for in the files of places, if they are given', async () => {
  await using app = await testApp({ sample: true })
  const verify = await verifier(app)
  const zip = readFileSync(join(SAMPLE, 'ZIP5-SAMPLE.txt'), 'latin1').split('\n')[1]?.slice(2, 7) ?? ''
  const answer = await (await app.request(`/reference?cpt=99213&region=${zip}`)).text()
  const asked = ['--cpt', '99213', '--region', zip, ...DAY]
  const said = 'where the ZIP code lies: '
  expect(await verify(answer, asked, FILES)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${said}found in the files that say so\n`),
  })
  const others = FILES.filter((file) => !file.includes('ZIP5'))
  expect(await verify(answer, asked, others)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${said}the files that say so were not given\n`),
  })
  expect((await verify(answer, asked)).out).not.toContain(said)
  // A place that was really published, and is not the one that its file has.
  const body = JSON.parse(answer) as { place: ShownRow<PlaceRow>; proof: Proof }
  const { region, state, proof, ...place } = body.place
  const elsewhere: PlaceRow = { ...place, region: 'US-AK-01', state: 'AK' }
  const { citations } = releaseOf(body, proof) as Manifest
  await app.publish(
    aRelease({ chart: 'zip-locality', edition: 'LATER', effective_from: '2026-11-01', citations, rows: [elsewhere] }),
  )
  const lied = await (await app.request(`/reference?cpt=99213&region=${zip}`)).text()
  expect(region === 'US-AK-01' || state === 'AK').toBe(false)
  expect(await verify(lied, asked, FILES)).toMatchObject({
    code: 1,
    out: expect.stringMatching(new RegExp(`^failed: inputs_not_at_line\n.*\nrow: ${zip}\\|\n`)),
  })
})

test('a row that was really published, but whose arithmetic is wrong, does not verify', async () => {
  await using app = await testApp()
  const right = aPrice()
  const wrong = { ...right, price: { ...right.price, amount: '12.35' } } as Row
  const unknown = aPrice({ code: 'G0102', derivation: { method: 'pfs-formula/1', inputs: {} } })
  await app.publish(aRelease({ rows: [wrong, unknown, aPrice({ code: 'G0103' })] }))
  const verify = await verifier(app)
  const check = async (cpt: string) =>
    verify(await (await app.request(`/reference?cpt=${cpt}`)).text(), ['--cpt', cpt, ...DAY])
  const { code, out, err } = await check('G0101')
  expect([code, out, err]).toEqual([
    1,
    'failed: price_mismatch\nThe amount does not follow from the inputs of the row.\n',
    '',
  ])
  expect(await check('G0102')).toMatchObject({ code: 1, out: expect.stringContaining('failed: inputs_malformed\n') })
  expect(await check('G0103')).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
})

test('a row that was really published, but cites the wrong line, does not stand in its file', async () => {
  await using app = await testApp({ sample: true })
  const body = (await app.getJson('/reference?cpt=99213')) as Row & { row: RowPointer; proof: Proof; about: object }
  const { row: pointer, proof, about: _, ...row } = body
  const { citations } = releaseOf(body, pointer) as Manifest
  const [at, ...others] = row.locator as [Row['locator'][number]]
  const lines = { line_not_found: 1, inputs_not_at_line: at.line + 1 }
  const verify = await verifier(app)
  const asked = ['--cpt', '99213', ...DAY]
  for (const [i, [reason, line]] of Object.entries(lines).entries()) {
    const edition = { edition: `FORGED${i}`, effective_from: `2026-11-0${i + 1}` }
    const { effective_from } = edition
    await app.publish(
      aRelease({ ...edition, citations, rows: [{ ...row, effective_from, locator: [{ ...at, line }, ...others] }] }),
    )
    const answer = await (await app.request('/reference?cpt=99213')).text()
    expect(await verify(answer, asked)).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
    expect(await verify(answer, asked, FILES)).toMatchObject({
      code: 1,
      out: expect.stringContaining(`failed: ${reason}\n`),
    })
  }
})

/** An Addendum B with two drugs that cost next to nothing, one of them below a cent. */
const ADDENDUM = ['HCPCS Code,Short Descriptor,SI,Payment Rate', 'J2001,x,K,0.010', 'J2002,x,K,0.003', 'J2003,x,K,5.00']

test('a code that a release has left out is found in the file, whatever the release proves', async () => {
  await using app = await testApp()
  const file = join(app.folder.path, '2026_October_Addendum_B.csv')
  writeFileSync(file, `${ADDENDUM.join('\n')}\n`)
  const source = await readSource(file)
  const rows = outpatient.open([source], { effective_from: '2026-10-01' }, new Map()).rows
  const citations = [citation(source, 'Addendum B', { url: 'about:test', retrieved_at: '2026-10-01T00:00:00Z' })]
  const edition = { chart: 'cms-opps', effective_from: '2026-10-01', citations }
  await app.publish(aRelease({ ...edition, rows: rows.filter(({ code: cpt }) => cpt !== 'J2002') }))
  const verify = await verifier(app)
  const ask = async (cpt: string, files: readonly string[]) => {
    const body = await (await app.request(`/reference?cpt=${cpt}&basis=medicare_opps`)).text()
    return verify(body, ['--cpt', cpt, '--basis', 'medicare_opps', ...DAY], files)
  }
  // The proof holds: the release has no such row. The file says what was done.
  expect(await ask('J2002', [])).toMatchObject({ code: 0, out: expect.stringContaining('no price: not_on_schedule') })
  const found = await ask('J2002', [file])
  expect([found.code, found.out]).toEqual([1, expect.stringContaining('failed: code_in_source\n')])
  expect(found.out).toContain(`needed: ${source.file}, SHA-256 ${source.sha256}`)
  for (const cpt of ['J2000', 'J2004', 'J2999'])
    expect(await ask(cpt, [file])).toMatchObject({ code: 0, out: expect.stringContaining('the files of 1 editions') })
  expect(await ask('J2001', [file])).toMatchObject({ code: 0, out: expect.stringContaining('cite: 1') })

  // An absence that nothing was searched for is not passed off as one that was.
  expect(await ask('J2002', [RVUS])).toMatchObject({
    code: 1,
    out: expect.stringContaining('failed: source_missing\n'),
  })
  writeFileSync(file, `${ADDENDUM.filter((line) => !line.startsWith('J2002')).join('\n')}\n`)
  expect(await ask('J2002', [file])).toMatchObject({
    code: 1,
    out: expect.stringContaining('failed: source_hash_mismatch\n'),
  })

  await app.publish(aRelease({ ...edition, edition: 'WHOLE', rows }))
  writeFileSync(file, `${ADDENDUM.join('\n')}\n`)
  expect(await ask('J2002', [file])).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
})

test('a true absence stands when its files are searched, and a price in another setting is none', async () => {
  await using app = await testApp({ sample: true })
  const verify = await verifier(app)
  const ask = async (question: Record<string, string>) => {
    const body = await (await app.request(`/reference?${new URLSearchParams(question)}`)).text()
    const asked = Object.entries(question).flatMap(([name, value]) => [`--${name}`, value])
    return verify(body, [...asked, ...DAY], FILES)
  }
  expect(await ask({ cpt: '99999' })).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
  expect(await ask({ cpt: '99999', npi: '1234567893' })).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/) })
  expect(await ask({ cpt: '99213', basis: 'medicare_pfs', setting: 'outpatient' })).toMatchObject({ code: 0 })
})
