import { expect, test } from 'bun:test'
import { aPrice, aRelease } from '../../../test/support/builders.ts'
import { testStore } from '../../../test/support/engines.ts'
import { openRelease, type ReleaseFile } from '../rows/release-file-store.ts'
import { countChangedIndices, periodFit } from './edition.ts'
import { stage } from './staging.ts'

const edition = (name: string, effective_from: string, effective_to: string) => ({
  edition: name,
  effective_from,
  effective_to,
})
const B = edition('RVU26B', '2026-04-01', '2026-06-30')
type Edition = typeof B
const after = (before: Edition, later: Edition, next: 'quarter' | 'year_later' = 'quarter') =>
  periodFit({ next }, { edition: before, revision: undefined }, later)

test('quarters that follow each other meet', () => {
  const C = edition('RVU26C', '2026-07-01', '2026-09-30')
  expect(after(B, C)).toEqual({ gap: 0, overlap: 0 })
})

test('days that no edition holds are a gap, and days that two claim are an overlap', () => {
  expect(after(B, edition('RVU26D', '2026-10-01', '2026-12-31'))).toEqual({
    gap: 92,
    overlap: 0,
  })
  expect(after(B, edition('X', '2026-06-30', '2026-09-30'))).toEqual({ gap: 0, overlap: 1 })
  expect(after(B, edition('X', '2026-04-01', '2026-06-30'))).toEqual({ gap: 0, overlap: 91 })
})

test('a revision replaces the one before it: days that it no longer holds are a gap', () => {
  const A = edition('RVU26A', '2026-01-01', '2026-03-31')
  const revised = (from: string, to: string, revision: Edition = B, before: Edition | undefined = A) =>
    periodFit({ next: 'quarter' }, { edition: before, revision }, edition('RVU26B', from, to))
  expect(revised('2026-04-01', '2026-06-30')).toEqual({ gap: 0, overlap: 0 })
  expect(revised('2026-05-12', '2026-06-30')).toEqual({ gap: 41, overlap: 0 })
  expect(revised('2026-05-12', '2026-06-29')).toEqual({ gap: 42, overlap: 0 })
  expect(revised('2026-05-12', '2026-06-30', B, undefined)).toEqual({ gap: 41, overlap: 0 })
  expect(revised('2026-03-30', '2026-06-30')).toEqual({ gap: 0, overlap: 2 })
  // Days that the operator had added beyond the quarter may go again.
  expect(revised('2026-04-01', '2026-06-30', { ...B, effective_to: '2099-12-31' })).toEqual({ gap: 0, overlap: 0 })
})

test('an edition that was to last longer than its quarter gives way to the next one without a complaint', () => {
  const long = edition('S1', '2026-01-01', '2099-12-31')
  expect(after(long, edition('S2', '2026-10-01', '2099-12-31'))).toEqual({ gap: 0, overlap: 0 })
})

test('a hospital may bring a new file at any time, but not two for one day', () => {
  const file = edition('2026-01-15', '2026-01-15', '2027-01-14')
  const next = (from: string) => after(file, edition('later', from, '2027-12-31'), 'year_later')
  expect(next('2026-06-01')).toEqual({ gap: 0, overlap: 0 })
  expect(next('2026-01-15').overlap).toBe(365)
  expect(next('2027-01-16')).toEqual({ gap: 1, overlap: 0 })
})

test('regions with another index, or with rows in one edition only, are counted', async () => {
  await using store = await testStore()
  const { db } = store
  const staged = async (edition: string, indices: Record<string, string>): Promise<ReleaseFile> => {
    const rows = Object.entries(indices).map(([region, malpractice_gpci]) => {
      const row = aPrice({ region })
      return { ...row, derivation: { ...row.derivation, inputs: { ...row.derivation.inputs, malpractice_gpci } } }
    })
    const { rows: sorted, ...release } = aRelease({ edition, rows })
    return openRelease(db, (await stage(db, release, sorted, new Map(), 0)).release)
  }
  const before = await staged('A', { national: '1.000', 'US-AL-00': '0.572' })
  const same = await staged('B', { national: '1.000', 'US-AL-00': '0.572' })
  const forged = await staged('C', { national: '1.000', 'US-AL-00': '2.900', 'US-AL-77': '1.000' })
  expect(countChangedIndices(before, same)).toBe(0)
  expect(countChangedIndices(before, forged)).toBe(2)
})
