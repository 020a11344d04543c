// The liar. Without a key he has every honest answer there ever was and every public leaf, can build any proof of it under any head,
// and puts together whatever may pass for the answer to a question. As the operator he also signs what breaks a rule.

import type { Proof } from '../../src/proof/envelope.ts'
import type { VerdictClass } from '../../src/proof/fault.ts'
import type { MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { type AnswerKind, type KindName, kindNamed } from './answer-kinds.ts'
import type { Dice } from './dice.ts'
import { Forgery, noEdits, partsOf, reseal, rowName, type ShownParts, shownPlaces } from './forgery.ts'
import { copyOf, insides, type Members, oneOf, type World } from './lie-world.ts'

/** The values that a body has, by the name of the member that they stand in. */
export function membersOf(value: unknown, found: Map<string, unknown[]> = new Map()): Map<string, unknown[]> {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, member] of Object.entries(value)) {
    const values = found.get(name)
    if (values) values.push(member)
    else if (!Array.isArray(value)) found.set(name, [member])
    membersOf(member, found)
  }
  return found
}

const CODES = [
  'not_on_schedule',
  'no_edition_for_day',
  'unknown_provider',
  'region_ambiguous',
  'modifier_not_priced',
  'unknown_zip',
  'region_not_covered',
  'modifier_not_allowed',
  'absent_unreadable',
]
const TOLD = ['modifiers_ignored', 'adjustment']
const FREE = ['as_of', 'links', 'errors', 'detail', 'page', 'about', 'charts', 'title', 'rule', 'last_known']

/** Changes one thing somewhere in a body, by what other bodies have there. */
export function meddle(dice: Dice, body: Members, donors: readonly Members[]): void {
  const at = dice.chance(0.25) ? body : oneOf(dice, [...insides(body)])
  const donor = oneOf(dice, donors)
  if (Array.isArray(at)) {
    const i = dice.below(at.length || 1)
    const j = dice.below(at.length || 1)
    const what = dice.below(4)
    if (what === 0) at.splice(i, 1)
    else if (what === 1 && at.length > 0) at.splice(j, 0, copyOf(at[i]))
    else if (what === 2 && at.length > 1) [at[i], at[j]] = [at[j], at[i]]
    else {
      const lists = [...insides(donor)].filter((each) => Array.isArray(each) && each.length > 0) as unknown[][]
      if (lists.length > 0) at.splice(i, dice.below(2), copyOf(oneOf(dice, oneOf(dice, lists))))
    }
    return
  }
  const names = Object.keys(at)
  if (names.length === 0) return
  const name = oneOf(dice, names)
  const value = at[name]
  const what = dice.below(9)
  if (what === 0) delete at[name]
  else if (what === 1) at[name] = null
  else if (what === 2 && typeof value === 'number') at[name] = value + (dice.chance(0.5) ? 1 : -1)
  else if (what === 3)
    body[oneOf(dice, FREE)] = oneOf(dice, [
      'x',
      [],
      { checkpoint: checkpointOf(donor) },
      [checkpointOf(donor)],
      checkpointOf(donor),
    ])
  else if (what === 4 && 'code' in body) body['code'] = oneOf(dice, CODES)
  else if (what === 6 && dice.chance(0.3))
    body[oneOf(dice, TOLD)] = oneOf<unknown>(dice, [['25'], [], null, donor['adjustment'] ?? {}])
  else if (what === 5) at[name] = oneOf<unknown>(dice, [{}, [], '', 'x', 1, true, [value], { [name]: value }])
  else {
    const others = membersOf(donor).get(name)
    if (others) at[name] = copyOf(oneOf(dice, others))
  }
}

const checkpointOf = (body: Members): unknown => membersOf(body).get('checkpoint')?.[0] ?? null

/** Lists in another order: first all of one list, and then single items, whichever the dice say. */
export function shuffled(dice: Dice, body: Members): Members {
  const lists = [...insides(body)].filter((each): each is unknown[] => Array.isArray(each) && each.length > 1)
  if (lists.length === 0) return body
  const list = oneOf(dice, lists)
  if (dice.chance(0.5)) list.reverse()
  else list.push(list.shift())
  return body
}

/** One attempt: what is asked, and the head that the liar begins with. */
interface Trial {
  dice: Dice
  world: World
  name: KindName
  kind: AnswerKind<unknown>
  asked: unknown
  head: MemoryRegistry
  /** A copy of the honest answer to another question, or under another head. */
  near(): Promise<Members>
  honest(head?: MemoryRegistry): Promise<Members>
}

