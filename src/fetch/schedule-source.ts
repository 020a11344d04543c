// Looks at the page of a schedule's publisher, and takes what is new on it.

import { Problem } from '../problem.ts'
import { discard } from '../registry/release/staging.ts'
import { findRelease } from '../registry/release/store.ts'
import type { PublisherEntry } from '../tables/publishers.ts'
import type { Download } from './download.ts'
import { type EditionLink, editionLinks, editionsAmong, type ShownEdition } from './edition-link.ts'
import type { LookNotes, Run } from './source.ts'
import { findLook, listFiles, listHeld, putFile, putOrigin, type StoredFile } from './store.ts'
import { Trouble } from './trouble.ts'
import type { Step, Way } from './way.ts'

/** How often every file in use is asked for, even if the page is the same: publishers replace files under one address. */
const WHOLE_EVERY_MS = 7 * 86_400_000
/** How many of the editions that are held are looked at again. */
const AGAIN = 2
const MIB = 1024 ** 2

/** What a look has done. */
export interface LookResult {
  /** The releases that came of it, also those that had been loaded before. */
  loaded: string[]
  /** With `--check`: the editions that would be taken. */
  wanted: string[]
}

/** Looks at the source of a schedule. Ends with a `Trouble` where one of its editions cannot be taken. */
export async function lookAtSchedule(run: Run, chart: string, notes: LookNotes, isCheck: boolean): Promise<LookResult> {
  const { db, now } = run.parts
  const entry = entryOf(run, chart)
  const shown = await shownEditions(run, entry)
  notes.newest = shown.editions.at(-1)
  notes.page = shown.steps[0]?.sha256 ?? ''
  const before = await findLook(db, chart)
  const isWholeDue = !before || Math.abs(now() - before.whole_at) >= WHOLE_EVERY_MS
  if (before?.settled_page === notes.page && !isWholeDue) return { loaded: [], wanted: [] }
  const files = await listFiles(db, chart)
  const known = new Map(files.map((file) => [file.url, file]))
  const candidates = candidatesAmong(shown.editions, await heldStarts(run, chart, entry), new Date(now()).toISOString())
  if (isCheck) {
    const isKnown = ({ links }: ShownEdition): boolean => !entry.detail && links.every(({ url }) => known.has(url))
    return { loaded: [], wanted: candidates.filter((each) => !isKnown(each)).map(({ edition }) => edition) }
  }
  const loaded: string[] = []
  let waits: Trouble | undefined
  for (const candidate of candidates) {
    try {
      const taken = await takeEdition(run, chart, candidate, shown.steps, known)
      if (taken !== undefined) loaded.push(taken)
    } catch (error) {
      // An edition that is not all there yet, or not yet to be had, must not keep the one before it away.
      if (!(error instanceof Trouble) || !['incomplete', 'missing'].includes(error.code)) throw error
      waits = error
    }
  }
  notes.isWhole = true
  if (waits) throw waits
  return { loaded, wanted: [] }
}

function entryOf({ parts: { publishers } }: Run, chart: string): PublisherEntry & { page: string } {
  const entry = publishers.charts[chart]
  if (entry?.page === undefined)
    throw new Problem('invalid_parameter', 'there is no page of a publisher for this chart')
  return { ...entry, page: entry.page }
}

const isOwnHost =
  ({ parts: { publishers } }: Run) =>
  (host: string): boolean =>
    publishers.hosts.includes(host)

/** The editions that the page of a chart shows, the oldest first. */
async function shownEditions(
  run: Run,
  { page, detail, files = [], parts, yearly = false }: PublisherEntry & { page: string },
): Promise<{ editions: ShownEdition[]; steps: Step[] }> {
  const { html, step } = await run.pages.read(page, 'page', isOwnHost(run))
  const found = linksOn(run, html, step.url, detail ?? files, yearly)
  return { editions: editionsAmong(found, detail ? [] : parts), steps: [step] }
}

function linksOn(
  run: Run,
  html: string,
  base: string,
  forms: PublisherEntry['files'] = [],
  yearly = false,
): EditionLink[] {
  const { gates } = run.parts.publishers
  const { links, elsewhere } = editionLinks(html, base, { forms, gates, isOwn: isOwnHost(run), yearly })
  if (links.length === 0) throw new Trouble(elsewhere > 0 ? 'leads_elsewhere' : 'no_link')
  return links
}

/** The first days of the quarters or years of the editions that are held. */
async function heldStarts(
  { parts: { db } }: Run,
  chart: string,
  { yearly = false }: PublisherEntry,
): Promise<string[]> {
  const held = await listHeld(db, chart)
  return [...new Set(held.map(({ effective_from }) => periodStart(effective_from, yearly)))].sort()
}

function periodStart(day: string, yearly: boolean): string {
  const month = yearly ? 1 : Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1
  return `${day.slice(0, 4)}-${String(month).padStart(2, '0')}-01`
}

/**
 * The editions to look at: all that are newer than those held, and the last of those held again. Of a chart without any, the
 * one in force today, and later ones.
 */
