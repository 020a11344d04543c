import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { audit } from '../../src/figures/rule/audit.ts'
import { RULE, type Rule } from '../../src/figures/rule/figure.ts'
import { METRICS, type Metric } from '../../src/figures/rule/tally.ts'
import { isLong } from '../support/long.ts'
import { type Learned, noShares, SIZES } from './attack-insider.ts'
import { simulate } from './attack-simulator.ts'

const LEDGERS = isLong ? 500 : 150

/** What an insider may at most come to know without noise, in per cent of his tries: known by then, and told by one release. */
const KNOWN_BY_THEN = 65
const TOLD_AT_ONCE = 8

test(`nothing is pinned in ${LEDGERS} ledgers over 24 releases each`, () => {
  let releases = 0
  let moves = 0
  let refused = 0
  const shares = noShares()
  for (let seed = 1; seed <= LEDGERS; seed++) {
    const world = simulate(seed, RULE)
    expect([seed, world.pinned]).toEqual([seed, []])
    releases += world.history.length
    refused += world.refused
    for (const { as_of, metrics } of world.history)
      moves += Object.values(metrics).filter((figure) => figure.as_of === as_of && !figure.suppressed).length
    for (const size of SIZES)
      for (const metric of METRICS)
        for (const what of ['tried', 'known', 'told'] as const)
          shares[size][metric][what] += world.learned[size][metric][what]
  }
  // A rule that publishes nothing would be safe too.
  expect(releases).toBeGreaterThan(LEDGERS * 20)
  expect(moves).toBeGreaterThan(LEDGERS * 10)
  expect(refused).toBeLessThan(LEDGERS)

  // What is not promised: the one who knows all but one case. Not less than it is, and not more than was accepted.
  const measured = SIZES.map((size) => insiderLine(size, shares[size]))
  console.log(['insider without noise, known by then / told by one release:', ...measured].join('\n'))
  for (const size of SIZES)
    for (const { tried, known, told } of Object.values(shares[size])) {
      expect(tried).toBeGreaterThan(LEDGERS)
      expect((100 * known) / tried).toBeLessThan(KNOWN_BY_THEN)
      expect((100 * told) / tried).toBeLessThan(TOLD_AT_ONCE)
    }
  // The decision record states the shares of the long form: the ledgers are the same each time.
  if (isLong)
    for (const line of measured) expect([line, readFileSync(RECORD, 'utf8').includes(line)]).toEqual([line, true])
})

const RECORD = join(import.meta.dir, '../../docs/decisions/0031-noise-is-drawn-once.md')

/** A line of the table in the decision record. */
function insiderLine(size: string, learned: Learned): string {
  const share = ({ tried, known, told }: Learned[Metric]): string =>
    `${Math.round((100 * known) / tried)} / ${Math.round((100 * told) / tried)}`
  return `| ${size} | ${METRICS.map((metric) => share(learned[metric])).join(' | ')} |`
}

describe('the same attackers find something when', () => {
  const weakened: [string, Partial<Rule>, RegExp][] = [
    ['small cells may be shown', { min_cell: 3 }, /withheld [wrp]/],
    ['few cases are enough', { min_cases: 8 }, /withheld (cases|settlements)_floor10/],
    ['counts are exact', { count_step: 1, min_values: 1 }, /delta cases_floor10/],
    ['rates have another decimal', { rate_steps: 1000, min_values: 1 }, /delta [wrp]/],
    ['totals are exact', { total_step: 50, min_values: 1 }, /delta savings_total/],
    ['one case can move a figure', { min_moved: 1 }, /held \w+/],
    ['a change may be narrow', { min_values: 1 }, /delta [wrp]/],
  ]
  test.each(weakened)('%s', (_, members, expected) => {
    const rule = { ...RULE, ...members }
    const found = new Set<string>()
    let refused = 0
    for (let seed = 1; seed <= 20; seed++) {
      const { pinned, history } = simulate(seed, rule, { gate: false })
      for (const { what } of pinned) found.add(what)
      if (!audit(history, {}, { ...rule, min_values: RULE.min_values }).ok) refused++
    }
    expect([...found].filter((what) => expected.test(what))).not.toEqual([])
    // And the audit would have stopped it.
    expect(refused).toBeGreaterThan(0)
  })

  test('one case can move a figure, for someone who knows all the others', () => {
    const found = Array.from({ length: 20 }, (_, i) =>
      simulate(i + 1, { ...RULE, min_moved: 1, min_values: 1 }, { gate: false }),
    )
    expect(found.some(({ pinned }) => pinned.some(({ by }) => by === 'insider'))).toBe(true)
  })
})
