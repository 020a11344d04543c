import { type Db, StoreFault } from '../../db/db.ts'
import { packed } from '../../db/zstd.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { GrowingTree, leafHash } from '../../proof/tree/merkle.ts'
import { type FiledRelease, openRelease } from './release-file-store.ts'

// The rows of a release as a stream, for exports and mirrors: one line for each row, exactly the bytes that were hashed, in
// the order of the keys.

/** Few, because others wait for the event loop while these are unpacked. */
const ROWS_PER_READ = 256
const PIECE_BYTES = 256 * 1024

/** A release that was staged: published or not. */
export interface RowSource extends FiledRelease {
  row_count: number
  rows_root: string
}

type Files = Pick<Db, 'files'>

/** The text of each row. It is hashed on its way out: the stream ends in a fault if the whole is not what was staged. */
export async function* rowTexts(db: Files, release: RowSource): AsyncGenerator<string> {
  const tree = new GrowingTree()
  const file = openRelease(db, release)
  for (let from = 0; from < file.rowCount; from += ROWS_PER_READ)
    for (const { body } of file.rowsAt(from, from + ROWS_PER_READ)) {
      tree.add(leafHash(utf8(body)))
      yield body
    }
  if (tree.size !== release.row_count || toBase64(tree.root) !== release.rows_root) throw otherRows(release)
}

export const otherRows = ({ release_id }: RowSource, cause?: unknown): StoreFault =>
  new StoreFault(`the rows of ${release_id} are not those that were published: run \`atr fsck\``, { cause })

export const ndjson = (db: Files, release: RowSource): AsyncGenerator<Uint8Array> =>
  inPieces(
    (async function* () {
      for await (const text of rowTexts(db, release)) yield `${text}\n`
    })(),
  )

/** The rows under Zstandard, as they are served and as mirrors keep them. */
export const packedRows = (db: Files, release: RowSource): AsyncGenerator<Uint8Array> => packed(ndjson(db, release))

/** Joins short texts, which would take long to send one by one. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let parts: string[] = []
  let size = 0
  for await (const part of texts) {
    parts.push(part)
    size += part.length
    if (size < PIECE_BYTES) continue
    yield utf8(parts.join(''))
    parts = []
    size = 0
  }
  if (size > 0) yield utf8(parts.join(''))
}

interface LoggedRelease extends FiledRelease {
  file: string
  row_count: number
  log_index: number
  manifest: { rows_root: string }
}

/** The rows of releases, for others to fetch. `releases` are those that the public log names. */
export const rowStreams = (db: Files, releases: () => Promise<readonly LoggedRelease[]>) => ({
  /** Which releases there is a stream of, in the order of the log: one whose file is not here is left out. */
  async list() {
    const ordered = (await releases()).toSorted((a, b) => a.log_index - b.log_index)
    return ordered
      .filter(({ file }) => db.files.has(file))
      .map(({ release_id, row_count }) => ({ release_id, row_count }))
  },
  /** The packed rows of a release. A release with rows that failed their verification is a fault. */
  async find(release_id: string) {
    const release = (await releases()).find((each) => each.release_id === release_id)
    if (!release) return undefined
    const opened = openRelease(db, release)
    if (opened.failed.length > 0 || !db.files.has(release.file)) throw opened.fault()
    const { rows_root } = release.manifest
    return { rows_root, open: () => packedRows(db, { ...release, rows_root }) }
  },
})
