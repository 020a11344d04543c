import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isGzip } from '../files/byte-stream.ts'
import { readWhole, refuseUnreadable } from '../files/plain-file.ts'
import { unreadable } from '../files/unreadable.ts'
import { type Archive, isZip, openArchive, openArchiveBytes } from '../files/zip.ts'
import { Problem } from '../problem.ts'
import { toHex } from '../proof/bytes.ts'
import type { Citation } from '../proof/price/release.ts'
import { sha256 } from '../proof/sha256.ts'
import { publishedName } from './published-name.ts'

/** A source file as the publisher made it: its bytes, its name and its text. */
export interface Source {
  /** The name in citations. */
  file: string
  /** The name that the operator or the archive has, if it is another: to look for a quarter in, never to show. */
  name?: string
  bytes: Uint8Array
  /** Empty for a workbook, which is read by its bytes. */
  text: string
  sha256: string
  kind?: 'text' | 'xlsx'
  /** The number of the sheet of a workbook, where each is a table of its own. */
  sheet?: number
  /** The name of the archive that it was in: CMS names its editions so. Never to show either. */
  archive?: string
  /** The file that it was read from, or out of. */
  path?: string
}

/** For files that are read whole. Larger files are streamed. */
const MAX_MIB = 256
export const MAX_BYTES = MAX_MIB * 1024 * 1024
const MAX_RATIO = 100
const TEXT_MEMBER = /\.(csv|txt|tsv|dat|asc|json)$/i
const WORKBOOK = /\.xlsx$/i
export const isLegible = (path: string): boolean => TEXT_MEMBER.test(path) || WORKBOOK.test(path)

/** Reads one file, plain or gzipped, or the only one in an archive. */
export async function readSource(path: string): Promise<Source> {
  const [source, ...more] = await readSources(path)
  if (!source || more.length > 0) throw unreadable('the archive holds several files: unpack it and give only one')
  return source
}

/**
 * The files at a path: one, plain or gzipped, or every text file and workbook of a zip. The digest of a plain or
 * gzipped file is of the file as published, that of a member is of its own bytes: a stranger can compare both.
 */
export const readSources = (path: string): Promise<Source[]> => readMembers(path, /./)

/** Reads the members of an archive that have such a name, where others may be too large. */
export async function readMembers(path: string, named: RegExp): Promise<Source[]> {
  refuseUnreadable(path)
  const head = new Uint8Array(await Bun.file(path).slice(0, 4).arrayBuffer())
  const isArchive = isZip(head) && !WORKBOOK.test(path)
  const sources = isArchive ? membersOf(await openArchive(path), path, named) : [wholeFile(path)]
  return sources.map((source) => ({ ...source, path }))
}

const wholeFile = (path: string): Source =>
  sourceOf(basename(path), readWhole(path, MAX_BYTES, `the file is larger than ${MAX_MIB} MiB`))

function membersOf(archive: Archive, path: string, named: RegExp): Source[] {
  try {
    const { members } = archive
    // A workbook that lost its ending is still a workbook, and is cited as the file it is.
    if (members.some((member) => member.path === 'xl/workbook.xml')) return [wholeFile(path)]
    const legible = members.filter((member) => isLegible(member.path))
    const wanted = legible.filter(({ name }) => legible.length === 1 || named.test(name))
    if (wanted.length === 0 && members.some((member) => /\.xls$/i.test(member.path)))
      throw unreadable('the archive holds a workbook of the old kind (.xls): unpack it, and save it as .xlsx or CSV')
    if (wanted.length === 0) throw unreadable('the archive holds no text file and no workbook')
    if (wanted.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES)
      throw unreadable(`the files of the archive are larger than ${MAX_MIB} MiB together`)
    return wanted.map((member) => {
      const bytes = member.unpack(MAX_BYTES)
      if ((isZip(bytes) && !WORKBOOK.test(member.path)) || isGzip(bytes))
        throw unreadable('the archive holds another archive: unpack it and give the files themselves')
      return { ...memberOf(member.name, bytes, wanted.length), archive: basename(path) }
    })
  } finally {
    archive.close()
  }
}

/** A member that cannot be read may be the one that is needed: it is never left out, but the refusal says that there are others. */
function memberOf(name: string, bytes: Uint8Array, of: number): Source {
  try {
    return sourceOf(name, bytes)
  } catch (error) {
    if (!(error instanceof Problem) || of === 1) throw error
    throw unreadable(
      `one of the ${of} files in the archive cannot be read: unpack it, and give those that are needed (${error.detail})`,
    )
  }
}

function sourceOf(name: string, bytes: Uint8Array): Source {
  const digest = toHex(sha256(bytes))
  const named = { file: publishedName(name, digest), name, bytes, sha256: digest }
  if (isZip(bytes)) {
    openArchiveBytes(bytes).close() // refuses what is not a sound archive, while the file is at hand
    return { ...named, text: '', kind: 'xlsx' }
  }
  return { ...named, text: decode(isGzip(bytes) ? unzip(bytes) : bytes), kind: 'text' }
}

/** A small file that unpacks to a very large one is a bomb, not a price list. */
function unzip(bytes: Uint8Array): Uint8Array {
  try {
    return new Uint8Array(gunzipSync(bytes, { maxOutputLength: Math.min(MAX_BYTES, bytes.length * MAX_RATIO) }))
  } catch (cause) {
    throw new Problem('source_unreadable', 'the file begins like gzip but cannot be unpacked within the limits', {
      cause,
    })
  }
}

/** Files that are often given in place of a price list: how they begin, and what to do. */
const OTHER_KINDS: readonly [RegExp, string][] = [
  [/^%PDF/, 'the file is a PDF: get the CSV, text or xlsx file that the publisher offers beside it'],
  [/^\u00d0\u00cf\u0011\u00e0/, 'the file is a workbook of the old kind (.xls): save it as .xlsx or CSV'],
  // A server that refuses often answers with a page instead of the file.
  [/^\s*<(!doctype|html)/i, 'the file is a web page, not a price list: download it again from the publisher'],
]

/** UTF-8 where it is valid, Windows-1252 where not: publishers use both and say neither. UTF-16 says so. */
export function decode(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  const other = OTHER_KINDS.find(([begins]) => begins.test(head))
  if (other) throw unreadable(other[1])
  const text = decoded(bytes)
  if (text.includes('\0')) throw unreadable('the file is not text: it has NUL bytes')
  return text
}

function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The facts that a citation has of a file, which may be too large to be in memory. */
export type Citable = Pick<Source, 'file' | 'sha256' | 'path'> & { bytes: { length: number } }

export interface Provenance {
  url: string
  retrieved_at: string
}

const MEDIA_TYPES: readonly [RegExp, string][] = [
  [/\.csv/i, 'text/csv'],
  [/\.json/i, 'application/json'],
  [/\.xlsx/i, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
]

export function citation(source: Citable, title: string, { url, retrieved_at }: Provenance): Citation {
  return {
    title,
    url,
    file: source.file,
    sha256: source.sha256,
    bytes: source.bytes.length,
    media_type: MEDIA_TYPES.find(([name]) => name.test(source.file))?.[1] ?? 'text/plain',
    retrieved_at,
  }
}
