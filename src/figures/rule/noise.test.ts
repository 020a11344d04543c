import { describe, expect, test } from 'bun:test'
import { dice } from '../../../test/attack/dice.ts'
import { aCell, aSoundLedger, cases, openFigures, refusal, streamOf } from '../fixture.ts'
import { deleteOutcomes } from '../ledger/ledger.ts'
import { releaseFigures } from '../release.ts'
import { RULE } from './figure.ts'
import {
  bernoulliExp,
  decideNoised,
  discreteLaplace,
  noised,
  parseEpsilon,
  type Random,
  type Ratio,
  uniform,
} from './noise.ts'
import { casesWith, type OutcomeCell, tallies } from './tally.ts'

/** The same bytes at every run, so that a test of chances cannot fail by chance. */
const bytesFrom = (seed: number): Random => {
  const { below } = dice(seed)
  return (n) => Uint8Array.from({ length: n }, () => below(256))
}
const HALF = parseEpsilon('0.5') as Ratio

describe('the sampler', () => {
  test('draws every number below a bound equally often', () => {
    const random = bytesFrom(1)
    const seen = new Array<number>(6).fill(0)
    for (let i = 0; i < 30_000; i++) seen[Number(uniform(6n, random))] = (seen[Number(uniform(6n, random))] ?? 0) + 1
    for (const n of seen) expect(Math.abs(n - 5000)).toBeLessThan(400)
  })

  test('is true with probability exp(-x)', () => {
    const random = bytesFrom(2)
    for (const [n, d] of [
      [0n, 1n],
      [1n, 4n],
      [1n, 2n],
      [1n, 1n],
    ] as const) {
      let yes = 0
      for (let i = 0; i < 20_000; i++) if (bernoulliExp(n, d, random)) yes++
      expect(Math.abs(yes / 20_000 - Math.exp(-Number(n) / Number(d)))).toBeLessThan(0.012)
    }
  })

  test('draws integers whose chance falls by exp(-epsilon) with each step from zero', () => {
    const random = bytesFrom(3)
    const draws = 60_000
    const seen = new Map<number, number>()
    for (let i = 0; i < draws; i++) {
      const z = discreteLaplace({ n: HALF.d, d: HALF.n }, random)
      seen.set(z, (seen.get(z) ?? 0) + 1)
    }
    const q = Math.exp(-0.5)
    for (let z = -6; z <= 6; z++) {
      const expected = ((1 - q) / (1 + q)) * q ** Math.abs(z) * draws
      expect(Math.abs((seen.get(z) ?? 0) - expected)).toBeLessThan(5 * Math.sqrt(expected))
    }
  })

  test('takes a decimal for epsilon and nothing else', () => {
    expect(parseEpsilon('0.5')).toEqual({ n: 5n, d: 10n })
    for (const text of ['0', '0.0', '-1', '1e3', '11', '', '.5', '0.1234567', 'NaN'])
      expect(parseEpsilon(text)).toBeUndefined()
  })
})

/** `yes` recurring cases and `no` others. */
const recurring = (yes: number, no: number): OutcomeCell[] => [
  aCell({ cases: yes, recurring: 1 }),
  aCell({ cases: no, certified_mail: 1 }),
]

test('someone who knows every case but one guesses it hardly better than by chance', () => {
  const guess = (epsilon: Ratio): number => {
    const random = bytesFrom(4)
    let right = 0
    for (let i = 0; i < 2000; i++) {
      const truth = i % 2
      const { r } = noised(tallies(recurring(100 + truth, 100)), epsilon, random)
      if (Number(casesWith(r, 1) > 100) === truth) right++
    }
    return right / 2000
  }
  // e^0.5 / (1 + e^0.5) = 0.622 is the most that the guarantee allows.
  expect(guess(HALF)).toBeLessThan(0.65)
  // With hardly any noise the same attacker is always right, as with none.
  expect(guess({ n: 10n, d: 1n })).toBeGreaterThan(0.98)
})

test('nothing is held, and the thresholds look at what was drawn', () => {
  const given = (yes: number, no: number) => ({
    as_of: '2026-11-03T00:00:00.000Z',
    last_batch_id: 1,
    last_correction_id: 0,
    of: { ...tallies(recurring(yes, no)), cases_floor10: [[1, yes + no]] as const },
  })
  const first = decideNoised(given(60, 40), undefined, RULE)
  expect(first.states.of.r.figure.value).toBe(0.6)
  const second = decideNoised(given(61, 40), first.states, RULE)
  expect(second.moves).toHaveLength(7)
  expect(decideNoised(given(10, 90), undefined, RULE).states.of.r.figure).toMatchObject({ reason: 'small_cell' })
  expect(decideNoised(given(60, -4), undefined, RULE).states.of.r.figure).toMatchObject({ value: null })
})

test('a release with noise says so, logs what it spends, and counts each case once', async () => {
  await using figures = await openFigures()
  const draw = { epsilon: '0.5', random: bytesFrom(5) }
  const lines = [...aSoundLedger(), ...aSoundLedger(), ...aSoundLedger()]
  await figures.import(lines)
  expect(await releaseFigures({ ...figures.parts, draw })).toMatchObject({ changes: 7 })
  const body = await figures.shown()
  expect(body.noise).toEqual({ mechanism: 'discrete_laplace', epsilon: '0.5', windows: 'disjoint' })
  expect(Math.abs((body.r ?? 0) - 0.5)).toBeLessThan(0.1)
  expect(body.metrics.savings_median).toMatchObject({ value: null, reason: 'not_with_noise' })
  const spent = async () => {
    const page = (await figures.call('list_figure_changes')) as { data: { metric: string; epsilon: string }[] }
    return page.data.map(({ metric, epsilon }) => `${metric} ${epsilon}`)
  }
  expect((await spent()).sort()).toEqual([
    'cases_floor10 0',
    'p 0.5',
    'r 0.5',
    'savings_median 0',
    'savings_total 0.5',
    'settlements_floor10 0',
    'w 0.5',
  ])

  // The first window is never drawn again: with no new case only noise is added to it.
  const before = body.cases_floor10 ?? 0
  await deleteOutcomes(
    figures.db,
    streamOf(
      `case_ref\n${lines
        .slice(0, 100)
        .map((line) => line.slice(0, 36))
        .join('\n')}\n`,
    ),
    { now: figures.now },
  )
  figures.clock.at += 31 * 86_400_000
  await releaseFigures({ ...figures.parts, draw })
  expect(Math.abs(((await figures.shown()).cases_floor10 ?? 0) - before)).toBeLessThan(60)
  await figures.import(cases(200))
  figures.clock.at += 31 * 86_400_000
  await releaseFigures({ ...figures.parts, draw })
  expect(Math.abs(((await figures.shown()).cases_floor10 ?? 0) - before - 200)).toBeLessThan(80)
  expect(await refusal(releaseFigures(figures.parts))).toMatchObject({ code: 'figures_held' })
})

test('noise cannot be added to figures that were published without', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.parts)
  const draw = { epsilon: '0.5', random: bytesFrom(6) }
  expect(await refusal(releaseFigures({ ...figures.parts, draw }))).toMatchObject({ code: 'figures_held' })
})
