import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { inlineRows, workbook } from '../../files/zip-fixture.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { readSource, type Source } from '../source.ts'
import { readGpci } from './gpci.ts'
import { physicianSchedule } from './physician.ts'
import { checkAgainstCap, isCapFile } from './physician-cap.ts'
import { physicianLines } from './physician-lines.ts'
import { rowsOfLine } from './physician-rows.ts'

const SAMPLE = join(import.meta.dir, '../../../sample')
const HEAD = ['HCPCS', 'MOD', 'PROCSTAT', 'CARRIER', 'LOCALITY', 'FACILITY PRICE', 'NON-FACILTY PRICE']
const named = {
  edition: 'SAMPLE26D',
  effective_from: '2026-10-01',
  data_class: 'sample',
  basis: 'medicare_pfs',
} as const

/** A price that is capped in the sample, listed rightly, by a cent too much, for a carrier to price, and of a code that is not there. */
async function listed() {
  const [rvus, gpci] = (await Promise.all(
    ['PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv'].map((file) => readSource(join(SAMPLE, file))),
  )) as [Source, Source]
  const lines = physicianLines(rvus, new Map())
  const line = lines.find(({ status, oppsFacilityPractice }) => status === 'A' && Number(oppsFacilityPractice) > 0)
  const [locality] = readGpci(gpci)
  if (!line || !locality) throw new Error('the sample has no capped price')
  const priced = rowsOfLine(line, locality, named).flatMap((row) =>
    row.kind !== 'absence' && 'amount' in row.price ? [[row.setting, row.price.amount] as const] : [],
  )
  const amounts = (['facility', 'non_facility'] as const).map(
    (setting) => priced.find(([each]) => each === setting)?.[1] ?? '1.00',
  )
  const right = [line.cpt, line.modifier, 'A', locality.mac, locality.region.slice(-2), ...amounts]
  const more = (Number(amounts.at(-1)) + 0.01).toFixed(2)
  const rows = [
    right,
    [...right.slice(0, -1), more],
    right.with(2, 'C').with(-1, more),
    ['Z9999', '', 'A', '99999', '99', '1.00', '1.00'],
  ]
  return { rvus, gpci, lines, locality, rows }
}
const source = (text: string): Source => ({ file: 'OPPSCAP_OCT.csv', text, bytes: new Uint8Array(), sha256: 'cap' })
const fixed = ([cpt = '', modifier = '', status, mac, number, facility = '', other = '']: string[]): string =>
  `${cpt}${modifier.padEnd(2)} ${status} ${mac}  ${number} ${facility.padStart(8)}  ${other.padStart(8)}`

describe('a list of capped prices', () => {
  test('is compared with the prices that were made, in each form that CMS ships', async () => {
    const { rvus, gpci, lines, locality, rows } = await listed()
    const forms: [Source, number][] = [
      [source([HEAD, ...rows, Array.from({ length: 7 }, () => '')].map((cells) => cells.join(',')).join('\r\n')), 1],
      [source(`${rows.map(fixed).join('\r\n')}\r\n`), 0],
      [{ ...source(''), bytes: workbook(inlineRows([HEAD, ...rows])), kind: 'xlsx' }, 1],
    ]
    for (const [cap, head] of forms) {
      expect(isCapFile(cap)).toBe(true)
      const rejects: Findings = new Map()
      expect(checkAgainstCap(cap, lines, [locality], rejects)).toEqual({ compared: 3 })
      expect(rejects.get('W02')).toEqual({ count: 2, lines: [2 + head, 4 + head] })
      const findings: Findings = new Map()
      physicianSchedule([cap, gpci, rvus], named, findings)
      expect(findings.get('W02')?.count).toBe(2)
    }
  })

  test('is not any other file', async () => {
    const { rvus, gpci } = await listed()
    for (const other of [rvus, gpci, source(''), source('HCPCS,MOD\r\n'), source('a line\n')])
      expect(isCapFile(other)).toBe(false)
  })
})
