import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inlineRows, workbook, type ZipMember, zip } from '../../src/files/zip-fixture.ts'
import { load } from '../../src/ingest/load.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { type AskedOf, ask, pathOf, questionOf, told } from '../support/lookup.ts'
import { atr } from '../support/service.ts'

const LABORATORY = `A title,,
YEAR,HCPCS,MOD,EFF_DATE,INDICATOR,RATE,SHORTDESC
2026,G0103,,20260101,N,00019.33,x
2026,G0103,QW,20260101,N,00019.33,x
2026,P2031,,20260101,L,00000.00,x
`
const OUTPATIENT = workbook(
  inlineRows([
    ['Addendum B'],
    ['HCPCS Code', 'Short Descriptor', 'SI', 'APC', 'Relative Weight', 'Payment Rate'],
    ['G0463', 'x', 'J2', '5012', '1.4', '128.870000000000005'],
    ['J0872', 'x', 'K', '0754', '', '1.045'],
    ['C1713', 'x', 'N', '', '', ''],
  ]),
  { sheets: '<sheet name="2026 October Addendum B" r:id="rId1"/>' },
)

async function loadAndPublish(app: TestApp, kind: string, path: string): Promise<string> {
  const { db, registryLog, cosign } = app.installation
  const { release } = await load(db, kind, [path], { url: 'https://www.cms.gov/files' }, app.clock.now)
  await publish({ db, log: registryLog, cosign }, release.release_id, app.clock.now, overrideAll('sample_data'))
  return release.release_id
}

test('what CMS ships in an archive is loaded from it, and verified against it', async () => {
  await using app = await testApp()
  const [clfs, opps, policy] = ['26CLABQ4.zip', 'opps.zip', 'policy'].map((name) => join(app.folder.path, name)) as [
    string,
    string,
    string,
  ]
  const readme = { name: 'readme.pdf', data: '%PDF-1.7', stored: true }
  writeFileSync(clfs, zip([readme, { name: 'CLFS 2026 Q4V1.csv', data: LABORATORY }]))
  writeFileSync(opps, zip([readme, { name: 'Addendum B.xlsx', data: OUTPATIENT, stored: true }]))
  expect(await loadAndPublish(app, 'cms-clfs', clfs)).toBe('cms-clfs:CLFS26Q4:1')
  expect(await loadAndPublish(app, 'cms-opps', opps)).toBe('cms-opps:OPPS26Q4:1')

  writeFileSync(policy, await (await app.request('/log/policy')).text())
  /** `atr verify` on the answer, beside its question. */
  const verify = async (asked: AskedOf, ...sources: string[]) => {
    const question = Object.entries(questionOf(app, asked)).flatMap(([part, value]) => [
      `--${part.replace('_', '-')}`,
      String(value),
    ])
    const files = sources.flatMap((file) => ['--source', file])
    const answer = await (await app.request(pathOf(asked))).text()
    return atr(['verify', '-', '--policy', policy, ...files, ...question], {}, answer)
  }
  const found = { code: 0, out: expect.stringContaining('found in the files they cite: 1') }
  expect(await verify({ cpt: 'G0103', modifier: 'QW' }, clfs)).toMatchObject(found)
  expect(await verify({ cpt: 'P2031' }, clfs)).toMatchObject(found)
  const outpatient = { setting: 'outpatient' }
  const visit = await ask(app, { cpt: 'G0463', basis: 'medicare_opps' })
  expect(visit).toMatchObject({
    price: { amount: '128.87', currency: 'USD' },
    setting: 'outpatient',
    locator: [{ citation: 0, line: 3 }],
  })
  expect(releaseOf(visit, visit.row)).toMatchObject({
    citations: [{ file: 'Addendum_B.xlsx', url: 'https://www.cms.gov/files' }],
  })
  expect(await verify({ cpt: 'G0463', ...outpatient }, opps, clfs)).toMatchObject(found)
  expect(await ask(app, { cpt: 'J0872', ...outpatient })).toMatchObject({ price: { amount: '1.045' } })
  expect(await verify({ cpt: 'J0872', ...outpatient }, opps)).toMatchObject(found)
  expect(await told(app, { cpt: 'C1713', ...outpatient })).toBe('absent_bundled')
  expect(await verify({ cpt: 'C1713', ...outpatient }, opps)).toMatchObject(found)
  expect(await verify({ cpt: 'C1713', ...outpatient }, clfs)).toMatchObject({
    code: 1,
    out: expect.stringContaining('failed: source_missing\n'),
  })
})

test('a hostile archive is refused in one sentence, and leaves nothing behind', async () => {
  using folder = temporaryFolder()
  const environment = { DATA_DIR: join(folder.path, 'data') }
  expect((await atr(['init'], environment)).code).toBe(0)
  const csv = { name: 'CLFS_2026_Q4.csv', data: LABORATORY }
  const hostile: Record<string, ZipMember[]> = {
    'unpacks to more than 100 times its size': [csv, { name: 'b.csv', data: new Uint8Array(50_000_000) }],
    'has a name that points outside it': [csv, { ...csv, name: '../../etc/CLFS.csv' }],
    'holds another archive': [csv, { name: 'more.zip', data: zip([csv]), stored: true }],
    'its size or checksum is not as declared': [{ ...csv, claims: { crc: 1 } }],
    'is encrypted': [{ ...csv, claims: { flags: 0x801 } }],
  }
  for (const [sentence, members] of Object.entries(hostile)) {
    const path = join(folder.path, 'hostile.zip')
    writeFileSync(path, zip(members))
    const { code, out, err } = await atr(['load', 'cms-clfs', path], environment)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('source_unreadable')
    expect(err).toContain(sentence)
  }
  const { code, out } = await atr(['release', 'list', '--json'], environment)
  expect([code, out.includes('cms-clfs')]).toEqual([0, false])
})
