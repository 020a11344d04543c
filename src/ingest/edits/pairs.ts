import { unreadable } from '../../files/unreadable.ts'
import { firstDayOfHistory } from '../../proof/check/edit-tables.ts'
import { compareEdits, type EditsRow } from '../../proof/price/edit-row.ts'
import { rowText } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import type { Reader, ReadOptions } from '../reader.ts'
import { fail, OK, perSource, type Reread, type SourceInput, whole } from '../reread.ts'
import { quarterlyEdition } from '../schedules/quarter.ts'
import { type Columns, readTable } from '../schedules/table.ts'
import { type Citable, readMembers, type Source } from '../source.ts'
import { nameOf, refuseMedicaid } from './edit-cells.ts'
import { PairTable } from './pair-table.ts'

// CMS's procedure-to-procedure edits: codes that are not paid together. An edition has four parts, and is whole with all of them.

/** The name of a part: ccipra-v322r0-f1.txt is part 1 of version 32.2, of practitioners. */
const PART = /cci(?<claims>pra|oph)-v(?<year>\d\d)(?<quarter>[0-3])r(?<revision>\d)-f(?<part>\d)/i
export const PARTS = 4
/** Version 32 is of 2026. */
const YEAR_OF_VERSION_0 = 1994

const COLUMNS: Columns = {
  cpt: { titles: ['Column 1'] },
  with: { titles: ['Column 2'] },
  from: { titles: ['Effective', 'Effective Date'] },
  to: { titles: ['Deletion', 'Deletion Date', 'Deletion Date *=no data'] },
  indicator: { titles: ['Modifier', 'Modifier 0=not allowed 1=allowed 9=not applicable'] },
  rationale: { titles: ['PTP Edit Rationale'] },
}
type Claims = 'pra' | 'oph'
const WHAT: Readonly<Record<Claims, string>> = {
  pra: 'a part of the procedure-to-procedure edits (PTP) for practitioners',
  oph: 'a part of the procedure-to-procedure edits (PTP) for outpatient hospitals',
}

interface Part {
  cited: Citable
  /** What its name says of it; undefined if it has another name. */
  named: { version: string; part: number } | undefined
  first: string
  last: string
}

export function pairReader(claims: Claims): Reader {
  const what = WHAT[claims]
  const linesOf = (source: Source) => readTable(source, COLUMNS, what).lines
  const tableOf = (source: Source): PairTable => {
    const table = new PairTable()
    table.read(linesOf(source), 0, new Map())
    return table
  }

  async function readParts(path: string, table: PairTable, parts: Part[], rejects: Findings): Promise<void> {
    for (const source of await readMembers(path, TEXT)) {
      refuseMedicaid(source)
      const named = partNamed(source, claims)
      const { first, last } = table.read(linesOf(source), parts.length, rejects)
      if (first === '') throw unreadable(`${what} has no line that can be read`)
      const { file, sha256, bytes } = source
      parts.push({ cited: { file, sha256, path, bytes: { length: bytes.length } }, named, first, last })
    }
  }

  async function read(paths: readonly string[], options: ReadOptions, rejects: Findings) {
    const table = new PairTable()
    const parts: Part[] = []
    // One part after the other, each gone before the next: all four are two hundred megabytes of text.
    for (const path of paths) {
      await readParts(path, table, parts, rejects)
      Bun.gc(true)
    }
    const inOrder = wholeEdition(parts)
    const stated = inOrder[0]?.named?.version
    const dates = quarterlyEdition('PTP', stated === undefined ? [] : [quarterOfVersion(stated)], options)
    const order = parts.map((part) => inOrder.indexOf(part))
    const { codes } = table
    const years = { effective_from: dates.effective_from, since: firstDayOfHistory(dates.effective_from), order }
    return {
      ...dates,
      rows: rowsOf(table, codes, years, rejects),
      row_total: codes.length,
      line_total: table.lines,
      cited: inOrder.map(({ cited }) => cited),
    }
  }

  return {
    read,
    reread: () => reread(tableOf),
    finds(source, cpt) {
      const since = firstDayOfHistory(dateNamed(whole(source)) ?? LAST_DAY)
      const row = tableOf(whole(source)).row(cpt, { effective_from: since, since, order: [] }, new Map())
      return row !== undefined
    },
    options: [],
  }
}

