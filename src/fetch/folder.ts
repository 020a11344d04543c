// Finds out which files of a folder are which chart's, and of which edition: by their headings, then by their names.

import { createReadStream, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { isGzip } from '../files/byte-stream.ts'
import { readSheet, sheetCount } from '../files/xlsx.ts'
import { isZip, openArchive } from '../files/zip.ts'
import { isLegible } from '../ingest/source.ts'
import { Problem } from '../problem.ts'
import type { Heading, PublisherTable } from '../tables/publishers.ts'

/** Files that are loaded together. */
export interface FolderEdition {
  chart: string
  /** The edition as far as names and headings say it: `2026 Q3`, `2026`, or nothing. */
  edition: string
  paths: readonly string[]
}

interface KnownFile {
  path: string
  chart: string
  edition: string
  heading: Heading
}

/** The endings of price lists. */
const PUBLISHED = /\.(csv|txt|tsv|dat|json|xlsx|zip)(\.gz)?$/i
const MOST_FILES = 5_000
const HEAD_BYTES = 64 * 1024
const HEAD_ROWS = 15
const MOST_SHEETS = 20
const MOST_MEMBER_BYTES = 64 * 1024 ** 2

/** The editions in a folder and below it, the oldest first, and how many files are none of them. */
export async function editionsIn(
  folder: string,
  charts: PublisherTable['charts'],
): Promise<{ editions: FolderEdition[]; unknown: number }> {
  const paths = filesIn(folder)
  const known: KnownFile[] = []
  let unknown = 0
  for (const path of paths) {
    const found = await knownAs(path, charts)
    if (found.length === 0) unknown++
    known.push(...found)
  }
  const editions = [...Map.groupBy(known, ({ chart }) => chart)].flatMap(([chart, files]) => together(chart, files))
  return { editions: editions.sort((a, b) => (a.edition < b.edition ? -1 : 1)), unknown }
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const paths = names
    .filter((name) => PUBLISHED.test(name))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
  if (paths.length > MOST_FILES)
    throw new Problem('invalid_parameter', `the folder of --from has more than ${MOST_FILES} files: name a smaller one`)
  return paths
}

async function knownAs(path: string, charts: PublisherTable['charts']): Promise<KnownFile[]> {
  const heads = await headsOf(path).catch((error: unknown) => {
    if (error instanceof Problem) return []
    throw error
  })
  const found = heads.flatMap(({ name, text }) => {
    const squashed = text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
    return Object.entries(charts).flatMap(([chart, { headings }]) => {
      const heading = headings.find((each) => fits(each, squashed, name))
      return heading ? [{ path, chart, heading, edition: editionOf(path, name, text) }] : []
    })
  })
  // An archive of a chart is given whole: the reader finds what it needs in it.
  return [...Map.groupBy(found, ({ chart }) => chart).values()].flatMap(
    (own) => own.find(({ heading }) => !heading.beside) ?? own[0] ?? [],
  )
}

function fits({ has, named, not_named }: Heading, squashed: string, name: string): boolean {
  if (named !== undefined && !new RegExp(named, 'i').test(name)) return false
  if (not_named !== undefined && new RegExp(not_named, 'i').test(name)) return false
  return has.every((words) => squashed.includes(words))
}

interface Head {
  name: string
  text: string
}

/** The beginnings of a file, or of each member of an archive. */
async function headsOf(path: string): Promise<Head[]> {
  const first = new Uint8Array(await Bun.file(path).slice(0, 4).arrayBuffer())
  const name = basename(path)
  if (isZip(first)) {
    if (/\.xlsx$/i.test(path)) return [{ name, text: sheetText(await Bun.file(path).bytes()) }]
    return memberHeads(path)
  }
  const stream = createReadStream(path, isGzip(first) ? {} : { end: HEAD_BYTES - 1 })
  const bytes = await beginning(isGzip(first) ? stream.pipe(createGunzip()) : stream)
  stream.destroy()
  return [{ name, text: decoded(bytes) }]
}

async function memberHeads(path: string): Promise<Head[]> {
  const archive = await openArchive(path)
  try {
    const heads: Head[] = []
    for (const member of archive.members) {
      if (!isLegible(member.path)) continue
      const isBook = /\.xlsx$/i.test(member.path)
      if (isBook && member.size > MOST_MEMBER_BYTES) continue
      const text = isBook ? sheetText(member.unpack(MOST_MEMBER_BYTES)) : decoded(await beginning(member.stream()))
      heads.push({ name: `${basename(path)} ${member.name}`, text })
    }
    return heads
  } finally {
    archive.close()
  }
}

async function beginning(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of pieces) {
      read.push(piece)
      size += piece.length
      if (size >= HEAD_BYTES) break
    }
  } catch (cause) {
    throw new Problem('source_unreadable', 'a file cannot be unpacked', { cause })
  }
  return new Uint8Array(Buffer.concat(read).subarray(0, HEAD_BYTES))
}

