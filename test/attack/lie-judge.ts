// Whether something that was accepted is a lie: it says something other than the honest answer under the head that it
// was proved under, or that head is older than the verifier wanted.

import { canonical } from '../../src/proof/canonical-json.ts'
import type { PageQuestion } from '../../src/proof/list/page.ts'
import { runsOf } from '../../src/proof/list-fixture.ts'
import { extended, summaryOf } from '../../src/proof/lookup/bill.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { SheetQuestion } from '../../src/proof/lookup/sheet.ts'
import { rowText } from '../../src/proof/price/row.ts'
import { sheetOf } from '../../src/proof/set-fixture.ts'
import type { VerifiedAnswer } from '../../src/proof/verify-lists.ts'
import { copyOf, honestAnswer, type Members, type World } from './lie-world.ts'

/** The same text for the same decision; what is undefined is not there. */
const textOf = (value: unknown): string => canonical(copyOf(value ?? null))

/** What a body tells beside its row that is a part of the decision. */
const toldBy = ({ code, modifiers_ignored, adjustment, charts }: Members): string =>
  textOf(
    [code, modifiers_ignored ?? [], adjustment, (code === 'no_edition_for_day' ? charts : []) as unknown[]].map(
      namesOf,
    ),
  )
const namesOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((each) => (each as { chart?: string } | null)?.chart ?? each) : (value ?? null)

/** The head that a verdict stands under, if it is one that will do. */
export async function headOf({ heads }: World, { checkpoint, recorded_at }: VerifiedAnswer, notBefore: string) {
  for (const head of heads)
    if ((await head.proof()).checkpoint === checkpoint)
      return head.state.recorded_at === recorded_at && recorded_at >= notBefore ? head : undefined
  return undefined
}

/** What is wrong with an accepted answer; undefined if it is no lie. */
export async function lieIn(
  world: World,
  proved: VerifiedAnswer,
  question: Question,
  notBefore: string,
  body: Members,
): Promise<string | undefined> {
  const head = await headOf(world, proved, notBefore)
  if (!head) return 'a head that will not do'
  const { decision, body: truth } = await honestAnswer(head, question)
  if (textOf(proved.decisions) !== textOf([decision])) return `${textOf(proved.decisions)} is not ${textOf(decision)}`
  if (toldBy(body) !== toldBy(truth)) return `${toldBy(body)} is not ${toldBy(truth)}`
  const rows = 'row' in decision ? [rowText(decision.row)] : []
  return textOf(proved.rows.map(({ row }) => rowText(row))) === textOf(rows) ? undefined : 'another row'
}

/** The same for a bill. What it says of units and charges is the caller's; every question has a meaning, and so an answer. */
export async function lieInBill(
  world: World,
  proved: VerifiedAnswer,
  questions: readonly Question[],
  notBefore: string,
  body: Members,
): Promise<string | undefined> {
  const head = await headOf(world, proved, notBefore)
  if (!head) return 'a head that will not do'
  const lines = body['results'] as { units?: number; billed?: string | null }[]
  const truth = await Promise.all(questions.map(async (question) => (await honestAnswer(head, question)).decision))
  if (textOf(proved.decisions) !== textOf(truth) || proved.refused > 0) return 'another decision'
  const bill = truth.map((decision, i) => {
    const { units = 1, billed = null } = lines[i] ?? {}
    if (decision.outcome !== 'price') return undefined
    return { basis: decision.row.basis, extended: extended(decision.row, decision.adjustment, units), billed }
  })
  return textOf(body['summary']) === textOf(summaryOf(bill)) ? undefined : 'another total'
}

/** The same for a sheet: it has all rows that there are and no other, and names what is not held. */
export async function lieInSheet(
  world: World,
  proved: VerifiedAnswer,
  asked: SheetQuestion,
  notBefore: string,
  body: Members,
): Promise<string | undefined> {
  const head = await headOf(world, proved, notBefore)
  if (!head) return 'a head that will not do'
  const truth = await sheetOf(head, asked)
  const rowsOf = (list: unknown): string[] => (list as Members[]).map(({ proof: _, ...row }) => textOf(row))
  if (textOf(rowsOf(body['data'])) !== textOf(rowsOf(truth['data']))) return 'other rows'
  if (textOf(proved.rows.map(({ row }) => textOf(row))) !== textOf(rowsOf(truth['data']))) return 'other rows proved'
  if (textOf(body['not_held']) !== textOf(truth['not_held'])) return 'other charts that are not held'
  const [place] = rowsOf([body['place'] ?? truth['place'] ?? {}])
  return place === rowsOf([truth['place'] ?? {}])[0] ? undefined : 'another place'
}

/** The same for a page: rows that do not belong on it, or one left out between two that are there. */
export async function lieInPage(
  world: World,
  proved: VerifiedAnswer,
  asked: PageQuestion,
  notBefore: string,
): Promise<string | undefined> {
  const head = await headOf(world, proved, notBefore)
  if (!head) return 'a head that will not do'
  const runs = runsOf(head, asked)
  const all = runs.flatMap(({ release, from, to }) =>
    release.rows.slice(from, to).map((row) => `${release.name} ${rowText(row)}`),
  )
  const shown = proved.rows.map(({ row, release }) => {
    const held = head.releases.find(({ manifest }) => canonical(manifest) === canonical(copyOf(release)))
    return { at: all.indexOf(`${held?.name} ${rowText(row)}`), name: held?.name }
  })
  if (shown.some(({ at }) => at < 0)) return 'a row that does not belong there'
  const isScattered = asked.cpt === undefined && (asked.region !== undefined || asked.npi !== undefined)
  for (const places of Map.groupBy(shown, ({ name }) => name).values())
    for (const [i, { at }] of places.entries())
      if (i > 0 && !isScattered && at !== (places[i - 1] as { at: number }).at + 1) return 'a row was left out'
  return undefined
}
