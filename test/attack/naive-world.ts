// Small invented source files of every chart, in several editions each, with what they say as plain data: the files go
// through the real readers, the data through the naive model.

import fc from 'fast-check'
import { type FixtureCharge, tallCsv } from '../../src/ingest/hospital/fixture.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import { asCsv } from '../support/source-files.ts'

export const CODES = ['G0101', 'G0102', 'J1000', 'E0100', '80001']
/** In every edition, so that no file is without a line that can be read. */
export const FILLER = 'G9999'
/** Localities, with the number of their contractor. */
export const LOCALITIES: Readonly<Record<string, string>> = {
  'US-AL-00': '10112',
  'US-AK-01': '02102',
  'US-IL-12': '06102',
  'US-IL-15': '06102',
  'US-IL-16': '06102',
  'US-CA-05': '01112',
  'US-CA-18': '01182',
}
export const PLACES = Object.keys(LOCALITIES)
export const EQUIPMENT_STATES =
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY AK HI PR VI'.split(
    ' ',
  )
export const ZIPS = ['35004', '60007', '60611', '90001', '99501']
export const NPIS = ['1234567893', '1194866210', '1649248626']

/** Relative values in hundredths. */
export interface PhysicianLine {
  cpt: string
  modifier: string
  status: string
  work: number
  practice: { non_facility: number; facility: number }
  na: { non_facility: boolean; facility: boolean }
  malpractice: number
  cap: { non_facility: number; facility: number; malpractice: number }
  bilateral: string
  assistant: string
  co_surgeon: string
  fault: 'none' | 'unreadable' | 'contradicted'
}
export interface Physician {
  lines: PhysicianLine[]
  /** Work, practice and malpractice indices, in thousandths. */
  places: { region: string; indices: readonly [number, number, number] }[]
  /** In ten-thousandths. */
  factor: number
}
/** One line of a national table: an amount in thousandths of a dollar, or none. */
export interface TableLine {
  cpt: string
  modifier: string
  mark: string
  amount: number | null
  fault: 'none' | 'unreadable' | 'contradicted'
}
export interface EquipmentLine {
  cpt: string
  modifiers: string[]
  /** For each state, in cents: outside of rural areas, and in them. */
  amounts: Record<string, readonly [number, number]>
}
export interface Zip {
  zip: string
  region: string
  /** Where the last four digits decide: what the other file says of them. */
  parts: { four: string; region: string }[] | null
}
export interface Zips {
  zips: Zip[]
  withParts: boolean
}
export interface Hospital {
  npis: string[]
  charges: FixtureCharge[]
}

export type Content =
  | { chart: 'cms-pfs' | 'cms-pfs-qpp'; data: Physician }
  | { chart: 'cms-clfs' | 'cms-asp' | 'cms-opps' | 'cms-asc'; data: TableLine[] }
  | { chart: 'cms-dmepos'; data: EquipmentLine[] }
  | { chart: 'zip-locality'; data: Zips }
  | { chart: 'hospital-mrf'; data: Hospital }
export type Edition = Content & {
  from: string
  /** The last day, where the operator says it. */
  to: string | null
  fate: 'published' | 'withdrawn' | 'staged'
}

const code = fc.constantFrom(...CODES)
const fault = fc.constantFrom(
  'none',
  'none',
  'none',
  'none',
  'none',
  'none',
  'unreadable',
  'contradicted',
) as fc.Arbitrary<TableLine['fault']>
const rvu = fc.oneof(fc.integer({ min: 1, max: 900 }), fc.constant(0))
const na = fc.constantFrom(false, false, false, true)
const digit = fc.constantFrom('0', '1', '2', '3', '9')

const FILLING: PhysicianLine = {
  ...{ cpt: FILLER, modifier: '', status: 'N', work: 0, practice: { non_facility: 0, facility: 0 }, malpractice: 0 },
  ...{ na: { non_facility: false, facility: false }, cap: { non_facility: 0, facility: 0, malpractice: 0 } },
  ...{ bilateral: '0', assistant: '0', co_surgeon: '0', fault: 'none' },
}