export interface Lie {
  name: string
  /** How often it is told, beside the others. */
  share: number
  /** The class of the refusal, where there may be no other verdict. */
  class?: VerdictClass
  /** Undefined if there is nothing in this world to lie about so. */
  make(trial: Trial): Promise<Members | undefined>
}

/** Lies by someone without a key. */
const LIES: Lie[] = [
  { name: 'hide', share: 5, make: ({ dice, kind, head, asked }) => kind.hiding(dice, head, asked) },
  {
    name: 'meddle',
    share: 4,
    async make({ dice, honest, near }) {
      const [body, donors] = [await honest(), [await near(), await near()]]
      for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, body, donors)
      return body
    },
  },
  { name: 'another question', share: 3, make: ({ near }) => near() },
  {
    // What another answer states, with everything that both of them prove.
    name: 'claim',
    share: 3,
    async make({ dice, world, kind, head, asked }) {
      const [own, other] = [await kind.honest(head, asked), await kind.honest(head, kind.near(dice, world, asked))].map(
        copyOf,
      )
      return own && other && reseal(other, new Forgery(head), [own])
    },
  },
  {
    name: 'swap',
    share: 3,
    async make({ dice, honest, near }) {
      const [body, other] = [await honest(), await near()]
      const [into, from] = dice.chance(0.5) ? [body, other] : [body['proof'] as Members, other['proof'] as Members]
      for (const name of new Set([...Object.keys(into), ...Object.keys(from)]))
        if (dice.chance(0.3)) Object.assign(into, { [name]: from[name] })
      return body
    },
  },
  { name: 'order', share: 2, make: async ({ dice, honest }) => shuffled(dice, await honest()) },
  {
    // An old answer: as far as the newest head can prove it, or with the newest state and log in place of its own.
    name: 'age',
    share: 3,
    async make({ dice, world, honest }) {
      const old = oneOf(dice, world.heads)
      const body = await honest(old)
      const { newest } = world
      if (dice.chance(0.4)) return reseal(body, new Forgery(newest))
      const isNew = dice.chance(0.5)
      const log = isNew ? await newest.proof() : await newest.log.prove(old.log.leaves.length - 1)
      Object.assign(body['proof'] as Proof, copyOf({ log, ...(isNew && { state: newest.state }) }))
      return body
    },
  },
  { name: 'other key', share: 1, make: ({ world, honest }) => honest(world.twin) },
  {
    name: 'other log',
    share: 1,
    class: 'not_in_log',
    async make({ world, head, honest }) {
      const body = await honest()
      Object.assign(body['proof'] as Proof, { log: await world.figures.prove(head.log.leaves.length - 1) })
      return body
    },
  },
  {
    // A row of a release that is in force on no day, or of any other.
    name: 'other release',
    share: 1,
    async make({ dice, head, honest }) {
      const withRows = head.releases.filter(({ rows }) => rows.length > 0)
      const release = oneOf(dice, withRows)
      const cited = copyOf(await head.cite(release, dice.below(release.rows.length))) as Members
      return reseal(cited, new Forgery(head), [await honest()])
    },
  },
  {
    // A row that is proved like the others, and told as one that only stands beside them.
    name: 'cut',
    share: 2,
    async make({ dice, head, honest }) {
      const body = await honest()
      const list = body['data'] ?? body['results']
      if (!Array.isArray(list) || list.length === 0) return undefined
      const left = copyOf(body)
      ;(left[body['data'] ? 'data' : 'results'] as unknown[]).splice(dice.below(list.length), 1 + dice.below(2))
      return reseal(left, new Forgery(head), [body])
    },
  },
  {
    // A line of a list refused as no question, or with the answer of another one, or a price told as a refusal.
    name: 'refuse',
    share: 2,
    async make({ dice, honest }) {
      const body = await honest()
      const lines = (body['results'] ?? (body['data'] as Members[])?.map(({ answer }) => answer)) as
        | Members[]
        | undefined
      const line = lines?.[0] && oneOf(dice, lines)
      if (!line) return undefined
      const { status: _, row, ...told } = copyOf(line)
      for (const name of Object.keys(line)) delete line[name]
      Object.assign(
        line,
        oneOf(dice, [
          { status: 400, problem: { code: 'invalid_input' } },
          { status: 404, problem: { code: 'not_on_schedule', rule: 'R10' } },
          { status: 404, problem: { ...(row as object), ...told } },
          copyOf(oneOf(dice, lines as Members[])),
        ]),
      )
      return body
    },
  },
]

