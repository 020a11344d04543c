// The check of an answer to a bill: the rules are run again on what the body proves, and must come to the same answer. So no finding is
// invented, and none is left out.

import type { CheckedAnswer } from '../answer.ts'
import { type Evidence as Facts, isSame } from '../evidence.ts'
import { ensure, Failure } from '../fault.ts'
import type { CheckedList, FactsOfBody } from '../list/checked-list.ts'
import type { Registry } from '../lookup/lists.ts'
import { verifyDerivation } from '../price/derivation.ts'
import { isOfPrices, rowKey } from '../price/row.ts'
import { editionOn, registryOn } from '../proved-registry.ts'
import { hasOnly, isObject, type Members } from '../shape.ts'
import { ShownRows } from '../shown-rows.ts'
import { isBill, MOST_BILL_LINES, parseBill, type StatedBill } from './bill.ts'
import { bodyOf, type PointerOf, prolongedIn } from './body.ts'
import { checkBill } from './check.ts'

const MEMBERS = ['side', 'claim', 'by_history', 'prolonged', 'lines', 'findings', 'skipped', 'sums']

export async function checkBillAnswer(
  body: Members,
  asked: StatedBill | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { lines, findings, skipped } = body
  const areLists = [lines, findings, skipped].every(Array.isArray)
  ensure(hasOnly(body, [...MEMBERS, 'proof']) && areLists && isObject(body['sums']), 'not_recognised')
  ensure((lines as unknown[]).length <= MOST_BILL_LINES, 'not_recognised')
  const evidence = await factsOf(new ShownRows())
  ensureDerived(evidence)
  if (asked === undefined) return { evidence, answers: answersOf(evidence) }
  const bill = parseBill(asked)
  ensure(isBill(bill), 'question_malformed')
  const days = new Map<string, Registry>()
  const on = (day: string): Registry => {
    const known = days.get(day) ?? registryOn(evidence, day)
    days.set(day, known)
    return known
  }
  const { sums, ...expected } = bodyOf(checkBill(bill, on, evidence.charts), pointerIn(evidence))
  const { proof: _, sums: stated, ...told } = body
  const prolonged = prolongedIn(evidence.releases.map(({ release }) => release))
  ensure(isSame(told, { ...expected, ...prolonged }), 'answers_another_question')
  ensure(isSame(stated, sums), 'sum_mismatch')
  return { evidence, answers: answersOf(evidence) }
}

/** Each price and absence that the proof shows follows from its own inputs. */
function ensureDerived({ releases }: Facts): void {
  for (const { rows } of releases)
    for (const { leaf } of rows.all) {
      const verdict = isOfPrices(leaf) ? verifyDerivation(leaf) : undefined
      if (verdict && !verdict.ok) throw new Failure(verdict.reason)
    }
}

/** The rows that the proof shows, as answers without a decision. */
const answersOf = ({ releases }: Facts): CheckedAnswer[] =>
  releases.flatMap(({ release, rows }) =>
    rows.all.map(({ leaf }) => ({ row: leaf, release, decision: undefined, lacking: [] })),
  )

/** The place of a row among the releases of the proof. */
function pointerIn(facts: Facts): PointerOf {
  const places = new Map(
    facts.releases.map(({ release, rows }, i) => [
      release,
      { place: i, indexes: new Map(rows.all.map(({ index, leaf }) => [rowKey(leaf), index])) },
    ]),
  )
  return ({ chart, day, row }) => {
    const edition = editionOn(facts, chart, day)
    const known = edition && places.get(edition.release)
    const index = known?.indexes.get(rowKey(row))
    ensure(known && index !== undefined, 'choice_not_proved')
    return { release: known.place, index }
  }
}
