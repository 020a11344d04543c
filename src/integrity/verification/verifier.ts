// Re-derives what is public, part by part.

import type { Db } from '../../db/db.ts'
import type { Log } from '../log.ts'
import { PARTS } from './facts.ts'
import { checkLog } from './log-check.ts'
import { forgetCopies, listParts, putPart, type VerifiedPart } from './store.ts'
import { Verdict } from './verdict.ts'

/** The subject of a verification: the two logs, and the releases and figures in the store. */
export interface Verifiable {
  db: Db
  registryLog: Log
  figuresLog: Log
  /** A mirror has the release files and the registry log, and nothing else that a service knows of a release. */
  isMirror?: boolean
}

interface Release {
  release_id: string
  row_count: number
}

type Pause = () => Promise<void>

/** The checks of the registry and of the figures. They are an argument because this part imports neither. */
export interface Checks<R extends Release> {
  listReleases(db: Db): Promise<R[]>
  findRelease(db: Db, release_id: string): Promise<R | undefined>
  /** Whether a release was withdrawn, and has no file any more that could be checked. */
  isGone(db: Db, release: R): boolean
  /** Whether a release is public. Staged releases are checked too, but their results are not stored. */
  isPublished(release: R): boolean
  checkHistory(tx: Db): Promise<string[]>
  checkRelease(tx: Db, release: R, all: readonly R[], pause: Pause): Promise<Verdict>
  checkDiff(tx: Db, release: R, all: readonly R[]): Promise<string | undefined>
  checkStatements(tx: Db, release: R, all: readonly R[], verdict: Verdict): Promise<void>
  rederive(db: Db, release: R, pause: Pause): Promise<Verdict>
  checkFigures(tx: Db): Promise<string[]>
}

interface PartResult<R extends Release> {
  part: string
  verdict: Verdict
  release?: R
}

/** The result of a verification of everything. */
export interface VerificationReport {
  faults: string[]
  fault_count: number
  rows: number
}

/** A part that failed is verified again soon, so that it is served soon after it was repaired. */
const FAILED_EVERY_MS = 60_000

export class Verifier<R extends Release> {
  constructor(
    readonly subject: Verifiable,
    readonly checks: Checks<R>,
  ) {}

  /** Re-derives everything that is public, as it was at one moment, and stores the results. */
  async verifyAll(now: number, pause: Pause): Promise<VerificationReport> {
    const { subject, checks } = this
    const locked = this.#lockedCheckpoints()
    const results = await subject.db.snapshot(
      async (tx): Promise<PartResult<R>[]> => {
        const all = await checks.listReleases(tx)
        const releases: PartResult<R>[] = []
        const comparisons = new Verdict()
        for (const release of all) {
          const verdict = await checks.checkRelease(tx, release, all, pause)
          releases.push({ part: release.release_id, verdict, release })
          const fault = checks.isPublished(release) ? await checks.checkDiff(tx, release, all) : undefined
          if (fault !== undefined) comparisons.add(fault)
        }
        return [
          { part: PARTS.registry, verdict: await this.#checkRegistryLog(tx, locked.registry, pause) },
          ...releases,
          { part: PARTS.comparisons, verdict: comparisons },
          { part: PARTS.figures, verdict: await checkLog(tx, subject.figuresLog, locked.figures, pause) },
          { part: PARTS.ledger, verdict: verdictOf(await checks.checkFigures(tx)) },
        ]
      },
      { isLong: true },
    )
    const published = results.filter(({ release }) => !release || checks.isPublished(release))
    for (const each of published) await this.#put(each, now)
    return {
      faults: results.flatMap(({ verdict }) => verdict.faults),
      fault_count: results.reduce((sum, { verdict }) => sum + verdict.faultCount, 0),
      rows: published.reduce((sum, { release }) => sum + (release?.row_count ?? 0), 0),
    }
  }

  /** The part that was verified longest ago, and when it is to be verified again. */
  async nextPart(everyMs: number): Promise<{ part: string; dueAt: number }> {
    const { subject, checks } = this
    const { db, isMirror } = subject
    const releases = (await checks.listReleases(db)).filter((each) => checks.isPublished(each))
    const known = new Map(
      (await listParts(db))
        .filter(({ copy }) => copy === '' || copy === db.files.copy)
        .map((each) => [each.part, each]),
    )
    const logs = isMirror ? [PARTS.registry] : [PARTS.registry, PARTS.figures]
    const due = [...logs, ...releases.map(({ release_id }) => release_id)].map((part) => {
      const last = known.get(part)
      const wait = last && last.fault_count > 0 ? Math.min(everyMs, FAILED_EVERY_MS) : everyMs
      return { part, dueAt: last ? last.verified_at + wait : 0 }
    })
    return due.reduce((first, each) => (each.dueAt < first.dueAt ? each : first))
  }

  /** Verifies one part and stores the result. */
  async verifyPart(part: string, now: () => number, pause: Pause): Promise<void> {
    const began_at = now()
    const result = await this.#checkPart(part, pause)
    if (result) await this.#put(result, now(), began_at)
  }

  /** Forgets the results of machines that have verified nothing since `before`. */
  forgetCopies(before: number): Promise<void> {
    const { db } = this.subject
    return forgetCopies(db, db.files.copy, before)
  }

  async #checkPart(part: string, pause: Pause): Promise<PartResult<R> | undefined> {
    const { subject, checks } = this
    const { db, isMirror } = subject
    const locked = this.#lockedCheckpoints()
    if (part === PARTS.registry)
      return { part, verdict: await db.snapshot((tx) => this.#checkRegistryLog(tx, locked.registry, yieldOnly)) }
    if (part === PARTS.figures)
      return { part, verdict: await db.snapshot((tx) => checkLog(tx, subject.figuresLog, locked.figures, yieldOnly)) }
    const release = await checks.findRelease(db, part)
    if (!release || !checks.isPublished(release)) return undefined
    const verdict = checks.isGone(db, release) ? new Verdict() : await checks.rederive(db, release, pause)
    if (!isMirror)
      await db.snapshot(async (tx) => checks.checkStatements(tx, release, await checks.listReleases(tx), verdict))
    return { part, verdict, release }
  }

  /** Read before the store is, because the lock is written after it. */
  #lockedCheckpoints(): { registry: string; figures: string } {
    const { registryLog, figuresLog } = this.subject
    return { registry: registryLog.lock.get('registry'), figures: figuresLog.lock.get('figures') }
  }

  async #checkRegistryLog(tx: Db, locked: string, pause: Pause): Promise<Verdict> {
    const verdict = await checkLog(tx, this.subject.registryLog, locked, pause)
    for (const fault of await this.checks.checkHistory(tx)) verdict.add(fault)
    return verdict
  }

  #put({ part, verdict, release }: PartResult<R>, verified_at: number, began_at?: number): Promise<void> {
    const { db } = this.subject
    const result: Omit<VerifiedPart, 'first_failed_at'> = {
      part,
      copy: release ? db.files.copy : '',
      verified_at,
      rows_verified: release?.row_count ?? 0,
      rows_failed: release ? verdict.failedCount : 0,
      fault_count: verdict.faultCount,
      faults: verdict.faults,
      failed: verdict.failed,
    }
    return putPart(db, result, began_at)
  }
}

function verdictOf(faults: readonly string[]): Verdict {
  const verdict = new Verdict()
  for (const fault of faults) verdict.add(fault)
  return verdict
}

/** Lets others run without sleeping: a snapshot should not stay open for long. */
const yieldOnly: Pause = () => new Promise((resolve) => setImmediate(resolve))
