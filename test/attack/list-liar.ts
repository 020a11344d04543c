// The liar without a key again: bills, pages and sheets that he puts together.

import type { PageQuestion } from '../../src/proof/list/page.ts'
import { pageOf, registryPage, runsOf } from '../../src/proof/list-fixture.ts'
import { type BillLine, summaryOf } from '../../src/proof/lookup/bill.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { billOf } from '../../src/proof/set-fixture.ts'
import type { Dice } from './dice.ts'
import { type Attempt, meddle, randomlyHiding, renewed, shuffled } from './liar.ts'
import { copyOf, findSheet, honestAnswer, type Members, oneOf, type World } from './lie-world.ts'

/** Something that may pass for a bill. */
export async function lieAboutBill(dice: Dice, world: World, questions: readonly Question[]): Promise<Attempt> {
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const asked = questions.map((question) => ({
    ...(dice.chance(0.1) ? oneOf(dice, world.questions) : question),
    ...(dice.chance(0.5) ? { units: 1 + dice.below(9) } : {}),
    ...(dice.chance(0.5) ? { billed: '250.00' } : {}),
  }))
  const body = copyOf((await billOf(head, asked)).body)
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
  if (how === 'meddle') {
    const donor = (await billOf(oneOf(dice, world.heads), [oneOf(dice, world.questions), ...questions].slice(0, 3)))
      .body
    for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, body, [donor])
  }
  if (dice.chance(0.7)) body['summary'] = totalsOf(results)
  return { how: `bill: ${how}`, body }
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

/** Something that may pass for a page. */
export async function lieAboutPage(dice: Dice, world: World, asked: PageQuestion): Promise<Attempt> {
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const how = oneOf(dice, ['meddle', 'meddle', 'order', 'gap', 'twice', 'another', 'age', 'other log'])
  return { how: `page: ${how}`, body: await lie() }

  async function lie(): Promise<Members> {
    if (how === 'gap' || how === 'twice') return withGaps(dice, head, asked, how === 'twice')
    const other = oneOf(dice, world.questions)
    if (how === 'another') {
      const page = { ...asked, ...oneOf(dice, [{ as_of: other.as_of }, { cpt: other.cpt }, { region: 'US-IL-15' }]) }
      return { ...copyOf(await registryPage(oneOf(dice, world.heads), page)), as_of: asked.as_of }
    }
    if (how === 'age') {
      const old = await registryPage(oneOf(dice, world.heads), asked)
      return renewed(old, await world.newest.proof(), world.newest.state)
    }
    const body = copyOf(await registryPage(head, asked))
    if (how === 'order') return shuffled(dice, body)
    if (how === 'other log') return renewed(body, await world.figures.prove(head.log.leaves.length - 1))
    const donor = await registryPage(oneOf(dice, world.heads), { as_of: asked.as_of, cpt: other.cpt })
    for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, body, [copyOf(donor)])
    return body
  }
}

/** A page whose runs are broken, some with a row left out; if need be, under a second copy of their release. */
async function withGaps(dice: Dice, head: MemoryRegistry, asked: PageQuestion, isTwice: boolean): Promise<Members> {
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
  if (!isTwice) return body
  const { releases, proofs } = body as { releases: unknown[]; proofs: { release: number }[] }
  releases.push(...copyOf(releases))
  const seen = new Set<number>()
  for (const proof of proofs) {
    if (seen.has(proof.release)) proof.release += releases.length / 2
    seen.add(proof.release)
  }
  return body
}

/** Something that may pass for a sheet. */
export async function lieAboutSheet(dice: Dice, world: World, question: Question): Promise<Attempt> {
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const how = oneOf(dice, [
    'hide',
    'hide',
    'cut',
    'meddle',
    'meddle',
    'order',
    'another',
    'age',
    'other log',
    'other key',
  ])
  const newest = (await findSheet(world.newest, question)) as Members
  const sheet = async (at: MemoryRegistry, asked = question): Promise<Members> =>
    copyOf((await findSheet(at, asked)) ?? newest)
  return { how: `sheet: ${how}`, body: await lie() }

  async function lie(): Promise<Members> {
    const other = oneOf(dice, world.questions)
    const near = { ...question, ...oneOf(dice, [{ as_of: other.as_of }, { cpt: other.cpt }, { region: other.region }]) }
    if (how === 'hide') {
      const left = await findSheet(head, question, randomlyHiding(dice, head, question))
      return copyOf(left ?? newest)
    }
    if (how === 'another') return { ...(await sheet(head, near)), as_of: question.as_of }
    if (how === 'other key') return sheet(world.twin)
    const body = await sheet(head)
    if (how === 'cut') {
      // A row that is proved like the others, and told as one that only stands beside them.
      const data = body['data'] as { proof: { release: number; index: number } }[]
      const [{ proof, ...row } = { proof: { release: 0, index: 0 } }] = data.splice(dice.below(data.length), 1)
      const { rows } = body['because'] as { rows: object[] }
      if (dice.chance(0.8)) rows.push({ release: proof.release, index: proof.index, row })
      return body
    }
    if (how === 'age') return renewed(body, await world.newest.proof(), world.newest.state)
    if (how === 'order') return shuffled(dice, body)
    if (how === 'other log') return renewed(body, await world.figures.prove(head.log.leaves.length - 1))
    const donors = [await sheet(head, near), await sheet(oneOf(dice, world.heads))]
    for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, body, donors)
    return body
  }
}

/** A question whose sheet has rows. */
export async function aSheet(dice: Dice, { questions, newest }: World): Promise<Question> {
  for (;;) {
    const { cpt, as_of, region, npi } = oneOf(dice, questions)
    const question = copyOf({ cpt, as_of, region, npi })
    if (await findSheet(newest, question)) return question
  }
}

/** A page that has rows, and not so many that it only takes long to check. */
export function aPage(dice: Dice, world: World): PageQuestion {
  for (;;) {
    const { as_of, cpt, npi } = oneOf(dice, world.questions)
    const filters = [
      { cpt },
      { cpt, npi },
      { region: 'US-IL-16' },
      { npi },
      { cpt, region: 'national' },
      { chart: 'cms-clfs' },
    ]
    const page = copyOf({ as_of, ...oneOf(dice, filters) })
    const rows = runsOf(world.newest, page).reduce((sum, { from, to }) => sum + to - from, 0)
    if (rows > 0 && rows < 40) return page
  }
}
