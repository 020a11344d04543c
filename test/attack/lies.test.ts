// Lies about every kind of answer, against the verifier with its question at hand. The lies are those of liar.ts.

import { describe, expect, test } from 'bun:test'
import { classOf } from '../../src/proof/fault.ts'
import { type BodyVerdict, verifyBody } from '../../src/proof/verify-lists.ts'
import { isLong } from '../support/long.ts'
import { headOf, inquiryOf, KIND_NAMES, type KindName, kindNamed } from './answer-kinds.ts'
import { dice as roll } from './dice.ts'
import { type FiguresHead, lieAboutFigures, lieInFigures, makeFigures } from './figures-liar.ts'
import { LIE_NAMES, lieAbout } from './liar.ts'
import { type Members, makeKeys, makeWorld, oneOf } from './lie-world.ts'

/** So many of each kind. */
const RUNS = isLong ? 20_000 : 500
/** Another one tries others than those of every day. */
const SEED = Number(process.env['ATR_FUZZ_SEED'] ?? 0)
const RUNS_IN_A_WORLD = 250
const CLASSES = new Set([
  'malformed',
  'wrong_key',
  'stale',
  'not_in_log',
  'not_in_release',
  'not_in_force',
  'not_the_answer',
  'arithmetic',
  'incomplete',
  'nothing_proved',
  'tables_differ',
])
const keys = makeKeys()
const tried = new Set<string>()

/** Tries lies in one random world after another; no lie may be accepted, and no honest answer refused. */
async function campaign(name: KindName, seed: number): Promise<void> {
  const dice = roll(SEED + seed)
  const kind = kindNamed(name)
  const came: { [how: string]: { refused: number; true: number } } = {}
  let world = makeWorld(dice, keys)
  for (let run = 1; run <= RUNS; run++) {
    if (run % RUNS_IN_A_WORLD === 0) world = makeWorld(dice, keys)
    const asked = await kind.ask(dice, world)
    const attempt = await lieAbout(dice, world, name, asked)
    const told = (what: string): Error =>
      new Error(`${name}, seed ${SEED + seed}, run ${run}: ${what}: ${JSON.stringify({ asked, ...attempt })}`)
    const check = (body: unknown, notBefore: string): Promise<BodyVerdict> =>
      verifyBody(JSON.stringify(body), world.policy, inquiryOf(name, asked), { notBefore }).catch((cause) => {
        throw told(`the verifier failed, ${cause}`)
      })
    if (run % 5 === 0) {
      const honest = await kind.honest(world.newest, asked, dice.chance(0.5) ? 1 + dice.below(4) : undefined)
      const verdict = await check(honest, world.newest.state.recorded_at)
      if (!verdict.ok) throw told(`an honest answer was refused, ${verdict.reason}: ${JSON.stringify(honest)}`)
    }
    const notBefore = (dice.chance(0.7) ? world.newest : oneOf(dice, world.heads)).state.recorded_at
    const verdict = await check(attempt.body, attempt.class ? '2026-01-01T00:00:00Z' : notBefore)
    came[attempt.how] ??= { refused: 0, true: 0 }
    const count = came[attempt.how] as { refused: number; true: number }
    if (!verdict.ok) {
      count.refused++
      if (!CLASSES.has(verdict.class) || verdict.class !== classOf(verdict.reason)) throw told('no class')
      if (attempt.class && attempt.class !== verdict.class) throw told(`${verdict.reason} is of another class`)
      continue
    }
    if (attempt.class) throw told('what breaks a rule was accepted')
    count.true++
    const head = await headOf(world, verdict, notBefore)
    const lie = head ? await kind.lieIn(head, asked, attempt.body, verdict) : 'a head that will not do'
    if (lie !== undefined) throw told(`a lie was accepted, ${lie}`)
  }
  if (isLong) console.log(name, came)
  for (const [how, { refused }] of Object.entries(came)) if (refused > 0) tried.add(how)
  const total = (which: 'refused' | 'true') => Object.values(came).reduce((sum, count) => sum + count[which], 0)
  // Most of what was tried is no answer.
  expect(total('refused')).toBeGreaterThan(total('true'))
}

describe('no lie is accepted, and no honest answer refused, as the answer to', () => {
  test.each(KIND_NAMES.map((name, i) => [name, i + 1] as const))('%s', campaign)
})

test('each way to lie was tried, and refused', () => {
  expect(LIE_NAMES.filter((name) => !tried.has(name))).toEqual([])
})

test('no figure is accepted but the one that stands', async () => {
  const dice = roll(SEED + 50)
  const count = { refused: 0, true: 0 }
  const ways = new Set<string>()
  const policy = makeWorld(dice, keys).policy
  for (let left = isLong ? RUNS : 100; left > 0; left--) {
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