const decoded = (bytes: Uint8Array): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'windows-1252').decode(bytes)

function sheetText(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let sheet = 0; sheet < Math.min(MOST_SHEETS, sheetCount(bytes)); sheet++) {
    let rows = 0
    for (const { cells } of readSheet(bytes, sheet).rows) {
      lines.push(cells.join(','))
      if (++rows >= HEAD_ROWS) break
    }
  }
  return lines.join('\n')
}

const MONTHS = ['jan', 'apr', 'jul', 'oct']
const TITLE_CHARACTERS = 600

/** The edition by the name of the file, else by its title, else by the name of its folder. */
function editionOf(path: string, name: string, text: string): string {
  const titles = [name, text.slice(0, TITLE_CHARACTERS), basename(dirname(path))]
  const stated = titles.map(quarterIn)
  const quarter = stated.find((each) => each?.includes('Q'))
  const year = stated.find((each) => each !== undefined)
  // A title may say the year alone where the folder says the quarter.
  return (quarter?.startsWith(year?.slice(0, 4) ?? '') ? quarter : year) ?? ''
}

function quarterIn(title: string): string | undefined {
  const [, short, letter] = /RVU(?:20)?([0-9]{2})([A-D])/i.exec(title) ?? []
  if (short !== undefined) return `20${short} Q${'ABCD'.indexOf((letter ?? '').toUpperCase()) + 1}`
  const [, year, quarter] = /(20[0-9]{2})[^0-9A-Za-z]{0,2}Q([1-4])(?![0-9])/i.exec(title) ?? []
  if (year !== undefined) return `${year} Q${quarter}`
  const [, of, month] = /(20[0-9]{2})[-_.]?(01|04|07|10)(?![0-9])/.exec(title) ?? []
  if (of !== undefined) return `${of} Q${(Number(month) + 2) / 3}`
  const [, first, later] = /(?:^|[^0-9])(0[147]|10)-[0-9]{2}-(20[0-9]{2})/.exec(title) ?? []
  if (later !== undefined) return `${later} Q${(Number(first) + 2) / 3}`
  const named =
    /(?<year>20[0-9]{2})[^0-9a-z]{0,3}(?<month>jan|apr|jul|oct)/i.exec(title)?.groups ??
    /(?<month>jan|apr|jul|oct)[a-z]*[^0-9a-z]{0,3}(?:[0-9]{1,2}, )?(?<year>20[0-9]{2})/i.exec(title)?.groups ??
    /(?<short>2[0-9])[-_]?(?<month>JAN|APR|JUL|OCT)/.exec(title)?.groups
  if (named) {
    const full = named['year'] ?? `20${named['short']}`
    return `${full} Q${MONTHS.indexOf((named['month'] ?? '').toLowerCase()) + 1}`
  }
  return /(?<![0-9])20[0-9]{2}(?![0-9])/.exec(title)?.[0]
}

/** Files of one edition, with those beside them that fit best: of the same edition, else of the same folder, else of the year. */
function together(chart: string, files: readonly KnownFile[]): FolderEdition[] {
  const own = files.filter(({ heading }) => !heading.beside)
  const beside = files.filter(({ heading }) => heading.beside)
  // Each hospital's file is an edition of its own.
  const groups = Map.groupBy(own, (file) => (chart === 'hospital-mrf' ? file.path : file.edition))
  return [...groups.values()].map((group) => {
    const [{ edition, path }] = group as [KnownFile, ...KnownFile[]]
    const kinds = Map.groupBy(beside, ({ heading }) => heading)
    const chosen = [...kinds].flatMap(([{ of_year = false }, all]) => {
      const of = (fit: (file: KnownFile) => boolean): KnownFile[] => all.filter(fit)
      const sameEdition = of((file) => file.edition === edition && edition !== '')
      const sameFolder = of((file) => dirname(file.path) === dirname(path))
      const sameYear = of((file) => file.edition.slice(0, 4) === edition.slice(0, 4)).slice(-1)
      return [sameEdition, sameFolder, of_year ? sameYear : []].find((each) => each.length > 0) ?? []
    })
    return { chart, edition, paths: [...group, ...chosen].map((file) => file.path) }
  })
}
