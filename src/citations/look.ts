// Looks at a cited source: first at its headers and at samples of its bytes, and reads all bytes only if that is not enough.

import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Conditions, conditionHeaders, conditionsOf } from '../outgoing/conditions.ts'
import { ask, type OutgoingAnswer, OutgoingFault, type OutgoingRequest } from '../outgoing/outgoing.ts'
import type { Look, Observation } from './judgement.ts'
import { MOST_MEMBER_BYTES, membersOf } from './members.ts'

export interface CitedSource {
  url: string
  sha256: string
  bytes: number
  media_type: string
}

/**
 * The facts that are stored when all bytes were read. Texts of a server are hostile, so they are stored as digests, except
 * those that are sent back to the server, which have a fixed form.
 */
export interface Fingerprint extends Conditions {
  validators: string | null
  samples: string | null
}
export const NO_FINGERPRINT: Fingerprint = { validators: null, samples: null, entity_tag: null, modified: null }

interface LookResult {
  look: Look
  fingerprint: Fingerprint
  /** The cited bytes, if all were read. `done` removes the file. */
  file?: { path: string; done: () => void }
}

export interface LookOptions {
  now: () => number
  /** Reads all bytes even if the fingerprint is the same. */
  whole: boolean
  outgoing?: Pick<OutgoingRequest, 'loopback' | 'hosts' | 'resolve'>
  patience?: typeof PATIENCE
}

/** How long to wait for headers or a sample, and for a whole file. */
const PATIENCE = { headMs: 30_000, wholeMs: 30 * 60_000 }
const REDIRECTS = 3
const SAMPLES = 5
const SAMPLE_BYTES = 1024 * 1024
/** Larger than any published file. */
const MOST_BYTES = 16 * 1024 ** 3
/** The most bytes of a file: an archive has more than the cited member, and a new edition may be longer. */
const mostBytes = ({ bytes }: CitedSource): number => Math.min(MOST_BYTES, Math.max(64 * 1024 ** 2, 100 * bytes))

export async function lookAt(
  source: CitedSource,
  { validators: lastValidators, samples, entity_tag, modified }: Fingerprint,
  options: LookOptions,
): Promise<LookResult> {
  const at = options.now()
  // The argument may have other members, which must not be returned.
  const before = { validators: lastValidators, samples, entity_tag, modified }
  const kept = (observation: Observation, answer?: OutgoingAnswer): LookResult => ({
    look: { at, observation, http_status: answer?.status ?? null, moved: answer ? hasMoved(answer) : false },
    fingerprint: before,
  })
  try {
    const isKnown = before.samples !== null && !options.whole
    const head = await go(source.url, { method: 'HEAD', headers: isKnown ? conditionHeaders(before) : {} }, options)
    if (isKnown && head.status === 304) return kept({ kind: 'same_fingerprint' }, head)
    const validators = validatorsOf(head)
    if (![405, 501].includes(head.status)) {
      const refused = refusalIn(head, source)
      if (refused) return kept(refused, head)
      const isSame = validators !== null && validators === before.validators
      if (isSame && !options.whole) return kept({ kind: 'same_fingerprint' }, head)
      const sampled = options.whole ? undefined : await compareSamples(source, head, before, options)
      if (sampled) return kept(sampled, head)
    }
    return await readWhole(source, head, at, options)
  } catch (error) {
    if (error instanceof OutgoingFault) return kept({ kind: 'no_answer' })
    throw error
  }
}

const go = (url: string, request: Partial<OutgoingRequest>, { outgoing, patience = PATIENCE }: LookOptions) =>
  ask(url, { timeoutMs: patience.headMs, mostBytes: 2 * SAMPLE_BYTES, redirects: REDIRECTS, ...outgoing, ...request })

const hasMoved = ({ path }: OutgoingAnswer): boolean => path.some(({ status }) => status === 301 || status === 308)

function refusalIn({ status, headers }: OutgoingAnswer, { media_type }: CitedSource): Observation | undefined {
  if (status === 404 || status === 410) return { kind: 'missing' }
  if ([401, 403, 407, 429, 451].includes(status)) return { kind: 'blocked' }
  if (status !== 200 && status !== 206) return { kind: 'no_answer' }
  // A web page where a file was cited is a login, a captcha or an error page.
  const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '')
  return isPage && media_type !== 'text/html' ? { kind: 'blocked' } : undefined
}

