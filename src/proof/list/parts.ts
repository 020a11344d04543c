// What the items of a list have in common: releases, state and log, each stated once.

import type { ShownAnswer } from '../answer.ts'
import type { Facts } from '../facts.ts'
import { ensure } from '../fault.ts'
import { isLogProof, type SharedRelease } from '../price/proofs.ts'
import { isState, type Manifest } from '../price/release.ts'
import type { AnyRow } from '../price/row.ts'
import { listOf, type Members } from '../shape.ts'

/** What a list has proved. */
export interface CheckedList {
  shown: ShownAnswer[]
  /** Lines that refuse their question without a proof: what they say is the server's word. */
  refused: number
}

/** A row of a list, as an answer that no lookup has decided. */
export const shownRow = ({ row, release }: { row: AnyRow; release: Manifest }): ShownAnswer => ({
  row,
  release,
  place: undefined,
  lapsed: false,
  decision: undefined,
  lacking: [],
})

export const SHARED = ['releases', 'state', 'log']

/** The state of a list, and its releases, each in force. */
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
