import type { Db } from '../../db/db.ts'
import { repeat } from '../../job.ts'
import type { Release } from '../store.ts'
import { openRelease } from './release-file-store.ts'

/** What may be taken of the processor while nobody waits for it: two milliseconds out of ten. */
const [SLICE_MS, PAUSE_MS] = [2, 8]
const LOOK_AGAIN_MS = 1_000

/**
 * The first lookup in a tile of a tree hashes all of it, which costs as much as the rest of the lookup. So the trees of
 * releases in force are read before anyone asks, a little at a time.
 */
export function readAhead(
  db: Pick<Db, 'files'>,
  inForce: () => readonly Release[],
  tell: (said: { fault: unknown }) => void,
): { stop: () => Promise<void> } {
  const read = new Set<string>()
  let unread: Release[] = []
  const turn = async (): Promise<number> => {
    if (unread.length === 0) unread = inForce().filter(({ release_id }) => !read.has(release_id))
    const release = unread.pop()
    if (!release) return LOOK_AGAIN_MS
    // One that is damaged is not tried again here: whoever asks for its rows is told.
    read.add(release.release_id)
    const until = performance.now() + SLICE_MS
    const tree = openRelease(db, release).tree(release.manifest.rows_root)
    if (!tree.readAhead(() => performance.now() < until)) unread.push(release)
    return PAUSE_MS
  }
  return repeat({ turn, tell, waitAfter: () => LOOK_AGAIN_MS })
}
