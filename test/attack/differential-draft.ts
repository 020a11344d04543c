// A case while it is being changed.

import type { Dice } from './dice.ts'
import { changeMember, otherText } from './differential-change.ts'
import type { Case } from './differential-judges.ts'
import { strangeJson } from './differential-text.ts'
import { membersOf } from './liar.ts'
import { copyOf, type Members, oneOf } from './lie-world.ts'

/** One change of a case. `dice` is its own, so that others can be left out and this one stays. */
type Step = (draft: Draft, dice: Dice) => void
export interface Draft {
  given: Case
  /** Of a case with a body, the body as a value. */
  body: Members | undefined
  /** Set where the body is to be written strangely. */
  text?: Dice
}

export function written({ given, body, text }: Draft): Case {
  if (body === undefined) return given
  return { ...given, body: text ? strangeJson(body, text) : JSON.stringify(body) }
}

export const donorsOf = (...values: unknown[]): Map<string, unknown[]> => {
  const found = new Map<string, unknown[]>()
  for (const value of values) membersOf(value, found)
  return found
}

const asking = (given: Case): Members | undefined => given['asked'] as Members | undefined

/** What may be changed about a body that is already put together. */
export const BODY_STEPS: Step[] = [
  ({ body }, dice) => body && changeMember(dice, body, donorsOf(body)),
  ({ body }, dice) => body && changeMember(dice, oneOf(dice, [...objectsIn(body)]), donorsOf(body)),
  ({ body }, dice) => body && changeMember(dice, inside(dice, body), donorsOf(body)),
  ({ body }, dice) => body && changeMember(dice, inside(dice, body), donorsOf(body)),
  (draft, dice) => {
    draft.text = dice
  },
  changeAsked,
  changeAsked,
  ({ given }, dice) => {
    given[dice.chance(0.5) ? 'not_before' : 'not_after'] = otherText(dice, '2026-10-02T00:00:05Z')
  },
]

function changeAsked({ given }: Draft, dice: Dice): void {
  const asked = asking(given)
  if (!asked || dice.chance(0.1)) {
    given['asked'] = oneOf(dice, ANOTHER)
    return
  }
  given['asked'] = copyOf(asked)
  const parts = Object.values(given['asked'] as Members)[0] as Members | Members[]
  const part = Array.isArray(parts) ? (parts[dice.below(parts.length)] ?? {}) : parts
  if (typeof part !== 'object') return // of figures there is nothing more to ask
  const name = oneOf(dice, [
    'cpt',
    'as_of',
    'region',
    'npi',
    'modifier',
    'setting',
    'basis',
    'chart',
    'units',
    'billed',
  ])
  const text = part[name]
  part[name] = typeof text === 'string' && dice.chance(0.8) ? otherText(dice, text) : oneOf(dice, QUESTION_TEXTS)
  if (dice.chance(0.1)) delete part[name]
  // Of lists of releases nothing is said about parts that are no texts.
  const isOfTexts = !('releases' in asked) && !('coverage' in asked)
  if (isOfTexts && dice.chance(0.1)) part[name] = oneOf<unknown>(dice, [null, 0, 99213, true, [], {}, ['99213']])
}

const ANOTHER: Members[] = [
  { question: { cpt: '99213', as_of: '2026-08-15' } },
  { questions: [{ cpt: '99213', as_of: '2026-08-15' }] },
  { page: { as_of: '2026-08-15' } },
  { questions: [] },
  { sheet: { cpt: '99213', as_of: '2026-08-15' } },
]
const QUESTION_TEXTS = [
  '',
  ' 99213 ',
  'j0585',
  '\u00a099213',
  '99213\n',
  'national',
  'NATIONAL',
  'il',
  'us-il-16',
  'US-ZZ',
  '60611',
  'zip-60701-0500',
  'ZIP-60701',
  'XX',
  '25',
  '26-25-26',
  'rr',
  '50-80',
  'xe',
  'outpatient',
  'Outpatient',
  'inpatient',
  'super_rural',
  'rural',
  'medicare_pfs',
  'medicare_dmepos',
  'hospital_cash',
  '1234567893',
  '1234567890',
  '2026-08-15',
  '2026-10-01',
  'constructor',
]

/** Some object in a value. What lies deep is deep inside of one thing, so that all things are found as often. */
function inside(dice: Dice, value: Members): Members {
  const inner = Object.values(value).filter((each) => typeof each === 'object' && each !== null) as Members[]
  const next = inner.length > 0 && dice.chance(0.7) ? inside(dice, oneOf(dice, inner)) : value
  return Array.isArray(next) ? value : next
}

function* objectsIn(value: unknown): Generator<Members> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Members
  for (const member of Object.values(value)) yield* objectsIn(member)
}
