// One round of a mirror: it follows and checks the logs as a monitor does, brings the rows of new releases, and changes the
// folder only if everything is right.

import { mkdirSync } from 'node:fs'
import { CheckpointLock } from '../../src/integrity/checkpoint-lock.ts'
import { equalBytes, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { FiguresState } from '../../src/proof/figures.ts'
import type { TrustPolicy } from '../../src/proof/note/policy.ts'
import { isManifest, isState, type RegistryEntry } from '../../src/proof/price/release.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { type Alarm, Alarms } from '../monitor/alarm.ts'
import { manifestEvidence, textOrBytes } from '../monitor/evidence.ts'
import { type Fetcher, MOST, textOf } from '../monitor/fetcher.ts'
import { followFigures } from '../monitor/figures.ts'
import { followTree, type LogName, type Parts } from '../monitor/log.ts'
import { type LogMemory, type Memory, nothingKnown } from '../monitor/memory.ts'
import { followEntries } from '../monitor/registry.ts'
import type { SignedManifest } from '../monitor/rows.ts'
import { derive, filesOf, type MirroredLog } from './derived-store.ts'
import { continues, type KeptLog, readLog, writeCheckpoint, writeParts } from './log-copy.ts'
import { bringRelease, clearIncoming, findCopy, INDEX, indexText } from './release-copy.ts'
import type { StaticTree } from './static-tree.ts'

export const POLICY = '/log/policy'
/** The file that is written last: a folder without it has no mirror yet. */
export const CHECKPOINT = '/log/registry/checkpoint'
const FIGURES = '/api/figures'

export interface MirrorParts {
  fetcher: Fetcher
  tree: StaticTree
  policy: TrustPolicy
  /** The policy as it was pinned. */
  policyText: string
  now: number
  /** Told of each step. */
  tell: (text: string) => void
}

export interface MirrorRound {
  /** If there are any, the folder was left as it was. */
  alarms: Alarm[]
  notes: string[]
  /** The sizes of the logs in the folder. */
  registry: number
  figures: number
  /** When the newest state was recorded. */
  recorded_at: string | null
  releases: number
  /** How many of them were brought in this round. */
  brought: number
}

/** Follows the service once. */
export async function mirrorOnce(mirror: MirrorParts): Promise<MirrorRound> {
  const { fetcher, tree, policy, now } = mirror
  mkdirSync(tree.inside(''), { recursive: true, mode: 0o700 })
  const alarms = new Alarms(fetcher.secrets)
  const parts: Parts = { fetcher, policy, alarms, now }
  const kept = { registry: readLog(tree, 'registry'), figures: readLog(tree, 'figures') }
  const memory = memoryOf(kept)
  const followed = await follow(parts, memory, kept, mirror)
  const releases = followed ? await bringAll(parts, mirror, memory, followed.entries) : undefined
  if (followed && releases && alarms.raised.length === 0) {
    write(mirror, kept, memory, followed)
    await derive(tree, { ...followed, files: releases.files })
    writeLocks(tree, followed)
  }
  return {
    alarms: alarms.raised,
    notes: alarms.notes,
    registry: memory.registry?.leaves.length ?? 0,
    figures: memory.figures?.leaves.length ?? 0,
    recorded_at: followed ? new Date(followed.registry.recordedAt).toISOString() : null,
    releases: releases?.files.size ?? 0,
    brought: releases?.brought ?? 0,
  }
}

type KeptLogs = Record<LogName, KeptLog | undefined>

const memoryOf = ({ registry, figures }: KeptLogs): Memory => ({
  ...nothingKnown(),
  entries: (registry?.entries ?? []).map(textOrBytes),
  ...(registry?.log ? { registry: registry.log } : {}),
  ...(figures?.log ? { figures: figures.log } : {}),
})

interface LogsView {
  registry: MirroredLog
  figures: MirroredLog
  entries: RegistryEntry[]
  /** The answer of `/api/figures`. */
  answer: string
}

/** Follows both logs. Undefined where an alarm was raised. */
async function follow(
  parts: Parts,
  memory: Memory,
  kept: KeptLogs,
  { policyText, tell }: MirrorParts,
): Promise<LogsView | undefined> {
  const { fetcher, alarms } = parts
  tell('reading the logs')
  const registry = await followTree('registry', parts, memory.registry)
  if (registry) memory.registry = registry
  const { entries } = await followEntries(parts, memory, registry)
  // The entries of the figures log are not public, so they are not in a folder that anyone may serve. Its hashes are.
  const found = await followFigures(parts, memory, false)
  const { figures } = memory
  if (!registry || !figures || !found || alarms.raised.length > 0) return undefined
  for (const [name, log] of [
    ['registry', registry],
    ['figures', figures],
  ] as const)
    if (!isContinued(parts, name, kept[name], log)) return undefined
  const newest = entries.at(-1)
  const { state, answer } = found
  const last = lastEntry(figures, state)
  if (!newest || !isState(newest) || !last) {
    alarms.raise('unreachable', `${FIGURES} or the newest state of the registry is not the one of the log yet`)
    return undefined
  }
  if (textOf(await fetcher.bytes(POLICY, MOST.note)) !== policyText)
    alarms.note(
      'the service shows another log policy than the one that you pinned: ask its operator, then pin the new one with --policy',
    )
  const whole = entries.filter((entry) => entry !== undefined)
  return {
    registry: mirrored(
      registry,
      new Map(whole.map((entry, index) => [index, utf8(canonical(entry))])),
      newest.recorded_at,
    ),
    figures: mirrored(figures, last, state.recorded_at),
    entries: whole,
    answer,
  }
}

const mirrored = ({ note, leaves }: LogMemory, entries: MirroredLog['entries'], recorded_at: string): MirroredLog => ({
  note,
  leaves,
  entries,
  recordedAt: Date.parse(recorded_at),
})

/** Whether the log continues the checkpoint in the folder. A folder whose tiles are damaged still has its checkpoint. */
function isContinued({ alarms }: Parts, name: LogName, kept: KeptLog | undefined, log: LogMemory): boolean {
  if (!kept || kept.log || continues(kept, log)) return true
  const notes = { older_checkpoint: kept.note, newer_checkpoint: log.note }
  alarms.raise('log_forked', `the ${name} log does not continue the one that was mirrored`, notes)
  return false
}

/** The last entry of the figures log, which is the state of the answer. Undefined if the answer is an older one. */
function lastEntry({ leaves }: LogMemory, state: FiguresState): Map<number, Uint8Array> | undefined {
  const [last, body] = [leaves.at(-1), utf8(canonical(state))]
  return last && equalBytes(leafHash(body), last) ? new Map([[leaves.length - 1, body]]) : undefined
}

interface ReleaseCopies {
  /** By the name of a release: the digest of its file. */
  files: Map<string, string>
  /** How many of them were brought in this round. */
  brought: number
}

/** The rows of every release that the log names, withdrawn or not: rows of all of them can be cited. */
async function bringAll(
  parts: Parts,
  { tree, tell }: MirrorParts,
  memory: Memory,
  entries: readonly RegistryEntry[],
): Promise<ReleaseCopies | undefined> {
  const files = filesOf(tree)
  const all = { ...parts, tree, files }
  clearIncoming(all)
  const copies: ReleaseCopies = { files: new Map(), brought: 0 }
  const manifests = [...entries.entries()].flatMap(([place, entry]) =>
    isManifest(entry) ? [{ place, release: entry }] : [],
  )
  try {
    for (const [i, { place, release }] of manifests.entries()) {
      const { release_id, row_count } = release
      let file = await findCopy(all, release)
      if (file === undefined) {
        tell(`release ${i + 1} of ${manifests.length}: ${release_id}, ${row_count} rows`)
        const signed: SignedManifest = { release, evidence: manifestEvidence(memory.registry, place, release) }
        file = await bringRelease(all, signed)
        if (file === undefined) return undefined
        copies.brought++
      }
      copies.files.set(release_id, file)
    }
    return copies
  } finally {
    files.close()
  }
}

/** Writes the logs into the folder: everything that a checkpoint covers comes before the checkpoint. */
function write(
  { tree, policyText }: MirrorParts,
  kept: KeptLogs,
  { registry, figures }: Memory,
  followed: LogsView,
): void {
  tree.write(POLICY, policyText)
  tree.write(INDEX, indexText(followed.entries.filter(isManifest)))
  for (const [name, log] of Object.entries({ registry, figures }) as [LogName, LogMemory][]) {
    const { entries } = followed[name]
    const isWhole = entries.size === log.leaves.length
    writeParts(tree, name, log.leaves, isWhole ? [...entries.values()] : [])
    writeCheckpoint(tree, name, log.note, kept[name]?.note)
  }
  tree.write(FIGURES, followed.answer)
}

/** Writes the checkpoint lock, which the checks of the derived store compare it with. */
function writeLocks(tree: StaticTree, followed: LogsView): void {
  const lock = new CheckpointLock(tree.inside('noted'))
  for (const name of ['registry', 'figures'] as const) lock.create(name, followed[name].note)
}
