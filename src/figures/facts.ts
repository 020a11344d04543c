import { type Db, StoreFault } from '../db/db.ts'
import { Published } from '../integrity/published.ts'
import { leafBodies, type StoredCheckpoint } from '../integrity/store.ts'
import { FIGURES_PROOF } from '../proof/body.ts'
import { figuresAnswer } from '../proof/figures.ts'
import type { FiguresBody } from './answers.ts'
import type { FiguresParts } from './release.ts'
import { RULE_2 } from './rule/rule-2.ts'
import { seriesOf } from './series.ts'
import { parseState } from './state.ts'
import * as store from './store.ts'
import { nextReleaseAt, nextWindowRelease } from './window/calendar.ts'
import { windows } from './window/store.ts'

/** The figures under one public checkpoint. */
interface FiguresView {
  head: StoredCheckpoint
  body: FiguresBody
}
export type PublishedFigures = Published<FiguresView>

export function publishedFigures({ db, log }: Pick<FiguresParts, 'db' | 'log'>): PublishedFigures {
  let newest: FiguresView | undefined
  return new Published(log, async () => {
    const head = await log.head(db)
    if (newest?.head.note !== head.note) newest = { head, body: await figuresUnder({ db, log }, head) }
    return newest
  })
}

/** The public figures. They come from the last state under the public checkpoint, so they are the same for all (F7). */
const figuresInForce = async ({ db, log }: Pick<FiguresParts, 'db' | 'log'>): Promise<FiguresBody> =>
  figuresUnder({ db, log }, await log.head(db))

async function figuresUnder(
  { db, log }: Pick<FiguresParts, 'db' | 'log'>,
  head: StoredCheckpoint,
): Promise<FiguresBody> {
  const index = head.size - 1
  const [leaf] = await leafBodies(db, log.name, index, head.size)
  const state = leaf && parseState(leaf)
  if (!state) throw new StoreFault('the figures log does not end with a state: run `atr fsck`')
  const proof = { type: FIGURES_PROOF, state, log: await log.prove(db, index, head) }
  return { ...figuresAnswer(state), proof } as FiguresBody
}

/** When the next release is due. Under rule 2 it closes the next window. */
export async function nextReleaseDue(db: Db, now: number): Promise<number> {
  const isExact = seriesOf(await store.latestRelease(db)) === 'exact'
  return isExact ? nextReleaseAt(now) : nextWindowRelease(await windows(db), now, RULE_2)
}

/** The facts of the integrity report about the figures. */
export async function figuresFacts({ db, log, now }: FiguresParts): Promise<{
  release_id: string | null
  released_at: string | null
  next_release_at: string
  sdc_rule_version: string
  metrics_suppressed: number
  disclosure_audit: 'pass' | 'fail' | null
  audited_at: string | null
}> {
  const last = await store.lastAudit(db)
  const { metrics, as_of, release_id, sdc_rule_version } = await figuresInForce({ db, log })
  return {
    release_id,
    released_at: as_of,
    next_release_at: new Date(await nextReleaseDue(db, now())).toISOString(),
    sdc_rule_version,
    metrics_suppressed: Object.values(metrics).filter(({ suppressed }) => suppressed).length,
    disclosure_audit: last ? (last.pinned === 0 ? 'pass' : 'fail') : null,
    audited_at: last ? new Date(last.audited_at).toISOString() : null,
  }
}
