// The rows of a release: fetched as a stream within bounds, and written into a release file of our own. No file of somebody
// else is ever opened as a database.

import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { digestOf, type FileFolder } from '../../src/db/file-folder.ts'
import { replaceFile, syncFile, syncFolder } from '../../src/db/replace-file.ts'
import { isUnpackingError, unpacked } from '../../src/db/zstd.ts'
import { concat, fromUtf8 } from '../../src/proof/bytes.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import { MAX_LEAF_BYTES } from '../../src/proof/price/row.ts'
import { HASH_SIZE } from '../../src/proof/tree/merkle.ts'
import { tilePath, tilesOf } from '../../src/proof/tree/tiles.ts'
import { type CountedRow, countedRow, NewReleaseFile, UnfitRow } from '../../src/registry/rows/new-file-store.ts'
import { ReleaseFile } from '../../src/registry/rows/release-file-store.ts'
import { packedRows } from '../../src/registry/rows/row-stream.ts'
import type { Fetcher } from '../monitor/fetcher.ts'
import type { Parts } from '../monitor/log.ts'
import { rowIn, type SignedManifest } from '../monitor/rows.ts'
import type { StaticTree } from './static-tree.ts'

export const INDEX = '/releases/index.json'

/** Nobody signs it: it says what the manifests say, for readers of the folder. */
export const indexText = (releases: readonly Manifest[]): string =>
  JSON.stringify({
    schema: 'agent-trust-registry/release-streams@v1',
    releases: releases.map(({ release_id, row_count }) => ({ release_id, row_count })),
  })

const streamPath = ({ release_id }: Manifest): string => `/releases/${release_id}.ndjson.zst`
const tilesFolder = ({ release_id }: Manifest): string => `/log/releases/${release_id}`

/** No packed stream is larger: a row takes a few dozen bytes of it. */
const mostPacked = ({ row_count }: Manifest): number => 1024 ** 2 + row_count * 2048

interface CopyParts extends Parts {
  tree: StaticTree
  /** The release files that were written here. */
  files: FileFolder
}

/** The record of a release that was kept. It is written last of all. */
interface CopyRecord {
  rows_root: string
  /** The digest of the release file. */
  file: string
  /** The digest of the stream. */
  stream: string
}

const recordPath = (tree: StaticTree, { release_id }: Manifest): string => tree.inside(`copies/${release_id}`)

function findRecord(path: string): CopyRecord | undefined {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const [, rows_root = '', file = '', stream = ''] = /^(\S+) ([0-9a-f]{64}) ([0-9a-f]{64})\n$/.exec(text) ?? []
  return rows_root === '' ? undefined : { rows_root, file, stream }
}

function writeRecord(path: string, { rows_root, file, stream }: CopyRecord): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceFile(path, `${rows_root} ${file} ${stream}\n`)
}

/**
 * The digest of the file of a release that was kept. Undefined if a part of it is missing or has changed: disks do that.
 */
export async function findCopy(
  { tree, files }: Pick<CopyParts, 'tree' | 'files'>,
  release: Manifest,
): Promise<string | undefined> {
  const record = findRecord(recordPath(tree, release))
  if (record?.rows_root !== release.rows_root) return undefined
  if (!tree.has(tilesFolder(release)) || !tree.has(streamPath(release))) return undefined
  const isWhole =
    (await files.isWhole(record.file)) && (await digestOf(tree.path(streamPath(release)))) === record.stream
  return isWhole ? record.file : undefined
}

const incomingOf = (tree: StaticTree): string => tree.inside('incoming')
/** The temporary name of a release file that is being written. */
const WRITING = 'incoming'

/** Removes what a round left that was killed. */
export function clearIncoming({ tree, files }: Pick<CopyParts, 'tree' | 'files'>): void {
  rmSync(incomingOf(tree), { recursive: true, force: true })
  files.removeTemporary(WRITING)
}

/** Why a stream is not kept as the rows of its release. */
class StreamFault extends Error {
  constructor(
    message: string,
    readonly code: 'rows_unreadable' | 'row_hashes_wrong' = 'rows_unreadable',
  ) {
    super(message)
  }
}

/** Brings the rows of a release, and returns the digest of their file. Undefined where an alarm was raised; then nothing is kept. */
export async function bringRelease(parts: CopyParts, signed: SignedManifest): Promise<string | undefined> {
  const { tree, files, alarms } = parts
  const { release, evidence } = signed
  mkdirSync(incomingOf(tree), { recursive: true, mode: 0o700 })
  try {
    const file = await writtenFile(parts, release)
    files.keep(WRITING, file)
    writeTiles(parts, release, file)
    const stream = await writeStream(parts, release, file)
    writeRecord(recordPath(tree, release), { rows_root: release.rows_root, file, stream })
    return file
  } catch (error) {
    if (!(error instanceof StreamFault)) throw error
    alarms.raise(error.code, `${release.release_id}, ${error.message}`, evidence)
    return undefined
  } finally {
    clearIncoming(parts)
  }
}

