import type { Db } from '../db/db.ts'
import type { OutgoingRequest } from '../outgoing/outgoing.ts'
import type { SourceArchive } from './archive.ts'
import { type CitationState, judge } from './judgement.ts'
import { type CitedSource, type LookOptions, lookAt } from './look.ts'
import { listChecks, putCheck, type StoredCheck } from './store.ts'

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
  /** Whether a later release of a chart cites these bytes. */
  isSuccessor: (chart: string, sha256: string) => boolean
  archive?: SourceArchive | undefined
  outgoing?: Pick<OutgoingRequest, 'loopback' | 'hosts' | 'resolve'>
}

export interface Checked {
  source: CitedByRelease
  state: CitationState
  check: StoredCheck
}

/** All bytes are read at least this often, whatever the signs say. */
const WHOLE_EVERY_MS = 90 * 86_400_000
const NOTHING_KNOWN = { validators: null, samples: null }
const keyOf = ({ url, sha256 }: { url: string; sha256: string }): string => `${sha256} ${url}`

/** Files that are cited by name alone, such as invented ones, have no address to look at. */
export const hasAddress = ({ url }: { url: string }): boolean => /^https?:/.test(url)

/** Looks at the sources that are due, or at all of them, one after the other. Each result is stored as it comes. */
export async function checkCitations(
  parts: CheckParts,
  all: boolean,
  tell: (checked: Checked) => void,
): Promise<Checked[]> {
  const known = new Map((await listChecks(parts.db)).map((check) => [keyOf(check), check]))
  const sources = new Map((await parts.cited()).filter(hasAddress).map((source) => [keyOf(source), source]))
  const found: Checked[] = []
  for (const [key, source] of sources) {
    const before = known.get(key)
    if (!all && before && before.next_check_at > parts.now()) continue
    const checked = await checkOne(parts, source, before)
    await putCheck(parts.db, checked.check)
    found.push(checked)
    tell(checked)
  }
  return found
}

async function checkOne(parts: CheckParts, source: CitedByRelease, before: StoredCheck | undefined): Promise<Checked> {
  const { now, outgoing, archive } = parts
  const readAt = before?.read_at ?? null
  const whole = readAt === null || now() - readAt >= WHOLE_EVERY_MS
  const options: LookOptions = { now, whole, ...(outgoing && { outgoing }) }
  const { look, signs, file } = await lookAt(source, before ?? NOTHING_KNOWN, options)
  try {
    if (file && archive) await archive.keep(file.path)
  } finally {
    file?.done()
  }
  const isSuccessor = (sha256: string): boolean => parts.isSuccessor(source.chart, sha256)
  const record = judge(before, look, { chart: source.chart, isSuccessor })
  const { url, sha256 } = source
  const read_at = look.sight.kind === 'same_bytes' ? look.at : readAt
  return { source, state: record.state, check: { url, sha256, ...record, ...signs, read_at } }
}