const physicianLine: fc.Arbitrary<PhysicianLine> = fc.record({
  cpt: code,
  modifier: fc.constantFrom('', '', '26', 'TC', '53'),
  status: fc.constantFrom(...'AAAAAAAARTBPCNIEXJM'),
  work: rvu,
  practice: fc.record({ non_facility: rvu, facility: rvu }),
  na: fc.record({ non_facility: na, facility: na }),
  malpractice: rvu,
  cap: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ non_facility: 0, facility: 0, malpractice: 0 }) },
    { weight: 1, arbitrary: fc.record({ non_facility: rvu, facility: rvu, malpractice: rvu }) },
  ),
  bilateral: digit,
  assistant: digit,
  co_surgeon: digit,
  fault,
})
const index = fc.integer({ min: 300, max: 2000 })
const physician: fc.Arbitrary<Physician> = fc.record({
  lines: fc
    .uniqueArray(physicianLine, {
      minLength: 4,
      maxLength: 11,
      size: 'max',
      selector: (line) => `${line.cpt}|${line.modifier}`,
    })
    .map((lines) => [...lines, FILLING]),
  places: fc.uniqueArray(fc.record({ region: fc.constantFrom(...PLACES), indices: fc.tuple(index, index, index) }), {
    minLength: 2,
    maxLength: 6,
    size: 'max',
    selector: ({ region }) => region,
  }),
  factor: fc.integer({ min: 300_000, max: 399_999 }),
})

/** A zero is left out: the row form calls it `no_price_stated`, and the readers of these tables `unreadable`. */
const table = (marks: string, modifiers: string[], least: number, blanks: number): fc.Arbitrary<TableLine[]> =>
  fc
    .uniqueArray(
      fc
        .record({
          cpt: code,
          modifier: fc.constantFrom(...modifiers),
          mark: fc.constantFrom(...marks.split(' ')),
          amount: fc.oneof(
            { weight: 6, arbitrary: fc.integer({ min: 1, max: 90_000 }).map((n) => n * least) },
            { weight: blanks, arbitrary: fc.constant(null) },
          ),
          fault,
        })
        .map((line) => ({ ...line, fault: line.amount === null ? ('none' as const) : line.fault })),
      { minLength: 1, maxLength: 5, size: 'max', selector: (line) => `${line.cpt}|${line.modifier}` },
    )
    .map((lines) => [
      ...lines,
      { cpt: FILLER, modifier: '', mark: marks.split(' ')[0] ?? '', amount: 1230, fault: 'none' },
    ])

const cents = fc.oneof(fc.integer({ min: 100, max: 90_000 }), fc.constant(0))
const equipment: fc.Arbitrary<EquipmentLine[]> = fc
  .uniqueArray(
    fc.record({
      cpt: code,
      modifiers: fc.constantFrom<string[]>([], ['RR'], ['NU'], ['RR', 'KH']),
      amounts: fc.record({ AL: fc.tuple(cents, cents), IL: fc.tuple(cents, cents), CA: fc.tuple(cents, cents) }),
    }),
    { minLength: 1, maxLength: 4, size: 'max', selector: (line) => `${line.cpt}|${line.modifiers.join()}` },
  )
  .map((lines) => [...lines, { cpt: FILLER, modifiers: [], amounts: { AL: [100, 0] as const } }])

const place = fc.constantFrom(...PLACES)
const zips: fc.Arbitrary<Zips> = fc.record({
  zips: fc.uniqueArray(
    fc.record({
      zip: fc.constantFrom(...ZIPS),
      region: place,
      parts: fc.option(
        fc.uniqueArray(fc.record({ four: fc.constantFrom('0001', '0002', '1234', '9999'), region: place }), {
          maxLength: 4,
          selector: ({ four }) => four,
        }),
      ),
    }),
    { minLength: 3, maxLength: 5, size: 'max', selector: ({ zip }) => zip },
  ),
  withParts: fc.boolean(),
})

const dollars = fc.option(fc.constantFrom('10.00', '12.50', '99.95', '140.20951', '3.333'), { nil: undefined })
const hospital: fc.Arbitrary<Hospital> = fc.record({
  npis: fc.uniqueArray(fc.constantFrom(...NPIS.slice(0, 2)), { minLength: 1 }),
  charges: fc
    .array(
      fc
        .record({
          code,
          setting: fc.constantFrom('outpatient', 'inpatient', 'both'),
          modifiers: fc.constantFrom('', '', 'TC', '25', 'TC|25', '50'),
          billing: fc.constantFrom('', 'facility', 'professional', 'both'),
          gross: dollars,
          cash: dollars,
          low: fc.option(fc.constantFrom('5.00', '6.25'), { nil: undefined }),
          high: fc.option(fc.constantFrom('200.00', '300.00'), { nil: undefined }),
          rates: fc.array(fc.constantFrom('20.00', '30.00', '45.10'), { maxLength: 2 }),
        })
        .map(
          (charge) =>
            Object.fromEntries(Object.entries(charge).filter(([, v]) => v !== undefined)) as unknown as FixtureCharge,
        ),
      { minLength: 2, maxLength: 8, size: 'max' },
    )
    .map((charges) => [...charges, { code: FILLER, setting: 'outpatient', gross: '100.00' }]),
})

