import type { Db } from '../../db/db.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { GrowingTree, leafHash } from '../../proof/tree/merkle.ts'
import * as store from './store.ts'

/** The leaf of the ledger that seals the noised counts of providers. It comes after the leaves of the files. */
interface WindowLeaf {
  window_no: number
  providers: number
  rows_root: string
}

export const isWindowLeaf = (leaf: object): leaf is WindowLeaf => 'window_no' in leaf

const leafOf = (window_no: number, { size, root }: GrowingTree): WindowLeaf => ({
  window_no,
  providers: size,
  rows_root: toBase64(root),
})

/** The leaf of each stored window, or of one window. Providers are in the order of their NPIs. */
export async function windowLeaves(db: Db, only?: number): Promise<Map<number, WindowLeaf>> {
  const trees = new Map<number, GrowingTree>()
  if (only !== undefined) trees.set(only, new GrowingTree())
  for await (const rows of store.storedProviderWindows(db, only))
    for (const { npi, window_no, tally } of rows) {
      const tree = trees.get(window_no) ?? new GrowingTree()
      tree.add(leafHash(utf8(canonical({ npi, tally }))))
      trees.set(window_no, tree)
    }
  return new Map([...trees].map(([window_no, tree]) => [window_no, leafOf(window_no, tree)]))
}
