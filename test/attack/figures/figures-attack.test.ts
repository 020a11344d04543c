import { describe, expect, test } from 'bun:test'
import { RULE } from '../../../src/figures/rule/figure.ts'
import { RULE_2, type Rule2 } from '../../../src/figures/rule/rule-2.ts'
import { isLong } from '../../support/long.ts'
import { dice } from '../dice.ts'
import { ATTACKS, type Attack, boundOf } from './attacks.ts'
import { atLeast, lowerLimit, triesToShow } from './confidence.ts'
import { play } from './game.ts'
import { aLedger } from './ledger.ts'
import { exactPublisher, noisedPublisher, type Publisher, type Weakness } from './publisher.ts'

// What is tested. A ledger, a secret and noise are drawn; an attacker who knows everything else names the most likely
// secret. If the secret costs epsilon and has m equally likely values, he is right with probability e^epsilon /
// (e^epsilon + m - 1) at most. Rule 2 passes if, for no attack, so many right answers would be rarer than ALPHA under
// that bound (Clopper-Pearson, with ALPHA divided by the number of attacks). A rule is broken by an attack if the same
// limit, at ALPHA for this attack, lies above the bound. Seeds are fixed: the result is the same at every run.
const ALPHA = 0.01
const LEDGERS = isLong ? 200 : 15
const GAMES = isLong ? 5 : 2

interface Score {
  right: number
  tries: number
}

function attack(how: Attack, publisher: () => Publisher, ledgers: number, games: number, most?: number): Score {
  const score: Score = { right: 0, tries: 0 }
  const { joining = true } = how
  for (let seed = 1; seed <= ledgers; seed++) {
    const roll = dice(seed * 7919 + how.name.length)
    const rule = publisher()
    const ledger = aLedger(roll, { joining, ...(most && { most }) })
    for (let game = 0; game < games; game++) {
      score.tries++
      if (play(rule, ledger, how.prepare(ledger, roll), roll)) score.right++
    }
  }
  return score
}

/** For the reader of the output: what was tried, how often it was right, what it shows, and what is allowed. */
function report(rule: string, how: Attack, { right, tries }: Score, alpha: number): void {
  const limit = lowerLimit(right, tries, alpha).toFixed(3)
  console.log(`${rule} | ${how.name} | ${right}/${tries} | above ${limit} | bound ${boundOf(how).toFixed(3)}`)
}

describe(`rule 2, in ${LEDGERS} ledgers of 80 to 2,000 cases over 24 windows`, () => {
  test.each(ATTACKS.map((how) => [how.name, how] as const))('tells no more than its budget allows. %s', (_, how) => {
    const score = attack(how, () => noisedPublisher(how), LEDGERS, GAMES)
    const alpha = ALPHA / ATTACKS.length
    report('rule 2', how, score, alpha)
    expect(lowerLimit(score.right, score.tries, alpha)).toBeLessThanOrEqual(boundOf(how))
  })
})

/** Enough games to show that the bound is passed, with a few to spare. Some bounds need more than a short run has. */
function toBreak(how: Attack): { bound: number; ledgers: number } {
  const bound = isLong ? boundOf(how) : Math.min(boundOf(how), 0.8)
  const enough = 10 + triesToShow(bound, ALPHA)
  return { bound, ledgers: isLong ? Math.max(LEDGERS, enough) : enough }
}

function expectBroken(rule: string, how: Attack, publisher: () => Publisher): void {
  const { bound, ledgers } = toBreak(how)
  const score = attack(how, publisher, ledgers, 1, how.breaksUpTo)
  report(rule, how, score, ALPHA)
  expect(lowerLimit(score.right, score.tries, ALPHA)).toBeGreaterThan(bound)
}

test.each(ATTACKS.map((how) => [how.name, how] as const))('exact figures are broken. %s', (_, how) =>
  expectBroken('rule 1', how, () => exactPublisher(RULE, how)),
)

interface Weakened {
  what: string
  attacked: string
  weakness?: Weakness
  rule?: Rule2
}

const WEAKENED: Weakened[] = [
  { what: 'every release draws new noise', attacked: 'insider: won or lost', weakness: { redrawn: true } },
  {
    what: 'every release draws new noise',
    attacked: 'retention: whether a case was deleted',
    weakness: { redrawn: true },
  },
  {
    what: 'amounts are not clipped',
    attacked: 'insider: 2,000 or 50,000 dollars',
    rule: { ...RULE_2, clip_50: 1000 },
  },
  {
    what: 'the median is exact',
    attacked: 'order statistics: which of 70 amounts, by steering the median',
    weakness: { exactMedian: true },
  },
  {
    what: 'all cases of a person count',
    attacked: 'a person with eleven cases: in the ledger or not',
    weakness: { unlimited: true },
  },
  {
    what: 'corrections are told',
    attacked: 'correction: whether there was one',
    weakness: { correctionsTold: true },
  },
  {
    what: 'there is a third of the noise',
    attacked: 'retention: whether a case was deleted',
    rule: { ...RULE_2, scales: { ...RULE_2.scales, rate: { n: 1, d: 3 } } },
  },
]

for (const { what, attacked, weakness, rule = RULE_2 } of WEAKENED)
  test(`rule 2 is broken if ${what}. ${attacked}`, () => {
    const how = ATTACKS.find(({ name }) => name === attacked) as Attack
    expectBroken(what, how, () => noisedPublisher({ ...how, rule }, weakness))
  })

test('the limits of a probability are those of the tables', () => {
  expect(atLeast(3, 10, 0.5)).toBeCloseTo(968 / 1024, 12)
  expect(lowerLimit(10, 10, 0.025)).toBeCloseTo(0.6915, 4)
  expect(lowerLimit(7, 10, 0.025)).toBeCloseTo(0.3475, 4)
  expect(lowerLimit(0, 10, 0.025)).toBe(0)
  expect(triesToShow(0.5, 0.01)).toBe(7)
})