export function candidatesAmong(
  shown: readonly ShownEdition[],
  held: readonly string[],
  today: string,
): readonly ShownEdition[] {
  const isDated = shown.every(({ first_day }) => first_day !== null)
  if (!isDated) return shown.slice(-1)
  const from = (day: string): ShownEdition[] => shown.filter(({ first_day }) => (first_day ?? '') >= day)
  const last = held.at(-1)
  if (last === undefined)
    return from(shown.filter(({ first_day }) => (first_day ?? '') <= today).at(-1)?.first_day ?? '')
  const again = held.slice(-AGAIN)
  return from(again[0] ?? last).filter(({ first_day }) => (first_day ?? '') > last || again.includes(first_day ?? ''))
}

/** Downloads and loads one edition. Undefined if nothing of it has changed. */
async function takeEdition(
  run: Run,
  chart: string,
  shown: ShownEdition,
  pages: readonly Step[],
  known: ReadonlyMap<string, StoredFile>,
): Promise<string | undefined> {
  const entry = entryOf(run, chart)
  const { links, steps } = await filesOf(run, entry, shown, pages)
  const gate = entry.gate ?? links.find((link) => link.gate !== null)?.gate ?? undefined
  const isAllKnown = links.every(({ url }) => known.has(url))
  const agreement = gate === undefined ? undefined : await run.agreements.of(gate, chart)
  const request = { isOwn: isOwnHost(run), mostBytes: entry.most_mib * MIB, isArchive: true }
  const downloads: (Download | undefined)[] = []
  for (const { url } of links)
    downloads.push(await run.downloads.get(url, { ...request, before: isAllKnown ? known.get(url) : undefined }))
  if (downloads.every((download) => download === undefined || known.get(download.url)?.sha256 === download.sha256))
    return undefined
  const own: Download[] = []
  for (const [i, { url }] of links.entries()) own.push(downloads[i] ?? (await whole(run, url, request)))
  const beside = entry.beside === undefined ? [] : await newestFiles(run, entry.beside)
  const files = [...own, ...beside]
  const way: Way = {
    edition: shown.edition,
    steps: [...steps, ...files.map(({ step }) => step)],
    ...(agreement && { agreement }),
  }
  return loadEdition(run, chart, shown, files, own, way)
}

async function whole(run: Run, url: string, request: Parameters<Run['downloads']['get']>[1]): Promise<Download> {
  const download = await run.downloads.get(url, request)
  if (!download) throw new Trouble('unexpected_answer', { about: 'HTTP 304 without a condition' })
  return download
}

/** The links to the files of an edition: on the page itself, or on the edition's own. */
async function filesOf(
  run: Run,
  { detail, files, parts, yearly }: PublisherEntry,
  shown: ShownEdition,
  pages: readonly Step[],
): Promise<{ links: readonly EditionLink[]; steps: readonly Step[] }> {
  if (shown.fault) throw new Trouble(shown.fault, { about: shown.edition })
  if (!detail) return { links: shown.links, steps: pages }
  const [own] = shown.links
  if (!own) throw new Error('an edition without a link')
  const { html, step } = await run.pages.read(own.url, 'page', isOwnHost(run))
  const links = linksOn(run, html, step.url, files, yearly).filter(({ edition }) => edition === shown.edition)
  const [edition] = editionsAmong(links, parts)
  if (!edition) throw new Trouble('no_link', { about: shown.edition })
  if (edition.fault) throw new Trouble(edition.fault, { about: shown.edition })
  return { links: edition.links, steps: [...pages, step] }
}

/** The newest files of another chart, which are read beside those of this one. */
async function newestFiles(run: Run, chart: string): Promise<Download[]> {
  const entry = entryOf(run, chart)
  const { editions, steps } = await shownEditions(run, entry)
  const today = new Date(run.parts.now()).toISOString()
  const newest = editions.filter(({ first_day }) => (first_day ?? '') <= today).at(-1)
  if (!newest) throw new Trouble('no_link')
  const { links } = await filesOf(run, entry, newest, steps)
  const request = { isOwn: isOwnHost(run), mostBytes: entry.most_mib * MIB, isArchive: true }
  return Promise.all(links.map(({ url }) => whole(run, url, request)))
}

async function loadEdition(
  run: Run,
  chart: string,
  shown: ShownEdition,
  files: readonly Download[],
  own: readonly Download[],
  way: Way,
): Promise<string> {
  const { db, load } = run.parts
  const { release_id, already } = await load({
    kind: chart,
    paths: files.map(({ path }) => path),
    urls: files.map(({ url }) => url),
    retrieved_at: own[0]?.step.retrieved_at ?? '',
  })
  const release = await findRelease(db, release_id)
  if (!release) throw new Error(`${release_id} was loaded and is not there`)
  const isYearly = run.parts.publishers.charts[chart]?.yearly ?? false
  if (shown.first_day !== null && periodStart(release.effective_from, isYearly) !== shown.first_day) {
    if (!already) await discard(db, release)
    throw new Trouble('other_edition', { about: `the link says ${shown.edition}, the file ${release.effective_from}` })
  }
  await db.transaction(async (tx) => {
    await putOrigin(tx, release_id, way)
    for (const { url, entity_tag, modified, sha256 } of own)
      await putFile(tx, { chart, url, entity_tag, modified, sha256, release_id })
  })
  return release_id
}
