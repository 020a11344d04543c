import { afterAll, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { somePairs } from '../../src/proof/check/check-fixture.ts'
import type { EditsRow } from '../../src/proof/price/edit-row.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { aRelease } from '../support/builders.ts'
import { published, testOnPublished } from '../support/published-files.ts'
import { closeShelf, openShelf, shelve } from '../support/published-shelf.ts'

// Bills checked by the tables that CMS published. Where the publisher's own file of pairs is not at hand, its pairs are taken
// from a conversion of an earlier quarter, without their days.

afterAll(closeShelf)

const OPPS = 'cms-opps/addendum_b_2026-04_softek_conversion.csv.gz'
const CLFS = 'cms-clfs/PUF_CLFS_CY2026_Q2V1.csv'
const MUE = { hospital: 'OutpatientHospitalServices', practitioner: 'PractitionerServices' }
const mueFile = (setting: keyof typeof MUE) => `cms-ncci/MCR_MUE_${MUE[setting]}_Eff_04-01-2026.csv`
const PFS = ['cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz', 'cms-pfs/2026-rvu26b/GPCI2026.csv']
const PAIRS = {
  outpatient: 'cms-ncci/derived_ptp_hospital_2024-07-01.tsv.gz',
  practitioner: 'cms-ncci/derived_ptp_practitioner_2024-07-01.tsv.gz',
}
const CASE = 'cases/emergency-atlanta-2026-05-14.csv'
const DAY = '2026-05-14'

/** The pairs of some column-one codes, as the conversion has them: those that are not deleted. */
function pairsOf(file: string, codes: ReadonlySet<string>): EditsRow[] {
  const byCode = new Map<string, [string, 0 | 1 | 9][]>()
  for (const line of gunzipSync(readFileSync(published(file)))
    .toString('latin1')
    .split('\n')) {
    const [one = '', two = '', ...rest] = line.split('\t')
    if (!codes.has(one)) continue
    const [deleted, indicator] = rest.slice(-3)
    if (deleted !== '' && deleted !== '*') continue
    byCode.set(one, [...(byCode.get(one) ?? []), [two, Number(indicator) as 0 | 1 | 9]])
  }
  return [...byCode].map(([code, pairs]) => somePairs(code, ...pairs))
}

/** Publishes the pairs of some codes as one table, once. */
const onShelf = new Set<string>()
async function shelvePairs(kind: keyof typeof PAIRS, codes: readonly string[]): Promise<void> {
  if (onShelf.has(kind)) return
  onShelf.add(kind)
  const app = await openShelf()
  const rows = pairsOf(PAIRS[kind], new Set(codes))
  await app.publish(
    aRelease({ chart: `ncci-ptp-${kind}`, rows, edits_left_out: 0, effective_from: '2026-07-01' } as never),
  )
}

const LASTING = { effective_to: '2026-12-31' }
const shelveHospital = async () => {
  await shelve({ chart: 'cms-opps', files: [OPPS], options: LASTING })
  await shelve({ chart: 'cms-clfs', files: [CLFS], options: LASTING })
  await shelve({ chart: 'ncci-mue-outpatient', files: [mueFile('hospital')], options: LASTING })
}
const shelveOffice = async () => {
  const regions = ['national', 'US-CO-01', 'US-GA-01']
  await shelve({ chart: 'cms-pfs', files: PFS, options: { regions, ...LASTING } as never })
  await shelve({ chart: 'cms-clfs', files: [CLFS], options: LASTING })
  await shelve({ chart: 'ncci-mue-practitioner', files: [mueFile('practitioner')], options: LASTING })
}

interface Checked {
  found: string[]
  medicare: { listed: string; at_most: string; by_rules: string }
  body: {
    lines: { code?: string; by_rules?: { amount: string; steps?: { rule: string }[] } }[]
    skipped: { rule: string; chart: string; why?: string; lines: number[] }[]
    findings: { evidence?: object[] }[]
  }
  text: string
}

async function check(bill: object): Promise<Checked> {
  const app = await openShelf()
  const response = await app.request('/bill/check', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bill),
  })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  expect(await verifyBody(text, app.policy, { bill } as never)).toMatchObject({ ok: true })
  const body = JSON.parse(text)
  const found = body.findings.map(
    ({ rule, certainty, lines }: { rule: string; certainty: string; lines: number[] }) =>
      `${rule} ${certainty} ${lines.join('+')}`,
  )
  return { found, medicare: body.sums.medicare, body, text }
}

