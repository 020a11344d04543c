import { expect, test } from 'bun:test'
import { aPrice } from '../../test/support/builders.ts'
import { testStore } from '../../test/support/engines.ts'
import type { Row } from '../proof/price/row.ts'
import { checkRelease } from '../registry/release/check.ts'
import type { ReleaseState } from '../registry/release/store.ts'
import { load } from './load.ts'
import type { LoadOptions, Reader, Reading } from './reader.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

/** A reader that makes these rows of any file. */
const reader = (reading: Partial<Reading>, rows: Row[]): Reader => ({
  read: async () => ({
    edition: 'E1',
    effective_from: '2026-10-01',
    rows,
    line_total: 20_000,
    cited: [{ file: 'a.csv', sha256: 'ab'.repeat(32), bytes: { length: 1 }, media_type: 'text/csv' }],
    ...reading,
  }),
  reread: () => {
    throw new Error('nothing is read again here')
  },
  finds: () => false,
  options: [],
})

const withLoad = async (
  kind: string,
  reading: Partial<Reading>,
  options: LoadOptions,
  then: (release: ReleaseState, held: string[]) => void,
): Promise<void> => {
  await using store = await testStore()
  const { db } = store
  const basis = kind === 'hospital-mrf' ? 'hospital_cash' : 'medicare_clfs'
  const npi = reading.provider ?? null
  const rows = [aPrice({ basis, npi, effective_from: '2026-10-01', ...(npi ? {} : { setting: null }) })]
  const { release } = await load(db, kind, [], options, NOW, undefined, {
    readers: { [kind]: reader(reading, rows) },
  })
  then(
    release,
    (await checkRelease(db, release)).held.map(({ rule }) => rule),
  )
}
const period = ({ effective_to, period_by }: ReleaseState) => `${effective_to} ${period_by}`
const URL = { url: 'https://publisher.example/a.csv' }

test('an edition ends as the operator says, else as the file says, else by the calendar of its chart', async () => {
  const expected: [Partial<Reading>, LoadOptions, string][] = [
    [{}, URL, '2026-12-31 calendar'],
    [{ effective_to: '2027-01-15' }, URL, '2027-01-15 file'],
    [{ effective_to: '2027-01-15' }, { ...URL, effective_to: '2099-12-31' }, '2099-12-31 operator'],
  ]
  for (const [reading, options, ends] of expected)
    await withLoad('cms-clfs', reading, options, (release, held) => {
      expect(period(release)).toBe(ends)
      expect(release.providers).toBeNull()
      expect(held).toEqual([])
    })
})

test('a hospital file lasts a year, and names its providers', async () => {
  const reading = { provider: '1234567893', providers: ['1234567893', '1457394567'] }
  await withLoad('hospital-mrf', reading, URL, (release) => {
    expect(period(release)).toBe('2027-09-30 calendar')
    expect(release.providers).toBe('["1234567893","1457394567"]')
  })
})

test('an edition that ends before it begins, or on no day, is refused', async () => {
  for (const effective_to of ['2026-09-30', '2026-02-31', 'later'])
    await expect(withLoad('cms-clfs', {}, { ...URL, effective_to }, () => undefined)).rejects.toMatchObject({
      code: 'invalid_parameter',
    })
})

test('a short first edition, and a source of which no one says where it is from, are held; a sample is not', async () => {
  await withLoad('cms-clfs', { line_total: 15 }, URL, (_, held) => expect(held).toEqual(['w03_short']))
  await withLoad('cms-clfs', {}, {}, (_, held) => expect(held).toEqual(['no_url']))
  await withLoad('cms-clfs', { line_total: 15 }, { data_class: 'sample' }, (_, held) => expect(held).toEqual([]))
})

test('a list is short beside what its publisher issues: CMS lists fewer codes for qualifying participants', async () => {
  const expected: [string, number, string[]][] = [
    ['cms-pfs', 11_811, ['w03_short']],
    ['cms-pfs-qpp', 11_811, []],
    ['cms-pfs-qpp', 5_000, ['w03_short']],
  ]
  for (const [kind, line_total, rules] of expected)
    await withLoad(kind, { line_total }, URL, (_, held) => expect([kind, held]).toEqual([kind, rules]))
})
