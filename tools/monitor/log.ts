// Follows one log: its checkpoint, its tiles and its entries, compared with earlier rounds.

import { equalBytes, toBase64 } from '../../src/proof/bytes.ts'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import type { TrustPolicy } from '../../src/proof/note/policy.ts'
import type { TreeHead } from '../../src/proof/note/tree-head.ts'
import type { ChartTable } from '../../src/proof/price/charts.ts'
import { HASH_SIZE, type Hash, leafHash } from '../../src/proof/tree/merkle.ts'
import { TILE_WIDTH, type Tile, TileBuilder, tilePath } from '../../src/proof/tree/tiles.ts'
import type { Alarms } from './alarm.ts'
import { forkEvidence, treeOf } from './evidence.ts'
import { type Fetcher, MOST, textOf } from './fetcher.ts'
import { hashesIn, headOf, type LogMemory } from './memory.ts'

export interface Parts {
  fetcher: Fetcher
  policy: TrustPolicy
  alarms: Alarms
  now: number
  /** The schedules of a registry that has others than the usual ones. */
  charts?: ChartTable | undefined
}
export type LogName = 'registry' | 'figures'

/** A log as it is now, verified and consistent with earlier rounds. */
export interface LogView extends LogMemory {
  head: TreeHead
}

const MOST_LEAVES = 4_000_000

/** The numbers and widths of the tiles of level 0, or of the bundles, from the one that holds leaf `from`. */
export function* pieces(from: number, size: number): Generator<{ n: number; width: number }> {
  for (let n = Math.floor(from / TILE_WIDTH); n * TILE_WIDTH < size; n++)
    yield { n, width: Math.min(TILE_WIDTH, size - n * TILE_WIDTH) }
}

/** Reads the checkpoint and the hashes of a log. Undefined where an alarm was raised. */
export async function followTree(
  name: LogName,
  parts: Parts,
  known: LogMemory | undefined,
): Promise<LogView | undefined> {
  const opened = await newestOf(name, parts)
  if (!opened) return undefined
  const { note, head } = opened
  const { alarms } = parts
  const notes = { newer_checkpoint: note, ...(known ? { older_checkpoint: known.note } : {}) }
  const older = known && headOf(known)
  if (older && older.origin !== head.origin) {
    alarms.raise('log_not_the_same', `the ${name} log had another origin before`, notes)
    return undefined
  }
  if (older && head.size < older.size) {
    alarms.raise('log_rolled_back', `the ${name} log had ${older.size} entries and now has ${head.size}`, notes)
    return undefined
  }
  if (head.size > MOST_LEAVES) {
    alarms.raise('log_too_large', `the ${name} log has ${head.size} entries`, notes)
    return undefined
  }
  const leaves = known ? await continued(name, parts, known, head) : await leavesFrom(name, parts, [], head)
  if (!leaves) return undefined
  const differs = known?.leaves.findIndex((leaf, i) => !equalBytes(leaf, leaves[i] as Hash)) ?? -1
  if (!equalBytes(treeOf(leaves).root, head.root)) {
    // At the size of an earlier round the leaves are known too: another root is another history.
    if (older?.size === head.size)
      alarms.raise('log_forked', `two roots of the ${name} log at size ${head.size} are signed`, notes)
    else alarms.raise('tiles_wrong', `the ${name} log at size ${head.size}`, { ...notes, leaves: shown(leaves) })
    return undefined
  }
  if (known && differs >= 0) {
    const what = `the ${name} log of size ${head.size} differs from the one of size ${older?.size} at entry ${differs}`
    alarms.raise('log_forked', what, forkEvidence(known, { note, leaves, upper: 0 }, differs))
    return undefined
  }
  const since = known?.leaves.length === leaves.length ? known.since : undefined
  return { note, head, leaves, upper: known?.upper ?? 0, since: since ?? parts.now }
}

/** Checks the tiles above the leaves that were not checked yet. Wrong ones are checked again in the next round. */
export async function checkUpperTiles(name: LogName, { fetcher, alarms }: Parts, log: LogMemory): Promise<void> {
  const wrong = await wrongUpperTile(fetcher, `/log/${name}`, upperTilesOf(log.leaves, log.upper))
  if (wrong === undefined) log.upper = log.leaves.length
  else
    alarms.raise('tiles_wrong', `/log/${name}/${wrong} is not served, or does not follow from the tiles below it`, {
      checkpoint: log.note,
    })
}

// A clone does not need the tiles above the leaves, but whoever checks one proof reads them and nothing else.

export interface UpperTile {
  tile: Tile
  hashes: Uint8Array
}

/** The tiles above these leaves, without those that a tree of the size `known` had already. */
export function upperTilesOf(leaves: Iterable<Hash>, known = 0): UpperTile[] {
  const upper: UpperTile[] = []
  const builder = new TileBuilder((tile, hashes) => {
    const before = Math.floor(known / TILE_WIDTH ** tile.level)
    if (tile.level > 0 && tile.n * TILE_WIDTH + tile.width > before) upper.push({ tile, hashes })
  })
  for (const leaf of leaves) builder.append(leaf)
  builder.finish()
  return upper
}

