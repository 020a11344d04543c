import { afterAll, expect, test } from 'bun:test'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/folder.ts'
import { ObjectStorage } from '../../test/support/object-storage.ts'
import { StoreBusy } from './fault.ts'
import { FileFolder } from './file-folder.ts'
import { S3Files, unpack } from './s3-files.ts'

const storage = new ObjectStorage()
afterAll(() => storage[Symbol.asyncDispose]())

/** Two machines that share a bucket, and a file that the first has made. */
function machines() {
  const folder = temporaryFolder()
  const [here, there] = ['here', 'there'].map(
    (name) => new FileFolder(join(folder.path, name), new S3Files('s3://bucket/a/b', storage.options)),
  ) as [FileFolder, FileFolder]
  // These bytes are more than one part of an upload, and do not compress.
  const bytes = crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(90)
  const digest = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  here.create('x').abandon()
  writeFileSync(here.pathOf(digest), bytes)
  return { here, there, digest, bytes, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
const objectOf = (digest: string): string => `/bucket/a/b/${digest}.atr.zst`

test('a file that one machine shares is fetched by another, whole, and compressed on the way', async () => {
  using two = machines()
  const { here, there, digest, bytes } = two
  expect(await there.bring(digest)).toBe(false)
  await here.share(digest)
  expect([...storage.objects.keys()]).toEqual([objectOf(digest)])
  expect(storage.objects.get(objectOf(digest))?.length).toBeLessThan(bytes.length / 2)
  expect([await there.bring(digest), await there.isWhole(digest)]).toEqual([true, true])
  expect(readFileSync(there.pathOf(digest), 'utf8')).toBe(bytes)
  await here.remove(digest)
  expect([storage.objects.size, here.has(digest), there.has(digest)]).toEqual([0, false, true])
})

test('a file that the storage has damaged is refused, and leaves nothing behind', async () => {
  using two = machines()
  const { here, there, digest } = two
  await here.share(digest)
  const sound = storage.objects.get(objectOf(digest)) as Uint8Array
  for (const [what, object] of Object.entries({
    'other bytes': Bun.zstdCompressSync('other bytes'),
    'cut off': sound.slice(0, 1_000),
    'not compressed': new TextEncoder().encode('not compressed'),
    empty: new Uint8Array(),
  })) {
    storage.objects.set(objectOf(digest), new Uint8Array(object))
    expect([what, await there.bring(digest)]).toEqual([what, false])
    expect([what, existsSync(there.path) ? readdirSync(there.path) : []]).toEqual([what, []])
  }
  storage.objects.set(objectOf(digest), sound)
  expect(await there.bring(digest)).toBe(true)
  storage.objects.clear()
})

test('storage that is away is reported as such, and is tried again', async () => {
  using two = machines()
  const { here, there, digest } = two
  storage.isAway = true
  await expect(here.share(digest)).rejects.toThrow(StoreBusy)
  await expect(there.bring(digest)).rejects.toThrow('the object storage of RELEASES does not answer')
  storage.isAway = false
  await here.share(digest)
  expect(await there.bring(digest)).toBe(true)
  storage.objects.clear()
})

test('unpacking stops at the size limit', async () => {
  using folder = temporaryFolder()
  const [packed, path] = ['packed', 'unpacked'].map((name) => join(folder.path, name)) as [string, string]
  writeFileSync(packed, Bun.zstdCompressSync(new Uint8Array(32 * 1024 ** 2)))
  expect(statSync(packed).size).toBeLessThan(10_000)
  expect(await unpack(createReadStream(packed), path, 300_000)).toBe(false)
  expect(statSync(path).size).toBeLessThanOrEqual(300_000)
  expect(await unpack(createReadStream(packed), path, 32 * 1024 ** 2)).toBe(true)
})
