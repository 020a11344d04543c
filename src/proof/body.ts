// The steps of every verifier of a body: read it, take the rows that it shows, check its proof and its age.

import { parseJson } from './canonical-json.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { ensure, Failure } from './fault.ts'
import type { Decision } from './lookup/decision.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import { medianSeconds } from './note/cosignature.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { ChartTable } from './price/charts.ts'
import { verifyDerivation } from './price/derivation.ts'
import type { Manifest } from './price/release.ts'
import { type AnyRow, isOfPrices } from './price/row.ts'
import type { CodeAbsence } from './proved-registry.ts'
import { instant, isObject, type Members } from './shape.ts'
import type { ShownRows } from './shown-rows.ts'

export interface VerifyOptions {
  /** The oldest view that is accepted, as an instant. See `viewedAt`. */
  notBefore?: string
  /** The caller's own time, with room for clocks that differ: the age of a view that is dated later is unknown. */
  notAfter?: string
  /** The schedules of a registry that has others than the usual ones. */
  charts?: ChartTable
}

/** The view of the registry under which a body is proved. */
export interface View {
  /** The only checkpoint of the body. */
  checkpoint: string
  /** The time at which its state was recorded; null for entries of the figures log. */
  recorded_at: string | null
}

export interface ProvedRow {
  row: AnyRow
  release: Manifest
}
/** The proved content of a body, as data. Nothing else of the body should be used. */
export interface VerifiedAnswer extends View {
  ok: true
  rows: ProvedRow[]
  /** The decision on each lookup; empty if no question was asked. */
  decisions: Decision[]
  /** The editions of the day that are proved to have no row of a code that was asked for. */
  lacking: CodeAbsence[]
}

export const FIGURES_PROOF = 'agent-trust-registry/figures-proof@v1'

export const isFiguresBody = ({ proof }: Members): boolean =>
  (proof as Members | null | undefined)?.['type'] === FIGURES_PROOF

export const isLookup = (body: Members): boolean =>
  !['data', 'results', 'findings', 'hospitals'].some((list) => Array.isArray(body[list])) && !isFiguresBody(body)

/** Reads a body. What stands in `about` is the server's word, and is not looked at. */
export function readBody(text: string): Members {
  const body: unknown = parseJson(text)
  ensure(isObject(body), 'not_recognised')
  return body
}

/** The facts of a body, of which all rows were taken. */
export async function factsOf(
  body: Members,
  shown: ShownRows,
  policy: TrustPolicy,
  options: VerifyOptions,
): Promise<Evidence> {
  const evidence = await evidenceOf(body, shown.all, policy, options.charts)
  for (const { row } of shown.all) {
    if (!isOfPrices(row)) continue
    const verdict = verifyDerivation(row)
    if (!verdict.ok) throw new Failure(verdict.reason)
  }
  await checkAge(viewOf(evidence), policy, options)
  return evidence
}

export const viewOf = ({ checkpoint, state }: Evidence): View => ({ checkpoint, recorded_at: state.recorded_at })

export async function checkAge(
  { checkpoint, recorded_at }: View,
  policy: TrustPolicy,
  options: VerifyOptions,
): Promise<void> {
  ensure(await isFresh(checkpoint, policy, recorded_at, options), 'state_too_old')
}

/** False if the view has no time, and if a limit is not an instant. */
export async function isFresh(
  checkpoint: string,
  policy: TrustPolicy,
  recorded_at: string | null,
  { notBefore, notAfter }: VerifyOptions,
): Promise<boolean> {
  // Any comparison with NaN is false.
  const viewed = Date.parse((await viewedAt(checkpoint, policy, recorded_at)) ?? '')
  const at = (limit: string): number => (instant(limit) ? Date.parse(limit) : Number.NaN)
  return (notBefore === undefined || viewed >= at(notBefore)) && (notAfter === undefined || viewed <= at(notAfter))
}

/**
 * The time at which a checkpoint was the newest of its log: the median of the times at which pinned witnesses cosigned it,
 * or, if none did, the log's own word. Null if there is neither, and if only retired keys signed it.
 */
export async function viewedAt(
  checkpoint: string,
  policy: TrustPolicy,
  recorded_at: string | null,
): Promise<string | null> {
  const opened = await openCheckpoint(checkpoint, policy)
  if (!opened.ok || opened.retired) return null
  const seconds = medianSeconds(opened.cosigners)
  return seconds === undefined ? recorded_at : instantOf(seconds)
}

/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799
const instantOf = (seconds: number): string => new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString()