/** The path of the first of these tiles that is not served, or is served with other hashes. */
export async function wrongUpperTile(
  fetcher: Fetcher,
  base: string,
  upper: Iterable<UpperTile>,
): Promise<string | undefined> {
  for (const { tile, hashes } of upper) {
    const { level, n, width } = tile
    const served = await fetcher.part(base, level, n, width)
    const isRight = served && equalBytes(served.subarray(0, width * HASH_SIZE), hashes.subarray(0, width * HASH_SIZE))
    if (!isRight) return tilePath(level, n, width)
  }
  return undefined
}

const shown = (leaves: readonly Hash[]): string => leaves.map(toBase64).join('\n')

/** The text of an answer. Undefined, after an alarm, if there is none. */
export function textAt({ alarms }: Parts, path: string, bytes: Uint8Array | undefined): string | undefined {
  const text = textOf(bytes)
  if (text === undefined) alarms.raise('unreachable', path)
  return text
}

async function newestOf(name: LogName, parts: Parts): Promise<{ note: string; head: TreeHead } | undefined> {
  const { fetcher, policy, alarms } = parts
  const base = `/log/${name}`
  const note = textAt(parts, `${base}/checkpoint`, await fetcher.bytes(`${base}/checkpoint`, MOST.note))
  if (note === undefined) return undefined
  const opened = await openCheckpoint(note, policy)
  if (!opened.ok) {
    alarms.raise('checkpoint_invalid', `${base}/checkpoint, ${opened.reason}`, { checkpoint: note })
    return undefined
  }
  const { head, retired } = opened
  if (retired) {
    alarms.raise('checkpoint_invalid', `${base}/checkpoint, key_retired`, { checkpoint: note })
    return undefined
  }
  const pinned = policy.logs.find(({ url }) => url?.replace(/(?<!\/)\/+$/, '') === `${fetcher.base}${base}`)
  if (!head.origin.endsWith(base) || (pinned && pinned.key.name !== head.origin)) {
    alarms.raise('log_not_the_same', `${base}/checkpoint is not of the log that belongs there`, { checkpoint: note })
    return undefined
  }
  return { note, head }
}

/** The known leaves and the new ones; all of them fetched again where these do not lead to the root. */
async function continued(
  name: LogName,
  parts: Parts,
  { leaves }: LogMemory,
  head: TreeHead,
): Promise<Hash[] | undefined> {
  if (head.size === leaves.length) return leaves
  const full = leaves.slice(0, Math.floor(leaves.length / TILE_WIDTH) * TILE_WIDTH)
  const added = await leavesFrom(name, parts, full, head)
  if (!added || equalBytes(treeOf(added).root, head.root)) return added
  return leavesFrom(name, parts, [], head)
}

async function leavesFrom(
  name: LogName,
  { fetcher, alarms }: Parts,
  before: readonly Hash[],
  { size }: TreeHead,
): Promise<Hash[] | undefined> {
  const leaves = [...before]
  for (const { n, width } of pieces(before.length, size)) {
    const tile = await fetcher.part(`/log/${name}`, 0, n, width)
    if (!tile || tile.length < width * HASH_SIZE) {
      alarms.raise('tiles_wrong', `the ${name} log at size ${size}, tile ${n} is not served or too short`)
      return undefined
    }
    leaves.push(...hashesIn(tile.subarray(0, width * HASH_SIZE)))
  }
  return leaves
}

/**
 * The entries from a place on. Ends before the first that is missing or is not the one that was hashed, and raises an alarm.
 * Undefined where the token does not open them.
 */
export async function entriesFrom(
  name: LogName,
  { fetcher, alarms }: Parts,
  { leaves, note }: LogView,
  from: number,
  withToken = false,
): Promise<Uint8Array[] | undefined> {
  const entries: Uint8Array[] = []
  for (const { n, width } of pieces(from, leaves.length)) {
    const bundle = await fetcher.part(`/log/${name}`, 'entries', n, width, withToken)
    if (!bundle && withToken) return undefined
    const bodies = bodiesIn(bundle ?? new Uint8Array())
    for (let i = 0; i < width; i++) {
      const place = n * TILE_WIDTH + i
      if (place < from) continue
      const body = bodies[i]
      if (!body) {
        alarms.raise('entry_missing', `entry ${place} of the ${name} log`, { checkpoint: note })
        return entries
      }
      if (!equalBytes(leafHash(body), leaves[place] as Hash)) {
        const evidence = { checkpoint: note, served_base64: toBase64(body), leaf_hash: toBase64(leaves[place] as Hash) }
        alarms.raise('entry_altered', `entry ${place} of the ${name} log`, evidence)
        return entries
      }
      entries.push(body)
    }
  }
  return entries
}

/** The entries of a bundle, up to one that is cut short. */
export function bodiesIn(bundle: Uint8Array): Uint8Array[] {
  const bodies: Uint8Array[] = []
  for (let at = 0; at + 2 <= bundle.length; ) {
    const end = at + 2 + (bundle[at] as number) * 256 + (bundle[at + 1] as number)
    if (end > bundle.length) break
    bodies.push(bundle.slice(at + 2, end))
    at = end
  }
  return bodies
}
