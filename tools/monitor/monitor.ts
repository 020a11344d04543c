// One round of a monitor: an outsider who follows both logs, replays them, reads what they commit to, and asks.

import { canonical } from '../../src/proof/canonical-json.ts'
import type { TrustPolicy } from '../../src/proof/note/policy.ts'
import type { ChartTable } from '../../src/proof/price/charts.ts'
import { isManifest, isState, type RegistryEntry } from '../../src/proof/price/release.ts'
import { nameOf } from '../../src/proof/price/timeline.ts'
import { type Alarm, Alarms } from './alarm.ts'
import { AHEAD_MS, believe } from './answers.ts'
import { type Evidence, entryEvidence, manifestEvidence, textOrBytes } from './evidence.ts'
import type { Fetcher } from './fetcher.ts'
import { followFigures } from './figures.ts'
import { checkUpperTiles, entriesFrom, followTree, type LogView, type Parts } from './log.ts'
import { DEPTHS, type Fault, type Memory } from './memory.ts'
import { type ReplayResult, replay } from './replay.ts'
import { checkRows, rowHashes, type Sources } from './rows.ts'
import { spotCheck } from './spot-check.ts'

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
  /** Answers that others received, by where they are from. */
  answers?: readonly { name: string; text: string }[]
}

export interface Round {
  alarms: Alarm[]
  notes: string[]
  /** How large each log is, as far as it is believed. */
  registry: number
  figures: number
  /** When the newest state was recorded. */
  recorded_at: string | null
  /** The same of the figures, as they are answered. Their age is no alarm: nothing is recorded between two releases. */
  figures_recorded_at: string | null
  releases: number
  questions: number
}

/** Does one round, and moves the memory on to what was believed in it. */
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
  const questions = registry ? await spotCheck(parts, memory, { entries, standing, now, random, readsRows }) : 0
  for (const { name, text } of watch.answers ?? []) await believe(parts, memory, name, text, { anyQuestion: true })
  // What earlier rounds told is told last, so that it takes no room from what is new.
  tellFaults(parts, memory, memory.faults.slice(0, before))
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

/** Reads what is new in the registry log, replays it, and tells the faults that it has. */
export async function followEntries(
  parts: Parts,
  memory: Memory,
  registry: LogView | undefined,
): Promise<ReplayResult> {
  const added = registry ? ((await entriesFrom('registry', parts, registry, memory.entries.length)) ?? []) : []
  for (const body of added) memory.entries.push(textOrBytes(body))
  const replayed = replay(memory.entries, memory.replayed)
  for (const fault of replayed.faults) memory.faults.push(fault)
  memory.replayed = memory.entries.length
  tellFaults(parts, memory, replayed.faults)
  // Only the checkpoint that is read to its end can lack its state.
  const size = registry?.leaves.length ?? 0
  if (size > 0 && memory.entries.length === size && !isState(replayed.entries.at(-1)))
    parts.alarms.raise(
      'state_missing',
      `the last entry of the checkpoint of size ${size} is not a state`,
      evidenceOf(memory, size - 1),
    )
  return replayed
}

const evidenceOf = ({ registry, entries }: Memory, place: number): Evidence =>
  registry ? entryEvidence(registry, place, entries[place] ?? '') : {}

/** The last in the log first: an operator can add faults, and cannot make old ones newer. */
function tellFaults({ alarms }: Parts, memory: Memory, faults: readonly Fault[]): void {
  for (const { code, detail, entry, expected } of faults.toReversed())
    alarms.raise(code, detail, { ...evidenceOf(memory, entry), ...(expected ? { expected } : {}) })
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

/** Checks the rows of each release that were not checked yet, as deep as the token and the files go. How many there were. */
async function checkReleases(
  parts: Parts,
  memory: Memory,
  { readsRows, sources }: Watch,
  entries: ReplayResult['entries'],
): Promise<number> {
  let checked = 0
  // The newest first: old ones that raise alarms in every round must not take the room of new ones.
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
    // Where an alarm was raised it is less than what was wanted, so the release is looked at again in the next round.
    memory.releases[name] = wanted === 'hashes' ? 'hashes' : await checkRows(parts, signed, tree, held)
  }
  return checked
}
