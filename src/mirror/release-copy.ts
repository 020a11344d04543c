// The file of a release: fetched, unpacked within bounds, derived again from its own rows, and only then kept.

import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StoreFault } from '../db/db.ts'
import { digestOf, FileFolder } from '../db/file-folder.ts'
import { syncFile, syncFolder } from '../db/replace-file.ts'
import { unpack } from '../db/s3-files.ts'
import { type Fetcher, MOST, textOf } from '../monitor/fetcher.ts'
import type { Parts } from '../monitor/log.ts'
import type { SignedManifest } from '../monitor/rows.ts'
import type { Manifest } from '../proof/price/release.ts'
import { closed, count, listOf, matches, oneOf, token } from '../proof/shape.ts'
import { HASH_SIZE } from '../proof/tree/merkle.ts'
import { tilePath, tilesOf } from '../proof/tree/tiles.ts'
import { rederive } from '../registry/release/rederive.ts'
import { hasOwnSchema } from '../registry/rows/file-summary-store.ts'
import { ReleaseFile } from '../registry/rows/release-file-store.ts'
import type { StaticTree } from './static-tree.ts'

export const INDEX = '/releases/index.json'
const INDEX_SCHEMA = 'agent-trust-registry/release-files@v1'
export const fileName = (file: string): string => `/releases/${file}.atr.zst`

/** What an index says of a release. Nobody signs it: what it names is checked against the manifest. */
export interface IndexEntry {
  release_id: string
  file: string
  bytes: number
}

const isIndex = closed({
  schema: oneOf(INDEX_SCHEMA),
  files: listOf(closed({ release_id: token, file: matches(/^[0-9a-f]{64}$/), bytes: count }), 1_000_000),
})

export function parseIndex(text: string | undefined): IndexEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isIndex(value) ? (value as { files: IndexEntry[] }).files : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export const indexText = (files: readonly IndexEntry[]): string => JSON.stringify({ schema: INDEX_SCHEMA, files })

export const fetchIndex = async (fetcher: Fetcher): Promise<IndexEntry[] | undefined> =>
  parseIndex(textOf(await fetcher.bytes(INDEX, MOST.page)))

/** No release file has more: a row takes a few dozen bytes of it, and the rest is its tree. */
const mostBytes = ({ row_count }: Manifest): number => 1024 ** 2 + row_count * 2048
/** What does not get smaller by compression gets a little larger. */
const mostPacked = (bytes: number): number => bytes + Math.ceil(bytes / 100) + 64 * 1024

interface CopyParts extends Parts {
  tree: StaticTree
  /** Where unpacked files are that were derived again. */
  files: FileFolder
}

/**
 * Whether a file that is here is that of the release. Files get their name here only when they were derived again, and are read
 * once more, because a disk can change them: one that was changed is fetched again.
 */
export async function isHere(
  { tree, files }: Pick<CopyParts, 'tree' | 'files'>,
  release: Manifest,
  file: string,
): Promise<boolean> {
  if (!tree.has(fileName(file)) || !tree.has(tilesFolder(release)) || !(await files.isWhole(file))) return false
  try {
    const { row_count, rows_root } = new ReleaseFile(files.open(file), release.release_id).header()
    return row_count === release.row_count && rows_root === release.rows_root
  } catch (error) {
    if (error instanceof StoreFault) return false
    throw error
  }
}

/** Where the file of a release is until it was derived again. */
const incomingOf = (tree: StaticTree): string => tree.inside('incoming')

/** What a round that was killed left behind, also when it ended after the last file was kept. */
export const clearIncoming = (tree: StaticTree): void => rmSync(incomingOf(tree), { recursive: true, force: true })

/** Brings the file of a release. False where an alarm was raised; then nothing of it is kept. */
export async function bringRelease(parts: CopyParts, signed: SignedManifest, entry: IndexEntry): Promise<boolean> {
  const { tree, alarms } = parts
  const { release, evidence } = signed
  const incoming = new FileFolder(incomingOf(tree))
  mkdirSync(incoming.path, { recursive: true, mode: 0o700 })
  try {
    const wrong = await copied(parts, release, entry, incoming)
    if (wrong === undefined) return true
    alarms.raise(wrong.code, `${release.release_id}, ${wrong.what}`, { ...evidence, file: entry.file })
    return false
  } finally {
    incoming.close()
    clearIncoming(tree)
  }
}

