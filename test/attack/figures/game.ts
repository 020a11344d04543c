// A guessing game against a rule: the attacker knows the rule, all that is published, and everything but a secret.

import type { Dice } from '../dice.ts'
import { type Change, type Ledger, ownDisputes, RELEASES } from './ledger.ts'
import type { Publisher } from './publisher.ts'

/**
 * What the attacker does not know: before some releases there are several ways in which things may have gone, all
 * equally likely. He is asked for one of them; the others are only in his way.
 */
export interface Unknown {
  /** The ways before a release. One way is no question. */
  ways: (release: number) => readonly (readonly Change[])[]
  /** The release whose way is the secret. */
  secretAt: number
  /** What the attacker files before a release, given the secrets that are still possible. Else he tries several files. */
  files?: (release: number, possible: readonly number[]) => readonly Change[]
}

/** A guess at all ways so far. */
interface Guess<State> {
  secret: number
  state: State
  log: number
}

/** Guesses that are this much less likely than the best, as a power of e, are given up. */
const HOPELESS = 30
/** How often an attacker works out beforehand what would be published, before each release: files of his own, times guesses. */
const TRIES = 96
const MOST_GUESSES = 16
/** How many guesses he follows where he could follow more, because what was published did not rule them out. */
const FOLLOWED = 256

/** Plays one game. The attacker names the most likely secret; no other strategy is right more often. */
export function play<State, Seen>(
  publisher: Publisher<State, Seen>,
  ledger: Ledger,
  unknown: Unknown,
  roll: Dice,
): boolean {
  const { ways, secretAt } = unknown
  let state = publisher.start
  let secret = 0
  let guesses: Guess<State>[] = [{ secret, state, log: 0 }]
  for (let release = 1; release <= RELEASES; release++) {
    const others = ledger.windows[release - 1] as readonly Change[]
    const possible = ways(release)
    const known = withOwn(others, release)
    const way = roll.below(possible.length)
    if (release === secretAt) secret = way
    const published = publisher.publish(state, { known, guessed: possible[way] as readonly Change[] }, roll.below)
    state = published.state
    const weighed = guesses.flatMap((guess) =>
      possible.map((guessed, i) => {
        const again = publisher.weigh(guess.state, { known, guessed }, published.seen)
        return { secret: release === secretAt ? i : guess.secret, state: again.state, log: guess.log + again.log }
      }),
    )
    const best = Math.max(...weighed.map(({ log }) => log))
    if (best === Number.NEGATIVE_INFINITY) return false
    guesses = some(
      weighed.filter(({ log }) => log >= best - HOPELESS),
      publisher.certain ? FOLLOWED : Number.POSITIVE_INFINITY,
      roll,
    )
    if (release >= secretAt && secretsOf(guesses).length === 1) break
  }
  return mostLikely(guesses, roll) === secret

  /** Before the first release nobody knows that there is anything to attack. */
  function withOwn(others: readonly Change[], release: number): readonly Change[] {
    const own = unknown.files?.(release, secretsOf(guesses))
    if (own) return own.length > 0 ? [...others, ...own] : others
    if (release === 1) return others
    const propose = (): Change[] => [...others, ...ownDisputes(roll)]
    // Which file he chooses matters only if he can tell beforehand what it leads to.
    return publisher.certain
      ? mostPromising(publisher, guesses, ways(release), release === secretAt, propose)
      : propose()
  }
}

function some<T>(all: readonly T[], most: number, { below }: Dice): T[] {
  const left = [...all]
  while (left.length > most) left.splice(below(left.length), 1)
  return left
}

const secretsOf = (guesses: readonly Guess<unknown>[]): number[] => [...new Set(guesses.map(({ secret }) => secret))]

/** The file after which the most guesses would be right. */
function mostPromising<State, Seen>(
  publisher: Publisher<State, Seen>,
  guesses: readonly Guess<State>[],
  ways: readonly (readonly Change[])[],
  asksNow: boolean,
  propose: () => Change[],
): Change[] {
  const pairs = guesses.flatMap((guess) =>
    ways.map((guessed, i) => ({ guess, guessed, secret: asksNow ? i : guess.secret })),
  )
  const step = Math.ceil(pairs.length / MOST_GUESSES)
  const considered = pairs.filter((_, i) => i % step === 0)
  let [best, most] = [propose(), 0]
  for (let tries = TRIES; tries > 0; tries -= considered.length) {
    const known = propose()
    const bySeen = new Map<Seen, Map<number, number>>()
    for (const { guess, guessed, secret } of considered) {
      const { seen } = publisher.publish(guess.state, { known, guessed }, () => 0)
      const counts = bySeen.get(seen) ?? new Map<number, number>()
      bySeen.set(seen, counts.set(secret, (counts.get(secret) ?? 0) + 1))
    }
    const right = [...bySeen.values()].reduce((sum, counts) => sum + Math.max(...counts.values()), 0)
    // Of two files that tell him the secret equally well, the one that tells him more of the rest.
    const score = right + bySeen.size / (considered.length + 1)
    if (score > most) [best, most] = [known, score]
    if (bySeen.size === considered.length) break
  }
  return best
}

function mostLikely(guesses: readonly Guess<unknown>[], roll: Dice): number {
  const best = Math.max(...guesses.map(({ log }) => log))
  const weights = new Map<number, number>()
  for (const { secret, log } of guesses) weights.set(secret, (weights.get(secret) ?? 0) + Math.exp(log - best))
  const most = Math.max(...weights.values())
  const candidates = [...weights].filter(([, weight]) => weight > most * (1 - 1e-9))
  return (candidates[roll.below(candidates.length)] as [number, number])[0]
}
