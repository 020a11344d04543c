import { expect, test } from 'bun:test'
import { aBill, aLimit, anAddOn, anOperation, registryWith, said, skippedOf, somePairs } from './check-fixture.ts'

const plain = { multiple_procedure: '0' }
const codes = ['99291', '99292', '96360', '96361', '11042', '90833', '99213', '22845', '80061']
const registry = registryWith({
  'cms-pfs': codes.map((code) => anOperation(code, '50.00', plain)),
  'ncci-add-on': [
    anAddOn('99292', ['99291', 1]),
    anAddOn('96361', ['96360', 1], ['99291', 1]),
    anAddOn('90833', ['99213', 3], ['CCCCC', 3]),
    anAddOn('22845', ['CCCCC', 2]),
  ],
  'ncci-ptp-practitioner': [somePairs('11042', ['96360', 0])],
  'ncci-mue-practitioner': [aLimit('99291', 1, 2)],
})
const ofLines = (...lines: string[]) => said(registry, aBill('professional', ...lines))

test('an addition without its main service is not paid', async () => {
  expect(await ofLines('99292 300.00')).toEqual({ found: ['add_on_alone unless 1'], sums: '50.00 50.00 0.00' })
  expect((await ofLines('99292', '99291')).found).toEqual([])
  expect((await ofLines('96361', '99291')).found).toEqual([])
})

test('a main service that is itself not paid is none', async () => {
  expect(await ofLines('96361', '96360', '11042')).toEqual({
    found: ['pair_not_paid_together rule 2+3', 'add_on_alone unless 1'],
    sums: '150.00 100.00 50.00',
  })
  expect((await ofLines('99292', '99291 x2')).found).toEqual(['units_over_limit rule 2', 'add_on_alone unless 1'])
})

test('a main service of another day, or of another side of the bill, does not count', async () => {
  const lines = [
    { code: '99292', day: '2026-07-15' },
    { code: '99291', day: '2026-07-16' },
  ]
  expect((await said(registry, { kind: 'professional', lines })).found).toEqual(['add_on_alone unless 1'])
})

test('where the contractor may know other main services it is a question, and where it alone knows them it is unchecked', async () => {
  expect(await ofLines('90833')).toEqual({ found: ['add_on_alone ask 1'], sums: '50.00 50.00 50.00' })
  expect((await ofLines('90833', '99213')).found).toEqual([])
  const bill = aBill('professional', '22845')
  expect((await said(registry, bill)).found).toEqual([])
  expect(await skippedOf(registry, bill)).toContain('add_on_alone ncci-add-on by_contractor 1')
})
