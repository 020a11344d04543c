import type { Db } from '../db/db.ts'
import type { Log } from '../integrity/log.ts'
import { type Cosign, commitToLog } from '../integrity/publication.ts'
import { utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { type ChangeEntry, type FiguresBody, figuresBody } from './answers.ts'
import { decide, type Move, RULE } from './disclosure.ts'
import * as store from './store.ts'
import { tallies } from './tally.ts'

export interface FiguresParts {
  db: Db
  /** The figures log. */
  log: Log
  /** Epoch milliseconds. */
  now: () => number
}

/**
 * Makes a release of the figures from the whole ledger. The release, its changes, their log entries and
 * the signed checkpoint commit together; a crash before that leaves the release before this one.
 *
 * Every run is a release, moved figures or none: leaving out the quiet ones would tell that nothing stirred
 * behind the figures that are withheld.
 */
export const releaseFigures = ({
  db,
  log,
  now,
  cosign,
}: FiguresParts & { cosign: Cosign }): Promise<{ release_id: string; changes: number; figures: FiguresBody }> =>
  commitToLog({ db, log, cosign }, now(), async (tx, append) => {
    const previous = await store.latestRelease(tx)
    // A clock set back must not put a release before the one it follows.
    const released_at = Math.max(now(), previous?.released_at ?? 0)
    const as_of = new Date(released_at).toISOString()
    const { last_batch_id, data_class } = await store.ledgerState(tx)
    const cells = await store.outcomeCells(tx, last_batch_id)
    const { standings, moves } = decide({ as_of, of: tallies(cells) }, previous?.standings, RULE)
    const { size } = await log.signed(tx)
    const release: store.FigureRelease = {
      release_no: (previous?.release_no ?? 0) + 1,
      release_id: nextReleaseId(as_of.slice(0, 10), previous?.release_id),
      released_at,
      last_batch_id,
      log_size: size + moves.length,
      data_class,
      standings,
    }
    await store.insertRelease(tx, release)
    const changes = moves.map((move, i) => ({
      seq: size + i,
      metric: move.metric,
      entry: canonical(changeEntry(size + i, release, move)),
    }))
    if (changes.length > 0) await append(changes.map(({ entry }) => utf8(entry)))
    await store.insertChanges(tx, release, changes)
    return { release_id: release.release_id, changes: moves.length, figures: figuresBody(release) }
  })

/** Only what was published goes into an entry: no case, no count, no difference, no words of an operator. */
const changeEntry = (seq: number, release: store.FigureRelease, move: Move): ChangeEntry => ({
  seq,
  release_id: release.release_id,
  released_at: new Date(release.released_at).toISOString(),
  metric: move.metric,
  old: move.old?.value ?? null,
  new: move.new.value,
  old_as_of: move.old?.as_of ?? null,
  new_as_of: move.new.as_of,
  reason: move.reason,
  sdc_rule_version: release.standings.rule_version,
})

/** `2026-11-03.1`: the day in UTC and a counter within it. */
export function nextReleaseId(day: string, previous: string | undefined): string {
  const [previousDay, counter] = previous?.split('.') ?? []
  return `${day}.${previousDay === day ? Number(counter) + 1 : 1}`
}

/** The release calendar (rule F4): the first Tuesday of a month, 00:00 UTC. The next one after `now`. */
export function nextReleaseAt(now: number): number {
  const date = new Date(now)
  for (let month = date.getUTCMonth(); ; month++) {
    const weekday = new Date(Date.UTC(date.getUTCFullYear(), month, 1)).getUTCDay()
    const tuesday = Date.UTC(date.getUTCFullYear(), month, 1 + ((2 - weekday + 7) % 7))
    if (tuesday > now) return tuesday
  }
}

/** What the integrity report says about the figures. */
export async function figuresFacts({ db, now }: Pick<FiguresParts, 'db' | 'now'>): Promise<{
  release_id: string | null
  released_at: string | null
  next_release_at: string
  sdc_rule_version: string
  metrics_suppressed: number
}> {
  const release = await store.currentRelease(db)
  const { metrics, as_of, release_id, sdc_rule_version } = figuresBody(release)
  return {
    release_id,
    released_at: as_of,
    next_release_at: new Date(nextReleaseAt(now())).toISOString(),
    sdc_rule_version,
    metrics_suppressed: Object.values(metrics).filter(({ suppressed }) => suppressed).length,
  }
}
