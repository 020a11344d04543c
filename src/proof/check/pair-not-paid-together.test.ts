import { expect, test } from 'bun:test'
import {
  aBill,
  anOperation,
  aService,
  aTest,
  registryOf,
  registryWith,
  said,
  skippedOf,
  somePairs,
} from './check-fixture.ts'

const laboratory = [aTest('80053', '10.56'), aTest('82947', '3.93'), aTest('80048', '8.46')]
const registry = registryWith({
  'cms-clfs': laboratory,
  'cms-pfs': [
    anOperation('11042', '100.00', { multiple_procedure: '0' }),
    anOperation('11055', '40.00', { multiple_procedure: '0' }),
  ],
  'ncci-ptp-practitioner': [
    somePairs('80053', ['82947', 1], ['80048', 0]),
    // The larger code is in column one, and the cheaper one.
    somePairs('11055', ['11042', 1]),
  ],
})

test('a test is not paid beside the panel that has it', async () => {
  expect(await said(registry, aBill('professional', '80053 50.00', '82947 20.00'))).toEqual({
    found: ['pair_not_paid_together unless 1+2'],
    sums: '14.49 14.49 10.56',
  })
  // The order of the lines does not matter, nor that both are on the bill twice.
  expect(await said(registry, aBill('professional', '82947', '80053'))).toMatchObject({ sums: '14.49 14.49 10.56' })
})

test('a modifier on either code says that the two were apart, and 22, 76 and 77 say nothing of the kind', async () => {
  for (const modifier of ['59', 'XU', 'XE', '91', '25'])
    for (const lines of [
      [`80053-${modifier}`, '82947'],
      ['80053', `82947-${modifier}`],
    ])
      expect([lines, (await said(registry, aBill('professional', ...lines))).found]).toEqual([lines, []])
  for (const modifier of ['22', '76', '77', '51']) {
    const { found } = await said(registry, aBill('professional', '80053', `82947-${modifier}`))
    expect([modifier, found]).toEqual([modifier, ['pair_not_paid_together unless 1+2']])
  }
})

test('no modifier separates the two where the row says so', async () => {
  expect(await said(registry, aBill('professional', '80053', '80048-59 12.00'))).toEqual({
    found: ['pair_not_paid_together rule 1+2'],
    sums: '19.02 10.56 10.56',
  })
})

test('a place of the body separates two codes unless both have the same', async () => {
  const found = async (...lines: string[]) => (await said(registry, aBill('professional', ...lines))).found
  expect(await found('11055-LT', '11042-RT')).toEqual([])
  expect(await found('11055-RT', '11042-RT')).toEqual(['pair_not_paid_together unless 1+2'])
  expect(await found('11055', '11042-T1')).toEqual([])
})

test('the row decides which of the two is paid, not which is larger or dearer', async () => {
  expect(await said(registry, aBill('professional', '11042', '11055'))).toEqual({
    found: ['pair_not_paid_together unless 1+2'],
    sums: '140.00 140.00 40.00',
  })
})

test('a pair counts on its own days alone, and one that never was in force on none', async () => {
  const dated = registryWith({
    'cms-clfs': laboratory,
    'ncci-ptp-practitioner': [
      somePairs(
        '80053',
        ['82947', 1, '2015-01-01', '2019-12-31'],
        ['82947', 0, '2020-04-01', '2020-06-30'],
        ['82947', 9, '2026-07-10', '2026-07-10'],
        ['82947', 1, '2026-07-12', '2026-07-20'],
      ),
    ],
  })
  const on = async (day: string) => (await said(dated, { ...aBill('professional', '80053', '82947'), day })).found
  expect(await on('2026-07-10')).toEqual([])
  expect(await on('2026-07-11')).toEqual([])
  expect(await on('2026-07-12')).toEqual(['pair_not_paid_together unless 1+2'])
  expect(await on('2026-07-20')).toEqual(['pair_not_paid_together unless 1+2'])
  expect(await on('2026-07-21')).toEqual([])
})

test('lines of different days are not beside each other', async () => {
  const { lines } = aBill('professional', '80053', '82947')
  const days = ['2026-07-15', '2026-07-16']
  expect(
    await said(registry, { kind: 'professional', lines: lines.map((line, i) => ({ ...line, day: days[i] })) }),
  ).toMatchObject({ found: [] })
})

test('practitioners and hospitals have tables of their own', async () => {
  const both = registryWith({
    'cms-pfs': [anOperation('20610', '60.00'), anOperation('99213', '95.00', { multiple_procedure: '0' })],
    'cms-opps': [aService('20610', 'T', '280.00'), aService('99213', 'B')],
    'ncci-ptp-practitioner': [somePairs('20610', ['99213', 1])],
  })
  expect((await said(both, aBill('professional', '20610', '99213'))).found).toEqual([
    'pair_not_paid_together unless 1+2',
  ])
  expect((await said(both, aBill('hospital', '20610', '99213'))).found).toEqual([])
})

test('without a table of the day nothing is found, and the bill says that it was not checked', async () => {
  const without = registryOf({ 'cms-clfs': laboratory, 'cms-pfs': [], 'cms-asp': [], 'cms-dmepos': [] })
  const bill = aBill('professional', '80053', '82947')
  expect((await said(without, bill)).found).toEqual([])
  expect(await skippedOf(without, bill)).toContain('pair_not_paid_together ncci-ptp-practitioner no_edition 1+2')
})
