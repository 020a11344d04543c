// The proofs in an answer, checked one by one and added to the facts.

import type { Facts } from './facts.ts'
import { ensure } from './fault.ts'
import { PLACE_CHART } from './price/charts.ts'
import { type AbsenceProof, isAbsenceProof, isBecause, isRowProof, type RowProof } from './price/proofs.ts'
import type { Manifest } from './price/release.ts'
import { type AnyRow, isAnyRow, isKeyPrefix, rowKey } from './price/row.ts'

export async function addCitedRow(facts: Facts, cited: unknown): Promise<{ row: AnyRow; proof: RowProof }> {
  const { proof, ...row } = (cited ?? {}) as Record<string, unknown>
  ensure(isAnyRow(row), 'row_malformed')
  ensure(proof !== undefined && proof !== null, 'proof_missing')
  ensure(isRowProof(proof), 'proof_malformed')
  const { release, in_force, log } = proof
  if (in_force) await addRelease(facts, release, in_force, log)
  else await facts.addPublished(release, log)
  facts.addRow(release, row, proof.row.index, proof.row.path, proof.row.leaf_hash)
  return { row, proof }
}

async function addRelease(
  facts: Facts,
  release: Manifest,
  in_force: AbsenceProof['in_force'],
  log: AbsenceProof['log'],
): Promise<void> {
  await facts.addState(in_force.state, log)
  facts.addRelease({ release, in_force })
}

/** Rows are sorted by key: two adjacent rows on either side of a prefix, or one at an end, leave no room for it. */
export async function addAbsence(facts: Facts, proof: unknown): Promise<void> {
  ensure(isAbsenceProof(proof), 'proof_malformed')
  const { key_prefix, left, right, release, in_force, log } = proof
  ensure(isKeyPrefix(key_prefix, release.chart === PLACE_CHART), 'key_prefix_malformed')
  await addRelease(facts, release, in_force, log)
  for (const neighbour of [left, right])
    if (neighbour) facts.addRow(release, neighbour.row, neighbour.index, neighbour.path)
  ensure(leavesNoRoom(proof), 'key_not_enclosed')
}

/** Keys are ASCII: JavaScript compares them as bytes. */
function leavesNoRoom({ key_prefix, left, right, release: { row_count } }: AbsenceProof): boolean {
  const after = right && rowKey(right.row)
  return (
    (left?.index ?? -1) + 1 === (right?.index ?? row_count) &&
    (left === null || rowKey(left.row) < key_prefix) &&
    (after === null || (after > key_prefix && !after.startsWith(key_prefix)))
  )
}

/** A row without a release of its own is of the answer's release. */
export async function addBecause(facts: Facts, because: unknown, own: Manifest | undefined): Promise<void> {
  ensure(isBecause(because), 'proof_malformed')
  const { releases, rows, periods, providers, state, log } = because
  ensure((state === undefined) === (log === undefined), 'proof_malformed')
  if (state && log) await facts.addState(state, log)
  ensure(facts.state, 'proof_missing')
  for (const release of releases) facts.addRelease(release)
  for (const { release, row, index, path } of rows) {
    const manifest = release === null ? own : releases[release]?.release
    ensure(manifest, 'proof_malformed')
    facts.addRow(manifest, row, index, path)
  }
  for (const period of periods) facts.addPeriod(period)
  for (const provider of providers) facts.addProvider(provider)
}
