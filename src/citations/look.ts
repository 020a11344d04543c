// Goes and looks at a cited source: first at what costs little, and at all of its bytes only where that is not enough.

import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, type OutgoingAnswer, OutgoingFault, type OutgoingRequest } from '../outgoing/outgoing.ts'
import type { Look, Sight } from './judgement.ts'
import { MOST_MEMBER_BYTES, membersOf } from './members.ts'

export interface CitedSource {
  url: string
  sha256: string
  bytes: number
  media_type: string
}

/**
 * What is remembered of the last time that all bytes were read: digests, for the words of a server are hostile text. Only
 * what is sent back to the server is kept as it came, in closed forms.
 */
export interface Signs {
  validators: string | null
  samples: string | null
  entity_tag: string | null
  /** `Last-Modified` in seconds since 1970. */
  modified: number | null
}
export const NO_SIGNS: Signs = { validators: null, samples: null, entity_tag: null, modified: null }

export interface LookResult {
  look: Look
  signs: Signs
  /** The cited bytes, where all were read. The file is gone when `done` has been called. */
  file?: { path: string; done: () => void }
}

export interface LookOptions {
  now: () => number
  /** Read all bytes whatever the signs say. */
  whole: boolean
  outgoing?: Pick<OutgoingRequest, 'loopback' | 'hosts' | 'resolve'>
  /** Another patience than the usual one. */
  patience?: typeof PATIENCE
}

/** How long a server is waited for: for its headers, a sample or the whole file. */
const PATIENCE = { headMs: 30_000, wholeMs: 30 * 60_000 }
const REDIRECTS = 3
const SAMPLES = 5
const SAMPLE_BYTES = 1024 * 1024
/** Nobody publishes a file larger than this. */
const MOST_BYTES = 16 * 1024 ** 3
/** An archive holds more than the member that is cited, and a new edition may be longer, within reason. */
const mostBytes = ({ bytes }: CitedSource): number => Math.min(MOST_BYTES, Math.max(64 * 1024 ** 2, 100 * bytes))

export async function lookAt(
  source: CitedSource,
  { validators: lastValidators, samples, entity_tag, modified }: Signs,
  options: LookOptions,
): Promise<LookResult> {
  const at = options.now()
  // Only these: what else the caller remembers is his.
  const before = { validators: lastValidators, samples, entity_tag, modified }
  const kept = (sight: Sight, answer?: OutgoingAnswer): LookResult => ({
    look: { at, sight, http_status: answer?.status ?? null, moved: answer ? hasMoved(answer) : false },
    signs: before,
  })
  try {
    const isKnown = before.samples !== null && !options.whole
    const head = await go(source.url, { method: 'HEAD', headers: isKnown ? conditions(before) : {} }, options)
    if (isKnown && head.status === 304) return kept({ kind: 'same_signs' }, head)
    const validators = validatorsOf(head)
    if (![405, 501].includes(head.status)) {
      const refused = refusedSight(head, source)
      if (refused) return kept(refused, head)
      const isSame = validators !== null && validators === before.validators
      if (isSame && !options.whole) return kept({ kind: 'same_signs' }, head)
      const sampled = options.whole ? undefined : await sample(source, head, before, options)
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

function refusedSight({ status, headers }: OutgoingAnswer, { media_type }: CitedSource): Sight | undefined {
  if (status === 404 || status === 410) return { kind: 'missing' }
  if ([401, 403, 407, 429, 451].includes(status)) return { kind: 'blocked' }
  if (status !== 200 && status !== 206) return { kind: 'no_answer' }
  // A page for people where a file was cited: a login, a riddle, or an apology.
  const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '')
  return isPage && media_type !== 'text/html' ? { kind: 'blocked' } : undefined
}

function validatorsOf({ headers }: OutgoingAnswer): string | null {
  const [etag, modified] = [headers.get('etag'), headers.get('last-modified')]
  if (etag === null && modified === null) return null
  return digest([etag ?? '', modified ?? '', headers.get('content-length') ?? ''].join('\n'))
}

const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/

/** What the server can be asked by whether the file is still the same. */
function tagsOf({ headers }: OutgoingAnswer): Pick<Signs, 'entity_tag' | 'modified'> {
  const [etag, modified] = [headers.get('etag') ?? '', Date.parse(headers.get('last-modified') ?? '')]
  return {
    entity_tag: ETAG.test(etag) ? etag : null,
    modified: Number.isSafeInteger(modified) && modified > 0 ? Math.floor(modified / 1000) : null,
  }
}

const conditions = ({ entity_tag, modified }: Signs): Record<string, string> => ({
  ...(entity_tag === null ? {} : { 'if-none-match': entity_tag }),
  ...(modified === null ? {} : { 'if-modified-since': new Date(modified * 1000).toUTCString() }),
})

const digest = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** Where the samples of a file of this size begin: at its start, at its end, and evenly between. */
const sampleStarts = (size: number): number[] =>
  Array.from({ length: SAMPLES }, (_, i) => Math.floor((Math.max(0, size - SAMPLE_BYTES) * i) / (SAMPLES - 1)))

/** Undefined where samples cannot say anything: none are known, or the server gives no parts. */
async function sample(
  source: CitedSource,
  head: OutgoingAnswer,
  before: Signs,
  options: LookOptions,
): Promise<Sight | undefined> {
  const size = Number(head.headers.get('content-length') ?? Number.NaN)
  if (before.samples === null || !Number.isSafeInteger(size) || size < SAMPLES * SAMPLE_BYTES) return undefined
  const seen = createHash('sha256').update(`${size}\n`)
  for (const start of sampleStarts(size)) {
    const range = `bytes=${start}-${start + SAMPLE_BYTES - 1}`
    const part = await go(source.url, { headers: { range } }, options)
    if (part.status !== 206 || part.size !== SAMPLE_BYTES) return undefined
    seen.update(part.bytes)
  }
  return seen.digest('hex') === before.samples ? { kind: 'same_signs' } : { kind: 'other_bytes', sha256: null }
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
  process.once('exit', done) // gigabytes may lie there when the process is told to stop
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
    const look = (sight: Sight): Look => ({ at, sight, http_status: answer.status, moved: hasMoved(answer) })
    const refused = refusedSight(answer, source)
    if (refused) return { look: look(refused), signs: NO_SIGNS }
    const sha256 = hash.digest('hex')
    const member = sha256 === source.sha256 ? undefined : await memberOf(path, source)
    if (sha256 !== source.sha256 && !member) {
      const sight: Sight = beginsAsPage(path) ? { kind: 'blocked' } : { kind: 'other_bytes', sha256 }
      return { look: look(sight), signs: NO_SIGNS }
    }
    isKept = true
    const signs = { validators: validatorsOf(head), ...tagsOf(head), samples: samplesOf(path, answer.size) }
    if (member) writeFileSync(path, member)
    return { look: look({ kind: 'same_bytes' }), signs, file: { path, done } }
  } finally {
    if (!isKept) done()
  }
}

/** Of an archive that was unpacked to be loaded, the member is cited. */
async function memberOf(path: string, { sha256, bytes }: CitedSource): Promise<Uint8Array | undefined> {
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

function samplesOf(path: string, size: number): string {
  const seen = createHash('sha256').update(`${size}\n`)
  for (const start of sampleStarts(size)) seen.update(bytesAt(path, start, SAMPLE_BYTES))
  return seen.digest('hex')
}
