// Checks the rows of a release: their hashes lead to the manifest, and each row is one that the release can have.

import { concat, equalBytes, fromBase64, fromUtf8, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical, JsonError, parseJson } from '../../src/proof/canonical-json.ts'
import { verifyDerivation } from '../../src/proof/price/derivation.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import { type AnyRow, isAnyRow, isOfPrices, MAX_LEAF_BYTES, rowKey, rowText } from '../../src/proof/price/row.ts'
import { rowFault } from '../../src/proof/price/row-of-release.ts'
import { HASH_SIZE, leafHash } from '../../src/proof/tree/merkle.ts'
import { TILE_WIDTH, tilePath } from '../../src/proof/tree/tiles.ts'
import type { AlarmCode } from './alarm.ts'
import type { Evidence } from './evidence.ts'
import { MOST } from './fetcher.ts'
import { bodiesIn, type Parts, pieces, wrongUpperTile } from './log.ts'
import type { Depth } from './memory.ts'
import { RowTree } from './row-tree.ts'

/** A contradiction between a release and its source. */
export interface SourceFinding {
  code: 'not_at_source' | 'left_out_of_release'
  /** Which row, and why. */
  detail: string
  /** The row of the release in question, and its place. */
  row?: AnyRow
  index?: number
}
/** The comparison of a release with the files that it cites, in the order of its rows. */
export interface SourceComparison {
  take(rows: readonly AnyRow[]): Promise<SourceFinding | undefined>
  /** After the last row. */
  end(): Promise<SourceFinding | undefined>
  /** Says what could not be compared. */
  readonly notes: readonly string[]
}
/** The source files that the monitor was given. */
export interface Sources {
  /** Whether all files that a release cites are among them, by name or by digest. */
  hold(release: Manifest): boolean
  compare(release: Manifest): SourceComparison
}

/** A release, and the evidence that it is signed. */
export interface SignedManifest {
  release: Manifest
  evidence: Evidence
}

const MOST_ROWS = 20_000_000
const baseOf = ({ release_id }: Manifest): string => `/log/releases/${encodeURIComponent(release_id)}`

/** The tree over the rows of a release, from the leaf hashes that are served. Undefined where an alarm was raised. */
export async function rowHashes(
  { fetcher, alarms }: Pick<Parts, 'fetcher' | 'alarms'>,
  { release, evidence }: SignedManifest,
): Promise<RowTree | undefined> {
  const { release_id, row_count, rows_root } = release
  const missing = (what: string): undefined => {
    alarms.raise('row_hashes_missing', `${release_id}, ${what}`, evidence)
    return undefined
  }
  if (row_count > MOST_ROWS) return missing(`it claims ${row_count} rows, more than this monitor reads`)
  const tree = new RowTree()
  for (const { n, width } of pieces(0, row_count)) {
    const tile = await fetcher.part(baseOf(release), 0, n, width)
    if (!tile || tile.length < width * HASH_SIZE) return missing(tilePath(0, n, width))
    tree.add(tile.subarray(0, width * HASH_SIZE))
  }
  tree.end()
  const [found, root] = [await tree.root(), fromBase64(rows_root)]
  const isRight = root && equalBytes(found, root)
  const wrong = isRight ? await wrongUpperTile(fetcher, baseOf(release), tree.upper) : undefined
  if (isRight && wrong === undefined) return tree
  const what = isRight ? `${wrong} is not served, or does not follow from the tiles below it` : 'level 0'
  alarms.raise('row_hashes_wrong', `${release_id}, ${what}`, { ...evidence, root_of_tiles: toBase64(found) })
  return undefined
}

