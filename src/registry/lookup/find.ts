import { choose } from '../../proof/lookup/choose.ts'
import type { Decision } from '../../proof/lookup/decision.ts'
import type { Registry } from '../../proof/lookup/lists.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { AnyRow, PlaceRow } from '../../proof/price/row.ts'
import { neighboursOf } from '../../proof/price/timeline.ts'
import type { StoredRow } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import { type Proofs, rowUnderKey } from './proofs.ts'

/** A list that the rule read: all rows under a prefix, or those that show what it asked about a key. */
interface ReadList {
  release: Release
  /** Neighbours in the release, in order: the rows asked for, and those on either side of them. */
  shown: readonly StoredRow[]
}

/** Everything that the rule looked at on its way to a decision: an answer must prove it. */
export interface Trace {
  day: string
  lists: ReadList[]
  /** Charts that have no edition on the day. */
  notHeld: string[]
  held: Release[]
  /** Charts whose editions beside the day were looked at. */
  around: string[]
  npi: string | undefined
}

export interface LookupResult {
  question: ParsedQuestion
  decision: Decision
  place: PlaceRow | undefined
  trace: Trace
}

/** Runs the rule of the lookup on the store, as of one view, and notes what it looked at. */
export function find(proofs: Proofs, question: ParsedQuestion): LookupResult {
  const { registry, trace } = tracedRegistry(proofs, question.day)
  return { question, ...ruled(proofs, trace, () => choose(question, registry, proofs.charts)), trace }
}

/** Runs a rule. It trusts what it is told: where it fails, rows that are not those that were published are the cause. */
export function ruled<T>(proofs: Proofs, trace: Trace, rule: () => T): T {
  try {
    return rule()
  } catch (fault) {
    checkRead(proofs, trace)
    throw fault
  }
}

/** A fault where a row that the rule read is not the one that was published: in a short answer nobody else could tell. */
export function checkRead(proofs: Proofs, { lists }: Trace): void {
  for (const { release, shown } of lists) for (const stored of shown) proofs.check(release, stored)
}

/** The registry of a day in the store, for a rule to look at, and a note of what it looked at. */
export function tracedRegistry(proofs: Proofs, day: string): { registry: Registry; trace: Trace } {
  const { view } = proofs
  const trace: Trace = { day, lists: [], notHeld: [], held: [], around: [], npi: undefined }
  const known = new Map<string, readonly AnyRow[]>()
  const releaseOf = (chart: string): Release => {
    const release = view.editionOn(chart, day)
    if (!release) throw new Error('the rule asks for rows of a chart that has no edition')
    return release
  }
  /** The rows under a prefix, with their neighbours: all that are there. */
  const list = (release: Release, prefix: string): readonly StoredRow[] => {
    const rows = proofs.open(release).rowsUnder(prefix)
    const { left, right } = proofs.aroundPrefix(release, prefix, rows.length)
    const shown = [left, ...rows, right].filter((each) => each !== undefined)
    trace.lists.push({ release, shown })
    return rows
  }
  const registry: Registry = {
    lists: {
      under(chart, prefix) {
        const name = `${chart} ${prefix}`
        const read = known.get(name)
        if (read) return read
        const release = releaseOf(chart)
        const rows = list(release, prefix).map((stored) => rowUnderKey(release.release_id, stored))
        known.set(name, rows)
        return rows
      },
      has(chart, prefix) {
        const release = releaseOf(chart)
        const [from, to] = proofs.open(release).placesUnder(prefix)
        if (from === to) return list(release, prefix).length > 0
        const shown = proofs.open(release).rowsAt(from, from + 1)
        for (const stored of shown) rowUnderKey(release.release_id, stored)
        trace.lists.push({ release, shown })
        return true
      },
      upTo(chart, key) {
        const release = releaseOf(chart)
        const found = proofs.open(release).findRow(key)
        const { left, right } = found ? { left: found, right: undefined } : proofs.around(release, key)
        trace.lists.push({ release, shown: [left, right].filter((each) => each !== undefined) })
        return left && rowUnderKey(release.release_id, left)
      },
    },
    timeline: {
      day,
      isHeld(chart) {
        const release = view.editionOn(chart, day)
        if (release) trace.held.push(release)
        else trace.notHeld.push(chart)
        return release !== undefined
      },
      around(chart) {
        trace.around.push(chart)
        const last = view.lastBy(chart, day)
        return neighboursOf((place) => view.periods[place], last, chart, day)
      },
    },
    providers: {
      chartOf(npi) {
        trace.npi = npi
        return view.chartOf(npi)
      },
    },
  }
  return { registry, trace }
}
