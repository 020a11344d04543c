// A whole release as it is exported, in any of the three formats: the tree over its rows.

import { toBase64, utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import type { Manifest } from '../price/release.ts'
import { GrowingTree, leafHash } from '../tree/merkle.ts'
import { csvRows } from './csv-rows.ts'
import { isCsv } from './format.ts'
import { type ExportTable, tableRows } from './table-rows.ts'

/** The text of an NDJSON or CSV file, or a table that a library reads. */
export type ExportContent = string | ExportTable

export interface ExportTree {
  row_count: number
  rows_root: string
}

/** The tree over the rows; undefined if anything in the export is not a row as it was published. */
export async function treeOfExport(content: ExportContent): Promise<ExportTree | undefined> {
  const tree = new GrowingTree()
  for await (const row of rowsOf(content)) {
    if (row === undefined) return undefined
    tree.add(leafHash(utf8(row)))
  }
  return { row_count: tree.size, rows_root: toBase64(tree.root) }
}

function rowsOf(content: ExportContent): AsyncIterable<string | undefined> | Iterable<string | undefined> {
  if (typeof content !== 'string') return tableRows(content)
  return isCsv(content) ? csvRows(content) : content.split('\n').filter((line) => line !== '')
}

/** Whether an export has the rows of a release that was proved: all of them, and no other. */
export async function isWholeExport(content: ExportContent, release: Manifest): Promise<boolean> {
  if (typeof content !== 'string' && !areTrue(content.facts, release)) return false
  const tree = await treeOfExport(content)
  return tree?.row_count === release.row_count && tree.rows_root === release.rows_root
}

/** Whether a table says nothing of its release but what was published, each thing once: a reader may take either of two. */
function areTrue(facts: ExportTable['facts'], release: Manifest): boolean {
  const { release_id, rows_root } = release
  const published = new Map([
    ['release_id', release_id],
    ['rows_root', rows_root],
    ['manifest', canonical(release)],
  ])
  return (
    new Set(facts.map(([name]) => name)).size === facts.length &&
    facts.every(([name, fact]) => published.get(name) === fact)
  )
}
