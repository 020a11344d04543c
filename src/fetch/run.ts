// A run of `atr fetch` or `atr update`: one chart after the other, each whole or with one sentence of what is wrong.

import { relative } from 'node:path'
import { nextPeriod, plusDays } from '../calendar.ts'
import { type Db, StoreBusy } from '../db/db.ts'
import { Problem } from '../problem.ts'
import { chartOf, providerChart } from '../registry/charts.ts'
import { checkRelease } from '../registry/release/check.ts'
import { publish } from '../registry/release/publish.ts'
import { findPredecessors, findRelease } from '../registry/release/store.ts'
import { Agreements } from './agreement.ts'
import { Door } from './door.ts'
import { Downloads } from './download.ts'
import { editionsIn, type FolderEdition } from './folder.ts'
import { HOSPITALS, lookAtHospital } from './hospital-source.ts'
import { Pages } from './page.ts'
import { type LookResult, lookAtSchedule } from './schedule-source.ts'
import type { FetchParts, LookNotes, Run } from './source.ts'
import { findLook, listFetched, listHeld, listLooks, putLook, putOrigin, type StoredLook } from './store.ts'
import { Trouble, type TroubleCode } from './trouble.ts'

/** A release that came by itself. */
export interface FetchedRelease {
  release_id: string
  state: 'staged' | 'published'
  /** Why it is not published: limits of the breaker, or `correction`, the same edition with other bytes. */
  held: string[]
  /** What is known of the limits, in sentences of ours. */
  details: string[]
}

export interface ChartReport {
  chart: string
  outcome: 'nothing_new' | 'new' | 'wanted' | 'trouble' | 'not_due'
  newest: string | null
  wanted: string[]
  releases: FetchedRelease[]
  trouble: { code: TroubleCode; says: string } | null
  /** The files of a folder that it is about, by their names in it. */
  files?: string[]
  requests: number
}

interface RunOptions {
  charts: readonly string[]
  /** Reads the pages and says what would be taken. */
  isCheck?: boolean
  /** Leaves charts out that are not due. */
  isDueOnly?: boolean
  /** Publishes what the breaker passes. */
  publishes?: boolean
}

const LOCK = 'fetch'

/** Every chart that can be fetched: the schedules with a page, and the hospitals of the operator's list. */
export const fetchable = ({
  publishers,
  hospitals,
  charts,
}: Pick<FetchParts, 'publishers' | 'hospitals' | 'charts'>): string[] => [
  ...charts.flatMap(({ chart }) => (publishers.charts[chart]?.page === undefined ? [] : [chart])),
  ...hospitals.map(({ npi }) => providerChart(HOSPITALS, npi)),
]

/** Runs over some charts. Of all processes that use a store, one does so at a time. */
export async function runFetch(
  parts: FetchParts,
  options: RunOptions,
  tell: (report: ChartReport) => void = () => {},
): Promise<ChartReport[]> {
  const lock = await parts.db.takeLock(LOCK)
  if (!lock) throw new StoreBusy(undefined, 'another process is fetching for this store: wait until it is done')
  try {
    const run = newRun(parts)
    const reports: ChartReport[] = []
    for (const chart of options.charts) {
      const report = await reportOf(run, chart, options)
      reports.push(report)
      tell(report)
    }
    return reports
  } finally {
    await lock.release()
  }
}

/** Loads the files of a folder, in any order, as if they had been fetched; in proofs they are from the page of their publisher. */
export async function runFolder(
  parts: FetchParts,
  { folder, charts, publishes = false }: { folder: string; charts: readonly string[]; publishes?: boolean },
  tell: (report: ChartReport) => void = () => {},
): Promise<{ reports: ChartReport[]; unknown: number }> {
  const lock = await parts.db.takeLock(LOCK)
  if (!lock) throw new StoreBusy(undefined, 'another process is fetching for this store: wait until it is done')
  try {
    const { editions, unknown } = await editionsIn(folder, parts.publishers.charts)
    const reports: ChartReport[] = []
    for (const edition of editions.filter(({ chart }) => charts.includes(chart))) {
      const files = edition.paths.map((path) => relative(folder, path))
      const report = { ...(await folderReport(parts, edition, publishes)), files }
      reports.push(report)
      tell(report)
    }
    return { reports, unknown }
  } finally {
    await lock.release()
  }
}

