import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tallCsv } from '../../src/ingest/hospital/fixture.ts'
import { load } from '../../src/ingest/load.ts'
import type { IntegrityReport } from '../../src/integrity/report/report-shape.ts'
import { Problem } from '../../src/problem.ts'
import { moveProvider } from '../../src/registry/release/provider-move.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import type { OverrideReason } from '../../src/tables/service-reasons.ts'
import { type TestApp, temporaryFolder, testApp } from '../support/harness.ts'
import { ask, told } from '../support/lookup.ts'
import { atr } from '../support/service.ts'

// A file that names another hospital's NPI beside its own: its prices must not be answered for the other hospital.

const [LOW, MIDDLE, HIGH] = ['1000000004', '1234567893', '1992999999'] as const
const CODE = 'G0101'

interface TestFile {
  npis: readonly string[]
  day: string
  cash: string
  /** As the operator says it, with --npi. */
  said?: readonly string[]
}

/** Every file has the same name: a name says nothing about whose file it is. */
async function stageFile(app: TestApp, { npis, day, cash, said }: TestFile): Promise<string> {
  const path = join(app.folder.path, 'standardcharges.csv')
  writeFileSync(path, tallCsv([{ code: CODE, gross: '900', cash }], { npi: npis.join('|'), last_updated_on: day }))
  const options = { url: 'https://hospital.example/file', npis: said }
  return (await load(app.installation.db, 'hospital-mrf', [path], options, app.clock.now)).release.release_id
}

const publisherOf = ({ installation: { db, registryLog: log, cosign } }: TestApp) => ({ db, log, cosign })

async function publishFile(app: TestApp, file: TestFile, reason?: OverrideReason): Promise<string> {
  const release_id = await stageFile(app, file)
  const overrides = reason ? [{ rule: 'provider_taken', reason } as const] : []
  await publish(publisherOf(app), release_id, app.clock.now, overrides)
  return release_id
}

const cashOf = async (app: TestApp, npi: string, as_of = '2026-11-15'): Promise<unknown> =>
  (await ask(app, { cpt: CODE, npi, as_of })).price

/** The limits that hold a file. */
async function heldBy(app: TestApp, file: TestFile): Promise<{ rule: string; found: number; details?: string[] }[]> {
  try {
    await publishFile(app, file)
  } catch (error) {
    if (error instanceof Problem && error.code === 'release_held') return error.extra.members?.['held'] as never
    throw error
  }
  return []
}

const price = (amount: string) => ({ amount, currency: 'USD', per: null })
const OWN = price('100.00')

/** The file's own NPI stands first or last, and the file is older than the other hospital's, as old, or newer. */
const ordersOf = (own: string) =>
  [
    [own, MIDDLE],
    [MIDDLE, own],
  ].flatMap((npis) => ['2026-05-01', '2026-06-01', '2026-07-01'].map((day, i) => ({ npis, day, cash: `${101 + i}` })))

test.each([HIGH, LOW])('in no order of NPIs and days does a file of %s take over another hospital', async (own) => {
  await using app = await testApp()
  await publishFile(app, { npis: [MIDDLE], day: '2026-06-01', cash: '100' })
  for (const rival of ordersOf(own))
    expect([rival, await heldBy(app, rival)]).toMatchObject([rival, [{ rule: 'provider_taken', found: 1 }]])
  expect(await cashOf(app, MIDDLE)).toEqual(OWN)
  expect(await told(app, { cpt: CODE, npi: own, as_of: '2026-11-15' })).toBe('unknown_provider')

  // The same when the file's own hospital has published before, and is known to the registry.
  await publishFile(app, { npis: [own], day: '2026-04-01', cash: '104' })
  for (const rival of ordersOf(own))
    expect([rival, await heldBy(app, { ...rival, cash: '105' })]).toMatchObject([rival, [{ rule: 'provider_taken' }]])
  expect([await cashOf(app, MIDDLE), await cashOf(app, own)]).toEqual([OWN, price('104.00')])
})

test.each([HIGH, LOW])('a withdrawal frees no NPI for a file of %s, and neither does a second try', async (own) => {
  await using app = await testApp()
  const first = await publishFile(app, { npis: [MIDDLE], day: '2026-06-01', cash: '100' })
  await withdraw(publisherOf(app), first, 'loading_fault', app.clock.now)
  const rival = { npis: [MIDDLE, own], day: '2026-07-01', cash: '101' }
  expect(await heldBy(app, rival)).toMatchObject([{ rule: 'provider_taken', found: 1 }])

  // An operator who was deceived takes it back, and the hospital's own file goes in again without a word.
  const wrong = await publishFile(app, rival, 'verified_by_operator')
  await withdraw(publisherOf(app), wrong, 'wrong_source', app.clock.now)
  expect(await heldBy(app, { ...rival, cash: '102' })).toMatchObject([{ rule: 'provider_taken', found: 1 }])
  await publishFile(app, { npis: [MIDDLE], day: '2026-06-01', cash: '100' })
  expect(await cashOf(app, MIDDLE)).toEqual(OWN)
  expect(await heldBy(app, { ...rival, cash: '103' })).toMatchObject([{ rule: 'provider_taken', found: 1 }])
  expect(await cashOf(app, MIDDLE)).toEqual(OWN)
})