interface Complaint {
  code: 'rows_unreadable' | 'row_hashes_wrong'
  what: string
}
const unreadable = (what: string): Complaint => ({ code: 'rows_unreadable', what })

async function copied(
  { tree, fetcher, files }: CopyParts,
  release: Manifest,
  { file, bytes }: IndexEntry,
  incoming: FileFolder,
): Promise<Complaint | undefined> {
  if (bytes > mostBytes(release)) return unreadable(`its file would have ${bytes} bytes, more than its rows can take`)
  const kept = tree.path(fileName(file))
  // One that is here and cannot be used is fetched again, in its place.
  const isKept = existsSync(kept) && (await isUnpacked(kept, file, bytes, incoming))
  const packed = join(incoming.path, 'packed')
  if (!isKept) {
    const status = await download(fetcher, file, packed, mostPacked(bytes))
    if (status !== 200)
      return unreadable(
        status === undefined ? 'its file did not come whole' : `its file: ${answerText(fetcher, status)}`,
      )
    if (!(await isUnpacked(packed, file, bytes, incoming)))
      return unreadable('its file cannot be unpacked to the bytes that its name says')
  }
  const wrong = await faultIn(incoming, release, file)
  if (wrong) return wrong
  writeTiles(tree, incoming, release, file)
  if (!isKept) {
    syncFile(packed)
    moveTo(packed, kept)
  }
  moveTo(incoming.pathOf(file), files.pathOf(file))
  return undefined
}

/** How the sentence ends if whoever mirrors has to give a key. */
export const NO_KEY = 'no agent key was given'
const answerText = (fetcher: Fetcher, status: number): string =>
  `answered ${status}${fetcher.isForToken(status) ? `, and ${NO_KEY}` : ''}`

/** Each piece is on its way to the disk before the next one is read. */
async function download(fetcher: Fetcher, file: string, to: string, most: number): Promise<number | undefined> {
  const written = openSync(to, 'w', 0o600)
  try {
    return await fetcher.download(fileName(file), most, (piece) => {
      for (let at = 0; at < piece.length; ) at += writeSync(written, piece, at)
    })
  } finally {
    closeSync(written)
  }
}

/** Unpacks a file, and gives it its name if it has the bytes that this says, neither more nor fewer. */
async function isUnpacked(packed: string, file: string, bytes: number, incoming: FileFolder): Promise<boolean> {
  const path = incoming.temporaryPath(file)
  const isWhole =
    (await unpack(createReadStream(packed), path, bytes)) &&
    statSync(path).size === bytes &&
    (await digestOf(path)) === file
  if (!isWhole) return false
  syncFile(path)
  incoming.keep(file, file)
  return true
}

/** Whether the rows are those that the manifest commits to, and nothing but rows is in the file. */
async function faultIn(incoming: FileFolder, release: Manifest, file: string): Promise<Complaint | undefined> {
  const sealed = incoming.openAnew(file)
  try {
    if (!hasOwnSchema(sealed)) return unreadable('its file is not a release file')
  } catch {
    return unreadable('its file cannot be read')
  } finally {
    sealed.close()
  }
  const verdict = await rederive({ files: incoming }, { ...release, file, contents: null })
  const [fault] = verdict.faults
  return fault === undefined
    ? undefined
    : { code: 'row_hashes_wrong', what: fault.replace(`${release.release_id}: `, '') }
}

const tilesFolder = ({ release_id }: Manifest): string => `/log/releases/${release_id}`

/** The row hashes, as the service has them. They get their place all at once. */
function writeTiles(tree: StaticTree, incoming: FileFolder, release: Manifest, file: string): void {
  const place = tree.path(tilesFolder(release))
  if (existsSync(place)) return
  const building = join(incoming.path, 'tiles')
  mkdirSync(building)
  const rows = new ReleaseFile(incoming.open(file), release.release_id)
  for (const { level, n, width } of tilesOf(release.row_count)) {
    const path = join(building, tilePath(level, n, width))
    mkdirSync(dirname(path), { recursive: true })
    const written = openSync(path, 'wx', 0o600)
    writeSync(written, rows.anyTile(level, n).subarray(0, width * HASH_SIZE))
    closeSync(written)
    syncFile(path)
  }
  moveTo(building, place)
}

function moveTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  renameSync(from, to)
  syncFolder(dirname(to))
}