/** A line in a few words, as in the tests of the rules. */
function lineOf(text: string): object {
  const [words = '', units] = text.split(' x')
  const [code, ...modifiers] = words.split('-')
  return { code, ...(modifiers.length > 0 && { modifiers }), ...(units && { units }) }
}
const ofBill = (kind: string, day: string, lines: string[], more: object = {}) =>
  check({ kind, day, ...more, lines: lines.map(lineOf) })

function emergencyBill(): { lines: object[]; codes: string[] } {
  const [, ...records] = readFileSync(published(CASE), 'utf8').trim().split('\n')
  const cells = records.map((record) => record.split(','))
  return {
    codes: cells.flatMap(([, , code]) => (code ? [code] : [])),
    lines: cells.map(([revenue_code, , code, modifier, units, billed]) => ({
      revenue_code,
      ...(code && { code }),
      ...(modifier && { modifiers: [modifier] }),
      units,
      billed,
    })),
  }
}

const ofCase = [CASE, OPPS, CLFS, mueFile('hospital'), PAIRS.outpatient]
/** The bill as a person copies it out of a paper: columns that stand under each other, and a name above them. */
function copiedBill(): string {
  const rows = readFileSync(published(CASE), 'utf8').trim().split('\n')
  const columns = rows.map((row) => row.split(','))
  const lines = columns.map((cells) =>
    cells
      .map((cell, i) => cell.padEnd(i === 1 ? 26 : 14))
      .join('')
      .trimEnd(),
  )
  return ['Patient: Zebulon Canary', '', ...lines, '', 'TOTAL CHARGES: $10,290.84'].join('\n')
}

testOnPublished('an emergency bill of 21 lines: each step from what is listed to what is paid', ofCase, async () => {
  await shelveHospital()
  const { lines, codes } = emergencyBill()
  const bill = { region: '30322', day: DAY, lines, totals: { billed: '10290.84' } }
  const without = await check(bill)
  expect(without.medicare).toEqual({ listed: '1351.57', at_most: '1231.23', by_rules: '1231.23' })
  const named = without.body.skipped.find(({ rule }) => rule === 'pair_not_paid_together')
  const glucose = lines.findIndex((line) => (line as { code?: string }).code === '82947') + 1
  expect(named).toMatchObject({ chart: 'ncci-ptp-outpatient', lines: expect.arrayContaining([glucose]) })

  await shelvePairs('outpatient', [...codes, '80053', '20610', '99213'])
  const { medicare, body, found, text } = await check(bill)
  expect(medicare).toEqual({ listed: '1351.57', at_most: '1231.23', by_rules: '1227.30' })
  const denied = body.lines.flatMap(({ code, by_rules }) =>
    by_rules?.steps ? [`${code} ${by_rules.steps.map(({ rule }) => rule)}`] : [],
  )
  expect(denied.filter((each) => !/^J/.test(each))).toEqual([
    '36415 packaged',
    '80053 packaged',
    '82947 pair_not_paid_together',
    '85025 packaged',
    '81001 packaged',
    '84484 packaged',
    '85610 packaged',
    '93005 packaged',
  ])
  expect(found).toContain('pair_not_paid_together unless 6+7')
  expect(body.skipped.some(({ why }) => why === 'composite')).toBe(true)
  expect(gzipSync(text).length).toBeLessThan(60_000)
})

testOnPublished(
  'the emergency bill, pasted as text, becomes a sheet with what Medicare would pay',
  ofCase,
  async () => {
    await shelveHospital()
    const { codes } = emergencyBill()
    await shelvePairs('outpatient', [...codes, '80053', '20610', '99213'])
    const { app } = await openShelf()
    for (const lines of [copiedBill(), readFileSync(published(CASE), 'utf8')]) {
      const body = new URLSearchParams({ lines, place: '30322', day: DAY })
      const request = new Request('http://localhost/bill', {
        method: 'POST',
        headers: { accept: 'text/markdown' },
        body,
      })
      const response = await app.fetch(request, '192.0.2.1')
      const sheet = await response.text()
      expect([response.status, sheet.includes('Zebulon')]).toEqual([200, false])
      for (const part of ['$1,227.30', '$1,351.57', 'lines 6, 7', '## A letter'])
        expect([part, sheet.includes(part)]).toEqual([part, true])
    }
  },
)

