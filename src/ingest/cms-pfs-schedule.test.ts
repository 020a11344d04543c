import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../db/sqlite.ts'
import { Problem } from '../problem.ts'
import { toHex, utf8 } from '../proof/bytes.ts'
import { type Citation, isRow, type Row } from '../proof/row.ts'
import { sha256 } from '../proof/sha256.ts'
import type { Rejects } from '../registry/staging.ts'
import { zip } from './archive-fixture.ts'
import { rowsOfLine } from './cms-pfs.ts'
import { checkAgainstCap } from './cms-pfs-cap.ts'
import { conversionFactorKind, saidEdition } from './cms-pfs-edition.ts'
import { physicianLines } from './cms-pfs-lines.ts'
import { physicianSchedule } from './cms-pfs-schedule.ts'
import { readGpci } from './gpci.ts'
import { load } from './load.ts'
import { readSource, type Source } from './source.ts'
import { sourceCheck } from './source-check.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const named = { edition: 'SAMPLE26D', effective_from: '2026-10-01' }
const TITLE = '2026 National Physician Fee Schedule Relative Value File July Release'

async function sample() {
  const [rvus, gpci] = (await Promise.all(
    ['PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv'].map((file) => readSource(join(SAMPLE, file))),
  )) as [Source, Source]
  return { rvus, gpci }
}
function changed(source: Source, change: (text: string) => string, file = source.file): Source {
  const text = change(source.text)
  return { ...source, file, text, bytes: utf8(text), sha256: toHex(sha256(utf8(text))) }
}
const titled = (source: Source, file = source.file): Source =>
  changed(source, (text) => text.replace(/"SAMPLE DATA[^"]*"/, TITLE), file)
const bodies = (rows: Iterable<{ body: string }>): string[] => Array.from(rows, ({ body }) => body)
const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'read'
}

