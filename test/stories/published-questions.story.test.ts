import { afterAll, expect } from 'bun:test'
import type { Question } from '../../src/proof/lookup/question.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { isLong } from '../support/long.ts'
import { naiveCsv } from '../support/naive-table.ts'
import { testOnPublished } from '../support/published-files.ts'
import {
  closeShelf,
  dollars,
  missingCodes,
  openShelf,
  SETTINGS,
  type Setting,
  shelve,
  teller,
  textOf,
  type Values,
  valuesIn,
} from '../support/published-shelf.ts'

// Questions about the files that CMS published, answered beside arithmetic that is done here, in exact integers, from
// what the files print.

afterAll(closeShelf)

const GPCI = 'cms-pfs/2026-rvu26b/GPCI2026.csv'
const JULY = 'cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz'
const DAY = '2026-07-15'
/** Locality 16 of Illinois, as the file of indices prints it. */
const CHICAGO = { region: 'US-IL-16', indices: [1007, 1005, 2295] } as const

const PHYSICIAN = { chart: 'cms-pfs', files: [JULY, GPCI], options: { regions: ['national', CHICAGO.region] } }

const REASON: Readonly<Record<string, string>> = {
  ...{ B: 'bundled', P: 'bundled', C: 'carrier_priced', N: 'not_covered', I: 'not_valid', J: 'anesthesia' },
  ...{ E: 'paid_elsewhere', X: 'paid_elsewhere' },
}

/** What the file says of a line in a setting: the price, or why there is none. */
function stated(line: Values, setting: Setting, basis: string, indices?: readonly [number, number, number]): string {
  const isPayable = 'ART'.includes(line.status) && SETTINGS.some((each) => line.fee(each) !== undefined)
  if (!isPayable) return `absent_${REASON[line.status] ?? 'no_price_stated'}`
  if (line.na[setting]) return 'absent_not_applicable_in_setting'
  const fee = line.fee(setting, indices)
  return fee === undefined ? 'absent_no_price_stated' : `${fee} ${basis}`
}

interface Body {
  status?: number
  code: string
  basis?: string
  price?: { amount: string }
  modifiers_ignored?: string[]
  adjustment?: { modifier: string; factor: string; amount: string }
  row?: { indicators: Record<string, string> }
}
/** Over HTTP, and verified. */
async function proved(question: Question): Promise<Body> {
  const app = await openShelf()
  const query = new URLSearchParams(Object.entries(question) as [string, string][])
  const body = await (await app.request(`/reference?${query}`)).text()
  const verdict = await verifyBody(body, app.policy, { question })
  expect([question, verdict.ok ? 'ok' : verdict.reason]).toEqual([question, 'ok'])
  return JSON.parse(body) as Body
}
const said = ({ status, code, price, basis }: Body): string =>
  status === undefined ? `${price?.amount} ${basis}` : code

const NEUTRAL =
  '24 25 27 57 58 59 76 77 79 91 XE XS XP XU RT LT E1 E2 E3 E4 FA F1 F2 F3 F4 F5 F6 F7 F8 F9 TA T1 T2 T3 T4 T5 T6 T7 T8 T9 GN GO GP GT 93 95 KX'.split(
    ' ',
  )
/** In thousandths, for each value of the indicator that allows it. */
const FACTORS: readonly [string, 'bilateral' | 'co_surgeon' | 'assistant', Readonly<Record<string, bigint>>][] = [
  ['50', 'bilateral', { '1': 1500n, '2': 1000n, '3': 2000n }],
  ['62', 'co_surgeon', { '1': 625n, '2': 625n }],
  ['80', 'assistant', { '0': 160n, '2': 160n }],
  ['AS', 'assistant', { '0': 136n, '2': 136n }],
]

