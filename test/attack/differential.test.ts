// Verifiers that were written apart agree on whatever they are given: on the verdict, and on its class where there is one fault.

import { expect, test } from 'bun:test'
import { parsePolicy, type TrustPolicy } from '../../src/proof/note/policy.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { isLong } from '../support/long.ts'
import { inquiryOf, KIND_NAMES, type KindName, kindNamed } from './answer-kinds.ts'
import { dice as roll } from './dice.ts'
import { answered, Cases, keys, policy } from './differential-cases.ts'
import { type Case, isPythonMissing, JUDGES, Judges, type Outcomes } from './differential-judges.ts'
import { isDisagreement, smallest } from './differential-shrink.ts'
import { Forgery, reseal } from './forgery.ts'
import { lieAbout } from './liar.ts'
import { makeWorld } from './lie-world.ts'

const RUNS = isLong ? 20_000 : 300
const SEED = Number(process.env['ATR_FUZZ_SEED'] ?? 1)
const AT_ONCE = 100

test('a body that was hashed and signed anew, with nothing changed, is the honest one', async () => {
  const dice = roll(5)
  const world = makeWorld(dice, keys)
  const trusted = parsePolicy(policy) as TrustPolicy
  const seen = new Set<string>()
  for (let run = 0; run < 100; run++) {
    const { body, name, asked } = await answered(dice, world)
    const before = await verifyBody(JSON.stringify(body), trusted, inquiryOf(name, asked))
    await reseal(body, new Forgery(world.newest))
    const after = await verifyBody(JSON.stringify(body), trusted, inquiryOf(name, asked))
    expect([name, before.ok]).toEqual([name, true])
    expect(after).toEqual(before)
    seen.add(name)
  }
  expect([...seen].sort()).toEqual([...KIND_NAMES].sort())
})

test('a case on which verifiers disagree is told as small as it can be', async () => {
  const cases = new Cases(1)
  // As if one of them took every body that has an amount, and the other none.
  const disagreeing = {
    ask: async (given: readonly Case[]): Promise<Outcomes[]> =>
      given.map(({ text }) => ['no', text.includes('"amount"') ? 'yes' : 'no']),
  }
  for (let run = 0; ; run++) {
    const one = await cases.at(run)
    const [outcomes] = await disagreeing.ask([one])
    if (!isDisagreement(outcomes as Outcomes) || one.text.length < 2_000) continue
    const { given } = await smallest(cases, disagreeing, run)
    expect(given.text.length).toBeLessThan(200)
    expect(given).not.toHaveProperty('asked')
    break
  }
})

test.skipIf(isPythonMissing)(
  `${RUNS} honest bodies, lies and mutants have one verdict in TypeScript and in Python, and nearly all one class`,
  async () => {
    await using judges = new Judges()
    const cases = new Cases(SEED)
    const came = new Map<string, number>()
    let differing = 0
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
        if (said[0] !== said[1]) differing++
        const verdict = JSON.parse(said[0]) as { class?: string; fault?: string }
        // All of them may break on the same thing, which is no better.
        if (verdict.fault !== undefined) throw new Error(`seed ${SEED}, run ${from + i}: ${verdict.fault}`)
        const name = verdict.class ?? 'ok'
        came.set(name, (came.get(name) ?? 0) + 1)
      }
    }
    if (isLong) console.log([...came].sort(([, a], [, b]) => b - a))
    // Most have one fault, or the first one is the same for both.
    expect(differing).toBeLessThan(RUNS / 20)
    // Mutants that are nearly all stopped by the first check would show little.
    expect(came.get('ok')).toBeGreaterThan(RUNS / 20)
    expect(came.size).toBeGreaterThan(7)
    for (const [, count] of came) expect(count).toBeLessThan(RUNS / 2)
  },
)

test.skipIf(isPythonMissing)('what breaks one rule alone has one class in TypeScript and in Python', async () => {
  await using judges = new Judges()
  const dice = roll(SEED + 9)
  const world = makeWorld(dice, keys)
  const cases: Case[] = []
  const expected: string[] = []
  while (cases.length < RUNS / 3) {
    const name = KIND_NAMES[cases.length % KIND_NAMES.length] as KindName
    const asked = await kindNamed(name).ask(dice, world)
    const attempt = await lieAbout(dice, world, name, asked)
    if (!attempt.class) continue
    cases.push({ text: JSON.stringify(attempt.body), policy, asked: inquiryOf(name, asked) })
    expected.push(`{"class":"${attempt.class}","ok":false}`)
  }
  for (const [i, said] of (await judges.ask(cases)).entries())
    expect([cases[i], ...said]).toEqual([cases[i] as Case, expected[i] as string, expected[i] as string])
})