describe('the files of an edition', () => {
  test('are told apart by what they say, whatever they are called and in whatever order', async () => {
    const { rvus, gpci } = await sample()
    const other = changed(rvus, () => 'Contractor,Locality,Locality Name,National Anes CF of 20.3178\r\n')
    const swapped = [{ ...gpci, file: 'PPRRVU.csv' }, other, { ...rvus, file: 'GPCI.csv' }]
    const { cited, rows, row_total } = physicianSchedule(swapped, named, new Map())
    expect(cited.map(({ sha256 }) => sha256)).toEqual([rvus.sha256, gpci.sha256])
    const made = bodies(rows)
    expect(made).toEqual(bodies(physicianSchedule([rvus, gpci], named, new Map()).rows))
    expect(made.length).toBe(row_total)
  })

  test('must be there, once, and of one year', async () => {
    const { rvus, gpci } = await sample()
    const read = (...sources: Source[]) => refusal(() => physicianSchedule(sources, named, new Map()))
    expect(read(gpci)).toStartWith('there is no PPRRVU file among these')
    expect(read(rvus)).toStartWith('there is no GPCI file among these')
    expect(read(rvus, rvus, gpci)).toBe('read')
    expect(read(rvus, titled(rvus), gpci)).toStartWith('there are several PPRRVU files')
    expect(
      read(
        rvus,
        gpci,
        changed(gpci, (text) => `${text}\r\n`),
      ),
    ).toStartWith('there are several GPCI files')
    const older = changed(gpci, (text) => text.replaceAll('2026', '2025'))
    expect(read(titled(rvus), older)).toStartWith('the GPCI file is of another year')
  })

  test('of 2026 are there for two factors: the one for most clinicians is taken, and every row says which', async () => {
    const { rvus, gpci } = await sample()
    const qpp = changed(titled(rvus, 'PPRRVU2026_Jul_QPP.csv'), (text) => text.replaceAll('33.4009', '33.5675'))
    const most = titled(rvus, 'PPRRVU2026_Jul_nonQPP.csv')
    const kinds = (...sources: Source[]) => [
      ...new Set(
        bodies(physicianSchedule(sources, {}, new Map()).rows)
          .map((body) => JSON.parse(body) as Row)
          .filter(({ kind }) => kind === 'price')
          .map(({ derivation: { inputs } }) => `${inputs['conversion_factor_kind']} ${inputs['conversion_factor']}`),
      ),
    ]
    expect(kinds(qpp, most, gpci)).toEqual(['non_qualifying_apm 33.4009'])
    expect(kinds(qpp, gpci)).toEqual(['qualifying_apm 33.5675'])
    expect(kinds(titled(rvus), gpci)).toEqual(['undefined 33.4009'])
  })

  test('check back to the lines, also from a copy with another name', async () => {
    const { rvus, gpci } = await sample()
    const sources = [titled(rvus, 'PPRRVU2026_Jul_nonQPP.csv'), gpci]
    const cited = sources.map(({ file, sha256 }) => ({ file, sha256, url: '' })) as Citation[]
    const check = sourceCheck(sources.map((source) => ({ ...source, file: 'copy.csv' })))
    for (const body of bodies(physicianSchedule(sources, {}, new Map()).rows)) {
      const row: unknown = JSON.parse(body)
      if (!isRow(row)) throw new Error('not a row')
      expect(check(row, cited)).toEqual({ ok: true })
      if (row.kind === 'absence') continue
      const { conversion_factor_kind: _, ...inputs } = row.derivation.inputs
      const silent = { ...row, derivation: { ...row.derivation, inputs } }
      expect(check(silent, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
    }
  })
})

describe('an edition', () => {
  test('is named by its title, or by the name of a file without one, and otherwise by the operator', async () => {
    const { rvus, gpci } = await sample()
    const july = physicianSchedule([titled(rvus), gpci], {}, new Map())
    expect([july.edition, july.effective_from]).toEqual(['RVU26C', '2026-07-01'])
    const own = physicianSchedule([titled(rvus), gpci], { edition: 'MINE', effective_from: '2026-08-01' }, new Map())
    expect([own.edition, own.effective_from]).toEqual(['MINE', '2026-08-01'])
    expect(refusal(() => physicianSchedule([rvus, gpci], {}, new Map()))).toStartWith('say --edition')
  })

  test.each([
    ['January', 'RVU24A', '2024-01-01'],
    ['April', 'RVU24B', '2024-04-01'],
    ['July', 'RVU24C', '2024-07-01'],
    ['October', 'RVU24D', '2024-10-01'],
  ])('of %s has its letter and its first day', (month, edition, effective_from) => {
    const text = `,,2024 National Physician Fee Schedule Relative Value File ${month} Release,,`
    expect(saidEdition({ text, file: 'x' } as Source)).toEqual({ year: 2024, edition, effective_from })
    const file = `PPRRVU24_${month.slice(0, 3).toUpperCase()}.txt`
    expect(saidEdition({ text: 'HDR', file } as Source)).toEqual({ year: 2024, edition, effective_from })
  })

  test('between the quarters says no more than its year', () => {
    const text = ',,2024 National Physician Fee Schedule Relative Value File March Release,,'
    expect(saidEdition({ text, file: 'x' } as Source)).toEqual({ year: 2024 })
    expect(conversionFactorKind({ text, file: 'PPRRVU24_MAR.csv' })).toBeUndefined()
  })

  test('can be made for a few regions', async () => {
    const { rvus, gpci } = await sample()
    const read = (regions: string[]) => physicianSchedule([rvus, gpci], { ...named, regions }, new Map())
    const regionsOf = (regions: string[]) => [...new Set(Array.from(read(regions).rows, ({ region }) => region))].sort()
    expect(regionsOf(['national', 'US-CA-18'])).toEqual(['US-CA-18', 'national'])
    expect(regionsOf(['US-NY-01'])).toEqual(['US-NY-01'])
    const few = read(['national', 'US-CA-18'])
    expect([...few.rows].length).toBe(few.row_total)
    for (const regions of [['US-CA'], ['US-CA-99'], [], ['nowhere']])
      expect(refusal(() => read(regions))).toStartWith('a region is national, or a locality')
  })

  test('is read from the archive that CMS ships, whatever else is in it', async () => {
    const { rvus, gpci } = await sample()
    const folder = mkdtempSync(join(tmpdir(), 'atr-'))
    const db = await openSqlite(join(folder, 'store.db'), { create: true })
    try {
      const members = [
        { name: 'RVU26C.pdf', data: '%PDF-1.7' },
        { name: 'ANES2026.csv', data: 'Contractor,Locality,Locality Name,National Anes CF of 20.4976\r\n' },
        { name: 'GPCI2026.csv', data: gpci.text },
        { name: 'rvu26c/PPRRVU2026_Jul_QPP.csv', data: titled(rvus).text.replaceAll('33.4009', '33.5675') },
        { name: 'rvu26c/PPRRVU2026_Jul_nonQPP.csv', data: titled(rvus).text },
      ]
      const archive = join(folder, 'rvu26c.zip')
      await Bun.write(archive, zip(members))
      const { release } = await load(db, 'cms-pfs', [archive], {}, 0)
      expect([release.release_id, release.effective_from]).toEqual(['cms-pfs:RVU26C:1', '2026-07-01'])
      const cited = JSON.parse(release.citations) as Citation[]
      expect(cited.map(({ file }) => file)).toEqual(['PPRRVU2026_Jul_nonQPP.csv', 'GPCI2026.csv'])
    } finally {
      await db.close()
      rmSync(folder, { recursive: true })
    }
  })

  test('with another number of localities than Medicare has is loaded with a warning, not as rejected', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atr-'))
    const db = await openSqlite(join(folder, 'store.db'), { create: true })
    try {
      const files = ['GPCI-SAMPLE26.csv', 'PPRRVU-SAMPLE26D.csv'].map((file) => join(SAMPLE, file))
      const seen: number[] = []
      const { release, written } = await load(db, 'cms-pfs', files, named, 0, (progress) => {
        if (progress.phase === 'writing') seen.push(progress.rows)
      })
      expect(release.rejected_count).toBe(0)
      expect(written.rows).toBe(release.row_count)
      expect(seen.every((rows) => rows <= release.row_count)).toBe(true)
      const found = await db.query('SELECT rule, failed FROM release_check WHERE release_no = $1', [release.release_no])
      expect(found).toEqual([{ rule: 'W01', failed: 1 }])
      const again = await load(db, 'cms-pfs', files.toReversed(), named, 0)
      expect(again.already).toBe(true)
      const few = await load(db, 'cms-pfs', files, { ...named, regions: ['national'] }, 0)
      expect([few.already, few.release.release_id]).toEqual([false, 'cms-pfs:SAMPLE26D:2'])
    } finally {
      await db.close()
      rmSync(folder, { recursive: true })
    }
  })
})

test('prices that CMS lists differently are counted as warnings, with their lines', async () => {
  const { rvus, gpci } = await sample()
  const lines = physicianLines(rvus, new Map())
  const line = lines.find(({ status, oppsFacilityPractice }) => status === 'A' && Number(oppsFacilityPractice) > 0)
  const [locality] = readGpci(gpci)
  if (!line || !locality) throw new Error('the sample has no capped price')
  const amounts = rowsOfLine(line, locality, named).map(
    (row) => row.kind === 'price' && 'amount' in row.price && row.price.amount,
  )
  const row = [line.cpt, line.modifier, 'A', locality.mac, locality.region.slice(-2), ...amounts].join(',')
  const cap = changed(gpci, () =>
    [
      'HCPCS,MOD,PROCSTAT,CARRIER,LOCALITY,FACILITY PRICE,NON-FACILTY PRICE',
      row,
      row.replace(/\d$/, (n) => String((Number(n) + 1) % 10)),
      row.replace(',A,', ',C,').replace(/\d$/, '0'),
      'Z9999,,A,99999,99,1.00,1.00',
      ',,,,,,',
    ].join('\r\n'),
  )
  const rejects: Rejects = new Map()
  expect(checkAgainstCap(cap, lines, [locality], rejects)).toEqual({ compared: 3 })
  expect(rejects.get('W02')).toEqual({ count: 2, lines: [3, 5] })
  const findings: Rejects = new Map()
  physicianSchedule([cap, gpci, rvus], named, findings)
  expect(findings.get('W02')?.count).toBe(2)
})