testOnPublished(
  'every line of July 2026 with a modifier is found by it, and modifiers do what they should',
  [JULY, GPCI],
  async () => {
    await shelve(PHYSICIAN)
    const tell = await teller()
    const lines = valuesIn(JULY)
    const basis = 'medicare_pfs'
    const counts: Record<string, number> = {}
    for (const [i, line] of lines.filter(({ modifier }) => modifier !== '').entries())
      for (const setting of SETTINGS) {
        const { cpt, modifier } = line
        const expected = stated(line, setting, basis)
        const question: Question = { cpt, modifier, setting, as_of: DAY, basis }
        expect([cpt, modifier, setting, await tell(question)]).toEqual([cpt, modifier, setting, expected])
        const kind = expected.startsWith('absent') ? expected : 'price'
        counts[kind] = (counts[kind] ?? 0) + 1
        const inChicago = stated(line, setting, basis, CHICAGO.indices)
        expect([question, await tell({ ...question, region: CHICAGO.region })]).toEqual([question, inChicago])
        // Without a basis the first schedule that has a price answers, and this is the first.
        const { basis: _, ...bare } = question
        if (kind === 'price') expect([question, await tell(bare)]).toEqual([question, expected])
        if (i % 100 === 0) expect([question, said(await proved(question))]).toEqual([question, expected])
      }
    expect(counts).toEqual({
      ...{ price: 2_733, absent_not_applicable_in_setting: 829, absent_carrier_priced: 668, absent_bundled: 8 },
      ...{ absent_no_price_stated: 248, absent_not_covered: 28, absent_not_valid: 8 },
    })

    for (const modifier of NEUTRAL) {
      const body = await proved({ cpt: '99213', modifier, as_of: DAY })
      expect([modifier, said(body), body.modifiers_ignored]).toEqual([modifier, '95.19 medicare_pfs', [modifier]])
    }

    // By hand: 34.71 x 33.4009 = 1159.345239 in the facility, the only setting.
    const byHand = { '50': '1739.03', '62': '724.59', '80': '185.50', AS: '157.67' }
    for (const [modifier, amount] of Object.entries(byHand)) {
      const { price, adjustment } = await proved({ cpt: '27447', modifier, as_of: DAY })
      expect([modifier, price?.amount, adjustment?.amount]).toEqual([modifier, '1159.35', amount])
    }
    // Every 200th code with a price: outside of facilities, or in them where it is for nothing else.
    const settingOf = (line: Values): Setting => (line.na.non_facility ? 'facility' : 'non_facility')
    const priced = lines.filter((line) => line.modifier === '' && /^[0-9]/.test(stated(line, settingOf(line), basis)))
    const some = priced.filter((_, i) => i % 200 === 0)
    expect(some.length).toBeGreaterThanOrEqual(30)
    const allowed: Record<string, number> = {}
    for (const line of some)
      for (const [modifier, indicator, factors] of FACTORS) {
        const question: Question = { cpt: line.cpt, modifier, as_of: DAY }
        const fee = line.fee(settingOf(line)) ?? ''
        const factor = factors[line[indicator]]
        const body = await proved(question)
        if (factor === undefined) {
          expect([question, body.code, body.row?.indicators[indicator]]).toEqual([
            question,
            'modifier_not_allowed',
            line[indicator],
          ])
          continue
        }
        const cents = (BigInt(fee.replace('.', '')) * factor + 500n) / 1000n
        expect([question, body.price?.amount, body.adjustment?.amount]).toEqual([question, fee, dollars(cents)])
        allowed[modifier] = (allowed[modifier] ?? 0) + 1
      }
    expect(Object.keys(allowed).sort()).toEqual(['50', '62', '80', 'AS'])
    expect(await missingCodes({ as_of: DAY, basis }, JULY)).toEqual([])
  },
)

const LABORATORY = 'cms-clfs/PUF_CLFS_CY2026_Q2V1.csv'
const ZIPS = 'cms-pfs/zip-locality-2025q4/ZIP5_OCT2025.txt.gz'
/** Both files as if they were of July, so that the physician schedule is in force beside them. */
const asJuly = (chart: string, files: string[]) => ({ chart, files, options: { effective_from: '2026-07-01' } })
const REGIONS = [undefined, 'national', 'IL', 'US-TX', 'US-IL-16', '60611', 'ZIP-99501', '20814-1234'] as const
/** In these the physician schedule, which comes first, says that the laboratory's pays. */
const ANYWHERE = [undefined, 'non_facility', 'facility'] as const
const OF_OTHERS = ['outpatient', 'asc'] as const

testOnPublished(
  'every laboratory price holds in every kind of region and setting',
  [LABORATORY, ZIPS, JULY],
  async () => {
    await shelve(PHYSICIAN)
    await shelve(asJuly('cms-clfs', [LABORATORY]))
    await shelve(asJuly('zip-locality', [ZIPS]))
    const tell = await teller()
    const lines = naiveCsv(textOf(LABORATORY)).filter(([year]) => year === '2026')
    const kinds = REGIONS.flatMap((region) => [
      ...[...ANYWHERE, ...OF_OTHERS].map((setting) => ({ region, setting, basis: 'medicare_clfs' as const })),
      ...ANYWHERE.map((setting) => ({ region, setting, basis: undefined })),
    ])
    const counts = { prices: 0, codes: 0, local: 0 }
    for (const [i, [, cpt = '', modifier = '', , indicator, rate = '']] of lines.entries()) {
      const isLocal = indicator === 'L'
      const stated = isLocal ? 'absent_carrier_priced' : `${Number(rate).toFixed(2)} medicare_clfs`
      // Three of the kinds for each line, so that each comes up a hundred times.
      const asked = isLong ? kinds : [0, 1, 2].map((more) => kinds[(3 * i + more) % kinds.length] ?? {})
      for (const kind of asked) {
        const known = Object.fromEntries(Object.entries(kind).filter(([, value]) => value !== undefined))
        const question = { cpt, as_of: DAY, ...(modifier === '' ? {} : { modifier }), ...known } as Question
        expect([question, await tell(question)]).toEqual([question, stated])
      }
      if (isLocal) counts.local++
      else counts.prices++
      if (!isLocal && modifier === '') counts.codes++
    }
    expect(counts).toEqual({ prices: 2_130, codes: 2_006, local: 49 })
    expect(await missingCodes({ as_of: DAY, basis: 'medicare_clfs' }, LABORATORY, 1)).toEqual([])
    expect(said(await proved({ cpt: '80053', region: '60611', setting: 'facility', as_of: DAY }))).toMatch(
      / medicare_clfs$/,
    )

    const unknown: string[] = []
    for (const [i, line] of textOf(ZIPS).split('\n').entries()) {
      const region = line.slice(2, 7)
      if (i % (isLong ? 1 : 10) !== 0 || !/^[0-9]{5}$/.test(region)) continue
      if ((await tell({ cpt: '99213', region, as_of: DAY })) === 'unknown_zip') unknown.push(region)
    }
    expect(unknown).toEqual([])
  },
)

