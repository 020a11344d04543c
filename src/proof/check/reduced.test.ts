import { expect, test } from 'bun:test'
import { aFee, aRow } from '../registry-fixture.ts'
import { aBill, anOperation, aService, registryWith, said, skippedOf } from './check-fixture.ts'

const scan = { multiple_procedure: '4', pc_tc: '1' }
const inParts = (
  code: string,
  whole: string,
  professional: string,
  technical: string,
  indicators: { [name: string]: string },
) => [
  anOperation(code, whole, indicators),
  anOperation(code, professional, indicators, { modifier: '26' }),
  anOperation(code, technical, indicators, { modifier: 'TC' }),
]
const registry = registryWith({
  'cms-pfs': [
    anOperation('10001', '1000.00'),
    anOperation('10002', '600.00'),
    anOperation('10003', '400.00'),
    anOperation('10004', '200.00'),
    anOperation('10005', '100.00'),
    anOperation('10006', '50.00'),
    anOperation('45378', '200.00'),
    anOperation('45380', '400.00', { multiple_procedure: '3', endoscopic_base: '45378' }),
    anOperation('45385', '500.00', { multiple_procedure: '3', endoscopic_base: '45378' }),
    anOperation('29805', '200.00'),
    anOperation('29807', '310.02', { multiple_procedure: '3', endoscopic_base: '29805' }),
    anOperation('29819', '275.12', { multiple_procedure: '3', endoscopic_base: '29805' }),
    anOperation('29820', '270.13', { multiple_procedure: '3', endoscopic_base: '29805' }),
    anOperation('20001', '125.00', { bilateral: '0', multiple_procedure: '0' }),
    anOperation('20002', '125.00', { bilateral: '2', multiple_procedure: '0', assistant: '1', co_surgeon: '0' }),
    ...inParts('70450', '110.00', '40.00', '70.00', scan),
    ...inParts('70551', '200.00', '70.00', '130.00', scan),
    ...inParts('93306', '200.00', '70.00', '130.00', { multiple_procedure: '6', pc_tc: '1' }),
    ...inParts('92133', '40.00', '20.00', '20.00', { multiple_procedure: '7', pc_tc: '1' }),
    anOperation('93005', '7.00', { multiple_procedure: '6', pc_tc: '3' }),
    ...['97110', '97140'].map((code, i) =>
      aFee({
        code,
        amount: i === 0 ? '30.00' : '28.00',
        indicators: { status: 'A', multiple_procedure: '5', pc_tc: '7' },
        derivation: {
          method: 'pfs-formula/1',
          inputs: {
            work_rvu: '0.50',
            practice_rvu: i === 0 ? '0.48' : '0.42',
            malpractice_rvu: i === 0 ? '0.02' : '0.01',
            work_gpci: '1.000',
            practice_gpci: '1.000',
            malpractice_gpci: '1.000',
            conversion_factor: i === 0 ? '30.0000' : '30.1075',
          },
        },
      }),
    ),
  ],
  'cms-opps': [
    aService('11011', 'T', '300.00'),
    aService('11012', 'T', '200.00'),
    aService('11013', 'T', '100.01'),
    aService('11014', 'S', '100.00'),
  ],
  'cms-asc': [
    ...(['66984', '67036'] as const).map((code, i) =>
      aRow({
        code,
        basis: 'medicare_asc',
        setting: 'asc',
        amount: i === 0 ? '1000.00' : '800.00',
        indicators: { payment_indicator: 'A2', multiple_procedure: i === 0 ? 'Y' : 'Y' },
      }),
    ),
  ],
})
const sums = async (...lines: string[]) => (await said(registry, aBill('professional', ...lines))).sums
const ofHospital = async (...lines: string[]) => (await said(registry, aBill('hospital', ...lines))).sums

test('of several operations the dearest is paid in full and the others at half, in whatever order they stand', async () => {
  expect(await said(registry, aBill('professional', '10002', '10001'))).toEqual({
    found: ['reduced rule 1'],
    sums: '1600.00 1300.00 1300.00',
  })
  for (const lines of [
    ['10001', '10002', '10003', '10004'],
    ['10004', '10003', '10002', '10001'],
    ['10002', '10004', '10001', '10003-51'],
  ])
    expect(await sums(...lines)).toBe('2200.00 1600.00 1600.00')
  // Each unit is an operation.
  expect(await sums('10001 x2')).toBe('2000.00 1500.00 1500.00')
})

