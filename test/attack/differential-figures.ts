// Figures whose operator lies: a state or a change is changed, and the log hashed and signed anew.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { FiguresState } from '../../src/proof/figures.ts'
import { aState, aStateOfNothing, figuresBody, firstRelease } from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import type { NoteSigner } from '../../src/proof/note/signed-note.ts'
import type { Dice } from './dice.ts'
import { changeMember } from './differential-change.ts'
import { donorsOf } from './differential-draft.ts'
import type { Case } from './differential-judges.ts'
import { isReadable } from './differential-vectors.ts'
import { copyOf, type Members, oneOf } from './lie-world.ts'

const entries = [aStateOfNothing(), ...firstRelease(1), aState({ release_id: '2026-11-06.1' })]
const donors = donorsOf(entries)
const isState = (entry: object): boolean => 'schema' in entry

/** A case about figures, their changes, or the replay of their log. */
export async function strangeFigures(dice: Dice, signer: NoteSigner, policy: string): Promise<Case> {
  const told = copyOf(entries) as Members[]
  const at = dice.chance(0.5) ? told.length - 1 : dice.below(told.length)
  changeMember(dice, told[at] as Members, donors)
  if (dice.chance(0.2)) changeMember(dice, told[dice.below(told.length)] as Members, donors)
  const kinds = ['figures', 'figures', 'page', ...(isReadable(JSON.stringify(told)) ? ['changes', 'replay'] : [])]
  const kind = oneOf(dice, kinds)
  if (kind === 'replay') return { kind: 'replay', entries: told.map((entry) => JSON.stringify(entry)) } as never
  const log = new MemoryLog(signer).append(...told.map((entry) => utf8(canonical(entry))))
  if (kind === 'figures') {
    const state = told.at(-1) as unknown as FiguresState
    const shown = isWhole(state) && dice.chance(0.8) ? state : aState()
    const body = { ...(await figuresBody(log, shown, told.length - 1)) }
    Object.assign(body.proof, { state })
    return { kind: 'body', policy, asked: { figures: true }, body: JSON.stringify(body) }
  }
  const proved = await Promise.all(told.map(async (entry, i) => ({ ...entry, proof: { log: await log.prove(i) } })))
  const page = {
    data: proved.filter((_, i) => !isState(entries[i] as object)),
    states: proved.filter((_, i) => isState(entries[i] as object)),
  }
  if (dice.chance(0.2)) oneOf(dice, [page.data, page.states]).reverse()
  if (dice.chance(0.2)) oneOf(dice, [page.data, page.states]).splice(dice.below(3), 1)
  if (kind === 'page') return { kind: 'body', policy, body: JSON.stringify(page) }
  const size = oneOf(dice, [0, 1, 2, told.length - 1, told.length])
  const notes = { older: await log.checkpoint(size), newer: await log.checkpoint() }
  return { kind: 'changes', policy, ...notes, page: JSON.stringify(page) }
}

/** Whether an answer can be made of it at all. */
const isWhole = ({ metrics }: FiguresState): boolean =>
  ['w', 'r', 'p', 'savings_total', 'savings_median'].every(
    (name) => typeof metrics?.[name as 'w'] === 'object' && metrics[name as 'w'] !== null,
  )
