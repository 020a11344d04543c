import { answerValue, type Operation, refusalOf, withoutEmpty } from '../../operation.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { isObject, type Members } from '../../proof/shape.ts'
import type { ShownPlace } from '../written/equipment-words.ts'
import type { Untold } from '../written/sentences.ts'

/** The amount of a state, which may not be the one that applies at a ZIP code: of any other, nothing is left open. */
const isOpen = (row: unknown): boolean =>
  isObject(row) && /^(non_)?rural$/.test(String(row['setting'])) && String(row['region']).startsWith('US-')

/**
 * What decides about the price of equipment at the ZIP code that was asked about; undefined where that is not known, or
 * changes nothing. A short answer does not show its place, so the place is asked for, as a part of the same call.
 */
export async function placeAt(
  lookup: Operation,
  { cpt, region, modifier }: Members,
  { day, answer }: { day: string; answer: Members },
): Promise<ShownPlace | undefined> {
  const { data, place } = answer
  if (place !== undefined || !(Array.isArray(data) ? data : [answer]).some(isOpen)) return undefined
  if (!('zip' in (parseRegion(String(region)) ?? {}))) return undefined
  const found = await wholeAnswer(lookup, { cpt, region, modifier, as_of: day, basis: 'medicare_dmepos' })
  const shown = isObject(found) ? found['place'] : undefined
  return isObject(shown) ? (shown as ShownPlace) : undefined
}

/** An amount of which a row says more than a short answer shows: with these modifiers, of a hospital or center, or by another list than the first. */
const isShort = ({ indicators, adjustment, basis }: Members, { setting }: Members): boolean =>
  indicators === undefined &&
  (isObject(adjustment) ||
    /^medicare_(opps|asc)$/.test(String(basis)) ||
    (setting === 'outpatient' && basis === 'medicare_clfs'))

/** What the whole answer to the same question has, where a short one leaves open what to say beside the amount. */
export async function untoldOf(
  lookup: Operation,
  asked: Members,
  { day, answer }: { day: string; answer: Members },
): Promise<Untold> {
  if (!isShort(answer, asked)) return {}
  const found = await wholeAnswer(lookup, { ...asked, as_of: day })
  return isObject(found) ? (found as Untold) : {}
}

/** A refusal shows the place too. Whatever fails here, the answer stands without it. */
async function wholeAnswer(lookup: Operation, asked: Members): Promise<unknown> {
  try {
    const input = lookup.input.parse(withoutEmpty({ ...asked, include: 'proof' }))
    return answerValue(await lookup.run(input, {}))
  } catch (error) {
    return refusalOf(error)?.extra.members
  }
}
