import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readSheet } from '../../src/files/xlsx.ts'
import { testApp } from '../support/harness.ts'
import { naiveCsv } from '../support/naive-table.ts'
import { published, testOnPublished } from '../support/published-files.ts'
import { publishFiles, teller, textOf } from '../support/published-shelf.ts'

// What a published file has, its release has: whoever asks for a code that stands in it, on its own basis, is never told
// that it is not on the schedule. The codes are read here in the simplest way there is.

const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/
const clean = (cell = ''): string => cell.replaceAll(/[^!-~]|"/g, '')

/** Lines and commas: a code stands before any text that could hold either. */
function codesIn(file: string, column = 0): Set<string> {
  const lines = file.endsWith('.xlsx')
    ? Array.from(readSheet(readFileSync(published(file))).rows, ({ cells }) => cells)
    : textOf(file)
        .split('\n')
        .map((line) => (file.includes('.txt') ? [line.slice(0, 5)] : line.split(',')))
  return new Set(lines.map((cells) => clean(cells[column])).filter((code) => CODE.test(code)))
}

const GPCI25 = 'cms-pfs/2025-rvu25d/GPCI2025.csv'
const GPCI26 = 'cms-pfs/2026-rvu26b/GPCI2026.csv'
const PHYSICIAN = { options: { regions: ['national'] }, basis: 'medicare_pfs' }
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
const CASES: Case[] = [
  { ...PHYSICIAN, chart: 'cms-pfs', files: ['cms-pfs/2025-rvu25d/PPRRVU2025_Oct.csv.gz', GPCI25], day: '2025-10-15' },
  { ...PHYSICIAN, chart: 'cms-pfs', files: ['cms-pfs/2025-rvu25d/PPRRVU2025_Oct.txt.gz', GPCI25], day: '2025-10-15' },
  {
    ...PHYSICIAN,
    chart: 'cms-pfs',
    files: ['cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_nonQPP.csv.gz', GPCI26],
    day: '2026-01-15',
  },
  {
    ...PHYSICIAN,
    chart: 'cms-pfs',
    files: ['cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz', GPCI26],
    day: '2026-07-15',
  },
  {
    ...{ ...PHYSICIAN, chart: 'cms-pfs-qpp', files: ['cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_QPP.csv.gz', GPCI26] },
    ...{ basis: 'medicare_pfs_qpp', day: '2026-01-15' },
  },
  { chart: 'cms-clfs', files: ['cms-clfs/CLFS_2025_Q2V1.csv'], column: 1, basis: 'medicare_clfs', day: '2025-04-15' },
  {
    chart: 'cms-clfs',
    files: ['cms-clfs/PUF_CLFS_CY2026_Q2V1.csv'],
    column: 1,
    basis: 'medicare_clfs',
    day: '2026-04-15',
  },
  { chart: 'cms-asp', files: ['cms-asp/ASP_limits_2026_Jan.csv'], basis: 'medicare_asp', day: '2026-01-15' },
  { chart: 'cms-opps', files: ['cms-opps/opps_addendum_b_2025.xlsx'], basis: 'medicare_opps', day: '2025-01-15' },
  { chart: 'cms-opps', files: ['cms-opps/addendum_b_2025-10.csv.gz'], basis: 'medicare_opps', day: '2025-10-15' },
  {
    ...{ chart: 'cms-opps', files: ['cms-opps/addendum_b_2026-04_softek_conversion.csv.gz'], basis: 'medicare_opps' },
    day: '2026-04-15',
  },
  {
    chart: 'cms-asc',
    files: ['cms-asc/2026-04-AA.csv', 'cms-asc/2026-04-BB.csv'],
    basis: 'medicare_asc',
    day: '2026-04-15',
  },
  { chart: 'cms-asc', files: ['cms-asc/2026-04-BB.csv'], basis: 'medicare_asc', day: '2026-04-15' },
  {
    chart: 'cms-dmepos',
    files: ['cms-dmepos/DMEPOS26_JAN.xlsx'],
    basis: 'medicare_dmepos',
    day: '2026-01-15',
    region: 'IL',
  },
  {
    chart: 'cms-dmepos',
    files: ['cms-dmepos/DMEPEN26_JAN.xlsx'],
    basis: 'medicare_dmepos',
    day: '2026-01-15',
    region: 'US-HI-01',
  },
]

for (const { chart, files, column, basis, day, region, options } of CASES)
  testOnPublished(`no code of ${files[0]} is told not to be on the schedule`, files, async () => {
    await using app = await testApp({ today: day })
    await publishFiles(app, chart, files, options)
    const tell = await teller(app)
    const codes = codesIn(files[0] ?? '', column)
    expect(codes.size).toBeGreaterThan(20)
    const missing: string[] = []
    for (const cpt of codes) {
      const said = await tell({ cpt, as_of: day, basis, ...(region === undefined ? {} : { region }) })
      if (said === 'not_on_schedule' || said === 'no_edition') missing.push(cpt)
    }
    expect(missing).toEqual([])
  })

const FACTORS = ['cms-pfs/2025-rvu25d/ANES2025.csv', 'cms-pfs/2026-rvu26ar/ANES2026.csv']
testOnPublished('every locality of a list of anesthesia factors has its own', [...FACTORS, GPCI26], async () => {
  const places = naiveCsv(textOf(GPCI26)).filter(([contractor]) => /^[0-9]{5}$/.test(contractor ?? ''))
  const regions = new Map(
    places.map(([contractor, state, number]) => [`${contractor} ${number}`, `US-${state}-${number}`]),
  )
  await using app = await testApp()
  for (const file of FACTORS) {
    await publishFiles(app, 'cms-anesthesia', [file])
    const tell = await teller(app)
    const as_of = `${/ANES(20[0-9]{2})/.exec(file)?.[1]}-06-15`
    const basis = 'medicare_anesthesia'
    let count = 0
    for (const [contractor, number, , ...factors] of naiveCsv(textOf(file))) {
      const region = regions.get(`${contractor} ${number}`)
      if (region === undefined) continue
      // Where there are two, the second is for most clinicians.
      const factor = factors.filter((text) => /^[0-9.]+$/.test(text)).at(-1)
      expect([file, region, await tell({ cpt: '00000', region, as_of, basis })]).toEqual([
        file,
        region,
        `${factor} ${basis}`,
      ])
      count++
    }
    expect([file, count]).toEqual([file, 109])
  }
})

const ZIPS = 'cms-pfs/zip-locality-2025q4/ZIP5_OCT2025.txt.gz'
testOnPublished('every 10th ZIP code of the published table is known', [ZIPS], async () => {
  await using app = await testApp()
  await publishFiles(app, 'zip-locality', [ZIPS])
  const tell = await teller(app)
  const unknown: string[] = []
  for (const [i, line] of textOf(ZIPS).split('\n').entries()) {
    const region = line.slice(2, 7)
    // No schedule is held, so that nothing but the ZIP code can be at fault.
    if (
      i % 10 === 0 &&
      /^[0-9]{5}$/.test(region) &&
      (await tell({ cpt: '99213', region, as_of: '2025-10-15' })) !== 'no_edition'
    )
      unknown.push(region)
  }
  expect(unknown).toEqual([])
})

const HOSPITALS = [
  'hospital-mrf/real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz',
  'hospital-mrf/real/1841224870_banner-university-phoenix_v3_tall_shard00.csv.gz',
]
testOnPublished('no code of a hospital\u2019s file is told not to be in it', HOSPITALS, async () => {
  await using app = await testApp()
  for (const file of HOSPITALS) {
    const release = await publishFiles(app, 'hospital-mrf', [file])
    const tell = await teller(app)
    const rows = naiveCsv(textOf(file).replace(/^\u00ef\u00bb\u00bf/, ''))
    const names = (rows[0] ?? []).map((name) => name.toLowerCase())
    const day = rows[1]?.[names.indexOf('last_updated_on')] ?? ''
    const head = (rows[2] ?? []).map((name) => name.toLowerCase().replaceAll(' ', ''))
    const at = head.flatMap((name, i) =>
      /^code\|[0-9]+$/.test(name) ? [[i, head.indexOf(`${name}|type`)] as const] : [],
    )
    const codes = new Set(
      rows
        .slice(3)
        .flatMap((cells) =>
          at.flatMap(([code, type]) =>
            /^(CPT|HCPCS)/i.test(cells[type] ?? '') ? [(cells[code] ?? '').toUpperCase()] : [],
          ),
        ),
    )
    const missing: string[] = []
    const npi = release.split(':')[1] ?? ''
    expect([file, codes.size > 1_000, day]).toEqual([file, true, expect.stringMatching(/^2026-/)])
    for (const cpt of codes)
      if (CODE.test(cpt) && (await tell({ cpt, npi, as_of: day })) === 'not_on_schedule') missing.push(cpt)
    expect([file, missing]).toEqual([file, []])
  }
})
