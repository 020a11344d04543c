// One round of a monitor: an outsider who follows both logs, replays them, reads the rows that they commit to, and asks questions.

import { canonical } from '../../src/proof/canonical-json.ts'
import type { TrustPolicy } from '../../src/proof/note/policy.ts'
import type { ChartTable } from '../../src/proof/price/charts.ts'
import { isManifest, isState, type RegistryEntry } from '../../src/proof/price/release.ts'
import { nameOf } from '../../src/proof/price/timeline.ts'
import { type Alarm, Alarms } from './alarm.ts'
import { AHEAD_MS, askQuestions, checkAnswer } from './answers.ts'
import { entryEvidence, manifestEvidence } from './evidence.ts'
import type { Fetcher } from './fetcher.ts'
import { followFigures } from './figures.ts'
import { checkUpperTiles, followTree, type LogView, type Parts } from './log.ts'
import { DEPTHS, type Memory } from './memory.ts'
import { followEntries, type ReplayResult, raiseFaults } from './registry.ts'
import { checkRows, rowHashes, type Sources } from './rows.ts'

export interface Watch {
  fetcher: Fetcher
  policy: TrustPolicy
  now: number
  /** The oldest that the newest state may be. */
  maxAgeMs: number
  /** Whether there is a token that opens the rows. */
  readsRows: boolean
  random?: () => number
  sources?: Sources | undefined
  /** The schedules of a registry that has others than the usual ones. */
  charts?: ChartTable | undefined
  /** Answers that others received; `name` says where each is from. */
  answers?: readonly { name: string; text: string }[]
}

export interface Round {
  alarms: Alarm[]
  notes: string[]
  /** The verified size of each log. */
  registry: number
  figures: number
  /** When the newest state was recorded. */
  recorded_at: string | null
  /** When the newest figures were recorded. Their age is no alarm: nothing is recorded between two releases. */
  figures_recorded_at: string | null
  releases: number
  questions: number
}

/** Makes one round, and adds what was verified to the memory. */
export async function watchOnce(watch: Watch, memory: Memory): Promise<Round> {
  const alarms = new Alarms(watch.fetcher.secrets)
  const parts: Parts = { fetcher: watch.fetcher, policy: watch.policy, alarms, now: watch.now, charts: watch.charts }
  const registry = await followTree('registry', parts, memory.registry)
  if (registry) {
    memory.registry = registry
    await checkUpperTiles('registry', parts, registry)
  }
  const before = memory.faults.length
  const { entries, standing } = await followEntries(parts, memory, registry)
  const place = entries.findLastIndex(isState)
  const newest = entries[place]
  if (registry) checkAge(alarms, newest, place, watch, registry)
  const releases = registry ? await checkReleases(parts, memory, watch, entries) : 0
  const figures = await followFigures(parts, memory, watch.readsRows)
  const { now, readsRows, random = Math.random } = watch
  const questions = registry ? await askQuestions(parts, memory, { entries, standing, now, random, readsRows }) : 0
  for (const { name, text } of watch.answers ?? []) await checkAnswer(parts, memory, name, text, { anyQuestion: true })
  // Faults of earlier rounds come last: they must not take the room of new ones.
  raiseFaults(parts, memory, memory.faults.slice(0, before))
  return {
    alarms: alarms.raised,
    notes: alarms.notes,
    registry: memory.registry?.leaves.length ?? 0,
    figures: memory.figures?.leaves.length ?? 0,
    recorded_at: newest?.recorded_at ?? null,
    figures_recorded_at: figures?.state.recorded_at ?? null,
    releases,
    questions,
  }
}

function checkAge(
  alarms: Alarms,
  newest: RegistryEntry | undefined,
  place: number,
  { now, maxAgeMs }: Watch,
  registry: LogView,
): void {
  const recorded_at = newest?.recorded_at ?? 'no time'
  const at = Date.parse(recorded_at)
  const evidence = newest ? entryEvidence(registry, place, canonical(newest)) : { checkpoint: registry.note }
  if (!(at >= now - maxAgeMs)) alarms.raise('head_stale', `it was recorded at ${recorded_at}`, evidence)
  if (at > now + AHEAD_MS) alarms.raise('head_from_future', `it was recorded at ${recorded_at}`, evidence)
}

/** Checks the rows of each new release, as deep as the token and the files allow. Returns how many there were. */
async function checkReleases(
  parts: Parts,
  memory: Memory,
  { readsRows, sources }: Watch,
  entries: ReplayResult['entries'],
): Promise<number> {
  let checked = 0
  // Newest first: old releases that raise alarms in every round must not take the room of new ones.
  for (const [place, release] of [...entries.entries()].reverse()) {
    if (!isManifest(release)) continue
    const name = nameOf(release)
    const held = sources?.hold(release) === true ? sources : undefined
    const wanted = !readsRows || release.row_count === 0 ? 'hashes' : held ? 'source' : 'rows'
    const known = memory.releases[name]
    if (known && DEPTHS.indexOf(known) >= DEPTHS.indexOf(wanted)) continue
    checked++
    const signed = { release, evidence: manifestEvidence(memory.registry, place, release) }
    const tree = await rowHashes(parts, signed)
    if (!tree) continue
    if (readsRows && sources && !held)
      parts.alarms.note(
        `${release.release_id} was not compared with its source: not every file that it cites was given`,
      )
    // After an alarm this is less than what was wanted, so the next round checks the release again.
    memory.releases[name] = wanted === 'hashes' ? 'hashes' : await checkRows(parts, signed, tree, held)
  }
  return checked
}
