// Looks for cited files by their digests: in the archive of copies, in folders, and inside zip and gzip files.

import { createHash } from 'node:crypto'
import { closeSync, createReadStream, mkdirSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { SourceArchive } from '../citations/archive.ts'
import { digestOf } from '../db/file-folder.ts'
import { isGzip } from '../files/byte-stream.ts'
import { isZip, openArchive } from '../files/zip.ts'
import { publishedName } from '../ingest/published-name.ts'
import type { Citation } from '../proof/price/release.ts'

/** A cited file that was found. */
interface FoundSource {
  /** Returns the path of the file under its cited name. It is written into the folder unless it has that name already. */
  bring(folder: string, name: string): Promise<string>
}
export type FoundSources = ReadonlyMap<string, FoundSource>

type Wanted = Pick<Citation, 'sha256' | 'bytes'>

/** Finds what it can of the wanted files. A file that cannot be read is passed over. */
export async function findSources(
  wanted: readonly Wanted[],
  archive: SourceArchive | undefined,
  places: readonly string[],
): Promise<FoundSources> {
  const found = new Map<string, FoundSource>()
  const missing = new Map(wanted.map((each) => [each.sha256, each]))
  const note = (sha256: string, source: FoundSource): void => {
    if (missing.delete(sha256)) found.set(sha256, source)
  }
  for (const { sha256 } of wanted)
    if (archive && (await archive.isSound(sha256))) note(sha256, inArchive(archive, sha256))
  for (const path of places.flatMap(filesAt)) {
    if (missing.size === 0) break
    await searchFile(path, missing, note).catch(() => undefined)
  }
  return found
}

/** All files in a folder and in its folders, or the file that was named. Links are not followed. */
function filesAt(place: string): string[] {
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function searchFile(
  path: string,
  missing: ReadonlyMap<string, Wanted>,
  note: (sha256: string, source: FoundSource) => void,
): Promise<void> {
  // Most files of a folder have another size, so that nothing of them is hashed.
  const sizes = new Set(missing.values().map(({ bytes }) => bytes))
  const { size } = statSync(path)
  if (sizes.has(size)) {
    const sha256 = await digestOf(path)
    note(sha256, asFile(path, sha256))
  }
  const head = startOf(path)
  if (isGzip(head) && [...sizes].some((each) => each % GZIP_MODULUS === gzipLength(path, size))) {
    const content = (): AsyncIterable<Uint8Array> => unpackedGzip(path, Math.max(...sizes))
    note(await digestOfStream(content()), asContent(content))
  }
  if (!isZip(head)) return
  const zip = await openArchive(path)
  try {
    for (const member of zip.members.filter((each) => sizes.has(each.size)))
      note(
        await digestOfStream(member.stream()),
        asContent(() => memberOf(path, member.path)),
      )
  } finally {
    zip.close()
  }
}

const inArchive = (archive: SourceArchive, sha256: string): FoundSource => ({
  async bring(folder, name) {
    const file = newPath(folder, name)
    if (!(await archive.bring(sha256, file))) throw new Error('a copy was removed from ARCHIVE meanwhile')
    return file
  },
})

const asFile = (path: string, sha256: string): FoundSource => ({
  async bring(folder, name) {
    if (publishedName(basename(path), sha256) === name) return path
    return asContent(() => createReadStream(path)).bring(folder, name)
  },
})

const asContent = (content: () => AsyncIterable<Uint8Array>): FoundSource => ({
  async bring(folder, name) {
    const path = newPath(folder, name)
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of content()) await file.writeFile(chunk)
    } finally {
      await file.close()
    }
    return path
  },
})

function newPath(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true })
  return join(folder, name)
}

async function* memberOf(path: string, name: string): AsyncGenerator<Uint8Array> {
  const zip = await openArchive(path)
  try {
    const member = zip.members.find((each) => each.path === name)
    if (member) yield* member.stream()
  } finally {
    zip.close()
  }
}

/** A small file may unpack to a very large one, so it is read no further than the largest file that is wanted. */
async function* unpackedGzip(path: string, most: number): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const chunk of createReadStream(path).pipe(createGunzip())) {
    read += (chunk as Uint8Array).length
    if (read > most) return
    yield chunk as Uint8Array
  }
}

async function digestOfStream(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

const startOf = (path: string): Uint8Array => bytesAt(path, 0)
/** A gzip file ends with the length of its content, modulo this. */
const GZIP_MODULUS = 2 ** 32
const gzipLength = (path: string, size: number): number =>
  new DataView(bytesAt(path, Math.max(0, size - 4)).buffer).getUint32(0, true)

function bytesAt(path: string, from: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(4)
    readSync(file, bytes, 0, 4, from)
    return bytes
  } finally {
    closeSync(file)
  }
}
