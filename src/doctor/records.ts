// Examines the store of an installation: releases, logs, keys, citations and their copies. It only reads.

import { DAY_MS, dayOf, daysBetween, plusDays } from '../calendar.ts'
import { SourceArchive } from '../citations/archive.ts'
import { hasAddress } from '../citations/check.ts'
import { type CitationEvent, keyOf, listChecks, listCopies, listEvents } from '../citations/store.ts'
import type { Config } from '../config.ts'
import { StoreBusy, StoreFault } from '../db/db.ts'
import type { Installation } from '../installation.ts'
import { clockSkew, MOST_SKEW_MS } from '../integrity/publication.ts'
import { checkpoints } from '../integrity/store.ts'
import { listKeys } from '../rails/keys.ts'
import { checkRelease } from '../registry/release/check.ts'
import { listReleases, type ReleaseState } from '../registry/release/store.ts'
import { otherForm } from '../registry/rows/file-summary-store.ts'
import { openRelease } from '../registry/rows/release-file-store.ts'
import { standingNow } from '../registry/state/state.ts'
import { latestEditions, loggedReleases } from '../registry/store.ts'
import { type Finding, finding } from './finding.ts'

/** The installation that is examined. */
export interface Subject {
  installation: Installation
  config: Config
  now: number
}

export interface FactsAndFindings<T> {
  facts: T
  findings: Finding[]
}

export const at = (ms: number): string => new Date(ms).toISOString()

/** Compares the logs with their checkpoint locks and with the clock, and finds entries that are not public. */
export async function logFindings({ installation, config, now }: Subject): Promise<Finding[]> {
  const { db, registryLog, figuresLog } = installation
  const findings: Finding[] = []
  for (const log of [registryLog, figuresLog]) {
    const locked = log.lock.find(log.name)
    const complaint = locked && log.lock.complaint(log.name, await checkpoints(db, log.name), locked)
    if (complaint !== undefined) findings.push(finding('lock_disagrees', complaint))
    const { signed_at } = await log.signed(db)
    if (signed_at > now + CLOCK_SKEW_MS)
      findings.push(
        finding('clock_wrong', `the clock says ${at(now)}, and the ${log.name} log was signed at ${at(signed_at)}`),
      )
    const [head, signed] = [await log.head(db), await log.signed(db)]
    if (head.size < signed.size)
      findings.push(
        finding('release_waiting', `${signed.size - head.size} entries of the ${log.name} log wait for witnesses`),
      )
  }
  if (config.DATABASE_URL !== undefined) {
    const skew = await clockSkew(db)
    if (Math.abs(skew) > MOST_SKEW_MS)
      findings.push(
        finding(
          'clock_wrong',
          `the clock says ${at(Date.now())}, and that of the database ${at(Date.now() - skew)}: this machine cannot publish`,
        ),
      )
  }
  const { signed_at } = await registryLog.head(db)
  if (now - signed_at > OLD_STATE_MS)
    findings.push(finding('state_old', `the newest state of the registry is of ${at(signed_at)}`))
  return findings
}
const CLOCK_SKEW_MS = 5_000
const OLD_STATE_MS = 2 * DAY_MS

export interface ReleaseFacts {
  staged: { release_id: string; loaded_at: string; held: string[] }[]
  waiting: string[]
  loading: string[]
  gaps: { chart: string; from: string; to: string }[]
}

export async function releaseFacts({ installation, now }: Subject): Promise<FactsAndFindings<ReleaseFacts>> {
  const { db, registryLog } = installation
  const releases = await listReleases(db)
  const { size } = await registryLog.head(db)
  const findings: Finding[] = []
  const staged: ReleaseFacts['staged'] = []
  for (const release of releases.filter(({ state }) => state === 'staged')) {
    const held = await heldBy(installation, release)
    staged.push({ release_id: release.release_id, loaded_at: at(release.loaded_at), held })
    if (held.length > 0)
      findings.push(finding('release_held', `${release.release_id} is staged and held: ${held.join(', ')}`))
  }
  const waiting = releases
    .filter(({ state, log_index }) => state === 'published' && (log_index ?? 0) >= size)
    .map(({ release_id }) => release_id)
  const loading = releases.filter(({ state }) => state === 'loading')
  for (const { release_id, loaded_at } of loading)
    if (now - loaded_at > DAY_MS)
      findings.push(
        finding('load_interrupted', `the load of ${release_id} began at ${at(loaded_at)} and has not ended`),
      )
  const gaps = await gapsIn(installation)
  for (const { chart, from, to } of gaps)
    findings.push(finding('gap', `${chart} has no edition from ${from} to ${to}, ${daysBetween(from, to) + 1} days`))
  return { facts: { staged, waiting, loading: loading.map(({ release_id }) => release_id), gaps }, findings }
}

/** The limits of the breaker that a staged release exceeds. */
async function heldBy({ db }: Installation, release: ReleaseState): Promise<string[]> {
  if (release.file === null || !(await db.files.isWhole(release.file))) return [] // reported as a damaged file
  return (await checkRelease(db, release)).held.map(({ rule }) => rule)
}

