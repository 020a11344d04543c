import type { Db } from '../../db/db.ts'
import { equalBytes, toBase64 } from '../../proof/bytes.ts'
import type { PlaceRow } from '../../proof/price/row.ts'
import { rangeRoot } from '../../proof/tree/merkle.ts'
import { type Tile, TileBuilder } from '../../proof/tree/tiles.ts'
import * as store from '../store.ts'
import { ourTurn } from '../turn.ts'
import { type Totals, totalsOf } from './content-store.ts'
import { bodyHasKey, leafHashOfBody } from './row-body.ts'
import { rowSubtrees } from './staging.ts'
import type { ReleaseState } from './store.ts'

const ROWS_PER_READ = 2_000

/** Hashes and counts a release's stored rows and compares them with its stored tree and totals. Returns what is wrong, if anything. */
export async function rederive(
  db: Db,
  release: Pick<ReleaseState, 'release_no' | 'release_id' | 'row_count' | 'rows_root'>,
  onRows: (rows: number) => void = () => undefined,
): Promise<string | undefined> {
  const { release_no, release_id } = release
  // Tiles are compared as they fill up: all of them at once would take a hundred megabytes.
  let full: { tile: Tile; hashes: Uint8Array }[] = []
  const tree = new TileBuilder((tile, hashes) => full.push({ tile, hashes }))
  const findWrongTile = async (): Promise<string | undefined> => {
    const made = full
    full = []
    for (const { tile, hashes } of made) {
      const stored = await store.findRowTile(db, release_no, tile.level, tile.n)
      if (!stored || !equalBytes(stored, hashes))
        return `${release_id}: tile ${tile.level}/${tile.n} does not match the stored rows`
    }
    return undefined
  }
  const contents = new Contents()
  let after = ''
  for (;;) {
    const rows = await store.rowsAfter(db, release_no, after, ROWS_PER_READ)
    for (const { row_key, row_index, body } of rows) {
      if (row_index !== tree.size) return `${release_id}: row ${tree.size} is missing or out of order`
      if (!bodyHasKey(body, row_key)) return `${release_id}: row ${row_index} is not stored under its own key`
      tree.append(leafHashOfBody(body))
      contents.add(row_key, body)
      after = row_key
    }
    const wrong = await findWrongTile()
    if (wrong) return wrong
    if (rows.length < ROWS_PER_READ) break
    onRows(tree.size)
    await ourTurn() // agents are served while a large release is read
  }
  tree.finish()
  if (tree.size !== release.row_count) return `${release_id}: rows are missing or too many`
  const wrong = await findWrongTile()
  if (wrong) return wrong
  const root = toBase64(await rangeRoot(0, tree.size, rowSubtrees(db, release_no)))
  if (root !== release.rows_root) return `${release_id}: the rows do not hash to the root`
  const differing = contents.differing(await totalsOf(db, release_no))
  return differing && `${release_id}: what it holds by ${differing} is not what its rows say`
}

/** How the text of a place begins, and that of no other row: members are in the order of their names. */
const PLACE = '{"effective_from":'

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
