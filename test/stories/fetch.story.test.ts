import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { entryFor, hospitalsIn, pointerEntries } from '../../src/fetch/hospital-list.ts'
import { runFolder } from '../../src/fetch/run.ts'
import { findOrigin } from '../../src/fetch/store.ts'
import { zip } from '../../src/files/zip-fixture.ts'
import { load } from '../../src/ingest/load.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { findRelease } from '../../src/registry/release/store.ts'
import { ACCEPTED, FetchingStore } from '../support/fetching.ts'
import { testApp } from '../support/harness.ts'
import { drugFile, laboratoryFile, monthOf } from '../support/publisher-site.ts'

const LABORATORY = 'cms-clfs'
const DRUGS = 'cms-asp'

/** The limits of drugs of a quarter on the publisher's page, with the neighbours that are not to be taken. */
function drugs(store: FetchingStore, ...quarters: readonly number[]): void {
  const { site } = store
  const links = quarters.flatMap((quarter) => {
    const path = `/files/zip/${monthOf(quarter)}-2026-medicare-part-b-payment-limit-files${quarter === 2 ? '-final' : ''}.zip`
    site.archive(path, { [`${monthOf(quarter)} 2026 ASP Pricing File.csv`]: drugFile(2026, quarter, quarter * 5) })
    return [
      path,
      `/files/zip/${monthOf(quarter)}-2026-ndc-hcpcs-crosswalk.zip`,
      `/files/zip/${monthOf(quarter)}-2026-noc-pricing-file.zip`,
    ]
  })
  site.links(site.pathOf(DRUGS), [...links, '/files/zip/2026-2027-seasonal-vaccine-price-file.zip'])
}

test('an edition is found on its page, downloaded and staged, and never published', async () => {
  await using store = await FetchingStore.open('2026-07-10')
  store.laboratory(2026, 3)
  store.laboratoryList([2026, 2], [2026, 3])

  const taken = await store.fetch(LABORATORY, ACCEPTED)
  expect(taken).toMatchObject({ outcome: 'new', newest: '2026 Q3', trouble: null })
  expect(taken.releases).toEqual([{ release_id: 'cms-clfs:CLFS26Q3:1', state: 'staged', held: [], details: [] }])

  // The way is kept: the pages with their digests, who accepted which text, and the file.
  const way = await findOrigin(store.app.installation.db, 'cms-clfs:CLFS26Q3:1')
  expect(way).toMatchObject({
    edition: '2026 Q3',
    agreement: { gate: 'ama', accepted_by: 'Ada Lovelace' },
    steps: [{ kind: 'page' }, { kind: 'page' }, { kind: 'file', status: 200 }],
  })
  expect(way?.steps.map(({ url }) => new URL(url).pathname)).toEqual([
    store.site.pathOf(LABORATORY),
    `${store.site.pathOf(LABORATORY)}/26clabq3`,
    '/files/zip/26clabq3.zip',
  ])
  // No address with a query was asked for: robots.txt forbids them, and the link to the agreement has one.
  expect(store.site.takeAsked().filter((path) => path.includes('?'))).toEqual([])
})

test('what has nothing new costs one request', async () => {
  await using store = await FetchingStore.open('2026-07-10')
  drugs(store, 2, 3)
  await store.fetch(DRUGS)
  store.site.takeAsked()
  const again = await store.fetch(DRUGS)
  expect(again).toMatchObject({ outcome: 'nothing_new', requests: 1, newest: '2026 Q3' })
  expect(store.site.asked.map(({ path, status }) => [path, status])).toEqual([[store.site.pathOf(DRUGS), 304]])
})

test('where the publisher asks for an agreement, nothing is taken until a person accepts it by name', async () => {
  await using store = await FetchingStore.open('2026-07-10')
  store.laboratory(2026, 3)
  store.laboratoryList([2026, 3])
  const refused = await store.fetch(LABORATORY)
  expect(refused.trouble?.code).toBe('agreement')
  for (const part of ['/license/ama', '--accept-license ama --by NAME', '--from FOLDER'])
    expect(refused.trouble?.says).toContain(part)
  expect(store.site.takeAsked().filter((path) => path.endsWith('.zip'))).toEqual([])

  expect((await store.fetch(LABORATORY, ACCEPTED)).outcome).toBe('new')
  // The acceptance holds for the next edition, and only for the text that was read.
  store.laboratory(2026, 4)
  store.laboratoryList([2026, 3], [2026, 4])
  expect((await store.fetch(LABORATORY)).releases.map(({ release_id }) => release_id)).toContain('cms-clfs:CLFS26Q4:1')
  store.laboratory(2027, 1)
  store.laboratoryList([2026, 4], [2027, 1])
  store.site.page('/license/ama', '<h1>Another agreement</h1>')
  const changed = await store.fetch(LABORATORY)
  expect(changed.trouble).toMatchObject({ code: 'agreement', says: expect.stringContaining('has changed') })
})