/** One of the shown rows that has what a lie needs. */
function rowOf(
  { dice }: Trial,
  { shown }: ShownParts,
  fits: (row: Members) => boolean,
): ShownParts['shown'][number] | undefined {
  const fitting = shown.filter(({ release, index }) => fits(release.rows[index] as unknown as Members))
  return fitting.length > 0 ? oneOf(dice, fitting) : undefined
}

/** A lie of the operator: something that the honest answer shows is changed, and everything above it hashed and signed anew. */
const signed = (
  name: string,
  as: VerdictClass,
  edit: (edits: ReturnType<typeof noEdits>, parts: ShownParts, trial: Trial) => unknown,
): Lie => ({
  name: `signed: ${name}`,
  share: 1,
  class: as,
  async make(trial) {
    const body = await trial.honest()
    // An adjustment that does not follow from its row is noticed before any proof is looked at.
    if (membersOf(body).has('adjustment')) return undefined
    const edits = noEdits()
    const parts = partsOf(body, trial.head)
    // Where the head has no answer, the body is that of a later one, and may show a release that the head does not have.
    if (parts.releases.length < ((body['proof'] as Proof).releases ?? []).length) return undefined
    if (edit(edits, parts, trial) === undefined) return undefined
    return reseal(body, new Forgery(trial.head, edits))
  },
})

const become = (other: object) => (leaf: Members) => {
  for (const name of Object.keys(leaf)) delete leaf[name]
  Object.assign(leaf, copyOf(other))
}

/** Two rows of one release that a body shows, in order, of which each could stand where the other does. */
function twoRows({ dice }: Trial, { shown, beside }: ShownParts) {
  const byRelease = Map.groupBy([...shown, ...beside], ({ release }) => release)
  const pairs = [...byRelease].flatMap(([release, places]) => {
    const indexes = [...new Set(places.map(({ index }) => index))].sort((a, b) => a - b)
    return indexes.slice(1).map((second, i) => ({ release, first: indexes[i] as number, second }))
  })
  const reasonOf = (row: unknown): unknown => (row as Members)['reason']
  const alike = pairs.filter(({ release: { rows }, first, second }) => reasonOf(rows[first]) === reasonOf(rows[second]))
  return alike.length > 0 ? oneOf(dice, alike) : undefined
}

/** A release in force that a body shows. */
const inForce = ({ dice, head }: Trial, { releases }: ShownParts): MemoryRelease | undefined => {
  const fitting = releases.filter((release) => head.isInForce(release))
  return fitting.length > 0 ? oneOf(dice, fitting) : undefined
}

const ANOTHER_DAY = '2026-07-03'

