import type { Db } from '../../db/db.ts'
import type { Need, Reply } from '../../proof/lookup/asking.ts'
import { type Decision, lookUp } from '../../proof/lookup/lookup.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { PlaceRow } from '../../proof/price/row.ts'
import { openRelease, type StoredRow } from '../file/release-file-store.ts'
import { type Release, rowOf } from '../store.ts'
import type { Proofs } from './proofs.ts'
import type { View } from './view.ts'

/** What the rule looked at on its way to a decision: what an answer must prove. */
export interface Trace {
  /** Keys that were asked for, and the row that was found under each. */
  rows: { release: Release; key: string; found: StoredRow | undefined }[]
  /** Prefixes of which all rows were asked for. */
  ranges: { release: Release; prefix: string; rows: StoredRow[] }[]
  /** Charts that have no edition on the day. */
  notHeld: string[]
  held: Release[]
  npi: string | undefined
}

export interface LookupResult {
  question: ParsedQuestion
  decision: Decision
  place: PlaceRow | undefined
  trace: Trace
}

/** Runs the rule of the lookup on the store, as of one view, and notes what it looked at. */
export async function find(proofs: Proofs, question: ParsedQuestion): Promise<LookupResult> {
  const { found, trace } = await runRule(proofs, lookUp(question, proofs.charts), question.day)
  return { question, ...found, trace }
}

/** Runs a rule on the store, and notes what it looked at. */
export async function runRule<T>(
  { db, view }: Proofs,
  rule: Generator<Need, T, Reply>,
  day: string,
): Promise<{ found: T; trace: Trace }> {
  const trace: Trace = { rows: [], ranges: [], notHeld: [], held: [], npi: undefined }
  let step = rule.next()
  while (!step.done) step = rule.next(replyTo(db, view, day, trace, step.value))
  return { found: step.value, trace }
}

function replyTo(db: Db, view: View, day: string, trace: Trace, need: Need): Reply {
  if (need.need === 'provider') {
    trace.npi = need.npi
    return view.chartOf(need.npi)
  }
  const release = view.editionOn(need.chart, day)
  if (need.need === 'edition') {
    if (release) trace.held.push(release)
    else trace.notHeld.push(need.chart)
    return release !== undefined
  }
  if (!release) throw new Error('the rule asks for rows of a chart that has no edition')
  if (need.need === 'row') {
    const found = openRelease(db, release).findRow(need.key)
    trace.rows.push({ release, key: need.key, found })
    return found && rowOf(found)
  }
  const rows = openRelease(db, release).rowsUnder(need.prefix)
  const parsed = rows.map(rowOf)
  if (need.need === 'rows') {
    trace.ranges.push({ release, prefix: need.prefix, rows })
    return parsed
  }
  const regions = [...new Set(parsed.map(({ region }) => region as string))].slice(0, 2)
  // Two regions are shown by a row of each; that there is one only, or none, by all rows there are.
  if (regions.length < 2) trace.ranges.push({ release, prefix: need.prefix, rows })
  else
    for (const region of regions) {
      const found = rows[parsed.findIndex((row) => row.region === region)]
      if (found) trace.rows.push({ release, key: found.row_key, found })
    }
  return regions
}
