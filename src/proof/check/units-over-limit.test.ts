import { expect, test } from 'bun:test'
import { aBill, aLimit, anOperation, aTest, registryWith, said, skippedOf } from './check-fixture.ts'

const registry = registryWith({
  'cms-clfs': [aTest('85025', '7.77'), aTest('36415', '8.83')],
  'cms-pfs': [
    anOperation('27447', '1200.00', { multiple_procedure: '0' }),
    anOperation('94640', '20.00', { multiple_procedure: '0' }),
  ],
  'ncci-mue-practitioner': [aLimit('85025', 2, 3), aLimit('27447', 1, 2), aLimit('36415', 1, 1), aLimit('94640', 0, 2)],
  'ncci-mue-outpatient': [aLimit('85025', 4, 3)],
})

test('all units of a day are denied where there are more than the limit, not only those above it', async () => {
  expect(await said(registry, aBill('professional', '85025 x5 100.00'))).toEqual({
    found: ['units_over_limit unless 1'],
    sums: '38.85 38.85 0.00',
  })
  // Units of all lines are added up, whatever their modifiers.
  expect(await said(registry, aBill('professional', '85025 x2', '85025-91'))).toEqual({
    found: ['units_over_limit unless 1+2'],
    sums: '23.31 23.31 0.00',
  })
  expect((await said(registry, aBill('professional', '85025 x2'))).found).toEqual([])
})

test('a limit by the definition of a code leaves no way around: two knees are not three', async () => {
  expect(await said(registry, aBill('professional', '27447-RT x3'))).toEqual({
    found: ['units_over_limit rule 1'],
    sums: '3600.00 0.00 0.00',
  })
})

test('a limit of the line judges each line by itself', async () => {
  expect((await said(registry, aBill('professional', '36415', '36415-59'))).found).toEqual([])
  expect(await said(registry, aBill('professional', '36415', '36415-59 x2'))).toEqual({
    found: ['units_over_limit unless 2'],
    sums: '26.49 26.49 8.83',
  })
})

test('a limit of 0 says that nothing is ever paid', async () => {
  expect(await said(registry, aBill('professional', '94640'))).toMatchObject({ found: ['units_over_limit rule 1'] })
})

test('each side has its own limit, and both sides of the body in one unit are one unit', async () => {
  expect((await said(registry, aBill('hospital', '85025 x4'))).found).toEqual([])
  expect((await said(registry, aBill('professional', '27447-50'))).found).toEqual([])
  // A surgery center bills a line for each side.
  expect((await said(registry, aBill('surgery_center', '27447-LT', '27447-RT'))).found).toEqual([])
  expect((await said(registry, aBill('professional', '27447-LT', '27447-RT'))).found).toEqual([
    'units_over_limit rule 1+2',
  ])
})

test('a code without a published limit is not checked, and is not passed', async () => {
  const bill = aBill('hospital', '85025', '36415 x9')
  expect((await said(registry, bill)).found).toEqual([])
  expect(await skippedOf(registry, bill)).toContain('units_over_limit ncci-mue-outpatient no_published_limit 2')
})
