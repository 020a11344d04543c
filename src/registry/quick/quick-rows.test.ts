import { expect, test } from 'bun:test'
import { aPrice } from '../../../test/support/builders.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { FileFolder } from '../../db/file-folder.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { rowKey } from '../../proof/price/row.ts'
import { NewReleaseFile } from '../file/new-file-store.ts'
import { openRelease } from '../file/release-file-store.ts'
import { QuickRows, type RowPlace } from './quick-rows.ts'

/** A file in which one code has so many rows at one place, each with a modifier of its own. */
async function rowsAt(files: FileFolder, count: number) {
  const made = new NewReleaseFile({ files }, 'made', count)
  const keys: string[] = []
  for (let i = 0; i < count; i++) {
    const row = aPrice({ cpt: '20000', region: 'national', modifier: String(100_000 + i) })
    keys.push(rowKey(row))
    made.add({ key: rowKey(row), body: canonical(row), cpt: row.cpt, region: row.region, npi: null })
    if (i % 1_000 === 0) await made.turn()
  }
  const { digest } = await made.seal()
  files.keep('made', digest)
  const rows = new QuickRows(openRelease({ files }, { release_id: 'a:B:1', file: digest }))
  const keysAround = (key: string): string[] =>
    rows.keysAround(rows.locate(key, key.split('|')) as RowPlace, '20000|national|')
  return { keys, keysAround }
}

test('the keys around a row are all that begin as it does, in whichever bundle they stand', async () => {
  using folder = temporaryFolder()
  const { keys, keysAround } = await rowsAt(new FileFolder(folder.path), 100)
  for (const key of keys) expect([key, keysAround(key)]).toEqual([key, keys])
})

test('more keys than any code has at one place are not put together: a file from elsewhere may have nothing else', async () => {
  using folder = temporaryFolder()
  const { keys, keysAround } = await rowsAt(new FileFolder(folder.path), 5_000)
  for (const key of [keys[0], keys[2_500], keys[4_999]]) expect(() => keysAround(key as string)).toThrow('too many')
})
