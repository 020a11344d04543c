// The smallest case on which verifiers disagree in one way: first with as few of its changes as possible, then with as little of
// its body as possible.

import type { Cases } from './differential-cases.ts'
import type { Case, Judges, Outcome, Outcomes } from './differential-judges.ts'
import { copyOf, type Members } from './lie-world.ts'

/** Of several faults each verifier may name another one first: then only the class differs. */
export const isDisagreement = ([one, other]: Outcomes): boolean =>
  one !== other && !(isRefusal(one) && isRefusal(other))
const isRefusal = (outcome: Outcome): boolean => outcome.endsWith('"ok":false}')
const isSame = (some: Outcomes, others: Outcomes): boolean => some.join() === others.join()

const MOST_CHANGES = 3
/** How often the body is made smaller before what is left is shown. */
const MOST_ROUNDS = 40
/** How many smaller bodies are tried each time, the shortest first. */
const MOST_TRIED = 60

export async function smallest(
  cases: Cases,
  judges: Pick<Judges, 'ask'>,
  run: number,
): Promise<{ given: Case; said: Outcomes }> {
  let given = await cases.at(run)
  let [said] = (await judges.ask([given])) as [Outcomes]
  for (let mask = 0; mask < 2 ** MOST_CHANGES; mask++) {
    const fewer = await cases.at(run, (change) => (mask & (1 << change)) !== 0)
    const [outcomes] = (await judges.ask([fewer])) as [Outcomes]
    if (!isSame(outcomes, said)) continue
    given = fewer
    said = outcomes
    break
  }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const smaller = smallerThan(given)
    const outcomes = await judges.ask(smaller)
    // Of those that will do, the shortest.
    const found = smaller
      .map((each, i) => ({ each, outcome: outcomes[i] as Outcomes, length: JSON.stringify(each).length }))
      .filter(({ outcome }) => isSame(outcome, said))
      .sort((a, b) => a.length - b.length)[0]
    if (!found) break
    given = found.each
    said = found.outcome
  }
  return { given, said }
}

/** The case without one of the members or items of its body, or of what was asked. */
function smallerThan(given: Case): Case[] {
  const cases: Case[] = []
  const { asked: _asked, not_before: _before, not_after: _after, ...rest } = given
  if ('asked' in given || 'not_before' in given) cases.push(rest)
  let body: Members
  try {
    body = JSON.parse(given.text) as Members
    if (JSON.stringify(body) !== given.text) return cases // its text is the matter
  } catch {
    return cases
  }
  for (const path of pathsIn(body)) {
    const copy = copyOf(body)
    let at: Members = copy
    for (const name of path.slice(0, -1)) at = at[name] as Members
    const last = path.at(-1) as string
    if (Array.isArray(at)) at.splice(Number(last), 1)
    else delete at[last]
    cases.push({ ...given, text: JSON.stringify(copy) })
  }
  return cases.sort((a, b) => a.text.length - b.text.length).slice(0, MOST_TRIED)
}

function* pathsIn(value: unknown, before: readonly string[] = []): Generator<string[]> {
  if (typeof value !== 'object' || value === null || before.length > 8) return
  for (const [name, member] of Object.entries(value)) {
    yield [...before, name]
    yield* pathsIn(member, [...before, name])
  }
}
