// How much work a question makes: what is read must not grow with what is not shown.

import { expect, test } from 'bun:test'
import type { Db } from '../../src/db/db.ts'
import { type FileFolder, SealedFile } from '../../src/db/file-folder.ts'
import { coverage, coverageQuery } from '../../src/registry/catalogue/coverage.ts'
import { CHARTS, chartTable } from '../../src/registry/charts.ts'
import { browse, browseQuery } from '../../src/registry/lookup/browse.ts'
import { find } from '../../src/registry/lookup/find.ts'
import { Proofs } from '../../src/registry/lookup/proofs.ts'
import { questionOf, ReferenceQuery } from '../../src/registry/lookup/query.ts'
import { publishedRegistry } from '../../src/registry/lookup/view.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const BrowseQuery = browseQuery(CHARTS)

interface Asked {
  /** Of a release file, its digest. */
  file?: string
  sql: string
  params: readonly unknown[]
}

/** A store that notes what is asked of it and of its release files. */
function watched(db: Db): { db: Db; asked: Asked[] } {
  const asked: Asked[] = []
  const query = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> => {
    asked.push({ sql, params })
    return db.query<Row>(sql, params)
  }
  class WatchedFile extends SealedFile {
    constructor(readonly digest: string) {
      super(db.files.pathOf(digest))
    }
    override all<Row>(sql: string, ...params: (string | number)[]): Row[] {
      asked.push({ file: this.digest, sql, params })
      return super.all<Row>(sql, ...params)
    }
    override get<Row>(sql: string, ...params: (string | number)[]): Row | undefined {
      asked.push({ file: this.digest, sql, params })
      return super.get<Row>(sql, ...params)
    }
  }
  const opened = new Map<string, SealedFile>()
  const open = (digest: string): SealedFile => {
    const file = opened.get(digest) ?? new WatchedFile(digest)
    opened.set(digest, file)
    return file
  }
  return {
    asked,
    db: {
      ...db,
      query,
      files: { open } as FileFolder,
      snapshot: (work) => db.snapshot(work),
      now: () => db.now(),
      close: () => db.close(),
    } as Db,
  }
}
/** The bundles of rows that were read by their number. */
const ofRows = (asked: readonly Asked[]): Asked[] =>
  asked.filter(({ sql }) => sql.includes('rows FROM bundle WHERE n ='))

const DAY = '2026-11-15'
const [ONE, TWO] = ['1234567893', '2000000010']
const CODES = Array.from({ length: 30 }, (_, i) => String(99_100 + i))
const REGIONS = ['national', 'US-AL-00', 'US-CA-05', 'US-CA-18']

/** A schedule of 30 codes in four regions, and the list of two hospitals. */
async function scheduleAndHospitals(app: TestApp): Promise<void> {
  await app.publish(aRelease({ rows: CODES.flatMap((cpt) => REGIONS.map((region) => aPrice({ code: cpt, region }))) }))
  const cash = { basis: 'hospital_cash', setting: 'outpatient' } as const
  const rows = CODES.flatMap((cpt) => [ONE, TWO].map((npi) => aPrice({ code: cpt, npi, ...cash })))
  const more = [aPrice({ code: '99100', npi: TWO, ...cash, modifier: '26' })]
  await app.publish(aRelease({ chart: `hospital-mrf:${ONE}`, rows: [...rows, ...more] }))
}

/** What is in force, and a store that notes what is asked of it from then on. */
async function watchedProofs({ installation: { db, registryLog } }: TestApp) {
  const watching = watched(db)
  const proofs = await Proofs.at(watching.db, registryLog, chartTable(CHARTS))
  watching.asked.length = 0
  return { ...watching, proofs, view: proofs.view }
}

const keysOf = ({ rows }: Awaited<ReturnType<typeof browse>>): string[] => rows.map(({ stored }) => stored.row_key)

test('browsing by provider looks into that provider\u2019s files alone, and counts none of their rows', async () => {
  await using app = await testApp()
  await scheduleAndHospitals(app)
  const { db, view, asked } = await watchedProofs(app)
  for (const region of [undefined, 'national']) {
    const page = await browse(db, view, BrowseQuery.parse({ npi: TWO, limit: 3, ...(region && { region }) }), DAY)
    expect(page.total).toBe(31)
    expect(keysOf(page)).toEqual([
      `99100|national|${TWO}|hospital_cash||26|outpatient|`,
      `99100|national|${TWO}|hospital_cash|||outpatient|`,
      `99101|national|${TWO}|hospital_cash|||outpatient|`,
    ])
  }
  const hospital = view.editionOn(`hospital-mrf:${ONE}`, DAY)?.file
  // Of two bundles of rows, the first.
  expect(ofRows(asked).every(({ file, params }) => file === hospital && params[0] === 0)).toBe(true)
  expect((await browse(db, view, BrowseQuery.parse({ npi: TWO, region: 'US-CA-05' }), DAY)).total).toBe(0)
  expect((await browse(db, view, BrowseQuery.parse({ npi: TWO, cpt: '99100' }), DAY)).total).toBe(2)
  expect((await browse(db, view, BrowseQuery.parse({ npi: '1245319599' }), DAY)).total).toBe(0)
})

test('browsing by region or code counts no rows either', async () => {
  await using app = await testApp()
  await scheduleAndHospitals(app)
  const { db, view, asked } = await watchedProofs(app)
  const totalOf = async (query: object) => (await browse(db, view, BrowseQuery.parse(query), DAY)).total
  const one = { offset: 0, limit: 1 }
  expect(await totalOf({ region: 'US-CA-18', ...one })).toBe(30)
  expect(await totalOf({ region: 'national', ...one })).toBe(30 + 61)
  expect(await totalOf({ cpt: '99100', ...one })).toBe(4 + 3)
  // Those of the first two rows.
  expect(ofRows(asked).every(({ params }) => params[0] === 0)).toBe(true)
  expect(await totalOf({ cpt: '99100', region: 'US-CA-18' })).toBe(1)
})

