import type { Db } from '../db/db.ts'
import type { Tile } from '../proof/tree/tiles.ts'

export interface StoredCheckpoint {
  size: number
  root: string
  note: string
  signed_at: number
}

export async function insertLeaf(tx: Db, log: string, index: number, body: Uint8Array): Promise<void> {
  await tx.query('INSERT INTO log_leaf (log, leaf_index, body) VALUES ($1, $2, $3)', [log, index, body])
}

export async function countLeaves(db: Db, log: string): Promise<number> {
  const [row] = await db.query<{ leaves: number }>('SELECT COUNT(*) AS leaves FROM log_leaf WHERE log = $1', [log])
  return row?.leaves ?? 0
}

export async function leafBodies(db: Db, log: string, from: number, to: number): Promise<Uint8Array[]> {
  const rows = await db.query<{ body: Uint8Array }>(
    `SELECT body FROM log_leaf
      WHERE log = $1 AND leaf_index >= $2 AND leaf_index < $3
      ORDER BY leaf_index`,
    [log, from, to],
  )
  return rows.map(({ body }) => body)
}

export async function findTile(db: Db, log: string, level: number, n: number): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ hashes: Uint8Array }>(
    'SELECT hashes FROM log_tile WHERE log = $1 AND level = $2 AND n = $3',
    [log, level, n],
  )
  return row?.hashes
}

/** A partial tile grows in place until it is full; a full one is never written again. */
export async function putTile(tx: Db, log: string, { level, n, width }: Tile, hashes: Uint8Array): Promise<void> {
  await tx.query(
    `INSERT INTO log_tile (log, level, n, width, hashes) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (log, level, n) DO UPDATE SET width = excluded.width, hashes = excluded.hashes`,
    [log, level, n, width, hashes],
  )
}

/** The last signed checkpoint, public or not. */
export async function currentCheckpoint(db: Db, log: string): Promise<StoredCheckpoint | undefined> {
  const [row] = await db.query<StoredCheckpoint>(
    'SELECT size, root, note, signed_at FROM log_checkpoint WHERE log = $1 ORDER BY size DESC LIMIT 1',
    [log],
  )
  return row
}

export async function findCheckpoint(db: Db, log: string, size: number): Promise<StoredCheckpoint | undefined> {
  const [row] = await db.query<StoredCheckpoint>(
    'SELECT size, root, note, signed_at FROM log_checkpoint WHERE log = $1 AND size = $2',
    [log, size],
  )
  return row
}

export function checkpoints(db: Db, log: string): Promise<StoredCheckpoint[]> {
  return db.query('SELECT size, root, note, signed_at FROM log_checkpoint WHERE log = $1 ORDER BY size', [log])
}

export async function insertCheckpoint(tx: Db, log: string, checkpoint: StoredCheckpoint): Promise<void> {
  const { size, root, note, signed_at } = checkpoint
  await tx.query('INSERT INTO log_checkpoint (log, size, root, note, signed_at) VALUES ($1, $2, $3, $4, $5)', [
    log,
    size,
    root,
    note,
    signed_at,
  ])
}

/** Removes the checkpoints of a log and keeps its entries, so that another history can begin with them. */
export async function forgetCheckpoints(tx: Db, log: string): Promise<void> {
  for (const table of ['log_checkpoint', 'log_head', 'log_witness'])
    await tx.query(`DELETE FROM ${table} WHERE log = $1`, [log])
}

/** The public checkpoint. */
export async function currentHead(db: Db, log: string): Promise<StoredCheckpoint | undefined> {
  const [row] = await db.query<StoredCheckpoint>('SELECT size, root, note, signed_at FROM log_head WHERE log = $1', [
    log,
  ])
  return row
}

/** Keeps a larger head that another process has written meanwhile. */
export async function putHead(db: Db, log: string, { size, root, note, signed_at }: StoredCheckpoint): Promise<void> {
  await db.query(
    `INSERT INTO log_head (log, size, root, note, signed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (log) DO UPDATE
       SET size = excluded.size, root = excluded.root, note = excluded.note, signed_at = excluded.signed_at
     WHERE excluded.size >= log_head.size`,
    [log, size, root, note, signed_at],
  )
}

/** Replaces the signatures of a tree head, for a key rotation. The signed text stays the same. */
export async function putCheckpointNote(tx: Db, log: string, size: number, note: string): Promise<void> {
  await tx.query('UPDATE log_checkpoint SET note = $3 WHERE log = $1 AND size = $2', [log, size, note])
}

/** Replaces the signatures of the public checkpoint, cosignatures included. Does nothing if another one is public. */
export async function putHeadNote(tx: Db, log: string, size: number, note: string): Promise<void> {
  await tx.query('UPDATE log_head SET note = $3 WHERE log = $1 AND size = $2', [log, size, note])
}

export async function witnessSize(db: Db, log: string, witness: string): Promise<number> {
  const [row] = await db.query<{ size: number }>('SELECT size FROM log_witness WHERE log = $1 AND witness = $2', [
    log,
    witness,
  ])
  return row?.size ?? 0
}

export async function putWitnessSize(db: Db, log: string, witness: string, size: number): Promise<void> {
  await db.query(
    `INSERT INTO log_witness (log, witness, size) VALUES ($1, $2, $3)
     ON CONFLICT (log, witness) DO UPDATE SET size = excluded.size`,
    [log, witness, size],
  )
}