/** Reads every row of a release, in force or not. Returns how much was checked without an alarm. */
export async function checkRows(
  parts: Parts,
  signed: SignedManifest,
  tree: RowTree,
  sources: Sources | undefined,
): Promise<Depth> {
  const reader = new RowReader(parts, signed, tree)
  const source = sources?.compare(signed.release)
  const isContradicted = async (finding: SourceFinding | undefined): Promise<boolean> => {
    if (finding) await reader.contradict(finding)
    return finding !== undefined
  }
  for (const { n, width } of pieces(0, signed.release.row_count)) {
    const bodies = await bundleOf(parts, signed, n, width)
    const rows = bodies && (await reader.take(n, bodies))
    if (!rows || (await isContradicted(await source?.take(rows)))) return 'hashes'
  }
  if (await isContradicted(await source?.end())) return 'hashes'
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

/** A row that was read, with the leaf hashes of its tile, which prove that the release has it. */
interface ReadRow {
  key: string
  body: Uint8Array
  index: number
  tile: Uint8Array
}

/** Reads the rows of a release one bundle after the other. */
class RowReader {
  #last: ReadRow | undefined
  #tile: Uint8Array = new Uint8Array()

  constructor(
    readonly parts: Parts,
    readonly signed: SignedManifest,
    readonly tree: RowTree,
  ) {}

  raise(code: AlarmCode, detail: string, more: Evidence = {}): undefined {
    const { release, evidence } = this.signed
    this.parts.alarms.raise(code, `${release.release_id}, ${detail}`, { ...evidence, ...more })
    return undefined
  }

  /** Raises an alarm about rows of the last bundle. */
  async contradict({ code, detail, row, index }: SourceFinding): Promise<void> {
    const isShown = row !== undefined && index !== undefined
    this.raise(
      code,
      detail,
      isShown ? await this.#shown({ index, body: utf8(rowText(row)), tile: this.#tile }) : undefined,
    )
  }

  /** The rows of a bundle; undefined where an alarm was raised. */
  async take(n: number, bodies: readonly Uint8Array[]): Promise<AnyRow[] | undefined> {
    const own = concat(...bodies.map(leafHash))
    const tile = this.tree.hasTile(n, own) ? own : await this.#served(n, bodies.length)
    if (!tile) return undefined
    this.#tile = tile
    const rows: AnyRow[] = []
    for (const [i, body] of bodies.entries()) {
      const index = n * TILE_WIDTH + i
      const [from, to] = [i * HASH_SIZE, (i + 1) * HASH_SIZE]
      if (tile !== own && !equalBytes(own.subarray(from, to), tile.subarray(from, to)))
        return this.raise('row_altered', `row ${index}`, { row: toBase64(body), row_index: String(index) })
      const row = await this.#rowOf({ index, body, tile })
      if (!row) return undefined
      rows.push(row)
    }
    return rows
  }

  /** The leaf hashes of a bundle in which a row was altered: they say which one. */
  async #served(n: number, width: number): Promise<Uint8Array | undefined> {
    const served = await this.parts.fetcher.part(baseOf(this.signed.release), 0, n, width)
    if (!served) return this.raise('row_hashes_missing', tilePath(0, n, width))
    const tile = served.subarray(0, width * HASH_SIZE)
    if (!this.tree.hasTile(n, tile))
      return this.raise('row_hashes_wrong', `${tilePath(0, n, width)} was another before`)
    return tile
  }

  async #rowOf(read: Omit<ReadRow, 'key'>): Promise<AnyRow | undefined> {
    const { index, body } = read
    const row = rowIn(body)
    const fault = row ? rowFault(row, this.signed.release, this.parts.charts) : 'row_malformed'
    if (!row || fault) return this.raise('row_not_of_release', `row ${index}, ${fault}`, await this.#shown(read))
    const key = rowKey(row)
    const last = this.#last
    if (last && key <= last.key)
      return this.raise('rows_unsorted', `row ${index}, ${key} after ${last.key}`, {
        ...(await this.#shown(last, 'row_before')),
        ...(await this.#shown(read)),
      })
    const derived = isOfPrices(row) ? verifyDerivation(row) : { ok: true as const }
    if (!derived.ok)
      return this.raise('arithmetic_wrong', `row ${index}, ${key}, ${derived.reason}`, await this.#shown(read))
    this.#last = { key, ...read }
    return row
  }

  /** Shows a row, and its path to the root in the manifest. */
  async #shown({ index, body, tile }: Omit<ReadRow, 'key'>, name = 'row'): Promise<Evidence> {
    const path = (await this.tree.path(index, tile)).map(toBase64).join('\n')
    return { [name]: toBase64(body), [`${name}_index`]: String(index), [`${name}_inclusion`]: path }
  }
}

/** The row in these bytes, which are hostile. Undefined unless they are the canonical JSON of a row. */
export function rowIn(body: Uint8Array): AnyRow | undefined {
  if (body.length > MAX_LEAF_BYTES) return undefined
  try {
    const text = fromUtf8(body)
    const value: unknown = parseJson(text)
    return isAnyRow(value) && canonical(value) === text ? value : undefined
  } catch (error) {
    // Bytes that are not UTF-8 are a TypeError.
    if (error instanceof JsonError || error instanceof TypeError) return undefined
    throw error
  }
}
