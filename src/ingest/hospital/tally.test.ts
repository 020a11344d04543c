import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { type Amounts, noAmounts } from './amounts.ts'
import { numberOfCode } from './code-number.ts'
import { scratch } from './fixture.ts'
import { ChargeTally, type TallyEntry } from './tally.ts'

const charge = fc.record({
  cpt: fc.constantFrom('G0100', 'DRG-470', '99213', '0001U', 'A0001', 'NDC-00781194339'),
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

const toldOf = (entry: TallyEntry): unknown[] =>
  [0, 1, 2, 3, 4, 5].map((part) => [entry.stated(part), entry.unread(part), entry.marks(part)])

function tallied(charges: readonly { cpt: string; variant: string; amounts: Amounts }[], tally: ChargeTally): string[] {
  for (const [i, { cpt, variant, amounts }] of charges.entries())
    if (i % 3 === 0) tally.rates(numberOfCode(cpt), variant, i + 1, i % 5, [...amounts.slice(0, 6), 0, 0, 0, 1, 1])
    else tally.charge(numberOfCode(cpt), variant, i + 1, amounts, false)
  const found = [...tally.codes()].flatMap(({ code, hospital, payers }) =>
    [['', hospital] as const, ...payers].flatMap(([payer, entries]) =>
      [...entries].map(([variant, entry]) => `${code}|${variant}|${payer} ${JSON.stringify(toldOf(entry))}`),
    ),
  )
  tally.close()
  return found
}

test('what is spilled to a file comes back as if it had stayed in memory', () => {
  using folder = scratch()
  fc.assert(
    fc.property(fc.array(charge, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }), (charges, most) => {
      const whole = tallied(charges, new ChargeTally(folder.path))
      expect(tallied(charges, new ChargeTally(folder.path, most))).toEqual(whole)
      const codes = whole.map((entry) => entry.split('|')[0] ?? '')
      const told = charges.filter(({ amounts }) => amounts.some((each, at) => at < 6 && each !== 0))
      expect(new Set(codes)).toEqual(new Set(told.map(({ cpt }) => cpt)))
      expect(codes).toEqual(codes.toSorted())
    }),
    { numRuns: 200 },
  )
})

test('the file has no name, so that nothing is left behind', () => {
  using folder = scratch()
  const tally = new ChargeTally(folder.path, 2)
  for (let i = 0; i < 100; i++)
    tally.charge(numberOfCode(`G${1000 + i}`), '|', i + 1, [100, ...noAmounts().slice(1)], false)
  expect(readdirSync(folder.path)).toEqual([])
  expect([...tally.codes()].length).toBe(100)
  tally.close()
})

test('of equal amounts the first line is kept', () => {
  using folder = scratch()
  const one: Amounts = [500, 0, 0, 0, 300, 300, 1, 0]
  const tally = new ChargeTally(folder.path, 1)
  for (const [i, cpt] of ['G0001', 'G0002', 'G0001', 'G0002', 'G0001'].entries())
    tally.charge(numberOfCode(cpt), '|', i + 1, one, false)
  const first = [...tally.codes()][0]?.hospital.get('|')
  expect(first?.stated(0)).toEqual({ low: { dollars: 500, line: 1 }, high: { dollars: 500, line: 1 }, unit: 1 })
  expect(first?.rates()).toMatchObject({ low: { line: 1 }, high: { line: 1 } })
  tally.close()
})
