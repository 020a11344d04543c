import { type Db, StoreBusy } from '../db/db.ts'
import type { OutgoingRequest } from '../outgoing/outgoing.ts'
import type { SourceArchive } from './archive.ts'
import { type CitationState, isLost, judge } from './judgement.ts'
import { type CitedSource, type LookOptions, lookAt, NO_FINGERPRINT } from './look.ts'
import {
  appendEvent,
  type CitationEvent,
  type CitationEventKind,
  keyOf,
  lastEvents,
  listChecks,
  listCopies,
  putCheck,
  putCopy,
  type StoredCheck,
  type StoredCopy,
} from './store.ts'

/** A source that a release in force cites. */
export interface CitedByRelease extends CitedSource {
  chart: string
  release_id: string
  file: string
  rows: number
}

export interface CheckParts {
  db: Db
  now: () => number
  /** The sources of the editions in force. */
  cited: () => Promise<CitedByRelease[]>
  /** Whether a later release of the same chart cites these bytes. */
  isSuccessor: (release_id: string, sha256: string) => boolean
  archive?: SourceArchive | undefined
  outgoing?: Pick<OutgoingRequest, 'loopback' | 'hosts' | 'resolve'>
  patience?: LookOptions['patience']
}

/** Limits of an unattended run; the rest stays due. */
interface CheckLimits {
  sources: number
  /** No look begins later than this. */
  ms: number
  /** The pause between two looks, which spares the publisher's server. */
  pauseMs: number
}

export interface CheckResult {
  source: CitedByRelease
  state: CitationState
  check: StoredCheck
  /** Whether a copy of the cited bytes is kept. */
  isCopied: boolean
  /** Set if this look found that the source is lost or back. */
  event?: CitationEvent | undefined
}

/** How often all bytes are read at least, even if the fingerprint is the same. */
const WHOLE_EVERY_MS = 90 * 86_400_000
/** How often a copy is read back at least. */
const COPY_EVERY_MS = 7 * 86_400_000

/** Whether a source can be looked at. Sample files are cited by name only. */
export const hasAddress = ({ url }: { url: string }): boolean => /^https?:/.test(url)

/** The sources to look at now, each once: the due sources, or all. */
export async function dueSources(
  { db, now, cited }: Pick<CheckParts, 'db' | 'now' | 'cited'>,
  all: boolean,
): Promise<{ source: CitedByRelease; before: StoredCheck | undefined }[]> {
  const known = new Map((await listChecks(db)).map((check) => [keyOf(check), check]))
  const sources = new Map((await cited()).filter(hasAddress).map((source) => [keyOf(source), source]))
  return [...sources]
    .map(([key, source]) => ({ source, before: known.get(key) }))
    .filter(({ before }) => all || !before || before.next_check_at <= now())
}

/**
 * Looks at the due sources, or at all, one after the other, and stores each result as it comes. Of all processes that use
 * the store, one does so at a time.
 */
export async function checkCitations(
  parts: CheckParts,
  all: boolean,
  tell: (result: CheckResult) => void,
  limits?: CheckLimits,
): Promise<CheckResult[]> {
  const lock = await parts.db.takeLock('citations')
  if (!lock) throw new StoreBusy(undefined, 'another process is looking at the cited sources: wait until it is done')
  try {
    const copies = new Map((await listCopies(parts.db)).map((copy) => [copy.sha256, copy]))
    const events = await lastEvents(parts.db)
    const results: CheckResult[] = []
    const due = (await dueSources(parts, all)).slice(0, limits?.sources)
    const began = performance.now()
    for (const { source, before } of due) {
      if (limits && performance.now() - began > limits.ms) break
      if (limits && results.length > 0) await Bun.sleep(limits.pauseMs)
      const result = await checkOne(parts, source, before, copies.get(source.sha256))
      const event = eventOf(result, events.get(keyOf(source)))
      await putCheck(parts.db, result.check)
      if (event) await appendEvent(parts.db, event)
      results.push({ ...result, event })
      tell({ ...result, event })
    }
    return results
  } finally {
    await lock.release()
  }
}

async function checkOne(
  parts: CheckParts,
  source: CitedByRelease,
  before: StoredCheck | undefined,
  copy: StoredCopy | undefined,
): Promise<CheckResult> {
  const { now, outgoing, patience, archive } = parts
  const readAt = before?.read_at ?? null
  const isKept = !archive || (copy?.is_sound === 1 && (await archive.has(source.sha256)))
  const whole = readAt === null || now() - readAt >= WHOLE_EVERY_MS || !isKept
  const options: LookOptions = { now, whole, ...(outgoing && { outgoing }), ...(patience && { patience }) }
  const { look, fingerprint, file } = await lookAt(source, before ?? NO_FINGERPRINT, options)
  const isCopied = await checkCopy(parts, source, copy, file?.path).finally(() => file?.done())
  const isSuccessor = (sha256: string): boolean => parts.isSuccessor(source.release_id, sha256)
  const record = judge(before, look, { chart: source.chart, isSuccessor })
  const { url, sha256 } = source
  const read_at = look.observation.kind === 'same_bytes' ? look.at : readAt
  return { source, state: record.state, check: { url, sha256, ...record, ...fingerprint, read_at }, isCopied }
}

/** Keeps a copy if the cited bytes were read, and reads an existing copy back from time to time. */
async function checkCopy(
  { db, now, archive }: CheckParts,
  { sha256 }: CitedSource,
  copy: StoredCopy | undefined,
  path: string | undefined,
): Promise<boolean> {
  if (!archive) return false
  if (path !== undefined) await archive.keep(path)
  const isRead = path === undefined && copy?.is_sound === 1 && now() - copy.checked_at < COPY_EVERY_MS
  if (isRead && (await archive.has(sha256))) return true
  const isSound = await archive.isSound(sha256)
  if (isSound || copy) await putCopy(db, sha256, now(), isSound)
  return isSound
}

/** The event of a look; undefined if it found nothing new. */
function eventOf({ source, state, check, isCopied }: CheckResult, last: CitationEventKind | undefined) {
  const kind: CitationEventKind = isLost(state, isCopied)
    ? state === 'gone'
      ? 'source_gone'
      : 'source_changed'
    : 'source_back'
  // A source that does not answer is neither lost nor back.
  const isUncertain = ['unreachable', 'blocked'].includes(state) && !isCopied
  if (kind === (last ?? 'source_back') || isUncertain) return undefined
  const { url, sha256, chart, release_id } = source
  const { checked_at: at, http_status, observed_sha256 } = check
  return { at, kind, url, sha256, chart, release_id, http_status, observed_sha256 }
}
