import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aPrice } from '../../../test/support/builders.ts'
import type { Db } from '../../db/db.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import { Problem } from '../../problem.ts'
import { stage } from '../../registry/release/staging.ts'
import type { Source } from '../source.ts'
import { insertLocalities } from './store.ts'
import { loadZipLocalities } from './zip-localities.ts'

const record = (zip: string, place = '0210201', flag = '0'): string =>
  `${`AK${zip}${place} Z9   ${flag} A`.padEnd(75)}20264`
const text = (lines: readonly string[], file = 'ZIP5_OCT2026.txt'): Source => ({
  file,
  text: lines.join('\r\n'),
  bytes: new Uint8Array(),
  sha256: '',
})
const HEAD = ['STATE', 'ZIP CODE', 'CARRIER', 'LOCALITY', 'RURAL IND', 'LAB CB LOCALITY', 'RURAL IND2', 'PLUS 4 FLAG']
const ROWS = [
  ['AK', '99501', '02102', '01', '', 'Z9', '', '0'],
  ['AK', '501', '2102', '1', '', 'Z9', '', '1'],
]
const book = (rows: string[][]): Source => ({
  ...text([], 'ZIP5_OCT2026.xlsx'),
  bytes: workbook(inlineRows([HEAD, ...rows])),
  kind: 'xlsx',
})

async function withStore(work: (db: Db) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-'))
  const db = await openSqlite(join(folder, 'store.db'), { create: true })
  try {
    await work(db)
  } finally {
    await db.close()
    rmSync(folder, { recursive: true })
  }
}
const LOCALITIES = [
  { mac: '02102', region: 'US-AK-01' },
  { mac: '10112', region: 'US-AL-00' },
]
const SCHEDULE = {
  chart: 'cms-pfs',
  edition: 'A',
  effective_from: '2026-01-01',
  data_class: 'sample' as const,
  source_digest: '',
  citations: [],
} satisfies Parameters<typeof stage>[1]
const known = (db: Db) =>
  stage(db, SCHEDULE, [aPrice()], new Map(), 0, {
    alongside: (tx, release_no) => insertLocalities(tx, release_no, LOCALITIES),
  })
const stored = (db: Db) => db.query('SELECT zip, region, plus_four FROM zip_locality ORDER BY zip')
const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.catch((reason: unknown) => reason)
  return error instanceof Problem ? error.detail : 'loaded'
}
const EXPECTED = [
  { zip: '00501', region: 'US-AK-01', plus_four: 1 },
  { zip: '99501', region: 'US-AK-01', plus_four: 0 },
]

test('ZIP codes are the same from text, from CSV and from a workbook', () =>
  withStore(async (db) => {
    await known(db)
    const forms = [
      text([record('99501'), record('00501', '0210201', '1'), '\u001a']),
      text([HEAD, ...ROWS].map((cells) => cells.join(','))),
      book(ROWS),
    ]
    for (const form of forms) {
      await db.query('DELETE FROM zip_locality')
      expect(await loadZipLocalities(db, [form])).toEqual({ zips: 2 })
      expect(await stored(db)).toEqual(EXPECTED)
    }
  }))

test('of what CMS ships together the text of five digits is taken', () =>
  withStore(async (db) => {
    await known(db)
    const others = [
      text(['A LAYOUT'], 'ZIP5lyout.txt'),
      text(['AK'], 'ZIP9_OCT2026.txt'),
      book([['AK', '99999', '2102', '1']]),
    ]
    expect(await loadZipLocalities(db, [...others, text([record('99501')])])).toEqual({ zips: 1 })
    const two = [text([record('99501')]), text([record('99502')], 'ZIP5_JAN2026.txt')]
    expect(await refusal(loadZipLocalities(db, two))).toContain('or several')
  }))

test('a file with a fault is refused with its line, and the table stays as it was', () =>
  withStore(async (db) => {
    expect(await refusal(loadZipLocalities(db, [text([record('99501')])]))).toStartWith(
      'the localities are not known yet',
    )
    await known(db)
    await loadZipLocalities(db, [text([record('99501'), record('00501', '0210201', '1')])])
    const good = record('99503')
    const faults: [Source, string][] = [
      [text([good, record('99504', '0210209')]), 'a ZIP code lies in a locality that no GPCI file'],
      [text([good, record('99503', '1011200')]), 'a ZIP code is listed twice, in different localities'],
      [text([good, 'AK9950']), 'this is not a ZIP5 file'],
      [book([...ROWS, ['AK', 'ABCDE', '02102', '01']]), 'this is not a ZIP5 file'],
    ]
    for (const [source, why] of faults) {
      const said = await refusal(loadZipLocalities(db, [source]))
      expect(said).toStartWith(why)
      expect(said).toMatch(/\(line [24]\)$/)
    }
    expect(await refusal(loadZipLocalities(db, [text([good, good])]))).toBe('loaded')
    expect(await stored(db)).toHaveLength(1)
  }))
