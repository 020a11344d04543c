import type { Db } from '../db/db.ts'
import { listLooks } from './store.ts'

/** The last look at each chart's source, for the integrity report. */
export async function publisherLooks(db: Db) {
  return (await listLooks(db)).map((look) => ({
    chart_id: look.chart,
    newest_edition: look.newest,
    newest_from: look.newest_from,
    looked_at: instant(look.looked_at),
    trouble: look.trouble,
    consecutive_failures: look.failures,
    first_failed_at: look.first_failed_at === null ? null : instant(look.first_failed_at),
    next_look_at: instant(look.next_look_at),
  }))
}

const instant = (at: number): string => new Date(at).toISOString()
