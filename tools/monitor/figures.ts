// The figures log: its hashes, its entries if the token opens them, and the answer that it covers.

import { canonical, JsonError, parseJson } from '../../src/proof/canonical-json.ts'
import { isChangeEntry } from '../../src/proof/entries.ts'
import { type FiguresProof, type FiguresState, isFiguresState } from '../../src/proof/figures.ts'
import { figuresFaults } from '../../src/proof/figures-replay.ts'
import { AHEAD_MS, CACHED_MS, checkAnswer } from './answers.ts'
import { type Evidence, entryEvidence, textOrBytes } from './evidence.ts'
import { MOST } from './fetcher.ts'
import { checkUpperTiles, entriesFrom, followTree, type LogView, type Parts, textAt } from './log.ts'
import type { Memory } from './memory.ts'

/** The figures of a service. */
export interface FollowedFigures {
  /** The state of the log that the answer follows from. */
  state: FiguresState
  /** The answer that was checked: asked again, a service could give another one. */
  answer: string
}

/** Follows the log and reads the answer. Undefined where an alarm was raised. */
export async function followFigures(
  parts: Parts,
  memory: Memory,
  readsEntries: boolean,
): Promise<FollowedFigures | undefined> {
  const figures = await followTree('figures', parts, memory.figures)
  if (!figures) return undefined
  memory.figures = figures
  await checkUpperTiles('figures', parts, figures)
  const entries = readsEntries ? await replayEntries(parts, memory, figures) : []
  const path = '/api/figures'
  const text = textAt(parts, path, await parts.fetcher.bytes(path, MOST.answer))
  const verified = text === undefined ? undefined : await checkAnswer(parts, memory, path, text, { figures: true })
  if (text === undefined || !verified) return undefined
  const { state } = (JSON.parse(text) as { proof: FiguresProof }).proof
  checkFuture(parts, state, { answer: text })
  checkStale(parts, memory, entries, verified.size, text)
  return { state, answer: text }
}

function checkFuture({ alarms, now }: Parts, { recorded_at }: FiguresState, evidence: Evidence): void {
  if (Date.parse(recorded_at) > now + AHEAD_MS)
    alarms.raise('head_from_future', `of the figures, it was recorded at ${recorded_at}`, evidence)
}

/**
 * Raises an alarm if figures were answered under a checkpoint of long ago. The entries say when the next state was added, but
 * only a token opens them. Without one, a checkpoint is of long ago if this monitor has known a larger one for long.
 */
function checkStale(
  { alarms, now }: Parts,
  { figures, changes }: Memory,
  entries: readonly unknown[],
  size: number,
  answer: string,
): void {
  if (!figures) return
  const isOld = (at: number): boolean => at < now - CACHED_MS
  const place = entries.findIndex((entry, at) => at >= size && isState(entry) && isOld(Date.parse(entry.recorded_at)))
  const newer = entries[place] as FiguresState | undefined
  const what = `/api/figures, of size ${size}`
  if (newer)
    alarms.raise('answer_stale', `${what}, a state was added at ${newer.recorded_at}`, {
      answer,
      ...entryEvidence(figures, place, changes[place] ?? ''),
    })
  else if (size < figures.leaves.length && isOld(figures.since ?? now))
    alarms.raise('answer_stale', `${what}, and the figures log has had ${figures.leaves.length} for long`, {
      answer,
      log_checkpoint: figures.note,
    })
}

const isState = (entry: unknown): entry is FiguresState => isFiguresState(entry)

/** Checks that each entry is of a known kind and follows from those before it. Raises alarms from the newest entry on. */
async function replayEntries(parts: Parts, memory: Memory, figures: LogView): Promise<unknown[]> {
  const { alarms } = parts
  const added = await entriesFrom('figures', parts, figures, memory.changes.length, true)
  if (!added)
    alarms.note('the token does not open the entries of the figures log (audit:read): only their hashes were checked')
  for (const body of added ?? []) memory.changes.push(textOrBytes(body))
  const entries = memory.changes.map(entryIn)
  const evidenceOf = (place: number): Record<string, string> =>
    entryEvidence(figures, place, memory.changes[place] ?? '')
  for (const [place, entry] of [...entries.entries()].reverse())
    if (entry === undefined) alarms.raise('entry_unknown', `entry ${place} of the figures log`, evidenceOf(place))
  for (const place of figuresFaults(entries).reverse()) {
    const isEnd = place === entries.length
    // Only a log whose entries were all read can lack its state.
    if (isEnd && entries.length < figures.leaves.length) continue
    const what = isEnd ? 'the log does not end with a state' : `entry ${place}`
    if (isEnd || entries[place] !== undefined)
      alarms.raise('figures_wrong', what, evidenceOf(Math.min(place, entries.length - 1)))
  }
  const last = entries.findLastIndex(isState)
  if (last >= 0) checkFuture(parts, entries[last] as FiguresState, evidenceOf(last))
  return entries
}

function entryIn(text: string): unknown {
  try {
    const entry = parseJson(text)
    return (isChangeEntry(entry) || isFiguresState(entry)) && canonical(entry) === text ? entry : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
