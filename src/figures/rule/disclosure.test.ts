import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { aCell } from '../fixture.ts'
import { decide, type FigureStates } from './disclosure.ts'
import { numerators } from './feasible.ts'
import { type Figure, RULE } from './figure.ts'
import { divideHalfEven } from './rounding.ts'
import { casesWith, METRICS, type Metric, type OutcomeCell, size, tallies } from './tally.ts'

const FIRST = '2026-11-03T00:00:00.000Z'
const SECOND = '2026-12-01T00:00:00.000Z'

const after = (cells: readonly OutcomeCell[], previous?: FigureStates, as_of = FIRST) =>
  decide({ as_of, last_batch_id: 1, last_correction_id: 0, of: tallies(cells) }, previous, RULE)
const figure = (cells: readonly OutcomeCell[], metric: Metric): Figure => after(cells).states.of[metric].figure

/** `yes` settlements without certified mail and `no` with it. */
const settled = (yes: number, no: number): OutcomeCell[] => [
  aCell({ cases: yes }),
  aCell({ cases: no, certified_mail: 1 }),
]

test('division rounds ties to the even neighbour and never leaves the integers', () => {
  expect([5, 15, 25, 35, 24, 26].map((n) => divideHalfEven(n, 10))).toEqual([0, 2, 2, 4, 2, 3])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1, max: 1e6 }), (n, d) => {
      const q = BigInt(divideHalfEven(n, d))
      const distance = 2n * (q * BigInt(d) - BigInt(n))
      expect(distance <= BigInt(d) && distance >= -BigInt(d)).toBe(true)
      if (distance === BigInt(d) || distance === -BigInt(d)) expect(q % 2n).toBe(0n)
    }),
  )
})

describe('a rate', () => {
  const p: [string, OutcomeCell[], number | null][] = [
    ['of no cases is withheld like any small number', [], null],
    ['of 49 cases is withheld', settled(25, 24), null],
    ['of 50 cases is shown', settled(25, 25), 0.5],
    ['with 10 on one side is withheld', settled(90, 10), null],
    ['with 10 on the other side is withheld', settled(10, 90), null],
    ['with 11 on one side is shown', settled(89, 11), 0.89],
    ['of one answer only is withheld', settled(500, 0), null],
    ['halfway between two points goes to the even one, down', settled(25, 175), 0.12],
    ['halfway between two points goes to the even one, up', settled(27, 173), 0.14],
  ]
  for (const [what, cells, value] of p)
    test(what, () => {
      const reason = value === null ? 'small_cell' : null
      expect(figure(cells, 'p')).toEqual({ value, suppressed: value === null, reason, as_of: FIRST })
    })

  test('counts only the cases of its own denominator', () => {
    const cells = [
      aCell({ cases: 30, recovered_50: 10 }),
      aCell({ cases: 30, recovered_50: 9, settled: 0, recurring: 1 }),
      aCell({ cases: 40, recovered_50: 100, closed: 0, settled: 0 }),
    ]
    expect(figure(cells, 'w').value).toBe(0.5)
    expect(figure(cells, 'r').value).toBe(0.3)
    expect(figure(cells, 'p')).toMatchObject({ value: null, reason: 'small_cell' })
  })
})

describe('savings', () => {
  test('are a total rounded to 1,000 and a median rounded to 50, ties to even', () => {
    const cells = [aCell({ cases: 30, recovered_50: 9 }), aCell({ cases: 30, recovered_50: 10 })]
    expect(figure(cells, 'savings_total').value).toBe('28000.00') // 28,500
    expect(figure(cells, 'savings_median').value).toBe('500.00') // 475
  })

  test('are withheld when the largest case is a quarter of the total', () => {
    const small = aCell({ cases: 60, recovered_50: 5 })
    expect(figure([small, aCell({ recovered_50: 100 })], 'savings_total')).toMatchObject({ reason: 'dominance' })
    expect(figure([small, aCell({ recovered_50: 99 })], 'savings_total')).toMatchObject({ reason: null })
  })

  test('are withheld when the two largest are two fifths of the total', () => {
    const small = aCell({ cases: 60, recovered_50: 5 })
    expect(figure([small, aCell({ cases: 2, recovered_50: 100 })], 'savings_median')).toMatchObject({
      reason: 'dominance',
    })
    expect(figure([small, aCell({ cases: 2, recovered_50: 99 })], 'savings_median')).toMatchObject({ reason: null })
  })

  test('are withheld when fewer than eleven cases recovered anything', () => {
    const nothing = aCell({ cases: 90, recovered_50: 0 })
    expect(figure([nothing, aCell({ cases: 10 })], 'savings_total')).toMatchObject({
      value: null,
      reason: 'small_cell',
    })
    expect(figure([nothing, aCell({ cases: 11 })], 'savings_total')).toMatchObject({ value: '11000.00' })
  })
})

