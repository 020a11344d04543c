import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { effort } from '../../test/support/effort.ts'
import { inlineRows, workbook, type ZipMember, zip } from '../files/zip-fixture.ts'
import { Problem } from '../problem.ts'
import { toHex, utf8 } from '../proof/bytes.ts'
import { isCitation } from '../proof/price/release.ts'
import { sha256 } from '../proof/sha256.ts'
import { citation, readMembers, readSource, readSources } from './source.ts'

const folder = mkdtempSync(join(tmpdir(), 'source-'))
afterAll(() => rmSync(folder, { recursive: true }))
function written(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}
const digest = (bytes: Uint8Array): string => toHex(sha256(bytes))

async function refusalOf(act: Promise<unknown>): Promise<string> {
  const spent = effort()
  try {
    await act
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(error.code).toBe('source_unreadable')
    expect(spent()).toBeLessThan(2_000)
    return error.detail
  }
  return 'not refused'
}

const CSV = 'HCPCS,RATE\r\nG0101,12.50\r\n'

describe('a file is cited', () => {
  test('as it is, whether plain or gzipped', async () => {
    for (const [name, bytes] of [
      ['CLFS_2026.csv', utf8(CSV)],
      ['CLFS_2026.csv.gz', new Uint8Array(gzipSync(CSV))],
    ] as const) {
      const source = await readSource(written(name, bytes))
      expect(source).toMatchObject({ file: name, text: CSV, sha256: digest(bytes), kind: 'text' })
      const cited = citation(source, 'A price list', { url: 'about:test', retrieved_at: '2026-10-01T00:00:00Z' })
      expect(cited).toMatchObject({ bytes: bytes.length, media_type: 'text/csv' })
    }
  })

  test('by its own bytes when it came in an archive, which may hold others', async () => {
    const book = workbook(inlineRows([['HCPCS']]))
    const path = written(
      'release.zip',
      zip([
        { name: 'RVU26/Prices July.csv', data: CSV },
        { name: 'RVU26/readme.pdf', data: '%PDF-1.7', stored: true },
        { name: '__MACOSX/RVU26/._Prices July.csv', data: 'junk', stored: true },
        { name: 'RVU26/prices.xlsx', data: book, stored: true },
      ]),
    )
    const sources = await readSources(path)
    expect(sources.map(({ file, kind, sha256: hash }) => [file, kind, hash])).toEqual([
      ['Prices_July.csv', 'text', digest(utf8(CSV))],
      ['prices.xlsx', 'xlsx', digest(book)],
    ])
    const provenance = { url: 'https://www.cms.gov/rvu26.zip', retrieved_at: '2026-10-01T00:00:00Z' }
    const cited = sources.map((source) => citation(source, 'A price list', provenance))
    expect(cited.every(isCitation)).toBe(true)
    expect(cited.map(({ media_type }) => media_type)).toEqual([
      'text/csv',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ])
    expect(await refusalOf(readSource(path))).toContain('the archive holds several files')
    expect((await readMembers(path, /^Prices/)).map(({ text }) => text)).toEqual([CSV])
    expect(await refusalOf(readMembers(path, /^Other/))).toContain('no text file')
  })

  test('as a workbook, whatever its name ends with', async () => {
    const book = workbook(inlineRows([['HCPCS']]))
    for (const name of ['a.xlsx', 'b.zip'])
      expect(await readSource(written(name, book))).toMatchObject({ file: name, kind: 'xlsx', sha256: digest(book) })
  })

  test('and is read as UTF-8, Windows-1252 or UTF-16', async () => {
    const read = async (bytes: number[]): Promise<string> =>
      (await readSource(written('encoded.csv', new Uint8Array(bytes)))).text
    expect(await read([0xef, 0xbb, 0xbf, 0x61, 0xc3, 0xa9])).toBe('a\u00e9')
    expect(await read([0x61, 0x92, 0x62])).toBe('a\u2019b')
    expect(await read([0xff, 0xfe, 0x61, 0, 0x62, 0])).toBe('ab')
    expect(await read([0xfe, 0xff, 0, 0x61, 0, 0x62])).toBe('ab')
  })
})

describe('a file is refused', () => {
  test('when it is not the price list but something given in its place', async () => {
    expect(await refusalOf(readSource(join(folder, 'not-there.csv')))).toBe('there is no such file')
    expect(await refusalOf(readSource(written('n.csv', 'a,b\n\0,c\n')))).toBe('the file is not text: it has NUL bytes')
    expect(await refusalOf(readSource(written('h.csv', '\n<!DOCTYPE html><p>Denied')))).toContain('is a web page')
    expect(await refusalOf(readSource(written('p.csv', '%PDF-1.7 ...')))).toContain('is a PDF')
    const xls = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
    expect(await refusalOf(readSource(written('o.xls', xls)))).toContain('of the old kind')
  })

  test('when it is too large to be read whole', async () => {
    const path = written('large.csv', '')
    truncateSync(path, 1024 ** 3)
    expect(await refusalOf(readSource(path))).toBe('the file is larger than 256 MiB')
  })

  test('when it unpacks to a line without end', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a')))
    expect(await refusalOf(readSource(written('bomb.csv.gz', bomb)))).toContain('cannot be unpacked within the limits')
    const cut = new Uint8Array(gzipSync(CSV)).subarray(0, 20)
    expect(await refusalOf(readSource(written('cut.csv.gz', cut)))).toContain('cannot be unpacked within the limits')
  })

  test('when an archive hides another one, or holds nothing to read', async () => {
    const inner = zip([{ name: 'a.csv', data: CSV }])
    const hidden: ZipMember[] = [
      { name: 'a.csv', data: inner, stored: true },
      { name: 'a.csv', data: new Uint8Array(gzipSync(CSV)), stored: true },
    ]
    for (const member of hidden)
      expect(await refusalOf(readSources(written('nested.zip', zip([member]))))).toContain('holds another archive')
    expect(await refusalOf(readSources(written('none.zip', zip([{ name: 'a.pdf', data: 'x' }]))))).toContain(
      'no text file and no workbook',
    )
    const old = zip([
      { name: 'a.pdf', data: 'x' },
      { name: 'a.XLS', data: 'x' },
    ])
    expect(await refusalOf(readSources(written('old.zip', old)))).toContain('save it as .xlsx or CSV')
    const beside = (data: string) =>
      zip([
        { name: 'a.csv', data: CSV },
        { name: 'b.txt', data },
      ])
    expect(await refusalOf(readSources(written('pdf.zip', beside('%PDF-1.7'))))).toMatch(
      /^one of the 2 files in the archive cannot be read: unpack it, and give those that are needed \(the file is a PDF/,
    )
    const matryoshka = zip([{ name: 'a.xlsx', data: inner, stored: true }])
    const [book] = await readSources(written('book.zip', matryoshka))
    expect(book?.kind).toBe('xlsx') // and the reader of workbooks refuses it
  })
})