/** Writes the release file from the stream in the folder if that is whole, and otherwise from the service. */
async function writtenFile(parts: CopyParts, release: Manifest): Promise<string> {
  const kept = parts.tree.path(streamPath(release))
  if (existsSync(kept))
    try {
      return await fileFrom(parts, release, kept)
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error
    }
  const fetched = join(incomingOf(parts.tree), 'stream')
  await download(parts.fetcher, release, fetched)
  return fileFrom(parts, release, fetched)
}

/** The end of the sentence if an agent key is needed. */
export const NO_KEY = 'no agent key was given'

/** Each piece is on its way to the disk before the next one is read. */
async function download(fetcher: Fetcher, release: Manifest, to: string): Promise<void> {
  const written = openSync(to, 'w', 0o600)
  try {
    const status = await fetcher.download(streamPath(release), mostPacked(release), (piece) => {
      for (let at = 0; at < piece.length; ) at += writeSync(written, piece, at)
    })
    if (status === undefined) throw new StreamFault('its rows did not come whole')
    const needsKey = fetcher.isForToken(status) ? `, and ${NO_KEY}` : ''
    if (status !== 200) throw new StreamFault(`its rows: answered ${status}${needsKey}`)
  } finally {
    closeSync(written)
  }
}

/** Writes the rows of a packed stream into a release file of our own, under a temporary name, and returns its digest. */
async function fileFrom({ files }: CopyParts, release: Manifest, stream: string): Promise<string> {
  const own = new NewReleaseFile({ files }, WRITING)
  try {
    for await (const rows of rowsIn(stream, release)) {
      for (const row of rows) own.add(row)
      await own.turn()
    }
    const { digest, rows_root } = await own.seal()
    if (rows_root !== release.rows_root)
      throw new StreamFault('its rows are not those that its manifest commits to', 'row_hashes_wrong')
    return digest
  } catch (error) {
    own.abandon()
    throw error instanceof UnfitRow ? new StreamFault(error.message) : error
  }
}

const LINE_FEED = 0x0a

/**
 * The rows of a packed stream, a few at a time. The stream is hostile: no more lines are read than the manifest has rows, and
 * none that is longer than any row.
 */
async function* rowsIn(stream: string, { row_count }: Manifest): AsyncGenerator<CountedRow[]> {
  let count = 0
  /** The pieces of a line that has not ended yet. */
  let begun: Uint8Array[] = []
  let begunBytes = 0
  try {
    for await (const piece of unpacked(createReadStream(stream))) {
      const rows: CountedRow[] = []
      let from = 0
      for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
        if (++count > row_count) throw new StreamFault('there are more rows than its manifest says')
        const line = concat(...begun, piece.subarray(from, end))
        const row = rowIn(line)
        if (!row) throw new StreamFault(`line ${count} of its rows is not a row`)
        rows.push(countedRow(row, fromUtf8(line)))
        from = end + 1
        begun = []
        begunBytes = 0
      }
      begun.push(piece.slice(from))
      begunBytes += piece.length - from
      if (begunBytes > MAX_LEAF_BYTES) throw new StreamFault(`line ${count + 1} of its rows is too long`)
      yield rows
    }
  } catch (error) {
    throw isUnpackingError(error) ? new StreamFault('its rows cannot be unpacked') : error
  }
  if (begunBytes > 0 || count < row_count) throw new StreamFault('there are fewer rows than its manifest says')
}

/** Writes the row hashes, as the service has them. They get their place all at once. */
function writeTiles({ tree, files }: CopyParts, release: Manifest, file: string): void {
  const building = join(incomingOf(tree), 'tiles')
  mkdirSync(building)
  const rows = new ReleaseFile(files.open(file), release.release_id)
  for (const { level, n, width } of tilesOf(release.row_count)) {
    const path = join(building, tilePath(level, n, width))
    mkdirSync(dirname(path), { recursive: true })
    const hashes = rows.anyTile(level, n).subarray(0, width * HASH_SIZE)
    writeFileSync(path, hashes, { mode: 0o600, flag: 'wx', flush: true })
  }
  const place = tree.path(tilesFolder(release))
  rmSync(place, { recursive: true, force: true })
  moveTo(building, place)
}

/** Writes the stream of the folder, and returns its digest. Bytes that were served beside the rows are not passed on. */
async function writeStream({ tree, files }: CopyParts, release: Manifest, file: string): Promise<string> {
  const path = join(incomingOf(tree), 'packed')
  await pipeline(packedRows({ files }, { ...release, file }), createWriteStream(path, { mode: 0o600 }))
  syncFile(path)
  const digest = await digestOf(path)
  moveTo(path, tree.path(streamPath(release)))
  return digest
}

function moveTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  renameSync(from, to)
  syncFolder(dirname(to))
}
