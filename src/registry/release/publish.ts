import type { Db } from '../../db/db.ts'
import { commitToLog, type Publisher } from '../../integrity/publication.ts'
import { Problem } from '../../problem.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { type Citation, isManifest, type Manifest, RELEASE_SCHEMA } from '../../proof/price/release.ts'
import { CHARTS, type Charts, chartOf } from '../charts.ts'
import { openRelease } from '../rows/release-file-store.ts'
import { appendWithState } from '../state/state.ts'
import { type Override, stillHeld, usedOverrides } from './breaker.ts'
import { checkRelease, heldProblem, providersTakenBy } from './check.ts'
import { insertCheck, insertDelta } from './check-store.ts'
import type { ReleaseState } from './store.ts'
import * as releases from './store.ts'

/** How far a publication is: its rows are compared with those of the release before. */
export interface PublishProgress {
  phase: 'comparing'
  rows: number
  row_total: number
}

const NOT_STAGED = {
  loading: 'the release is still being loaded, or its load was interrupted: wait, or load the files again',
  published: 'the release is published already',
  withdrawn: 'the release was withdrawn: load the files again, which makes the next revision',
} as const

/**
 * Publishes a staged release so that it is readable if and only if it is in the log. The manifest, the log
 * entry, the state that follows from it, the signed checkpoint and the release's new state commit together; a
 * crash before that leaves the release staged, and nothing public. A release that passes a limit of the breaker is refused unless that
 * limit is overridden, and then the manifest says so.
 */
export async function publish(
  { charts = CHARTS, ...publisher }: Publisher & { charts?: Charts },
  release_id: string,
  clock: number | (() => number),
  overrides: readonly Override[] = [],
  onProgress?: (progress: PublishProgress) => void,
): Promise<ReleaseState> {
  const { db, log } = publisher
  const staged = await releases.findRelease(db, release_id)
  if (!staged) throw new Problem('release_not_found')
  if (staged.state !== 'staged') throw new Problem('release_conflict', NOT_STAGED[staged.state])
  log.trace(1)
  await checkFile(db, staged)
  const compared = (rows: number) => onProgress?.({ phase: 'comparing', rows, row_total: staged.row_count })
  const { held, checks, previous, diff, providers_taken } = await checkRelease(db, staged, compared, charts)
  const used = usedOverrides(held, overrides)
  const open = stillHeld(held, used)
  if (open.length > 0) throw heldProblem(open, staged.release_id)
  // Only now: reading the rows takes minutes, in which others may have published.
  const now = typeof clock === 'number' ? clock : clock()
  return commitToLog(publisher, now, async (tx, append) => {
    const { revision, edition } = await releases.findPredecessors(tx, staged)
    if (revision && revision.revision > staged.revision)
      throw new Problem(
        'release_conflict',
        'a newer revision of this edition is published: load the files again, which makes the next revision',
      )
    if (((revision ?? edition)?.release_id ?? null) !== previous)
      throw new Problem(
        'release_conflict',
        'another edition was published or withdrawn meanwhile: run `atr release check`, then publish again',
      )
    if (canonical(await providersTakenBy(tx, staged)) !== canonical(providers_taken))
      throw new Problem(
        'release_conflict',
        'meanwhile an NPI of this release was moved, or named by another file: run `atr release check`, then publish again',
      )
    const manifest = manifestOf(staged, chartOf(staged.chart, charts)?.publisher, previous, used, now)
    const log_index = await appendWithState(tx, append, [manifest], now)
    const published = await releases.markPublished(tx, staged.release_no, {
      manifest: canonical(manifest),
      log_index,
      published_at: now,
    })
    if (!published) throw new Problem('release_conflict', 'the release was published by someone else')
    if (previous !== null && diff) {
      await insertDelta(tx, staged.release_no, previous, diff)
      await insertCheck(
        tx,
        staged.release_no,
        checks.find(({ rule }) => rule === 'R12'),
      )
    }
    return published
  })
}

function manifestOf(
  release: ReleaseState,
  publisher: string | undefined,
  supersedes: string | null,
  overrides: readonly Override[],
  now: number,
): Manifest {
  const manifest = {
    schema: RELEASE_SCHEMA,
    release_id: release.release_id,
    chart: release.chart,
    edition: release.edition,
    publisher,
    effective_from: release.effective_from,
    effective_to: release.effective_to,
    period_by: release.period_by,
    ...(release.publisher_until === null ? {} : { publisher_until: release.publisher_until }),
    citations: JSON.parse(release.citations) as Citation[],
    row_count: release.row_count,
    rows_root: release.rows_root,
    unreadable_lines: release.unreadable_lines,
    rejected_count: release.rejected_count,
    ...(release.edits_left_out === null ? {} : { edits_left_out: release.edits_left_out }),
    data_class: release.data_class,
    supersedes,
    recorded_at: new Date(now).toISOString(),
    ...(release.providers === null ? {} : { providers: JSON.parse(release.providers) as string[] }),
    ...(overrides.length > 0 ? { overrides: [...overrides] } : {}),
  }
  if (!isManifest(manifest)) throw new Error(`the manifest of ${release.release_id} has a wrong form`)
  return manifest
}

/**
 * Logs have died of bits that changed after hashing. What was staged was hashed as it was stored, so the file must
 * still have the bytes that it had then, and say what the release says.
 */
async function checkFile(db: Db, release: ReleaseState): Promise<void> {
  const { release_id, row_count, rows_root, file } = release
  const isWhole = file !== null && (await db.files.isWhole(file))
  const header = isWhole ? openRelease(db, release).header() : undefined
  if (header?.row_count !== row_count || header.rows_root !== rows_root)
    throw new Problem(
      'proof_block_missing',
      `the file of ${release_id} is not as it was staged: discard the release, then load its files again`,
    )
}
