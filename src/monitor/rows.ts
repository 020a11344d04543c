// The rows of a release: their hashes lead to the manifest, and each row is one that the release can have.

import { equalBytes, fromBase64, fromUtf8, toBase64, utf8 } from '../proof/bytes.ts'
import { canonical, JsonError, parseJson } from '../proof/canonical-json.ts'
import { verifyDerivation } from '../proof/price/derivation.ts'
import type { Manifest } from '../proof/price/release.ts'
import { type AnyRow, isAnyRow, MAX_LEAF_BYTES, rowKey, rowText } from '../proof/price/row.ts'
import { rowFault } from '../proof/price/row-of-release.ts'
import { GrowingTree, HASH_SIZE, type Hash, leafHash } from '../proof/tree/merkle.ts'
import { TILE_WIDTH, tilePath } from '../proof/tree/tiles.ts'
import type { AlarmCode } from './alarm.ts'
import { type Evidence, treeOf } from './evidence.ts'
import { MOST } from './fetcher.ts'
import { bodiesIn, type Parts, pieces } from './log.ts'
import { type Depth, hashesIn } from './memory.ts'
import { wrongUpperTile } from './upper-tiles.ts'

/** What a source says against a release. */
export interface SourceFinding {
  code: 'not_at_source' | 'left_out_of_release'
  /** Which row, and why. */
  detail: string
  /** The row of the release that it is about, and its place. */
  row?: AnyRow
  index?: number
}
/** A release as it is compared with the files that it cites, in the order of its rows. */
export interface SourceReading {
  take(rows: readonly AnyRow[]): Promise<SourceFinding | undefined>
  /** After the last row. */
  end(): Promise<SourceFinding | undefined>
  /** What could not be compared, if anything. */
  readonly notes: readonly string[]
}
/** The files at hand that releases cite. */
export interface Sources {
  /** Whether all files that a release cites are at hand, by name or by digest. */
  hold(release: Manifest): boolean
  read(release: Manifest): SourceReading
}

/** A release, and what shows that it is signed. */
export interface SignedManifest {
  release: Manifest
  evidence: Evidence
}

const MOST_ROWS = 20_000_000
const baseOf = ({ release_id }: Manifest): string => `/log/releases/${encodeURIComponent(release_id)}`

/** The leaf hashes of a release, if they lead to its root. */
export async function rowHashes(
  { fetcher, alarms }: Parts,
  { release, evidence }: SignedManifest,
): Promise<Uint8Array[] | undefined> {
  const { release_id, row_count, rows_root } = release
  const missing = (what: string): undefined => {
    alarms.raise('row_hashes_missing', `${release_id}, ${what}`, evidence)
    return undefined
  }
  if (row_count > MOST_ROWS) return missing(`it claims ${row_count} rows, more than this monitor reads`)
  const tree = new GrowingTree()
  const tiles: Uint8Array[] = []
  for (const { n, width } of pieces(0, row_count)) {
    const tile = await fetcher.part(baseOf(release), 0, n, width)
    if (!tile || tile.length < width * HASH_SIZE) return missing(tilePath(0, n, width))
    const hashes = tile.subarray(0, width * HASH_SIZE)
    for (const hash of hashesIn(hashes)) tree.add(hash)
    tiles.push(hashes)
  }
  const root = fromBase64(rows_root)
  const isRight = root && equalBytes(tree.root, root)
  const wrong = isRight ? await wrongUpperTile(fetcher, baseOf(release), leavesIn(tiles)) : undefined
  if (isRight && wrong === undefined) return tiles
  const what = isRight ? `${wrong} is not served, or does not follow from the tiles below it` : 'level 0'
  alarms.raise('row_hashes_wrong', `${release_id}, ${what}`, { ...evidence, root_of_tiles: toBase64(tree.root) })
  return undefined
}

function* leavesIn(tiles: readonly Uint8Array[]): Generator<Hash> {
  for (const tile of tiles) yield* hashesIn(tile)
}

/** Reads every row of a release, in force or not. How far it came without an alarm. */
export async function checkRows(
  parts: Parts,
  signed: SignedManifest,
  tiles: readonly Uint8Array[],
  sources: Sources | undefined,
): Promise<Depth> {
  const reading = new RowReader(parts, signed, tiles)
  const source = sources?.read(signed.release)
  const isContradicted = (finding: SourceFinding | undefined): boolean => {
    if (finding) reading.contradict(finding)
    return finding !== undefined
  }
  for (const { n, width } of pieces(0, signed.release.row_count)) {
    const bodies = await bundleOf(parts, signed, n, width)
    const rows = bodies && reading.take(n * TILE_WIDTH, bodies)
    if (!rows || isContradicted(await source?.take(rows))) return 'hashes'
  }
  if (isContradicted(await source?.end())) return 'hashes'
  for (const note of source?.notes ?? []) parts.alarms.note(`${signed.release.release_id}, ${note}`)
  return source ? 'source' : 'rows'
}

