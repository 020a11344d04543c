import { SealedFile } from '../../db/file-folder.ts'
import { ourTurn } from '../../queue.ts'
import { OpenBundle, type StoredBundle } from '../bundle/open-bundle.ts'
import { MOST_STORED_BYTES, readWords, type StoredWords, type Words } from '../bundle/words.ts'
import { bundleSum, checksum, textOf } from './bundle.ts'

const BUNDLES_PER_READ = 64

/** What the rows of a file are read with. Throws if they are not there. */
export function wordsIn(file: { get<Row>(sql: string, most: number): Row | undefined }): Words {
  const stored = file.get<StoredWords>(
    'SELECT shapes, words FROM (SELECT shapes, words FROM word LIMIT 1) WHERE length(shapes) <= ?1 AND length(words) <= ?1',
    MOST_STORED_BYTES,
  )
  if (!stored) throw new RangeError('the words of the rows are missing')
  return readWords(stored)
}

/** Checksums of the bundles `from` to `to - 1`, as they are in a file, combined. */
export async function sumOfBundles(path: string, from: number, to: number): Promise<bigint> {
  const file = new SealedFile(path)
  try {
    let [sum, n] = [0n, from]
    const read = OpenBundle.reader(wordsIn(file))
    while (n < to) {
      const some = file.all<StoredBundle>(
        'SELECT hashes, rows FROM bundle WHERE n >= ?1 AND n < ?2 ORDER BY n',
        n,
        Math.min(to, n + BUNDLES_PER_READ),
      )
      // One that is missing is noticed: those behind it are summed under other numbers.
      if (some.length === 0) break
      for (const each of some) sum ^= bundleSum(each, n++, () => textOf(read(each)))
      await ourTurn()
    }
    return sum
  } finally {
    file.close()
  }
}

export const tileSum = (level: number, n: number, hashes: Uint8Array): bigint => checksum(hashes, level * 2 ** 40 + n)

/** The same of all tiles. */
export async function sumOfTiles(path: string): Promise<bigint> {
  const file = new SealedFile(path)
  try {
    let sum = 0n
    for (const { level, n } of file.all<{ level: number; n: number }>('SELECT level, n FROM tile')) {
      const tile = file.get<{ hashes: Uint8Array }>('SELECT hashes FROM tile WHERE level = ?1 AND n = ?2', level, n)
      if (tile) sum ^= tileSum(level, n, tile.hashes)
      if (n % BUNDLES_PER_READ === 0) await ourTurn()
    }
    return sum
  } finally {
    file.close()
  }
}