testOnPublished(
  'the same bill from a doctor’s office is priced by the schedules of an office',
  [...ofCase, ...PFS, mueFile('practitioner'), PAIRS.practitioner],
  async () => {
    await shelveOffice()
    const { lines } = emergencyBill()
    const coded = lines
      .filter((line) => 'code' in line)
      .map((line) => ({ ...line, revenue_code: undefined, place_of_service: '11' }))
    const { medicare, body } = await check({ region: 'US-GA-01', day: '2026-07-15', lines: coded })
    expect(body).toMatchObject({ side: { kind: 'professional', why: 'place_of_service' } })
    expect(medicare).toEqual({ listed: '492.47', at_most: '492.47', by_rules: '456.34' })
    // A tracing beside a visit is no part of it in an office.
    expect(body.lines.find(({ code }) => code === '93005')?.by_rules?.steps).toBeUndefined()
  },
)

const CODES = [
  '80053',
  '99213',
  '45385',
  '45378',
  '93000',
  '93010',
  '97140',
  '97530',
  '27447',
  '20610',
  '11042',
  '97597',
  '99285',
  '36415',
]
const ofOffice = [...PFS, CLFS, mueFile('practitioner'), PAIRS.practitioner]
testOnPublished('pairs, limits and reductions of the published tables, for a doctor’s bill', ofOffice, async () => {
  await shelveOffice()
  await shelvePairs('practitioner', CODES)
  const day = '2026-07-15'
  const office = (...lines: string[]) => ofBill('professional', day, lines, { region: 'US-CO-01' })
  expect(await office('80053', '82947')).toMatchObject({
    medicare: { listed: '14.49', at_most: '14.49', by_rules: '10.56' },
    found: ['pair_not_paid_together unless 1+2'],
    body: { findings: [{ evidence: [expect.anything()] }] },
  })
  expect((await office('80053', '82947-59')).found).toEqual([])
  expect((await office('80053-XU', '82947')).found).toEqual([])
  for (const modifier of ['22', '76', '77'])
    expect((await office('80053', `82947-${modifier}`)).found).toContain('pair_not_paid_together unless 1+2')
  const colonoscopies = await office('45378', '45385')
  expect(colonoscopies.medicare).toMatchObject({ listed: '912.35', by_rules: '519.45' })
  expect((await office('99213', '36415')).found).toEqual([])
  expect((await office('97140', '97530')).found.filter((each) => each.startsWith('pair'))).toEqual([])
  expect((await office('85025 x5')).found).toEqual(['units_over_limit unless 1'])
  expect((await office('27447-RT x3')).found).toContain('units_over_limit rule 1')
  expect((await office('27447-LT', '27447-RT')).found).toContain('units_over_limit rule 1+2')
  expect((await office('27447-50')).found).toEqual([])
  expect((await office('93000', '93010')).found).toContain('pair_not_paid_together unless 1+2')
  // One pair for practitioners alone.
  expect((await office('20610', '99213')).found).toContain('pair_not_paid_together unless 1+2')
  // A limit of 0.
  expect((await office('G0463')).found.some((each) => each.startsWith('units_over_limit'))).toBe(true)
})

testOnPublished('visits and blood draws of a hospital’s bill', ofCase, async () => {
  await shelveHospital()
  await shelvePairs('outpatient', [...emergencyBill().codes, '80053', '20610', '99213'])
  const hospital = (...lines: string[]) => ofBill('hospital', DAY, lines)
  expect((await hospital('99284', '99284')).found).toContain('duplicate unless 1+2')
  expect((await hospital('99284-25', '99284-27')).found).toEqual([])
  expect((await hospital('36415', '80053', '99284')).found).toEqual(['packaged rule 1+2'])
  expect((await hospital('20610', '99213')).found.filter((each) => each.startsWith('pair'))).toEqual([])
})
