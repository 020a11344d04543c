// The check of a page of the registry: rows in runs of neighbours, each run with one proof.

import { equalBytes, fromBase64, toBase64, utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import type { Facts } from '../facts.ts'
import { eachOf, ensure } from '../fault.ts'
import { capitals, codeOf, hasOnlyTexts } from '../lookup/question.ts'
import { hasLostSources } from '../price/lost-source.ts'
import { isPageProof, isPageRange, isSharedRelease, type PageRange } from '../price/proofs.ts'
import type { Manifest } from '../price/release.ts'
import { type AnyRow, isAnyRow, MAX_LEAF_BYTES, rowText } from '../price/row.ts'
import { hasOnly, isDay, listOf, type Members } from '../shape.ts'
import { decodePath } from '../tree/leaf-set.ts'
import { rootFromRange } from '../tree/leaves.ts'
import { type Hash, leafHash } from '../tree/merkle.ts'
import { addShared, type CheckedList, SHARED, shownRow } from './parts.ts'

/** The question to a page of rows. */
export interface PageQuestion {
  as_of: string
  cpt?: string | undefined
  region?: string | undefined
  npi?: string | undefined
  chart?: string | undefined
}

/** A page may have one run for each row: each may be of another hospital's file. */
const MOST_RUNS = 200
const PARTS = ['as_of', 'cpt', 'region', 'npi', 'chart']

/**
 * Checks a page of the registry. A row that is left out of a run breaks its proof. Unless the filter is by region or
 * provider alone, all rows of a release on a page are one run.
 */
export async function checkPage(facts: Facts, body: Members, asked: PageQuestion | undefined): Promise<CheckedList> {
  const { data, proofs, as_of } = body
  const isPage =
    hasOnly(body, ['data', 'proofs', 'page', 'links', 'as_of', 'sources_lost', ...SHARED]) &&
    hasLostSources(body) &&
    Array.isArray(data) &&
    isDay(as_of)
  ensure(isPage, 'not_recognised')
  ensure(listOf(isPageRange, MOST_RUNS)(proofs), 'proof_malformed')
  const releases = await addShared(facts, body, isSharedRelease, MOST_RUNS)
  const runs = (proofs as PageRange[]).map((range): Run => ({ range, rows: [], leaves: [], longest: 0 }))
  let last = 0
  eachOf(data, (item) => {
    const { proof, ...row } = (item ?? {}) as Members
    ensure(isAnyRow(row), 'row_malformed')
    ensure(isPageProof(proof), 'proof_malformed')
    const run = runs[proof.proof]
    // Runs are in the order of the page, and without a gap.
    ensure(run && proof.proof >= last && proof.index === run.range.from + run.rows.length, 'rows_left_out')
    last = proof.proof
    const bytes = utf8(rowText(row))
    const leaf = leafHash(bytes)
    ensure(toBase64(leaf) === proof.leaf_hash, 'leaf_hash_mismatch')
    run.rows.push(row)
    run.leaves.push(leaf)
    run.longest = Math.max(run.longest, bytes.length)
  })
  const shown = runs.flatMap((run) => {
    const release = releases[run.range.release]?.release
    ensure(release, 'proof_malformed')
    addRun(facts, release, run)
    return run.rows.map((row) => shownRow({ row, release }))
  })
  ensure(shown.length > 0, 'nothing_proved')
  if (asked === undefined) return { shown, refused: 0 }
  ensure(hasOnlyTexts(asked, PARTS) && asked.as_of !== undefined, 'question_malformed')
  const isAnswer =
    as_of === asked.as_of &&
    shown.every(({ row, release }) => fitsPage(asked, row as AnyRow, release as Manifest, facts))
  ensure(isAnswer, 'answers_another_question')
  const isScattered = asked.cpt === undefined && (asked.region !== undefined || asked.npi !== undefined)
  // By content, not by index: a release may be listed twice.
  const named = runs.map(({ range }) => canonical(releases[range.release]?.release))
  ensure(isScattered || new Set(named).size === named.length, 'rows_left_out')
  return { shown, refused: 0 }
}

/** Neighbouring rows of a page, with one proof. */
interface Run {
  range: PageRange
  rows: AnyRow[]
  leaves: Hash[]
  /** Bytes of the longest row. */
  longest: number
}

function addRun(facts: Facts, release: Manifest, { range, rows, leaves, longest }: Run): void {
  ensure(longest <= MAX_LEAF_BYTES, 'row_too_large')
  const [left, right] = [decodePath(range.left_path), decodePath(range.right_path)]
  const root = left && right && rootFromRange(range.from, leaves, release.row_count, left, right)
  const expected = fromBase64(release.rows_root)
  ensure(root && expected && equalBytes(root, expected), 'row_not_in_release')
  for (const [i, row] of rows.entries()) facts.addProvedRow(release, row, range.from + i)
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
