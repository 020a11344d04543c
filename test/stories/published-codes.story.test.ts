import { afterAll, expect } from 'bun:test'
import { isLong } from '../support/long.ts'
import { naiveCsv } from '../support/naive-table.ts'
import { testOnPublished } from '../support/published-files.ts'
import { closeShelf, codesIn, hinter, missingCodes, shelve, teller, textOf } from '../support/published-shelf.ts'

// What a published file has, its release has: whoever asks for a code that stands in it, on its own basis, is never told
// that it is not on the schedule. The codes are read here in the simplest way there is. The files of
// published-questions.story.test.ts are asked there, and those of hospitals in hospital-reading.story.test.ts.

afterAll(closeShelf)

const PFS25 = 'cms-pfs/2025-rvu25d'
const GPCI25 = `${PFS25}/GPCI2025.csv`
const GPCI26 = 'cms-pfs/2026-rvu26b/GPCI2026.csv'
const [AA, BB] = ['cms-asc/2026-04-AA.csv', 'cms-asc/2026-04-BB.csv']
const DMEPOS = 'cms-dmepos/DMEPOS26_JAN.xlsx'
const NATIONAL = { regions: ['national'] }
interface Case {
  chart: string
  /** The first has the codes. */
  files: string[]
  column?: number
  basis: string
  day: string
  region?: string
  options?: object
}
const pfs25 = { chart: 'cms-pfs', basis: 'medicare_pfs', day: '2025-10-15', options: NATIONAL }
const opps = (file: string, day: string): Case => ({ chart: 'cms-opps', files: [file], basis: 'medicare_opps', day })
const asc = { chart: 'cms-asc', basis: 'medicare_asc', day: '2026-04-15' }
const supplies = { chart: 'cms-dmepos', basis: 'medicare_dmepos', day: '2026-01-15', region: 'IL' }
const CASES: Case[] = [
  { chart: 'cms-clfs', files: ['cms-clfs/CLFS_2025_Q2V1.csv'], column: 1, basis: 'medicare_clfs', day: '2025-04-15' },
  opps('cms-opps/addendum_b_2026-04_softek_conversion.csv.gz', '2026-04-15'),
  { ...asc, files: [AA, BB] },
  { ...supplies, files: ['cms-dmepos/DMEPEN26_JAN.xlsx'], region: 'US-HI-01', options: { edition: 'PEN26Q1' } },
]
/** The largest, and the same again in another form. */
const LONG_CASES: Case[] = [
  { ...pfs25, files: [`${PFS25}/PPRRVU2025_Oct.csv.gz`, GPCI25] },
  { ...pfs25, files: [`${PFS25}/PPRRVU2025_Oct.txt.gz`, GPCI25] },
  opps('cms-opps/opps_addendum_b_2025.xlsx', '2025-01-15'),
  { ...asc, files: [BB] },
  { ...supplies, files: [DMEPOS], region: 'US-VI' },
]

for (const { chart, files, column, basis, day, region, options } of [...CASES, ...(isLong ? LONG_CASES : [])]) {
  const name = `no code of ${files[0]} is told not to be on the schedule`
  testOnPublished(name, files, async () => {
    await shelve({ chart, files, ...(options ? { options } : {}) })
    const question = { as_of: day, basis, ...(region === undefined ? {} : { region }) }
    expect(await missingCodes(question, files[0] ?? '', column)).toEqual([])
  })
}

const OUTPATIENT = 'cms-opps/addendum_b_2026-04_softek_conversion.csv.gz'
testOnPublished(
  'a code that hospitals are paid for is led to their list, where no other is loaded',
  [OUTPATIENT],
  async () => {
    await shelve({ chart: 'cms-opps', files: [OUTPATIENT] })
    const [tell, hint] = [await teller(), await hinter()]
    // Clinic visits, which no other list of Medicare has, and some of all codes.
    const codes = ['G0463', ...[...codesIn(OUTPATIENT)].filter((_, at) => at % 40 === 0)]
    const question = { as_of: '2026-04-15' }
    let priced = 0
    for (const cpt of codes) {
      const basis = 'medicare_opps'
      const isPriced = /^[0-9.]+ /.test(await tell({ cpt, basis, ...question }))
      priced += Number(isPriced)
      expect([cpt, hint({ cpt, ...question }).includes(`basis=${basis}`)]).toEqual([cpt, isPriced])
    }
    expect(priced).toBeGreaterThan(50)
  },
)

const FACTORS = [`${PFS25}/ANES2025.csv`, 'cms-pfs/2026-rvu26ar/ANES2026.csv']
testOnPublished('every locality of a list of anesthesia factors has its own', [...FACTORS, GPCI26], async () => {
  const places = naiveCsv(textOf(GPCI26)).filter(([contractor]) => /^[0-9]{5}$/.test(contractor ?? ''))
  const regions = new Map(
    places.map(([contractor, state, number]) => [`${contractor} ${number}`, `US-${state}-${number}`]),
  )
  for (const file of FACTORS) {
    await shelve({ chart: 'cms-anesthesia', files: [file] })
    const tell = await teller()
    const as_of = `${/ANES(20[0-9]{2})/.exec(file)?.[1]}-06-15`
    const basis = 'medicare_anesthesia'
    let count = 0
    for (const [contractor, number, , ...factors] of naiveCsv(textOf(file))) {
      const region = regions.get(`${contractor} ${number}`)
      if (region === undefined) continue
      // Where there are two, the second is for most clinicians.
      const factor = factors.filter((text) => /^[0-9.]+$/.test(text)).at(-1)
      const said = await tell({ cpt: '00000', region, as_of, basis })
      expect([file, region, said]).toEqual([file, region, `${factor} ${basis}`])
      count++
    }
    expect([file, count]).toEqual([file, 109])
  }
})
