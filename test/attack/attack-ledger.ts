// Invented ledgers and what becomes of them between releases.

import type { OutcomeCell } from '../../src/figures/rule/tally.ts'
import { type Dice, dice } from './dice.ts'

export type Case = Omit<OutcomeCell, 'cases'> & {
  npi: string | null
  /** The release before which it came. A correction leaves it where it was. */
  joined: number
}

/** How cases of one ledger tend to be: some are nearly unanimous, some tiny, some have one giant among them. */
function habits({ below, chance }: Dice) {
  const share = (): number => [0.01, 0.05, 0.12, 0.3, 0.5, 0.8, 0.97][below(7)] as number
  return {
    closed: chance(0.5) ? 1 : 0.9,
    settled: share(),
    recurring: share(),
    mail: share(),
    won: share(),
    npis: 1 + below(12),
  }
}

function aCase(habit: ReturnType<typeof habits>, { below, chance }: Dice, joined: number): Case {
  const closed = Number(chance(habit.closed))
  return {
    closed,
    settled: closed && Number(chance(habit.settled)),
    recurring: Number(chance(habit.recurring)),
    certified_mail: Number(chance(habit.mail)),
    recovered_50: chance(0.01) ? 1000 : chance(habit.won) ? 10 + below(40) : below(10),
    npi: chance(0.7) ? `npi ${Math.min(below(habit.npis), below(habit.npis))}` : null,
    joined,
  }
}

export const cellsOf = (cases: readonly Case[]): OutcomeCell[] => {
  const cells = new Map<number, OutcomeCell>()
  for (const { npi: _, joined: __, ...alike } of cases) {
    const key =
      (alike.closed * 8 + alike.settled * 4 + alike.recurring * 2 + alike.certified_mail) * 1001 + alike.recovered_50
    const cell = cells.get(key)
    if (cell) cell.cases++
    else cells.set(key, { ...alike, cases: 1 })
  }
  return [...cells.values()]
}

/** What happens to a ledger between two releases: cases come, a few are corrected, a few are deleted. */
function live(cases: Case[], release: number, most: number, habit: ReturnType<typeof habits>, roll: Dice): boolean {
  const { below, chance } = roll
  const some = (): number => (chance(0.5) ? below(12) : below(150))
  for (let n = Math.min(some(), most - cases.length); n > 0; n--) cases.push(aCase(habit, roll, release))
  const corrected = chance(0.3)
  if (corrected && cases.length > 0)
    for (let n = 1 + (chance(0.7) ? below(10) : below(60)); n > 0; n--) {
      const at = below(cases.length)
      cases[at] = aCase(habit, roll, cases[at]?.joined ?? release)
    }
  if (chance(0.2)) for (let n = 1 + below(14); n > 0 && cases.length > 0; n--) cases.splice(below(cases.length), 1)
  return corrected
}

/** A ledger that nobody has published anything of yet, and how it will live on. */
export function aLedger(seed: number) {
  const roll = dice(seed)
  const habit = habits(roll)
  const most = 100 + roll.below(1901)
  const cases: Case[] = Array.from({ length: roll.below(Math.min(most, 400)) }, () => aCase(habit, roll, 1))
  return { cases, roll, live: (release: number): boolean => live(cases, release, most, habit, roll) }
}