test('from the sixth operation on the contractor decides, and the bill says so', async () => {
  const lines = ['10001', '10002', '10003', '10004', '10005', '10006']
  const skips = await skippedOf(registry, aBill('professional', ...lines))
  expect(skips).toContain('reduced cms-pfs by_contractor 6')
})

test('both sides are paid at 150 percent before they are ranked, on one line or on two', async () => {
  expect(await sums('10002-50', '10003')).toBe('1300.00 1100.00 1100.00')
  expect(await sums('10002-LT', '10002-RT', '10003')).toBe('1600.00 1100.00 1100.00')
  expect(await sums('10002-LT', '10002-RT', '10001')).toBe('2200.00 1450.00 1450.00')
})

test('a fee that is for both sides is paid once', async () => {
  for (const code of ['20001', '20002'])
    expect(await said(registry, aBill('professional', `${code}-LT 100.00`, `${code}-RT 100.00`))).toMatchObject({
      found: ['reduced rule 1+2'],
      sums: '250.00 125.00 125.00',
    })
  expect(await sums('20001-50')).toBe('125.00 125.00 125.00')
})

test('endoscopies of one family: the dearest in full, the others without the base, the base not at all', async () => {
  expect(await sums('45378', '45385')).toBe('700.00 500.00 500.00')
  expect(await sums('45385', '45380')).toBe('900.00 700.00 700.00')
  expect(await sums('29820', '29807', '29819')).toBe('855.27 455.27 455.27')
  // The family is one operation beside others, and a single endoscopy is like any other operation.
  expect(await sums('45385', '45380', '10001')).toBe('1900.00 1350.00 1350.00')
  expect(await sums('45385', '10001')).toBe('1500.00 1250.00 1250.00')
})

test('of several scans the second technical part is halved and the second reading is 5 percent less', async () => {
  expect(await said(registry, aBill('professional', '70450', '70551'))).toEqual({
    found: ['reduced unless 1'],
    sums: '310.00 310.00 273.00',
  })
  expect(await sums('70450-26', '70551-26')).toBe('110.00 110.00 108.00')
  expect(await sums('70450-59', '70551')).toBe('310.00 310.00 310.00')
})

test('the technical part of further tests of the heart and of the eye is paid in part', async () => {
  expect(await sums('93306', '93005')).toBe('207.00 207.00 205.25')
  expect(await sums('92133', '92133-59')).toBe('80.00 80.00 80.00')
  expect(await sums('92133 x2')).toBe('80.00 80.00 76.00')
})

test('of several units of therapy all but the dearest lose half of their practice part', async () => {
  // 0.48 x 30.00 is 14.40 for practice: 22.80 for each further unit.
  expect(await sums('97110-GP x3')).toBe('90.00 75.60 75.60')
  expect(await sums('97110', '97140')).toBe('58.00 51.68 51.68')
  expect(await sums('97110')).toBe('30.00 30.00 30.00')
})

test('nobody is paid to assist, or as a second surgeon, where the schedule says so', async () => {
  expect(await said(registry, aBill('professional', '20002', '20002-80'))).toMatchObject({ found: ['reduced rule 2'] })
  expect((await said(registry, aBill('professional', '20002-62'))).found).toEqual(['reduced rule 1'])
  expect((await said(registry, aBill('professional', '10001-80'))).found).toEqual([])
})

test('an assistant is ranked apart from the surgeon', async () => {
  expect(await sums('10001', '10001-80')).toBe('1160.00 1160.00 1160.00')
})

test('a hospital is paid the dearest procedure with status T in full and the others at half', async () => {
  expect(await ofHospital('11012', '11011', '11014')).toBe('600.00 500.00 500.00')
  // Half a cent is rounded up, once for a line.
  expect(await ofHospital('11011', '11013')).toBe('400.01 350.01 350.01')
  // Both sides are two procedures: 1.5 payments if it is the dearest, and one if it is not.
  expect(await ofHospital('11011-50')).toBe('600.00 450.00 450.00')
  expect(await ofHospital('11011', '11012-50')).toBe('700.00 500.00 500.00')
})

test('a surgery center is paid the dearest procedure in full and the others at half', async () => {
  expect((await said(registry, aBill('surgery_center', '67036', '66984'))).sums).toBe('1800.00 1400.00 1400.00')
  expect((await said(registry, aBill('surgery_center', '66984-LT', '66984-RT'))).sums).toBe('2000.00 1500.00 1500.00')
})

test('a line that is denied takes no part in the ranking', async () => {
  expect(await sums('10001', '10001', '10002')).toBe('2600.00 1800.00 1300.00')
})
