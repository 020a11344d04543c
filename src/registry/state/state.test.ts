import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { aPrice, aRelease, type TestRelease } from '../../../test/support/builders.ts'
import { storeEnvironment } from '../../../test/support/engines.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { DAY_MS } from '../../calendar.ts'
import { recheck } from '../../cli/fsck.ts'
import { readConfig } from '../../config.ts'
import { createInstallation, type Installation, openInstallation } from '../../installation.ts'
import { Problem } from '../../problem.ts'
import { toBase64 } from '../../proof/bytes.ts'
import type { Manifest, RegistryState } from '../../proof/price/release.ts'
import { leafOf, periodOn, standingAfter, stateOf } from '../../proof/price/timeline.ts'
import { overrideAll } from '../release/breaker.ts'
import { checkRelease, getRelease } from '../release/check.ts'
import { moveProvider } from '../release/provider-move.ts'
import { publish } from '../release/publish.ts'
import { stage } from '../release/staging.ts'
import { withdraw } from '../release/withdrawal.ts'
import { releasesInForce } from '../store.ts'
import { registryEntries, scheduleStates, standingNow, stateIfDue } from './state.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const ONE = '1234567893'
const TWO = '1457394567'

class Registry {
  constructor(
    readonly folder: ReturnType<typeof temporaryFolder>,
    readonly installation: Installation,
    readonly open: () => Promise<Installation>,
  ) {}
  get db() {
    return this.installation.db
  }
  get publisher() {
    return { db: this.db, log: this.installation.registryLog, cosign: this.installation.cosign }
  }
  async stage({ rows, ...release }: TestRelease): Promise<string> {
    return (await stage(this.db, release, rows, new Map(), NOW)).release.release_id
  }
  async publish(release: TestRelease, now = NOW): Promise<string> {
    const release_id = await this.stage(release)
    await publish(this.publisher, release_id, now, overrideAll('sample_data'))
    return release_id
  }
  async faults(): Promise<string[]> {
    return (await recheck(this.installation, NOW)).faults
  }
  async [Symbol.asyncDispose]() {
    await this.db.close()
    this.folder[Symbol.dispose]()
  }
}

async function registry(): Promise<Registry> {
  const folder = temporaryFolder()
  const config = readConfig(await storeEnvironment(join(folder.path, 'data')))
  await createInstallation(config, { origin: 'states.example', now: NOW }, async () => undefined)
  return new Registry(folder, await openInstallation(config), () => openInstallation(config))
}

const hospital = (chart: string, npis: string[], edition = 'H1'): TestRelease =>
  aRelease({
    chart: `hospital-mrf:${chart}`,
    edition,
    rows: npis.map((npi) => aPrice({ npi, basis: 'hospital_cash', code: '99213' })),
    providers: npis,
  })

test('a new installation says first that nothing is in force', async () => {
  await using here = await registry()
  const [first, ...more] = await registryEntries(here.db)
  expect(first).toEqual(stateOf({ periods: [], providers: [] }, new Date(NOW).toISOString()))
  expect(more).toEqual([])
  expect((await here.publisher.log.head(here.db)).size).toBe(1)
  expect(await here.faults()).toEqual([])
})

test('a publication, a withdrawal and a move each append their entry and the state, under one checkpoint', async () => {
  await using here = await registry()
  const first = await here.publish(hospital(ONE, [ONE, TWO]))
  await here.publish(hospital(TWO, [TWO]))
  const moved = await moveProvider(here.publisher, { npi: TWO, chart: `hospital-mrf:${TWO}` }, 'owner_changed', NOW)
  expect(moved).toEqual({ npi: TWO, from: `hospital-mrf:${ONE}`, chart: `hospital-mrf:${TWO}`, log_index: 5 })
  await withdraw(here.publisher, first, 'wrong_source', NOW)
  const entries = await registryEntries(here.db)
  expect(entries.map(({ schema }) => schema)).toEqual([
    'registry-state/2',
    'price-release/3',
    'registry-state/2',
    'price-release/3',
    'registry-state/2',
    'provider-move/1',
    'registry-state/2',
    'price-withdrawal/2',
    'registry-state/2',
  ])
  for (const [i, entry] of entries.entries())
    if (entry.schema === 'registry-state/2')
      expect(entry).toEqual(stateOf(standingAfter(entries.slice(0, i)), entry.recorded_at))
  const sizes = (await here.db.query<{ size: number }>("SELECT size FROM log_checkpoint WHERE log = 'registry'")).map(
    ({ size }) => size,
  )
  expect(sizes).toEqual([0, 1, 3, 5, 7, 9])
  expect((await standingNow(here.db)).providers).toEqual([{ npi: TWO, chart: `hospital-mrf:${TWO}` }])
  expect(await here.faults()).toEqual([])
})

