import { z } from 'zod'
import { StoreFault } from '../db/db.ts'
import { type ListAnswer, pageInput } from '../paging.ts'
import type { ChangeEntry, ChangePage, FiguresBody, StateEntry } from './answers.ts'
import type { FiguresParts } from './release.ts'
import { METRICS } from './rule/tally.ts'
import { parseState } from './state.ts'
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

/** Enough for one state a month during eighty years. */
const MOST_STATES = 1_000

/**
 * A page of changes: newest first, or oldest first with `after_seq`. It has the states between the last change of the
 * page before and its own last change; the last page has the states up to the end of the list too.
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
  // The last change of the page before is read too, because the states of this page begin after it.
  const lead = Math.min(offset, 1)
  const rows = await store.changes(db, query, { order, limit: limit + lead, offset: offset - lead })
  const found = rows.slice(lead)
  const withProof = async <Entry extends object>(index: number, entry: Entry) => ({
    ...entry,
    proof: { log: await log.prove(db, index, head) },
  })
  const data = await Promise.all(found.map(({ seq, entry }) => withProof(seq, JSON.parse(entry) as ChangeEntry)))
  const isSelection = [metric, since, until].some((each) => each !== undefined)
  if (isSelection || (offset > 0 && found.length === 0)) return { data, states: [], data_class, total }
  const [begin, end] = order === 'ASC' ? [query.after_seq, head.size] : [head.size, -1]
  const from = lead ? (rows[0] as { seq: number }).seq : begin
  const to = offset + limit < total ? (rows.at(-1) as { seq: number }).seq : end
  const between = await store.statesBetween(db, from < to ? [from, to] : [to, from], { order, limit: MOST_STATES })
  const states = await Promise.all(
    between.map(({ leaf_index, body }) => withProof(leaf_index, getState(leaf_index, body))),
  )
  return { data, states, data_class, total }
}

function getState(index: number, body: Uint8Array): StateEntry {
  const state = parseState(body)
  if (!state)
    throw new StoreFault(`entry ${index} of the figures log is neither a change nor a state: run \`atr fsck\``)
  return state as StateEntry
}
