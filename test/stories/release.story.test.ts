import { expect, test } from 'bun:test'
import { recheck } from '../../src/cli/fsck.ts'
import { finish } from '../../src/integrity/publication.ts'
import type { Proof, RowPointer } from '../../src/proof/envelope.ts'
import { isWithdrawal } from '../../src/proof/price/release.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { releaseOf } from '../../src/proof/shown.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import type { Override } from '../../src/registry/release/breaker.ts'
import { checkRelease, getRelease } from '../../src/registry/release/check.ts'
import { publish } from '../../src/registry/release/publish.ts'
import type { Findings } from '../../src/registry/release/rules.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { anAbsence, aPrice, aRelease, type TestRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'

const publisherOf = ({ installation: { db, registryLog, cosign } }: TestApp) => ({ db, log: registryLog, cosign })
const NPI = '1234567893'

/** So many rows with codes in order, each at this price in dollars. */
const priced = (count: number, amount: number | ((i: number) => number)): Row[] =>
  Array.from({ length: count }, (_, i) => {
    const dollars = typeof amount === 'number' ? amount : amount(i)
    return aPrice({ code: String(10_000 + i), price: { amount: `${dollars}.00`, currency: 'USD' } })
  })

async function stageOnly(app: TestApp, release: TestRelease, found: [string, number][] = []): Promise<string> {
  const findings: Findings = new Map(found.map(([rule, count]) => [rule, { count, lines: [7] }]))
  const { rows, ...rest } = release
  return (await stage(app.installation.db, rest, rows, findings, app.clock.now)).release.release_id
}

const publishOnly = (app: TestApp, id: string, overrides: Override[] = []) =>
  publish(publisherOf(app), id, app.clock.now, overrides)

interface Answer {
  price: { amount: string }
  row: RowPointer
  proof: Proof
}
const answerTo = async (app: TestApp, cpt: string, day: string): Promise<Answer> =>
  (await app.getJson(`/reference?cpt=${cpt}&as_of=${day}`)) as Answer
const amountOn = async (app: TestApp, cpt: string, day: string): Promise<string> =>
  (await answerTo(app, cpt, day)).price.amount

const TRIPPING: [string, string, { rows: Row[]; chart?: string; found?: [string, number][] }, boolean][] = [
  ['a tenth fewer rows', 'row_count_drop', { rows: priced(90, 100) }, true],
  ['a little under a tenth fewer rows', 'row_count_drop', { rows: priced(91, 100) }, false],
  ['a quarter of the prices up by half', 'prices_moved', { rows: priced(100, (i) => (i < 25 ? 150 : 100)) }, true],
  ['a fifth of the prices up by half', 'prices_moved', { rows: priced(100, (i) => (i < 20 ? 150 : 100)) }, false],
  ['every price up by a quarter', 'prices_moved', { rows: priced(100, 125) }, false],
  ['two rows in a hundred rejected', 'rejected_share', { rows: priced(100, 100), found: [['R02', 2]] }, true],
  ['one row in a hundred and one rejected', 'rejected_share', { rows: priced(100, 100), found: [['R02', 1]] }, false],
  ['duplicates', 'rejected_share', { rows: priced(100, 100), found: [['R09', 50]] }, false],
  ['one key with two prices', 'conflicting_keys', { rows: priced(100, 100), found: [['R10', 1]] }, true],
]

test.each(TRIPPING)('%s: %s', async (_, rule, { rows, found = [] }, held) => {
  await using app = await testApp()
  await app.publish(aRelease({ edition: 'A', rows: priced(100, 100) }))
  const id = await stageOnly(app, aRelease({ edition: 'B', effective_from: '2026-04-01', rows }), found)
  const check = await checkRelease(app.installation.db, await getRelease(app.installation.db, id))
  expect(check.held.map((each) => each.rule as string)).toEqual(held ? [rule] : [])
  if (!held) {
    await publishOnly(app, id)
    return
  }
  await expect(publishOnly(app, id)).rejects.toMatchObject({
    code: 'release_held',
    extra: { members: { held: [{ rule }] } },
  })
  const other = rule === 'prices_moved' ? 'row_count_drop' : 'prices_moved'
  await expect(publishOnly(app, id, [{ rule: other, reason: 'annual_update' }])).rejects.toMatchObject({
    code: 'release_held',
  })
  // Held means untouched: nothing in the log, the edition before still in force.
  expect((await app.installation.registryLog.signed(app.installation.db)).size).toBe(3)
  expect(await amountOn(app, '10000', '2026-05-01')).toBe('100.00')
})