async function folderReport(
  parts: FetchParts,
  { chart: kind, edition, paths }: FolderEdition,
  publishes: boolean,
): Promise<ChartReport> {
  const { db, now, load, publishers } = parts
  const page = publishers.charts[kind]?.page
  const report = { chart: kind, newest: edition || null, wanted: [], requests: 0 }
  try {
    const urls = page === undefined ? [] : paths.map(() => page)
    const retrieved_at = new Date(now()).toISOString()
    const { release_id, already } = await load({ kind, paths, urls, retrieved_at })
    await putOrigin(db, release_id, { edition, steps: [] })
    const chart = (await findRelease(db, release_id))?.chart ?? kind
    const fetched = await fetchedReleases(parts, chart, publishes)
    const releases = fetched.filter((each) => each.release_id === release_id)
    return { ...report, chart, outcome: already ? 'nothing_new' : 'new', trouble: null, releases }
  } catch (error) {
    return { ...report, outcome: 'trouble', trouble: troubleOf(error), releases: [] }
  }
}

function newRun(parts: FetchParts): Run {
  const door = new Door(parts)
  const pages = new Pages(door)
  const agreements = new Agreements(door, pages, parts.publishers.gates, parts.acceptance)
  return { parts, door, pages, agreements, downloads: new Downloads(door, parts.folder) }
}

async function reportOf(run: Run, chart: string, options: RunOptions): Promise<ChartReport> {
  const { db, now } = run.parts
  const before = await findLook(db, chart)
  const sent = run.door.requests
  const notes: LookNotes = {}
  let looked: Pick<ChartReport, 'outcome' | 'wanted' | 'trouble'> = { outcome: 'not_due', wanted: [], trouble: null }
  if (!options.isDueOnly || isDue(before, now())) {
    looked = await lookAt(run, chart, notes, options.isCheck ?? false)
    if (!options.isCheck) await putLook(db, await lookAfter(run, chart, before, notes, looked.trouble))
  }
  const releases = options.isCheck ? [] : await fetchedReleases(run.parts, chart, options.publishes ?? false)
  const newest = notes.newest?.edition ?? before?.newest ?? null
  return { chart, ...looked, newest, releases, requests: run.door.requests - sent }
}

/** A clock that was put back makes everything due. */
export const isDue = (look: Pick<StoredLook, 'looked_at' | 'next_look_at'> | undefined, now: number): boolean =>
  !look || now >= look.next_look_at || look.looked_at > now

async function lookAt(
  run: Run,
  chart: string,
  notes: LookNotes,
  isCheck: boolean,
): Promise<Pick<ChartReport, 'outcome' | 'wanted' | 'trouble'>> {
  try {
    const { loaded, wanted } = await sourceOf(run, chart)(notes, isCheck)
    const outcome = loaded.length > 0 ? 'new' : wanted.length > 0 ? 'wanted' : 'nothing_new'
    return { outcome, wanted, trouble: null }
  } catch (error) {
    return { outcome: 'trouble', wanted: [], trouble: troubleOf(error) }
  }
}

function sourceOf(run: Run, chart: string): (notes: LookNotes, isCheck: boolean) => Promise<LookResult> {
  const hospital = run.parts.hospitals.find(({ npi }) => providerChart(HOSPITALS, npi) === chart)
  if (hospital) return (notes, isCheck) => lookAtHospital(run, hospital, notes, isCheck)
  return (notes, isCheck) => lookAtSchedule(run, chart, notes, isCheck)
}

