import { expect, test } from 'bun:test'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { isRow } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Findings } from '../../registry/release/rules.ts'
import type { Source } from '../source.ts'
import { laboratory } from './laboratory.ts'
import { outpatient } from './outpatient.ts'

const DATED = { effective_from: '2026-10-01' }
const source = (...lines: string[]): Source => {
  const text = lines.join('\n')
  return { file: 'CLFS.csv', text, bytes: utf8(text), sha256: toHex(sha256(utf8(text))), kind: 'text' }
}

test('a description may hold any delimiter: how cells are parted is shown by the header', () => {
  for (const [delimiter, others] of [
    [',', ['~', '|', '\t']],
    ['~', [',', '|', '\t']],
    ['|', [',', '~', '\t']],
  ] as const)
    for (const other of others) {
      const line = (...cells: string[]): string => cells.join(delimiter)
      const words = `a ${other} b ${other} c ${other} "d`
      const given = source(
        line(`A title ${other} of ${other} many ${other} parts`),
        line('YEAR', 'HCPCS', 'MOD', 'INDICATOR', 'RATE', 'SHORTDESC'),
        line('2026', 'G0001', '', 'N', '12.50', delimiter === ',' ? `"${words.replaceAll('"', '""')}"` : words),
      )
      const rows = laboratory.open([given], DATED, new Map()).rows
      expect([delimiter, other, rows.map(({ cpt }) => cpt)]).toEqual([delimiter, other, ['G0001']])
    }
})

test('a number with more digits than a row can state is refused alone', () => {
  const zeros = '0'.repeat(80)
  const [ofLaboratory, ofOutpatient]: [Findings, Findings] = [new Map(), new Map()]
  const rates = ['12.50', `12.50${zeros}`, `${zeros}12.50`]
  const clfs = rates.map((rate, i) => `2026,G000${i},,N,${rate},x`)
  const opps = [...rates, `12.505${zeros}`].map((rate, i) => `G000${i},J2,${rate}`)
  const rows = [
    ...laboratory.open([source('YEAR,HCPCS,MOD,INDICATOR,RATE,SHORTDESC', ...clfs)], DATED, ofLaboratory).rows,
    ...outpatient.open([source('HCPCS Code,SI,Payment Rate', ...opps)], DATED, ofOutpatient).rows,
  ]
  expect(rows.every(isRow)).toBe(true)
  expect(rows.map((row) => [row.cpt, row.kind])).toEqual([
    ['G0000', 'price'],
    ['G0001', 'absence'],
    ['G0002', 'absence'],
    ['G0000', 'price'],
    ['G0001', 'absence'],
    ['G0002', 'absence'],
    ['G0003', 'absence'],
  ])
  expect([ofLaboratory.get('R02')?.count, ofOutpatient.get('R02')?.count]).toEqual([2, 3])
})