/** Rules of the registry that an operator breaks under a good signature, where the answer shows it. */
const SIGNED_LIES: Lie[] = [
  signed('rows out of order', 'not_in_release', (edits, parts, trial) => {
    const pair = twoRows(trial, parts)
    if (!pair) return undefined
    const { release, first, second } = pair
    edits.rows.set(rowName(release, first), become(release.rows[second] as object))
    return edits.rows.set(rowName(release, second), become(release.rows[first] as object))
  }),
  signed('two rows of one key', 'not_in_release', (edits, parts, trial) => {
    const pair = twoRows(trial, parts)
    return pair && edits.rows.set(rowName(pair.release, pair.second), become(pair.release.rows[pair.first] as object))
  }),
  signed('a row of another schedule', 'not_in_release', (edits, parts, trial) => {
    const row = rowOf(trial, parts, ({ price }) => price !== undefined)
    const basis = row?.release.manifest.chart === 'cms-clfs' ? 'medicare_asp' : 'medicare_clfs'
    const derivation = { method: 'verbatim/1', inputs: { rate: '10.56' } }
    const price = { amount: '10.56', currency: 'USD', per: null }
    const edit = (leaf: Members): void => {
      Object.assign(leaf, {
        basis,
        setting: null,
        class: null,
        npi: null,
        price,
        derivation,
        indicators: {},
      })
    }
    return row && edits.rows.set(rowName(row.release, row.index), edit)
  }),
  signed('a row with a member too many', 'malformed', (edits, parts, trial) => {
    const row = rowOf(trial, parts, () => true)
    return row && edits.rows.set(rowName(row.release, row.index), (leaf) => Object.assign(leaf, { note: 'x' }))
  }),
  signed('a wrong amount', 'arithmetic', (edits, parts, trial) => {
    const row = rowOf(trial, parts, (each) => each['price'] !== undefined)
    const edit = ({ price }: Members): void => {
      Object.assign(price as Members, 'amount' in (price as Members) ? { amount: '1000.01' } : { high: '1000.01' })
    }
    return row && edits.rows.set(rowName(row.release, row.index), edit)
  }),
  signed('a status that is another', 'arithmetic', (edits, parts, trial) => {
    const row = rowOf(
      trial,
      parts,
      (each) => (each['derivation'] as Members | undefined)?.['method'] === 'cms-status/1',
    )
    const edit = ({ derivation }: Members): void => {
      const { inputs } = derivation as { inputs: Members }
      inputs['status_code'] = inputs['status_code'] === 'B' ? 'X' : 'B'
    }
    return row && edits.rows.set(rowName(row.release, row.index), edit)
  }),
  signed('a manifest with another period', 'not_in_force', (edits, parts, trial) => {
    const release = inForce(trial, parts)
    const edit = (manifest: Members): void => void Object.assign(manifest, { effective_from: ANOTHER_DAY })
    return release && edits.manifests.set(release.name, edit)
  }),
  signed('a period that is longer than its manifest', 'not_in_force', (edits, parts, trial) => {
    const release = inForce(trial, parts)
    const edit = (period: Members): void => void Object.assign(period, { to: '2031-12-31' })
    return release && edits.periods.set(trial.head.placeOf(release), edit)
  }),
  signed('periods that overlap', 'not_in_force', (edits, { periods }, { dice, head }) => {
    const all = head.standing.periods
    const before = periods.filter((i) => periods.includes(i + 1) && all[i]?.chart === all[i + 1]?.chart)
    if (before.length === 0) return undefined
    const i = oneOf(dice, before)
    return edits.periods.set(i, (period) => Object.assign(period, { to: all[i + 1]?.from }))
  }),
  signed('two charts for one provider', 'not_in_force', (edits, { providers }, { head }) => {
    const i = providers.find((each) => providers.includes(each + 1))
    const first = head.standing.providers[i ?? -1]
    return first && edits.providers.set((i as number) + 1, become({ ...first, chart: `${first.chart}0`.slice(0, -1) }))
  }),
  signed('a state of other tables', 'tables_differ', (edits) => {
    edits.state = (state) => Object.assign(state, { tables: '0'.repeat(64) })
    return edits
  }),
  signed('a state with a root of another timeline', 'not_in_force', (edits, { periods }, { world }) => {
    if (periods.length === 0) return undefined
    const { timeline_root } = world.twin.state
    edits.state = (state) => Object.assign(state, { timeline_root })
    return edits
  }),
  {
    // The mark stands beside every row of an edition that the operator prolonged.
    name: 'signed: a prolonged edition without its mark',
    share: 1,
    class: 'not_the_answer',
    async make({ dice, honest }) {
      const body = await honest()
      const marked = shownPlaces(body).filter(({ at }) => 'prolonged' in at)
      if (marked.length === 0) return undefined
      delete oneOf(dice, marked).at['prolonged']
      return body
    },
  },
]

const ALL_LIES = [...LIES, ...SIGNED_LIES]
const DRAWN = ALL_LIES.flatMap((lie) => Array.from({ length: lie.share }, () => lie))
export const LIE_NAMES = ALL_LIES.map(({ name }) => name)

export interface Attempt {
  how: string
  body: Members
  /** The only verdict that it may have. */
  class?: VerdictClass
}

/** Something that may pass for the answer to a question. */
export async function lieAbout(dice: Dice, world: World, name: KindName, asked: unknown): Promise<Attempt> {
  const kind = kindNamed(name)
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const answer = async (at: MemoryRegistry, what: unknown): Promise<Members> =>
    copyOf(
      (await kind.honest(at, what, dice.chance(0.3) ? 1 + dice.below(4) : undefined)) ??
        (await kind.honest(world.newest, asked)),
    ) as Members
  const trial: Trial = {
    dice,
    world,
    name,
    kind,
    asked,
    head,
    honest: (at = head) => answer(at, asked),
    near: () => {
      const what = dice.below(3)
      if (what === 0) return answer(oneOf(dice, world.heads), asked)
      return answer(what === 1 ? world.twin : head, kind.near(dice, world, asked))
    },
  }
  for (;;) {
    const lie = oneOf(dice, DRAWN)
    const made = await lie.make(trial)
    if (!made) continue
    const body = copyOf(made)
    const isChanged = lie.class === undefined && dice.chance(0.15)
    if (isChanged) meddle(dice, body, [await trial.near(), await trial.near()])
    return { how: lie.name, body, ...(lie.class && { class: lie.class }) }
  }
}
