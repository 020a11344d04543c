import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zip } from '../files/zip-fixture.ts'
import type { Row } from '../proof/price/row.ts'
import { loaded } from './hospital/fixture.ts'
import { citation, readSource, type Source } from './source.ts'
import { sourceCheck } from './source-check.ts'
import { givenAt, wantedBy } from './source-gather.ts'

const HOSPITAL = join(import.meta.dir, '../../sample/1234567893_sample-hospital_standardcharges.csv')
const SMALL = 1_000
const folder = mkdtempSync(join(tmpdir(), 'atr-'))
afterAll(() => rmSync(folder, { recursive: true }))
const written = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}
const cite = (source: Source) => [
  citation(source, 'A price list', { url: 'about:test', retrieved_at: '2026-10-01T00:00:00Z' }),
]

const plain = readFileSync(HOSPITAL)
test.each([
  ['plain', HOSPITAL],
  ['gzipped', written('charges.csv.gz', gzipSync(plain))],
  ['in an archive', written('charges.zip', zip([{ name: 'a folder/charges.csv', data: new Uint8Array(plain) }]))],
])('a file that is too large to be read whole is read through once, %s', async (_, path) => {
  const source = await readSource(path)
  const { rows } = await loaded(source.text, { npis: ['1234567893'] })
  const cited = cite(source)
  const given = await givenAt(path, wantedBy(rows), SMALL)
  expect(given).toMatchObject([{ file: source.file, sha256: source.sha256 }])
  expect('stated' in (given[0] ?? {})).toBe(true)
  const check = sourceCheck(given)
  for (const row of rows) expect([row, check(row, cited)]).toEqual([row, { ok: true }])

  const [row] = rows as [Row]
  const [at] = row.locator as [Row['locator'][number]]
  const moved = { ...row, locator: [{ ...at, line: 1 }] }
  expect(sourceCheck(await givenAt(path, wantedBy([moved]), SMALL))(moved, cited)).toMatchObject({
    reason: 'line_not_found',
  })
  // Only what the rows in question need is kept, and it is all they need.
  expect(sourceCheck(await givenAt(path, wantedBy([row]), SMALL))(row, cited)).toEqual({ ok: true })
})

test('a file that is read whole is taken as it is, and a large one that is no hospital\u2019s does not pass for a schedule', async () => {
  const [small] = await givenAt(HOSPITAL, wantedBy([]))
  expect(small && 'text' in small).toBe(true)
  const schedule = join(import.meta.dir, '../../sample/CLFS-SAMPLE26Q4.csv')
  await expect(givenAt(schedule, wantedBy([]), 10)).rejects.toMatchObject({ code: 'source_unreadable' })
})
