import { expect, test } from 'bun:test'
import { hospitalNames, hospitalsIn, hospitalText, NamesFault, oneHospital, readHospitals } from './hospitals.ts'

const GENERAL = '1234567893'
const CHILDRENS = '1003000126'
const FILE = `# our own names\n${GENERAL} Example General Hospital\r\n${CHILDRENS},St. Example's Children's Hospital\n\n`
const CHARTS = [
  { chart: 'cms-pfs', edition: 'RVU26D', rows: 5 },
  { chart: `hospital-mrf:${GENERAL}`, edition: '2026-01-05', rows: 1234 },
]

test('names of hospitals are the operator\u2019s own, each for one NPI', () => {
  expect([...hospitalNames(FILE)]).toEqual([
    [GENERAL, 'Example General Hospital'],
    [CHILDRENS, "St. Example's Children's Hospital"],
  ])
  const wrong = [
    'Example General Hospital',
    '1234567890 Example',
    GENERAL,
    `${GENERAL} <b>Example</b>`,
    `${GENERAL} 1003000126`,
    `${GENERAL} [x](javascript:y)`,
    `${GENERAL} ${'x'.repeat(61)}`,
    `${GENERAL} \u0415xample`,
    `${GENERAL} Example\n${GENERAL} Other`,
    `${GENERAL} Example\n${CHILDRENS} example.`,
  ]
  for (const text of wrong) {
    expect(() => hospitalNames(text)).toThrow(NamesFault)
    expect(() => hospitalNames(text)).not.toThrow(/<b>|javascript|Other/)
  }
})

test('a hospital is found by its NPI, by its name, and by words of it', () => {
  const hospitals = hospitalsIn(CHARTS, hospitalNames(FILE))
  expect(hospitals.map(({ npi, file }) => [npi, file?.rows])).toEqual([
    [GENERAL, 1234],
    [CHILDRENS, undefined],
  ])
  const found = (text: string) => readHospitals(text, hospitals)
  expect(found(GENERAL)).toEqual([GENERAL])
  expect(found('NPI: 1234-567-893')).toEqual([GENERAL])
  expect(found('example  general HOSPITAL')).toEqual([GENERAL])
  expect(found('general')).toEqual([GENERAL])
  expect(found('hospital')).toEqual([GENERAL, CHILDRENS])
  expect(found('gener')).toEqual([])
  expect(found('')).toEqual([])
  expect(hospitals.map(hospitalText)).toEqual([
    'Example General Hospital, NPI 1234567893, 1234 rows, edition 2026-01-05',
    "St. Example's Children's Hospital, NPI 1003000126, no file is loaded",
  ])
  expect(oneHospital(' ', hospitals)).toEqual({ npi: '' })
  expect(oneHospital('general', hospitals)).toEqual({ npi: GENERAL })
  for (const text of ['hospital', 'nowhere', '1234567890', '<script>'])
    expect(oneHospital(text, hospitals)).toEqual({ refused: expect.stringMatching(/NPI/) })
})

test('of hospitals that share all their words a few are named, and no text is as long as many names', () => {
  const hospitals = Array.from({ length: 500 }, (_, i) => ({
    npi: String(1_000_000_000 + i),
    name: `General Hospital ${i}`,
  }))
  expect(readHospitals('hospital general', hospitals)).toEqual(hospitals.slice(0, 12).map(({ npi }) => npi))
  expect(readHospitals('hospital 321', hospitals)).toEqual(['1000000321'])
  expect(readHospitals('general hospital 499', hospitals)).toEqual(['1000000499'])
  const { refused } = oneHospital('general', hospitals) as { refused: string }
  expect(refused.split(';')).toHaveLength(12)
  for (const text of ['general '.repeat(400), 'x'.repeat(200)]) expect(readHospitals(text, hospitals)).toEqual([])
})
