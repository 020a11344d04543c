// The parts of an answer for those who show it. Nothing is checked here: it is an answer of our own, or one that was verified.

import type { Proof, RowPointer } from './envelope.ts'
import type { Manifest, Period } from './price/release.ts'
import { nameOf } from './price/timeline.ts'

/** A body with its proof; a short one has none. */
export interface ShownBody {
  proof?: Partial<Proof>
  /** The pointer of an answer's row, or the row of a refusal. */
  row?: RowPointer | { proof?: RowPointer }
}

/** The pointer of the row that a body is about. */
export const mainPointer = ({ row }: ShownBody): RowPointer | undefined =>
  row === undefined || 'index' in row ? (row as RowPointer | undefined) : (row as { proof?: RowPointer }).proof

export const releaseOf = ({ proof }: ShownBody, pointer: RowPointer | undefined): Manifest | undefined =>
  pointer && proof?.releases?.[pointer.release]?.release

/** The period in which a release of the proof is in force; undefined if it is in force on no day. */
export const periodOf = ({ proof }: ShownBody, release: Manifest): Period | undefined =>
  proof?.timeline?.leaves?.map(([, period]) => period).find((period) => period.release === nameOf(release))
