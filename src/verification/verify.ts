// Re-derives what is public, part by part.

import type { Db } from '../db/db.ts'
import { checkFigures } from '../figures/fsck.ts'
import type { Installation } from '../installation.ts'
import { checkLog } from '../integrity/fsck.ts'
import { PARTS } from '../integrity/verification/facts.ts'
import { listParts, putPart, type VerifiedPart } from '../integrity/verification/store.ts'
import { Verdict } from '../integrity/verification/verdict.ts'
import { checkDiff, checkHistory, checkRelease, checkStatements, isPublished } from '../registry/release/fsck.ts'
import { rederive } from '../registry/release/rederive.ts'
import { findRelease, listReleases, type ReleaseState } from '../registry/release/store.ts'

export interface Verified extends Pick<Installation, 'db' | 'registryLog' | 'figuresLog'> {
  /** A mirror has the files and the registry log; what else a service knows of a release is not in them. */
  isMirror?: boolean
}
type Pause = () => Promise<void>

const IN_CYCLE = [PARTS.registry, PARTS.figures]

/** What was found in a part. Staged releases are checked too, and are no part of what is public. */
interface Found {
  part: string
  verdict: Verdict
  release?: ReleaseState
}

/** Re-derives everything that has been published, as it was at one moment, and notes in the store that it was done. */
export async function verifyAll(
  verified: Verified,
  now: number,
  pause: Pause,
): Promise<{ faults: string[]; fault_count: number; rows: number }> {
  const noted = lockNotes(verified)
  const found = await verified.db.snapshot(
    async (tx): Promise<Found[]> => {
      const all = await listReleases(tx)
      const releases: Found[] = []
      const comparisons = new Verdict()
      for (const release of all) {
        releases.push({ part: release.release_id, verdict: await checkRelease(tx, release, all, pause), release })
        const wrong = isPublished(release) ? await checkDiff(tx, release, all) : undefined
        if (wrong !== undefined) comparisons.add(wrong)
      }
      return [
        { part: PARTS.registry, verdict: await checkRegistryLog(tx, verified, noted.registry, pause) },
        ...releases,
        { part: PARTS.comparisons, verdict: comparisons },
        { part: PARTS.figures, verdict: await checkLog(tx, verified.figuresLog, noted.figures, pause) },
        { part: PARTS.ledger, verdict: verdictOf(await checkFigures(tx)) },
      ]
    },
    { isLong: true },
  )
  const published = found.filter(({ release }) => !release || isPublished(release))
  for (const each of published) await putPart(verified.db, resultOf(verified.db, each, now))
  return {
    faults: found.flatMap(({ verdict }) => verdict.faults),
    fault_count: found.reduce((sum, { verdict }) => sum + verdict.faultCount, 0),
    rows: published.reduce((sum, { release }) => sum + (release?.row_count ?? 0), 0),
  }
}

/** The content of the lock, to be read before the store is. */
const lockNotes = ({ registryLog, figuresLog }: Verified) => ({
  registry: registryLog.lock.noted('registry'),
  figures: figuresLog.lock.noted('figures'),
})

async function checkRegistryLog(tx: Db, { registryLog }: Verified, noted: string, pause: Pause): Promise<Verdict> {
  const verdict = await checkLog(tx, registryLog, noted, pause)
  for (const fault of await checkHistory(tx)) verdict.add(fault)
  return verdict
}

function verdictOf(faults: readonly string[]): Verdict {
  const verdict = new Verdict()
  for (const fault of faults) verdict.add(fault)
  return verdict
}

const resultOf = (
  db: Db,
  { part, verdict, release }: Found,
  verified_at: number,
): Omit<VerifiedPart, 'first_failed_at'> => ({
  part,
  copy: release ? db.files.copy : '',
  verified_at,
  rows_verified: release?.row_count ?? 0,
  rows_failed: release ? verdict.failedCount : 0,
  fault_count: verdict.faultCount,
  faults: verdict.faults,
  failed: verdict.failed,
})

/** What has failed is looked at again soon, so that it is served soon after it was repaired. */
const FAILED_EVERY_MS = 60_000

/** The part that was verified longest ago, and when it is to be verified again. */
export async function nextPart({ db, isMirror }: Verified, everyMs: number): Promise<{ part: string; dueAt: number }> {
  const releases = (await listReleases(db)).filter(isPublished).map(({ release_id }) => release_id)
  const known = new Map(
    (await listParts(db)).filter(({ copy }) => copy === '' || copy === db.files.copy).map((each) => [each.part, each]),
  )
  const due = [...(isMirror ? [PARTS.registry] : IN_CYCLE), ...releases].map((part) => {
    const last = known.get(part)
    const wait = last && last.fault_count > 0 ? Math.min(everyMs, FAILED_EVERY_MS) : everyMs
    return { part, dueAt: last ? last.verified_at + wait : 0 }
  })
  return due.reduce((first, each) => (each.dueAt < first.dueAt ? each : first))
}

/** Verifies one part and notes what was found. */
export async function verifyPart(verified: Verified, part: string, now: () => number, pause: Pause): Promise<void> {
  const began_at = now()
  const found = await checkPart(verified, part, pause)
  if (found) await putPart(verified.db, resultOf(verified.db, found, now()), began_at)
}

async function checkPart(verified: Verified, part: string, pause: Pause): Promise<Found | undefined> {
  const { db } = verified
  const noted = lockNotes(verified)
  if (part === PARTS.registry)
    return { part, verdict: await db.snapshot((tx) => checkRegistryLog(tx, verified, noted.registry, yieldOnly)) }
  if (part === PARTS.figures)
    return { part, verdict: await db.snapshot((tx) => checkLog(tx, verified.figuresLog, noted.figures, yieldOnly)) }
  const release = await findRelease(db, part)
  if (!release || !isPublished(release)) return undefined
  const verdict = await rederive(db, release, pause)
  if (!verified.isMirror) await db.snapshot(async (tx) => checkStatements(tx, release, await listReleases(tx), verdict))
  return { part, verdict, release }
}

/** In a snapshot nothing sleeps: a store does not like readers that stay. */
const yieldOnly: Pause = () => new Promise((resolve) => setImmediate(resolve))
