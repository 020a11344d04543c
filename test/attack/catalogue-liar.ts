// What a liar without a key may put together that may pass for a list of releases, for coverage or for a history, and
// whether what was accepted is a lie.

import { canonical } from '../../src/proof/canonical-json.ts'
import { coverageList, releaseList, runOf } from '../../src/proof/catalogue/catalogue-fixture.ts'
import { historyOf } from '../../src/proof/catalogue/history-fixture.ts'
import type { TimelineRun } from '../../src/proof/catalogue/timeline-proof.ts'
import type { MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import type {
  CoverageQuestion,
  HistoryQuestion,
  ReleasesQuestion,
  VerifiedAnswer,
} from '../../src/proof/verify-lists.ts'
import type { Dice } from './dice.ts'
import { type Attempt, meddle } from './liar.ts'
import { headOf } from './lie-judge.ts'
import { copyOf, type Members, oneOf, type World } from './lie-world.ts'

export type AskedList = { releases: ReleasesQuestion } | { coverage: CoverageQuestion } | { history: HistoryQuestion }

const CHARTS = [undefined, undefined, 'cms-pfs', 'cms-pfs-qpp', 'cms-clfs', 'zip-locality', 'hospital-mrf:1234567893']
const ALL = 1_000

/** A list that can be asked for. */
export function aList(dice: Dice, world: World): AskedList {
  const { as_of, ...question } = oneOf(dice, world.questions)
  const chart = oneOf(dice, CHARTS)
  const what = dice.below(3)
  if (what === 0) return copyOf({ releases: { chart, state: dice.chance(0.2) ? 'published' : undefined } })
  if (what === 1) return copyOf({ coverage: { as_of, chart } })
  const isKnown = world.newest.standing.providers.some(({ npi }) => npi === question.npi)
  return copyOf({
    history: { ...question, npi: isKnown ? question.npi : undefined, basis: undefined, setting: undefined },
  })
}

/** The list of an honest service, from any place on. */
export async function honestList(head: MemoryRegistry, asked: AskedList, offset = 0, limit = ALL): Promise<Members> {
  if ('releases' in asked) return releaseList(head, { ...asked.releases, offset }, limit)
  if ('coverage' in asked) return coverageList(head, { ...asked.coverage, offset }, limit)
  return historyOf(head, { ...asked.history, offset }, {}, limit)
}

/** Something that may pass for a list. */
export async function lieAboutList(dice: Dice, world: World, asked: AskedList): Promise<Attempt> {
  const kind = Object.keys(asked)[0] as string
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const limit = dice.chance(0.5) ? ALL : 1 + dice.below(4)
  const body = copyOf(await honestList(head, asked, 0, limit))
  const how = oneOf(dice, ['meddle', 'cut', 'cut', 'stretch', 'older', 'mixed'])
  const data = body['data'] as unknown[]
  const donor = copyOf(await honestList(oneOf(dice, world.heads), dice.chance(0.5) ? asked : aList(dice, world)))
  if (how === 'meddle') for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, body, [donor])
  if (how === 'cut') cutOut(dice, head, body)
  if (how === 'stretch') stretch(dice, head, body)
  if (how === 'older')
    data.splice(dice.below(data.length + 1), dice.below(2), ...(donor['data'] as unknown[]).slice(0, 2))
  if (how === 'mixed') for (const name of Object.keys(body)) if (dice.chance(0.3)) body[name] = donor[name] ?? null
  if (dice.chance(0.2))
    (body['page'] as Members | null) &&= { ...(body['page'] as Members), has_more: dice.chance(0.5) }
  return { how: `${kind}: ${how}`, body }
}

/** Some entries are not told, and the timeline is shown as if they were not there. */
function cutOut(dice: Dice, head: MemoryRegistry, body: Members): void {
  const data = body['data'] as unknown[]
  data.splice(dice.below(data.length + 1), 1 + dice.below(3))
  if (dice.chance(0.5)) stretch(dice, head, body)
}

/** Other stretches of the true timeline. */
function stretch(dice: Dice, head: MemoryRegistry, body: Members): void {
  const runs = (body['timeline'] ?? (body['proof'] as Members)['runs']) as TimelineRun[]
  const { length } = head.standing.periods
  for (const [i, { from, periods }] of runs.entries()) {
    const to = from + periods.length
    const start = Math.max(0, from + dice.below(5) - 2)
    const end = Math.min(length, Math.max(start + 1, to + dice.below(5) - 2))
    if (start < end) runs[i] = runOf(head, start, end)
  }
}

/** What is wrong with an accepted list; undefined if it is no lie. */
export async function lieInList(
  world: World,
  proved: VerifiedAnswer,
  asked: AskedList,
  notBefore: string,
  body: Members,
): Promise<string | undefined> {
  const head = await headOf(world, proved, notBefore)
  if (!head) return 'a head that will not do'
  const truth = copyOf(await honestList(head, asked))
  const namesOf = (list: unknown): string[] =>
    (list as Members[]).map(({ release_id, in_force, effective_from, effective_to }) =>
      canonical([release_id, in_force ?? null, effective_from, effective_to ?? null]),
    )
  const [told, all] = [namesOf(body['data']), namesOf(truth['data'])]
  if (told.some((name) => !all.includes(name))) return 'a release that is not there'
  const isInForce = (name: string): boolean =>
    !('releases' in asked) || !canonical(JSON.parse(name)[1]).includes('null')
  const [toldInForce, inForce] = [told.filter(isInForce), all.filter(isInForce)]
  if (canonical(toldInForce) !== canonical(inForce.slice(0, toldInForce.length))) return 'a release was left out'
  const { has_more } = body['page'] as Members
  if (has_more === false && toldInForce.length < inForce.length) return 'the end was left out'
  if (told.length === 0 && (has_more || inForce.length > 0)) return 'nothing is shown where there is something'
  if (proved.editions.length !== told.length) return 'other releases proved'
  if (!('history' in asked)) return undefined
  const answers = (list: unknown): string[] =>
    (list as { answer: { row?: Members; problem?: Members } }[]).map(({ answer: { row, problem } }) =>
      canonical([row ? { ...row, proof: null } : null, problem?.['code'] ?? null]),
    )
  const said = answers(body['data'])
  return canonical(said) === canonical(answers(truth['data']).slice(0, said.length)) ? undefined : 'another answer'
}
