// Small invented source files of every chart, in several editions each, with what they say as plain data: the files go
// through the real readers, the data through the naive model.

import fc from 'fast-check'
import type { FixtureCharge } from '../../src/ingest/hospital/fixture.ts'

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
  'US-DC-01': '12202',
  'US-HI-01': '01212',
}
export const PLACES = Object.keys(LOCALITIES)
export const EQUIPMENT_STATES =
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY AK HI PR VI'.split(
    ' ',
  )
export const AREAS = ['North Shore, XX-YY', 'Twin Rivers', 'Old Mill']
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
  /** For each former bidding area, in cents. */
  inAreas: Record<string, number>
}
export interface Zip {
  zip: string
  region: string
  /** Of the address, whatever the locality is named after. */
  state: string
  /** Where the last four digits decide: what the other file says of them. */
  parts: { four: string; region: string; state: string }[] | null
}
export interface Zips {
  zips: Zip[]
  withParts: boolean
  /** The list of those that are rural to the equipment schedule, where it is given. */
  rural: string[] | null
  /** Which former bidding area each of some is in, where that list is given. */
  areas: Record<string, string> | null
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
      inAreas: fc.dictionary(fc.constantFrom(...AREAS), cents),
    }),
    { minLength: 1, maxLength: 4, size: 'max', selector: (line) => `${line.cpt}|${line.modifiers.join()}` },
  )
  .map((lines) => [...lines, { cpt: FILLER, modifiers: [], amounts: { AL: [100, 0] as const }, inAreas: {} }])

const place = fc.constantFrom(...PLACES)
const state = fc.constantFrom('IL', 'IL', 'IL', 'AL', 'MD', 'GU')
const zips: fc.Arbitrary<Zips> = fc.record({
  zips: fc.uniqueArray(
    fc.record({
      zip: fc.constantFrom(...ZIPS),
      region: place,
      state,
      parts: fc.option(
        fc.uniqueArray(fc.record({ four: fc.constantFrom('0001', '0002', '1234', '9999'), region: place, state }), {
          maxLength: 4,
          selector: ({ four }) => four,
        }),
      ),
    }),
    { minLength: 3, maxLength: 5, size: 'max', selector: ({ zip }) => zip },
  ),
  withParts: fc.boolean(),
  rural: fc.option(fc.subarray([...ZIPS], { minLength: 1 })),
  areas: fc.option(fc.dictionary(fc.constantFrom(...ZIPS), fc.constantFrom(...AREAS), { minKeys: 1 })),
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
          modifiers: fc.constantFrom('', '', 'TC', '25', 'TC|25', '50', 'RT', '59'),
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
