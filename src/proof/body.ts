// What every verifier of a body does: read it, and give a verdict on one view of the registry.

import type { ShownAnswer } from './answer.ts'
import { isCompound, parseJson } from './canonical-json.ts'
import type { CodeAbsence, Facts } from './facts.ts'
import { ensure } from './fault.ts'
import type { Decision } from './lookup/lookup.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import { medianSeconds } from './note/cosignature.ts'
import type { TrustPolicy } from './note/policy.ts'
import type { ChartTable } from './price/charts.ts'
import { OURS } from './price/proofs.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow } from './price/row.ts'
import { instant, isObject, type Members } from './shape.ts'

export interface VerifyOptions {
  /** The oldest view that will do, as an instant; none if left out. See `viewedAt`. */
  notBefore?: string
  /** The caller's own time, with room for clocks that differ: a view that is dated later tells nothing about its age. */
  notAfter?: string
  /** The schedules of a registry that has others than the usual ones. */
  charts?: ChartTable
}

/** What every body is proved under. */
export interface View {
  /** The only checkpoint of the body, opened and checked. */
  checkpoint: string
  /** When the state was recorded that all of it stands under; null for entries of the figures log. */
  recorded_at: string | null
}

export interface ProvedRow {
  row: AnyRow
  release: Manifest
}
/** What a body has proved, as data: nothing else of it should be used. */
export interface VerifiedAnswer extends View {
  ok: true
  rows: ProvedRow[]
  /** Of each lookup, what was decided; empty if no question was asked. */
  decisions: Decision[]
  /** Of each lookup, the editions of the day that are proved to have no row of the code; empty if none was asked. */
  lacking: CodeAbsence[]
}

export const FIGURES_PROOF = `${OURS}figures-proof@v1` as const

/** Whether a body says that it is the answer about the figures. */
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

/** Whether a view is as new as was asked for, and not dated after now. False also if that is no instant. */
export async function isFresh(
  checkpoint: string,
  policy: TrustPolicy,
  recorded_at: string | null,
  { notBefore, notAfter }: VerifyOptions,
): Promise<boolean> {
  const viewed = Date.parse((await viewedAt(checkpoint, policy, recorded_at)) ?? '')
  // No time is before or after what is no instant.
  const at = (limit: string): number => Date.parse(instant(limit) ? limit : '')
  return (notBefore === undefined || viewed >= at(notBefore)) && (notAfter === undefined || viewed <= at(notAfter))
}

/**
 * When this was the newest checkpoint of its log: by the median of the times at which pinned witnesses cosigned it, or, if
 * none did, by the log's own word. Null if nobody says so, and for what only retired keys signed.
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

/** The year 9999 stands for any later time: no clock shows either. */
const instantOf = (seconds: number): string => new Date(Math.min(seconds, 253_402_300_799) * 1000).toISOString()

/** A checkpoint that was not opened must not stand anywhere: someone may take it for the one that was. */
export function hasOneCheckpoint(value: unknown, checkpoint: string): boolean {
  if (!isCompound(value)) return true
  return Object.keys(value).every((name) => {
    const member = (value as Members)[name]
    return name === 'checkpoint' ? member === checkpoint : hasOneCheckpoint(member, checkpoint)
  })
}

/** Whether a body is the answer to a lookup, by its shape alone: no list, and not the one about the figures. */
export const isLookup = (body: Members): boolean =>
  !Array.isArray(body['data']) && !Array.isArray(body['results']) && !isFiguresBody(body)

type Proved = Pick<VerifiedAnswer, 'rows' | 'decisions' | 'lacking'>

/** What one answer has proved. */
export const provedBy = ({ row, release, decision, lacking = [] }: ShownAnswer): Proved => ({
  rows: row && release ? [{ row, release }] : [],
  decisions: decision ? [decision] : [],
  lacking,
})

/** What the answers of a list have proved. */
export const provedByAll = (shown: readonly ShownAnswer[]): Proved => {
  const each = shown.map(provedBy)
  return {
    rows: each.flatMap(({ rows }) => rows),
    decisions: each.flatMap(({ decisions }) => decisions),
    lacking: each.flatMap(({ lacking }) => lacking),
  }
}

/** What was proved, once all of the body is checked. */
export async function answerOf(
  facts: Facts,
  body: Members,
  proved: Proved,
  options: VerifyOptions,
): Promise<VerifiedAnswer> {
  const view = { checkpoint: facts.checkpoint as string, recorded_at: facts.state?.recorded_at ?? null }
  ensure(hasOneCheckpoint(body, view.checkpoint), 'mixed_checkpoints')
  ensure(await isFresh(view.checkpoint, facts.policy, view.recorded_at, options), 'state_too_old')
  return { ok: true, ...proved, ...view }
}