test('counts are rounded down to tens and withheld below fifty', () => {
  expect(figure(settled(30, 29), 'cases_floor10').value).toBe(50)
  expect(figure(settled(30, 19), 'cases_floor10').value).toBeNull()
})

describe('after the first release', () => {
  const { states } = after(settled(300, 200))
  const next = (cells: readonly OutcomeCell[]) => after(cells, states, SECOND)

  test('the first release logs every figure as initial', () => {
    const { moves } = after(settled(60, 40))
    expect(moves.map(({ metric }) => metric)).toEqual([...METRICS])
    expect(moves.every(({ reason, old }) => reason === 'initial' && old === null)).toBe(true)
  })

  test('ten more cases move nothing, and the old value keeps its date', () => {
    const { states: held, moves } = next(settled(305, 205))
    expect(moves).toEqual([])
    expect(held).toEqual(states)
  })

  test('eleven more cases that do not agree move the rate', () => {
    const { moves } = next(settled(310, 201))
    expect(moves.find(({ metric }) => metric === 'p')).toEqual({
      metric: 'p',
      old: { value: 0.6, suppressed: false, reason: null, as_of: FIRST },
      new: { value: 0.61, suppressed: false, reason: null, as_of: SECOND },
      reason: 'scheduled',
    })
  })

  test('any number of cases that all agree leave the rate where it was', () => {
    const { states: held, moves } = next(settled(400, 200))
    expect(held.of.p).toEqual(states.of.p)
    expect(moves.map(({ metric }) => metric)).toEqual(['cases_floor10', 'settlements_floor10'])
  })

  test('cases held back count towards the next move', () => {
    const { states: held } = next(settled(305, 205))
    const { moves } = after(settled(306, 205), held, '2027-01-05T00:00:00.000Z')
    expect(moves.find(({ metric }) => metric === 'p')?.new).toMatchObject({
      value: 0.6,
      as_of: '2027-01-05T00:00:00.000Z',
    })
  })

  test('figures hold independently, each by its own denominator', () => {
    const open = [
      aCell({ cases: 12, closed: 0, settled: 0, recurring: 1 }),
      aCell({ cases: 10, closed: 0, settled: 0 }),
    ]
    const { moves } = next([...settled(300, 200), ...open])
    expect(moves.map(({ metric }) => metric)).toEqual(['r', 'cases_floor10'])
  })

  test('cases removed are held and moved like cases added', () => {
    expect(next(settled(295, 195)).moves).toEqual([])
    expect(next(settled(290, 199)).moves.map(({ metric }) => metric)).toContain('p')
  })

  test('a figure that becomes too thin is withheld without a number', () => {
    const { moves } = next(settled(298, 8))
    expect(moves.find(({ metric }) => metric === 'p')).toMatchObject({ reason: 'suppression_on', new: { value: null } })
  })

  test('cases that were changed are counted once each, not as one removed and one added', () => {
    const { moves, decisions } = next(settled(294, 206))
    expect(moves).toEqual([])
    expect(decisions.p).toBe('held_few')
  })

  test('any number of cases that all changed the same way leave the rate where it was', () => {
    expect(next(settled(280, 220)).decisions.p).toBe('held_alike')
  })

  test('a figure that moves after a correction says that there was one', () => {
    const given = { as_of: SECOND, last_batch_id: 3, last_correction_id: 2, of: tallies(settled(320, 230)) }
    const { moves } = decide(given, states, RULE)
    expect(moves.find(({ metric }) => metric === 'p')?.reason).toBe('correction')
  })

  test('a rate of few cases does not move when its change could be worked out', () => {
    const thin = after(settled(80, 20)).states
    const { decisions, states: held } = after(settled(96, 24), thin, SECOND)
    expect(decisions.p).toBe('held_pinned')
    expect(held.of.p).toEqual(thin.of.p)
  })

  test('a change of the rule says so', () => {
    const { moves } = decide(
      { as_of: SECOND, last_batch_id: 2, last_correction_id: 0, of: tallies(settled(380, 260)) },
      states,
      {
        ...RULE,
        version: '2.0.0',
      },
    )
    expect(moves.find(({ metric }) => metric === 'p')?.reason).toBe('method_change')
  })
})

