// A page of the registry: rows in runs of neighbours, each run with one proof.

import type { ShownAnswer } from '../answer.ts'
import { equalBytes, fromBase64, toBase64, utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import { decodePath, type Facts } from '../facts.ts'
import { type FailedCheck, fail, type Verdict } from '../fault.ts'
import { capitals, codeOf, hasOnlyTexts } from '../lookup/question.ts'
import { isPageProof, isPageRange, isSharedRelease, type PageRange } from '../price/proofs.ts'
import type { Manifest } from '../price/release.ts'
import { type AnyRow, isAnyRow, MAX_LEAF_BYTES, rowText } from '../price/row.ts'
import { hasOnly, isDay, listOf, type Members } from '../shape.ts'
import { rootFromRange } from '../tree/leaves.ts'
import { type Hash, leafHash } from '../tree/merkle.ts'
import { addShared, type CheckedList, SHARED } from './parts.ts'

/** What a page of rows was asked for. */
export interface PageQuestion {
  as_of: string
  cpt?: string | undefined
  region?: string | undefined
  npi?: string | undefined
  chart?: string | undefined
}

/** As many as a page has rows: each may be of another hospital's file. */
const MOST_RUNS = 200
const PARTS = ['as_of', 'cpt', 'region', 'npi', 'chart']

/**
 * A page of the registry. Rows stand in runs of neighbours, each run with one proof; a row left out of a run breaks it.
 * Without a filter by region or provider alone, all rows of a release on a page are one run.
 */
export async function checkPage(
  facts: Facts,
  body: Members,
  asked: PageQuestion | undefined,
): Promise<CheckedList | FailedCheck> {
  const { data, proofs, as_of } = body
  if (!hasOnly(body, ['data', 'proofs', 'page', 'links', 'as_of', ...SHARED]) || !Array.isArray(data) || !isDay(as_of))
    return fail('not_recognised')
  if (!listOf(isPageRange, MOST_RUNS)(proofs)) return fail('proof_malformed')
  const shared = await addShared(facts, body, isSharedRelease, MOST_RUNS)
  if (!shared.ok) return shared
  const { releases } = shared
  const runs: { range: PageRange; rows: AnyRow[]; leaves: Hash[]; longest: number }[] = (proofs as PageRange[]).map(
    (range) => ({ range, rows: [], leaves: [], longest: 0 }),
  )
  let last = 0
  for (const [i, item] of data.entries()) {
    const { proof, ...row } = (item ?? {}) as Members
    const at = i + 1
    if (!isAnyRow(row)) return { ...fail('row_malformed'), at }
    if (!isPageProof(proof)) return { ...fail('proof_malformed'), at }
    const run = runs[proof.proof]
    // In the order of the page, and without a gap.
    if (!run || proof.proof < last || proof.index !== run.range.from + run.rows.length)
      return { ...fail('rows_left_out'), at }
    last = proof.proof
    const bytes = utf8(rowText(row))
    const leaf = leafHash(bytes)
    if (toBase64(leaf) !== proof.leaf_hash) return { ...fail('leaf_hash_mismatch'), at }
    run.rows.push(row)
    run.leaves.push(leaf)
    run.longest = Math.max(run.longest, bytes.length)
  }
  const shown: ShownAnswer[] = []
  for (const { range, rows, leaves, longest } of runs) {
    const release = releases[range.release]?.release
    if (!release) return fail('proof_malformed')
    if (longest > MAX_LEAF_BYTES) return fail('row_too_large')
    const added = addRun(facts, release, range, rows, leaves)
    if (!added.ok) return added
    for (const row of rows) shown.push({ ok: true, row, release, lapsed: false, decision: undefined, lacking: [] })
  }
  if (shown.length === 0) return fail('nothing_proved')
  if (asked === undefined) return { ok: true, shown, refused: 0 }
  if (!hasOnlyTexts(asked, PARTS) || asked.as_of === undefined) return fail('question_malformed')
  if (as_of !== asked.as_of) return fail('answers_another_question')
  if (!shown.every(({ row, release }) => fitsPage(asked, row as AnyRow, release as Manifest, facts)))
    return fail('answers_another_question')
  const isScattered = asked.cpt === undefined && (asked.region !== undefined || asked.npi !== undefined)
  // By what they are, not by their place: a release may be listed twice.
  const named = runs.map(({ range }) => canonical(releases[range.release]?.release))
  if (!isScattered && new Set(named).size < named.length) return fail('rows_left_out')
  return { ok: true, shown, refused: 0 }
}

function addRun(
  facts: Facts,
  release: Manifest,
  range: PageRange,
  rows: readonly AnyRow[],
  leaves: readonly Hash[],
): Verdict {
  const [left, right] = [decodePath(range.left_path), decodePath(range.right_path)]
  const root = left && right ? rootFromRange(range.from, leaves, release.row_count, left, right) : undefined
  const expected = fromBase64(release.rows_root)
  if (!root || !expected || !equalBytes(root, expected)) return fail('row_not_in_release')
  for (const [i, row] of rows.entries()) {
    const added = facts.addProvedRow(release, row, range.from + i)
    if (!added.ok) return added
  }
  return { ok: true }
}

/** Whether a row belongs on a page that was asked for with these filters. */
function fitsPage(asked: PageQuestion, row: AnyRow, release: Manifest, facts: Facts): boolean {
  const isInForce = facts.isInForce(release, asked.as_of)
  if (!isInForce || (asked.chart !== undefined && asked.chart !== release.chart)) return false
  const { cpt, region, npi } = asked
  if (row.kind === 'place') return cpt === undefined && region === undefined && npi === undefined
  return (
    (cpt === undefined || row.cpt === codeOf(cpt)) &&
    (region === undefined || capitals(row.region) === capitals(region)) &&
    (npi === undefined || row.npi === npi)
  )
}
