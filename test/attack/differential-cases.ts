// Cases to ask every verifier about: bodies whose operator lies and signs, answers put together by a liar without a key,
// and the published vectors with something changed. Each case follows from a seed and the number of its run.

import { answerOf } from '../../src/proof/answer-fixture.ts'
import type { PageQuestion } from '../../src/proof/list/page.ts'
import { registryPage } from '../../src/proof/list-fixture.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { formatTreeHead } from '../../src/proof/note/tree-head.ts'
import type { AnyRow } from '../../src/proof/price/row.ts'
import { billOf } from '../../src/proof/set-fixture.ts'
import type { Inquiry } from '../../src/proof/verify-lists.ts'
import { aList, honestList, lieAboutList } from './catalogue-liar.ts'
import { type Dice, dice as roll } from './dice.ts'
import { changeMember } from './differential-change.ts'
import { BODY_STEPS, type Draft, donorsOf, written } from './differential-draft.ts'
import { strangeFigures } from './differential-figures.ts'
import type { Case } from './differential-judges.ts'
import { strangeGrowth } from './differential-logs.ts'
import { strangeNote } from './differential-notes.ts'
import { changePlausibly } from './differential-plausible.ts'
import { reseal, type ShownParts, shownIn } from './differential-reseal.ts'
import { Forgery, noEdits, rowName } from './differential-seal.ts'
import { changedVector } from './differential-vectors.ts'
import { lieTo, randomlyHiding } from './liar.ts'
import { copyOf, findSheet, honestAnswer, type Members, makeKeys, makeWorld, oneOf, type World } from './lie-world.ts'
import { aPage, aSheet, lieAboutBill, lieAboutPage, lieAboutSheet } from './list-liar.ts'

export const keys = makeKeys()
export const policy = formatPolicy([keys.registry, keys.figures])

/** The cases of one seed, world after world. */
export class Cases {
  static readonly IN_A_WORLD = 200
  readonly #worlds = new Map<number, World>()

  constructor(readonly seed: number) {}

  #world(run: number): World {
    const number = Math.floor(run / Cases.IN_A_WORLD)
    const world = this.#worlds.get(number) ?? makeWorld(roll(this.seed * 7919 + number), keys)
    this.#worlds.clear()
    this.#worlds.set(number, world)
    return world
  }

  /** The case of a run; `keeps` leaves out some of its changes, to see which of them matter. */
  async at(run: number, keeps: (change: number) => boolean = () => true): Promise<Case> {
    const dice = roll((this.seed * 1_000_003 + run) | 0)
    const world = this.#world(run)
    const kind = dice.below(100)
    const steps = 1 + (dice.chance(0.3) ? 1 + dice.below(2) : 0)
    const chosen = Array.from({ length: steps }, (_, i) => roll((this.seed * 31 + run * 17 + i * 101) | 0)).filter(
      (_, i) => keeps(i),
    )
    if (kind < 4) return strangeNote(chosen[0] ?? roll(1))
    if (kind < 6) return strangeGrowth(chosen[0] ?? roll(1))
    if (kind < 9) return strangeFigures(chosen[0] ?? roll(1), keys.figures, policy)
    if (kind < 34) return changedVector(dice, chosen)
    const draft = kind < 49 ? await lieOf(dice, world) : await forgedOf(dice, world, chosen)
    if (kind < 49 || dice.chance(0.25)) for (const each of chosen) oneOf(each, BODY_STEPS)(draft, each)
    return written(draft)
  }
}

/** What a liar without a key puts together, with what he was asked. */
async function lieOf(dice: Dice, world: World): Promise<Draft> {
  const kind = dice.below(10)
  const question = oneOf(dice, world.questions)
  if (kind < 7) return bodyOf((await lieTo(dice, world, question)).body, { question })
  if (kind < 9) {
    const questions = Array.from({ length: 1 + dice.below(3) }, () => oneOf(dice, world.questions))
    return bodyOf((await lieAboutBill(dice, world, questions)).body, { questions })
  }
  if (dice.chance(0.3)) {
    const list = aList(dice, world)
    return bodyOf((await lieAboutList(dice, world, list)).body, list)
  }
  if (dice.chance(0.5)) {
    const sheet = await aSheet(dice, world)
    return bodyOf((await lieAboutSheet(dice, world, sheet)).body, { sheet })
  }
  const page = aPage(dice, world)
  return bodyOf((await lieAboutPage(dice, world, page)).body, { page })
}

const bodyOf = (body: Members, asked?: object): Draft => ({
  given: { kind: 'body', policy, ...(asked ? { asked: copyOf(asked) } : {}) },
  body: copyOf(body),
})

/** An honest answer of any kind, of which the operator has changed something before he signed. */
async function forgedOf(dice: Dice, world: World, changes: readonly Dice[]): Promise<Draft> {
  const { body, asked } = await answered(dice, world)
  const shown = await shownIn(body, world.newest)
  const edits = noEdits()
  const donors = donorsOf(body)
  for (const change of changes) addEdit(change, world, edits, shown, donors)
  await reseal(body, new Forgery(world.newest, edits))
  return bodyOf(body, dice.chance(0.85) ? asked : undefined)
}

