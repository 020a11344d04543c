import { unreadable } from '../files/unreadable.ts'
import { Problem } from '../problem.ts'
import { utf8 } from '../proof/bytes.ts'
import { statedCents } from '../proof/price/derivation.ts'
import { isNpi } from '../proof/price/npi.ts'
import { type Basis, type Citation, type Row, rowKey, rowText } from '../proof/price/row.ts'
import { type Locality, NATIONAL, readGpci } from './cms/gpci.ts'
import { laboratoryRow, laboratoryTable } from './cms/laboratory.ts'
import { outpatientRow, outpatientTable } from './cms/outpatient.ts'
import {
  CONVERSION_FACTOR_KINDS,
  type ConversionFactorKind,
  factorKind,
  namedKind,
  saidEdition,
} from './cms/physician-edition.ts'
import { type PhysicianLine, physicianLines } from './cms/physician-lines.ts'
import { rowsOfLine } from './cms/physician-rows.ts'
import { type Line, type Made, saysTheSame, type Table } from './cms/table.ts'
import { AmountsReader, hospitalRows, type StatedAmounts } from './hospital/file.ts'
import type { Source } from './source.ts'

export type SourceFault =
  | 'source_missing'
  | 'source_hash_mismatch'
  | 'source_unreadable'
  | 'line_not_found'
  | 'inputs_not_at_line'
  | 'other_amounts_in_file'
/** Where a file itself is at fault, `file` says which one is needed. */
export type SourceVerdict =
  | { ok: true }
  | { ok: false; reason: SourceFault; file?: Pick<Citation, 'file' | 'sha256' | 'url'> }

export type SourceCheck = (row: Row, citations: readonly Citation[]) => SourceVerdict

/** A file too large to be in memory, with what a hospital states in it about the rows in question. */
export interface Gathered extends Pick<Source, 'file' | 'sha256'> {
  stated: StatedAmounts
}
export type Given = Source | Gathered

/** A cited line: the file it is in, and its number. */
interface Place {
  source: Given
  /** As the release names it: a copy may be called something else. */
  file: string
  line: number
}
type ChartCheck = (row: Row, places: readonly Place[]) => SourceVerdict

const OK: SourceVerdict = { ok: true }
const fail = (reason: SourceFault): SourceVerdict => ({ ok: false, reason })

/**
 * Checks rows against the files they cite: the bytes are those that were cited, and the lines, read as they
 * were read on loading, say what the row says. A file is read once, however many rows cite it.
 */
export function sourceCheck(given: readonly Given[]): SourceCheck {
  const physician = physicianCheck()
  const hospital = hospitalCheck()
  const checks: Partial<Record<Basis, ChartCheck>> = {
    medicare_pfs: physician,
    medicare_clfs: tableCheck(laboratoryTable, laboratoryRow),
    medicare_opps: tableCheck(outpatientTable, outpatientRow),
    hospital_cash: hospital,
    hospital_gross: hospital,
    hospital_negotiated_low: hospital,
    hospital_negotiated_high: hospital,
  }
  return (row, citations) => {
    const places: Place[] = []
    for (const { citation, line } of row.locator) {
      const found = findSource(given, citations[citation])
      if ('reason' in found) return found
      places.push({ source: found.source, file: citations[citation]?.file ?? '', line })
    }
    const check = checks[row.basis]
    if (!check) return fail('source_unreadable')
    try {
      return check(row, places)
    } catch (error) {
      if (error instanceof Problem) return fail('source_unreadable')
      throw error
    }
  }
}

/** A file is known by its digest. One that has only the name is the wrong file, or was changed. */
function findSource(
  given: readonly Given[],
  cited: Citation | undefined,
): { source: Given } | (SourceVerdict & { ok: false }) {
  if (!cited) return { ok: false, reason: 'source_missing' }
  const source = given.find(({ sha256 }) => sha256 === cited.sha256)
  if (source) return { source }
  const { file, sha256, url } = cited
  const named = given.some((each) => each.file === file)
  return { ok: false, reason: named ? 'source_hash_mismatch' : 'source_missing', file: { file, sha256, url } }
}

/** The relative value line, and for a locality its line of indices, must make the same row again, byte for byte. */
function physicianCheck(): ChartCheck {
  const lines = perSource((source) => byLine<PhysicianLine>(physicianLines(whole(source), new Map())))
  const localities = perSource((source) => byLine<Locality>(readGpci(whole(source))))
  const named = perSource((source: Source) => ({ kind: namedKind(source), year: saidEdition(source).year }))
  // By the name that the release cites: a copy may be called something else.
  const asCited = new Map<string, Source>()
  return (row, [rvus, gpci]) => {
    const line = rvus && lines(rvus.source).get(rvus.line)
    if (!line) return fail('line_not_found')
    if (row.region !== NATIONAL.region && !gpci) return fail('inputs_not_at_line')
    // Of a line that is contradicted, the other one is cited too.
    const place = gpci && row.region !== NATIONAL.region ? localities(gpci.source).get(gpci.line) : NATIONAL
    if (!place) return fail('line_not_found')
    const key = `${rvus.source.sha256} ${rvus.file}`
    const cited = asCited.get(key) ?? { ...whole(rvus.source), file: rvus.file }
    asCited.set(key, cited)
    const { effective_from } = row
    const kinds = kindsOf(row, line, named(cited))
    return isOneOf(
      row,
      kinds.flatMap((conversion_factor_kind) => rowsOfLine(line, place, { effective_from, conversion_factor_kind })),
    )
  }
}

