import { expect, test } from 'bun:test'
import { aBill, aTest, registryOf, said, skippedOf } from './check-fixture.ts'

const before = { effective_from: '2026-04-01', effective_to: '2026-06-30' }
const after = { effective_from: '2026-10-01', effective_to: '2026-12-31' }
const others = { 'cms-pfs': [], 'cms-asp': [], 'cms-dmepos': [] }
const withEditions = () => {
  const registry = registryOf({ ...others, 'cms-clfs': [aTest('80053', '10.56')] })
  const of = (code: string, effective_from: string) => ({ ...aTest(code, '5.00'), effective_from })
  registry.publish([of('81099', '2026-04-01')], { chart: 'cms-clfs', edition: '2026B', ...before })
  registry.publish([of('81199', '2026-10-01')], { chart: 'cms-clfs', edition: '2026D', ...after })
  return registry
}

test('a code that the edition before the day has, and that of the day has not, was deleted', async () => {
  const { found } = await said(withEditions(), aBill('professional', '81099 20.00', '80053'))
  expect(found).toEqual(['not_valid_on_day rule 1'])
})

test('a code that only the edition after the day has was not valid yet', async () => {
  expect((await said(withEditions(), aBill('professional', '81199'))).found).toEqual(['not_valid_on_day rule 1'])
  expect((await said(withEditions(), { ...aBill('professional', '81199'), day: '2026-10-01' })).found).not.toContain(
    'not_valid_on_day rule 1',
  )
})

test('a code that no edition has is no finding, and without another edition it is unchecked', async () => {
  expect((await said(withEditions(), aBill('professional', '99999'))).found).toEqual([])
  const alone = registryOf({ ...others, 'cms-clfs': [] })
  expect(await skippedOf(alone, aBill('professional', '99999'))).toContain('not_valid_on_day cms-pfs no_edition 1')
})
