import type { Db } from '../db/db.ts'
import { type FiguresBody, figuresBody } from './answers.ts'
import type { FiguresParts } from './release.ts'
import { nextReleaseAt } from './release-calendar.ts'
import * as store from './store.ts'

/** The figures that are public now. */
export const figuresInForce = async (db: Db): Promise<FiguresBody> => figuresBody(await store.currentRelease(db))

/** What the integrity report says about the figures. */
export async function figuresFacts({ db, now }: Pick<FiguresParts, 'db' | 'now'>): Promise<{
  release_id: string | null
  released_at: string | null
  next_release_at: string
  sdc_rule_version: string
  metrics_suppressed: number
  disclosure_audit: 'pass' | 'fail' | null
  audited_at: string | null
}> {
  const release = await store.currentRelease(db)
  const last = await store.lastAudit(db)
  const { metrics, as_of, release_id, sdc_rule_version } = figuresBody(release)
  return {
    release_id,
    released_at: as_of,
    next_release_at: new Date(nextReleaseAt(now())).toISOString(),
    sdc_rule_version,
    metrics_suppressed: Object.values(metrics).filter(({ suppressed }) => suppressed).length,
    disclosure_audit: last ? (last.pinned === 0 ? 'pass' : 'fail') : null,
    audited_at: last ? new Date(last.audited_at).toISOString() : null,
  }
}