const STARTS = [...Array<string>(5).fill('2026-01-01'), '2026-02-15', '2026-04-01']
const plus = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
const editionsOf = (chart: string, data: fc.Arbitrary<unknown>, maxLength: number): fc.Arbitrary<Edition[]> =>
  fc.array(
    fc
      .record({
        from: fc.constantFrom(...STARTS),
        days: fc.option(fc.constantFrom(20, 100, 300, 300, 300)),
        fate: fc.constantFrom(...Array(7).fill('published'), 'withdrawn', 'staged'),
        data,
      })
      .map(({ from, days, fate, data: content }) => {
        const to = days === null ? null : plus(from, days)
        return { chart, from, to, fate, data: content } as Edition
      }),
    { minLength: maxLength > 1 ? 1 : 0, maxLength, size: 'max' },
  )

/** The editions of a store, in the order in which they are loaded. */
export const world: fc.Arbitrary<Edition[]> = fc
  .tuple(
    editionsOf('cms-pfs', physician, 4),
    editionsOf('cms-pfs-qpp', physician, 1),
    editionsOf('cms-clfs', table('N N N L', ['', '', 'QW'], 10, 0), 3),
    editionsOf('cms-asp', table('N', [''], 1, 1), 2),
    editionsOf('cms-opps', table('J1 J1 S K N Q1 A C E1 B E2', [''], 1, 1), 2),
    editionsOf('cms-asc', table('A2 G2 K2 N1 C5 E5 D5', [''], 10, 1), 2),
    editionsOf('cms-dmepos', equipment, 2),
    editionsOf('zip-locality', zips, 2),
    editionsOf('hospital-mrf', hospital, 3),
  )
  .map((charts) => charts.flat())

// The files.

const decimal = (value: number, places: number): string => (value / 10 ** places).toFixed(places)

const PHYSICIAN_HEAD = [
  ...['HCPCS', 'MOD', 'STATUS CODE', 'WORK RVU', 'NON-FAC PE RVU', 'NON-FAC NA INDICATOR', 'FACILITY PE RVU'],
  ...['FACILITY NA INDICATOR', 'MP RVU', 'NON-FACILITY TOTAL', 'FACILITY TOTAL', 'PCTC IND', 'GLOB DAYS', 'MULT PROC'],
  ...['BILAT SURG', 'ASST SURG', 'CO-SURG', 'CONV FACTOR'],
  ...['NON-FACILITY PE USED FOR OPPS PAYMENT AMOUNT', 'FACILITY PE USED FOR OPPS PAYMENT AMOUNT'],
  'MP USED FOR OPPS PAYMENT AMOUNT',
]
function physicianCells(line: PhysicianLine, factor: number, work = decimal(line.work, 2)): string[] {
  const { practice, na: marked, cap } = line
  return [
    ...[line.cpt, line.modifier, line.status, work, decimal(practice.non_facility, 2), marked.non_facility ? 'NA' : ''],
    ...[decimal(practice.facility, 2), marked.facility ? 'NA' : '', decimal(line.malpractice, 2), '', ''],
    ...['0', 'XXX', '0', line.bilateral, line.assistant, line.co_surgeon, decimal(factor, 4)],
    ...[cap.non_facility, cap.facility, cap.malpractice].map((value) => decimal(value, 2)),
  ]
}
function physicianFiles({ lines, places, factor }: Physician, title: string): Uint8Array[] {
  const values = lines.flatMap((line) => {
    if (line.fault === 'unreadable') return [physicianCells(line, factor, 'x')]
    const cells = physicianCells(line, factor)
    return line.fault === 'contradicted' ? [cells, physicianCells(line, factor, decimal(line.work + 1, 2))] : [cells]
  })
  const head = ['Medicare Administrative Contractor (MAC)', 'State', 'Locality Number', 'Locality Name']
  const indices = places.map(({ region, indices: [work, practice, malpractice] }) => {
    const [, state = '', number = ''] = region.split('-')
    return [LOCALITIES[region] ?? '', state, number, 'X', ...[work, practice, malpractice].map((n) => decimal(n, 3))]
  })
  return [
    asCsv([[title], PHYSICIAN_HEAD, ...values]),
    asCsv([[title], [...head, '2026 PW GPCI (with 1.0 Floor)', '2026 PE GPCI', '2026 MP GPCI'], ...indices]),
  ]
}