/** Which conversion factor the file says it is for; where it does not, which one the release says. */
function kindsOf(
  row: Row,
  line: PhysicianLine,
  said: { kind: ConversionFactorKind | undefined; year: number | undefined },
): (ConversionFactorKind | undefined)[] {
  const kind = factorKind(line.conversionFactor, said.year, said.kind)
  const stated = CONVERSION_FACTOR_KINDS.find((each) => each === row.derivation.inputs['conversion_factor_kind'])
  return kind === undefined ? [stated] : [kind, said.kind]
}

/**
 * The cited line, or row of the sheet, must make the same row again, and no other line may say something else under its
 * key. Of what is withheld, the lines must be there, and contradict each other if that is the reason.
 */
function tableCheck(read: (source: Source) => Table, rowOf: (line: Line, effective_from: string) => Made): ChartCheck {
  const tables = perSource((source) => {
    const lines = [...read(whole(source)).lines]
    return { at: byLine<Line>(lines), ofCode: Map.groupBy(lines, ({ cell }) => cell('cpt')) }
  })
  return (row, places) => {
    const cited = places.flatMap(({ source, line }) => tables(source).at.get(line) ?? [])
    const [first] = places
    if (!first || cited.length < places.length) return fail('line_not_found')
    const underKey = (lines: readonly Line[]): Row[] =>
      lines.flatMap((line) => {
        const made = rowOf(line, row.effective_from)
        return typeof made === 'object' && rowKey(made) === rowKey(row) ? [made] : []
      })
    const made = underKey(cited)
    if (row.derivation.method === 'row-rule/1') {
      const contradict = made.some((each) => !saysTheSame(each, made[0] as Row))
      const holds = made.length === places.length && (contradict || row.derivation.inputs['rule'] !== 'R10')
      return holds ? OK : fail('inputs_not_at_line')
    }
    const others = underKey(tables(first.source).ofCode.get(row.cpt) ?? [])
    if (made.length > 0 && others.some((each) => !saysTheSame(each, made[0] as Row)))
      return fail('other_amounts_in_file')
    return isOneOf(row, made)
  }
}

const isOneOf = (row: Row, made: readonly Row[]): SourceVerdict =>
  made.some((each) => rowText(each) === rowText(row)) ? OK : fail('inputs_not_at_line')

/**
 * The amounts must stand on the cited lines, and the rest of the file must not state others under the same key:
 * one amount picked out of several would be a price that the hospital did not give.
 */
function hospitalCheck(): ChartCheck {
  const tables = perSource((source: Given) => ('stated' in source ? source.stated : statedIn(source)))
  return (row, places) => {
    const [first] = places
    if (!first || row.npi === null) return fail('inputs_not_at_line')
    const { named_npis, lines, ofCode } = tables(first.source)
    const npis = named_npis.filter(isNpi)
    if (places.some(({ source, line }) => source !== first.source || !lines.has(line))) return fail('line_not_found')
    // A file before version 3 names no provider: whose it is rests on the release, not on the file.
    if (npis.length > 0 && !npis.includes(row.npi)) return fail('inputs_not_at_line')

    const stated = (ofCode.get(row.cpt) ?? []).filter(
      ({ modifier, setting, basis }) => modifier === row.modifier && setting === row.setting && basis === row.basis,
    )
    const [whole] = hospitalRows(stated, [row.npi], row.effective_from)
    // What is withheld has no amounts of its own: those that the file states must still stand there.
    const withheld = row.derivation.method === 'row-rule/1'
    const texts = withheld && whole ? amountsOf(whole) : amountsOf(row)
    const stands = places.every(({ line }, i) =>
      stated.some((each) => each.line === line && each.cents === statedCents(texts[i] ?? '')),
    )
    if (!stands || !whole || places.length !== texts.length) return fail('inputs_not_at_line')
    if (withheld) return OK
    if (!sameTexts(amountsOf(whole), texts)) return fail('other_amounts_in_file')
    // The same amount may stand on several lines: any of them will do.
    return isOneOf(row, [{ ...whole, locator: row.locator }])
  }
}

/** The amounts a hospital's row was made from, in the order of its locator. */
const amountsOf = ({ derivation: { inputs } }: Row): (string | undefined)[] =>
  'amount' in inputs ? [inputs['amount']] : [inputs['low'], inputs['high']]

const sameTexts = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])

function statedIn(source: Source): StatedAmounts {
  const reader = new AmountsReader()
  reader.push(utf8(source.text))
  return reader.end()
}

const byLine = <Read extends { line: number }>(read: readonly Read[]): Map<number, Read> =>
  new Map(read.map((each) => [each.line, each]))

function perSource<Of extends Given, Reading>(read: (source: Of) => Reading): (source: Of) => Reading {
  const readings = new Map<Of, Reading>()
  return (source) => {
    const reading = readings.get(source) ?? read(source)
    readings.set(source, reading)
    return reading
  }
}

/** The schedules are read whole: a file that was only gathered from is no schedule. */
function whole(source: Given): Source {
  if ('stated' in source) throw unreadable('the file is larger than any schedule is')
  return source
}
