import { type Db, StoreFault } from '../../db/db.ts'
import { equalBytes, toBase64 } from '../../proof/bytes.ts'
import { openNote } from '../../proof/note/signed-note.ts'
import { parseTreeHead } from '../../proof/note/tree-head.ts'
import { leafHash, rangeRoot } from '../../proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH, TileBuilder } from '../../proof/tree/tiles.ts'
import type { Log } from '../log.ts'
import { verifierKey } from '../log-key.ts'
import * as store from '../store.ts'
import { touches, Verdict } from './verdict.ts'

const LEAVES_PER_READ = 1_000

/**
 * Recomputes a whole log from its stored entries and returns every difference, with the entries that must not be
 * served. `tx` must be a snapshot of the store, and `locked` the checkpoint in the lock, read before the snapshot.
 */
export async function checkLog(tx: Db, log: Log, locked: string, pause: () => Promise<void>): Promise<Verdict> {
  const verdict = new Verdict()
  const tiles = new Map<string, Uint8Array>()
  const tree = new TileBuilder(({ level, n }, hashes) => {
    tiles.set(`${level}/${n}`, hashes)
  })
  const leaves = await store.countLeaves(tx, log.name)
  for (let from = 0; from < leaves; from += LEAVES_PER_READ) {
    for (const body of await store.leafBodies(tx, log.name, from, from + LEAVES_PER_READ)) tree.append(leafHash(body))
    await pause()
  }
  tree.finish()
  if (tree.size !== leaves) verdict.add(`${log.name} log: entries are missing`)
  for (const [name, hashes] of tiles) {
    const [level = 0, n = 0] = name.split('/').map(Number)
    const stored = await store.findTile(tx, log.name, level, n)
    if (stored && equalBytes(stored, hashes)) continue
    // A wrong entry changes all tiles above it. Only the entry fails then, and the others below those tiles are served.
    const width = TILE_WIDTH ** (level + 1)
    const isOwn = !touches(verdict.failed, n * width, (n + 1) * width)
    verdict.add(
      `${log.name} log: tile ${name} does not match the entries`,
      isOwn ? [n * width, (n + 1) * width] : undefined,
    )
  }
  for (const fault of await checkCheckpoints(tx, log, locked, leaves, tiles, pause)) verdict.add(fault)
  return verdict
}

/** Every signed checkpoint must match the entries up to its size, and the last one must cover all entries. */
async function checkCheckpoints(
  tx: Db,
  log: Log,
  locked: string,
  leaves: number,
  tiles: ReadonlyMap<string, Uint8Array>,
  pause: () => Promise<void>,
): Promise<string[]> {
  const faults: string[] = []
  const read = subtreesFromTiles(async (level, n) => {
    const tile = tiles.get(`${level}/${n}`)
    if (!tile) throw new StoreFault('a tile is missing')
    return tile
  })
  const { signers, retired } = log.currentKeys()
  const keys = [...signers.map(verifierKey), ...retired.map(({ key }) => key)]
  const signed = await store.checkpoints(tx, log.name)
  const complaint = log.lock.complaint(log.name, signed, locked)
  if (complaint !== undefined) faults.push(complaint)
  for (const { size, root, note } of signed) {
    const opened = await openNote(note, keys)
    const head = opened.ok ? parseTreeHead(opened.note.text) : undefined
    const derived = size <= leaves ? toBase64(await rangeRoot(0, size, read)) : undefined
    const sound =
      head && head.origin === log.origin && head.size === size && toBase64(head.root) === root && derived === root
    await pause()
    if (!sound)
      faults.push(`${log.name} log: the checkpoint of size ${size} does not match the entries or its signature`)
  }
  const head = await log.head(tx)
  const opened = await openNote(head.note, keys)
  const text = opened.ok ? opened.note.text : ''
  if (!signed.some((each) => each.size === head.size && each.root === head.root && each.note.startsWith(`${text}\n`)))
    faults.push(`${log.name} log: the public checkpoint was never signed`)
  if (signed.at(-1)?.size !== leaves) faults.push(`${log.name} log: the last checkpoint does not cover every entry`)
  return faults
}