const TEXT = /\.(txt|csv)$/i
/** Without a date, pairs that ended do not count. */
const LAST_DAY = '9999-12-31'

/** A row is hundreds of small lists, which the engine would let pile up. */
const ROWS_IN_MEMORY = 500

type Years = Parameters<PairTable['row']>[1]

function* rowsOf(table: PairTable, codes: readonly string[], years: Years, rejects: Findings): Generator<EditsRow> {
  for (const [at, code] of codes.entries()) {
    if (at % ROWS_IN_MEMORY === 0) Bun.gc(true)
    const row = table.row(code, years, rejects)
    if (row) yield row
  }
}

function partNamed(source: Source, claims: Claims): Part['named'] {
  const { claims: of, year, quarter, revision, part } = PART.exec(nameOf(source))?.groups ?? {}
  if (of === undefined) return undefined
  if (of.toLowerCase() !== claims) throw unreadable(`this is not ${WHAT[claims]}, but of the other kind`)
  return { version: `${year}.${quarter}.${revision}`, part: Number(part) }
}

/** Version 32.2 is of the third quarter of 2026. */
function quarterOfVersion(version: string): string {
  const [year, quarter] = version.split('.').map(Number)
  return `${YEAR_OF_VERSION_0 + (year ?? 0)} Q${(quarter ?? 0) + 1}`
}

function dateNamed(source: Source): string | undefined {
  const { year, quarter } = PART.exec(nameOf(source))?.groups ?? {}
  return year && quarterlyEdition('PTP', [quarterOfVersion(`${year}.${quarter}`)], {}).effective_from
}

/**
 * The parts in order, if they are a whole edition: four of one version, each once, and each begins behind the end of the one
 * before. A single file with another name stands for all of them: the operator has put them together.
 */
function wholeEdition(parts: readonly Part[]): readonly Part[] {
  const [first] = parts
  if (!first) throw unreadable('there is no part of the edits among the files')
  if (parts.length === 1 && !first.named) return parts
  if (parts.some(({ named }) => !named))
    throw unreadable(
      'a file has no name of a part, as ccipra-v322r0-f1.txt: give the files the names that CMS gave them',
    )
  if (parts.some(({ named }) => named?.version !== first.named?.version))
    throw unreadable('the files are of several versions: give the four parts of one')
  const inOrder = Array.from({ length: PARTS }, (_, i) => parts.filter(({ named }) => named?.part === i + 1))
  const missing = inOrder.flatMap((found, i) => (found.length === 0 ? [i + 1] : []))
  if (missing.length > 0)
    throw unreadable(
      `part ${listed(missing)} of ${PARTS} ${missing.length === 1 ? 'is' : 'are'} missing: an edition is whole with all of them`,
    )
  if (parts.length > PARTS) throw unreadable(`an edition has ${PARTS} parts, each once: a file is too many`)
  const ordered = inOrder.flat()
  if (ordered.some(({ first: begins }, i) => i > 0 && begins <= (ordered[i - 1] as Part).last))
    throw unreadable(
      'a part does not begin where the one before it ends: one of them has a wrong name or is of another edition',
    )
  return ordered
}

const listed = (numbers: readonly number[]): string =>
  [numbers.slice(0, -1).join(', '), numbers.at(-1)].filter((each) => each !== '').join(' and ')

/** Makes the row of the code anew from all files that it cites: no other file of its release has a pair of it. */
function reread(tableOf: (source: Source) => PairTable): Reread {
  const tables = perSource((source: SourceInput) => tableOf(whole(source)))
  return (row, places, beside) => {
    const { kind, code, effective_from } = row as unknown as EditsRow
    if (kind !== 'edits' || places.length === 0) return fail('line_not_found')
    const years = { effective_from, since: firstDayOfHistory(effective_from), order: [] }
    const rowIn = (source: SourceInput) => tables(source).row(code, years, new Map())
    if (beside.some((source) => rowIn(source) !== undefined)) return fail('inputs_not_at_line')
    const made = places.map(({ source }) => rowIn(source))
    if (made.some((each, i) => each?.locator[0]?.line !== places[i]?.line)) return fail('line_not_found')
    const edits = made.flatMap((each) => each?.edits ?? []).sort(compareEdits)
    return rowText({ kind, code, edits, effective_from, locator: row.locator }) === rowText(row)
      ? OK
      : fail('inputs_not_at_line')
  }
}
