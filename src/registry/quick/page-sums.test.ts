import { expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { FileFolder, PIECE_BYTES } from '../../db/file-folder.ts'
import { PAGE_BYTES } from '../../db/new-file.ts'
import { PageSums } from './page-sums.ts'

const PAGES = (2 * PIECE_BYTES) / PAGE_BYTES + 3

/** A file of any bytes under the name that it should have, and one with other bytes under the same name. */
function filesOf(path: string) {
  const files = new FileFolder(path)
  const bytes = randomBytes(PAGES * PAGE_BYTES)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const page = (n: number): Buffer => bytes.subarray(n * PAGE_BYTES, (n + 1) * PAGE_BYTES)
  const put = (content: Uint8Array): void => writeFileSync(files.pathOf(digest), content)
  put(bytes)
  return { files, bytes, digest, page, put }
}

const numbers = Array.from({ length: PAGES }, (_, n) => n)

test('the pages of a file are known again when all of it was read, each at its place and with every bit', async () => {
  using folder = temporaryFolder()
  const { files, digest, page } = filesOf(folder.path)
  const sums = PageSums.of(files.open(digest))
  expect(numbers.filter((n) => sums.has(n, page(n)))).toEqual([])
  await PageSums.settled()
  expect(numbers.filter((n) => sums.has(n, page(n)))).toEqual(numbers)
  expect(numbers.filter((n) => sums.has(n, page((n + 1) % PAGES)))).toEqual([])
  expect([sums.has(PAGES, page(0)), sums.has(0, page(0).subarray(1)), sums.has(-1, page(0))]).toEqual(
    Array(3).fill(false),
  )
  const changed = Buffer.from(page(7))
  for (let bit = 0; bit < 8 * PAGE_BYTES; bit++) {
    const mask = 1 << (bit & 7)
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ mask
    if (sums.has(7, changed)) throw new Error(`bit ${bit} does not count`)
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ mask
  }
  expect(sums.has(7, changed)).toBe(true)
})

test('of a file that has other bytes than its name says, no page is known', async () => {
  using folder = temporaryFolder()
  const { files, bytes, digest, page, put } = filesOf(folder.path)
  for (const other of [
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) as number) ^ 1])]),
    bytes.subarray(PAGE_BYTES),
    Buffer.concat([bytes, page(0)]),
  ]) {
    put(other)
    const sums = PageSums.of(files.openAnew(digest))
    await PageSums.settled()
    expect(numbers.filter((n) => sums.has(n, page(n)))).toEqual([])
  }
})

test('a file that is closed, or gone, is not read to its end, and the next one is', async () => {
  using folder = temporaryFolder()
  const { files, digest, page } = filesOf(folder.path)
  const closed = files.openAnew(digest)
  const all = [closed, files.openAnew('0'.repeat(64)), files.openAnew(digest)].map((file) => PageSums.of(file))
  closed.close()
  await PageSums.settled()
  expect(all.map((sums) => sums.has(0, page(0)))).toEqual([false, false, true])
})