/** The days between two editions of a chart without an edition in force. */
async function gapsIn({ db }: Installation): Promise<ReleaseFacts['gaps']> {
  const { periods } = await standingNow(db)
  return periods.flatMap(({ chart, from }, i) => {
    const before = periods[i - 1]
    if (before?.chart !== chart) return []
    const first = plusDays(before.to, 1)
    return first < from ? [{ chart, from: first, to: plusDays(from, -1) }] : []
  })
}

/** How many bytes of release files and copies are read back. For the rest it is only checked that they exist. */
const MOST_READ_BYTES = 2 * 1024 ** 3

export async function releaseFileFindings({ installation: { db } }: Subject): Promise<Finding[]> {
  const findings: Finding[] = []
  let left = MOST_READ_BYTES
  for (const { release_id, state, file } of await listReleases(db)) {
    if (state === 'loading' || file === null) continue
    const isHere = db.files.has(file)
    const bytes = isHere ? Bun.file(db.files.pathOf(file)).size : 0
    left -= bytes
    const isGood = isHere && (left < 0 || (await db.files.isWhole(file)))
    // What was withdrawn is not needed to answer.
    if (state === 'withdrawn' && !isHere) continue
    if (isHere && state !== 'withdrawn' && openRelease(db, { release_id, file }).isOfOtherForm())
      findings.push(finding('release_file_of_other_form', otherForm(release_id)))
    // A missing file that another machine has made is fetched when it is needed.
    if (!isGood && (isHere || db.files.remote === undefined))
      findings.push(
        finding('release_file_damaged', `the file of ${release_id} is ${isHere ? 'damaged' : 'missing'}: ${file}.atr`),
      )
  }
  return findings
}

/** Asks the object storage of the release files. */
export async function storageFindings({ installation: { db } }: Subject): Promise<Finding[]> {
  try {
    await db.files.remote?.reach()
    return []
  } catch (error) {
    const why = error instanceof StoreFault || error instanceof StoreBusy ? error.message : 'it cannot be reached'
    return [finding('storage_away', why)]
  }
}

export interface KeyFact {
  key_id: string
  name: string
  expires_at: string
}

const SOON_MS = 14 * DAY_MS

export async function keyFacts({ installation: { db }, now }: Subject): Promise<FactsAndFindings<KeyFact[]>> {
  const keys = await listKeys({ db, now: async () => now })
  const facts = keys
    .filter(({ state, expires_at }) => state === 'active' && Date.parse(expires_at) - now < SOON_MS)
    .map(({ key_id, name, expires_at }) => ({ key_id, name, expires_at }))
  const findings = facts.map(({ key_id, expires_at }) =>
    finding('key_expires', `the agent key ${key_id} expires at ${expires_at}`),
  )
  return { facts, findings }
}

/** How late the looks at sources may be before they are reported. */
const LATE_MS = 14 * DAY_MS
const MOST_EVENTS = 10

export async function citationFacts({
  installation: { db },
  now,
}: Subject): Promise<FactsAndFindings<CitationEvent[]>> {
  const checks = new Map((await listChecks(db)).map((check) => [keyOf(check), check]))
  const findings: Finding[] = []
  let unchecked = 0
  for (const { release_id, manifest } of await latestEditions(db, dayOf(now))) {
    const sources = manifest.citations.filter(hasAddress)
    if (sources.length === 0 && manifest.data_class === 'published')
      findings.push(finding('no_citations', `${release_id} names no address of its source`))
    unchecked += sources.filter((source) => (checks.get(keyOf(source))?.next_check_at ?? 0) < now - LATE_MS).length
  }
  if (unchecked > 0)
    findings.push(
      finding(
        'citations_unchecked',
        `${unchecked} cited ${unchecked === 1 ? 'source was' : 'sources were'} not looked at lately`,
      ),
    )
  return { facts: await listEvents(db, MOST_EVENTS), findings }
}

export async function archiveFindings({ installation: { db }, config: { ARCHIVE } }: Subject): Promise<Finding[]> {
  if (ARCHIVE === undefined) return []
  const archive = SourceArchive.at(ARCHIVE)
  const isRemote = ARCHIVE.startsWith('s3://')
  const cited = new Map(
    (await loggedReleases(db)).flatMap(({ manifest }) => manifest.citations.map((c) => [c.sha256, c])),
  )
  const kept = new Set((await listCopies(db)).map(({ sha256 }) => sha256))
  const findings: Finding[] = []
  let left = MOST_READ_BYTES
  try {
    for (const sha256 of new Set([...kept, ...cited.keys()])) {
      const isHere = await archive.has(sha256)
      left -= cited.get(sha256)?.bytes ?? 0
      const isGood = isHere ? isRemote || left < 0 || (await archive.isSound(sha256)) : !kept.has(sha256)
      const name = cited.get(sha256)?.file ?? 'a cited file'
      if (!isGood)
        findings.push(
          finding('archive_damaged', `the copy of ${name} in ARCHIVE is ${isHere ? 'damaged' : 'missing'}: ${sha256}`),
        )
    }
  } catch {
    findings.push(finding('archive_away', 'the copies in ARCHIVE cannot be read'))
  }
  return findings
}
