// What the items of a list have in common: releases, state and log, each stated once.

import type { ShownAnswer } from '../answer.ts'
import type { Facts } from '../facts.ts'
import { type FailedCheck, fail } from '../fault.ts'
import { isLogProof, type SharedRelease } from '../price/proofs.ts'
import { isState } from '../price/release.ts'
import { listOf, type Members } from '../shape.ts'

/** What a list has proved. */
export interface CheckedList {
  ok: true
  shown: ShownAnswer[]
  /** Lines that refuse their question without a proof: what they say is the server's word. */
  refused: number
}

export const SHARED = ['releases', 'state', 'log']

/** The state of a list, and its releases, each in force. */
export async function addShared<R extends SharedRelease>(
  facts: Facts,
  { releases, state, log }: Members,
  isRelease: (value: unknown) => value is R,
  most = 64,
): Promise<{ ok: true; releases: R[] } | FailedCheck> {
  if (!listOf(isRelease, most)(releases) || !isState(state) || !isLogProof(log)) return fail('proof_malformed')
  const under = await facts.addState(state, log)
  if (!under.ok) return under
  for (const release of releases as R[]) {
    const added = facts.addRelease(release)
    if (!added.ok) return added
  }
  return { ok: true, releases: releases as R[] }
}
