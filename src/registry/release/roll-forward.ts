import type { Db } from '../../db/db.ts'
import { isManifest, isMove, isOlderRelease, isOlderState, isState, isWithdrawal } from '../../proof/price/release.ts'
import { registryEntryOf } from '../../proof/replay/registry-replay.ts'
import * as releases from './store.ts'

/** Why entries of the registry log cannot be added to a store again, in one sentence; undefined if they can. */
export function whyNotAgain(bodies: readonly Uint8Array[]): string | undefined {
  for (const body of bodies) {
    const entry = registryEntryOf(body)
    if (isManifest(entry) || isOlderRelease(entry)) return `its rows are not in the backup: ${entry.release_id}`
    if (!isState(entry) && !isOlderState(entry) && !isWithdrawal(entry) && !isMove(entry))
      return 'an entry is not one that this log has'
  }
  return undefined
}

/** Does to the store what these entries of the log say, from the place of the first: they were all signed before. */
export async function applyAgain(tx: Db, bodies: readonly Uint8Array[], from: number): Promise<void> {
  const all = await releases.listReleases(tx)
  for (const [i, body] of bodies.entries()) {
    const entry = registryEntryOf(body)
    if (!isWithdrawal(entry)) continue
    const release = all.find(({ release_id }) => release_id === entry.release_id)
    const withdrawal = new TextDecoder().decode(body)
    if (release) await releases.markWithdrawn(tx, release.release_no, { withdrawal, withdrawn_index: from + i })
  }
}
