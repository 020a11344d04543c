// The store that a mirror answers from. It is filled from the logs alone, so it can be deleted and made again.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Db } from '../../src/db/db.ts'
import { FileFolder } from '../../src/db/file-folder.ts'
import { clearBuilding, openStoreAt, putInPlace, useStore } from '../../src/db/store-place.ts'
import {
  currentHead,
  findCheckpoint,
  insertCheckpoint,
  putCheckpointNote,
  putHead,
  putTile,
} from '../../src/integrity/store.ts'
import { toBase64 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { isManifest, isWithdrawal, type Manifest, type RegistryEntry } from '../../src/proof/price/release.ts'
import type { Hash } from '../../src/proof/tree/merkle.ts'
import { type Tile, TileBuilder } from '../../src/proof/tree/tiles.ts'
import type { LogName } from '../monitor/log.ts'
import { headOf } from '../monitor/memory.ts'
import type { StaticTree } from './static-tree.ts'

const STORE = 'registry.db'

/** The parts of a log that answers need. */
export interface MirroredLog {
  note: string
  leaves: readonly Hash[]
  /** The known entries, by their places. */
  entries: ReadonlyMap<number, Uint8Array>
  /** When its last state was recorded. */
  recordedAt: number
}

export interface MirroredState {
  registry: MirroredLog
  figures: MirroredLog
  entries: readonly RegistryEntry[]
  /** By the name of a release: the digest of its file. */
  files: ReadonlyMap<string, string>
}

export const filesOf = (tree: StaticTree): FileFolder => new FileFolder(tree.inside('releases'))

export async function openDerived(tree: StaticTree): Promise<Db> {
  const place = { file: tree.inside(STORE) }
  const use = await useStore(place)
  try {
    return await openStoreAt(place, { files: filesOf(tree), use })
  } catch (error) {
    await use.release()
    throw error
  }
}

export const isDerived = (tree: StaticTree): boolean => existsSync(tree.inside(STORE))

/** Brings the store to a state, in one transaction: a service that reads it sees the old head or the new one. */
export async function derive(tree: StaticTree, state: MirroredState): Promise<void> {
  const place = { file: tree.inside(STORE) }
  mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 })
  if (isDerived(tree)) {
    const db = await openDerived(tree)
    return putState(db, state).finally(() => db.close())
  }
  const built = await clearBuilding(place)
  const db = await openStoreAt(built, { create: true, files: filesOf(tree) })
  await putState(db, state).finally(() => db.close())
  await putInPlace(built, place)
}

async function putState(db: Db, state: MirroredState): Promise<void> {
  const { registry, figures, entries, files } = state
  const isNewest = async (name: LogName): Promise<boolean> => (await currentHead(db, name))?.note === state[name].note
  if ((await isNewest('registry')) && (await isNewest('figures'))) return
  await db.transaction(async (tx) => {
    await putLog(tx, 'registry', registry)
    await putLog(tx, 'figures', figures)
    await tx.query('DELETE FROM release')
    const withdrawn = withdrawalsIn(entries)
    let release_no = 0
    for (const [log_index, entry] of entries.entries())
      if (isManifest(entry))
        await insertRelease(tx, {
          release_no: ++release_no,
          manifest: entry,
          log_index,
          file: files.get(entry.release_id) ?? '',
          withdrawal: withdrawn.get(entry.release_id),
        })
  })
}

async function putLog(tx: Db, name: LogName, { note, leaves, entries, recordedAt }: MirroredLog): Promise<void> {
  for (const table of ['log_leaf', 'log_tile', 'log_head'])
    await tx.query(`DELETE FROM ${table} WHERE log = $1`, [name])
  const bodies = [...entries].map(([index, body]) => [name, index, body])
  await tx.insertMany('log_leaf', ['log', 'leaf_index', 'body'], bodies)
  const tiles: [Tile, Uint8Array][] = []
  const builder = new TileBuilder((tile, hashes) => tiles.push([tile, hashes.slice(0, tile.width * 32)]))
  for (const leaf of leaves) builder.append(leaf)
  builder.finish()
  for (const [tile, hashes] of tiles) await putTile(tx, name, tile, hashes)
  const { size, root } = headOf({ note })
  const head = { size, root: toBase64(root), note, signed_at: recordedAt }
  if (await findCheckpoint(tx, name, size)) await putCheckpointNote(tx, name, size, note)
  else await insertCheckpoint(tx, name, head)
  await putHead(tx, name, head)
}

interface WithdrawalEntry {
  text: string
  index: number
}

/** By the name of a release: its first withdrawal. */
function withdrawalsIn(entries: readonly RegistryEntry[]): Map<string, WithdrawalEntry> {
  const found = new Map<string, WithdrawalEntry>()
  for (const [index, entry] of entries.entries())
    if (isWithdrawal(entry) && !found.has(entry.release_id))
      found.set(entry.release_id, { text: canonical(entry), index })
  return found
}

interface MirroredRelease {
  release_no: number
  manifest: Manifest
  log_index: number
  file: string
  withdrawal: WithdrawalEntry | undefined
}

/** Some columns only the service knows, such as when it loaded the files: they are filled with what the log says. */
async function insertRelease(
  tx: Db,
  { release_no, manifest, log_index, file, withdrawal }: MirroredRelease,
): Promise<void> {
  const at = Date.parse(manifest.recorded_at)
  const row = {
    release_no,
    release_id: manifest.release_id,
    chart: manifest.chart,
    edition: manifest.edition,
    revision: Number(manifest.release_id.slice(manifest.release_id.lastIndexOf(':') + 1)),
    effective_from: manifest.effective_from,
    effective_to: manifest.effective_to,
    period_by: manifest.period_by,
    publisher_until: manifest.publisher_until ?? null,
    data_class: manifest.data_class,
    state: withdrawal ? 'withdrawn' : 'published',
    source_digest: '',
    citations: JSON.stringify(manifest.citations),
    row_count: manifest.row_count,
    rejected_count: manifest.rejected_count,
    unreadable_lines: manifest.unreadable_lines,
    providers: manifest.providers ? JSON.stringify(manifest.providers) : null,
    rows_root: manifest.rows_root,
    manifest: canonical(manifest),
    log_index,
    loaded_at: at,
    published_at: at,
    withdrawal: withdrawal?.text ?? null,
    withdrawn_index: withdrawal?.index ?? null,
    file,
  }
  await tx.insertMany('release', Object.keys(row), [Object.values(row)])
}
