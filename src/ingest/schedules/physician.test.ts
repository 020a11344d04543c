import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { testStore } from '../../../test/support/engines.ts'
import { csvRecords } from '../../files/csv.ts'
import { inlineRows, workbook, zip } from '../../files/zip-fixture.ts'
import { Problem } from '../../problem.ts'
import { toHex, utf8 } from '../../proof/bytes.ts'
import type { Citation } from '../../proof/price/release.ts'
import { isRow, type Row } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { load } from '../load.ts'
import type { Acceptable } from '../reader.ts'
import { readSource, type Source } from '../source.ts'
import { sourceCheck } from '../source-check.ts'
import { physicianSchedule } from './physician.ts'

const SAMPLE = join(import.meta.dir, '../../../sample')
const invented = { data_class: 'sample' } as const
const named = { edition: 'SAMPLE26D', effective_from: '2026-10-01', ...invented }
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
const isPrice = ({ kind }: Row): boolean => kind === 'price'
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
    const made = [...rows]
    expect(made).toEqual([...physicianSchedule([rvus, gpci], named, new Map()).rows])
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
    const real = { ...named, data_class: 'published', accept: ['locality_count'] } as const
    const published = (...accept: Acceptable[]) => {
      const rejects: Findings = new Map()
      const said = refusal(() =>
        physicianSchedule([titled(rvus), older], { ...real, accept: [...real.accept, ...accept] }, rejects),
      )
      return [said, [...rejects.keys()].filter((rule) => rule.startsWith('W')).join(' ')]
    }
    expect(published()[0]).toStartWith('the GPCI file is of another year')
    expect(published('gpci_year')).toEqual(['read', 'W04 W01'])
  })

  test('that no edition has been like are refused, unless the operator accepts it', async () => {
    const { rvus, gpci } = await sample()
    const of26 = titled(rvus)
    const read = (values: Source, accept: Acceptable[] = []) => {
      const rejects: Findings = new Map()
      const said = refusal(() => physicianSchedule([values, gpci], { accept }, rejects))
      return [said, ...[...rejects.keys()].filter((rule) => rule.startsWith('W'))]
    }
    expect(read(of26)[0]).toMatch(/^the GPCI file has [0-9]+ localities, which is not the number that Medicare pays in/)
    expect(read(of26, ['locality_count'])).toEqual(['read', 'W01'])
    const factor = (to: string) => changed(of26, (text) => text.replaceAll(',33.4009,', `,${to},`), 'x_nonQPP.csv')
    expect(read(factor('33.4010'), ['locality_count'])).toEqual(['read', 'W05', 'W01'])
    for (const absurd of ['0.0000', '3.3401', '334.009'])
      expect(read(factor(absurd), ['locality_count'])[0]).toStartWith('the conversion factor of the')
    const mixed = changed(of26, (text) => text.replace(/,33\.4009,(?=[^\n]*\n$)/, ',33.5675,'))
    expect(read(mixed)[0]).toMatch(
      /^the PPRRVU file has two different conversion factors: download it again \(line [0-9]+\)$/,
    )
    const misnamed = changed(of26, (text) => text.replaceAll('33.4009', '33.5675'), 'PPRRVU2026_Jul_nonQPP.csv')
    expect(read(misnamed)[0]).toStartWith('the name of the PPRRVU file says one conversion factor')
  })

  test('of 2026 are there for two factors: the one for most clinicians is taken, and every row says which', async () => {
    const { rvus, gpci } = await sample()
    const qpp = changed(titled(rvus, 'PPRRVU2026_Jul_QPP.csv'), (text) => text.replaceAll('33.4009', '33.5675'))
    const most = titled(rvus, 'PPRRVU2026_Jul_nonQPP.csv')
    const kinds = (...sources: Source[]) => [
      ...new Set(
        [...physicianSchedule(sources, invented, new Map()).rows]
          .filter(isPrice)
          .map(({ derivation: { inputs } }) => `${inputs['conversion_factor_kind']} ${inputs['conversion_factor']}`),
      ),
    ]
    expect(kinds(qpp, most, gpci)).toEqual(['non_qualifying_apm 33.4009'])
    const asQpp = (...sources: Source[]) => physicianSchedule(sources, invented, new Map(), 'medicare_pfs_qpp')
    const made = asQpp(qpp, most, gpci)
    expect(made).toMatchObject({ edition: 'RVU26C', cited: [qpp, gpci] })
    const first = [...made.rows].find(isPrice)
    expect(first?.basis).toBe('medicare_pfs_qpp')
    expect(first?.derivation.inputs).toMatchObject({
      conversion_factor: '33.5675',
      conversion_factor_kind: 'qualifying_apm',
    })
    // A file of the other chart is refused with the name of its own.
    const toQpp = 'the PPRRVU file is for qualifying APM participants: load it as cms-pfs-qpp'
    const toMost = 'the PPRRVU file is not for qualifying APM participants: load it as cms-pfs'
    expect(refusal(() => kinds(qpp, gpci))).toBe(toQpp)
    expect(refusal(() => asQpp(most, gpci))).toBe(toMost)
    const unnamed = changed(qpp, (text) => text, 'values.csv')
    expect(refusal(() => kinds(unnamed, gpci))).toBe(toQpp)
    expect(refusal(() => asQpp(titled(rvus), gpci))).toBe(toMost)
    const later = changed(unnamed, (text) =>
      text.replace('2026 National', '2027 National').replaceAll('33.5675', '33.9'),
    )
    expect(kinds(later, gpci)).toEqual(['non_qualifying_apm 33.9'])
    expect(asQpp(later, gpci)).toMatchObject({ edition: 'RVU27C' })
    expect(kinds(titled(rvus), gpci)).toEqual(['non_qualifying_apm 33.4009'])
  })

  test('check back to the lines, also from a copy with another name', async () => {
    const { rvus, gpci } = await sample()
    const sources = [titled(rvus, 'PPRRVU2026_Jul_nonQPP.csv'), gpci]
    const cited = sources.map(({ file, sha256 }) => ({ file, sha256, url: '' })) as Citation[]
    const check = sourceCheck(sources.map((source) => ({ ...source, file: 'copy.csv' })))
    for (const row of physicianSchedule(sources, invented, new Map()).rows) {
      if (!isRow(row)) throw new Error('not a row')
      expect(check(row, cited)).toEqual({ ok: true })
      if (row.kind === 'absence') continue
      expect(check({ ...row, basis: 'medicare_pfs_qpp' }, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
      const { conversion_factor_kind: _, ...inputs } = row.derivation.inputs
      const silent = { ...row, derivation: { ...row.derivation, inputs } }
      expect(check(silent, cited)).toEqual({ ok: false, reason: 'inputs_not_at_line' })
    }
  })
})

