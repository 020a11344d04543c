// The parts that the items of a list share: releases, state and log.

import type { ShownAnswer } from '../answer.ts'
import type { Facts } from '../facts.ts'
import { ensure } from '../fault.ts'
import { isLogProof, type SharedRelease } from '../price/proofs.ts'
import { isState, type Manifest } from '../price/release.ts'
import type { AnyRow } from '../price/row.ts'
import { listOf, type Members } from '../shape.ts'

/** A list whose proofs are checked. */
export interface CheckedList {
  shown: ShownAnswer[]
  /** The number of lines that refuse their question without a proof: they are the server's word. */
  refused: number
}

/** A row of a list as an answer without a decision. */
export const shownRow = ({ row, release }: { row: AnyRow; release: Manifest }): ShownAnswer => ({
  row,
  release,
  place: undefined,
  lapsed: false,
  decision: undefined,
  lacking: [],
})

export const SHARED = ['releases', 'state', 'log']

/** Adds the state of a list to the facts, and its releases, which are in force. */
export async function addShared<R extends SharedRelease>(
  facts: Facts,
  { releases, state, log }: Members,
  isRelease: (value: unknown) => value is R,
  most = 64,
): Promise<R[]> {
  ensure(listOf(isRelease, most)(releases) && isState(state) && isLogProof(log), 'proof_malformed')
  await facts.addState(state, log)
  for (const release of releases as R[]) facts.addRelease(release)
  return releases as R[]
}
