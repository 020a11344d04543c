// The verifier: everything a stranger needs to check an answer of this service offline.
// Input is hostile. Nothing is taken from the response but what its hashes and the pinned keys support.

import { JsonError, parseJson } from './canonical-json.ts'
import { type Expected, type Fault, fail, type Verdict, verifyAbsence, verifyEntry, verifyRow } from './evidence.ts'
import { openCheckpoint } from './note/checkpoint.ts'
import { parsePolicy, type TrustPolicy } from './note/policy.ts'
import { type AbsenceProof, type CitedRow, isAbsenceProof, type LogProof, type Manifest, rowKey } from './price/row.ts'
import { isDay } from './price/shape.ts'

interface Counts {
  rows: number
  absences: number
  entries: number
  /** Lines of a batch that refuse their question, which proves nothing: what they say is the server's word. */
  refused: number
  /** What was proved, item by item, for a person to compare. */
  proved: string[]
}
type Failed = {
  ok: false
  reason: Fault
  /** Of a list, which item it was, counted from 1. */
  at?: number
}
/** What a whole response body turned out to hold. */
export type BodyVerdict = ({ ok: true } & Counts) | Failed
type Result = ({ ok: true; checkpoints: Set<string> } & Counts) | Failed

/** What is expected of a body, and of whom its proofs must come. */
interface Terms {
  policy: TrustPolicy
  expected: Expected | undefined
}
type Members = Record<string, unknown>

/** What may stand beside the part that is proved; anything else could pass for proved. */
export const PAGE_MEMBERS = ['data', 'page', 'links', 'as_of']
const BATCH_MEMBERS = ['results', 'as_of']
const PROBLEM_MEMBERS = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'agent_hint', 'errors', 'regions']
/** What an entry of a history says of its edition, as the manifest does. */
const EDITION_MEMBERS = ['release_id', 'chart', 'edition', 'data_class', 'effective_from'] as const
/** Refusals that say that there is no row, and must prove it. */
const NO_ROW: readonly unknown[] = ['not_on_schedule', 'region_not_covered']

const ANOTHER_QUESTION = fail('answers_another_question')
const CONTRADICTION = fail('body_contradicts_proof')
const NOT_RECOGNISED = fail('not_recognised')

/**
 * Checks a whole response body as it came: a row; a page of rows, of editions or of change entries; a batch; or a
 * "no price" problem with its stated absence or its absence proofs. With `expected`, the answer must also be one to the
 * question that was asked.
 */
export async function verifyBody(text: string, policy: TrustPolicy, expected?: Expected): Promise<BodyVerdict> {
  let body: unknown
  try {
    body = parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return fail('json_malformed')
    throw error
  }
  const result = await checkBody(body, { policy, expected })
  if (!result.ok) return result
  const { checkpoints: _, ...verdict } = result
  return verdict
}

async function checkBody(body: unknown, terms: Terms): Promise<Result> {
  if (isAbsenceProof(body)) return checkAbsences([body], terms)
  const { data, results, kind } = membersOf(body)
  if (Array.isArray(data) && hasOnly(body, PAGE_MEMBERS)) {
    const page = await checkList(data, (item) => checkItem(item, terms))
    if (!page.ok) return page
    if (new Set(page.proved).size < page.proved.length) return fail('repeated_item')
    return oneWay(data.flatMap((item) => item.seq ?? [])) ? page : fail('entries_out_of_order')
  }
  if (Array.isArray(results) && hasOnly(body, BATCH_MEMBERS))
    return checkList(results, (line) => checkLine(line, terms))
  return kind === undefined ? checkProblem(body, terms) : checkAnswer(body, terms)
}

/** Whether places rise all the way or fall all the way: a list of changes is oldest first or newest first. */
export const oneWay = (places: readonly number[]): boolean =>
  [1, -1].some((way) => places.every((place, i) => i === 0 || (place - (places[i - 1] as number)) * way > 0))

const membersOf = (value: unknown): Members => (value ?? {}) as Members
export const hasOnly = (body: unknown, members: readonly string[]): boolean =>
  Object.keys(membersOf(body)).every((member) => members.includes(member))

/** Every item in turn. Proofs of one answer under two checkpoints could hide a fork between them. */
async function checkList(items: readonly unknown[], check: (item: unknown) => Promise<Result>): Promise<Result> {
  const all = found()
  for (const [i, item] of items.entries()) {
    const one = await check(item)
    if (!one.ok) return { at: i + 1, ...one }
    for (const what of ['rows', 'absences', 'entries', 'refused'] as const) all[what] += one[what]
    all.proved.push(...one.proved)
    for (const checkpoint of one.checkpoints) all.checkpoints.add(checkpoint)
  }
  if (all.checkpoints.size > 1) return fail('mixed_checkpoints')
  return all.proved.length === 0 ? fail('nothing_proved') : all
}

/** On a page: a row, an edition of a history, or a change of a figure. */
async function checkItem(item: unknown, terms: Terms): Promise<Result> {
  const { kind, absence } = membersOf(item)
  if (absence !== undefined) return checkEdition(item as Members, terms)
  if (kind !== undefined) return checkRow(item, terms, 'listed')
  const verdict = await verifyEntry(item, terms.policy)
  if (!verdict.ok) return verdict
  if (terms.expected) return ANOTHER_QUESTION
  const { log } = (item as { proof: { log: LogProof } }).proof
  // The first line of a checkpoint that has been opened is its origin.
  return found({ entries: 1, proved: [`entry ${log.index} of ${log.checkpoint.split('\n', 1)[0]}`] }, log)
}