test('a figure that stays withheld makes no entry, and is published only with eleven new cases', () => {
  const first = after(settled(20, 5)).states
  const second = after(settled(38, 10), first, SECOND)
  expect(second.moves).toEqual([])
  expect(second.states.of.p.figure.as_of).toBe(FIRST)
  // Two cases reach the limit of fifty. If the rate came out now, they could be worked out.
  const third = after(settled(39, 12), second.states, SECOND)
  expect(third.moves).toEqual([])
  const fourth = after(settled(45, 14), third.states, SECOND)
  expect(fourth.moves.find(({ metric }) => metric === 'p')).toMatchObject({ reason: 'suppression_off' })
})

test('the worked example of the specification comes out as it says', () => {
  const first = after(settled(300, 200)).states
  const then = (yes: number, no: number) => after(settled(yes, no), first, SECOND)
  expect(first.of.p).toMatchObject({ figure: { value: 0.6 }, room: [10, 9] })
  const decisions = [then(305, 205), then(294, 206), then(280, 220)].map((found) => found.decisions.p)
  expect(decisions).toEqual(['held_few', 'held_few', 'held_alike'])
  expect(then(310, 201).states.of.p.figure).toMatchObject({ value: 0.61, as_of: SECOND })
  expect(numerators(0.61, { low: 510, high: 519 }, RULE)).toEqual({
    yes: { low: 309, high: 319 },
    no: { low: 197, high: 205 },
  })
  expect(numerators(0.8, { low: 100, high: 109 }, RULE).no).toEqual({ low: 20, high: 22 })
  expect(numerators(0.8, { low: 120, high: 129 }, RULE).no).toEqual({ low: 24, high: 26 })
})

const anyCell = fc.record({
  closed: fc.constant(1),
  settled: fc.integer({ min: 0, max: 1 }),
  recurring: fc.integer({ min: 0, max: 1 }),
  certified_mail: fc.integer({ min: 0, max: 1 }),
  recovered_50: fc.integer({ min: 0, max: 1000 }),
  cases: fc.integer({ min: 1, max: 60 }),
})
const anyCells = fc.array(anyCell, { maxLength: 12 })

test('whatever the ledger and its history, nothing is shown that the rule withholds', () => {
  fc.assert(
    fc.property(fc.array(anyCells, { minLength: 1, maxLength: 6 }), (batches) => {
      let states: FigureStates | undefined
      const cells: OutcomeCell[] = []
      for (const batch of batches) {
        cells.push(...batch)
        const decided = after(cells, states)
        for (const { metric, old, new: shown } of decided.moves) {
          const basis = decided.states.of[metric].basis
          expect(shown.suppressed).toBe(shown.value === null)
          if (old) expect(size(basis) - size(states?.of[metric].basis ?? [])).toBeGreaterThanOrEqual(11)
          if (shown.value === null) continue
          expect(size(basis)).toBeGreaterThanOrEqual(50)
          if (metric === 'w' || metric === 'r' || metric === 'p') {
            expect(Math.min(casesWith(basis, 0), casesWith(basis, 1))).toBeGreaterThanOrEqual(11)
            expect(Number.isInteger(Math.round((shown.value as number) * 1e9) / 1e7)).toBe(true)
          }
          if (metric.endsWith('_floor10')) expect((shown.value as number) % 10).toBe(0)
          if (metric === 'savings_total') expect(shown.value).toMatch(/^[0-9]+000\.00$/)
        }
        states = decided.states
      }
    }),
    { numRuns: 500 },
  )
})
