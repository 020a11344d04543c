// What rows of bill edits say, in words of ours.

import type { Pair, Primary } from '../../proof/price/edit-row.ts'
import { counted } from './row-text.ts'

/** A row of edits in an answer: the members that its kind has. */
export interface StatedEdit {
  kind: string
  units?: number
  adjudication?: number
  edits?: Pair[]
  primaries?: Primary[]
  left_out?: number
}

const JUDGED: Readonly<Record<number, string>> = {
  1: 'a line',
  2: 'a day, by policy',
  3: 'a day, by clinical reasons',
}

/** Undefined of a row that is not one of edits. */
export function editText({
  kind,
  units,
  adjudication,
  edits,
  primaries,
  left_out = 0,
}: StatedEdit): string | undefined {
  if (kind === 'limit') return `at most ${counted(units ?? 0, 'unit')} ${JUDGED[adjudication ?? 0] ?? ''}`
  const [entries, noun] = kind === 'edits' ? [edits, 'pair'] : [primaries, 'primary code']
  return entries && counted(entries.length + left_out, noun)
}
