import type { Need, Reply } from '../../proof/lookup/asking.ts'
import { type Decision, lookUp } from '../../proof/lookup/lookup.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { PlaceRow } from '../../proof/price/row.ts'
import type { ReleaseFile, StoredRow } from '../file/release-file-store.ts'
import { type Release, rowOf } from '../store.ts'
import type { Proofs } from './proofs.ts'

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
export function find(proofs: Proofs, question: ParsedQuestion): LookupResult {
  const { found, trace } = runRule(proofs, lookUp(question, proofs.charts), question.day)
  return { question, ...found, trace }
}

/** Runs a rule on the store, and notes what it looked at. */
export function runRule<T>(proofs: Proofs, rule: Generator<Need, T, Reply>, day: string): { found: T; trace: Trace } {
  const trace: Trace = { rows: [], ranges: [], notHeld: [], held: [], npi: undefined }
  let step = rule.next()
  while (!step.done) step = rule.next(replyTo(proofs, day, trace, step.value))
  return { found: step.value, trace }
}

function replyTo(proofs: Proofs, day: string, trace: Trace, need: Need): Reply {
  const { view } = proofs
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
  const file = proofs.open(release)
  if (need.need === 'row') {
    const found = file.findRow(need.key)
    trace.rows.push({ release, key: need.key, found })
    return found && rowOf(found)
  }
  if (need.need === 'regions') return regionsUnder(file, release, need.prefix, trace)
  const rows = file.rowsUnder(need.prefix)
  trace.ranges.push({ release, prefix: need.prefix, rows })
  return rows.map(rowOf)
}

/** Two regions are shown by a row of each; that there is one only, or none, by all rows there are. */
function regionsUnder(file: ReleaseFile, release: Release, prefix: string, trace: Trace): string[] {
  const [from, to] = file.placesUnder(prefix)
  const [first] = file.rowsAt(from, Math.min(from + 1, to))
  if (!first) {
    trace.ranges.push({ release, prefix, rows: [] })
    return []
  }
  const region = regionIn(first.row_key)
  for (let at = from + 1; at < to; at++) {
    const [other] = file.keysAt(at, at + 1)
    if (other === undefined || regionIn(other) === region) continue
    const [second] = file.rowsAt(at, at + 1)
    for (const found of [first, second]) if (found) trace.rows.push({ release, key: found.row_key, found })
    return [region, regionIn(other)]
  }
  trace.ranges.push({ release, prefix, rows: file.rowsAt(from, to) })
  return [region]
}

/** The second part of the key of a price. */
const regionIn = (key: string): string => key.slice(key.indexOf('|') + 1, key.indexOf('|', key.indexOf('|') + 1))