function validatorsOf({ headers }: OutgoingAnswer): string | null {
  const [etag, modified] = [headers.get('etag'), headers.get('last-modified')]
  if (etag === null && modified === null) return null
  return digest([etag ?? '', modified ?? '', headers.get('content-length') ?? ''].join('\n'))
}

const digest = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** The offsets of the samples of a file: at its start, at its end, and evenly between. */
const sampleStarts = (size: number): number[] =>
  Array.from({ length: SAMPLES }, (_, i) => Math.floor((Math.max(0, size - SAMPLE_BYTES) * i) / (SAMPLES - 1)))

/** Compares samples. Undefined if no samples are stored, or if the server sends no parts. */
async function compareSamples(
  source: CitedSource,
  head: OutgoingAnswer,
  before: Fingerprint,
  options: LookOptions,
): Promise<Observation | undefined> {
  const size = Number(head.headers.get('content-length') ?? Number.NaN)
  if (before.samples === null || !Number.isSafeInteger(size) || size < SAMPLES * SAMPLE_BYTES) return undefined
  const seen = createHash('sha256').update(`${size}\n`)
  for (const start of sampleStarts(size)) {
    const range = `bytes=${start}-${start + SAMPLE_BYTES - 1}`
    const part = await go(source.url, { headers: { range } }, options)
    if (part.status !== 206 || part.size !== SAMPLE_BYTES) return undefined
    seen.update(part.bytes)
  }
  return seen.digest('hex') === before.samples ? { kind: 'same_fingerprint' } : { kind: 'other_bytes', sha256: null }
}

async function readWhole(
  source: CitedSource,
  head: OutgoingAnswer,
  at: number,
  options: LookOptions,
): Promise<LookResult> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-citation-'))
  const path = join(folder, 'file')
  const done = (): void => {
    rmSync(folder, { recursive: true, force: true })
    process.off('exit', done)
  }
  process.once('exit', done) // the file may have gigabytes when the process is stopped
  let isKept = false
  try {
    const file = openSync(path, 'wx', 0o600)
    const hash = createHash('sha256')
    const each = (piece: Uint8Array): void => {
      hash.update(piece)
      writeSync(file, piece)
    }
    const { wholeMs: timeoutMs } = options.patience ?? PATIENCE
    const limits = { timeoutMs, mostBytes: mostBytes(source), each }
    const answer = await go(source.url, limits, options).finally(() => closeSync(file))
    const look = (observation: Observation): Look => ({
      at,
      observation,
      http_status: answer.status,
      moved: hasMoved(answer),
    })
    const refused = refusalIn(answer, source)
    if (refused) return { look: look(refused), fingerprint: NO_FINGERPRINT }
    const sha256 = hash.digest('hex')
    const member = sha256 === source.sha256 ? undefined : await findMember(path, source)
    if (sha256 !== source.sha256 && !member) {
      const observation: Observation = beginsAsPage(path) ? { kind: 'blocked' } : { kind: 'other_bytes', sha256 }
      return { look: look(observation), fingerprint: NO_FINGERPRINT }
    }
    isKept = true
    const fingerprint = {
      validators: validatorsOf(head),
      ...conditionsOf(head.headers),
      samples: samplesDigest(path, answer.size),
    }
    if (member) writeFileSync(path, member)
    return { look: look({ kind: 'same_bytes' }), fingerprint, file: { path, done } }
  } finally {
    if (!isKept) done()
  }
}

/** The cited member, if the file is an archive that was unpacked to be loaded. */
async function findMember(path: string, { sha256, bytes }: CitedSource): Promise<Uint8Array | undefined> {
  if (bytes > MOST_MEMBER_BYTES) return undefined
  for await (const member of membersOf(path, ({ size }) => size === bytes)) if (digest(member) === sha256) return member
  return undefined
}

function bytesAt(path: string, start: number, many: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(many)
    return bytes.subarray(0, readSync(file, bytes, 0, many, start))
  } finally {
    closeSync(file)
  }
}

const beginsAsPage = (path: string): boolean =>
  /^\s*<(!doctype html|html|head|script)\b/i.test(new TextDecoder().decode(bytesAt(path, 0, 256)))

function samplesDigest(path: string, size: number): string {
  const seen = createHash('sha256').update(`${size}\n`)
  for (const start of sampleStarts(size)) seen.update(bytesAt(path, start, SAMPLE_BYTES))
  return seen.digest('hex')
}
