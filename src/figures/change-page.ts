import { z } from 'zod'
import { StoreFault } from '../db/db.ts'
import { type ListAnswer, pageInput } from '../paging.ts'
import type { ChangeEntry, ChangePage, FiguresBody, StateEntry } from './answers.ts'
import type { FiguresParts } from './release.ts'
import { METRICS } from './rule/tally.ts'
import { stateIn } from './state.ts'
import * as store from './store.ts'

const Instant = z.iso.datetime({ offset: true })

export const ChangesQuery = z.strictObject({
  ...pageInput,
  metric: z.enum(METRICS).optional().meta({ description: 'Only changes of this figure' }),
  since: Instant.optional().meta({ description: 'a time (RFC 3339): changes released at or after it' }),
  until: Instant.optional().meta({ description: 'a time (RFC 3339): changes released before it' }),
  after_seq: z.int().min(-1).optional().meta({
    description:
      'Only changes after this one, oldest first, for clients that follow the log. -1 starts at the beginning',
  }),
})

/** With one release a month, the states of eighty years in which no figure moved. */
const MOST_STATES = 1_000

/**
 * A page of changes, newest first or, after a place, oldest first, and the states of the places that it accounts for:
 * from where the page before ended to its own last change, and on to the end of the list if no page follows.
 */
export async function changePage(
  { db, log }: Pick<FiguresParts, 'db' | 'log'>,
  { limit, offset, metric, after_seq, since, until }: z.infer<typeof ChangesQuery>,
  data_class: FiguresBody['data_class'],
): Promise<ListAnswer<typeof ChangePage>> {
  const head = await log.head(db)
  const query: store.ChangeQuery = {
    before_seq: head.size,
    after_seq: after_seq ?? -1,
    since: since === undefined ? 0 : Date.parse(since),
    until: until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until),
    metric,
  }
  const order = after_seq === undefined ? 'DESC' : 'ASC'
  const total = await store.countChanges(db, query)
  // The last change of the page before is read too: the span of this one begins there.
  const lead = Math.min(offset, 1)
  const rows = await store.changes(db, query, { order, limit: limit + lead, offset: offset - lead })
  const found = rows.slice(lead)
  const proved = async <Entry extends object>(place: number, entry: Entry) => ({
    ...entry,
    proof: { log: await log.prove(db, place, head) },
  })
  const data = await Promise.all(found.map(({ seq, entry }) => proved(seq, JSON.parse(entry) as ChangeEntry)))
  const isSelection = [metric, since, until].some((each) => each !== undefined)
  if (isSelection || (offset > 0 && found.length === 0)) return { data, states: [], data_class, total }
  const [begin, end] = order === 'ASC' ? [query.after_seq, head.size] : [head.size, -1]
  const from = lead ? (rows[0] as { seq: number }).seq : begin
  const to = offset + limit < total ? (rows.at(-1) as { seq: number }).seq : end
  const between = await store.statesBetween(db, from < to ? [from, to] : [to, from], { order, limit: MOST_STATES })
  const states = await Promise.all(between.map(({ place, body }) => proved(place, stateAt(place, body))))
  return { data, states, data_class, total }
}

function stateAt(place: number, body: Uint8Array): StateEntry {
  const state = stateIn(body)
  if (!state)
    throw new StoreFault(`entry ${place} of the figures log is neither a change nor a state: run \`atr fsck\``)
  return state as StateEntry
}
