import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/db.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { GrowingTree, type Hash, leafHash } from '../../proof/tree/merkle.ts'
import type { Histogram, Metric } from '../rule/tally.ts'
import * as store from './seal-store.ts'

const SALT_BYTES = 16

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')

/** The leaf of one case: its salt and its columns as one line. No column can hold a comma. */
export const caseLeaf = (row: store.SealedCase, salt: Uint8Array): Hash =>
  leafHash(
    utf8(
      `${hex(salt)},${row.case_ref},${row.outcome_year},${row.batch_id},${row.state ?? ''},${row.npi ?? ''},${row.closed},${row.settled},${row.recurring},${row.certified_mail},${row.recovered_50}`,
    ),
  )

/**
 * Seals every file of the ledger that has no seal: new files, files with corrected or deleted cases, and files from before
 * seals existed. Cases without a salt get one. Reads the ledger once for all files.
 */
export async function sealOpen(tx: Db): Promise<void> {
  const open = await store.openBatches(tx)
  if (open.length === 0) return
  const trees = new Map(open.map((batch_id) => [batch_id, new GrowingTree()]))
  for await (const rows of store.casesOfOpenBatches(tx)) {
    const unsalted = rows.filter(({ salt }) => salt === null)
    const fresh = new Uint8Array(randomBytes(unsalted.length * SALT_BYTES))
    unsalted.forEach((row, i) => {
      row.salt = fresh.subarray(i * SALT_BYTES, (i + 1) * SALT_BYTES)
    })
    await store.insertSalts(tx, unsalted)
    for (const row of rows) trees.get(row.batch_id)?.add(caseLeaf(row, row.salt as Uint8Array))
  }
  await store.insertBatchSeals(
    tx,
    [...trees].map(([batch_id, { size, root }]) => ({ batch_id, cases: size, rows_root: root })),
  )
}

/** A leaf of the ledger that a release was made from: first the release id, its salt and the carried answers, then each file. */
type LedgerLeaf =
  | { release_id: string; salt: string; carried: Partial<Record<Metric, Histogram>> }
  | { batch_id: number; cases: number; rows_root: string }

/**
 * The leaves of the current ledger. The salt in the first leaf prevents that the root reveals the number of cases, or
 * whether anything changed since the previous release.
 */
export async function ledgerLeaves(
  db: Db,
  release_id: string,
  carried: Partial<Record<Metric, Histogram>>,
): Promise<LedgerLeaf[]> {
  const salt = hex(randomBytes(SALT_BYTES))
  return [{ release_id, salt, carried }, ...(await batchLeaves(db))]
}

export const batchLeaves = async (db: Db): Promise<Extract<LedgerLeaf, { batch_id: number }>[]> =>
  (await store.batchSeals(db)).map(({ batch_id, cases, rows_root }) => ({
    batch_id,
    cases,
    rows_root: toBase64(rows_root),
  }))

export function ledgerRoot(leaves: readonly unknown[]): Hash {
  const tree = new GrowingTree()
  for (const leaf of leaves) tree.add(leafHash(utf8(canonical(leaf))))
  return tree.root
}
