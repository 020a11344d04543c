// Invented ledgers: what comes before each of 24 releases, and what the attacker himself files.

import type { OutcomeCell } from '../../../src/figures/rule/tally.ts'
import type { Dice } from '../dice.ts'

/** A case that comes into the ledger (`cases` 1) or is taken out again (-1). A correction is both. */
export interface Change extends OutcomeCell {
  person: number
  npi: string | null
}

/** What changes between two releases: what the attacker knows, and what he guesses at. No person is in both parts. */
export interface Changes {
  known: readonly Change[]
  guessed: readonly Change[]
}

export interface Ledger {
  /** The cases of everyone but those whom the attacker is after, by release. */
  windows: readonly (readonly Change[])[]
  size: number
}

export const RELEASES = 24
const FEWEST = 80
const MOST = 2000

/** The two hospitals that a coalition of the others looks at. */
export const HOSPITALS = ['hospital a', 'hospital b'] as const

/** Persons up to here are the ones that attackers are after. */
const FIRST_PERSON = 100

export const aChange = (members: Partial<Change> = {}): Change => ({
  closed: 0,
  settled: 0,
  recurring: 0,
  certified_mail: 0,
  recovered_50: 0,
  cases: 1,
  person: 0,
  npi: null,
  ...members,
})

/** A ledger of 80 to 2,000 cases. Most come before the first release; after it, others join, or nobody does. */
export function aLedger(roll: Dice, { joining = true, most = MOST } = {}): Ledger {
  const { below, chance } = roll
  const size = FEWEST + below(most - FEWEST + 1)
  const share = (): number => 0.2 + 0.6 * (below(1001) / 1000)
  const habit = { settled: share(), recurring: share(), mail: share(), won: share() }
  let person = FIRST_PERSON
  const aCase = (): Change => {
    const closed = Number(chance(0.9))
    return aChange({
      closed,
      settled: closed && Number(chance(habit.settled)),
      recurring: Number(chance(habit.recurring)),
      certified_mail: Number(chance(habit.mail)),
      recovered_50: chance(0.02) ? 100 + below(901) : chance(habit.won) ? 10 + below(70) : below(10),
      person: person++,
      npi: chance(0.3) ? (HOSPITALS[below(2)] as string) : null,
    })
  }
  const first = joining ? Math.ceil(size * 0.6) : size
  let left = size - first
  const windows = Array.from({ length: RELEASES }, (_, n) => {
    if (n === 0) return Array.from({ length: first }, aCase)
    const others = n === RELEASES - 1 ? left : Math.min(left, below(Math.ceil((2 * (size - first)) / RELEASES) + 1))
    left -= others
    return Array.from({ length: others }, aCase)
  })
  return { windows, size }
}

/** What an attacker files between two releases: 11 to 20 disputes of persons of his own, with answers to his liking. */
export function ownDisputes({ below, chance }: Dice): Change[] {
  const share = (): number => below(11) / 10
  const habit = { recurring: share(), mail: share(), won: share(), first: share() }
  return Array.from({ length: 11 + below(10) }, (_, i) =>
    aChange({
      closed: 1,
      settled: 1,
      recurring: Number(chance(habit.recurring)),
      certified_mail: Number(chance(habit.mail)),
      recovered_50: chance(habit.won) ? 10 + below(70) : below(10),
      person: FIRST_PERSON - 1 - i,
      npi: HOSPITALS[chance(habit.first) ? 0 : 1],
    }),
  )
}
