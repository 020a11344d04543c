import { unreadable } from '../files/unreadable.ts'
import type { Citation } from '../proof/price/release.ts'
import { type Row, rowText } from '../proof/price/row.ts'
import type { SourceFault } from '../proof/whole/reasons.ts'
import type { StatedAmounts } from './hospital/file.ts'
import type { Source } from './source.ts'

/** Where a file itself is at fault, `file` says which one is needed. */
export type SourceVerdict =
  | { ok: true }
  | { ok: false; reason: SourceFault; file?: Pick<Citation, 'file' | 'sha256' | 'url'> }

/** A file too large to be in memory, with what a hospital states in it about the rows in question. */
export interface GatheredFile extends Pick<Source, 'file' | 'sha256'> {
  stated: StatedAmounts
}
export type SourceInput = Source | GatheredFile

/** A cited line: the file it is in, and its number. */
export interface Place {
  source: SourceInput
  /** The name in the release: a copy may have another one. */
  file: string
  line: number
}

/**
 * Reads the cited lines again, as on loading, and says whether they make the row. `beside` are the other files that its
 * release cites, as far as they were given.
 */
export type Reread = (row: Row, places: readonly Place[], beside: readonly SourceInput[]) => SourceVerdict

export const OK: SourceVerdict = { ok: true }
export const fail = (reason: SourceFault): SourceVerdict & { ok: false } => ({ ok: false, reason })

export const isOneOf = (row: Row, made: readonly Row[]): SourceVerdict =>
  made.some((each) => rowText(each) === rowText(row)) ? OK : fail('inputs_not_at_line')

export const byLine = <Read extends { line: number }>(read: readonly Read[]): Map<number, Read> =>
  new Map(read.map((each) => [each.line, each]))

/** A file is read once, however many rows cite it. */
export function perSource<Of extends SourceInput, Reading>(read: (source: Of) => Reading): (source: Of) => Reading {
  const readings = new Map<Of, Reading>()
  return (source) => {
    const reading = readings.get(source) ?? read(source)
    readings.set(source, reading)
    return reading
  }
}

/** The schedules are read whole: a file that was only gathered from is no schedule. */
export function whole(source: SourceInput): Source {
  if ('stated' in source) throw unreadable('the file is larger than any schedule')
  return source
}