describe('an edition', () => {
  test('is named by its title, or by the name of a file without one, and otherwise by the operator', async () => {
    const { rvus, gpci } = await sample()
    const july = physicianSchedule([titled(rvus), gpci], invented, new Map())
    expect([july.edition, july.effective_from]).toEqual(['RVU26C', '2026-07-01'])
    const own = physicianSchedule(
      [titled(rvus), gpci],
      { edition: 'MINE', effective_from: '2026-08-01', ...invented },
      new Map(),
    )
    expect([own.edition, own.effective_from]).toEqual(['MINE', '2026-08-01'])
    expect(refusal(() => physicianSchedule([rvus, gpci], {}, new Map()))).toStartWith('give --edition')
  })

  test('takes effect in the year that the file is of', async () => {
    const { rvus, gpci } = await sample()
    const read = (effective_from: string) =>
      refusal(() => physicianSchedule([titled(rvus), gpci], { ...invented, effective_from }, new Map()))
    expect(read('2026-03-09')).toBe('read')
    expect(read('2025-07-01')).toContain('must be a day of 2026')
    // Where the file does not say, the operator's day tells the year, its factors and its indices.
    const silent = (effective_from: string) => {
      const options = { edition: 'OWN', effective_from, accept: ['locality_count'] } as const
      let made: Row | undefined
      const said = refusal(() => {
        made = [...physicianSchedule([rvus, gpci], options, new Map()).rows].find(isPrice)
      })
      return [said, made?.derivation.inputs['conversion_factor_kind']]
    }
    expect(silent('2026-07-01')).toEqual(['read', 'non_qualifying_apm'])
    expect(silent('2025-07-01')[0]).toStartWith('the GPCI file is of another year than the PPRRVU file')
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
    await using store = await testStore()
    const { db, folder } = store
    const members = [
      { name: 'RVU26C.pdf', data: '%PDF-1.7' },
      { name: 'ANES2026.csv', data: 'Contractor,Locality,Locality Name,National Anes CF of 20.4976\r\n' },
      { name: 'GPCI2026.csv', data: gpci.text },
      { name: 'rvu26c/PPRRVU2026_Jul_QPP.csv', data: titled(rvus).text.replaceAll('33.4009', '33.5675') },
      { name: 'rvu26c/PPRRVU2026_Jul_nonQPP.csv', data: titled(rvus).text },
    ]
    const archive = join(folder, 'rvu26c.zip')
    await Bun.write(archive, zip(members))
    const { release } = await load(db, 'cms-pfs', [archive], invented, 0)
    expect([release.release_id, release.effective_from]).toEqual(['cms-pfs:RVU26C:1', '2026-07-01'])
    const cited = JSON.parse(release.citations) as Citation[]
    expect(cited.map(({ file }) => file)).toEqual(['PPRRVU2026_Jul_nonQPP.csv', 'GPCI2026.csv'])
  })

  test('is read from workbooks where there is no text, with the same rows but for where they stand', async () => {
    const { rvus, gpci } = await sample()
    const book = (source: Source, file: string): Source => {
      const rows = Array.from(csvRecords(titled(source).text), ({ cells }) =>
        cells.map((cell) => cell.replaceAll('&', '')),
      )
      const bytes = workbook(inlineRows(rows))
      return { file, bytes, text: '', sha256: toHex(sha256(bytes)), kind: 'xlsx' }
    }
    const books = [book(gpci, 'GPCI2026.xlsx'), book(rvus, 'PPRRVU2026_Jul_nonQPP.xlsx')]
    const read = (sources: Source[]) => physicianSchedule(sources, invented, new Map())
    const unplaced = (sources: Source[]) => Array.from(read(sources).rows, (row) => ({ ...row, locator: [] }))
    const texts = [titled(rvus, 'PPRRVU2026_Jul_nonQPP.csv'), gpci]
    const [indices, values] = books as [Source, Source]
    expect(Bun.deepEquals(unplaced([values, gpci]), unplaced(texts))).toBe(true)
    expect(read(books)).toMatchObject({ edition: 'RVU26C', effective_from: '2026-07-01' })
    // Beside texts they are not looked at.
    expect(read([...books, ...texts]).cited).toEqual(texts as [Source, Source])
    const rows = [...read(books).rows].slice(0, 50)
    const cited = [values, indices] as unknown as Citation[]
    const check = sourceCheck(books)
    for (const row of rows) expect(check(row, cited)).toEqual({ ok: true })
  })

  test('with another number of localities than Medicare has is loaded with a warning, not as rejected', async () => {
    await using store = await testStore()
    const { db } = store
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
  })
})
