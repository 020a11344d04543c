// Checks that answers are right, and under the log that everyone is shown: answers that others received, and answers to
// a few questions that the monitor asks as anyone would.

import { equalBytes } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { type ParsedQuestion, parseQuestion, type Question } from '../../src/proof/lookup/question.ts'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import {
  isManifest,
  isState,
  isWithdrawal,
  type Manifest,
  type Period,
  type RegistryEntry,
  type Withdrawal,
} from '../../src/proof/price/release.ts'
import { isOfPrices, type Row } from '../../src/proof/price/row.ts'
import { nameOf } from '../../src/proof/price/timeline.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import type { Hash } from '../../src/proof/tree/merkle.ts'
import { type Inquiry, type ProvedRow, verifyBody } from '../../src/proof/verify-lists.ts'
import { standsAt } from '../../src/proof/whole/asked.ts'
import type { AlarmCode } from './alarm.ts'
import { type Evidence, entryEvidence, prefixEvidence, treeOf } from './evidence.ts'
import { MOST } from './fetcher.ts'
import { followTree, type LogName, type Parts, textAt } from './log.ts'
import type { Memory } from './memory.ts'
import type { ReplayResult } from './registry.ts'

/** Longer than a cache may keep an answer. */
export const CACHED_MS = 15 * 60_000
/** How far the clock of the service may be ahead. */
export const AHEAD_MS = 10 * 60_000

export interface VerifiedRows {
  rows: ProvedRow[]
  /** The size of the checkpoint of the answer. */
  size: number
}

/**
 * Checks an answer, and that its checkpoint is one of the log in memory: the same root at the same size. `name` says
 * whose answer it is. Undefined where an alarm was raised.
 */
export async function checkAnswer(
  parts: Parts,
  memory: Memory,
  name: string,
  text: string,
  inquiry: Inquiry,
  unverified: 'answer_unverified' | 'page_unverified' = 'answer_unverified',
): Promise<VerifiedRows | undefined> {
  const raise = (code: AlarmCode, detail: string, evidence: Record<string, string> = {}): undefined => {
    parts.alarms.raise(code, `${name}, ${detail}`, { answer: text, ...evidence })
    return undefined
  }
  const verdict = await verifyBody(text, parts.policy, inquiry, parts.charts ? { charts: parts.charts } : {})
  if (!verdict.ok) return raise(unverified, verdict.reason)
  const opened = await openCheckpoint(verdict.checkpoint, parts.policy)
  if (!opened.ok) return raise(unverified, opened.reason)
  const { size, root, origin } = opened.head
  const log: LogName = origin.endsWith('/log/figures') ? 'figures' : 'registry'
  if (size > (memory[log]?.leaves.length ?? 0)) await catchUp(log, parts, memory)
  const known = memory[log]
  if (!known) return raise('answer_ahead', `this monitor has not read the ${log} log yet`)
  const answer_checkpoint = verdict.checkpoint
  if (size > known.leaves.length)
    return raise('answer_ahead', `of size ${size}, and the ${log} log shows ${known.leaves.length} entries`, {
      log_checkpoint: known.note,
      answer_checkpoint,
    })
  if (!equalBytes(rootAt(known.leaves, size), root))
    return raise('answer_forked', `of size ${size}`, { answer_checkpoint, ...(await prefixEvidence(known, size)) })
  return { rows: verdict.rows, size }
}

/** The log may have grown since this round began. */
async function catchUp(log: LogName, parts: Parts, memory: Memory): Promise<void> {
  const followed = await followTree(log, parts, memory[log])
  if (followed) memory[log] = followed
}

/** The root of the log at a size. Most answers are under the newest checkpoint, whose tree is known. */
const rootAt = (leaves: readonly Hash[], size: number): Hash =>
  size === leaves.length ? treeOf(leaves).root : new HashTree(leaves.slice(0, size)).root

/** Raises an alarm if a new answer is from a withdrawn release, or under a checkpoint of long ago. */
export function checkAge(
  { alarms, now }: Parts,
  { registry }: Memory,
  { rows, size }: VerifiedRows,
  entries: ReplayResult['entries'],
  name: string,
  text: string,
): void {
  // By now every cache has dropped what was before these entries.
  const isOld = (entry: RegistryEntry): boolean => Date.parse(entry.recorded_at) < now - CACHED_MS
  const evidenceOf = (place: number): Evidence =>
    registry ? { answer: text, ...entryEvidence(registry, place, canonical(entries[place])) } : { answer: text }
  const withdrawal = entries.findIndex(
    (entry, place) =>
      isWithdrawal(entry) &&
      rows.some(({ release }) => release.release_id === entry.release_id) &&
      (place < size || isOld(entry)),
  )
  const withdrawn = entries[withdrawal] as Withdrawal | undefined
  if (withdrawn) {
    const what = `${name}, ${withdrawn.release_id} was withdrawn at ${withdrawn.recorded_at}`
    alarms.raise('withdrawn_served', what, evidenceOf(withdrawal))
    return
  }
  const newer = entries.findIndex((entry, place) => place >= size && isState(entry) && isOld(entry))
  const state = entries[newer]
  if (state)
    alarms.raise(
      'answer_stale',
      `${name}, of size ${size}, a state was added at ${state.recorded_at}`,
      evidenceOf(newer),
    )
}

