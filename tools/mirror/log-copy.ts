// A log in the folder: it is read so that a round can continue it, and written with the checkpoint last.

import { concat, equalBytes } from '../../src/proof/bytes.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { HASH_SIZE, type Hash, leafHash } from '../../src/proof/tree/merkle.ts'
import { TILE_WIDTH, TileBuilder, tilePath } from '../../src/proof/tree/tiles.ts'
import { bodiesIn, type LogName, pieces } from '../monitor/log.ts'
import { hashesIn, headOf, type LogMemory } from '../monitor/memory.ts'
import type { StaticTree } from './static-tree.ts'

export interface KeptLog {
  /** The checkpoint of the last round. */
  note: string
  /** Undefined if the tiles in the folder are damaged: then they are fetched again. */
  log: LogMemory | undefined
  /** The entries up to the first that is missing or damaged. */
  entries: Uint8Array[]
}

const baseOf = (name: LogName): string => `/log/${name}`

export function readLog(tree: StaticTree, name: LogName): KeptLog | undefined {
  const base = baseOf(name)
  const note = tree.text(`${base}/checkpoint`)
  if (note === undefined) return undefined
  const { size, root } = headOf({ note })
  const leaves: Hash[] = []
  const entries: Uint8Array[] = []
  for (const { n, width } of pieces(0, size)) {
    const hashes = hashesIn((tree.part(base, 0, n, width) ?? new Uint8Array()).subarray(0, width * HASH_SIZE))
    leaves.push(...hashes)
    const bodies = bodiesIn(tree.part(base, 'entries', n, width) ?? new Uint8Array()).slice(0, width)
    if (entries.length < n * TILE_WIDTH) continue
    for (const [i, body] of bodies.entries()) {
      if (!equalBytes(leafHash(body), hashes[i] ?? new Uint8Array())) break
      entries.push(body)
    }
  }
  const isSound = leaves.length === size && equalBytes(new HashTree(leaves).root, root)
  return isSound ? { note, log: { note, leaves, upper: size }, entries } : { note, log: undefined, entries: [] }
}

/** Whether a log continues a checkpoint, by its leaves alone. */
export function continues({ note }: Pick<KeptLog, 'note'>, log: LogMemory): boolean {
  const [older, head, { leaves }] = [headOf({ note }), headOf(log), log]
  if (older.origin !== head.origin || older.size > head.size) return false
  return equalBytes(new HashTree(leaves.slice(0, older.size)).root, older.root)
}

/** Writes tiles and entries. Readers of the folder do not look for them before the checkpoint is written. */
export function writeParts(
  tree: StaticTree,
  name: LogName,
  leaves: readonly Hash[],
  entries: readonly Uint8Array[],
): void {
  const base = baseOf(name)
  const tiles = new TileBuilder(({ level, n, width }, hashes) =>
    tree.write(`${base}/${tilePath(level, n, width)}`, hashes.slice(0, width * HASH_SIZE)),
  )
  for (const leaf of leaves) tiles.append(leaf)
  tiles.finish()
  for (const { n, width } of pieces(0, entries.length)) {
    const bodies = entries.slice(n * TILE_WIDTH, n * TILE_WIDTH + width)
    tree.write(`${base}/${tilePath('entries', n, width)}`, bundleOf(bodies))
  }
}

const bundleOf = (bodies: readonly Uint8Array[]): Uint8Array =>
  concat(...bodies.flatMap((body) => [Uint8Array.of(body.length >> 8, body.length & 255), body]))

/** Writes the checkpoint, and removes partial tiles that belong neither to it nor to the one before it. */
export function writeCheckpoint(tree: StaticTree, name: LogName, note: string, before: string | undefined): void {
  const base = baseOf(name)
  tree.write(`${base}/checkpoint`, note)
  const sizes = [note, ...(before === undefined ? [] : [before])].map((each) => headOf({ note: each }).size)
  for (let level = 0, width = 1; width <= (sizes[0] ?? 0); level++, width *= TILE_WIDTH) {
    const counts = sizes.map((size) => Math.floor(size / width))
    for (const n of new Set(counts.map((count) => Math.floor(count / TILE_WIDTH)))) {
      const widths = counts.map((count) => Math.min(TILE_WIDTH, count - n * TILE_WIDTH))
      tree.keepWidths(base, level, n, widths)
      if (level === 0) tree.keepWidths(base, 'entries', n, widths)
    }
  }
}
