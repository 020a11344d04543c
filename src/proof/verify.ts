// The verifier: everything a stranger needs to check an answer of this service offline.
// Input is hostile. Nothing is taken from the response but what its hashes and the pinned keys support.

import { compareBytes, equalBytes, fromBase64, toBase64, utf8 } from './bytes.ts'
import { canonical, JsonError, parseJson } from './canonical-json.ts'
import { openCheckpoint } from './checkpoint.ts'
import { type Hash, includes, leafHash } from './merkle.ts'
import { parsePolicy, type TrustPolicy } from './policy.ts'
import { absenceAnswers, parseKeyPrefix, type Question, rowAnswers, rowFits } from './question.ts'
import {
  type AbsenceProof,
  type CitedRow,
  isAbsenceProof,
  isChangeEntry,
  isLogProof,
  isRow,
  isRowProof,
  type LogProof,
  MAX_LEAF_BYTES,
  type Manifest,
  type Neighbour,
  rowKey,
  rowText,
} from './row.ts'
import type { NoteFault } from './signed-note.ts'

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
  | 'answers_another_question'

export type Verdict = { ok: true } | { ok: false; reason: Fault }
/** What a whole response body turned out to hold; `proved` says it item by item, for a person to compare. */
export type BodyVerdict =
  | { ok: true; rows: number; absences: number; entries: number; proved: string[] }
  | { ok: false; reason: Fault }

const OK: Verdict = { ok: true }
const fail = (reason: Fault): { ok: false; reason: Fault } => ({ ok: false, reason })

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
  return inLog(body, log, policy, 'entry_not_in_log')
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

/** What a page or a problem may hold beside the part that is proved; anything else could pass for proved. */
const PAGE_MEMBERS = ['data', 'page', 'links', 'as_of']
const PROBLEM_MEMBERS = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'agent_hint', 'errors', 'regions']

/**
 * Checks a whole response body as it came: a row, a page of rows or of change entries, or a
 * "no price" problem with its stated absence or its absence proofs. With `asked`, the answer must also be
 * one to that question.
 */
export async function verifyBody(text: string, policy: TrustPolicy, asked?: Question): Promise<BodyVerdict> {
  let body: unknown
  try {
    body = parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return fail('json_malformed')
    throw error
  }
  if (isAbsenceProof(body)) return verifyAbsences([body], policy, asked)
  const { data, kind, row, absence, code } = (body ?? {}) as Record<string, unknown>
  if (Array.isArray(data) && hasOnly(body, PAGE_MEMBERS)) return verifyPage(data, policy, asked)
  if (kind !== undefined) return verifyAnswer(body, policy, asked)
  if (Array.isArray(absence) && hasOnly(body, [...PROBLEM_MEMBERS, 'absence']))
    return code === 'not_on_schedule' ? verifyAbsences(absence, policy, asked) : fail('body_contradicts_proof')
  if (row !== undefined && hasOnly(body, [...PROBLEM_MEMBERS, 'row'])) {
    const verdict = await verifyAnswer(row, policy, asked)
    if (!verdict.ok) return verdict
    const stated = row as CitedRow
    const agrees = stated.kind === 'absence' && code === `absent_${stated.reason}`
    return agrees ? verdict : fail('body_contradicts_proof')
  }
  return fail('not_recognised')
}

const hasOnly = (body: unknown, members: readonly string[]): boolean =>
  Object.keys(body as object).every((member) => members.includes(member))

async function verifyAnswer(row: unknown, policy: TrustPolicy, asked: Question | undefined): Promise<BodyVerdict> {
  const verdict = await verifyRow(row, policy)
  if (!verdict.ok) return verdict
  const cited = row as CitedRow
  if (asked && !rowAnswers(asked, cited, cited.proof.release)) return fail('answers_another_question')
  return found({ rows: 1, proved: [rowStatement(cited)] })
}

async function verifyPage(
  items: readonly unknown[],
  policy: TrustPolicy,
  asked: Question | undefined,
): Promise<BodyVerdict> {
  const proved: string[] = []
  const checkpoints = new Set<string>()
  let rows = 0
  for (const item of items) {
    const isPriceRow = typeof item === 'object' && item !== null && 'kind' in item
    const verdict = isPriceRow ? await verifyRow(item, policy) : await verifyEntry(item, policy)
    if (!verdict.ok) return verdict
    const { log } = (item as { proof: { log: LogProof } }).proof
    checkpoints.add(log.checkpoint)
    if (isPriceRow) rows++
    if (asked && !(isPriceRow && rowFits(asked, item as CitedRow, (item as CitedRow).proof.release)))
      return fail('answers_another_question')
    proved.push(isPriceRow ? rowStatement(item as CitedRow) : `entry ${log.index} of ${originOf(log)}`)
  }
  // Proofs of one page under two checkpoints could hide a fork between them.
  if (checkpoints.size > 1) return fail('mixed_checkpoints')
  if (items.length === 0) return fail('nothing_proved')
  if (new Set(proved).size < proved.length) return fail('repeated_item')
  return found({ rows, entries: items.length - rows, proved })
}

async function verifyAbsences(
  proofs: readonly unknown[],
  policy: TrustPolicy,
  asked: Question | undefined,
): Promise<BodyVerdict> {
  if (proofs.length === 0) return fail('proof_missing')
  const checkpoints = new Set<string>()
  const codes = new Set<string>()
  const charts = new Set<string>()
  const proved: string[] = []
  for (const proof of proofs) {
    const verdict = await verifyAbsence(proof, policy)
    if (!verdict.ok) return verdict
    const { key_prefix, release, log } = proof as AbsenceProof
    const prefix = parseKeyPrefix(key_prefix) ?? {}
    if (asked && !absenceAnswers(asked, prefix, release)) return fail('answers_another_question')
    checkpoints.add(log.checkpoint)
    codes.add(prefix.cpt ?? '')
    charts.add(release.chart)
    proved.push(`no row ${key_prefix}* in ${edition(release)}`)
  }
  if (checkpoints.size > 1) return fail('mixed_checkpoints')
  // One answer is about one code: another's absence beside it is no part of it.
  if (codes.size > 1) return fail('answers_another_question')
  // One edition of a schedule is in force: a second proof about it says nothing more.
  if (charts.size < proofs.length) return fail('repeated_item')
  return found({ absences: proofs.length, proved })
}

const rowStatement = (row: CitedRow): string =>
  `${row.kind === 'price' ? 'price' : `stated absence (${row.reason})`} ${rowKey(row)} in ${edition(row.proof.release)}`

const edition = ({ release_id, data_class }: Manifest): string =>
  data_class === 'sample' ? `${release_id} (sample data)` : release_id

/** Of a checkpoint that has been opened: its first line. */
const originOf = ({ checkpoint }: LogProof): string => checkpoint.slice(0, checkpoint.indexOf('\n'))

const found = (what: { rows?: number; absences?: number; entries?: number; proved: string[] }): BodyVerdict => ({
  ok: true,
  rows: 0,
  absences: 0,
  entries: 0,
  ...what,
})

export { openCheckpoint, parsePolicy, type Question, type TrustPolicy }
