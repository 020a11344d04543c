// The check of a comparison: what each hospital near a place states for a code, and proof that none is left out.

import {
  codeOf,
  isOfEdition,
  isPlacedBy,
  OF_MODIFIERS,
  saysOfModifiers,
  type TakenAnswer,
  takePrice,
} from '../answer.ts'
import { type Evidence, isSame } from '../evidence.ts'
import { eachOf, ensure } from '../fault.ts'
import {
  type CompareQuestion,
  compareFor,
  comparisonOf,
  type HospitalDecision,
  MOST_COMPARED,
} from '../lookup/compare.ts'
import { HOSPITAL_LIST } from '../price/charts.ts'
import { registryOn } from '../proved-registry.ts'
import { hasOnly, isDay, isObject, listOf, type Members, NAME } from '../shape.ts'
import { ShownRows, type StatedRow } from '../shown-rows.ts'
import { type CheckedList, type FactsOfBody, rowAnswer } from './checked-list.ts'

interface PricedHospital {
  hospital: StatedRow
  price: TakenAnswer & { row: StatedRow }
}
interface OtherHospital {
  hospital: StatedRow
  code: string
}

const isList = listOf(isObject, MOST_COMPARED)

export async function checkCompare(
  body: Members,
  question: CompareQuestion | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { hospitals, without = [], place, as_of } = body
  const isComparison =
    hasOnly(body, ['hospitals', 'without', 'place', 'as_of', 'proof']) &&
    isList(hospitals) &&
    isList(without) &&
    (body['without'] === undefined || (without as unknown[]).length > 0) &&
    isDay(as_of)
  ensure(isComparison, 'not_recognised')
  const shown = new ShownRows()
  const priced = eachOf(hospitals as unknown[], (each) => takePriced(shown, each as Members))
  const others = eachOf(without as unknown[], (each) => takeOther(shown, each as Members))
  const placed = place === undefined ? undefined : shown.takePlace(place)
  const evidence = await factsOf(shown)
  const answers = priced.map(({ price }) => rowAnswer(evidence, price.row))
  if (question === undefined) {
    ensure(priced.length > 0, 'nothing_proved')
    return { evidence, answers }
  }
  const asked = comparisonOf(question)
  ensure(asked && asked.day === as_of, 'question_malformed')
  const found = compareFor(asked, registryOn(evidence, asked.day), evidence.charts)
  const isAnswer =
    found.outcome === 'comparison' &&
    isPlacedBy(evidence, placed, found.place, asked.day) &&
    priced.length === found.priced.length &&
    priced.every((each, i) => isPriceOf(evidence, each, found.priced[i] as HospitalDecision, asked.day)) &&
    others.length === found.others.length &&
    others.every(({ hospital, code }, i) => {
      const other = found.others[i] as HospitalDecision
      return isListed(evidence, hospital, other, asked.day) && code === codeOf(other.decision)
    })
  ensure(isAnswer, 'answers_another_question')
  return { evidence, answers }
}

function takeHospital(shown: ShownRows, stated: unknown): StatedRow {
  const hospital = shown.take(stated)
  ensure(hospital.row.kind === 'hospital', 'row_malformed')
  return hospital
}

function takePriced(shown: ShownRows, { hospital, price, ...stated }: Members): PricedHospital {
  const row = shown.take(price)
  ensure('price' in row.row && hasOnly(stated, OF_MODIFIERS), 'row_malformed')
  return { hospital: takeHospital(shown, hospital), price: { ...takePrice(shown, row, stated), row } }
}

function takeOther(shown: ShownRows, { hospital, code, ...more }: Members): OtherHospital {
  ensure(typeof code === 'string' && NAME.test(code) && Object.keys(more).length === 0, 'not_recognised')
  return { hospital: takeHospital(shown, hospital), code }
}

const isListed = (evidence: Evidence, stated: StatedRow, { hospital }: HospitalDecision, day: string): boolean =>
  isSame(stated.row, hospital) && isOfEdition(evidence, stated, HOSPITAL_LIST, day)

function isPriceOf(
  evidence: Evidence,
  { hospital, price }: PricedHospital,
  found: HospitalDecision,
  day: string,
): boolean {
  const { decision } = found
  return (
    isListed(evidence, hospital, found, day) &&
    decision.outcome === 'price' &&
    isSame(price.row.row, decision.row) &&
    isOfEdition(evidence, price.row, decision.chart, day) &&
    saysOfModifiers(price.stated, decision)
  )
}
