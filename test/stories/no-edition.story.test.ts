// Days on which a schedule has an edition and days on which it has none, over years; and what a miss says there is.

import { expect, test } from 'bun:test'
import type { Manifest } from '../../src/proof/price/release.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { periodOf, releaseOf } from '../../src/proof/shown.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { type Answer, type AskedOf, ask, holdTheRest, refusalOf, told } from '../support/lookup.ts'

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })

const publishQuarter = (app: TestApp, edition: string, from: string, to: string, amount: string): Promise<string> =>
  app.publish(
    aRelease({
      edition,
      effective_from: from,
      effective_to: to,
      rows: [aPrice({ effective_from: from, ...usd(amount) })],
    }),
  )

test('before, between and after the editions there is no price, and the answer says which periods are held', async () => {
  await using app = await testApp()
  await publishQuarter(app, 'Q1', '2026-01-01', '2026-03-31', '10.00')
  await publishQuarter(app, 'Q3', '2026-07-01', '2026-09-30', '30.00')
  const held = [
    { from: '2026-01-01', to: '2026-03-31' },
    { from: '2026-07-01', to: '2026-09-30' },
  ]
  const none = 'no_edition_for_day'
  for (const [as_of, expected, lastKnown] of [
    ['2025-12-31', none, undefined],
    ['2026-01-01', '10.00', undefined],
    ['2026-03-31', '10.00', undefined],
    ['2026-04-01', none, '10.00'],
    ['2026-06-30', none, '10.00'],
    ['2026-07-01', '30.00', undefined],
    ['2026-09-30', '30.00', undefined],
    ['2026-10-01', none, '30.00'],
    ['2035-01-01', none, '30.00'],
  ] as const) {
    const answer = await ask(app, { cpt: 'G0101', as_of })
    const amountOf = (row: unknown) => (row as { price?: { amount: string } } | undefined)?.price?.amount
    expect([as_of, refusalOf(answer) ?? amountOf(answer), amountOf(answer.last_known)]).toEqual([
      as_of,
      expected,
      lastKnown,
    ])
    if (expected === none) {
      expect(answer.charts.map(({ chart }) => chart)).toEqual(['cms-pfs', 'cms-clfs', 'cms-asp', 'cms-dmepos'])
      expect(answer.charts[0]).toEqual({ chart: 'cms-pfs', held })
    }
  }
})

test('what was last known has its own proof, and an older price cannot be passed off as it', async () => {
  await using app = await testApp()
  await publishQuarter(app, 'Q1', '2026-01-01', '2026-03-31', '10.00')
  await publishQuarter(app, 'Q2', '2026-04-01', '2026-06-30', '20.00')
  const question = { cpt: 'G0101', as_of: '2026-08-01' }
  const problem = await ask(app, question)
  expect(problem.last_known).toMatchObject(usd('20.00'))
  const release = releaseOf(problem, problem.last_known.proof) as Manifest
  expect(periodOf(problem, release)).toMatchObject({ from: '2026-04-01', to: '2026-06-30' })
  expect(problem.code).toBe('no_edition_for_day')
  // The older edition is added to what is shown, with its own row. Its period is shown as one of those that are held.
  const older = await ask(app, { cpt: 'G0101', as_of: '2026-02-01' })
  const { row, proof: ofOlder, about: _, ...last_known } = older
  const releases = [...(problem.proof.releases ?? []), ...(ofOlder.releases ?? [])]
  const pointer = { ...row, release: releases.length - 1 }
  const proof = { ...problem.proof, releases }
  const forged = JSON.stringify({ ...problem, last_known: { ...last_known, proof: pointer }, proof })
  expect(await verifyBody(forged, app.policy, { question })).toMatchObject({ reason: 'answers_another_question' })
  // A price that has run out is no answer, even with a sound proof.
  const lapsed = JSON.stringify(await ask(app, { cpt: 'G0101', as_of: '2026-06-30' }))
  expect(await verifyBody(lapsed, app.policy, { question })).toMatchObject({ ok: false })
  // Other parts of the question hold for what was last known too.
  expect(await ask(app, { ...question, modifier: 'TC' })).not.toHaveProperty('last_known')
  expect(await ask(app, { ...question, cpt: 'G0102' })).not.toHaveProperty('last_known')
})

test('what was last known is told also where another schedule was asked before it', async () => {
  await using app = await testApp()
  // As for a laboratory test: the physician schedule says that another one pays it.
  const derivation = { method: 'cms-status/1', inputs: { status_code: 'X' } }
  const elsewhere = anAbsence({ code: '80053', reason: 'paid_elsewhere', derivation })
  await app.publish(aRelease({ effective_from: '2026-01-01', effective_to: '2026-12-31', rows: [elsewhere] }))
  const lab = aPrice({ code: '80053', basis: 'medicare_clfs', setting: null, ...usd('10.56') })
  const period = { effective_from: '2026-04-01', effective_to: '2026-06-30' }
  await app.publish(
    aRelease({ chart: 'cms-clfs', ...period, rows: [{ ...lab, effective_from: period.effective_from }] }),
  )
  expect(await told(app, { cpt: '80053', as_of: '2026-06-30' })).toBe('10.56')
  expect(await ask(app, { cpt: '80053', as_of: '2026-07-01' })).toMatchObject({
    code: 'no_edition_for_day',
    last_known: usd('10.56'),
  })
})

