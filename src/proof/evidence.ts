// One row, one absence or one log entry, and the proof that comes with it.
// Input is hostile. Nothing is taken from the response but what its hashes and the pinned keys support.

import { compareBytes, equalBytes, fromBase64, toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { NoteFault } from './note/signed-note.ts'
import {
  type AbsenceProof,
  isAbsenceProof,
  isChangeEntry,
  isLogProof,
  isRow,
  isRowProof,
  type LogProof,
  MAX_LEAF_BYTES,
  type Manifest,
  type Neighbour,
  parseKeyPrefix,
  type Row,
  rowKey,
  rowText,
} from './price/row.ts'
import { type Hash, includes, leafHash } from './tree/merkle.ts'

/** What an answer to some question may hold. `answersTo` of question.ts makes one of the question. */
export interface Expected {
  /** A row that is the answer. */
  row(row: Row, release: Manifest): boolean
  /** A row on a page. */
  listed(row: Row, release: Manifest): boolean
  /** All the absences that are the answer. */
  absences(proofs: readonly AbsenceProof[]): boolean
}

export type Fault =
  | NoteFault
  | 'json_malformed'
  | 'not_recognised'
  | 'row_malformed'
  | 'row_too_large'
  | 'proof_missing'
  | 'proof_malformed'
  | 'leaf_hash_mismatch'
  | 'row_not_in_release'
  | 'locator_not_cited'
  | 'entry_not_in_log'
  | 'release_not_in_log'
  | 'checkpoint_malformed'
  | 'origin_not_pinned'
  | 'quorum_not_met'
  | 'log_not_the_same'
  | 'log_rolled_back'
  | 'log_forked'
  | 'tile_unavailable'
  | 'tile_malformed'
  | 'tiles_not_of_checkpoint'
  | 'mixed_checkpoints'
  | 'neighbours_missing'
  | 'neighbours_not_adjacent'
  | 'key_prefix_malformed'
  | 'key_not_enclosed'
  | 'body_contradicts_proof'
  | 'nothing_proved'
  | 'repeated_item'
  | 'entry_malformed'
  | 'seq_not_its_place'
  | 'entries_out_of_order'
  | 'entries_missing'
  | 'answers_another_question'

export type Verdict = { ok: true } | { ok: false; reason: Fault }
const OK: Verdict = { ok: true }
export const fail = (reason: Fault): { ok: false; reason: Fault } => ({ ok: false, reason })

/** Checks one row: that it is in its release, and its release in a log signed by a pinned key. */
export async function verifyRow(row: unknown, policy: TrustPolicy): Promise<Verdict> {
  if (typeof row !== 'object' || row === null) return fail('row_malformed')
  const { proof, ...bare } = row as Record<string, unknown>
  if (!isRow(bare)) return fail('row_malformed')
  if (proof === undefined || proof === null) return fail('proof_missing')
  if (!isRowProof(proof)) return fail('proof_malformed')

  const body = utf8(rowText(bare))
  if (body.length > MAX_LEAF_BYTES) return fail('row_too_large')
  const leaf = leafHash(body)
  if (toBase64(leaf) !== proof.row.leaf_hash) return fail('leaf_hash_mismatch')
  if (!inRelease(proof.row.index, leaf, proof.row.path, proof.release)) return fail('row_not_in_release')
  if (!cites(bare.locator, proof.release)) return fail('locator_not_cited')
  return inLog(proof.release, proof.log, policy, 'release_not_in_log')
}

/**
 * Checks that no row of a release has a key starting with `key_prefix`: rows are sorted by key, so
 * two adjacent rows on either side of the prefix, or one at an end of the tree, leave no room for it.
 */
export async function verifyAbsence(proof: unknown, policy: TrustPolicy): Promise<Verdict> {
  if (!isAbsenceProof(proof)) return fail('proof_malformed')
  if (!parseKeyPrefix(proof.key_prefix)) return fail('key_prefix_malformed')
  const { left, right, release } = proof
  for (const side of [left, right]) if (side && !neighbourInRelease(side, release)) return fail('row_not_in_release')
  if (!left && !right && release.row_count > 0) return fail('neighbours_missing')
  if (!adjacent(proof)) return fail('neighbours_not_adjacent')
  if (!encloses(proof)) return fail('key_not_enclosed')
  return inLog(release, proof.log, policy, 'release_not_in_log')
}

function neighbourInRelease({ row, index, path }: Neighbour, release: Manifest): boolean {
  return inRelease(index, leafHash(utf8(rowText(row))), path, release)
}

function adjacent({ left, right, release }: AbsenceProof): boolean {
  if (left && right) return left.index + 1 === right.index
  if (left) return left.index === release.row_count - 1
  return right === null ? release.row_count === 0 : right.index === 0
}

function encloses({ left, right, key_prefix }: AbsenceProof): boolean {
  const prefix = utf8(key_prefix)
  const outside = (key: Uint8Array): boolean => !equalBytes(key.slice(0, prefix.length), prefix)
  const keyOf = ({ row }: Neighbour): Uint8Array => utf8(rowKey(row))
  return (
    prefix.length > 0 &&
    (!left || (compareBytes(keyOf(left), prefix) < 0 && outside(keyOf(left)))) &&
    (!right || (compareBytes(keyOf(right), prefix) > 0 && outside(keyOf(right))))
  )
}

/** Checks an entry of the figures log: the entry is everything but its `proof`. */
export async function verifyEntry(entry: unknown, policy: TrustPolicy): Promise<Verdict> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return fail('not_recognised')
  const { proof, ...body } = entry as { proof?: { log?: unknown } }
  const log = proof?.log
  if (!proof || Object.keys(proof).length !== 1 || !isLogProof(log)) return fail('proof_malformed')
  // The shape is closed, so that no entry of another log can pass for a change of a figure.
  if (!isChangeEntry(body)) return fail('entry_malformed')
  const verdict = await inLog(body, log, policy, 'entry_not_in_log')
  return verdict.ok && (body as { seq: number }).seq !== log.index ? fail('seq_not_its_place') : verdict
}

async function inLog(entry: unknown, proof: LogProof, policy: TrustPolicy, otherwise: Fault): Promise<Verdict> {
  const opened = await openCheckpoint(proof.checkpoint, policy)
  if (!opened.ok) return opened
  const leaf = leafHash(utf8(canonical(entry)))
  const path = decodePath(proof.inclusion)
  const { size, root } = opened.head
  return path && includes(proof.index, size, leaf, path, root) ? OK : fail(otherwise)
}

function inRelease(index: number, leaf: Hash, encoded: readonly string[], release: Manifest): boolean {
  const path = decodePath(encoded)
  const root = fromBase64(release.rows_root)
  return path !== undefined && root !== undefined && includes(index, release.row_count, leaf, path, root)
}

const cites = (locator: readonly { citation: number }[], { citations }: Manifest): boolean =>
  locator.length > 0 && locator.every(({ citation }) => citation < citations.length)

function decodePath(encoded: readonly string[]): Hash[] | undefined {
  const hashes = encoded.map(fromBase64)
  return hashes.every((hash): hash is Hash => hash?.length === 32) ? hashes : undefined
}
