import { expect, test } from 'bun:test'
import { familyOf, otherCode } from './other-codes.ts'

const about = (text: unknown): string =>
  otherCode(text)?.match(/ICD-10-[A-Z]+|MS-DRG|revenue code|APC|NDC|HIPPS/)?.[0] ?? ''

test('what is no procedure code is named, and the sentence repeats nothing of it', () => {
  const texts: [string, string][] = [
    ['871', 'MS-DRG'],
    ['0300', 'revenue code'],
    ['5055', 'APC'],
    ['J45.909', 'ICD-10-CM'],
    ['m17.11', 'ICD-10-CM'],
    ['I10', 'ICD-10-CM'],
    ['S82891A', 'ICD-10-CM'],
    ['0SRC0J9', 'ICD-10-PCS'],
    ['00074-4339-02', 'NDC'],
    ['00074433902', 'NDC'],
    ['1BGP1', 'HIPPS'],
  ]
  for (const [text, thing] of texts) {
    expect([text, about(text)]).toEqual([text, thing])
    expect(otherCode(text)).not.toContain(text)
  }
  for (const text of ['', 'knee', 'the price', '9'.repeat(400), undefined, null, 450, {}])
    expect(otherCode(text)).toBeUndefined()
})

test('codes of other programs say who uses them', () => {
  expect(
    ['A0429', 'D1110', 'H0015', 'S9083', 'T1015'].map(
      (code) => familyOf(code)?.match(/ambulance|dental|Medicaid|private insurers/)?.[0],
    ),
  ).toEqual(['ambulance', 'dental', 'Medicaid', 'private insurers', 'Medicaid'])
  expect(['A4550', '99213', '0001F', 'J1885', 'G0463'].map(familyOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
