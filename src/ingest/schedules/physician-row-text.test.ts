import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { utf8 } from '../../proof/bytes.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { physicianFeeCents } from '../../proof/price/physician-fee.ts'
import { isRow, rowKey, rowText } from '../../proof/price/row.ts'
import { leafHash } from '../../proof/tree/merkle.ts'
import { NewWords } from '../../registry/bundle/words.ts'
import { packTile, TileWriter } from '../../registry/file/bundle.ts'
import { bodyHasKey } from '../../registry/release/row-body.ts'
import { type Locality, NATIONAL } from './gpci.ts'
import type { PhysicianLine } from './physician-lines.ts'
import { feeCents, physicianRows } from './physician-row-text.ts'
import { groupByCode, type PhysicianEdition, rowsOfLine } from './physician-rows.ts'

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
  multipleProcedure: fc.constantFrom('', '2'),
  bilateral: fc.constantFrom('0', '1'),
  assistant: fc.constantFrom('', '9'),
  coSurgeon: fc.constantFrom('0', '?'),
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
  fc.record({
    region: fc.constant(region),
    mac: fc.constant('01112'),
    line: fc.integer({ min: 1, max: 999 }),
    gpci: fc.record({ work: index, practice: index, malpractice: index }),
    work_floor: fc.constantFrom('with_floor' as const, 'without_floor' as const),
  })
const edition: fc.Arbitrary<PhysicianEdition> = fc.record({
  basis: fc.constantFrom('medicare_pfs' as const, 'medicare_pfs_qpp' as const),
  effective_from: fc.constantFrom('2026-07-01', '2025-10-01'),
  conversion_factor_kind: fc.constantFrom(undefined, 'qualifying_apm' as const, 'non_qualifying_apm' as const),
})

test('a row made from pieces is, byte for byte, the row made as an object, and in key order', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(line, { minLength: 1, maxLength: 6, selector: ({ cpt, modifier }) => `${cpt}|${modifier}` }),
      fc.tuple(locality('US-AK-01'), locality('US-CA-05'), locality('US-CA-18')),
      edition,
      (lines, localities, made) => {
        const ready = [...physicianRows(lines, localities, made)]
        const objects = groupByCode(lines).flatMap((group) =>
          [...localities, NATIONAL].flatMap((place) => group.flatMap((each) => rowsOfLine(each, place, made))),
        )
        expect(ready.map(({ body }) => body)).toEqual(objects.map(rowText))
        // One after the other, in memory that is too small at first.
        const words = new NewWords()
        const written = new TileWriter(words, new Uint8Array(0))
        for (const row of ready) written.add(row)
        const hashes = Buffer.concat(objects.map((row) => leafHash(utf8(rowText(row)))))
        expect(hashes.equals(packTile(written.text(), 0, words).leaves)).toBe(true)
        expect(ready.map(({ key }) => key)).toEqual(objects.map(rowKey))
        expect(ready.map(({ key }) => key)).toEqual(ready.map(({ key }) => key).sort())
        const stated = ({ kind, cpt, region, npi }: { kind: string; cpt: string; region: string; npi: unknown }) =>
          [kind, cpt, region, npi].join()
        expect(ready.map(stated)).toEqual(objects.map(stated))
        const unsound = ready.filter(({ key, body }) => {
          const row: unknown = JSON.parse(body)
          return !isRow(row) || !verifyDerivation(row).ok || !bodyHasKey(body, key)
        })
        expect(unsound).toEqual([])
      },
    ),
    { numRuns: 300 },
  )
})

test('arithmetic in doubles gives the cent that exact arithmetic gives, also where doubles end', () => {
  const scaled = (places: number, most: number) =>
    fc.nat({ max: most }).map((n) => ({ n, text: (n / 10 ** places).toFixed(places) }))
  fc.assert(
    fc.property(
      fc.tuple(...[0, 1, 2].map(() => fc.oneof(scaled(2, 99_999_999), scaled(2, 20_000)))),
      fc.tuple(...[0, 1, 2].map(() => scaled(3, 9_999))),
      fc.oneof(scaled(4, 99_999_999), scaled(4, 400_000)),
      (values, indices, factor) => {
        const named = <T>(list: readonly T[]) => ({
          work: list[0] as T,
          practice: list[1] as T,
          malpractice: list[2] as T,
        })
        const texts = (list: readonly { text: string }[]) => named(list.map(({ text }) => text))
        const numbers = (list: readonly { n: number }[]) => named(list.map(({ n }) => n))
        expect(feeCents(numbers(values), numbers(indices), factor.n)).toBe(
          physicianFeeCents(texts(values), texts(indices), factor.text),
        )
      },
    ),
    { numRuns: 5_000 },
  )
})

test('half a cent goes up, and just below it goes down', () => {
  const one = { work: 1000, practice: 1000, malpractice: 1000 }
  const rvus = (work: number) => ({ work, practice: 0, malpractice: 0 })
  expect(feeCents(rvus(1), one, 5_000)).toBe(1) // 0.01 x 0.5000 = half a cent
  expect(feeCents(rvus(1), one, 4_999)).toBe(0)
  expect(feeCents(rvus(1), one, 25_000)).toBe(3)
})
