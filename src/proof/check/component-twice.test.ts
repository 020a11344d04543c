import { expect, test } from 'bun:test'
import { aBill, anOperation, registryWith, said } from './check-fixture.ts'

const parts = { multiple_procedure: '0', pc_tc: '1' }
const registry = registryWith({
  'cms-pfs': [
    anOperation('71046', '33.00', parts),
    anOperation('71046', '10.00', parts, { modifier: '26' }),
    anOperation('71046', '23.00', parts, { modifier: 'TC' }),
  ],
})
const found = async (...lines: string[]) => (await said(registry, aBill('professional', ...lines))).found

test('a part of a test is not paid beside the whole test', async () => {
  expect(await said(registry, aBill('professional', '71046 100.00', '71046-26 40.00'))).toEqual({
    found: ['component_twice unless 1+2'],
    sums: '43.00 43.00 33.00',
  })
  expect(await found('71046-TC', '71046', '71046-26')).toEqual([
    'component_twice unless 1+2',
    'component_twice unless 2+3',
  ])
})

test('both parts without the whole are one test, and a test that was done again is another one', async () => {
  expect(await found('71046-26', '71046-TC')).toEqual([])
  expect(await found('71046', '71046-26-76')).toEqual([])
  expect(await found('71046-59', '71046-TC')).toEqual([])
})
