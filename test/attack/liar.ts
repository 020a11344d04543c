// A liar without a key. He has every honest answer there ever was and every public leaf, can build any proof of it under
// any head, and puts together whatever may pass for the answer to a question.

import { type AdmittedLeaves, answerOf, type PlacedLeaf, placed } from '../../src/proof/answer-fixture.ts'
import { parseQuestion, type Question } from '../../src/proof/lookup/question.ts'
import type { Because, CitedRow, InForce, LogProof } from '../../src/proof/price/proofs.ts'
import type { RegistryState } from '../../src/proof/price/release.ts'
import type { AnyRow } from '../../src/proof/price/row.ts'
import type { MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import type { Dice } from './dice.ts'
import { copyOf, honestAnswer, type Members, NPIS, oneOf, type World } from './lie-world.ts'

/** Hides leaves, and shows the ones on either side of them as if they were neighbours. */
export function hiding(
  { standing }: MemoryRegistry,
  isHidden: (kind: 'row' | 'period' | 'provider', leaf: unknown) => boolean,
): AdmittedLeaves {
  const left = <T>(kind: 'row' | 'period' | 'provider', leaves: readonly T[]): PlacedLeaf<T>[] =>
    placed(leaves).filter(({ leaf }) => !isHidden(kind, leaf))
  const known = new Map<object, PlacedLeaf<unknown>[]>()
  return {
    rows: (release) => {
      const rows = known.get(release) ?? left('row', release.rows)
      known.set(release, rows)
      return rows as ReturnType<AdmittedLeaves['rows']>
    },
    periods: left('period', standing.periods),
    providers: left('provider', standing.providers),
  }
}

export const randomlyHiding = (dice: Dice, head: MemoryRegistry, { cpt, region }: Question): AdmittedLeaves => {
  const [rows, periods, providers] = [0.1 + dice.below(6) / 10, dice.below(3) / 10, dice.below(4) / 10]
  const zip = region?.slice(0, 5)
  return hiding(head, (kind, leaf) => {
    if (kind === 'period') return dice.chance(periods)
    if (kind === 'provider') return dice.chance(providers)
    const row = leaf as { cpt?: string; zip?: string }
    return (row.cpt === cpt || row.zip === zip) && dice.chance(rows)
  })
}

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

/** Every object and list inside a value, itself included. */
export function* insides(value: unknown): Generator<Members | unknown[]> {
  if (typeof value !== 'object' || value === null) return
  yield value as Members
  for (const member of Object.values(value)) yield* insides(member)
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
const FREE = ['as_of', 'links', 'errors', 'detail', 'page', 'available', 'choices', 'charts', 'related', 'title']

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
  const name = oneOf(dice, Object.keys(at))
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

/** Lists in another order: first all of one list, and then single items, whichever the dice say. */
export function shuffled(dice: Dice, body: Members): Members {
  const lists = [...insides(body)].filter((each): each is unknown[] => Array.isArray(each) && each.length > 1)
  if (lists.length === 0) return body
  const list = oneOf(dice, lists)
  if (dice.chance(0.5)) list.reverse()
  else list.push(list.shift())
  return body
}

const checkpointOf = (body: Members): unknown => membersOf(body).get('checkpoint')?.[0] ?? null

/** Puts these in place of every state and log of a body; periods and providers keep their old places. */
export function renewed(body: Members, log: LogProof, state?: RegistryState): Members {
  const copy = copyOf(body)
  for (const each of insides(copy)) {
    if (Array.isArray(each)) continue
    if ('state' in each && state) each['state'] = copyOf(state)
    if ('log' in each) each['log'] = copyOf(log)
  }
  return copy
}

const PARTS = ['as_of', 'cpt', 'region', 'npi', 'modifier', 'setting', 'basis'] as const

export interface Attempt {
  how: string
  body: Members
}

/** Something that may pass for the answer to a question. */
export async function lieTo(dice: Dice, world: World, question: Question): Promise<Attempt> {
  const head = dice.chance(0.6) ? world.newest : oneOf(dice, world.heads)
  const other = oneOf(dice, world.questions)
  const part = oneOf(dice, PARTS)
  const near: Question = { ...question, [part]: other[part] ?? (part === 'npi' ? oneOf(dice, NPIS) : undefined) }
  // Some of the questions nearby have no meaning.
  const honest = async (asked: Question, at = head): Promise<Members> =>
    (await honestAnswer(at, typeof parseQuestion(asked) === 'string' ? other : asked)).body
  const donors = async (): Promise<Members[]> => [
    await honest(near),
    await honest(question, oneOf(dice, world.heads)),
    await honest(other, world.twin),
  ]
  const how = oneOf(dice, [
    'hide',
    'hide',
    'hide',
    'meddle',
    'meddle',
    'near',
    'near',
    'claim',
    'age',
    'withdraw',
    'order',
    'other key',
    'other log',
  ])
  const body = await lie(how)
  if (dice.chance(0.15)) meddle(dice, body, await donors())
  return { how: how === 'near' ? `another ${part}` : how, body }

  async function lie(by: string): Promise<Members> {
    if (by === 'hide') return copyOf((await answerOf(head, question, randomlyHiding(dice, head, question))).body)
    if (by === 'near') return copyOf(await honest(near))
    if (by === 'order') return shuffled(dice, copyOf(await honest(question)))
    if (by === 'other key') return copyOf(await honest(question, world.twin))
    if (by === 'age') {
      const old = oneOf(dice, world.heads)
      const body = await honest(question, old)
      // Under the newest state; or under its own, which is proved to be in the newest log.
      return dice.chance(0.5)
        ? renewed(body, await world.newest.proof(), world.newest.state)
        : renewed(body, await world.newest.log.prove(old.log.leaves.length - 1))
    }
    if (by === 'meddle') {
      const changed = copyOf(await honest(question))
      const others = await donors()
      for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, changed, others)
      return changed
    }
    if (by === 'claim') {
      // The claim of another answer, with all that both of them prove.
      const { because: _, ...claimed } = copyOf(await honest(near))
      return { ...claimed, because: allOf(copyOf(await honest(question)), copyOf(await honest(near))) }
    }
    if (by === 'withdraw') {
      const release = oneOf(
        dice,
        head.releases.filter(({ rows }) => rows.length > 0),
      )
      const { because } = copyOf(await honest(question))
      const cited = copyOf(await head.citePublished(release, dice.below(release.rows.length)))
      const row = dice.chance(0.5)
        ? cited
        : {
            ...cited,
            proof: {
              ...cited.proof,
              in_force: copyOf(membersOf(await honest(near)).get('in_force')?.[0] ?? null),
              log: copyOf(await head.proof()),
            },
          }
      return cited.kind === 'absence' ? { code: `absent_${cited.reason}`, row, because } : { ...row, because }
    }
    return renewed(await honest(question), await world.figures.prove(head.log.leaves.length - 1))
  }
}

/** What several bodies prove, their own rows too, as one piece of evidence. */
export function allOf(...bodies: Members[]): Because {
  const all: Because = { releases: [], rows: [], periods: [], providers: [] }
  for (const body of bodies) {
    const { place, because, modifiers_ignored: _i, adjustment: _a, ...answer } = body
    const { releases, rows, periods, providers, state, log } = { ...EMPTY, ...(because as Because | undefined) }
    const before = all.releases.length
    all.releases.push(...releases)
    let own: number | null = null
    for (const cited of [place, 'code' in body ? body['row'] : answer] as (CitedRow | undefined)[]) {
      if (!cited?.proof.in_force) continue
      const { proof, ...row } = cited
      const { state: under, ...in_force } = proof.in_force as InForce
      own = all.releases.push({ release: proof.release, in_force }) - 1
      all.rows.push({ row: row as AnyRow, index: proof.row.index, path: proof.row.path, release: own })
      Object.assign(all, { state: under, log: proof.log })
    }
    all.rows.push(...rows.map((row) => ({ ...row, release: row.release === null ? own : before + row.release })))
    all.periods.push(...periods)
    all.providers.push(...providers)
    if (state && log) Object.assign(all, { state, log })
  }
  return all
}
const EMPTY: Because = { releases: [], rows: [], periods: [], providers: [] }