test('a withdrawal puts the edition before it in force again, as far as its own period goes', async () => {
  await using here = await registry()
  const quarter = (edition: string, effective_from: string, effective_to: string, amount: string) =>
    aRelease({
      edition,
      effective_from,
      effective_to,
      period_by: 'calendar',
      rows: [aPrice({ price: { amount, currency: 'USD' } })],
    })
  await here.publish(quarter('Q2', '2026-04-01', '2026-09-30', '1.00'))
  const later = await here.publish(quarter('Q3', '2026-07-01', '2026-09-30', '2.00'))
  const ends = async () => (await standingNow(here.db)).periods.map(({ from, to }) => `${from} ${to}`)
  expect(await ends()).toEqual(['2026-04-01 2026-06-30', '2026-07-01 2026-09-30'])
  await withdraw(here.publisher, later, 'wrong_source', NOW)
  expect(await ends()).toEqual(['2026-04-01 2026-09-30'])
  expect(periodOn((await standingNow(here.db)).periods, 'cms-pfs', '2026-10-01')).toBeUndefined()
  expect(await here.faults()).toEqual([])
})

test('a revision that begins earlier replaces the one before it, in the log and in the store alike', async () => {
  await using here = await registry()
  const quarter = (edition: string, effective_from: string, effective_to: string, amount: string) =>
    aRelease({
      ...{ edition, effective_from, effective_to, period_by: 'calendar' },
      rows: [aPrice({ price: { amount, currency: 'USD', per: null } })],
    })
  const onDays = async () => {
    const { periods } = await standingNow(here.db)
    const days = ['2026-06-14', '2026-06-15', '2026-06-30', '2026-07-01', '2026-09-30', '2026-10-01']
    return Promise.all(
      days.map(async (day) => {
        const [release] = await releasesInForce(here.db, day)
        const period = periodOn(periods, 'cms-pfs', day)
        expect([day, period?.release]).toEqual([day, release && toBase64(leafOf(release.manifest))])
        return release?.release_id.slice(8) ?? null
      }),
    )
  }
  await here.publish(quarter('B', '2026-04-01', '2026-06-30', '1.00'))
  await here.publish(quarter('C', '2026-07-01', '2026-09-30', '2.00'))
  expect(await onDays()).toEqual(['B:1', 'B:1', 'B:1', 'C:1', 'C:1', null])
  const staged = await here.stage(quarter('C', '2026-06-15', '2026-09-30', '3.00'))
  const check = await checkRelease(here.db, await getRelease(here.db, staged))
  expect([check.previous, check.held]).toMatchObject([
    'cms-pfs:C:1',
    [{ rule: 'prices_moved' }, { rule: 'r11_overlap', found: 16 }],
  ])
  await publish(here.publisher, staged, NOW, overrideAll('publisher_restatement'))
  expect(await onDays()).toEqual(['B:1', 'C:2', 'C:2', 'C:2', 'C:2', null])
  expect((await registryEntries(here.db)).at(-2)).toMatchObject({ supersedes: 'cms-pfs:C:1' })
  await withdraw(here.publisher, staged, 'wrong_source', NOW)
  expect(await onDays()).toEqual(['B:1', 'B:1', 'B:1', 'C:1', 'C:1', null])
  expect(await here.faults()).toEqual([])
})

test('an older revision is not published after a newer one', async () => {
  await using here = await registry()
  const first = await here.stage(
    aRelease({ rows: [aPrice({ price: { amount: '1.00', currency: 'USD', per: null } })] }),
  )
  await here.publish(aRelease({ rows: [aPrice({ price: { amount: '2.00', currency: 'USD', per: null } })] }))
  await expect(publish(here.publisher, first, NOW, overrideAll('sample_data'))).rejects.toMatchObject({
    detail: expect.stringContaining('a newer revision of this edition is published'),
  })
  expect(await here.faults()).toEqual([])
})

