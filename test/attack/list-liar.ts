// What a liar without a key may put together that may pass for a bill, a sheet or a page.

import type { View } from '../../src/proof/answer-fixture.ts'
import type { PageQuestion } from '../../src/proof/list/page.ts'
import { pageOf, registryPage, runsOf } from '../../src/proof/list-fixture.ts'
import { type BillLine, summaryOf } from '../../src/proof/lookup/bill.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { SheetQuestion } from '../../src/proof/lookup/sheet.ts'
import type { MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { billOf, sheetOf } from '../../src/proof/set-fixture.ts'
import type { Dice } from './dice.ts'
import { type Attempt, meddle, randomlyHiding } from './liar.ts'
import { copyOf, honestAnswer, type Members, oneOf, type World } from './lie-world.ts'

/** Something that may pass for a bill. */
export async function lieAboutBill(dice: Dice, world: World, questions: readonly Question[]): Promise<Attempt> {
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const asked = questions.map((question) => ({
    ...(dice.chance(0.1) ? oneOf(dice, world.questions) : question),
    ...(dice.chance(0.5) ? { units: 1 + dice.below(9) } : {}),
    ...(dice.chance(0.5) ? { billed: '250.00' } : {}),
  }))
  const body = copyOf((await billOf(head, asked)).body)
  const donor = (await billOf(oneOf(dice, world.heads), [oneOf(dice, world.questions), ...questions].slice(0, 3))).body
  const results = body['results'] as Members[]
  const [i, j] = [dice.below(results.length), dice.below(results.length)]
  const how = oneOf(dice, ['meddle', 'meddle', 'swap', 'refuse', 'whole'])
  if (how === 'swap') [results[i], results[j]] = [results[j] as Members, results[i] as Members]
  if (how === 'refuse')
    results[i] = {
      status: oneOf(dice, [400, 404]),
      problem: oneOf(dice, [{ code: 'invalid_input' }, results[j]?.['problem'] ?? null]),
    }
  // The whole answer of a line, a price among them, told as a refusal.
  if (how === 'whole') {
    const { because: _, ...answer } = copyOf((await honestAnswer(head, questions[i] as Question)).body)
    const because = results[i]?.['because']
    results[i] = { status: 404, problem: { ...answer, ...(because === undefined ? {} : { because }) } }
  }
  if (how === 'meddle') for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, body, [donor])
  if (dice.chance(0.7)) body['summary'] = totalsOf(results)
  return { how: `bill ${how}`, body }
}

/** The totals that follow from what lines say of themselves. */
function totalsOf(lines: readonly Members[]): unknown {
  try {
    return summaryOf(
      lines.map(({ status, row, extended, billed = null }) =>
        status === 200 ? ({ basis: (row as Members)['basis'], extended, billed } as BillLine) : undefined,
      ),
    )
  } catch {
    return null
  }
}

/** Something that may pass for a sheet. */
export async function lieAboutSheet(
  dice: Dice,
  world: World,
  asked: SheetQuestion,
  others: readonly SheetQuestion[],
): Promise<Attempt> {
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const how = oneOf(dice, ['meddle', 'meddle', 'hide', 'hide', 'other', 'cut'])
  const honest = copyOf((await sheetIfAny(head, asked)) ?? (await sheetOf(world.newest, asked)))
  if (how === 'hide') {
    const hidden = await sheetIfAny(head, asked, randomlyHiding(dice, head, asked))
    return { how: 'sheet hide', body: copyOf(hidden ?? honest) }
  }
  if (how === 'other') return { how: 'sheet other', body: copyOf(await sheetOf(world.newest, oneOf(dice, others))) }
  if (how === 'cut') {
    // A row that is proved like the others, and told as one that only stands beside them.
    const data = honest['data'] as { proof: { release: number; index: number } }[]
    const [{ proof, ...row } = { proof: { release: 0, index: 0 } }] = data.splice(dice.below(data.length), 1)
    const { rows } = honest['because'] as { rows: object[] }
    if (dice.chance(0.8)) rows.push({ release: proof.release, index: proof.index, row })
    return { how: 'sheet cut', body: honest }
  }
  const donor = await sheetOf(world.newest, oneOf(dice, others))
  for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, honest, [copyOf(donor)])
  return { how: 'sheet meddle', body: honest }
}

/** Undefined where the question is refused. */
async function sheetIfAny(head: MemoryRegistry, asked: SheetQuestion, view?: View): Promise<Members | undefined> {
  try {
    return await sheetOf(head, asked, view)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Something that may pass for a page. */
export async function lieAboutPage(dice: Dice, world: World, asked: PageQuestion): Promise<Attempt> {
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const how = oneOf(dice, ['meddle', 'meddle', 'gap', 'twice', 'other'])
  const honest = await registryPage(head, asked)
  if (how === 'gap' || how === 'twice') {
    const runs = runsOf(head, asked).flatMap((run) => {
      const cut = run.from + 1 + dice.below(run.to - run.from)
      return cut + 1 < run.to
        ? [
            { ...run, to: cut },
            { ...run, from: cut + dice.below(2) },
          ]
        : [run]
    })
    const body = copyOf(await pageOf(head, asked.as_of, runs))
    const { releases, proofs } = body as { releases: unknown[]; proofs: { release: number }[] }
    if (how === 'twice') {
      releases.push(...copyOf(releases))
      const seen = new Set<number>()
      for (const proof of proofs) {
        if (seen.has(proof.release)) proof.release += releases.length / 2
        seen.add(proof.release)
      }
    }
    return { how: `page ${how}`, body }
  }
  if (how === 'other') {
    const page = await registryPage(oneOf(dice, world.heads), { ...asked, as_of: oneOf(dice, world.questions).as_of })
    return { how: 'page other', body: { ...copyOf(page), as_of: asked.as_of } }
  }
  const body = copyOf(honest)
  for (let left = 1 + dice.below(3); left > 0; left--)
    meddle(dice, body, [
      copyOf(
        await registryPage(oneOf(dice, world.heads), { as_of: asked.as_of, cpt: oneOf(dice, world.questions).cpt }),
      ),
    ])
  return { how: 'page meddle', body }
}
