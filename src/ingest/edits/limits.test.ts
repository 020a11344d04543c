import { describe, expect, test } from 'bun:test'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook, zip } from '../../files/zip-fixture.ts'
import type { LimitRow } from '../../proof/price/edit-row.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import { loadEdits, refusalOf, verdicts } from './fixture.ts'
import { reader as equipment } from './limits-dme.ts'
import { reader as hospitals } from './limits-outpatient.ts'
import { reader as practitioners } from './limits-practitioner.ts'

const NAME = 'MCR_MUE_PractitionerServices_Eff_04-01-2026.csv'
const NOTICE = ['"A notice of four lines,\nwith a sign \u00ae that is no UTF-8,\n ""quoted"",\nand commas",,,', '']
const HEADING = '"HCPCS/\nCPT Code",Practitioner Services MUE Values,MUE Adjudication Indicator,MUE Rationale'
const file = (...lines: readonly string[]): Uint8Array =>
  Buffer.from([...NOTICE.slice(0, 1), HEADING, ...lines, ''].join('\r\n'), 'latin1')

const brief = (rows: readonly AnyRow[]) =>
  (rows as LimitRow[]).map(({ code, units, adjudication, rationale }) => [code, units, adjudication, rationale])

const LINES = [
  'G0101,1,2 Date of Service Edit: Policy,CMS Policy',
  '0001U,0,3 Date of Service Edit: Clinical,Oral Medication; Not Payable',
  '99213,90000,1 Line Edit,Clinical: Data',
]
const ROWS = [
  ['0001U', 0, 3, 12],
  ['99213', 90_000, 1, 3],
  ['G0101', 1, 2, 1],
]

describe('the table of limits', () => {
  test('is read under a notice of several lines in one cell, in Windows-1252, and dated by its name', async () => {
    const load = await loadEdits(practitioners, { [NAME]: file(...LINES) })
    expect([load.edition, load.effective_from, load.cited]).toEqual(['MUE26Q2', '2026-04-01', [NAME]])
    expect(brief(load.rows)).toEqual(ROWS)
    expect(load.rows.map(({ locator }) => locator)).toEqual([8, 9, 7].map((line) => [{ citation: 0, line }]))
    expect(load.found).toEqual({})
    expect(verdicts(practitioners, load)).toEqual([true, true, true])
  })

  test('is the same as a workbook, and in an archive with both', async () => {
    const cells = [
      ['A notice', '', '', ''],
      ['HCPCS/ CPT Code', ...HEADING.split(',').slice(1)],
    ]
    const book = workbook(inlineRows([...cells, ...LINES.map((line) => line.split(','))]))
    const archive = zip([
      { name: NAME, data: file(...LINES) },
      { name: NAME.replace('.csv', '.xlsx'), data: book },
    ])
    for (const name of [NAME.replace('.csv', '.xlsx'), 'mue.zip'])
      expect(brief((await loadEdits(practitioners, { [name]: name === 'mue.zip' ? archive : book })).rows)).toEqual(
        ROWS,
      )
  })

  test('of other claims, of Medicaid, and without a day are refused', async () => {
    expect(await refusalOf(loadEdits(hospitals, { [NAME]: file(...LINES) }))).toContain(
      'no line names the columns HCPCS/CPT Code, Outpatient Hospital Services MUE Values',
    )
    const medicaid = { 'MCD_MUE_PractitionerServices_Eff_04-01-2026.csv': file(...LINES) }
    expect(await refusalOf(loadEdits(practitioners, medicaid))).toContain('of Medicaid')
    expect(await refusalOf(loadEdits(practitioners, { 'limits.csv': file(...LINES) }))).toContain('--effective-from')
    const day = { 'MUE_Eff_02-31-2026.csv': file(...LINES) }
    expect(await refusalOf(loadEdits(practitioners, day))).toContain('a day that is none')
  })

  test('has no row of a code of which the file says two things, or nothing that can be read', async () => {
    const load = await loadEdits(practitioners, {
      [NAME]: file(
        ...LINES,
        ...['G0101,1,2 Date of Service Edit: Policy,CMS Policy', '99213,4,1 Line Edit,Clinical: Data'],
        ...['99214,two,1 Line Edit,CMS Policy', '99215,2,4 New Edit,CMS Policy', 'ABC,2,1 Line Edit,CMS Policy'],
        ...['99211,-1,1 Line Edit,CMS Policy', ',,,', '99212,3,1 Line Edit,A new reason'],
      ),
    })
    expect(brief(load.rows)).toEqual([
      ['0001U', 0, 3, 12],
      ['99212', 3, 1, 0],
      ['G0101', 1, 2, 1],
    ])
    expect(load.found).toEqual({ R09: 1, R10: 1, R03_field: 3, R03: 1, W12: 1 })
  })

  test('convicts a row that says other than its line', async () => {
    const { rows, sources } = await loadEdits(practitioners, { [NAME]: file(...LINES) })
    const lies = rows.flatMap((row) => [
      { ...row, units: 7 },
      { ...row, adjudication: (row as LimitRow).adjudication === 1 ? 2 : 1 },
      { ...row, locator: [{ citation: 0, line: 3 }] },
      { ...row, code: '99999' },
    ]) as AnyRow[]
    expect(verdicts(practitioners, { rows: lies, sources })).toEqual(lies.map(() => false))
    expect(['99213', '99999'].map((code) => practitioners.finds(sources[0] as never, code))).toEqual([true, false])
  })
})

testOnPublished(
  'the limits of April 2026 are all read, as CSV and as a workbook',
  ['PractitionerServices', 'OutpatientHospitalServices', 'DMESupplierServices'].map(
    (claims) => `cms-ncci/MCR_MUE_${claims}_Eff_04-01-2026.csv`,
  ),
  async () => {
    const of = (claims: string) => published(`cms-ncci/MCR_MUE_${claims}_Eff_04-01-2026`)
    const read = async (reader: typeof practitioners, path: string) => {
      const findings = new Map()
      const { rows } = await reader.read([path], {}, findings)
      return { rows: (await Array.fromAsync(rows)) as LimitRow[], found: findings.size }
    }
    const all = await Promise.all([
      read(practitioners, `${of('PractitionerServices')}.csv`),
      read(hospitals, `${of('OutpatientHospitalServices')}.csv`),
      read(equipment, `${of('DMESupplierServices')}.csv`),
      read(practitioners, `${of('PractitionerServices')}.xlsx`),
    ])
    const judged = ({ rows }: (typeof all)[0]) =>
      [1, 2, 3].map((number) => rows.filter(({ adjudication }) => adjudication === number).length)
    expect(all.map(({ rows, found }) => [rows.length, found, rows.filter(({ units }) => units === 0).length])).toEqual([
      [15_095, 0, 2_642],
      [15_045, 0, 1_392],
      [3_083, 0, 919],
      [15_095, 0, 2_642],
    ])
    expect(all.slice(0, 3).map(judged)).toEqual([
      [41, 5_417, 9_637],
      [42, 6_075, 8_928],
      [23, 1_309, 1_751],
    ])
    expect(brief(all[3]?.rows ?? [])).toEqual(brief(all[0]?.rows ?? []))
  },
)
