import { afterAll, expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../../src/proof/price/row.ts'
import { mistold } from '../support/hospital-reading/asking.ts'
import { compareWithRows } from '../support/hospital-reading/comparison.ts'
import { comparePayers } from '../support/hospital-reading/payer-comparison.ts'
import { npiNumber, readTwice, type TwiceRead } from '../support/hospital-reading/release.ts'
import { isLong } from '../support/long.ts'
import { published, SLOW, testOnPublished } from '../support/published-files.ts'
import { closeShelf, openShelf } from '../support/published-shelf.ts'

// Hospital files, read a second time by a reader that shares no code with the product's: every combination of code,
// modifier, setting, class, basis and payer under which the file states an amount is in the release with that amount, and
// the release has no other. Files are published as they are, with no limit overridden.

afterAll(closeShelf)

const MARTHA = 'hospital-mrf/real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz'
const FILES = [
  MARTHA,
  'hospital-mrf/real/1306938071_adventhealth-orlando_v3_json_shard00.json.gz',
  'hospital-mrf/real/1174582050_md-anderson_v3_wide_shard00.csv.gz',
]
const LONG_FILES = [
  'hospital-mrf/real/1841224870_banner-university-phoenix_v3_tall_shard00.csv.gz',
  'hospital-mrf/real-full/1649248626_wellstar-kennestone_v3_tall_ALLROWS.csv.gz',
]
const [SPEC, FIXTURES] = ['hospital-mrf/cms-spec', 'hospital-mrf/cms-validator-fixtures']
/** Small ones in every layout and version. They name no NPI, or one that is none. */
const EXAMPLES = [
  `${SPEC}/examples/CSV/Tall/V3.0.0_Tall_CSV_Format_Example.csv`,
  `${SPEC}/examples/CSV/Wide/V3.0.0_Wide_CSV_Format_Example.csv`,
  `${SPEC}/examples/JSON/v3_json_format_example.json`,
  `${SPEC}/archive/examples/CSV/Tall/V2.0.0_Tall_CSV_Format_Example.csv`,
  `${SPEC}/archive/examples/CSV/Wide/V2.0.0_Wide_CSV_Format_Example.csv`,
  `${SPEC}/archive/examples/JSON/V2.0.0_JSON_Format_Example.json`,
  `${FIXTURES}/sample-tall-valid.csv`,
  `${FIXTURES}/sample-wide-valid.csv`,
  `${FIXTURES}/sample-valid.json`,
]
/** A folder with more hospital files, for the long form. */
const MORE = process.env['ATR_HOSPITAL_FILES']
const QUESTIONS = isLong ? 300 : 30

const known = new Map<string, Promise<TwiceRead>>()
async function readOnce(path: string, npis?: string[]): Promise<TwiceRead> {
  const reading = known.get(path) ?? readTwice(await openShelf(), path, npis ? { npis } : {})
  if (path === published(MARTHA)) known.set(path, reading)
  return reading
}

async function agrees(path: string, least: number, npis?: string[]): Promise<void> {
  const { npi, from, read, combinations, found, disagreements } = await readOnce(path, npis)
  expect(disagreements.slice(0, 20)).toEqual([])
  expect([combinations >= least, found]).toEqual([true, combinations])
  expect(await mistold(await openShelf(), read, { npi, as_of: from, count: QUESTIONS })).toEqual([])
}

const named = (file: string): string =>
  `a second reader finds every price of ${file} in its release, and no other there`
for (const file of [...FILES, ...(isLong ? LONG_FILES : [])])
  testOnPublished(named(file), [file], () => agrees(published(file), 1_000), SLOW)
for (const [i, file] of EXAMPLES.entries())
  testOnPublished(named(file), [file], () => agrees(published(file), 8, [npiNumber(i)]))
for (const file of isLong && MORE ? readdirSync(MORE) : [])
  testOnPublished(named(file), [], () => agrees(join(MORE ?? '', file), 1_000), { timeout: 3_600_000 })

testOnPublished(
  'the comparison notices a price that is changed, left out, invented or cut short',
  [MARTHA],
  async () => {
    const { rows, read, readPayers, rates } = await readOnce(published(MARTHA))
    const at = rows.findIndex((row) => row.payer === null && row.kind === 'price' && 'low' in row.price)
    const range = rows[at] as Row & { price: { low: string } }
    const instead = (price: object): Row[] => rows.with(at, { ...range, price } as Row)
    const found = (lie: Row[]): string[] => compareWithRows(read, lie).disagreements.map(({ kind }) => kind)
    expect(found(instead({ ...range.price, low: '0.01' }))).toContain('wrong')
    expect(found(instead({ amount: range.price.low, currency: 'USD', per: null }))).toContain('wrong')
    expect(found(rows.toSpliced(at, 1))).toContain('missing')
    expect(found([...rows, { ...range, code: 'G9999' }])).toContain('invented')
    expect(found(rows)).toEqual([])

    const ofPayers = (lie: Row[]): string[] => comparePayers(readPayers, lie).disagreements.map(({ kind }) => kind)
    const own = rows.findIndex(({ basis, kind }) => basis === 'hospital_payer' && kind !== 'absence')
    const rate = rows[own] as Row & { payer: string }
    expect(ofPayers(rows)).toEqual([])
    expect(rates).toBeGreaterThan(1_000)
    expect(ofPayers(rows.toSpliced(own, 1))).toEqual(['missing'])
    expect(ofPayers([...rows, { ...rate, code: 'G9999' }])).toEqual(['invented'])
    expect(ofPayers(rows.with(own, { ...rate, payer: `not-${rate.payer}` }))).toEqual(['missing', 'invented'])
    const dearer = { amount: '123456.78', currency: 'USD', per: null }
    expect(ofPayers(rows.with(own, { ...rate, price: dearer } as Row))).toEqual(['wrong'])
    expect(ofPayers(rows.with(own, { ...rate, indicators: { methodology: 'none' } }))).toEqual(['flags'])
  },
)
