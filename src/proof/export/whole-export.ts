// A whole release as it is exported, in any of the three formats: the tree over its rows.

import { toBase64, utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import type { Manifest } from '../price/release.ts'
import { GrowingTree, leafHash } from '../tree/merkle.ts'
import { csvRows } from './csv-rows.ts'
import { isCsv } from './format.ts'
import { parquetFacts, parquetRows } from './parquet-rows.ts'

export interface ExportTree {
  row_count: number
  rows_root: string
}

/** Undefined if anything in it is not a row as it was published. */
export async function treeOfExport(content: string | Uint8Array): Promise<ExportTree | undefined> {
  const tree = new GrowingTree()
  for await (const row of rowsOf(content)) {
    if (row === undefined) return undefined
    tree.add(leafHash(utf8(row)))
  }
  return { row_count: tree.size, rows_root: toBase64(tree.root) }
}

function rowsOf(content: string | Uint8Array): AsyncIterable<string | undefined> | Iterable<string | undefined> {
  if (typeof content !== 'string') return parquetRows(content)
  return isCsv(content) ? csvRows(content) : content.split('\n').filter((line) => line !== '')
}

/** Whether an export has the rows of a release that was proved: all of them, and no other. */
export async function isWholeExport(content: string | Uint8Array, release: Manifest): Promise<boolean> {
  const tree = await treeOfExport(content)
  const isWhole = tree?.row_count === release.row_count && tree.rows_root === release.rows_root
  return isWhole && (typeof content === 'string' || factsHold(parquetFacts(content), release))
}

/** A Parquet file names its release, and repeats what was published of it. */
function factsHold(facts: ReturnType<typeof parquetFacts>, release: Manifest): boolean {
  if (!facts) return false
  const { release_id, rows_root } = release
  const published: Record<string, string> = { release_id, rows_root, manifest: canonical(release) }
  return Object.entries(facts).every(([name, fact]) => Object.hasOwn(published, name) && published[name] === fact)
}