test('a page far into the registry passes over rows by their number', async () => {
  await using app = await testApp()
  await scheduleAndHospitals(app)
  const { db, view } = await watchedProofs(app)
  const all = keysOf(await browse(db, view, BrowseQuery.parse({ limit: 200 }), DAY))
  for (const offset of [1, 3, 4, 5, 97, 119, 120, 121, 180]) {
    const page = await browse(db, view, BrowseQuery.parse({ limit: 2, offset }), DAY)
    expect(keysOf(page)).toEqual(all.slice(offset, offset + 2))
  }
  const far = await watchedProofs(app)
  await browse(far.db, far.view, BrowseQuery.parse({ limit: 2, offset: 97 }), DAY)
  expect(ofRows(far.asked).map(({ params }) => params)).toEqual([[6]])
})

test('of hundreds of combinations that a hospital does not have, the lists of its bases are read, each once', async () => {
  await using app = await testApp()
  await scheduleAndHospitals(app)
  const { proofs } = await watchedProofs(app)
  const asked = (cpt: string) =>
    find(proofs, questionOf(ReferenceQuery.parse({ cpt, npi: TWO, modifier: '57-76-77-79' }), DAY))
  const shownBy = ({ trace: { lists } }: ReturnType<typeof asked>): Set<string> =>
    new Set(lists.flatMap(({ shown }) => shown.map(({ row_key }) => row_key)))
  const absent = asked('99200')
  expect(absent.decision.outcome).toBe('not_on_schedule')
  expect(absent.trace.lists.length).toBeLessThanOrEqual(5)
  // The last row of the file: there is none after it.
  expect(shownBy(absent).size).toBe(1)
  const found = asked('99100')
  expect(found.decision).toMatchObject({ outcome: 'price', ignored: ['57', '76', '77', '79'], row: { modifier: null } })
  // Both rows of the code, and the rows on either side of them.
  expect(shownBy(found).size).toBe(4)
})

test('every offset and every cursor of a filtered page shows the same rows', async () => {
  await using app = await testApp()
  await scheduleAndHospitals(app)
  const { db, view } = await watchedProofs(app)
  for (const filter of [{ region: 'US-CA-05' }, { npi: ONE }, { cpt: '99105' }, { npi: TWO, region: 'national' }]) {
    const all = keysOf(await browse(db, view, BrowseQuery.parse({ ...filter, limit: 200 }), DAY))
    const seen: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const cursor = after === '' ? { offset: 0 } : { after }
      const page = await browse(db, view, BrowseQuery.parse({ ...filter, ...cursor, limit: 4 }), DAY)
      seen.push(...keysOf(page))
      after = page.next_after
    }
    expect(seen).toEqual(all)
    expect(keysOf(await browse(db, view, BrowseQuery.parse({ ...filter, limit: 5, offset: 3 }), DAY))).toEqual(
      all.slice(3, 8),
    )
  }
})

test('a lookup for one provider of a hospital reads none of the other providers\u2019 rows', async () => {
  await using app = await testApp()
  await scheduleAndHospitals(app)
  const { proofs, view, asked } = await watchedProofs(app)
  const { decision } = await find(proofs, questionOf(ReferenceQuery.parse({ cpt: '99100', npi: ONE }), DAY))
  expect(decision).toMatchObject({ outcome: 'price', row: { npi: ONE } })
  // The rule asks for one key at a time, and the second one is there: it lies in the bundle that was read for the first.
  const hospital = view.editionOn(`hospital-mrf:${ONE}`, DAY)?.file
  expect(ofRows(asked).map(({ file, params }) => [file, ...params])).toEqual([[hospital, 0]])
})

test('codes in force are listed once for each edition, whoever asks and for whichever day', async () => {
  await using app = await testApp()
  await scheduleAndHospitals(app)
  const { db, asked } = watched(app.installation.db)
  const coverageOn = coverage(
    db,
    app.installation.registryLog,
    publishedRegistry(db, app.installation.registryLog),
    CHARTS,
  )
  const ask = async (query: object, day = DAY) => (await coverageOn(coverageQuery(CHARTS).parse(query), day)).total
  const lists = () => asked.filter(({ sql }) => sql.includes('FROM total')).length
  expect(await ask({ prefix: '9' })).toBe(30)
  expect(lists()).toBe(2)
  expect(await ask({ prefix: '9910', offset: 3, limit: 1 })).toBe(10)
  expect(await ask({ prefix: '991' }, '2026-02-03')).toBe(30)
  expect(await ask({ prefix: '9' }, '2025-12-31')).toBe(0)
  expect(lists()).toBe(2)
  await app.publish(aRelease({ edition: 'B', rows: [aPrice({ code: '99900' })] }))
  expect(await ask({ prefix: '99' })).toBe(31)
})

test('the page for people shows a few price lists of many, and says how many there are', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [anAbsence({ code: '80053' })] }))
  for (const npi of Array.from({ length: 12 }, (_, i) => String(1_234_567_000 + i)))
    await app.publish(aRelease({ chart: `hospital-mrf:${npi}`, rows: [aPrice({ npi, basis: 'hospital_cash' })] }))
  const page = await (await app.request('/', { headers: { accept: 'text/html' } })).text()
  expect(page).toContain('The first 12 of 13.')
  expect(page.match(/<code>hospital-mrf:/g)).toHaveLength(11)
  expect(page).toContain('<code>cms-pfs</code>')
})
