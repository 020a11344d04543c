// The liar without a key about figures: he has every state that was ever public, and the proofs of all of them.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { CurrentFigure, FiguresState } from '../../src/proof/figures.ts'
import {
  aFigure,
  aState,
  aStateOfNothing,
  figuresBody,
  firstRelease,
  withheld,
} from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import type { NoteSigner } from '../../src/proof/note/signed-note.ts'
import type { Dice } from './dice.ts'
import { type Attempt, meddle, shuffled } from './liar.ts'
import { copyOf, type Members, oneOf } from './lie-world.ts'

export interface FiguresHead {
  state: FiguresState
  /** How large the log is with it. */
  size: number
  body: Members
}

export interface FiguresWorld {
  log: MemoryLog
  /** Every release there was, oldest first. */
  heads: FiguresHead[]
  /** The same entries in a log of another kind, and in one under a key that nobody pinned. */
  others: MemoryLog[]
}

const instantOf = (release: number, seconds = 0): string =>
  new Date(Date.UTC(2026, 9 + release, 1, 0, 0, seconds)).toISOString()

/** What a release may say: each figure moves, stays, or is withheld. */
function nextState(dice: Dice, release: number, before: FiguresState): FiguresState {
  const as_of = instantOf(release)
  const next = <V extends number | string>(value: V, old: CurrentFigure<V>): CurrentFigure<V> =>
    dice.chance(0.3) && old.as_of !== null
      ? old
      : dice.chance(0.3)
        ? withheld('small_cell', { as_of })
        : aFigure(value, { as_of })
  const { w, r, p, savings_total, savings_median } = before.metrics
  const money = (): string => `${dice.below(9_000)}.00`
  return aState({
    release_id: `2026-${release}.1`,
    as_of,
    data_class: oneOf(dice, ['published', 'sample']),
    metrics: {
      w: next(dice.below(100) / 100, w),
      r: next(dice.below(100) / 100, r),
      p: next(dice.below(100) / 100, p),
      savings_total: next(money(), savings_total),
      savings_median: next(money(), savings_median),
    },
    cases_floor10: dice.chance(0.2) ? null : 10 * dice.below(99),
    recorded_at: instantOf(release, 1),
    ...(dice.chance(0.5) ? { noise: { mechanism: 'discrete_laplace', epsilon: '1', windows: 'quarter' } } : {}),
  })
}

export async function makeFigures(
  dice: Dice,
  { figures, registry, other }: Record<'figures' | 'registry' | 'other', NoteSigner>,
): Promise<FiguresWorld> {
  const log = new MemoryLog(figures)
  const heads: FiguresHead[] = []
  let state = aStateOfNothing()
  for (let release = 1; release <= 4; release++) {
    const entries = release === 1 ? [state] : firstRelease(log.leaves.length, state)
    log.append(...entries.map((entry) => utf8(canonical(entry))))
    const size = log.leaves.length
    heads.push({ state, size, body: copyOf(await figuresBody(log, state, size - 1, size)) })
    state = nextState(dice, release, state)
  }
  const others = [registry, { ...other, name: figures.name }].map((signer) => {
    const copy = new MemoryLog(signer)
    copy.leaves.push(...log.leaves)
    return copy
  })
  return { log, heads, others }
}

/** Something that may pass for the answer about the figures. */
export async function lieAboutFigures(dice: Dice, { log, heads, others }: FiguresWorld): Promise<Attempt> {
  const newest = heads.at(-1) as FiguresHead
  const head = dice.chance(0.5) ? newest : oneOf(dice, heads)
  const how = oneOf(dice, ['meddle', 'meddle', 'order', 'age', 'claim', 'reveal', 'other log'])
  return { how: `figures: ${how}`, body: copyOf(await lie()) as Members }

  async function lie(): Promise<object> {
    const body = copyOf(head.body)
    // An old state, truly in the newest log, or in a log as it was in between.
    if (how === 'age')
      return figuresBody(log, head.state, head.size - 1, head.size + dice.below(newest.size - head.size + 1))
    if (how === 'claim') return { ...copyOf(newest.body), proof: body['proof'] }
    if (how === 'order') return shuffled(dice, body)
    if (how === 'other log') return figuresBody(oneOf(dice, others), newest.state, newest.size - 1, newest.size)
    if (how === 'reveal') {
      // What was withheld is shown in the answer, in the state, or in both.
      const [metric, value] = oneOf(dice, [['w', 0.5] as const, ['r', 0.5] as const, ['p', 0.5] as const])
      const places = [body['metrics'], ((body['proof'] as Members)['state'] as Members)['metrics']] as Members[]
      for (const at of places.filter(() => dice.chance(0.7)))
        Object.assign(at[metric] as Members, { value, suppressed: false, reason: null })
      body[metric] = value
      return body
    }
    for (let left = 1 + dice.below(3); left > 0; left--) meddle(dice, body, [oneOf(dice, heads).body])
    return body
  }
}

/** What is wrong with accepted figures: the answer is that of the head it was proved under, or a lie. */
export function lieInFigures({ heads }: FiguresWorld, checkpoint: string, notBefore: string, body: Members) {
  const checkpointOf = (one: Members): unknown => ((one['proof'] as Members)['log'] as Members)['checkpoint']
  const head = heads.find((each) => checkpointOf(each.body) === checkpoint)
  if (!head || head.state.recorded_at < notBefore) return 'a head that will not do'
  return canonical(body) === canonical(head.body) ? undefined : 'other figures'
}
