// The attacks: who knows what, what they want to know, and how much the budget of rule 2 allows them to know.

import type { Dice } from '../dice.ts'
import type { Unknown } from './game.ts'
import { aChange, type Change, HOSPITALS, type Ledger } from './ledger.ts'

export interface Attack {
  name: string
  /** What the secret costs by the budget that docs/spec/disclosure.md states: 1 for each question that a case is added to, 2 if its answer is another. */
  epsilon: number
  /** How many values the secret has, all equally likely beforehand. */
  secrets: number
  unit: 'case' | 'person'
  /** Whether statistics of hospitals are looked at, too. */
  hospitals?: boolean
  /** Whether other cases come after the first release. */
  joining?: boolean
  /** Exact figures of larger ledgers are too coarse for it. Rule 2 is attacked in ledgers of all sizes. */
  breaksUpTo?: number
  prepare: (ledger: Ledger, roll: Dice) => Unknown
}

/** A guess at one of so many equally likely secrets is right at most this often, if they differ by epsilon. */
export const boundOf = ({ epsilon, secrets }: Pick<Attack, 'epsilon' | 'secrets'>): number =>
  Math.exp(epsilon) / (Math.exp(epsilon) + secrets - 1)

const AMOUNTS = 70
const FILED = 20
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

/** One release at which one of several things happened; what happens at others is known. */
const once = (
  at: number,
  ways: readonly (readonly Change[])[],
  known: Record<number, readonly Change[]> = {},
): Unknown => ({
  ways: (release) => (release === at ? ways : [known[release] ?? []]),
  secretAt: at,
})

/** After the first release and early enough for a dozen more. */
const early = (roll: Dice): number => 2 + roll.below(8)

const settlement = (recovered_50: number): Change => aChange({ closed: 1, settled: 1, recovered_50 })

/** Amounts that are all won, so that only savings tell them apart. */
const amounts = (): Change[][] => range(AMOUNTS).map((step) => [settlement(10 + step)])

export const ATTACKS: readonly Attack[] = [
  {
    name: 'insider: won or lost',
    epsilon: 2,
    secrets: 2,
    unit: 'case',
    prepare: (_, roll) =>
      once(early(roll), [[aChange({ closed: 1, recovered_50: 9 })], [aChange({ closed: 1, recovered_50: 10 })]]),
  },
  {
    name: 'insider: in the ledger or not, by all figures at once',
    epsilon: 4,
    secrets: 2,
    unit: 'case',
    prepare: (_, roll) => once(early(roll), [[], [settlement(30)]]),
  },
  {
    name: 'insider: which of 70 amounts, each replayed',
    epsilon: 2,
    secrets: AMOUNTS,
    unit: 'case',
    prepare: (_, roll) => once(early(roll), amounts()),
  },
  {
    name: 'insider: 2,000 or 50,000 dollars',
    epsilon: 2,
    secrets: 2,
    unit: 'case',
    prepare: (_, roll) => once(early(roll), [[settlement(40)], [settlement(1000)]]),
  },
  {
    name: 'outsider: whether a case is in the ledger, when nobody else joins',
    epsilon: 1,
    secrets: 2,
    unit: 'case',
    joining: false,
    breaksUpTo: 600,
    prepare: (ledger, roll) => outsider(ledger, early(roll)),
  },
  {
    name: 'ten unknown persons: whether one of them is in the ledger',
    epsilon: 1,
    secrets: 2,
    unit: 'person',
    prepare: (_, roll) => tenPersons(2 + roll.below(10)),
  },
  {
    name: 'a person with eleven cases: in the ledger or not',
    epsilon: 1,
    secrets: 2,
    unit: 'person',
    prepare: (_, roll) => once(early(roll), [[], range(11).map(() => aChange({ recurring: 1 }))]),
  },
  {
    name: 'order statistics: which of 70 amounts, by steering the median',
    epsilon: 2,
    secrets: AMOUNTS,
    unit: 'case',
    joining: false,
    breaksUpTo: 600,
    prepare: steering,
  },
  {
    name: 'coalition of hospitals: at which of two others the case was',
    epsilon: 2,
    secrets: 2,
    unit: 'case',
    hospitals: true,
    breaksUpTo: 600,
    prepare: (_, roll) =>
      once(
        early(roll),
        HOSPITALS.map((npi) => [aChange({ closed: 1, recovered_50: 10, npi })]),
      ),
  },
  {
    name: 'correction: whether there was one',
    epsilon: 2,
    secrets: 2,
    unit: 'case',
    prepare: (_, roll) => {
      const at = early(roll)
      const old = aChange({ recurring: 1 })
      return once(at + 2, [[], [aChange({ ...old, cases: -1 }), aChange()]], { [at]: [old] })
    },
  },
  {
    name: 'retention: whether a case was deleted',
    epsilon: 1,
    secrets: 2,
    unit: 'case',
    prepare: (_, roll) => {
      const at = early(roll)
      const old = aChange({ recurring: 1 })
      return once(at + 2, [[], [aChange({ ...old, cases: -1 })]], { [at]: [old] })
    },
  },
]

/** He does not know the ledger before the first release: how many cases it has, and how many of them say yes. */
function outsider({ size }: Ledger, at: number): Unknown {
  const few = Math.ceil(size / 100)
  // By what the ledger may be larger than he thinks, and by what more of it may say yes. What is not there is taken out.
  const open = (recurring: number, cases: number): Change => aChange({ recurring, cases, person: 1 })
  const ledgers = range(10).flatMap((more) =>
    range(2 * few + 1).map((i) => {
      const yes = i - few
      return [open(1, yes), open(0, more - yes)].filter(({ cases }) => cases !== 0)
    }),
  )
  return {
    ways: (release) => (release === 1 ? ledgers : release === at ? [[], [aChange({ recurring: 1 })]] : [[]]),
    secretAt: at,
  }
}

/** Ten persons with four cases each, of whom each may have come before one of ten releases. */
function tenPersons(at: number): Unknown {
  const there = (person: number): Change[] => range(4).map(() => aChange({ recurring: 1, person }))
  return {
    ways: (release) => (release >= 2 && release < 12 ? [[], there(release)] : [[]]),
    secretAt: at,
  }
}

/** He files low or high amounts of his own until the median lies in the middle of those that are still possible. */
function steering({ windows }: Ledger): Unknown {
  const amountsOf = (changes: readonly Change[]): number[] =>
    changes.filter(({ settled }) => settled === 1).map(({ recovered_50 }) => recovered_50)
  const there: number[] = []
  return {
    ...once(2, amounts()),
    files: (release, possible) => {
      there.push(...amountsOf(windows[release - 1] as readonly Change[]))
      if (release === 1) return []
      const middle = 10 + ([...possible].sort((a, b) => a - b)[Math.floor(possible.length / 2)] as number)
      const excess = there.filter((each) => each > middle).length - there.filter((each) => each < middle).length
      // Not all alike: that would be held back.
      const low = Math.max(2, Math.min(FILED - 2, Math.round((FILED + excess) / 2)))
      const own = range(FILED).map((i) =>
        aChange({ ...settlement(i < low ? 0 : 90), certified_mail: i % 2, person: 50 + i }),
      )
      there.push(...amountsOf(own))
      return own
    },
  }
}
