// The proofs in an answer, checked one by one and collected as facts.

import { equalBytes, utf8 } from './bytes.ts'
import type { Facts } from './facts.ts'
import { type FailedCheck, fail, type Verdict } from './fault.ts'
import { PLACE_CHART } from './price/charts.ts'
import {
  type AbsenceProof,
  type Because,
  isAbsenceProof,
  isBecause,
  isRowProof,
  type Neighbour,
  type RowProof,
} from './price/proofs.ts'
import type { Manifest } from './price/release.ts'
import { type AnyRow, isAnyRow, isKeyPrefix, rowKey } from './price/row.ts'

export const OK: { ok: true } = { ok: true }

/** A row with its whole proof. Whether its release is in force is another matter: `in_force` may be null. */
export async function addCitedRow(
  facts: Facts,
  cited: unknown,
): Promise<{ ok: true; row: AnyRow; proof: RowProof } | FailedCheck> {
  if (typeof cited !== 'object' || cited === null) return fail('row_malformed')
  const { proof, ...row } = cited as Record<string, unknown>
  if (!isAnyRow(row)) return fail('row_malformed')
  if (proof === undefined || proof === null) return fail('proof_missing')
  if (!isRowProof(proof)) return fail('proof_malformed')
  const { release, in_force, log } = proof
  const known = in_force
    ? await addRelease(facts, release, in_force, log)
    : ((await facts.addPublished(release, log)) as Verdict)
  if (!known.ok) return known
  const added = facts.addRow(release, row, proof.row.index, proof.row.path, proof.row.leaf_hash)
  return added.ok ? { ok: true, row, proof } : added
}

async function addRelease(
  facts: Facts,
  release: Manifest,
  in_force: AbsenceProof['in_force'],
  log: AbsenceProof['log'],
): Promise<Verdict> {
  const { state, ...period } = in_force
  const under = await facts.addState(state, log)
  return under.ok ? facts.addRelease({ release, in_force: period }) : under
}

/**
 * That no row of a release has a key with this prefix: rows are sorted by key, so two adjacent rows on either side of
 * the prefix, or one at an end of the tree, leave no room for it.
 */
export async function addAbsence(facts: Facts, proof: unknown): Promise<Verdict> {
  if (!isAbsenceProof(proof)) return fail('proof_malformed')
  const { key_prefix, left, right, release, in_force, log } = proof
  if (!isKeyPrefix(key_prefix, release.chart === PLACE_CHART)) return fail('key_prefix_malformed')
  const known = await addRelease(facts, release, in_force, log)
  if (!known.ok) return known
  for (const side of [left, right]) {
    const added = side ? facts.addRow(release, side.row, side.index, side.path) : OK
    if (!added.ok) return added
  }
  return leavesNoRoom(proof) ? OK : fail('key_not_enclosed')
}

function leavesNoRoom({ key_prefix, left, right, release: { row_count } }: AbsenceProof): boolean {
  const adjacent =
    left && right
      ? left.index + 1 === right.index
      : left
        ? left.index === row_count - 1
        : right
          ? right.index === 0
          : row_count === 0
  const prefix = utf8(key_prefix)
  const outside = ({ row }: Neighbour): boolean => !equalBytes(utf8(rowKey(row)).slice(0, prefix.length), prefix)
  const keys = [left && rowKey(left.row), right && rowKey(right.row)]
  return (
    adjacent &&
    (!left || (outside(left) && (keys[0] as string) < key_prefix)) &&
    (!right || (outside(right) && (keys[1] as string) > key_prefix))
  )
}

/** What shows that an answer is the first choice. Rows without a release of their own are of the answer's. */
export async function addBecause(facts: Facts, because: unknown, own: Manifest | undefined): Promise<Verdict> {
  if (!isBecause(because)) return fail('proof_malformed')
  const { releases, rows, periods, providers, state, log } = because as Because
  if ((state === undefined) !== (log === undefined)) return fail('proof_malformed')
  if (state && log) {
    const under = await facts.addState(state, log)
    if (!under.ok) return under
  }
  if (!facts.state) return fail('proof_missing')
  for (const release of releases) {
    const added = facts.addRelease(release)
    if (!added.ok) return added
  }
  for (const { release, row, index, path } of rows) {
    const manifest = release === null ? own : releases[release]?.release
    const added = manifest ? facts.addRow(manifest, row, index, path) : fail('proof_malformed')
    if (!added.ok) return added
  }
  for (const period of periods) {
    const added = facts.addPeriod(period)
    if (!added.ok) return added
  }
  for (const provider of providers) {
    const added = facts.addProvider(provider)
    if (!added.ok) return added
  }
  return OK
}
