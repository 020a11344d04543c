import type { Editions } from '../../proof/lookup/editions.ts'
import { type Decision, lookUp } from '../../proof/lookup/lookup.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { PlaceRow } from '../../proof/price/row.ts'
import type { ReleaseFile, StoredRow } from '../rows/release-file-store.ts'
import type { Release } from '../store.ts'
import { type Proofs, rowUnderKey } from './proofs.ts'

/** Everything that the rule looked at on its way to a decision: an answer must prove it. */
export interface Trace {
  /** Keys that were asked for, and the row that was found under each. Not all that are missing between the same two rows of a hospital. */
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
  const { editions, trace } = tracedEditions(proofs, question.day)
  return { question, ...ruled(proofs, trace, () => lookUp(editions, question, proofs.charts)), trace }
}

/** Runs a rule. It trusts what it is told: where it fails, rows that are not those that were published are the cause. */
export function ruled<T>(proofs: Proofs, trace: Trace, rule: () => T): T {
  try {
    return rule()
  } catch (fault) {
    for (const { release, found } of trace.rows) if (found) proofs.check(release, found)
    for (const { release, rows } of trace.ranges) for (const stored of rows) proofs.check(release, stored)
    throw fault
  }
}

/** The editions of a day in the store, for a rule to look at, and a note of what it looked at. */
export function tracedEditions(proofs: Proofs, day: string): { editions: Editions; trace: Trace } {
  const { view } = proofs
  const trace: Trace = { rows: [], ranges: [], notHeld: [], held: [], npi: undefined }
  const opened = (chart: string): [Release, ReleaseFile] => {
    const release = view.editionOn(chart, day)
    if (!release) throw new Error('the rule asks for rows of a chart that has no edition')
    return [release, proofs.open(release)]
  }
  let ofCode: CodeOfHospital | undefined
  const missingIn = (file: ReleaseFile, key: string): ReturnType<CodeOfHospital['missing']> => {
    // A schedule is asked for few keys, and most hospitals have the first one.
    if (trace.npi === undefined || trace.rows.length === 0) return undefined
    if (!ofCode?.covers(file, key)) ofCode = new CodeOfHospital(file, key, trace.npi)
    return ofCode.missing(key)
  }
  const editions: Editions = {
    day,
    chartOf: (npi) => {
      trace.npi = npi
      return view.chartOf(npi)
    },
    isHeld: (chart) => {
      const release = view.editionOn(chart, day)
      if (release) trace.held.push(release)
      else trace.notHeld.push(chart)
      return release !== undefined
    },
    row: (chart, key) => {
      const [release, file] = opened(chart)
      const missing = missingIn(file, key)
      if (missing === 'again') return undefined
      const found = missing ? undefined : file.findRow(key)
      trace.rows.push({ release, key, found })
      return found && rowUnderKey(release.release_id, found)
    },
    // It is shown as a key that is not there is shown: the rows on either side of it.
    notAfter: (chart, key) => {
      const [release] = opened(chart)
      const { left: found } = proofs.around(release, key)
      trace.rows.push({ release, key, found: undefined })
      if (found) trace.rows.push({ release, key: found.row_key, found })
      return found && rowUnderKey(release.release_id, found)
    },
    rows: (chart, prefix) => {
      const [release, file] = opened(chart)
      const rows = file.rowsUnder(prefix)
      trace.ranges.push({ release, prefix, rows })
      return rows.map((stored) => rowUnderKey(release.release_id, stored))
    },
    regions: (chart, prefix) => {
      const [release, file] = opened(chart)
      return regionsUnder(file, release, prefix, trace)
    },
  }
  return { editions, trace }
}

/** Keys of one code of a hospital that are read at once. Few have a hundred; in a file from elsewhere there may be any number. */
const MOST_KEYS = 200

/**
 * Which keys a hospital's file has of a code. With four modifiers the rule asks for hundreds, of which almost none is there:
 * they are compared with these, and the same two rows prove that all between them are missing.
 */
class CodeOfHospital {
  readonly #prefix: string
  /** Undefined where each key is to be looked for in the file: rows that failed their verification are not to be passed over. */
  readonly #keys: readonly string[] | undefined
  readonly #gaps = new Set<number>()

  constructor(
    readonly file: ReleaseFile,
    key: string,
    npi: string,
  ) {
    this.#prefix = key.slice(0, key.indexOf(`|${npi}|`) + npi.length + 2)
    this.#keys = file.failed.length > 0 ? undefined : fewKeysUnder(file, this.#prefix)
  }

  covers(file: ReleaseFile, key: string): boolean {
    return file === this.file && key.startsWith(this.#prefix)
  }

  /** Whether the file does not have the key, and whether that was said of one between the same two rows before. */
  missing(key: string): 'first' | 'again' | undefined {
    const keys = this.#keys
    if (!keys) return undefined
    const gap = keys.findIndex((each) => each >= key)
    if (keys[gap] === key) return undefined
    if (this.#gaps.has(gap)) return 'again'
    this.#gaps.add(gap)
    return 'first'
  }
}

function fewKeysUnder(file: ReleaseFile, prefix: string): string[] | undefined {
  const [from, to] = file.placesUnder(prefix)
  return to - from > MOST_KEYS ? undefined : file.keysAt(from, to)
}

/** Two regions are shown by a row of each; that there is one only, or none, by all rows there are. */
function regionsUnder(file: ReleaseFile, release: Release, prefix: string, trace: Trace): string[] {
  const [from, to] = file.placesUnder(prefix)
  const [first] = file.rowsAt(from, Math.min(from + 1, to))
  if (!first) {
    trace.ranges.push({ release, prefix, rows: [] })
    return []
  }
  rowUnderKey(release.release_id, first)
  const region = regionIn(first.row_key)
  for (let at = from + 1; at < to; at++) {
    const [other] = file.keysAt(at, at + 1)
    if (other === undefined || regionIn(other) === region) continue
    const [second] = file.rowsAt(at, at + 1)
    for (const found of [first, second]) {
      if (!found) continue
      rowUnderKey(release.release_id, found)
      trace.rows.push({ release, key: found.row_key, found })
    }
    return [region, regionIn(other)]
  }
  trace.ranges.push({ release, prefix, rows: file.rowsAt(from, to) })
  return [region]
}

/** The second part of the key of a price. */
const regionIn = (key: string): string => key.slice(key.indexOf('|') + 1, key.indexOf('|', key.indexOf('|') + 1))