test('a hospital with two prices under one key is not held for it', async () => {
  await using app = await testApp()
  const cash = { basis: 'hospital_cash', npi: NPI, price: { amount: '100.00', currency: 'USD' } } as const
  const rows = priced(100, 100).map(({ code: cpt }) => aPrice({ code: cpt, ...cash }))
  const id = await stageOnly(app, aRelease({ chart: `hospital-mrf:${NPI}`, rows }), [['R10', 3]])
  await publishOnly(app, id)
})

test('an override is recorded in the manifest, and so in every proof', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ edition: 'A', rows: priced(100, 100) }))
  const id = await stageOnly(app, aRelease({ edition: 'B', effective_from: '2026-04-01', rows: priced(80, 300) }))
  const all: Override[] = [
    { rule: 'row_count_drop', reason: 'format_change' },
    { rule: 'prices_moved', reason: 'annual_update' },
    { rule: 'conflicting_keys', reason: 'verified_by_operator' },
  ]
  await publishOnly(app, id, all)
  const answer = await answerTo(app, '10000', '2026-11-15')
  const verify = (body: object) =>
    verifyBody(JSON.stringify(body), app.policy, { question: { cpt: '10000', as_of: '2026-11-15' } })
  const release = releaseOf(answer, answer.row)
  // The third was not needed, so it is not said.
  expect(release?.overrides).toEqual(all.slice(0, 2) as never)
  expect(await verify(answer)).toMatchObject({ ok: true })
  const { overrides: _, ...silent } = release ?? {}
  const withRelease = (stated: object) => {
    const [first, ...others] = answer.proof.releases ?? []
    return { ...answer, proof: { ...answer.proof, releases: [{ ...first, release: stated }, ...others] } }
  }
  expect(await verify(withRelease(silent))).toMatchObject({ class: 'not_in_force', reason: 'release_not_in_force' })
  const empty = withRelease({ ...silent, overrides: [] })
  expect(await verify(empty)).toMatchObject({ class: 'malformed', reason: 'proof_malformed' })
})

test('the price before, at and after a change, a dropped code, and a withdrawal', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  const code = (cpt: string, amount: string): Row => aPrice({ code: cpt, price: { amount, currency: 'USD' } })
  await app.publish(aRelease({ edition: 'A', rows: [code('G0101', '10.00'), code('G0102', '7.00')] }))
  const second = aRelease({ edition: 'B', effective_from: '2026-07-01', rows: [code('G0101', '20.00')] })
  const id = await app.publish(second)
  const asked = { question: { cpt: 'G0101', as_of: '2026-11-15' } }
  const provedBefore = JSON.stringify(await app.getJson('/reference?cpt=G0101'))
  expect(await amountOn(app, 'G0101', '2026-06-30')).toBe('10.00')
  expect(await amountOn(app, 'G0101', '2026-07-01')).toBe('20.00')
  expect(await amountOn(app, 'G0101', '2026-11-15')).toBe('20.00')
  expect(await amountOn(app, 'G0102', '2026-06-30')).toBe('7.00')
  expect(await app.problemCode('/reference?cpt=G0102&as_of=2026-07-01&basis=medicare_pfs')).toBe('not_on_schedule')

  app.clock.now += 3_600_000
  await withdraw(publisherOf(app), id, 'wrong_source', app.clock.now)
  for (const day of ['2026-06-30', '2026-07-01', '2026-11-15']) {
    expect([day, await amountOn(app, 'G0101', day)]).toEqual([day, '10.00'])
    expect([day, await amountOn(app, 'G0102', day)]).toEqual([day, '7.00'])
  }
  // What was proved stays proved, and its row hashes can still be read.
  expect(await verifyBody(provedBefore, app.policy, asked)).toMatchObject({ ok: true })
  expect((await app.request(`/log/releases/${id}/tile/0/000.p/1`)).status).toBe(200)
  const provedAfter = JSON.stringify(await app.getJson('/reference?cpt=G0101'))
  expect(await verifyBody(provedAfter, app.policy, asked)).toMatchObject({ ok: true })
  // A view of the registry from before the withdrawal can be told by its time.
  const notBefore = '2026-11-15T13:00:00Z'
  expect(await verifyBody(provedBefore, app.policy, asked, { notBefore })).toMatchObject({ reason: 'state_too_old' })
  expect(await verifyBody(provedAfter, app.policy, asked, { notBefore })).toMatchObject({ ok: true })
  expect((await recheck(app.installation, app.clock.now)).faults).toEqual([])

  // The same file can come back: it is a new revision, because the old one is out for good.
  expect(await app.publish(second)).toBe('cms-pfs:B:2')
  expect(await amountOn(app, 'G0101', '2026-07-01')).toBe('20.00')
  expect((await recheck(app.installation, app.clock.now + 1)).faults).toEqual([])
})