export interface QuestionParts extends Pick<ReplayResult, 'entries' | 'standing'> {
  now: number
  /** From 0, below 1. */
  random: () => number
  /** Whether there is a token that opens pages. */
  readsRows: boolean
  /** How many releases in force, and how many withdrawn ones, are asked about. */
  most?: number
}

/** Asks for a row of some releases, and the question that the row answers. Returns how many questions were asked. */
export async function askQuestions(parts: Parts, memory: Memory, asking: QuestionParts): Promise<number> {
  const { entries, standing, random, most = 4 } = asking
  const withdrawn = new Set(entries.filter(isWithdrawal).map(({ release_id }) => release_id))
  const holding = new Set(standing.periods.map(({ release }) => release))
  const releases = entries.filter(isManifest).filter(({ row_count }) => row_count > 0)
  const inForce = releases.filter((release) => holding.has(nameOf(release)))
  // The releases withdrawn last: someone may still want them to be believed.
  const taken = releases.filter(({ release_id }) => withdrawn.has(release_id)).slice(-most)
  let asked = 0
  for (const release of [...someOf(inForce, most, random), ...taken]) {
    const row = await rowOf(parts, memory, release, Math.floor(random() * release.row_count))
    asked++
    if (!row || !isOfPrices(row)) continue
    const question = questionOf(row, dayIn(release, asking.now))
    if (!question) continue
    await ask(parts, memory, asking, question)
    asked++
  }
  const [period] = asking.readsRows ? someOf(standing.periods, 1, random) : []
  if (period) {
    await readPage(parts, memory, asking, period)
    asked++
  }
  return asked
}

function someOf<T>(items: readonly T[], most: number, random: () => number): T[] {
  const left = [...items]
  const some: T[] = []
  while (left.length > 0 && some.length < most) some.push(...left.splice(Math.floor(random() * left.length), 1))
  return some
}

/** Reads the first page of a chart on a day on which it is in force, and verifies it. */
async function readPage(
  parts: Parts,
  memory: Memory,
  { entries }: QuestionParts,
  { chart, from }: Period,
): Promise<void> {
  const path = `/api/registry?${new URLSearchParams({ chart, as_of: from })}`
  const text = textAt(parts, path, await parts.fetcher.bytes(path, MOST.answer, true))
  if (text === undefined) return
  const rows = await checkAnswer(parts, memory, path, text, { page: { as_of: from, chart } }, 'page_unverified')
  if (rows) checkAge(parts, memory, rows, entries, path, text)
}

/** Reads a row by its permalink, and checks that it is the row at that place of that release. */
async function rowOf(parts: Parts, memory: Memory, release: Manifest, index: number) {
  const { release_id } = release
  const path = `/rows/${encodeURIComponent(release_id)}/${index}`
  const text = textAt(parts, path, await parts.fetcher.bytes(path, MOST.answer))
  if (text === undefined) return undefined
  const verified = await checkAnswer(parts, memory, path, text, { anyQuestion: true })
  if (!verified) return undefined
  const [shown] = verified.rows
  if (shown && standsAt(JSON.parse(text), { release_id, index })) return shown.row
  parts.alarms.raise('answer_unverified', `${path}, it shows another row`, { answer: text })
  return undefined
}

const dayIn = ({ effective_from, effective_to }: Manifest, now: number): string => {
  const today = new Date(now).toISOString().slice(0, 10)
  return effective_from <= today && today <= effective_to ? today : effective_from
}

/** The question that a row answers; undefined if there is none. */
function questionOf({ code, region, npi, modifier, setting, basis }: Row, as_of: string): Question | undefined {
  const parts = { cpt: code, as_of, region: npi === null ? region : null, npi, modifier, setting, basis }
  const question = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null)) as unknown as Question
  const parsed: ParsedQuestion | string = parseQuestion(question)
  return typeof parsed === 'string' ? undefined : question
}

async function ask(parts: Parts, memory: Memory, { entries }: QuestionParts, question: Question): Promise<void> {
  const path = `/reference?${new URLSearchParams(Object.entries(question))}`
  // A refusal too may be proved: a code that is absent is one.
  const text = textAt(parts, path, (await parts.fetcher.get(path, MOST.answer))?.bytes)
  if (text === undefined) return
  const rows = await checkAnswer(parts, memory, path, text, { question })
  if (rows) checkAge(parts, memory, rows, entries, path, text)
}
