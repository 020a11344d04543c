// The figures log: its hashes for everyone, its entries with a token that opens them, and the answer that stands under it.

import { canonical, JsonError, parseJson } from '../proof/canonical-json.ts'
import { isChangeEntry } from '../proof/entries.ts'
import { isFiguresState } from '../proof/figures.ts'
import { figuresFaults } from '../proof/figures-replay.ts'
import { believe } from './answers.ts'
import { entryEvidence, textOrBytes } from './evidence.ts'
import { MOST, textOf } from './fetcher.ts'
import { checkUpperTiles, entriesFrom, followTree, type LogView, type Parts } from './log.ts'
import type { Memory } from './memory.ts'

export async function followFigures(parts: Parts, memory: Memory, readsEntries: boolean): Promise<void> {
  const figures = await followTree('figures', parts, memory.figures)
  if (!figures) return
  memory.figures = figures
  await checkUpperTiles('figures', parts, figures)
  if (readsEntries) await replayEntries(parts, memory, figures)
  const path = '/api/figures'
  const text = textOf(await parts.fetcher.bytes(path, MOST.answer))
  if (text === undefined) parts.alarms.raise('unreachable', path)
  else await believe(parts, memory, path, text, { figures: true })
}

/** Each entry is of a known kind, and follows from those before it. */
async function replayEntries(parts: Parts, memory: Memory, figures: LogView): Promise<void> {
  const { alarms } = parts
  const added = await entriesFrom('figures', parts, figures, memory.changes.length, true)
  if (!added)
    alarms.note('the token does not open the entries of the figures log (audit:read): only their hashes were checked')
  for (const body of added ?? []) memory.changes.push(textOrBytes(body))
  const entries = memory.changes.map(entryIn)
  const evidenceOf = (place: number): Record<string, string> =>
    entryEvidence(figures, place, memory.changes[place] ?? '')
  for (const [place, entry] of entries.entries())
    if (entry === undefined) alarms.raise('entry_unknown', `entry ${place} of the figures log`, evidenceOf(place))
  for (const place of figuresFaults(entries)) {
    const isEnd = place === entries.length
    // Only a log that was read to its end can lack its state.
    if (isEnd && entries.length < figures.leaves.length) continue
    const what = isEnd ? 'the log does not end with a state' : `entry ${place}`
    if (isEnd || entries[place] !== undefined)
      alarms.raise('figures_wrong', what, evidenceOf(Math.min(place, entries.length - 1)))
  }
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
