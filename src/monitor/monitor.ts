// One round of a monitor: an outsider who follows both logs, replays them, reads what they commit to, and asks.

import { fromUtf8, toBase64 } from '../proof/bytes.ts'
import { canonical, parseJson } from '../proof/canonical-json.ts'
import { isChangeEntry } from '../proof/entries.ts'
import { isFiguresState } from '../proof/figures.ts'
import type { TrustPolicy } from '../proof/note/policy.ts'
import { isManifest, isState, type RegistryEntry } from '../proof/price/release.ts'
import { leafOf, type Standing, standingAfter } from '../proof/price/timeline.ts'
import { type Alarm, Alarms } from './alarm.ts'
import { believe } from './answers.ts'
import type { Fetcher } from './fetcher.ts'
import { entriesFrom, type Followed, followTree, type Parts } from './log.ts'
import { DEPTHS, type Memory } from './memory.ts'
import { replay } from './replay.ts'
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
  releases: number
  questions: number
}

/** How far ahead of ours a clock may be. */
const AHEAD_MS = 10 * 60_000

/** Does one round, and moves the memory on to what was believed in it. */
export async function watchOnce(watch: Watch, memory: Memory): Promise<Round> {
  const alarms = new Alarms()
  const parts: Parts = { fetcher: watch.fetcher, policy: watch.policy, alarms }
  const registry = await followTree('registry', parts, memory.registry)
  if (registry) memory.registry = { note: registry.note, leaves: registry.leaves }
  const entries = await followEntries(parts, memory, registry)
  const newest = entries.findLast(isState)
  if (registry) checkAge(alarms, newest?.recorded_at, watch, registry)
  const standing = standingAfter(entries)
  const releases = registry ? await checkReleases(parts, memory, watch, entries, standing) : 0
  await followFigures(parts, memory, watch)
  const random = watch.random ?? Math.random
  const questions = registry ? await spotCheck(parts, memory, { entries, standing, now: watch.now, random }) : 0
  for (const { name, text } of watch.answers ?? []) await believe(parts, memory, name, text, { anyQuestion: true })
  return {
    alarms: alarms.raised,
    notes: alarms.notes,
    registry: memory.registry?.leaves.length ?? 0,
    figures: memory.figures?.leaves.length ?? 0,
    recorded_at: newest?.recorded_at ?? null,
    releases,
    questions,
  }
}

/** Reads what is new in the registry log, replays it, and tells all faults that the log has. */
async function followEntries(parts: Parts, memory: Memory, registry: Followed | undefined): Promise<RegistryEntry[]> {
  const { alarms } = parts
  const added = registry ? ((await entriesFrom('registry', parts, registry, memory.entries.length)) ?? []) : []
  memory.entries.push(...added.map(textOrBytes))
  const { entries, faults } = replay(memory.entries, memory.replayed)
  memory.faults.push(...faults)
  memory.replayed = memory.entries.length
  const note = memory.registry?.note ?? ''
  for (const { code, detail, entry } of memory.faults)
    alarms.raise(code, detail, { entry: memory.entries[entry] ?? '', checkpoint: note })
  // Only the checkpoint that is read to its end can lack its state.
  if (registry && registry.leaves.length > 0 && memory.entries.length === registry.leaves.length) {
    const last = memory.entries.at(-1) ?? ''
    if (!isState(entries.at(-1)) || canonical(entries.at(-1)) !== last)
      alarms.raise('state_missing', `the last entry of the checkpoint of size ${registry.leaves.length} is no state`, {
        entry: last,
        checkpoint: note,
      })
  }
  return entries
}

/** An entry that is no text is no entry of the log; its bytes are kept all the same. */
function textOrBytes(body: Uint8Array): string {
  try {
    return fromUtf8(body)
  } catch {
    return `base64 ${toBase64(body)}`
  }
}

function checkAge(alarms: Alarms, recorded_at: string | undefined, { now, maxAgeMs }: Watch, { note }: Followed): void {
  const at = Date.parse(recorded_at ?? '')
  const evidence = { checkpoint: note }
  if (!(at >= now - maxAgeMs)) alarms.raise('head_stale', `it was recorded at ${recorded_at ?? 'no time'}`, evidence)
  if (at > now + AHEAD_MS) alarms.raise('head_from_future', `it was recorded at ${recorded_at}`, evidence)
}

/** Checks the rows of each release that were not checked yet, as deep as the token and the files go. How many there were. */
async function checkReleases(
  parts: Parts,
  memory: Memory,
  { readsRows, sources }: Watch,
  entries: readonly RegistryEntry[],
  { periods }: Standing,
): Promise<number> {
  let checked = 0
  for (const release of entries.filter(isManifest)) {
    const name = toBase64(leafOf(release))
    const period = periods.find((each) => each.release === name)
    const held = sources?.hold(release) === true ? sources : undefined
    const wanted = !readsRows || !period || release.row_count === 0 ? 'hashes' : held ? 'source' : 'rows'
    const known = memory.releases[name]
    if (known && DEPTHS.indexOf(known) >= DEPTHS.indexOf(wanted)) continue
    checked++
    const before = parts.alarms.raised.length
    const hashes = await rowHashes(parts, release)
    if (!hashes) continue
    if (readsRows && !period) parts.alarms.note(`${release.release_id} is in force on no day: its rows cannot be paged`)
    if (readsRows && sources && !held)
      parts.alarms.note(
        `${release.release_id} was not compared with its source: not every file that it cites was given`,
      )
    const note = memory.registry?.note
    const depth = wanted !== 'hashes' && period ? await checkRows(parts, release, period, hashes, held, note) : 'hashes'
    // What raised an alarm is looked at again in the next round.
    if (parts.alarms.raised.length === before) memory.releases[name] = depth
  }
  return checked
}

/** The figures log: its hashes for everyone, its entries with a token that opens them. */
async function followFigures(parts: Parts, memory: Memory, { readsRows }: Watch): Promise<void> {
  const { alarms } = parts
  const figures = await followTree('figures', parts, memory.figures)
  if (!figures) return
  memory.figures = { note: figures.note, leaves: figures.leaves }
  if (!readsRows || memory.changes === figures.leaves.length) return
  const entries = await entriesFrom('figures', parts, figures, memory.changes, true)
  if (!entries)
    alarms.note('the token does not open the entries of the figures log (audit:read): only their hashes were checked')
  for (const body of entries ?? []) {
    if (!isFiguresEntry(body, memory.changes)) {
      alarms.raise('entry_unknown', `entry ${memory.changes} of the figures log`, { entry: toBase64(body) })
      return
    }
    memory.changes++
  }
}

/** A change at its place, or a state. */
function isFiguresEntry(body: Uint8Array, place: number): boolean {
  try {
    const text = fromUtf8(body)
    const said = parseJson(text)
    const isKnown = isChangeEntry(said) ? (said as { seq: number }).seq === place : isFiguresState(said)
    return isKnown && canonical(said) === text
  } catch {
    return false
  }
}