async function bundleOf(
  { fetcher, alarms }: Parts,
  { release, evidence }: SignedManifest,
  n: number,
  width: number,
): Promise<Uint8Array[] | undefined> {
  const path = `${baseOf(release)}/${tilePath('entries', n, width)}`
  const fetched = await fetcher.get(path, MOST.bundle, true)
  const bodies = fetched?.status === 200 ? bodiesIn(fetched.bytes) : []
  if (bodies.length === width) return bodies
  const answer = !fetched ? 'no answer' : fetched.status === 200 ? 'too few rows' : `answered ${fetched.status}`
  alarms.raise('rows_unreadable', `${release.release_id}, rows from ${n * TILE_WIDTH} on, ${answer}`, evidence)
  return undefined
}

/** What has been read of a release so far. */
class RowReader {
  #last: { key: string; body: Uint8Array; index: number } | undefined
  #hashes: Hash[] | undefined

  constructor(
    readonly parts: Parts,
    readonly signed: SignedManifest,
    readonly tiles: readonly Uint8Array[],
  ) {}

  raise(code: AlarmCode, detail: string, more: Evidence = {}): undefined {
    const { release, evidence } = this.signed
    this.parts.alarms.raise(code, `${release.release_id}, ${detail}`, { ...evidence, ...more })
    return undefined
  }

  contradict({ code, detail, row, index }: SourceFinding): void {
    const shown = row && index !== undefined ? this.#shown({ index, body: utf8(rowText(row)) }) : {}
    this.raise(code, detail, shown)
  }

  /** The rows that these bodies are; undefined where an alarm was raised. */
  take(from: number, bodies: readonly Uint8Array[]): AnyRow[] | undefined {
    const rows: AnyRow[] = []
    for (const [i, body] of bodies.entries()) {
      const row = this.#rowOf(from + i, body)
      if (!row) return undefined
      rows.push(row)
    }
    return rows
  }

  #rowOf(index: number, body: Uint8Array): AnyRow | undefined {
    const hash = this.tiles[Math.floor(index / TILE_WIDTH)]?.subarray((index % TILE_WIDTH) * HASH_SIZE)
    if (!hash || !equalBytes(hash.subarray(0, HASH_SIZE), leafHash(body)))
      return this.raise('row_altered', `row ${index}`, { row: toBase64(body), row_index: String(index) })
    const row = rowIn(body)
    const fault = row ? rowFault(row, this.signed.release, this.parts.charts) : 'row_malformed'
    if (!row || fault) return this.raise('row_not_of_release', `row ${index}, ${fault}`, this.#shown({ index, body }))
    const key = rowKey(row)
    const last = this.#last
    if (last && key <= last.key)
      return this.raise('rows_unsorted', `row ${index}, ${key} after ${last.key}`, {
        ...this.#shown(last, 'row_before'),
        ...this.#shown({ index, body }),
      })
    const derived = row.kind === 'place' ? { ok: true as const } : verifyDerivation(row)
    if (!derived.ok)
      return this.raise('arithmetic_wrong', `row ${index}, ${key}, ${derived.reason}`, this.#shown({ index, body }))
    this.#last = { key, body, index }
    return row
  }

  /** A row and its path to the root that the manifest has. */
  #shown({ index, body }: { index: number; body: Uint8Array }, name = 'row'): Evidence {
    this.#hashes ??= [...leavesIn(this.tiles)]
    const path = treeOf(this.#hashes).path(index).map(toBase64).join('\n')
    return { [name]: toBase64(body), [`${name}_index`]: String(index), [`${name}_inclusion`]: path }
  }
}

function rowIn(body: Uint8Array): AnyRow | undefined {
  try {
    const text = fromUtf8(body)
    const value: unknown = parseJson(text)
    return body.length <= MAX_LEAF_BYTES && isAnyRow(value) && canonical(value) === text ? value : undefined
  } catch (error) {
    // Bytes that are not UTF-8 are a TypeError.
    if (error instanceof JsonError || error instanceof TypeError) return undefined
    throw error
  }
}
