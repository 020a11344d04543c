import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { type Amounts, noAmounts } from './amounts.ts'
import { codeNumber } from './code-number.ts'
import { scratch } from './fixture.ts'
import { ChargeTally } from './tally.ts'

const numberOf = (cpt: string): number => codeNumber(cpt) as number

const charge = fc.record({
  cpt: fc.constantFrom('G0100', 'G0101', '99213', '0001U', 'A0001'),
  variant: fc.constantFrom('|', '|outpatient', '25|', '25-59|inpatient', 'TC|outpatient'),
  amounts: fc
    .tuple(
      fc.array(
        fc.integer({ min: -3, max: 40 }).map((n) => (n > 30 ? n / 30 : n)),
        { minLength: 6, maxLength: 6 },
      ),
      fc.constantFrom(1, 2, 320_000),
      fc.constantFrom(0, 1),
    )
    .map(([dollars, unit, mark]) => [...dollars, unit, mark * 5]),
})

function tallied(charges: readonly { cpt: string; variant: string; amounts: Amounts }[], tally: ChargeTally): string[] {
  for (const [i, { cpt, variant, amounts }] of charges.entries())
    tally.sink(numberOf(cpt), variant, i + 1, amounts, false)
  const found = [...tally.entries()].map(({ key, values }) => {
    const { cpt, variant } = tally.keys.textOf(key)
    return `${cpt}|${variant} ${values.join()}`
  })
  tally.close()
  return found
}

test('what is spilled to a file comes back as if it had stayed in memory', () => {
  using folder = scratch()
  fc.assert(
    fc.property(fc.array(charge, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }), (charges, most) => {
      const whole = tallied(charges, new ChargeTally(folder.path))
      expect(tallied(charges, new ChargeTally(folder.path, most))).toEqual(whole)
      const keys = whole.map((entry) => entry.split(' ')[0] ?? '')
      expect(keys.toSorted()).toEqual([...new Set(charges.map(({ cpt, variant }) => `${cpt}|${variant}`))].sort())
      const codes = keys.map((key) => key.slice(0, 5))
      expect(codes).toEqual(codes.toSorted())
    }),
    { numRuns: 200 },
  )
})

test('the file has no name, so that nothing is left behind', () => {
  using folder = scratch()
  const tally = new ChargeTally(folder.path, 2)
  for (let i = 0; i < 100; i++) tally.sink(numberOf(`G${1000 + i}`), '|', i + 1, [100, ...noAmounts().slice(1)], false)
  expect(readdirSync(folder.path)).toEqual([])
  expect([...tally.entries()].length).toBe(100)
  tally.close()
})

test('of equal amounts the first line is kept', () => {
  using folder = scratch()
  const one: Amounts = [500, 0, 0, 0, 300, 300, 1, 0]
  const tally = new ChargeTally(folder.path, 1)
  for (const [i, cpt] of ['G0001', 'G0002', 'G0001', 'G0002', 'G0001'].entries())
    tally.sink(numberOf(cpt), '|', i + 1, one, false)
  const [first] = [...tally.entries()]
  expect(first?.stated(0)).toEqual({ low: { dollars: 500, line: 1 }, high: { dollars: 500, line: 1 }, unit: 1 })
  expect(first?.rates()).toMatchObject({ low: { line: 1 }, high: { line: 1 } })
  tally.close()
})
