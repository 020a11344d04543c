import { expect, test } from 'bun:test'
import type { Locality } from './gpci.ts'
import { refuseUnknownPlaces } from './places-known.ts'

const locality = (region: string, malpractice = '1.000'): Locality => ({
  region,
  mac: '10112',
  line: 4,
  gpci: { work: '1.000', practice: '1.000', malpractice },
  work_floor: 'with_floor',
})

test('localities of the states and territories, with indices such as there have been, are taken', () => {
  refuseUnknownPlaces([locality('US-AL-00', '0.296'), locality('US-PR-20', '2.529'), locality('US-DC-01')])
})

test('a state that there is none of, or an index beyond any, refuses the file', () => {
  for (const forged of [locality('US-ZZ-01'), locality('US-AL-00', '3.900'), locality('US-AL-00', '0.100')])
    expect(() => refuseUnknownPlaces([forged])).toThrow()
})
