// Cases to ask every verifier about: honest bodies, lies, bodies whose operator changes something and signs, and all of these with
// something changed once more. Each case follows from a seed and the number of its run.

import { formatPolicy } from '../../src/proof/note/policy.ts'
import { formatTreeHead } from '../../src/proof/note/tree-head.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { inquiryOf, KIND_NAMES, type KindName, kindNamed } from './answer-kinds.ts'
import { type Dice, dice as roll } from './dice.ts'
import { changeMember, donorsOf, otherText } from './differential-change.ts'
import { strangeFigures } from './differential-figures.ts'
import type { Case } from './differential-judges.ts'
import { strangeNote } from './differential-notes.ts'
import { changePlausibly } from './differential-plausible.ts'
import { strangeJson, strangeLines } from './differential-text.ts'
import { type Edits, Forgery, noEdits, partsOf, reseal, rowName, type ShownParts } from './forgery.ts'
import { lieAbout } from './liar.ts'
import { copyOf, insides, type Members, makeKeys, makeWorld, oneOf, type World } from './lie-world.ts'

export const keys = makeKeys()
export const policy = formatPolicy([keys.registry, keys.figures])

/** A case while it is being changed. */
export interface Draft {
  given: Omit<Case, 'text'>
  body: Members
  /** Set where the body is to be written strangely. */
  text?: Dice
}

const written = ({ given, body, text }: Draft): Case => ({
  ...given,
  text: text ? strangeJson(body, text) : JSON.stringify(body),
})

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
    if (kind < 4) return strangeFigures(chosen[0] ?? roll(1), keys.figures, policy)
    if (kind < 10) return written(await notedAs(dice, world))
    const draft = kind < 45 ? await lieOf(dice, world) : await forgedOf(dice, world, chosen)
    const isChanged = kind < 45 ? dice.chance(0.3) : dice.chance(0.25)
    if (isChanged) for (const each of chosen) oneOf(each, STEPS)(draft, each)
    return written(draft)
  }
}

export interface Answer {
  name: KindName
  body: Members
  asked: unknown
}

/** An honest answer of any kind. */
export async function answered(dice: Dice, world: World): Promise<Answer> {
  const name = dice.chance(0.4) ? 'question' : oneOf(dice, KIND_NAMES)
  const kind = kindNamed(name)
  const asked = await kind.ask(dice, world)
  const limit = dice.chance(0.3) ? 1 + dice.below(4) : undefined
  return { name, asked, body: copyOf((await kind.honest(world.newest, asked, limit)) as Members) }
}

const draftOf = (body: Members, name?: KindName, asked?: unknown): Draft => ({
  given: { policy, ...(name && { asked: copyOf(inquiryOf(name, asked)) }) },
  body,
})

async function lieOf(dice: Dice, world: World): Promise<Draft> {
  const name = dice.chance(0.4) ? 'question' : oneOf(dice, KIND_NAMES)
  const asked = await kindNamed(name).ask(dice, world)
  return draftOf((await lieAbout(dice, world, name, asked)).body, name, asked)
}

/** An honest answer of which the operator has changed something before he signed. */
async function forgedOf(dice: Dice, world: World, changes: readonly Dice[]): Promise<Draft> {
  const { body, name, asked } = await answered(dice, world)
  const edits = noEdits()
  const donors = donorsOf(body)
  for (const change of changes) addEdit(change, world, edits, partsOf(body, world.newest), donors)
  await reseal(body, new Forgery(world.newest, edits))
  return dice.chance(0.85) ? draftOf(body, name, asked) : draftOf(body)
}

/** An honest answer under a note and a policy that are strange. */
async function notedAs(dice: Dice, world: World): Promise<Draft> {
  const { body, name, asked } = await answered(dice, world)
  const draft = draftOf(body, name, asked)
  const { log } = body['proof'] as { log: { checkpoint: string } }
  const what = dice.below(5)
  if (what === 0) draft.given.policy = strangeLines(policy, dice)
  else if (what === 1) log.checkpoint = strangeLines(log.checkpoint, dice)
  else {
    const { leaves } = world.newest.log
    const made = await strangeNote(dice, { size: leaves.length, root: new HashTree(leaves).root })
    draft.given.policy = made.policy
    log.checkpoint = made.note
  }
  return draft
}