const checkAnswer = (row: unknown, terms: Terms): Promise<Result> => checkRow(row, terms, 'row')

async function checkRow(row: unknown, { policy, expected }: Terms, as: 'row' | 'listed'): Promise<Result> {
  const verdict: Verdict = await verifyRow(row, policy)
  if (!verdict.ok) return verdict
  const cited = row as CitedRow
  const { release, log } = cited.proof
  if (expected?.[as](cited, release) === false) return ANOTHER_QUESTION
  const what = cited.kind === 'price' ? 'price' : `stated absence (${cited.reason})`
  return found({ rows: 1, proved: [`${what} ${rowKey(cited)} in ${named(release)}`] }, log)
}

/** What one edition says, which must be the edition that it is said to be. Until when it held is not proved. */
async function checkEdition(item: Members, terms: Terms): Promise<Result> {
  const { row, absence, effective_to } = item
  const isEdition =
    hasOnly(item, [...EDITION_MEMBERS, 'effective_to', 'row', 'absence']) &&
    Object.keys(item).length === 8 &&
    (effective_to === null || isDay(effective_to)) &&
    (row === null ? Array.isArray(absence) : absence === null)
  if (!isEdition) return NOT_RECOGNISED
  const result = await (row === null ? checkAbsences(absence as unknown[], terms) : checkAnswer(row, terms))
  if (!result.ok) return result
  const proofs = row === null ? (absence as AbsenceProof[]) : [(row as CitedRow).proof]
  const agrees = proofs.every(({ release }) => EDITION_MEMBERS.every((member) => release[member] === item[member]))
  return agrees ? result : CONTRADICTION
}

/** A line of a batch: a price, or what the lookup was refused with. A refusal of the question itself proves nothing. */
async function checkLine(line: unknown, terms: Terms): Promise<Result> {
  const { status, row, problem } = membersOf(line)
  if (status === 200 && hasOnly(line, ['status', 'row'])) {
    const result = await checkAnswer(row, terms)
    return !result.ok || (row as CitedRow).kind === 'price' ? result : CONTRADICTION
  }
  if ((status !== 400 && status !== 404) || !hasOnly(line, ['status', 'problem'])) return NOT_RECOGNISED
  const { code } = membersOf(problem)
  const isBare = typeof code === 'string' && !NO_ROW.includes(code) && !code.startsWith('absent_')
  return isBare && hasOnly(problem, PROBLEM_MEMBERS) ? found({ refused: 1 }) : checkProblem(problem, terms)
}

async function checkProblem(problem: unknown, terms: Terms): Promise<Result> {
  const { row, absence, code } = membersOf(problem)
  if (Array.isArray(absence) && hasOnly(problem, [...PROBLEM_MEMBERS, 'absence']))
    return NO_ROW.includes(code) ? checkAbsences(absence, terms) : CONTRADICTION
  if (row === undefined || !hasOnly(problem, [...PROBLEM_MEMBERS, 'row'])) return NOT_RECOGNISED
  const result = await checkAnswer(row, terms)
  const stated = row as CitedRow
  const agrees = !result.ok || (stated.kind === 'absence' && code === `absent_${stated.reason}`)
  return agrees ? result : CONTRADICTION
}

async function checkAbsences(given: readonly unknown[], { policy, expected }: Terms): Promise<Result> {
  if (given.length === 0) return fail('proof_missing')
  for (const proof of given) {
    const verdict = await verifyAbsence(proof, policy)
    if (!verdict.ok) return verdict
  }
  const proofs = given as readonly AbsenceProof[]
  const distinct = (of: (proof: AbsenceProof) => string): number => new Set(proofs.map(of)).size
  if (distinct(({ log }) => log.checkpoint) > 1) return fail('mixed_checkpoints')
  // One answer is about one code: another's absence beside it is no part of it.
  if (distinct(({ key_prefix }) => key_prefix.slice(0, 5)) > 1) return ANOTHER_QUESTION
  const proved = proofs.map(({ key_prefix, release }) => `no row ${key_prefix}* in ${named(release)}`)
  // One edition of a schedule is in force: a second one, or the same absence again, says nothing more.
  const editions = distinct(({ release }) => `${release.chart} ${release.release_id}`)
  if (new Set(proved).size < proved.length || distinct(({ release }) => release.chart) < editions)
    return fail('repeated_item')
  if (expected?.absences(proofs) === false) return ANOTHER_QUESTION
  return found({ absences: proofs.length, proved }, (proofs[0] as AbsenceProof).log)
}

const named = ({ release_id, data_class }: Manifest): string =>
  data_class === 'sample' ? `${release_id} (sample data)` : release_id

const found = (what: Partial<Counts> = {}, log?: LogProof): Extract<Result, { ok: true }> => ({
  ok: true,
  rows: 0,
  absences: 0,
  entries: 0,
  refused: 0,
  proved: [],
  checkpoints: new Set(log && [log.checkpoint]),
  ...what,
})

export {
  type Expected,
  type Fault,
  openCheckpoint,
  parsePolicy,
  type TrustPolicy,
  type Verdict,
  verifyAbsence,
  verifyEntry,
  verifyRow,
}
