import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { load } from '../../src/ingest/load.ts'
import type { LoadOptions } from '../../src/ingest/reader.ts'
import { LOCALITIES } from '../../src/ingest/schedules/localities.ts'
import { Problem } from '../../src/problem.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { checkRelease } from '../../src/registry/release/check.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { asCsv, relativeValues } from '../support/source-files.ts'

// What speaks against an edition as a whole is said before anything is public, and refuses the publication.

const URL = { url: 'https://publisher.example/file.csv' }
const plain = (): string => 'x'

async function loaded(app: TestApp, kind: string, files: Record<string, Uint8Array | string>, options: LoadOptions) {
  const paths = Object.keys(files).map((name) => join(app.folder.path, name))
  await Promise.all(Object.values(files).map((bytes, i) => Bun.write(paths[i] as string, bytes)))
  return (await load(app.installation.db, kind, paths, options, app.clock.now)).release
}
type Release = Awaited<ReturnType<typeof loaded>>

/** What holds a release by its check; publishing it must be refused for the same. */
async function heldBy(app: TestApp, release: Release): Promise<string[]> {
  const { db, registryLog: log, cosign } = app.installation
  const held = (await checkRelease(db, release)).held.map(({ rule, found }) => `${rule} ${found}`)
  const refusal = await publish({ db, log, cosign }, release.release_id, app.clock.now).catch((error: unknown) => error)
  if (held.length === 0) expect(refusal).not.toBeInstanceOf(Problem)
  else for (const rule of held) expect((refusal as Problem).detail).toContain(rule.split(' ')[0] as string)
  return held
}
const published = async (app: TestApp, release: Release) => {
  const { db, registryLog: log, cosign } = app.installation
  await publish({ db, log, cosign }, release.release_id, app.clock.now, overrideAll('sample_data'))
}

const HEAD = ['HCPCS Code', 'SI', 'Payment Rate']
const addendum = (lines: number, title: string): Uint8Array =>
  asCsv([[title], HEAD, ...Array.from({ length: lines }, (_, i) => [`G${String(i).padStart(4, '0')}`, 'S', '20.00'])])

test('an Addendum B of fifteen lines is held, though there is nothing to compare it with', async () => {
  await using app = await testApp()
  const short = await loaded(app, 'cms-opps', { 'one.csv': addendum(15, 'October 2026') }, URL)
  expect(await heldBy(app, short)).toEqual(['w03_short 1'])
})

test('a source of which no one says where it is from is held', async () => {
  await using app = await testApp()
  const unnamed = await loaded(app, 'cms-opps', { 'one.csv': addendum(15, 'October 2026') }, {})
  expect(await heldBy(app, unnamed)).toEqual(['w03_short 1', 'no_url 1'])
})

const RATES = ['YEAR', 'HCPCS', 'MOD', 'INDICATOR', 'RATE']
const laboratory = (year: string): Uint8Array =>
  asCsv([RATES, ...Array.from({ length: 1_000 }, (_, i) => [year, `8${String(i).padStart(4, '0')}`, '', 'N', '9.10'])])

test('days that no edition holds, and days that two claim, hold an edition', async () => {
  await using app = await testApp()
  const edition = (options: LoadOptions) =>
    loaded(app, 'cms-clfs', { 'rates.csv': laboratory('2026') }, { ...URL, ...options })
  await published(app, await edition({ effective_from: '2026-01-01', edition: 'A' }))
  expect(await heldBy(app, await edition({ effective_from: '2026-07-01', edition: 'C' }))).toEqual(['r11_gap 91'])
  expect(await heldBy(app, await edition({ effective_from: '2026-03-30', edition: 'B0' }))).toEqual(['r11_overlap 2'])
  expect(await heldBy(app, await edition({ effective_from: '2026-04-01', edition: 'B' }))).toEqual([])
  // A revision that begins later, or ends sooner, would leave days without an edition.
  const late = { effective_from: '2026-05-01', effective_to: '2026-06-29', edition: 'B' }
  expect(await heldBy(app, await edition(late))).toEqual(['r11_gap 31'])
  expect(
    await heldBy(app, await edition({ effective_from: '2026-04-01', effective_to: '2026-07-31', edition: 'B' })),
  ).toEqual([])
})

const INDICES = [
  ...['Medicare Administrative Contractor (MAC)', 'State', 'Locality Number', 'Locality Name'],
  ...['2026 PW GPCI (with 1.0 Floor)', '2026 PE GPCI', '2026 MP GPCI'],
]
/** All localities, each under a contractor of its own. */
const indices = (change: (cells: string[]) => string[] = (cells) => cells): Uint8Array =>
  asCsv([
    INDICES,
    ...LOCALITIES.map((region, i) =>
      change([String(10_000 + i), region.slice(3, 5), region.slice(6), 'X', '1.000', '0.900', '0.500']),
    ),
  ])
const inAlabama = (change: (cells: string[]) => string[]): Uint8Array =>
  indices((cells) => (cells[1] === 'AL' ? change(cells) : cells))

test('cost indices that differ from those of the same year are said before the prices made of them are public', async () => {
  await using app = await testApp()
  const values = relativeValues(plain, 20)
  const edition = (name: string, from: string, gpci: Uint8Array, options: LoadOptions = {}) =>
    loaded(
      app,
      'cms-pfs',
      { 'RVU.csv': values, 'GPCI2026.csv': gpci },
      { ...URL, edition: name, effective_from: from, ...options },
    )
  const ofIndices = async (release: Release) =>
    (await heldBy(app, release)).filter((rule) => rule.startsWith('gpci_changed'))
  await published(app, await edition('RVU26A', '2026-01-01', indices()))
  const april = (gpci: Uint8Array, options?: LoadOptions) => edition('RVU26B', '2026-04-01', gpci, options)
  expect(await ofIndices(await april(indices()))).toEqual([])
  expect(await ofIndices(await april(inAlabama((cells) => cells.with(6, '0.501'))))).toEqual(['gpci_changed 1'])

  // What there cannot be is refused where it is read, with its line.
  const refused = async (gpci: Uint8Array) => ((await april(gpci).catch((error: unknown) => error)) as Problem).detail
  expect(await refused(inAlabama((cells) => cells.with(6, '3.900')))).toBe(
    'an index of the GPCI file is below 0.2 or above 3.0: download the file again (line 3)',
  )
  expect(await refused(inAlabama((cells) => cells.with(1, 'ZZ')))).toContain('in a state that Medicare does not pay in')
  expect(await refused(inAlabama((cells) => cells.with(2, '77')))).toContain('a locality that Medicare does not pay in')
  const accepted = await april(
    inAlabama((cells) => cells.with(2, '77')),
    { accept: ['locality_count'] },
  )
  expect(await ofIndices(accepted)).toEqual(['gpci_changed 2'])
})
