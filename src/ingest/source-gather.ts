import { open } from 'node:fs/promises'
import { isGzip, openBytes } from '../files/byte-stream.ts'
import { isZip, openArchive } from '../files/zip.ts'
import type { Row } from '../proof/price/row.ts'
import { AmountsReader, type Selection } from './hospital/file.ts'
import { publishedName } from './published-name.ts'
import type { GatheredFile, SourceInput } from './reread.ts'
import { isLegible, MAX_BYTES, readSources } from './source.ts'

/** The part of a hospital's file that is needed to check some rows. */
export const wantedBy = (rows: readonly Row[]): Selection => ({
  codes: new Set(rows.flatMap(({ npi, code }) => (npi === null ? [] : [code]))),
  lines: new Set(rows.flatMap(({ locator }) => locator.map(({ line }) => line))),
})

/** The part of a hospital's file that is needed to look for codes. */
export const wantedCodes = (...codes: readonly string[]): Selection => ({ codes: new Set(codes), lines: new Set() })

/** The files at a path, as they were cited. One that is too large to be read whole is read through once. */
export async function givenAt(path: string, wanted: Selection, largest = MAX_BYTES): Promise<SourceInput[]> {
  return (await isLarge(path, largest)) ? [await gathered(path, wanted)] : readSources(path)
}

async function gathered(path: string, wanted: Selection): Promise<GatheredFile> {
  const stream = await openBytes(path)
  const reader = new AmountsReader(wanted)
  for await (const chunk of stream.chunks) reader.push(chunk)
  const { name, sha256 } = stream.identity()
  return { file: publishedName(name, sha256), sha256, stated: reader.end() }
}

/** A packed file of this size is larger than any that is read whole. Its own length is stated only modulo 4 GiB. */
const LARGE_PACKED = 16 * 1024 * 1024

async function isLarge(path: string, largest: number): Promise<boolean> {
  const file = Bun.file(path)
  if (!(await file.exists())) return false
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  if (isZip(head)) return isLargeArchive(path, largest)
  return isGzip(head) ? file.size > LARGE_PACKED || (await gzipLength(path, file.size)) > largest : file.size > largest
}

async function isLargeArchive(path: string, largest: number): Promise<boolean> {
  const archive = await openArchive(path)
  try {
    const sizes = archive.members.filter((member) => isLegible(member.path)).map(({ size }) => size)
    return sizes.reduce((sum, size) => sum + size, 0) > largest
  } finally {
    archive.close()
  }
}

/** The last four bytes of a gzip file. */
async function gzipLength(path: string, size: number): Promise<number> {
  const file = await open(path)
  try {
    const tail = new Uint8Array(4)
    await file.read(tail, 0, 4, Math.max(0, size - 4))
    return new DataView(tail.buffer).getUint32(0, true)
  } finally {
    await file.close()
  }
}
