// Verifiers that were written apart agree on whatever they are given: on the verdict, and on the reason for it.

import { expect, test } from 'bun:test'
import { parsePolicy, type TrustPolicy } from '../../src/proof/note/policy.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { isGoMissing } from '../support/go-verifier.ts'
import { isLong } from '../support/long.ts'
import { dice as roll } from './dice.ts'
import { answered, Cases, keys, policy } from './differential-cases.ts'
import { type Case, JUDGES, Judges, type Outcomes } from './differential-judges.ts'
import { reseal } from './differential-reseal.ts'
import { Forgery, noEdits } from './differential-seal.ts'
import { isDisagreement, smallest } from './differential-shrink.ts'
import { makeWorld } from './lie-world.ts'

const RUNS = isLong ? 100_000 : 300
const SEED = Number(process.env['ATR_FUZZ_SEED'] ?? 1)
const AT_ONCE = 100

test('a body that was hashed and signed anew, with nothing changed, is the honest one', async () => {
  const dice = roll(5)
  const world = makeWorld(dice, keys)
  const trusted = parsePolicy(policy) as TrustPolicy
  const accepted = new Set<string>()
  for (let run = 0; run < 100; run++) {
    const { body, asked } = await answered(dice, world)
    const before = await verifyBody(JSON.stringify(body), trusted, asked)
    await reseal(body, new Forgery(world.newest, noEdits()))
    const after = await verifyBody(JSON.stringify(body), trusted, asked)
    expect(after).toEqual(before)
    if (after.ok) accepted.add(Object.keys(asked).join())
  }
  expect([...accepted].sort()).toEqual(['coverage', 'history', 'page', 'question', 'questions', 'releases', 'sheet'])
})

test('a case on which verifiers disagree is told as small as it can be', async () => {
  const cases = new Cases(1)
  // As if one of them took every body that has an amount, and the others none.
  const disagreeing = {
    ask: async (given: readonly Case[]): Promise<Outcomes[]> =>
      given.map(({ body }) => ['no', 'no', String(body).includes('"amount"') ? 'yes' : 'no']),
  }
  for (let run = 0; ; run++) {
    const { body } = await cases.at(run)
    const [outcomes] = await disagreeing.ask([await cases.at(run)])
    if (!isDisagreement(outcomes as Outcomes) || String(body).length < 2_000) continue
    const { given } = await smallest(cases, disagreeing, run)
    expect(String(given['body']).length).toBeLessThan(200)
    expect(given).not.toHaveProperty('asked')
    break
  }
})

test.skipIf(isGoMissing)(
  `${RUNS} mutants, re-hashed and re-signed, have one verdict and one reason in Bun, in Node and in Go`,
  async () => {
    await using judges = await Judges.start()
    const cases = new Cases(SEED)
    const came = new Map<string, number>()
    for (let from = 0; from < RUNS; from += AT_ONCE) {
      const batch = []
      for (let run = from; run < Math.min(from + AT_ONCE, RUNS); run++) batch.push(await cases.at(run))
      const outcomes = await judges.ask(batch)
      for (const [i, said] of outcomes.entries()) {
        if (isDisagreement(said)) {
          const least = await smallest(cases, judges, from + i)
          const told = JUDGES.map((judge, j) => `${judge} says ${least.said[j]}`).join('\n')
          throw new Error(`seed ${SEED}, run ${from + i}:\n${told}\n${JSON.stringify(least.given)}`)
        }
        const verdict = JSON.parse(said[0]) as { ok?: boolean; reason?: string; fault?: string }
        // All of them may break on the same thing, which is no better.
        if (verdict.fault !== undefined) throw new Error(`seed ${SEED}, run ${from + i}: ${verdict.fault}`)
        const name = verdict.reason ?? 'ok'
        came.set(name, (came.get(name) ?? 0) + 1)
      }
    }
    if (isLong) console.log([...came].sort(([, a], [, b]) => b - a))
    // Mutants that are nearly all stopped by the first check would show little.
    expect(came.get('ok')).toBeGreaterThan(RUNS / 20)
    expect(came.size).toBeGreaterThan(30)
    for (const [, count] of came) expect(count).toBeLessThan(RUNS / 3)
  },
)
