// A liar without any key, against the verifier with its question at hand. What he may do is in liar.ts.

import { expect, test } from 'bun:test'
import { registryPage } from '../../src/proof/list-fixture.ts'
import { billOf } from '../../src/proof/set-fixture.ts'
import { type BodyVerdict, type Inquiry, type VerifiedAnswer, verifyBody } from '../../src/proof/verify-lists.ts'
import { isLong } from '../support/long.ts'
import { aList, honestList, lieAboutList, lieInList } from './catalogue-liar.ts'
import { type Dice, dice as roll } from './dice.ts'
import { type FiguresHead, lieAboutFigures, lieInFigures, makeFigures } from './figures-liar.ts'
import { type Attempt, lieTo } from './liar.ts'
import { lieIn, lieInBill, lieInPage, lieInSheet } from './lie-judge.ts'
import { findSheet, honestAnswer, type Members, makeKeys, makeWorld, oneOf, type World } from './lie-world.ts'
import { aPage, aSheet, lieAboutBill, lieAboutPage, lieAboutSheet } from './list-liar.ts'

const RUNS = isLong ? 100_000 : 1_000
/** Another one tries others than those of every day. */
const SEED = Number(process.env['ATR_FUZZ_SEED'] ?? 0)
const RUNS_IN_A_WORLD = 400
const keys = makeKeys()

interface Trial {
  asked: Inquiry
  attempt: Attempt
  /** What is wrong with it, once it was accepted. */
  judge(proved: VerifiedAnswer, notBefore: string): Promise<string | undefined>
  /** An honest answer under a head, which must be accepted. */
  honest(): Promise<Members>
}

/** Runs attempts in one random world after another; no lie may be accepted, and no honest answer refused. */
async function campaign(
  seed: number,
  runs: number,
  trial: (dice: Dice, world: World) => Promise<Trial>,
): Promise<void> {
  const dice = roll(SEED + seed)
  const came: { [how: string]: { refused: number; true: number } } = {}
  let world = makeWorld(dice, keys)
  for (let run = 1; run <= runs; run++) {
    if (run % RUNS_IN_A_WORLD === 0) world = makeWorld(dice, keys)
    const { asked, attempt, judge, honest } = await trial(dice, world)
    const told = (what: string): Error =>
      new Error(`seed ${SEED + seed}, run ${run}: ${what}: ${JSON.stringify({ asked, ...attempt })}`)
    const check = (body: Members, notBefore: string): Promise<BodyVerdict> =>
      verifyBody(JSON.stringify(body), world.policy, asked, { notBefore })
    if (run % 5 === 0) {
      const verdict = await check(await honest(), world.newest.state.recorded_at)
      if (!verdict.ok) throw told(`an honest answer was refused, ${verdict.reason}`)
    }
    const notBefore = (dice.chance(0.7) ? world.newest : oneOf(dice, world.heads)).state.recorded_at
    const verdict = await check(attempt.body, notBefore).catch((cause) => {
      throw told(`the verifier failed, ${cause}`)
    })
    const lie = verdict.ok ? await judge(verdict, notBefore) : undefined
    if (lie !== undefined) throw told(`a lie was accepted, ${lie}`)
    came[attempt.how] ??= { refused: 0, true: 0 }
    const count = came[attempt.how] as { refused: number; true: number }
    if (verdict.ok) count.true++
    else count.refused++
  }
  if (isLong) console.log(came)
  // Each way to lie was tried, and most of what was tried is no answer.
  for (const count of Object.values(came)) expect(count.refused).toBeGreaterThan(0)
}

test('no lie about a price is accepted, and no honest answer refused, whatever the store and the question', async () => {
  await campaign(1, Math.ceil(RUNS * 0.6), async (dice, world) => {
    const question = oneOf(dice, world.questions)
    const attempt = await lieTo(dice, world, question)
    return {
      asked: { question },
      attempt,
      judge: (proved, notBefore) => lieIn(world, proved, question, notBefore, attempt.body),
      honest: async () => (await honestAnswer(world.newest, question)).body,
    }
  })
})

test('no lie about a bill is accepted: neither a line nor a total', async () => {
  await campaign(2, Math.ceil(RUNS * 0.1), async (dice, world) => {
    const questions = Array.from({ length: 1 + dice.below(3) }, () => oneOf(dice, world.questions))
    const attempt = await lieAboutBill(dice, world, questions)
    return {
      asked: { questions },
      attempt,
      judge: (proved, notBefore) => lieInBill(world, proved, questions, notBefore, attempt.body),
      honest: async () => (await billOf(world.newest, questions)).body,
    }
  })
})

test('no page is accepted that has a row too many, or one too few in the middle', async () => {
  await campaign(3, Math.ceil(RUNS * 0.08), async (dice, world) => {
    const page = aPage(dice, world)
    return {
      asked: { page },
      attempt: await lieAboutPage(dice, world, page),
      judge: (proved, notBefore) => lieInPage(world, proved, page, notBefore),
      honest: () => registryPage(world.newest, page),
    }
  })
})

test('no sheet is accepted that has a row too many, or leaves anything out', async () => {
  await campaign(4, Math.ceil(RUNS * 0.08), async (dice, world) => {
    const question = await aSheet(dice, world)
    const attempt = await lieAboutSheet(dice, world, question)
    return {
      asked: { sheet: question },
      attempt,
      judge: (proved, notBefore) => lieInSheet(world, proved, question, notBefore, attempt.body),
      honest: async () => (await findSheet(world.newest, question)) as Members,
    }
  })
})

test('no list of releases, coverage or history is accepted that lacks an edition, or has one too many', async () => {
  await campaign(6, Math.ceil(RUNS * 0.06), async (dice, world) => {
    const list = aList(dice, world)
    const attempt = await lieAboutList(dice, world, list)
    return {
      asked: list,
      attempt,
      judge: (proved, notBefore) => lieInList(world, proved, list, notBefore, attempt.body),
      honest: () => honestList(world.newest, list),
    }
  })
})

test('no figure is accepted but the one that stands', async () => {
  const dice = roll(SEED + 5)
  const count = { refused: 0, true: 0 }
  const ways = new Set<string>()
  const policy = makeWorld(dice, keys).policy
  for (let left = Math.ceil(RUNS * 0.08); left > 0; left--) {
    const figures = await makeFigures(dice, keys)
    const notBefore = oneOf(dice, figures.heads).state.recorded_at
    const { how, body } = await lieAboutFigures(dice, figures)
    const honest = (figures.heads.at(-1) as FiguresHead).body
    const check = (told: Members): Promise<BodyVerdict> =>
      verifyBody(JSON.stringify(told), policy, { figures: true }, { notBefore })
    expect(await check(honest)).toMatchObject({ ok: true })
    const verdict = await check(body)
    const lie = verdict.ok ? lieInFigures(figures, verdict.checkpoint, notBefore, body) : undefined
    if (lie !== undefined) throw new Error(`${how} was accepted, ${lie}: ${JSON.stringify(body)}`)
    if (verdict.ok) count.true++
    else {
      count.refused++
      ways.add(how)
    }
  }
  expect(count.refused).toBeGreaterThan(count.true)
  expect(ways.size).toBe(6)
})