const LIMITS = 'cms-asp/ASP_limits_2026_Jan.csv'
const ADDENDUM = 'cms-opps/addendum_b_2025-10.csv.gz'
/** The codes and amounts of a table, as printed but for dollar signs. */
const column = (file: string, at: number): [code: string, amount: string, mark: string][] =>
  naiveCsv(textOf(file))
    .filter((cells) => /^[A-Z0-9]{5}$/.test(cells[0] ?? ''))
    .map((cells) => [cells[0] ?? '', (cells[at] ?? '').replaceAll(/[$,\s]/g, ''), cells[2] ?? ''])

testOnPublished('drug limits have the decimals that they are printed with', [LIMITS, ADDENDUM], async () => {
  await shelve({ chart: 'cms-asp', files: [LIMITS] })
  await shelve({ chart: 'cms-opps', files: [ADDENDUM] })
  const tell = await teller()
  const counts = { price: 0, absent_no_price_stated: 0 }
  for (const [cpt, limit] of column(LIMITS, 3)) {
    const question: Question = { cpt, as_of: '2026-03-31', basis: 'medicare_asp', region: '60611', setting: 'facility' }
    // No limit has more than three decimals, and none needs more than two zeros cut off.
    const amount = limit.replace(/0$/, '')
    const expected = limit === 'N/A' ? 'absent_no_price_stated' : `${amount} medicare_asp`
    expect([cpt, await tell(question)]).toEqual([cpt, expected])
    counts[limit === 'N/A' ? 'absent_no_price_stated' : 'price']++
  }
  expect(counts).toEqual({ price: 876, absent_no_price_stated: 1 })
  expect(said(await proved({ cpt: 'J2002', basis: 'medicare_asp', as_of: '2026-01-15' }))).toBe('0.003 medicare_asp')
  expect(said(await proved({ cpt: 'J0585', setting: 'outpatient', as_of: '2025-10-15' }))).toBe('6.497 medicare_opps')
  expect(await missingCodes({ as_of: '2026-01-15', basis: 'medicare_asp' }, LIMITS)).toEqual([])
  expect(await missingCodes({ as_of: '2025-10-15', basis: 'medicare_opps' }, ADDENDUM)).toEqual([])
})

const QPP = 'cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_QPP.csv.gz'
const NON_QPP = 'cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_nonQPP.csv.gz'
testOnPublished(
  'the two factors of 2026 are in force side by side, each with caps of its own',
  [QPP, NON_QPP, GPCI],
  async () => {
    const options = { regions: ['national'] }
    await shelve({ chart: 'cms-pfs', files: [NON_QPP, GPCI], options })
    await shelve({ chart: 'cms-pfs-qpp', files: [QPP, GPCI], options })
    const tell = await teller()
    const keyOf = ({ cpt, modifier }: Values): string => `${cpt} ${modifier}`
    const qualifying = new Map(valuesIn(QPP).map((line) => [keyOf(line), line]))
    const others = valuesIn(NON_QPP)
    const differing = others.filter((line) => (qualifying.get(keyOf(line))?.caps ?? line.caps) !== line.caps)
    expect([differing.length, new Set(differing.map(({ cpt }) => cpt)).size]).toEqual([1_035, 527])
    const sample = others.filter((line, i) => i % 20 === 0 && qualifying.has(keyOf(line)))
    let apart = 0
    for (const [i, line] of [...differing, ...sample].entries())
      for (const setting of SETTINGS) {
        const { cpt, modifier } = line
        const twin = qualifying.get(keyOf(line)) as Values
        const question: Question = { cpt, modifier, setting, as_of: '2026-01-15' }
        const expected = [stated(line, setting, 'medicare_pfs'), stated(twin, setting, 'medicare_pfs_qpp')]
        const asked = (basis: string): Question => ({ ...question, basis })
        const told = [await tell(asked('medicare_pfs')), await tell(asked('medicare_pfs_qpp'))]
        expect([question, told]).toEqual([question, expected])
        if (told[0]?.split(' ')[0] !== told[1]?.split(' ')[0]) apart++
        if (i % 300 === 0) expect(said(await proved(asked('medicare_pfs_qpp')))).toBe(expected[1] ?? '')
      }
    expect(apart).toBeGreaterThan(1_000)
    const as_of = '2026-01-15'
    expect(await missingCodes({ as_of, basis: 'medicare_pfs' }, NON_QPP)).toEqual([])
    expect(await missingCodes({ as_of, basis: 'medicare_pfs_qpp' }, QPP)).toEqual([])
  },
)
