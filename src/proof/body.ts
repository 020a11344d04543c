// The steps of every verifier of a body: read it, and give a verdict on one view of the registry.

import type { ShownAnswer } from './answer.ts'
import { isCompound, parseJson } from './canonical-json.ts'
import type { CodeAbsence, Facts } from './facts.ts'
import { ensure } from './fault.ts'
import type { Decision } from './lookup/lookup.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import { medianSeconds } from './note/cosignature.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { ChartTable } from './price/charts.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow } from './price/row.ts'
import { instant, isObject, type Members } from './shape.ts'

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

export function readBody(text: string): Members {
  const body: unknown = parseJson(text)
  ensure(isObject(body), 'not_recognised')
  return body
}

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

/** No other checkpoint may be anywhere in a body: someone may take it for the one that was opened. */
export function hasOneCheckpoint(value: unknown, checkpoint: string): boolean {
  if (!isCompound(value)) return true
  return Object.keys(value).every((name) => {
    const member = (value as Members)[name]
    return name === 'checkpoint' ? member === checkpoint : hasOneCheckpoint(member, checkpoint)
  })
}

export const isLookup = (body: Members): boolean =>
  !Array.isArray(body['data']) && !Array.isArray(body['results']) && !isFiguresBody(body)

type ProvedContent = Pick<VerifiedAnswer, 'rows' | 'decisions' | 'lacking'>

export const provedBy = ({ row, release, decision, lacking }: ShownAnswer): ProvedContent => ({
  rows: row && release ? [{ row, release }] : [],
  decisions: decision ? [decision] : [],
  lacking,
})

/** The proved content of the answers of a list. */
export const provedByAll = (shown: readonly ShownAnswer[]): ProvedContent => {
  const each = shown.map(provedBy)
  return {
    rows: each.flatMap(({ rows }) => rows),
    decisions: each.flatMap(({ decisions }) => decisions),
    lacking: each.flatMap(({ lacking }) => lacking),
  }
}

export async function answerOf(
  facts: Facts,
  body: Members,
  proved: ProvedContent,
  options: VerifyOptions,
): Promise<VerifiedAnswer> {
  const view = { checkpoint: facts.checkpoint as string, recorded_at: facts.state?.recorded_at ?? null }
  ensure(hasOneCheckpoint(body, view.checkpoint), 'mixed_checkpoints')
  await checkAge(view, facts.policy, options)
  return { ok: true, ...proved, ...view }
}
