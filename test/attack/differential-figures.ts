// Figures whose operator lies: a state is changed, and the log hashed and signed anew.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { FiguresState } from '../../src/proof/figures.ts'
import { aState, aStateOfNothing, figuresBody, firstRelease } from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import type { NoteSigner } from '../../src/proof/note/signed-note.ts'
import type { Dice } from './dice.ts'
import { changeMember, donorsOf } from './differential-change.ts'
import type { Case } from './differential-judges.ts'
import { copyOf, type Members } from './lie-world.ts'

const entries = [aStateOfNothing(), ...firstRelease(1), aState({ release_id: '2026-11-06.1' })]
const donors = donorsOf(entries)

/** The answer about figures whose state is changed. */
export async function strangeFigures(dice: Dice, signer: NoteSigner, policy: string): Promise<Case> {
  const told = copyOf(entries) as Members[]
  const at = dice.chance(0.5) ? told.length - 1 : dice.below(told.length)
  changeMember(dice, told[at] as Members, donors)
  if (dice.chance(0.2)) changeMember(dice, told[dice.below(told.length)] as Members, donors)
  const log = new MemoryLog(signer).append(...told.map((entry) => utf8(canonical(entry))))
  const state = told.at(-1) as unknown as FiguresState
  const shown = isWhole(state) && dice.chance(0.8) ? state : aState()
  const body = { ...(await figuresBody(log, shown, told.length - 1)) }
  Object.assign(body.proof, { state })
  return { policy, asked: { figures: true }, text: JSON.stringify(body) }
}

/** Whether an answer can be made of it at all. */
const isWhole = ({ metrics }: FiguresState): boolean =>
  ['w', 'r', 'p', 'savings_total', 'savings_median'].every(
    (name) => typeof metrics?.[name as 'w'] === 'object' && metrics[name as 'w'] !== null,
  )
