import { answerValue, type Operation, refusalOf, withoutEmpty } from '../../operation.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import type { Basis } from '../../proof/price/row.ts'
import { isObject, type Members } from '../../proof/shape.ts'
import { needsEvidence, type ZipPlace } from '../words/schedules.ts'
import type { Evidence } from '../words/sentences.ts'

// A tool answers in the short form, and its sentence may need more: the whole answer is then asked for, as a part of the
// same call.

interface ShortAnswer {
  day: string
  answer: Members
}

/** Whether it is the amount of a state, which may not be the one that applies at a ZIP code. */
const isOfState = (row: unknown): row is Members =>
  isObject(row) && /^(non_)?rural$/.test(String(row['setting'])) && String(row['region']).startsWith('US-')

/** The facts that decide about the price of equipment at the ZIP code of the question; undefined where they are not known, or change nothing. */
export async function placeAt(
  lookup: Operation,
  { cpt, region, modifier }: Members,
  { day, answer }: ShortAnswer,
): Promise<ZipPlace | undefined> {
  const { data, place } = answer
  const row = (Array.isArray(data) ? data : [answer]).find(isOfState)
  if (place !== undefined || !row || !('zip' in (parseRegion(String(region)) ?? {}))) return undefined
  const found = await wholeAnswer(lookup, { cpt, region, modifier, as_of: day, basis: row['basis'] })
  const shown = isObject(found) ? found['place'] : undefined
  return isObject(shown) ? (shown as ZipPlace) : undefined
}

/** The members of the whole answer that decide what to say beside the amount, where the short one leaves it open. */
export async function evidenceOf(
  lookup: Operation,
  question: Members,
  { day, answer }: ShortAnswer,
): Promise<Evidence | undefined> {
  const { indicators, adjustment, basis } = answer
  const isOpen = isObject(adjustment) || (typeof basis === 'string' && needsEvidence(basis as Basis, question))
  if (indicators !== undefined || !isOpen) return undefined
  const found = await wholeAnswer(lookup, { ...question, as_of: day })
  return isObject(found) ? (found as Evidence) : undefined
}

/** A refusal shows the place too. Whatever fails here, the answer is given without it. */
async function wholeAnswer(lookup: Operation, question: Members): Promise<unknown> {
  try {
    const input = lookup.input.parse(withoutEmpty({ ...question, include: 'proof' }))
    return answerValue(await lookup.run(input, {}))
  } catch (error) {
    return refusalOf(error)?.extra.members
  }
}
