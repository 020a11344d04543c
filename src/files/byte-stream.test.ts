import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { scratch } from '../ingest/hospital/fixture.ts'
import { Problem } from '../problem.ts'
import { toHex, utf8 } from '../proof/bytes.ts'
import { sha256 } from '../proof/sha256.ts'
import { openBytes } from './byte-stream.ts'
import { zip } from './zip-fixture.ts'

const LINES = utf8(Array.from({ length: 200_000 }, (_, i) => `${(i * 7919) % 100_003},x\n`).join(''))

async function readAll(path: string) {
  const stream = await openBytes(path)
  const parts: Uint8Array[] = []
  for await (const chunk of stream.chunks) parts.push(chunk.slice())
  return { whole: new Uint8Array(Buffer.concat(parts)), name: stream.name, published: stream.identity() }
}
const refusal = async (path: string): Promise<string> => {
  try {
    await readAll(path)
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'read'
}

test('a plain file is read as it is, and its digest is that of its bytes', async () => {
  using folder = scratch()
  const { whole, name, published } = await readAll(folder.write('a b.csv', LINES))
  expect(Buffer.compare(whole, LINES)).toBe(0)
  expect([name, published]).toEqual(['a b.csv', { name: 'a b.csv', bytes: LINES.length, sha256: toHex(sha256(LINES)) }])
})

test('a gzipped file is unpacked, in one part or several, and its digest is that of the file as published', async () => {
  using folder = scratch()
  const half = LINES.length / 2
  for (const packed of [
    gzipSync(LINES),
    Buffer.concat([gzipSync(LINES.subarray(0, half)), gzipSync(LINES.subarray(half))]),
  ]) {
    const { whole, published } = await readAll(folder.write('a.csv.gz', packed))
    expect(Buffer.compare(whole, LINES)).toBe(0)
    expect(published).toEqual({ name: 'a.csv.gz', bytes: packed.length, sha256: toHex(sha256(new Uint8Array(packed))) })
  }
})

test('the only CSV or JSON file of a zip is read, and its digest is that of its own bytes', async () => {
  using folder = scratch()
  const archive = zip([
    { name: 'folder/1234567893_prices.csv', data: LINES },
    { name: 'read me.pdf', data: '%PDF' },
  ])
  const { whole, name, published } = await readAll(folder.write('a.zip', archive))
  expect(Buffer.compare(whole, LINES)).toBe(0)
  expect([name, published.sha256, published.bytes]).toEqual([
    '1234567893_prices.csv',
    toHex(sha256(LINES)),
    LINES.length,
  ])
})

test('a file that cannot be read whole is refused with a reason', async () => {
  using folder = scratch()
  const packed = gzipSync(LINES)
  const damaged = new Uint8Array(packed)
  damaged.fill(0xaa, 2_000, 3_000)
  expect(await refusal(`${folder.path}/none.csv`)).toMatch(/no such file/)
  expect(await refusal(folder.write('cut.gz', packed.subarray(0, packed.length - 100)))).toMatch(/damaged/)
  expect(await refusal(folder.write('bad.gz', damaged))).toMatch(/damaged/)
  expect(await refusal(folder.write('bomb.gz', gzipSync(new Uint8Array(50 << 20))))).toMatch(/more than the limits/)
  const sheets = zip([
    { name: '[Content_Types].xml', data: '<Types/>' },
    { name: 'xl/workbook.xml', data: '<workbook/>' },
  ])
  expect(await refusal(folder.write('a.csv', sheets))).toMatch(/is a workbook: load .* CSV or JSON/)
  const two = [
    { name: 'a.csv', data: LINES },
    { name: 'b.json', data: LINES },
  ]
  expect(await refusal(folder.write('two.zip', zip(two)))).toMatch(/several/)
  expect(await refusal(folder.write('none.zip', zip([{ name: 'a.pdf', data: LINES }])))).toMatch(/holds no CSV/)
})
