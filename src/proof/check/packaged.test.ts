import { expect, test } from 'bun:test'
import { aRow } from '../registry-fixture.ts'
import { aBill, aService, aTest, registryWith, said, skippedOf } from './check-fixture.ts'

const registry = registryWith({
  'cms-opps': [
    aService('99284', 'J2', '400.00'),
    aService('96374', 'S', '190.00'),
    aService('93005', 'Q1', '60.00'),
    aService('71046', 'Q1', '90.00'),
    aService('12001', 'T', '300.00'),
    aService('36556', 'Q2', '500.00'),
    aService('80053', 'Q4'),
    aService('82947', 'A'),
    aService('J1885', 'N'),
    aService('70450', 'Q3', '105.00'),
    aService('70551', 'Q3', '220.00'),
    aService('27447', 'J1', '12000.00'),
    aService('29881', 'J1', '3000.00'),
  ],
  'cms-clfs': [aTest('80053', '10.56'), aTest('82947', '3.93')],
  'cms-pfs': [aRow({ code: '99070', kind: 'absence', basis: 'medicare_pfs', indicators: { status: 'B' } })],
})
const ofHospital = (...lines: string[]) => said(registry, aBill('hospital', ...lines))

test('drugs and supplies with status N are never paid apart', async () => {
  expect(await ofHospital('J1885 x2 30.00')).toEqual({ found: ['packaged rule 1'], sums: '0.00 0.00 0.00' })
})

test('a service with status Q1 is part of a visit, a service or an operation on the claim, and of nothing else', async () => {
  expect(await ofHospital('93005', '96374')).toEqual({ found: ['packaged rule 1'], sums: '250.00 190.00 190.00' })
  expect((await ofHospital('93005', '12001')).found).toEqual(['packaged rule 1'])
  expect((await ofHospital('93005', '99284')).found).toEqual([])
  expect((await ofHospital('93005', '71046')).found).toEqual([])
})

test('a service with status Q2 is part of an operation, and not of another service', async () => {
  expect((await ofHospital('36556', '12001')).found).toEqual(['packaged rule 1'])
  expect((await ofHospital('36556', '96374')).found).toEqual([])
})

test('laboratory tests of an outpatient visit are part of it; alone they are paid by their own schedule', async () => {
  expect(await ofHospital('99284', '80053')).toEqual({ found: ['packaged rule 2'], sums: '410.56 400.00 400.00' })
  expect(await ofHospital('80053', '82947')).toEqual({ found: [], sums: '14.49 14.49 14.49' })
  // Status A says that the test is always paid apart.
  expect((await ofHospital('99284', '82947')).found).toEqual([])
})

test('a comprehensive service takes everything on its claim, a second one too', async () => {
  expect(await ofHospital('29881', '27447', '99284', '96374', '80053', '82947')).toEqual({
    found: ['packaged rule 1+3+4+5'],
    sums: '15604.49 12003.93 12003.93',
  })
})

test('a claim of several days is one where the bill says so', async () => {
  const lines = [
    { code: '93005', day: '2026-07-15', billed: '10.00' },
    { code: '96374', day: '2026-07-16', billed: '10.00' },
  ]
  const bill = { kind: 'hospital', lines } as const
  expect((await said(registry, bill)).found).toEqual([])
  expect((await said(registry, { ...bill, totals: { billed: '20.00' } })).found).toEqual(['packaged rule 1'])
  expect((await said(registry, { ...bill, type_of_bill: '131' })).found).toEqual(['packaged rule 1'])
})

test('composites of several scans are not held, and are said to be unchecked', async () => {
  const skips = await skippedOf(registry, aBill('hospital', '70450', '70551'))
  expect(skips).toContain('packaged cms-opps composite 1+2')
})

test('nothing is packaged on the bill of an inpatient, which these rules are not about', async () => {
  const bill = { ...aBill('hospital', '99284', 'J1885', '80053'), type_of_bill: '111' }
  expect(await said(registry, bill)).toEqual({ found: [], sums: undefined })
  expect(await skippedOf(registry, bill)).toContain('packaged cms-opps inpatient 1+2+3')
})

test('a professional is not paid for what the fee of another service has', async () => {
  expect(await said(registry, aBill('professional', '99070 25.00'))).toEqual({
    found: ['packaged rule 1'],
    sums: '0.00 0.00 0.00',
  })
})