export type Answer = { body: Members; asked: Inquiry }

export async function answered(dice: Dice, world: World): Promise<Answer> {
  const { newest } = world
  const question = oneOf(dice, world.questions)
  const kind = dice.below(22)
  if (kind > 19) {
    const list = aList(dice, world)
    return { body: copyOf(await honestList(newest, list)), asked: list }
  }
  if (kind < 8) return { body: copyOf((await honestAnswer(newest, question)).body), asked: { question } }
  if (kind < 12) {
    const { body } = await answerOf(newest, question, randomlyHiding(dice, newest, question))
    return { body: copyOf(body), asked: { question } }
  }
  if (kind < 15) {
    const asked = Array.from({ length: 1 + dice.below(3) }, () => oneOf(dice, world.questions))
    const bill = asked.map((each) => ({ ...each, ...(dice.chance(0.5) ? { units: 3, billed: '250.00' } : {}) }))
    return { body: copyOf((await billOf(newest, bill)).body), asked: { questions: asked } }
  }
  if (kind < 17) {
    const page: PageQuestion = aPage(dice, world)
    return { body: copyOf(await registryPage(newest, page)), asked: { page } }
  }
  if (kind < 18) {
    const asked = await aSheet(dice, world)
    return { body: copyOf((await findSheet(newest, asked)) as Members), asked: { sheet: asked } }
  }
  if (kind < 19) {
    const release = oneOf(
      dice,
      newest.releases.filter(({ rows }) => rows.length > 0),
    )
    const cited = await newest.citePublished(release, dice.below(release.rows.length))
    return { body: copyOf({ ...cited }) as unknown as Members, asked: { question } }
  }
  return { body: await refusalOf(dice, world, question), asked: { question } }
}

/** A refusal by absence proofs, one for each schedule in force. */
async function refusalOf(dice: Dice, { newest }: World, { cpt, as_of }: Question): Promise<Members> {
  const inForce = newest.releases.filter(
    (release) => newest.isInForce(release) && newest.editionOn(release.manifest.chart, as_of) === release,
  )
  const absence = []
  for (const release of inForce.slice(0, 1 + dice.below(3)))
    absence.push(
      await newest.absence(release, oneOf(dice, [`${cpt}|`, '99999|', '00000|', `${cpt}|US-IL-`, '60611|', '99950|'])),
    )
  return copyOf({ code: 'not_on_schedule', status: 404, absence }) as unknown as Members
}

function addEdit(
  dice: Dice,
  { newest }: World,
  edits: ReturnType<typeof noEdits>,
  { rows, releases, periods, providers }: ShownParts,
  donors: ReadonlyMap<string, readonly unknown[]>,
): void {
  const isPlausible = dice.chance(0.7)
  const change = (value: Members): void =>
    isPlausible ? changePlausibly(dice, value) : changeMember(dice, value, donors)
  const become = (other: object) => (value: Members) => {
    for (const name of Object.keys(value)) delete value[name]
    Object.assign(value, copyOf(other))
  }
  const what = dice.below(20)
  if (what < 6 && rows.length > 0) {
    const { release, index } = oneOf(dice, rows)
    edits.rows.set(rowName(release, index), change)
  } else if (what === 6 && rows.length > 0) {
    // Two rows in each other's place, or one in both.
    const { release, index } = oneOf(dice, rows)
    const other = dice.below(release.rows.length)
    edits.rows.set(rowName(release, index), become(release.rows[other] as AnyRow))
    if (dice.chance(0.5)) edits.rows.set(rowName(release, other), become(release.rows[index] as AnyRow))
  } else if (what < 11 && releases.size > 0) edits.manifests.set(oneOf(dice, [...releases]).name, change)
  else if (what === 14 && periods.size > 0)
    edits.periods.set(oneOf(dice, [...periods]), become(oneOf(dice, newest.standing.periods)))
  else if (what < 14 && periods.size > 0) edits.periods.set(oneOf(dice, [...periods]), change)
  else if (what < 17 && providers.size > 0) edits.providers.set(oneOf(dice, [...providers]), change)
  else if (what < 19) edits.state = change
  else
    edits.head = (head) =>
      oneOf(dice, [
        () => formatTreeHead({ ...head, size: head.size + oneOf(dice, [1, -1, 1000]) }),
        () => formatTreeHead({ ...head, origin: oneOf(dice, [`${head.origin}/log/registry`, keys.figures.name, 'x']) }),
        () => `${formatTreeHead(head)}${oneOf(dice, ['x\n', '\n', ' \n'])}`,
        () => formatTreeHead(head).replace('\n', oneOf(dice, [' \n', '\n0', '\n\n', '\u0085\n'])),
        () => formatTreeHead({ ...head, root: new Uint8Array(32) }),
        () => formatTreeHead({ ...newest.log, ...head, size: 0 }),
      ])()
}
