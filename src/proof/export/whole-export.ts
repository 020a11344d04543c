// A whole release as it is exported, in any of the three formats: the tree over its rows.

import { toBase64, utf8 } from '../bytes.ts'
import { GrowingTree, leafHash } from '../tree/merkle.ts'
import { csvRows } from './csv-rows.ts'
import { isCsv } from './format.ts'
import { parquetRows } from './parquet-rows.ts'

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