test('the manifest says when the edition ends, by whom it is known, what was unreadable and whom the file names', async () => {
  await using here = await registry()
  const { rows, ...release } = hospital(ONE, [ONE])
  const findings = new Map([
    ['R03', { count: 2, lines: [3, 4] }],
    ['malformed', { count: 1, lines: [9] }],
    ['R02', { count: 1, lines: [5] }],
  ])
  const staged = await stage(here.db, release, rows, findings, NOW)
  await publish(here.publisher, staged.release.release_id, NOW, overrideAll('sample_data'))
  const manifest = (await registryEntries(here.db))[1] as Manifest
  expect(manifest).toMatchObject({
    schema: 'price-release/3',
    effective_to: '2099-12-31',
    period_by: 'operator',
    unreadable_lines: 3,
    rejected_count: 4,
    providers: [ONE],
  })
  expect(await here.faults()).toEqual([])
})

test('a file that names an NPI of another is held, and does not take it over', async () => {
  await using here = await registry()
  await here.publish(hospital(ONE, [ONE, TWO]))
  const rival = await here.stage(hospital(TWO, [TWO]))
  const { held, providers_taken } = await checkRelease(here.db, await getRelease(here.db, rival))
  expect([held, providers_taken]).toMatchObject([
    [{ rule: 'provider_taken', found: 1, limit: 0 }],
    { held: [{ npi: TWO, chart: `hospital-mrf:${ONE}` }], added: [] },
  ])
  await expect(publish(here.publisher, rival, NOW)).rejects.toBeInstanceOf(Problem)
  await publish(here.publisher, rival, NOW, [{ rule: 'provider_taken', reason: 'verified_by_operator' }])
  expect((await standingNow(here.db)).providers).toContainEqual({ npi: TWO, chart: `hospital-mrf:${ONE}` })
})

test('a provider moves only to a chart that names it in a release in force, and only once', async () => {
  await using here = await registry()
  const move = (npi: string, chart: string) =>
    moveProvider(here.publisher, { npi, chart: `hospital-mrf:${chart}` }, 'owner_changed', NOW)
  await here.publish(hospital(ONE, [ONE, TWO]))
  await expect(move(TWO, TWO)).rejects.toMatchObject({ detail: expect.stringContaining('names this NPI') })
  const own = await here.publish(hospital(TWO, [TWO]))
  await move(TWO, TWO)
  await expect(move(TWO, TWO)).rejects.toMatchObject({ detail: expect.stringContaining('already') })
  await withdraw(here.publisher, own, 'wrong_source', NOW)
  await expect(move(TWO, TWO)).rejects.toMatchObject({ detail: expect.stringContaining('names this NPI') })
  expect((await standingNow(here.db)).providers).toContainEqual({ npi: TWO, chart: `hospital-mrf:${ONE}` })
  expect(await here.faults()).toEqual([])
})

test('the state is said again after a day, once, however many ask for it', async () => {
  await using here = await registry()
  await here.publish(aRelease())
  const other = await here.open()
  const rival = { db: other.db, log: other.registryLog, cosign: other.cosign }
  expect(await stateIfDue(here.publisher, NOW + DAY_MS - 1)).toBe(false)
  const both = await Promise.all([stateIfDue(here.publisher, NOW + DAY_MS), stateIfDue(rival, NOW + DAY_MS)])
  expect(both.filter((appended) => appended)).toHaveLength(1)
  expect(await stateIfDue(here.publisher, NOW + DAY_MS)).toBe(false)
  await other.db.close()
  const entries = await registryEntries(here.db)
  const [before, last] = entries.slice(-2) as [RegistryState, RegistryState]
  expect(entries).toHaveLength(4)
  expect(last).toEqual({ ...before, recorded_at: new Date(NOW + DAY_MS).toISOString() })
  expect(await here.faults()).toEqual([])
})

test('two publishers at once append one after the other, and every state is right', async () => {
  await using here = await registry()
  const ids = [
    await here.stage(aRelease({ edition: 'A' })),
    await here.stage(hospital(ONE, [ONE])),
    await here.stage(hospital(TWO, [TWO])),
  ]
  const other = await here.open()
  const rival = { db: other.db, log: other.registryLog, cosign: other.cosign }
  await Promise.all(
    ids.map((id, i) => publish(i % 2 === 0 ? here.publisher : rival, id, NOW, overrideAll('sample_data'))),
  )
  await other.db.close()
  expect(await registryEntries(here.db)).toHaveLength(7)
  expect(await here.faults()).toEqual([])
})

test('serving appends the state that is due at the start, and tells of a fault once', async () => {
  await using here = await registry()
  const faults: unknown[] = []
  const job = scheduleStates(
    here.publisher,
    [],
    () => NOW + 3 * DAY_MS,
    ({ fault }) => faults.push(fault),
  )
  await job.stop()
  expect(await registryEntries(here.db)).toHaveLength(2)
  expect(faults).toEqual([])
})