test('without the table of ZIP codes it is that table which is missing, not the schedule', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: '99213' })] }))
  await holdTheRest(app, 'cms-pfs')
  const { code, charts, detail } = await ask(app, { cpt: '99213', region: '60611' })
  expect([code, charts]).toEqual(['no_edition_for_day', [{ chart: 'zip-locality', held: [] }]])
  expect(detail).toContain('zip-locality')
  expect(detail).not.toContain('cms-pfs')
})

/** One quarter after the other, for three years; the day is the first of each month and the last. */
const QUARTERS = [2025, 2026, 2027].flatMap((year) =>
  ['01-01 03-31', '04-01 06-30', '07-01 09-30', '10-01 12-31'].map((ends, i) => {
    const [from = '', to = ''] = ends.split(' ')
    return { edition: `${year}Q${i + 1}`, from: `${year}-${from}`, to: `${year}-${to}`, amount: `${year}.${i + 1}0` }
  }),
)

test('over three years every day has the price of its own edition, and a day without one has none', async () => {
  await using app = await testApp({ today: '2028-01-15' })
  const missing = ['2025Q4', '2027Q2']
  const published = QUARTERS.filter(({ edition }) => !missing.includes(edition))
  for (const { edition, from, to, amount } of published) await publishQuarter(app, edition, from, to, amount)
  // One edition is corrected, and one taken back.
  await publishQuarter(app, '2026Q2', '2026-04-01', '2026-06-30', '77.00')
  const { db, registryLog, cosign } = app.installation
  await withdraw({ db, log: registryLog, cosign }, 'cms-pfs:2026Q4:1', 'wrong_source', app.clock.now)

  const expectedOn = (day: string): string => {
    const { edition, amount } = QUARTERS.find(({ from, to }) => from <= day && day <= to) ?? { edition: '', amount: '' }
    if ([...missing, '2026Q4', ''].includes(edition)) return 'no_edition_for_day'
    return edition === '2026Q2' ? '77.00' : amount
  }
  const days = QUARTERS.flatMap(({ from, to }) => [from, `${from.slice(0, 8)}17`, to])
  for (const day of ['2024-12-31', ...days, '2028-01-01'])
    expect([day, await told(app, { cpt: 'G0101', as_of: day })]).toEqual([day, expectedOn(day)])
})

test('every miss says what there is for the code, in words and without an amount', async () => {
  await using app = await testApp()
  const npi = '1234567893'
  const regions = ['national', 'US-CA-05', 'US-CA-18']
  await app.publish(
    aRelease({
      rows: [
        ...regions.map((region) => aPrice({ code: '99213', region, ...usd('77.77') })),
        aPrice({ code: '99213', modifier: '26', ...usd('77.77') }),
        anAbsence({ code: '99070' }),
      ],
    }),
  )
  const cash = aPrice({ code: '99213', npi, basis: 'hospital_cash', setting: 'inpatient', ...usd('77.77') })
  await app.publish(aRelease({ chart: `hospital-mrf:${npi}`, rows: [cash] }))
  await app.publish(
    aRelease({ chart: 'zip-locality', rows: [aPlace('90001', 'US-CA-18')], effective_from: '2026-07-01' }),
  )
  await holdTheRest(app, 'cms-pfs')
  const ofVisit = {
    modifiers: ['26'],
    settings: ['non_facility'],
    bases: ['medicare_pfs'],
    regions: ['US-CA-05', 'US-CA-18', 'national'],
  }
  const nothing = { modifiers: [], settings: [], bases: [], regions: [] }
  const misses: [AskedOf, string, Answer['about']['available'], RegExp][] = [
    [{ cpt: '99213', modifier: 'TC' }, 'modifier_not_priced', ofVisit, /not with this modifier.*26/],
    [{ cpt: '99213', modifier: '62-50' }, 'modifier_not_priced', ofVisit, /not with this modifier/],
    [{ cpt: '99213', setting: 'facility' }, 'not_on_schedule', ofVisit, /is listed, but not for this setting/],
    [{ cpt: '99213', region: 'US-NY-01' }, 'region_not_covered', ofVisit, /not for this region/],
    [{ cpt: '99213', region: 'CA' }, 'region_ambiguous', ofVisit, /several places/],
    [{ cpt: '99213', region: '00001' }, 'unknown_zip', ofVisit, /ZIP/],
    [{ cpt: '99213', setting: 'outpatient' }, 'no_edition_for_day', ofVisit, /cms-opps/],
    [{ cpt: '99213', as_of: '2025-06-01' }, 'no_edition_for_day', nothing, /cms-pfs/],
    [{ cpt: '99215' }, 'not_on_schedule', nothing, /None of the charts/],
    [
      { cpt: '99070' },
      'absent_bundled',
      { ...nothing, bases: ['medicare_pfs'], regions: ['national'] },
      /part of another service/,
    ],
    [{ cpt: '99213', npi: '1245319599' }, 'unknown_provider', nothing, /No published file/],
    [
      { cpt: '99213', npi, setting: 'outpatient' },
      'not_on_schedule',
      { modifiers: [], settings: ['inpatient'], bases: ['hospital_cash'], regions: ['national'] },
      /is listed, but not for this setting/,
    ],
  ]
  for (const [asked, code, available, detail] of misses) {
    const problem = await ask(app, asked)
    expect([asked, problem.code, problem.about.available]).toEqual([asked, code, available])
    expect(problem.detail).toMatch(detail)
    expect(JSON.stringify([problem.about.available, problem.detail, problem.agent_hint])).not.toContain('77.77')
  }
})