test('the next file of a hospital, its revision, and one for fewer of its NPIs are its own', async () => {
  await using app = await testApp()
  const own = { npis: [MIDDLE, HIGH], day: '2026-06-01', cash: '100' }
  await publishFile(app, own)
  expect(await heldBy(app, { ...own, npis: [HIGH, MIDDLE], cash: '101' })).toEqual([])
  expect(await heldBy(app, { ...own, day: '2026-07-01', cash: '102' })).toEqual([])
  expect((await heldBy(app, { ...own, npis: [MIDDLE], day: '2026-08-01' })).map(({ rule }) => rule)).toEqual([
    'row_count_drop',
  ])
})

test.each([HIGH, LOW])(
  'an operator gives an NPI to the file of %s by a move in the log, and the report has both sides',
  async (own) => {
    await using app = await testApp()
    await publishFile(app, { npis: [MIDDLE], day: '2026-06-01', cash: '100' })
    // The operator says whose file it is: the first NPI names the chart.
    const file = { npis: [MIDDLE, own], day: '2026-07-01', cash: '101', said: [own, MIDDLE] }
    const chart = `hospital-mrf:${own}`
    const [limit] = await heldBy(app, file)
    expect(limit?.details?.join()).toContain(`NPI ${MIDDLE} belongs to hospital-mrf:${MIDDLE}`)
    await publishFile(app, file, 'verified_by_operator')
    expect([await cashOf(app, MIDDLE), await cashOf(app, own)]).toEqual([OWN, price('101.00')])
    const report = async () => (await app.getJson('/api/data-integrity', await app.railsHeaders())) as IntegrityReport
    const sides = { npi: MIDDLE, charts: [`hospital-mrf:${MIDDLE}`, chart].sort() }
    expect((await report()).providers).toEqual({
      overlaps: 1,
      moves: 0,
      samples: [{ ...sides, chart: `hospital-mrf:${MIDDLE}`, moved_from: null, moved_at: null }],
    })

    await moveProvider(publisherOf(app), { npi: MIDDLE, chart }, 'owner_changed', app.clock.now)
    expect([await cashOf(app, MIDDLE), await cashOf(app, own)]).toEqual([price('101.00'), price('101.00')])
    expect((await report()).providers).toEqual({
      overlaps: 1,
      moves: 1,
      samples: [{ ...sides, chart, moved_from: `hospital-mrf:${MIDDLE}`, moved_at: '2026-11-15T12:00:00.000Z' }],
    })
  },
)

test('an operator is told whose NPI it is, and what publishing, moving and withdrawing do to it', async () => {
  using folder = temporaryFolder()
  const run = (...args: string[]) => atr(args, { DATA_DIR: join(folder.path, 'data') })
  const load = (npis: string, day: string, ...more: string[]) => {
    const path = join(folder.path, `${day}.csv`)
    writeFileSync(path, tallCsv([{ code: CODE, gross: '900', cash: '100' }], { npi: npis, last_updated_on: day }))
    return run('load', 'hospital-mrf', path, '--url', 'https://hospital.example/file', '--publish', ...more)
  }
  expect((await run('init', '--origin', 'npi.example')).code).toBe(0)
  expect((await load(MIDDLE, '2026-06-01')).code).toBe(0)
  const grown = await load(`${MIDDLE}|${HIGH}`, '2026-07-01')
  expect([grown.code, grown.err]).toEqual([1, expect.stringMatching(/provider_taken.*1992999999.*another hospital/)])

  const said = ['--npi', HIGH, '--npi', MIDDLE]
  const held = await load(`${MIDDLE}|${HIGH}`, '2026-07-01', ...said)
  expect([held.code, held.err]).toEqual([1, expect.stringContaining(`NPI ${MIDDLE} belongs to hospital-mrf:${MIDDLE}`)])
  const overridden = ['--override', 'provider_taken', '--reason', 'verified_by_operator']
  expect((await load(`${MIDDLE}|${HIGH}`, '2026-07-01', ...said, ...overridden)).code).toBe(0)
  const chart = `hospital-mrf:${HIGH}`
  const moved = await run('providers', 'move', MIDDLE, chart, '--reason', 'owner_changed')
  expect(moved.out).toContain(`${chart} speaks for ${MIDDLE} in place of hospital-mrf:${MIDDLE}: entry 5 of`)
  const withdrawn = await run('release', 'withdraw', `${chart}:2026-07-01:1`, '--reason', 'wrong_source')
  expect(withdrawn.out).toContain(`NOTE: hospital-mrf:${MIDDLE} speaks for NPI ${MIDDLE} now, in place of ${chart}`)
  expect(withdrawn.out).toContain(`NOTE: no file speaks for NPI ${HIGH} now`)
  expect((await run('fsck')).code).toBe(0)
})