const become = (other: object) => (value: Members) => {
  for (const name of Object.keys(value)) delete value[name]
  Object.assign(value, copyOf(other))
}

function addEdit(
  dice: Dice,
  { newest }: World,
  edits: Edits,
  { shown, beside, releases, periods, providers }: ShownParts,
  donors: ReadonlyMap<string, readonly unknown[]>,
): void {
  const rows = [...shown, ...beside]
  const isPlausible = dice.chance(0.7)
  const change = (value: Members): void =>
    isPlausible ? changePlausibly(dice, value) : changeMember(dice, value, donors)
  const what = dice.below(20)
  if (what < 6 && rows.length > 0) {
    const { release, index } = oneOf(dice, rows)
    edits.rows.set(rowName(release, index), change)
  } else if (what === 6 && rows.length > 0) {
    // Two rows in each other's place, or one in both.
    const { release, index } = oneOf(dice, rows)
    const other = dice.below(release.rows.length)
    edits.rows.set(rowName(release, index), become(release.rows[other] as object))
    if (dice.chance(0.5)) edits.rows.set(rowName(release, other), become(release.rows[index] as object))
  } else if (what < 11 && releases.length > 0) edits.manifests.set(oneOf(dice, releases).name, change)
  else if (what === 14 && periods.length > 0)
    edits.periods.set(oneOf(dice, periods), become(oneOf(dice, newest.standing.periods)))
  else if (what < 14 && periods.length > 0) edits.periods.set(oneOf(dice, periods), change)
  else if (what < 17 && providers.length > 0) edits.providers.set(oneOf(dice, providers), change)
  else if (what < 19) edits.state = change
  else
    edits.head = (head) =>
      oneOf(dice, [
        () => formatTreeHead({ ...head, size: head.size + oneOf(dice, [1, -1, 1000]) }),
        () => formatTreeHead({ ...head, origin: oneOf(dice, [`${head.origin}/log/registry`, keys.figures.name, 'x']) }),
        () => `${formatTreeHead(head)}${oneOf(dice, ['x\n', '\n', ' \n'])}`,
        () => formatTreeHead(head).replace('\n', oneOf(dice, [' \n', '\n0', '\n\n', '\u0085\n'])),
        () => formatTreeHead({ ...head, root: new Uint8Array(32) }),
        () => formatTreeHead({ ...head, size: 0 }),
      ])()
}

type Step = (draft: Draft, dice: Dice) => void

/** What may be changed about a body that is already put together. `dice` is that of the change alone. */
const STEPS: Step[] = [
  ({ body }, dice) => changeMember(dice, body, donorsOf(body)),
  ({ body }, dice) => changeMember(dice, oneOf(dice, objectsIn(body)), donorsOf(body)),
  ({ body }, dice) => changeMember(dice, inside(dice, body), donorsOf(body)),
  ({ body }, dice) => changeMember(dice, inside(dice, body), donorsOf(body)),
  (draft, dice) => {
    draft.text = dice
  },
  changeAsked,
  changeAsked,
  ({ given }, dice) => {
    given[dice.chance(0.5) ? 'not_before' : 'not_after'] = otherText(dice, '2026-10-02T00:00:05Z')
  },
]

const PARTS = ['cpt', 'as_of', 'region', 'npi', 'modifier', 'setting', 'basis', 'chart', 'units', 'billed']

function changeAsked({ given }: Draft, dice: Dice): void {
  if (!given.asked || dice.chance(0.1)) {
    given.asked = oneOf(dice, ANOTHER)
    return
  }
  given.asked = copyOf(given.asked)
  const parts = Object.values(given.asked)[0] as Members | Members[]
  const part = Array.isArray(parts) ? (parts[dice.below(parts.length)] ?? {}) : parts
  if (typeof part !== 'object') return // of figures there is nothing more to ask
  const name = oneOf(dice, PARTS)
  const text = part[name]
  part[name] = typeof text === 'string' && dice.chance(0.8) ? otherText(dice, text) : oneOf(dice, QUESTION_TEXTS)
  if (dice.chance(0.1)) delete part[name]
  // Of lists of releases nothing is said about parts that are no texts.
  const isOfTexts = !('releases' in given.asked) && !('coverage' in given.asked)
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

const objectsIn = (value: unknown): Members[] =>
  [...insides(value)].filter((each): each is Members => !Array.isArray(each))