test('four quarters: one update each keeps the store as if every file had been loaded by hand', async () => {
  await using store = await FetchingStore.open('2026-01-05')
  await using other = await testApp({ today: '2026-01-05' })
  const { db, registryLog: log, cosign } = other.installation
  for (const quarter of [1, 2, 3, 4]) {
    store.today = `2026-${String(quarter * 3 - 2).padStart(2, '0')}-05`
    store.laboratory(2026, quarter)
    store.laboratoryList(...[1, 2, 3, 4].slice(0, quarter).map((each) => [2026, each] as const))
    drugs(store, ...[1, 2, 3, 4].slice(0, quarter))
    const reports = await store.update([LABORATORY, DRUGS], quarter === 1 ? ACCEPTED : {})
    expect(reports.map(({ outcome, trouble }) => [outcome, trouble])).toEqual([
      ['new', null],
      ['new', null],
    ])
    for (const {
      releases: [fetched],
    } of reports) {
      const id = fetched?.release_id ?? ''
      expect(fetched).toMatchObject({ state: 'published', held: [] })
      const found = await findRelease(store.app.installation.db, id)
      const citations = JSON.parse(found?.citations ?? '') as { url: string; retrieved_at: string }[]
      const [{ url, retrieved_at } = { url: '', retrieved_at: '' }] = citations
      const path = join(other.folder.path, url.split('/').at(-1) ?? '')
      await Bun.write(path, await fetch(url))
      const { release } = await load(db, found?.chart ?? '', [path], { url, retrieved_at }, store.clock.now)
      const byHand = await publish({ db, log, cosign }, release.release_id, store.clock.now)
      // The name of a file is the digest of its bytes.
      expect(byHand).toMatchObject({
        release_id: id,
        file: found?.file,
        rows_root: found?.rows_root,
        citations: found?.citations,
      })
    }
  }
  const day = await store.app.getJson('/reference?cpt=80053&basis=medicare_clfs&as_of=2026-05-01')
  expect(day).toMatchObject({ price: { amount: '10.56' } })
})

describe('a person decides', () => {
  test('about a file that was replaced under the same edition', async () => {
    await using store = await FetchingStore.open('2026-07-10')
    store.laboratory(2026, 3)
    store.laboratoryList([2026, 3])
    await store.update([LABORATORY], ACCEPTED)
    store.laboratory(2026, 3, { file: laboratoryFile(2026, 40), version: 'v2' })
    store.today = '2026-07-20'
    const [corrected] = await store.update([LABORATORY])
    expect(corrected?.releases).toMatchObject([
      { release_id: 'cms-clfs:CLFS26Q3:2', state: 'staged', held: ['correction'] },
    ])
  })

  test('about another file under the right name: the canaries are named', async () => {
    await using store = await FetchingStore.open('2026-07-10')
    const wrong = laboratoryFile(2026)
      .replace(/80053(.*)10\.56/, '80053$1105.60')
      .replace(/.*85025.*\n/, '')
    store.laboratory(2026, 3, { file: wrong })
    store.laboratoryList([2026, 3])
    const [held] = await store.update([LABORATORY], ACCEPTED)
    expect(held?.releases).toMatchObject([{ state: 'staged', held: ['canaries'] }])
    expect(held?.releases[0]?.details).toEqual([
      '80053 national is 105.60, which is not from 8.00 to 14.00',
      '85025 national has no price',
    ])
  })
})

