import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonical } from '../../proof/canonical-json.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { indices } from '../../proof/price/physician-fee.ts'
import { isRow, rowKey } from '../../proof/price/row.ts'
import { type Locality, NATIONAL } from './gpci.ts'
import type { PhysicianLine } from './physician-lines.ts'
import { type PhysicianEdition, physicianRows, rowsOfLine } from './physician-rows.ts'

const digits = (most: number) => fc.nat({ max: 10 ** most - 1 }).map(String)
const decimal = (whole: number, places: number) =>
  fc
    .tuple(digits(whole), fc.option(fc.integer({ min: 1, max: places })), fc.nat())
    .map(([front, count, n]) => (count === null ? front : `${front}.${String(n).padStart(count, '0').slice(-count)}`))
const rvu = fc.oneof(fc.constantFrom('0.00', '0', '0.0'), decimal(2, 2), decimal(6, 2))

const line: fc.Arbitrary<PhysicianLine> = fc.record({
  line: fc.integer({ min: 1, max: 99_999 }),
  cpt: fc.constantFrom('0001F', '00100', '99213', 'A0021', 'G0101'),
  modifier: fc.constantFrom('', '26', 'TC', '53'),
  status: fc.constantFrom(...'AARRTBCEIJMNPX'),
  work: rvu,
  nonFacilityPractice: rvu,
  nonFacilityNa: fc.constantFrom('', 'NA'),
  facilityPractice: rvu,
  facilityNa: fc.constantFrom('', 'NA'),
  malpractice: rvu,
  nonFacilityTotal: fc.constant(''),
  facilityTotal: fc.constant(''),
  pcTc: fc.constantFrom('', '0', '9'),
  globalDays: fc.constantFrom('XXX', '090'),
  before: fc.constantFrom('0.00', '0.10', '.10'),
  during: fc.constantFrom('0.00', '0.69'),
  after: fc.constantFrom('0.00', '?'),
  multipleProcedure: fc.constantFrom('', '2'),
  bilateral: fc.constantFrom('0', '1'),
  assistant: fc.constantFrom('', '9'),
  coSurgeon: fc.constantFrom('0', '?'),
  endoscopicBase: fc.constantFrom('', '45378'),
  conversionFactor: fc
    .tuple(fc.integer({ min: 20, max: 9_999 }), fc.nat({ max: 9_999 }))
    .map(([a, b]) => `${a}.${String(b).padStart(4, '0')}`),
  oppsNonFacilityPractice: rvu,
  oppsFacilityPractice: rvu,
  oppsMalpractice: rvu,
})
const index = fc.oneof(
  fc.constantFrom('1', '1.000', '0.500'),
  fc.integer({ min: 1, max: 9 }).map(String),
  fc.integer({ min: 300, max: 9_999 }).map((n) => (n / 1000).toFixed(3)),
)
const locality = (region: string): fc.Arbitrary<Locality> =>
  fc
    .record({
      region: fc.constant(region),
      mac: fc.constant('01112'),
      line: fc.integer({ min: 1, max: 999 }),
      gpci: fc.record({ work: index, practice: index, malpractice: index }),
      work_floor: fc.constantFrom('with_floor' as const, 'without_floor' as const),
    })
    .map((each) => ({ ...each, indices: indices(each.gpci) }))
const edition: fc.Arbitrary<PhysicianEdition> = fc.record({
  basis: fc.constantFrom('medicare_pfs' as const, 'medicare_pfs_qpp' as const),
  effective_from: fc.constantFrom('2026-07-01', '2025-10-01'),
  conversion_factor_kind: fc.constantFrom(undefined, 'qualifying_apm' as const, 'non_qualifying_apm' as const),
})

test('whatever the lines say, their rows are valid, in key order, what their inputs lead to, and found again at their lines', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(line, { minLength: 1, maxLength: 6, selector: ({ cpt, modifier }) => `${cpt}|${modifier}` }),
      fc.tuple(locality('US-AK-01'), locality('US-CA-05'), locality('US-CA-18')),
      edition,
      (lines, localities, made) => {
        const rows = [...physicianRows(lines, localities, made)]
        expect(rows.filter((row) => !isRow(row) || !verifyDerivation(row).ok)).toEqual([])
        const keys = rows.map(rowKey)
        expect(keys).toEqual([...new Set(keys)].sort())
        const again = [...localities, NATIONAL].flatMap((place) =>
          lines.flatMap((each) => rowsOfLine(each, place, made)),
        )
        expect(rows.map(canonical).sort()).toEqual(again.map(canonical).sort())
      },
    ),
    { numRuns: 300 },
  )
})
