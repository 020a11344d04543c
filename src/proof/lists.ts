// Answers that hold many rows: what they share stands once, and is put back in its place before each is checked.

import { checkAnswer, PROBLEM, type Shown } from './answer.ts'
import { equalBytes, fromBase64, toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { addCitedRow } from './evidence.ts'
import { decodePath, type Facts } from './facts.ts'
import { type Failed, fail, type Verdict } from './fault.ts'
import { type BillLine, extended, summaryOf } from './price/bill.ts'
import { type Adjustment, adjust } from './price/modifiers.ts'
import {
  isLogProof,
  isPageProof,
  isPageRange,
  isSharedProof,
  isSharedRelease,
  type PageRange,
  ROW_PROOF,
  type SharedParts,
} from './price/proofs.ts'
import { capitals, codeOf, type Question } from './price/question.ts'
import { isState, type Manifest } from './price/release.ts'
import { type AnyRow, isAnyRow, MAX_LEAF_BYTES, type PricedRow, rowText } from './price/row.ts'
import { count, hash, isDay, listOf } from './shape.ts'
import { type Hash, leafHash, rootFromRange } from './tree/merkle.ts'

type Members = Record<string, unknown>
export interface Listed {
  ok: true
  shown: Shown[]
  /** Lines that refuse their question without a proof: what they say is the server's word. */
  refused: number
}

const SHARED = ['releases', 'state', 'log']
const hasOnly = (body: Members, members: readonly string[]): boolean =>
  Object.keys(body).every((member) => members.includes(member))

async function addShared(facts: Facts, body: Members): Promise<{ ok: true; parts: SharedParts } | Failed> {
  const { releases, state, log } = body
  if (!listOf(isSharedRelease)(releases) || !isState(state) || !isLogProof(log)) return fail('proof_malformed')
  const under = await facts.addState(state, log)
  if (!under.ok) return under
  for (const release of releases as SharedParts['releases']) {
    const added = facts.addRelease(release)
    if (!added.ok) return added
  }
  return { ok: true, parts: { releases: releases as SharedParts['releases'], state, log } }
}

/** What a page of rows was asked for. */
export interface PageQuestion {
  as_of: string
  cpt?: string | undefined
  region?: string | undefined
  npi?: string | undefined
  chart?: string | undefined
  /** A sheet: the rows of a place, and beside them those that hold for the whole country. */
  beside?: 'national' | undefined
}

/**
 * A page of the registry. Rows stand in runs of neighbours, each run with one proof; a row left out of a run breaks it.
 * Without a filter by region or provider alone, all rows of a release on a page are one run.
 */
export async function checkPage(
  facts: Facts,
  body: Members,
  asked: PageQuestion | undefined,
): Promise<Listed | Failed> {
  const { data, proofs, as_of } = body
  if (
    !hasOnly(body, ['data', 'proofs', 'page', 'links', 'place', 'as_of', ...SHARED]) ||
    !Array.isArray(data) ||
    !isDay(as_of)
  )
    return fail('not_recognised')
  if (!listOf(isPageRange, 200)(proofs)) return fail('proof_malformed')
  const shared = await addShared(facts, body)
  if (!shared.ok) return shared
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
  const { place } = body
  if (place !== undefined) {
    const added = await addCitedRow(facts, place)
    if (!added.ok) return added
    if (added.row.kind !== 'place') return fail('row_malformed')
  }
  const shown: Shown[] = []
  for (const { range, rows, leaves, longest } of runs) {
    const release = shared.parts.releases[range.release]?.release
    if (!release) return fail('proof_malformed')
    if (longest > MAX_LEAF_BYTES) return fail('row_too_large')
    const added = addRun(facts, release, range, rows, leaves)
    if (!added.ok) return added
    for (const row of rows) shown.push({ ok: true, row, release, lapsed: false, decision: undefined, lacking: [] })
  }
  if (shown.length === 0) return fail('nothing_proved')
  if (asked === undefined) return { ok: true, shown, refused: 0 }
  if (as_of !== asked.as_of) return fail('answers_another_question')
  if (!shown.every(({ row, release }) => fitsPage(asked, row as AnyRow, release as Manifest, facts)))
    return fail('answers_another_question')
  const scattered =
    asked.beside !== undefined || (asked.cpt === undefined && (asked.region !== undefined || asked.npi !== undefined))
  // By what they are, not by their place: a release may be listed twice.
  const releases = runs.map(({ range }) => canonical(shared.parts.releases[range.release]?.release))
  if (!scattered && new Set(releases).size < releases.length) return fail('rows_left_out')
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
    (region === undefined ||
      isRegion(row.region, region) ||
      (asked.beside === 'national' && row.region === 'national')) &&
    (npi === undefined || row.npi === npi)
  )
}

const isRegion = (region: string, asked: string): boolean => capitals(region) === capitals(asked)