const HEADS = {
  'cms-clfs': ['YEAR', 'HCPCS', 'MOD', 'INDICATOR', 'RATE'],
  'cms-asp': ['HCPCS Code', 'Short Description', 'HCPCS Code Dosage', 'Payment Limit'],
  'cms-opps': ['HCPCS Code', 'SI', 'Payment Rate'],
  'cms-asc': [
    ...['HCPCS Code', 'Short Descriptor', 'Subject to Multiple Procedure Discounting'],
    ...['Payment Indicator', 'Payment Weight', 'Payment Rate'],
  ],
} as const
function tableFile(chart: keyof typeof HEADS, lines: readonly TableLine[], title: string): Uint8Array {
  const cells = ({ cpt, modifier, mark }: TableLine, amount: string): string[] =>
    ({
      'cms-clfs': ['2026', cpt, modifier, mark, amount],
      'cms-asp': [cpt, 'X', '10 MG', amount],
      'cms-opps': [cpt, mark, amount],
      'cms-asc': [cpt, 'X', 'N', mark, '', amount],
    })[chart]
  const rows = lines.flatMap((line) => {
    const amount = line.amount === null ? '' : decimal(line.amount, 3)
    if (line.fault === 'unreadable') return [cells(line, 'x')]
    return line.fault === 'contradicted' ? [cells(line, amount), cells(line, '77777.77')] : [cells(line, amount)]
  })
  return asCsv([[title], [...HEADS[chart]], ...rows])
}

function equipmentFile(lines: readonly EquipmentLine[], title: string): Uint8Array {
  const head = ['HCPCS', 'Mod', 'Mod2', 'JURIS', 'CATG', 'Ceiling', 'Floor']
  const rows = lines.map(({ cpt, modifiers: [one = '', two = ''], amounts }: EquipmentLine) => [
    ...[cpt, one, two, 'D', 'IN', '0', '0'],
    ...EQUIPMENT_STATES.flatMap((state) => (amounts[state] ?? [0, 0]).map((amount) => decimal(amount, 2))),
  ])
  return asCsv([[title], [...head, ...EQUIPMENT_STATES.flatMap((state) => [`${state} (NR)`, `${state} (R)`])], ...rows])
}

function zipFiles({ zips: all, withParts }: Zips, number: number): Uint8Array[] {
  const start = (zip: string, region: string): string =>
    `${region.slice(3, 5)}${zip}${LOCALITIES[region]}${region.slice(6)}      `
  const five = all.map(({ zip, region, parts }) => `${start(zip, region)}${parts ? 1 : 0} A${number}`)
  const nine = all.flatMap(({ zip, parts }) => (parts ?? []).map((part) => `${start(zip, part.region)}1${part.four}`))
  return [five, ...(withParts && nine.length > 0 ? [nine] : [])].map((lines) => utf8(`${lines.join('\r\n')}\r\n`))
}

/** The files of an edition: their names and bytes. A number in each makes them differ from all others. */
export function filesOf(edition: Edition, number: number): { name: string; bytes: Uint8Array }[] {
  const title = `INVENTED ${number}`
  switch (edition.chart) {
    case 'cms-pfs':
    case 'cms-pfs-qpp':
      return named(['RVU.csv', 'GPCI.csv'], physicianFiles(edition.data, title))
    case 'cms-dmepos':
      return named(['table.csv'], [equipmentFile(edition.data, title)])
    case 'zip-locality':
      return named(['ZIP5.txt', 'ZIP9.txt'], zipFiles(edition.data, number))
    case 'hospital-mrf':
      return named(['charges.csv'], [utf8(hospitalFile(edition, title))])
    default:
      return named(['table.csv'], [tableFile(edition.chart, edition.data, title)])
  }
}
const named = (names: readonly string[], files: readonly Uint8Array[]): { name: string; bytes: Uint8Array }[] =>
  files.map((bytes, i) => ({ name: names[i] ?? '', bytes }))

function hospitalFile({ from, data }: Extract<Edition, { chart: 'hospital-mrf' }>, words: string): string {
  return tallCsv(data.charges, { last_updated_on: from, npi: data.npis.join('|'), words })
}