test('a folder of downloaded files, in any order and under any name, is staged like what was fetched', async () => {
  await using store = await FetchingStore.open('2026-07-10')
  const folder = join(store.app.folder.path, 'from')
  for (const [path, content] of [
    ['a/limits of drugs.csv', drugFile(2026, 3)],
    ['b/PUF_CLFS_CY2026_Q3V1.csv', laboratoryFile(2026)],
    ['b/older/26CLABQ2.zip', zip([{ name: 'CLFS.csv', data: laboratoryFile(2026, 9) }])],
    ['b/photo.csv', 'no heading that is known\n'],
    ['readme.md', 'YEAR HCPCS MOD INDICATOR RATE'],
    ['a/half.csv', 'Payment Allowance Limits for Medicare Part B Drugs\n'],
  ] as const)
    await Bun.write(join(folder, path), content)
  const { reports, unknown } = await runFolder(store.parts(), { folder, charts: [LABORATORY, DRUGS], publishes: true })
  expect(unknown).toBe(1)
  expect(reports.map(({ chart, files, trouble, releases }) => [chart, files, trouble?.code ?? releases[0]])).toEqual([
    ['cms-asp', ['a/half.csv'], 'not_loaded'],
    [
      'cms-clfs',
      ['b/older/26CLABQ2.zip'],
      expect.objectContaining({ release_id: 'cms-clfs:CLFS26Q2:1', state: 'published' }),
    ],
    [
      'cms-asp',
      ['a/limits of drugs.csv'],
      expect.objectContaining({ release_id: 'cms-asp:ASP26Q3:1', state: 'published' }),
    ],
    ['cms-clfs', ['b/PUF_CLFS_CY2026_Q3V1.csv'], expect.objectContaining({ release_id: 'cms-clfs:CLFS26Q3:1' })],
  ])
})

describe('a hospital', () => {
  const NPI = '1234567893'
  const charges = (updated: string, cash: string): string =>
    [
      'hospital_name,last_updated_on,version,location_name,hospital_address,license_number|IL,type_2_npi',
      `A,${updated},3.0.0,A,A,1|IL,${NPI}`,
      'description,code|1,code|1|type,setting,billing_class,standard_charge|gross,standard_charge|discounted_cash',
      `A,71046,CPT,outpatient,facility,500.00,${cash}`,
      '',
    ].join('\n')

  test('has its file taken, and later editions after it', async () => {
    await using store = await FetchingStore.open('2026-07-10')
    const { site } = store
    const hospitals = hospitalsIn(`npi,domain_or_address\n${NPI},${site.url}/files/one.csv\n`)
    site.bytes('/files/one.csv', charges('2026-06-01', '120.00'), 'text/csv')
    const chart = `hospital-mrf:${NPI}`
    const [first] = await store.update([chart], { hospitals })
    expect(first?.releases).toMatchObject([{ state: 'published' }])
    site.takeAsked()
    store.today = '2026-08-10'
    expect((await store.update([chart], { hospitals }))[0]).toMatchObject({ outcome: 'nothing_new' })
    site.bytes('/files/one.csv', charges('2026-08-20', '130.00'), 'text/csv')
    store.today = '2026-09-10'
    expect((await store.update([chart], { hospitals }))[0]?.releases).toMatchObject([{ state: 'published' }])
    const answer = await store.app.getJson(`/reference?cpt=71046&npi=${NPI}&basis=hospital_cash`)
    expect(answer).toMatchObject({ price: { amount: '130.00' } })

    // Another hospital's file under its address is not its own.
    site.bytes('/files/one.csv', charges('2026-09-20', '1.00').replace(NPI, '1245319599'), 'text/csv')
    store.today = '2026-10-10'
    expect((await store.update([chart], { hospitals }))[0]?.trouble).toMatchObject({ code: 'not_loaded' })
  })

  test('writes its pointer as it likes', () => {
    const text =
      '\ufeffLocation_Name: North Campus\r\nMRF URL:\u00a0https://a.example/1_x.csv \r\nlocation-name: South\r\nsource-page-url: x\r\nmrf-url:https://a.example/2.json\r\nmrf-url: "https://a.example/3.json"\r\n'
    const entries = pointerEntries(text)
    expect(entries).toEqual([
      { location: 'North Campus', url: 'https://a.example/1_x.csv' },
      { location: 'South', url: 'https://a.example/2.json' },
      { location: 'South', url: 'https://a.example/3.json' },
    ])
    expect(entryFor(entries, { npi: NPI, location: 'north  campus' })?.url).toBe('https://a.example/1_x.csv')
    expect(entryFor(entries, { npi: NPI })).toBeUndefined()
    expect(entryFor(entries.slice(0, 1), { npi: NPI })?.url).toBe('https://a.example/1_x.csv')
  })
})
