import { expect } from 'bun:test'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { Problem } from '../../problem.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { isRow, type Row, rowKey } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { citation, readSource } from '../source.ts'
import { sourceCheck } from '../source-check.ts'
import { type HospitalOptions, openHospitalFile } from './file.ts'

const FOLDER = 'hospital-mrf'

interface Totals {
  npis: string[]
  last_updated_on: string
  rows: number
  ranges: number
  rejects: Record<string, number>
}

async function read(file: string, options: HospitalOptions = {}): Promise<{ rows: Row[]; totals: Totals }> {
  const rejects: Findings = new Map()
  const opened = await openHospitalFile(published(`${FOLDER}/${file}`), options, rejects)
  const rows = [...opened.rows]
  opened.close()
  const { npis, last_updated_on } = opened
  const ranges = rows.filter(({ derivation }) => derivation.method === 'range/1').length
  const counted = Object.fromEntries([...rejects].map(([rule, { count }]) => [rule, count]))
  return { rows, totals: { npis, last_updated_on, rows: rows.length, ranges, rejects: counted } }
}

/** Counted by another program as well: these are facts about the files. */
const COMPLETE: [string, Totals][] = [
  [
    'real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz',
    {
      npis: ['1194866210'],
      last_updated_on: '2026-03-27',
      rows: 45_004,
      ranges: 7_030,
      rejects: { not_cpt: 88, other_payer: 2 },
    },
  ],
  [
    'real-full/1649248626_wellstar-kennestone_v3_tall_ALLROWS.csv.gz',
    {
      npis: ['1649248626'],
      last_updated_on: '2026-04-01',
      rows: 232_988,
      ranges: 18_716,
      rejects: { no_amount: 27_622, other_payer: 931, R03_other_code: 224, not_cpt: 496 },
    },
  ],
]
const TRUNCATED: [string, Totals][] = [
  [
    'real/1841224870_banner-university-phoenix_v3_tall_shard00.csv.gz',
    {
      npis: ['1629122171', '1841224870'],
      last_updated_on: '2026-03-02',
      rows: 2 * 31_178,
      ranges: 2 * 2_393,
      rejects: { not_cpt: 23 },
    },
  ],
  [
    'real/1174582050_md-anderson_v3_wide_shard00.csv.gz',
    {
      npis: ['1073574810', '1174582050'],
      last_updated_on: '2026-07-01',
      rows: 2 * 56_413,
      ranges: 2 * 30_323,
      rejects: { not_cpt: 1, other_payer: 995 },
    },
  ],
  [
    'real/1306938071_adventhealth-orlando_v3_json_shard00.json.gz',
    { npis: ['1306938071'], last_updated_on: '2026-04-01', rows: 5_210, ranges: 811, rejects: { no_amount: 30 } },
  ],
]

for (const [file, expected] of [...COMPLETE, ...TRUNCATED])
  testOnPublished(`${file} loads, and rows of it check back to their lines`, [`${FOLDER}/${file}`], async () => {
    const { rows, totals } = await read(file)
    expect(totals).toEqual(expected)
    const keys = rows.map(rowKey)
    expect(keys.every((key, i) => i === 0 || key > (keys[i - 1] as string))).toBe(true)

    const source = await readSource(published(`${FOLDER}/${file}`))
    const check = sourceCheck([source])
    const cited = [citation(source, 'A price list', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
    const chosen = Array.from({ length: 3 }, () => rows[Math.floor(Math.random() * rows.length)] as Row)
    for (const row of chosen)
      expect([row, isRow(row), verifyDerivation(row), check(row, cited)]).toEqual([
        row,
        true,
        { ok: true },
        { ok: true },
      ])
  })

/** The check digits of their sample NPIs are wrong, or they name none. */
const EXAMPLES: [string, number][] = [
  ['cms-spec/examples/CSV/Tall/V3.0.0_Tall_CSV_Format_Example.csv', 178],
  ['cms-spec/examples/CSV/Wide/V3.0.0_Wide_CSV_Format_Example.csv', 178],
  ['cms-spec/examples/JSON/v3_json_format_example.json', 178],
  ['cms-spec/archive/examples/CSV/Tall/V2.0.0_Tall_CSV_Format_Example.csv', 121],
  ['cms-spec/archive/examples/CSV/Wide/V2.0.0_Wide_CSV_Format_Example.csv', 121],
  ['cms-spec/archive/examples/JSON/V2.0.0_JSON_Format_Example.json', 121],
  ['cms-validator-fixtures/sample-tall-valid.csv', 25],
  ['cms-validator-fixtures/sample-wide-valid.csv', 25],
  ['cms-validator-fixtures/sample-valid.json', 25],
]
testOnPublished(
  'CMS\u2019s examples load once their NPI is given',
  EXAMPLES.map(([file]) => `${FOLDER}/${file}`),
  async () => {
    for (const [file, rows] of EXAMPLES) {
      expect(await refusalOf(file)).toMatch(/give (it|the right ones) with --npi/)
      const { totals } = await read(file, { npis: ['1234567893'] })
      expect([file, totals.rows]).toEqual([file, rows])
    }
  },
)

const OTHERS: [string, RegExp][] = [
  // One of its two sample NPIs happens to be sound, so no other may be given in its place.
  ['cms-validator-fixtures/3.0/sample-valid.json', /type_2_npi has a wrong length or check digit/],
  ['cms-spec/documentation/CSV/templates/V3.0.0_Tall_CSV_Format_Template.csv', /CMS template/],
  ['cms-spec/documentation/JSON/schemas/V3.0.0_Hospital_price_transparency_schema.json', /no list/],
  ['cms-spec/45-cfr-part-180.xml', /XML/],
  ['cms-spec/examples/README.md', /CMS template/],
  ['index/cms-hpt_2026-02.jsonl.gz', /one JSON object after another/],
  ['index/hospital-mrf-index_2026-03-11.jsonl.gz', /one JSON object after another/],
  ['real/marthas-vineyard_meta.json', /no list/],
]
testOnPublished(
  'files that are not price lists are refused for a stated reason',
  OTHERS.map(([file]) => `${FOLDER}/${file}`),
  async () => {
    for (const [file, sentence] of OTHERS)
      expect([file, await refusalOf(file)]).toEqual([file, expect.stringMatching(sentence)])
  },
)

async function refusalOf(file: string): Promise<string> {
  try {
    await read(file)
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'loaded'
}