/** What a line of a batch, or a row of a sheet, has in common with an answer of its own, put back in its place. */
function expander(parts: SharedParts, hashes: readonly string[]): (value: unknown) => unknown {
  const pathOf = (places: readonly number[]): string[] => places.map((place) => hashes[place] ?? '')
  const citedOf = ({ proof, ...row }: Members): unknown => {
    if (!isSharedProof(proof)) return { ...row, proof }
    const { index, leaf_hash, path } = proof
    const shared = parts.releases[proof.release]
    if (!shared) return { ...row, proof: null }
    const in_force = { ...shared.in_force, state: parts.state }
    const whole = {
      type: ROW_PROOF,
      row: { index, leaf_hash, path: pathOf(path) },
      release: shared.release,
      in_force,
      log: parts.log,
    }
    return { ...row, proof: whole }
  }
  const cited = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? citedOf(value as Members) : value
  const shownRow = (value: unknown): unknown => {
    const { path, ...row } = (value ?? {}) as Members
    return { ...row, path: listOf(count, 63)(path) ? pathOf(path as number[]) : null }
  }
  return (value) => {
    const { row, place, because, ...line } = (value ?? {}) as Members
    const { rows, ...evidence } = (because ?? {}) as Members
    const whole = {
      ...evidence,
      rows: Array.isArray(rows) ? rows.map(shownRow) : rows,
      releases: parts.releases,
      state: parts.state,
      log: parts.log,
    }
    return {
      ...line,
      ...(row === undefined ? {} : { row: cited(row) }),
      ...(place === undefined ? {} : { place: cited(place) }),
      ...(because === undefined ? {} : { because: whole }),
    }
  }
}

/** What stands beside the answer of a line: what the caller said of it, and what it comes to. */
const OF_LINE = ['units', 'billed', 'extended']
const AMOUNT = /^(0|[1-9][0-9]{0,11})\.[0-9]{2}([0-9]?[1-9])?$/

/** A bill: each line answers the question in the same place of the list, or says why not; the totals are exact. */
export async function checkBatch(
  facts: Facts,
  body: Members,
  questions: readonly Question[] | undefined,
): Promise<Listed | Failed> {
  const { results, hashes = [], summary } = body
  if (!hasOnly(body, ['results', 'as_of', 'summary', 'hashes', ...SHARED]) || !Array.isArray(results))
    return fail('not_recognised')
  if (!listOf(hash, 20_000)(hashes)) return fail('proof_malformed')
  if (questions && questions.length !== results.length) return fail('answers_another_question')
  const shared = await addShared(facts, body)
  if (!shared.ok) return shared
  const expand = expander(shared.parts, hashes as string[])
  const shown: Shown[] = []
  const bill: (BillLine | undefined)[] = []
  for (const [i, line] of results.entries()) {
    const one = await checkLine(facts, (line ?? {}) as Members, expand, questions?.[i])
    if (!one.ok) return { ...one, at: i + 1 }
    if (one.shown) shown.push(one.shown)
    bill.push(one.billed)
  }
  if (shown.length === 0) return fail('nothing_proved')
  if (canonical(summary ?? null) !== canonical(summaryOf(bill))) return fail('body_contradicts_proof')
  return { ok: true, shown, refused: results.length - shown.length }
}

type Line = { ok: true; shown?: Shown; billed?: BillLine }

async function checkLine(
  facts: Facts,
  line: Members,
  expand: (value: unknown) => unknown,
  question: Question | undefined,
): Promise<Line | Failed> {
  const { status, units = 1, billed = null, extended: stated, problem, ...answer } = line
  const isBill =
    Number.isSafeInteger(units) &&
    (units as number) > 0 &&
    (billed === null || (typeof billed === 'string' && AMOUNT.test(billed)))
  if (!isBill) return fail('not_recognised')
  if (status === 200) {
    const { row, ...beside } = expand(answer) as Members
    if (typeof row !== 'object' || row === null || problem !== undefined) return fail('not_recognised')
    if ('code' in row || 'code' in beside || Object.keys(beside).some((name) => Object.hasOwn(row, name)))
      return fail('not_recognised')
    const one = await checkAnswer(facts, { ...(row as Members), ...beside }, question)
    if (!one.ok) return one
    if (!one.row || !('price' in one.row)) return fail('body_contradicts_proof')
    const adjustment = adjustmentOf(one.row, beside['adjustment'])
    if (adjustment === null) return fail('body_contradicts_proof')
    const comesTo = extended(one.row, adjustment, units as number)
    if (canonical(stated ?? null) !== canonical(comesTo)) return fail('body_contradicts_proof')
    return {
      ok: true,
      shown: one,
      billed: { basis: one.row.basis, extended: comesTo, billed: billed as string | null },
    }
  }
  if (!hasOnly(line, ['status', 'problem', ...OF_LINE]) || stated !== undefined) return fail('not_recognised')
  // A refusal of the question itself proves nothing: what it says is the server's word.
  if (status === 400) return hasOnly((problem ?? {}) as Members, PROBLEM) ? { ok: true } : fail('not_recognised')
  const refusal = expand(problem) as Members
  // A price told as a refusal would be missing in the totals.
  if (typeof refusal['code'] !== 'string') return fail('not_recognised')
  const one = await checkAnswer(facts, refusal, question)
  return one.ok ? { ok: true, shown: one } : one
}

/** The adjustment that a line states, if it follows from the row; null if it does not. */
function adjustmentOf(row: PricedRow, stated: unknown): Adjustment | undefined | null {
  if (stated === undefined || stated === null) return undefined
  const { modifier } = (stated ?? {}) as Members
  const follows = typeof modifier === 'string' ? adjust(row, modifier) : undefined
  return follows && canonical(stated) === canonical(follows) ? follows : null
}
