import { expect } from 'bun:test'
import { isLong } from '../../../test/support/long.ts'
import { published, SLOW, testOnPublished } from '../../../test/support/published-files.ts'
import { csvRecords } from '../../files/csv.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { type PricedRow, rowKey, rowText } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { scheduleAmount } from '../findings.ts'
import { readSource, type Source } from '../source.ts'
import { readGpci } from './gpci.ts'
import { physicianSchedule } from './physician.ts'
import { checkAgainstCap } from './physician-cap.ts'
import { saidEdition } from './physician-edition.ts'
import { physicianLines } from './physician-lines.ts'
import { physicianRows, priceRow, serviceOf } from './physician-rows.ts'

/** The rows of a region are made as those of the others are. */
const someOf = <T>(places: readonly T[]): T[] => places.filter((_, i) => isLong || i % 12 === 0)

const RVU25D = [
  'PPRRVU2025_Oct.csv.gz',
  'PPRRVU2025_Oct.txt.gz',
  'GPCI2025.csv',
  'OPPSCAP_Oct.csv',
  'PFREV25C.txt',
].map((file) => `cms-pfs/2025-rvu25d/${file}`)
const read25 = async () =>
  (await Promise.all(RVU25D.map((file) => readSource(published(file))))) as [Source, Source, Source, Source, Source]

testOnPublished(
  'RVU25D says the same as CSV and in fixed width, in every region',
  RVU25D,
  async () => {
    const [csv, text, gpci] = await read25()
    const lines = physicianLines(csv, new Map())
    expect(lines.length).toBe(19_090)
    // Where a line stands is all that the two may differ in.
    const places = new Map(lines.map(({ cpt, modifier, line }) => [`${cpt}|${modifier}`, line]))
    const others = physicianLines(text, new Map()).map((each) => ({
      ...each,
      line: places.get(`${each.cpt}|${each.modifier}`) ?? 0,
    }))
    const localities = someOf(readGpci(gpci))
    const other = physicianRows(others, localities, { basis: 'medicare_pfs', effective_from: '2025-10-01' })
    let rows = 0
    for (const row of physicianRows(lines, localities, { basis: 'medicare_pfs', effective_from: '2025-10-01' })) {
      rows++
      const same = other.next().value
      if (!same || rowText(row) !== rowText(same))
        throw new Error(`the fixed-width file says something else: ${rowKey(row)}`)
    }
    expect(other.next().done).toBe(true)
    if (isLong) expect(rows).toBe(1_365_871)
    const { cited, edition, effective_from, row_total } = physicianSchedule([text, gpci, csv], {}, new Map())
    expect([cited[0].sha256, edition, effective_from, row_total]).toEqual([
      csv.sha256,
      'RVU25D',
      '2025-10-01',
      1_365_871,
    ])
    expect(saidEdition(text)).toEqual({ year: 2025, edition: 'RVU25D', effective_from: '2025-10-01' })
  },
  SLOW,
)

testOnPublished('every amount of PFREV25C is reproduced to the cent', RVU25D, async () => {
  const [csv, , gpci, , payments] = await read25()
  const line = physicianLines(csv, new Map()).find(({ cpt, modifier }) => cpt === '76145' && modifier === '')
  if (!line) throw new Error('the file does not list the code')
  const places = new Map(readGpci(gpci).map((place) => [`${place.mac} ${place.region.slice(-2)}`, place]))
  const edition = { basis: 'medicare_pfs', effective_from: '2025-10-01' } as const
  let compared = 0
  for (const { cells } of csvRecords(payments.text)) {
    const [, mac, number, cpt, , nonFacility = '', facility = ''] = cells
    if (cpt !== '76145') continue
    const place = places.get(`${mac} ${number}`)
    if (!place) throw new Error('a locality is missing')
    // Both settings, also one that CMS marks NA and that a release has no price for.
    const amounts = (['facility', 'non_facility'] as const).map(
      (setting) => priceRow(serviceOf(line, setting, edition), place).price,
    )
    const stated = [facility, nonFacility].map((text) => ({ amount: scheduleAmount(text), currency: 'USD', per: null }))
    expect(amounts as unknown[]).toEqual(stated)
    compared++
  }
  expect(compared).toBe(109)
})

testOnPublished('every status-A line of OPPSCAP_Oct is reproduced to the cent, through the cap', RVU25D, async () => {
  const [csv, , gpci, cap] = await read25()
  const lines = physicianLines(csv, new Map())
  const localities = readGpci(gpci)
  const rejects: Findings = new Map()
  expect(checkAgainstCap(cap, lines, localities, rejects)).toEqual({ compared: 6_670 })
  expect(rejects.size).toBe(0)
  // Without the cap, every one of these lines would be too high.
  const uncapped = lines.map((line) => ({ ...line, oppsFacilityPractice: '0.00', oppsNonFacilityPractice: '0.00' }))
  const wrong: Findings = new Map()
  checkAgainstCap(cap, uncapped, localities, wrong)
  expect(wrong.get('W02')?.count).toBeGreaterThan(6_000)
})

const RVU26C = ['cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz', 'cms-pfs/2026-rvu26b/GPCI2026.csv']
testOnPublished(
  'RVU26C has two million rows, in key order, each with the amount that its inputs lead to',
  RVU26C,
  async () => {
    const sources = await Promise.all(RVU26C.map((file) => readSource(published(file))))
    const rejects: Findings = new Map()
    const schedule = physicianSchedule(sources, {}, rejects)
    expect([schedule.edition, schedule.effective_from]).toEqual(['RVU26C', '2026-07-01'])
    expect(schedule.row_total).toBe(1_414_265)
    expect([...rejects]).toEqual([['R03', { count: 1, lines: [expect.any(Number)] }]])
    const amounts: Record<string, PricedRow['price']> = {}
    let at = 0
    let last = ''
    for (const row of schedule.rows) {
      const key = rowKey(row)
      if (key <= last) throw new Error(`out of order: ${key}`)
      last = key
      if (key.startsWith('99213|national||medicare_pfs||') && row.kind === 'price') amounts[key] = row.price
      if (at++ % 101 === 0 && !verifyDerivation(row).ok) throw new Error(`not what its inputs lead to: ${key}`)
    }
    expect(at).toBe(schedule.row_total)
    expect(amounts).toMatchObject({
      '99213|national||medicare_pfs|||facility|': { amount: '57.45' },
      '99213|national||medicare_pfs|||non_facility|': { amount: '95.19' },
    })
  },
  SLOW,
)
