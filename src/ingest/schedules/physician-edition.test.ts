import { describe, expect, test } from 'bun:test'
import type { Source } from '../source.ts'
import { dated, decidedKind, isPublishedFactor, namedKind, saidEdition } from './physician-edition.ts'

describe('an edition', () => {
  test.each([
    ['January', 'RVU24A', '2024-01-01'],
    ['April', 'RVU24B', '2024-04-01'],
    ['July', 'RVU24C', '2024-07-01'],
    ['October', 'RVU24D', '2024-10-01'],
  ])('of %s has its letter and its first day', (month, edition, effective_from) => {
    const text = `,,2024 National Physician Fee Schedule Relative Value File ${month} Release,,`
    expect(saidEdition({ text, file: 'x' } as Source)).toEqual({ year: 2024, edition, effective_from })
    const file = `PPRRVU24_${month.slice(0, 3).toUpperCase()}.txt`
    expect(saidEdition({ text: 'HDR', file } as Source)).toEqual({ year: 2024, edition, effective_from })
  })

  test('is known by the name of its archive too, which alone tells a revision from its quarter', () => {
    const said = (archive: string, file = 'PPRRVU26_V0112.csv', text = '') =>
      saidEdition({ text, file, archive } as Source)
    expect(said('rvu26ar_1__1_.zip')).toEqual({ year: 2026, edition: 'RVU26AR', effective_from: '2026-01-01' })
    const january = ',,2026 National Physician Fee Schedule Relative Value File January Release,,'
    expect(said('RVU26AR.zip', 'x', january)).toMatchObject({ edition: 'RVU26AR', effective_from: '2026-01-01' })
    expect(said('rvu26c-updated-06-30-2026.zip', 'x.csv')).toMatchObject({ edition: 'RVU26C' })
    // A file is what it says itself to be, not where someone put it.
    expect(said('RVU25D.zip', 'x', january)).toMatchObject({ edition: 'RVU26A' })
    expect(said('download.zip', 'x.csv')).toEqual({})
  })

  test('of January 2024 that was made with the factor of March is the revision of March', () => {
    const january = { year: 2024, edition: 'RVU24A', effective_from: '2024-01-01' }
    expect(dated(january, '32.7442')).toEqual(january)
    expect(dated(january, '33.2875')).toEqual({ year: 2024, edition: 'RVU24AR', effective_from: '2024-03-09' })
    const april = { year: 2024, edition: 'RVU24B', effective_from: '2024-04-01' }
    expect(dated(april, '33.2875')).toEqual(april)
  })

  test('between the quarters says no more than its year', () => {
    const text = ',,2024 National Physician Fee Schedule Relative Value File March Release,,'
    expect(saidEdition({ text, file: 'x' } as Source)).toEqual({ year: 2024 })
    expect(namedKind({ text, file: 'PPRRVU24_MAR.csv' } as Source)).toBeUndefined()
  })

  test.each([
    ['PPRRVU23_JAN.csv', 'RVU23A'],
    ['PPRRVU2025_Oct.txt', 'RVU25D'],
    ['pprrvu26_jul.xlsx', 'RVU26C'],
    ['PPRRVU2026_Apr_nonQPP.txt', 'RVU26B'],
    ['PPRRVU22_V1215.xlsx', undefined],
  ])('has its year and its letter by the name %s', (file, edition) => {
    const said = saidEdition({ text: 'HDR', file } as Source)
    expect([said.year, said.edition]).toEqual([2000 + Number(/[0-9]{2}(?=_)/.exec(file)?.[0]), edition])
  })
})

describe('a conversion factor', () => {
  const kindOf = (file: string, text = '') => namedKind({ file, text } as Source)
  test('is for clinicians in a qualifying payment model or not, as the name or the title says', () => {
    expect(
      ['PPRRVU2026_Jul_nonQPP.csv', 'pprrvu26_apr_non-qpp.txt', 'mpfs_2026_nonqp.xlsx'].map((file) => kindOf(file)),
    ).toEqual(Array.from({ length: 3 }, () => 'non_qualifying_apm'))
    expect(['PPRRVU2026_Jul_QPP.csv', 'PPRRVU2026_Oct_QPP.txt'].map((file) => kindOf(file))).toEqual([
      'qualifying_apm',
      'qualifying_apm',
    ])
    expect(kindOf('x.csv', ',,2027 National Physician Fee Schedule Relative Value File January Release (QPP),,')).toBe(
      'qualifying_apm',
    )
    expect(kindOf('PPRRVU25_OCT.csv')).toBeUndefined()
  })

  test('tells by itself which it is, and must be said where it does not', () => {
    const [most, qpp] = ['medicare_pfs', 'medicare_pfs_qpp'] as const
    expect(decidedKind('33.4009', 2026, undefined, most)).toBe('non_qualifying_apm')
    expect(decidedKind('33.5675', 2026, undefined, qpp)).toBe('qualifying_apm')
    expect(decidedKind('32.3465', 2025, undefined, most)).toBeUndefined()
    expect(decidedKind('35.0000', 2027, 'qualifying_apm', qpp)).toBe('qualifying_apm')
    // Where the file does not say, the chart that it is loaded as does.
    expect(decidedKind('35.0000', 2027, undefined, most)).toBe('non_qualifying_apm')
    expect(decidedKind('35.0000', 2027, undefined, qpp)).toBe('qualifying_apm')
    expect(() => decidedKind('33.4009', 2026, undefined, qpp)).toThrow('invalid_parameter')
    expect(() => decidedKind('33.5675', 2026, undefined, most)).toThrow('invalid_parameter')
    expect(() => decidedKind('32.3465', 2025, undefined, qpp)).toThrow('invalid_parameter')
    expect(() => decidedKind('33.4009', 2026, 'qualifying_apm', most)).toThrow('source_unreadable')
  })

  test('is one that was published for its year, as far as that is known', () => {
    expect([2023, 2024, 2025].map((year) => isPublishedFactor('33.2875', year))).toEqual([false, true, false])
    expect(isPublishedFactor('32.74420', 2024)).toBe(true)
    expect(isPublishedFactor('35.0000', 2031)).toBe(true)
    expect(isPublishedFactor('35.0000', undefined)).toBe(true)
  })
})