test('the first edition of a chart, once withdrawn, leaves none in force', async () => {
  await using app = await testApp()
  const id = await app.publish(aRelease())
  const withdrawn = await withdraw(publisherOf(app), id, 'publisher_withdrew', app.clock.now)
  expect(await app.problemCode('/reference?cpt=G0101')).toBe('no_edition_for_day')
  const bundle = await (await app.request('/log/registry/tile/entries/000.p/5')).arrayBuffer()
  const text = Buffer.from(bundle).toString('latin1')
  const [entry = ''] = /\{"chart":"cms-pfs","reason"[^}]*\}/.exec(text) ?? []
  expect(isWithdrawal(JSON.parse(entry))).toBe(true)
  expect(JSON.parse(entry)).toEqual({
    schema: 'price-withdrawal/2',
    release_id: id,
    chart: 'cms-pfs',
    reason: 'publisher_withdrew',
    recorded_at: '2026-11-15T12:00:00.000Z',
  })
  expect(Number(withdrawn.withdrawn_index)).toBe(3)
  for (const again of [id, 'cms-pfs:NONE:1'])
    await expect(withdraw(publisherOf(app), again, 'wrong_source', app.clock.now)).rejects.toMatchObject({
      code: 'release_conflict',
    })
})

test.each([
  ['hidden', `state = 'published', withdrawal = NULL, withdrawn_index = NULL`, /in the log and not in the store/],
  ['half hidden', `state = 'published'`, /withdrawn in part/],
  ['reworded', `withdrawal = REPLACE(withdrawal, 'wrong_source', 'loading_fault')`, /not the log entry it should be/],
  ['put on another release', `release_id = 'cms-pfs:OTHER:1'`, /of another release/],
])('a withdrawal that was %s in the store is found', async (_, change, fault) => {
  await using app = await testApp()
  const id = await app.publish(aRelease())
  await withdraw(publisherOf(app), id, 'wrong_source', app.clock.now)
  await app.installation.db.query(`UPDATE release SET ${change}`)
  const { faults } = await recheck(app.installation, app.clock.now)
  expect(faults.join('\n')).toMatch(fault)
})

test('a withdrawal counts when the public checkpoint covers it, and not before', async () => {
  await using app = await testApp()
  const id = await app.publish(aRelease())
  const cosign = { isEnough: async () => false, ask: () => Promise.reject(new Error('no witness answers')) }
  await expect(withdraw({ ...publisherOf(app), cosign }, id, 'loading_fault', app.clock.now)).rejects.toThrow(
    'no witness answers',
  )
  expect(await app.getJson('/reference?cpt=G0101')).toMatchObject({ code: 'G0101' })
  await finish(publisherOf(app))
  expect(await app.problemCode('/reference?cpt=G0101')).toBe('no_edition_for_day')
})

