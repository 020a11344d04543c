import { type Db, StoreFault } from '../../db/db.ts'
import { equalBytes, toBase64 } from '../../proof/bytes.ts'
import type { PlaceRow } from '../../proof/price/row.ts'
import { rangeRoot } from '../../proof/tree/merkle.ts'
import { TileBuilder } from '../../proof/tree/tiles.ts'
import { BUNDLE_ROWS } from '../file/bundle.ts'
import { openRelease, type ReleaseFile, type TotalBy } from '../file/release-file-store.ts'
import { giveMemoryBack, ourTurn } from '../turn.ts'
import { bodyHasKey, leafHashOfBody } from './row-body.ts'
import type { ReleaseState } from './store.ts'

const BUNDLES_PER_READ = 64
const ROWS_PER_READ = BUNDLES_PER_READ * BUNDLE_ROWS
const ROWS_IN_MEMORY = 16 * ROWS_PER_READ

/**
 * Hashes and counts the rows of a release as they are in its file, and compares them with its tree and its totals.
 * Returns what is wrong, if anything.
 */
export async function rederive(
  db: Db,
  release: Pick<ReleaseState, 'release_id' | 'row_count' | 'rows_root' | 'file'>,
): Promise<string | undefined> {
  const { release_id, file: digest } = release
  if (digest === null || !(await db.files.isWhole(digest)))
    return `${release_id}: its file is missing, or its bytes are not those that its name says`
  try {
    return await rederiveRows(openRelease(db, release), release)
  } catch (error) {
    if (error instanceof StoreFault) return `${release_id}: ${error.message}`
    throw error
  }
}

async function rederiveRows(
  file: ReleaseFile,
  { release_id, row_count, rows_root }: Pick<ReleaseState, 'release_id' | 'row_count' | 'rows_root'>,
): Promise<string | undefined> {
  let wrongTile: string | undefined
  const tree = new TileBuilder(({ level, n }, hashes) => {
    const stored = file.findTile(level, n)
    if (!stored || !equalBytes(stored, hashes))
      wrongTile ??= `${release_id}: tile ${level}/${n} does not match the stored rows`
  })
  const contents = new Contents()
  if (file.rowCount !== row_count) return `${release_id}: rows are missing or too many`
  let last = ''
  for (let from = 0; from < row_count; from += ROWS_PER_READ) {
    const rows = file.rowsAt(from, from + ROWS_PER_READ)
    const found = file.bundlesAfter(last, BUNDLES_PER_READ)
    for (const { row_key, row_index, body } of rows) {
      if (row_key <= last) return `${release_id}: row ${row_index} is out of order`
      if (!bodyHasKey(body, row_key)) return `${release_id}: row ${row_index} is not stored under its own key`
      tree.append(leafHashOfBody(body))
      contents.add(row_key, body)
      last = row_key
    }
    if (wrongTile) return wrongTile
    const isFound = rows
      .filter(({ row_index }) => row_index % BUNDLE_ROWS === 0)
      .every(({ row_key, row_index }, i) => found[i]?.first_key === row_key && found[i]?.n === row_index / BUNDLE_ROWS)
    if (!isFound) return `${release_id}: rows are not found under their keys`
    if ((from + ROWS_PER_READ) % ROWS_IN_MEMORY === 0) giveMemoryBack()
    await ourTurn() // agents are served while a large release is read
  }
  if (file.bundlesAfter(last, 1).length > 0) return `${release_id}: rows are missing or too many`
  tree.finish()
  if (wrongTile) return wrongTile
  const root = toBase64(await rangeRoot(0, tree.size, file.subtrees()))
  if (root !== rows_root || file.header().rows_root !== root) return `${release_id}: the rows do not hash to the root`
  const differing = contents.differing({
    code: file.totals('code'),
    region: file.totals('region'),
    provider: file.totals('provider'),
  })
  return differing && `${release_id}: what it holds by ${differing} is not what its rows say`
}

/** How the text of a place begins, and that of no other row: members are in the order of their names. */
const PLACE = '{"effective_from":'

type Totals = Record<TotalBy, Map<string, number>>

/** What a release holds, counted from its keys. Rows that share code, region and provider stand together. */
class Contents {
  readonly #totals: Totals = { code: new Map(), region: new Map(), provider: new Map() }
  #shared = ''
  #rows = 0

  add(key: string, body: string): void {
    if (body.startsWith(PLACE)) this.#addPlace(JSON.parse(body) as PlaceRow)
    else if (this.#shared !== '' && key.startsWith(this.#shared)) this.#rows++
    else {
      this.#count()
      const afterRegion = key.indexOf('|', key.indexOf('|') + 1)
      this.#shared = key.slice(0, key.indexOf('|', afterRegion + 1) + 1)
      this.#rows = 1
    }
  }

  #addPlace({ zip, region }: PlaceRow): void {
    for (const [by, name] of [
      ['code', zip],
      ['region', region ?? ''],
    ] as const)
      if (name !== '') this.#totals[by].set(name, (this.#totals[by].get(name) ?? 0) + 1)
  }

  #count(): void {
    const [code = '', region = '', provider = ''] = this.#shared.split('|')
    for (const [by, name] of Object.entries({ code, region, provider }) as [keyof Totals, string][])
      if (name !== '') this.#totals[by].set(name, (this.#totals[by].get(name) ?? 0) + this.#rows)
  }

  /** By what the stored totals differ from these; nothing if they are the same. */
  differing(stored: Totals): keyof Totals | undefined {
    this.#count()
    this.#shared = ''
    return (Object.keys(stored) as (keyof Totals)[]).find((by) => !sameCounts(stored[by], this.#totals[by]))
  }
}

const sameCounts = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean =>
  a.size === b.size && [...a].every(([name, rows]) => b.get(name) === rows)