/** A trouble ends the work on one chart. A fault ends the run. */
function troubleOf(error: unknown): NonNullable<ChartReport['trouble']> & Pick<Trouble, 'facts'> {
  if (error instanceof Trouble) return { code: error.code, says: error.message, facts: error.facts }
  if (error instanceof Problem) {
    const code = error.code === 'load_in_progress' ? 'busy' : 'not_loaded'
    const trouble = new Trouble(code, { about: error.detail })
    return { code, says: trouble.message, facts: {} }
  }
  throw error
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long to wait after the first failure, the second, and so on. */
const RETRY_HOURS = [1, 6, 24, 72]
/** Editions are posted some weeks before they are due. */
const POSTED_BEFORE_DAYS = 45
const SELDOM_DAYS = 7

async function lookAfter(
  { parts }: Run,
  chart: string,
  before: StoredLook | undefined,
  { newest, page, isWhole }: LookNotes,
  trouble: (ChartReport['trouble'] & { facts?: Trouble['facts'] }) | null,
): Promise<StoredLook> {
  const now = parts.now()
  const failures = trouble === null ? 0 : (before?.failures ?? 0) + 1
  const hours = RETRY_HOURS[Math.min(failures, RETRY_HOURS.length) - 1] ?? 0
  const retry = Math.max(now + hours * HOUR_MS, trouble?.facts?.notBefore ?? 0)
  return {
    chart,
    looked_at: now,
    whole_at: isWhole && trouble === null ? now : (before?.whole_at ?? 0),
    settled_page: trouble === null ? (page ?? null) : null,
    newest: newest?.edition ?? before?.newest ?? null,
    newest_from: newest ? newest.first_day : (before?.newest_from ?? null),
    trouble: trouble?.code ?? null,
    failures,
    first_failed_at: trouble === null ? null : (before?.first_failed_at ?? now),
    next_look_at: trouble === null ? now + (await pauseDays(parts, chart, now)) * DAY_MS : retry,
  }
}

/** Looks every day while an edition is missing or the next one may be posted, otherwise every week. */
async function pauseDays({ db, charts }: FetchParts, chart: string, now: number): Promise<number> {
  const facts = chartOf(chart, charts)
  const last = (await listHeld(db, chart)).at(-1)
  if (!facts || !last) return 1
  const next = nextPeriod(facts.calendar.next, last.effective_from)
  const today = new Date(now).toISOString().slice(0, 10)
  return today >= plusDays(next, -POSTED_BEFORE_DAYS) ? 1 : SELDOM_DAYS
}

/** The staged releases of a chart that came by themselves, judged, and published where that is asked for and allowed. */
async function fetchedReleases(
  { db, publisher, charts, now }: FetchParts,
  chart: string,
  publishes: boolean,
): Promise<FetchedRelease[]> {
  const releases: FetchedRelease[] = []
  for (const { release_id } of await listFetched(db, chart)) {
    const { held, details } = await heldBy(db, release_id, charts)
    if (!publishes || held.length > 0) {
      releases.push({ release_id, state: 'staged', held, details })
      continue
    }
    await publish({ db, ...publisher, charts }, release_id, now)
    releases.push({ release_id, state: 'published', held, details })
  }
  return releases
}

async function heldBy(
  db: Db,
  release_id: string,
  charts: FetchParts['charts'],
): Promise<{ held: string[]; details: string[] }> {
  const release = await findRelease(db, release_id)
  if (!release) throw new Error(`${release_id} is not there`)
  const { revision } = await findPredecessors(db, release)
  const { held } = await checkRelease(db, release, undefined, charts)
  return {
    held: [...(revision ? ['correction'] : []), ...held.map(({ rule }) => rule)],
    details: held.flatMap((limit) => limit.details ?? []),
  }
}

/** The last looks, by chart. */
export const looksByChart = async (db: Db): Promise<Map<string, StoredLook>> =>
  new Map((await listLooks(db)).map((look) => [look.chart, look]))