test('the same bytes again do nothing, and another file for the same edition takes its place', async () => {
  await using app = await testApp()
  const { db } = app.installation
  const first = aRelease({ edition: 'A', rows: priced(100, 100) })
  const id = await app.publish(first)
  const { rows, ...rest } = first
  const again = await stage(db, rest, rows, new Map(), app.clock.now)
  expect([again.already, again.release.release_id, again.release.state]).toEqual([true, id, 'published'])

  const corrected = await app.publish(aRelease({ edition: 'A', rows: priced(100, 101) }))
  expect(corrected).toBe('cms-pfs:A:2')
  const answer = await answerTo(app, '10000', '2026-11-15')
  expect([answer.price.amount, releaseOf(answer, answer.row)]).toMatchObject(['101.00', { supersedes: id }])
})

test('an older edition that is loaded late takes the place of the one before its day, not of the newest', async () => {
  await using app = await testApp()
  const first = await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', rows: priced(100, 100) }))
  await app.publish(aRelease({ edition: 'C', effective_from: '2026-07-01', rows: priced(100, 300) }))
  const id = await stageOnly(app, aRelease({ edition: 'B', effective_from: '2026-04-01', rows: priced(100, 101) }))
  await publishOnly(app, id)
  const answer = await answerTo(app, '10000', '2026-05-01')
  expect(releaseOf(answer, answer.row)).toMatchObject({ release_id: id, supersedes: first })
  expect(await amountOn(app, '10000', '2026-11-15')).toBe('300.00')
})

test('the integrity report tells what changed, what was found and which periods do not meet', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  const ended = { effective_from: '2026-01-01', effective_to: '2026-03-31' }
  await app.publish(aRelease({ edition: 'A', ...ended, rows: priced(100, 100) }))
  const rows = [...priced(99, (i) => (i === 0 ? 400 : 100)), anAbsence({ code: '20000', reason: 'bundled' })]
  const late = aRelease({ edition: 'D', effective_from: '2026-10-01', rows })
  const id = await stageOnly(app, late, [
    ['R02', 1],
    ['R09', 4],
  ])
  await publishOnly(app, id, [{ rule: 'r11_gap', reason: 'verified_by_operator' }])
  const other = await app.publish(aRelease({ edition: 'D2', effective_from: '2026-10-01', rows: priced(100, 100) }))
  const headers = await app.railsHeaders(['integrity:read'])
  const report = async () =>
    (await app.getJson('/api/data-integrity', headers)) as {
      charts: unknown[]
      checks: { check_id: string }[]
      [member: string]: unknown
    }
  expect(await report()).toMatchObject({
    charts: [{ release_id: other, delta: { previous_release: id, added: 1, removed: 1, changed: 1, unchanged: 98 } }],
    conflicts: {
      duplicates_merged: 0,
      overlaps: 1,
      gaps: 1,
      periods: [
        { release_id: id, kind: 'gap', days: 183, from: '2026-04-01', to: '2026-09-30' },
        { release_id: other, kind: 'overlap', days: 92, from: '2026-10-01', to: '2026-12-31' },
      ],
    },
  })
  await withdraw(publisherOf(app), other, 'wrong_source', app.clock.now)
  const { checks, ...rest } = await report()
  expect(rest).toMatchObject({
    summary: { rows_rejected_last_load: 1, rows_withheld: 0 },
    charts: [
      {
        release_id: id,
        delta: {
          previous_release: 'cms-pfs:A:1',
          added: 1,
          removed: 1,
          changed: 1,
          unchanged: 98,
          max_abs_change_pct: 300,
        },
      },
    ],
    conflicts: { duplicates_merged: 4, overlaps: 0, gaps: 1 },
  })
  const found = (check_id: string) => checks.find((each) => each.check_id === check_id)
  expect(found('R12')).toMatchObject({
    failed: 1,
    evaluated: 99,
    status: 'warn',
    sample_row_ids: ['10000|national||medicare_pfs|||non_facility|'],
  })
  expect(found('R02')).toMatchObject({ failed: 1, evaluated: 101, severity: 'reject' })
  expect(found('R05')).toMatchObject({ evaluated: 0, status: 'not_evaluated', severity: 'flag' })
  expect(found('R03')).toMatchObject({ failed: 0, evaluated: 100, status: 'pass' })
  expect(found('R07')).toMatchObject({ evaluated: 0, status: 'not_evaluated' })
})
