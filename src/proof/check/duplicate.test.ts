import { expect, test } from 'bun:test'
import { aBill, aService, registryWith, said } from './check-fixture.ts'

const registry = registryWith({ 'cms-opps': [aService('99284', 'V', '400.00'), aService('96375', 'S', '45.00')] })
const found = async (...lines: string[]) => (await said(registry, aBill('hospital', ...lines))).found

test('a line that repeats another one is found, and only one of them is paid', async () => {
  expect(await said(registry, aBill('hospital', '99284 2187.00', '99284 2187.00'))).toEqual({
    found: ['duplicate unless 1+2'],
    sums: '800.00 800.00 400.00',
  })
  expect(await found('99284', '99284', '99284')).toEqual(['duplicate unless 1+2', 'duplicate unless 1+3'])
})

test('a modifier that says that it was done again, or that there was another visit, makes two lines of it', async () => {
  for (const modifier of ['76', '77', '91', '59', 'XE', '27'])
    expect([
      modifier,
      await found(`99284-${modifier}`, '99284'),
      await found(`99284-${modifier}`, `99284-${modifier}`),
    ]).toEqual([modifier, [], []])
  // 25 says that the visit was apart from a procedure, and not that there were two visits.
  expect(await found('99284-25', '99284-25')).toEqual(['duplicate unless 1+2'])
})

test('lines with other modifiers, units, days or sides do not repeat each other', async () => {
  expect(await found('96375', '96375 x2')).toEqual([])
  expect(await found('96375-LT', '96375-RT')).toEqual([])
  const line = { code: '96375', day: '2026-07-15' }
  const found2 = async (lines: object[]) => (await said(registry, { lines } as never)).found
  expect(await found2([line, { ...line, day: '2026-07-16' }])).toEqual([])
  expect(
    await found2([
      { ...line, revenue_code: '0450' },
      { ...line, revenue_code: '0981' },
    ]),
  ).toEqual([])
})
