// Modifiers of everyday claims: each changes the amount by a rule that a verifier computes again, changes nothing, is left to the
// whole bill, or has no amount, and the answer says which.

import { expect, test } from 'bun:test'
import modifierFile from '../../docs/spec/tables/modifiers.json'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { type Answer, type AskedOf, ask, holdTheRest, pathOf, questionOf, refusalOf } from '../support/lookup.ts'
import { call, type ToolResult } from '../support/mcp.ts'

const usd = (amount: string) => ({ price: { amount, currency: 'USD' as const } })
const SURGERY = { pre: '0.10', intra: '0.69', post: '0.21', global_days: '090' }
const OPPS = { basis: 'medicare_opps', setting: 'outpatient' } as const
const outpatient = (code: string, amount: string, status_indicator: string) =>
  aPrice({ code, ...OPPS, indicators: { status_indicator }, ...usd(amount) })

async function everyList(): Promise<TestApp> {
  const app = await testApp()
  const scan = { indicators: { pc_tc: '1' } }
  await app.publish(
    aRelease({
      rows: [
        aPrice({ code: '27447', indicators: { ...SURGERY, bilateral: '1' }, ...usd('1200.00') }),
        aPrice({ code: '97110', ...usd('30.00') }),
        aPrice({ code: '70450', ...scan, ...usd('110.00') }),
        aPrice({ code: '70450', modifier: 'TC', ...scan, ...usd('70.00') }),
        aPrice({ code: '70450', modifier: '26', ...scan, ...usd('40.00') }),
      ],
    }),
  )
  await app.publish(
    aRelease({
      chart: 'cms-opps',
      rows: [
        outpatient('27447', '12000.00', 'J1'),
        outpatient('70450', '106.00', 'Q3'),
        outpatient('G0463', '130.00', 'J2'),
        outpatient('J0585', '6.50', 'K'),
      ],
    }),
  )
  await app.publish(
    aRelease({
      chart: 'cms-asc',
      rows: [aPrice({ code: '27447', basis: 'medicare_asc', setting: 'asc', ...usd('8000.00') })],
    }),
  )
  await app.publish(
    aRelease({
      chart: 'cms-dmepos',
      rows: [
        aPrice({
          code: 'K0001',
          basis: 'medicare_dmepos',
          region: 'US-AL',
          setting: 'non_rural',
          modifier: 'RR',
          indicators: { category: 'CR' },
          price: { amount: '40.00', currency: 'USD', per: 'MONTH' },
        }),
      ],
    }),
  )
  await app.publish(
    aRelease({
      chart: 'cms-anesthesia',
      rows: [
        {
          ...aPrice({
            code: '00000',
            basis: 'medicare_anesthesia',
            setting: null,
            price: { amount: '20.50', currency: 'USD', per: 'UNIT' },
          }),
          kind: 'rate',
        },
      ],
    }),
  )
  await holdTheRest(app, 'cms-pfs', 'cms-dmepos')
  return app
}

/** The adjusted amount, the plain one, or the code of the refusal. */
const said = (answer: Answer): string =>
  refusalOf(answer) ?? answer.adjustment?.amount ?? (answer.price as { amount: string }).amount

const ANSWERS: [AskedOf, string][] = [
  [{ cpt: '27447', modifier: '54' }, '948.00'],
  [{ cpt: '27447', modifier: '55' }, '252.00'],
  [{ cpt: '27447', modifier: '56' }, '120.00'],
  [{ cpt: '27447', modifier: '78' }, '828.00'],
  [{ cpt: '27447', modifier: '55-RT' }, '252.00'],
  [{ cpt: '97110', modifier: '55' }, 'modifier_not_allowed'],
  [{ cpt: '97110', modifier: 'CQ-GP' }, '25.50'],
  [{ cpt: '97110', modifier: 'GO-CO-59' }, '25.50'],
  [{ cpt: '27447', modifier: '51' }, '1200.00'],
  [{ cpt: '27447', modifier: '51-50' }, '1800.00'],
  [{ cpt: '27447', modifier: '52' }, 'modifier_not_priced'],
  [{ cpt: '27447', modifier: '52', kind: 'hospital' }, '6000.00'],
  [{ cpt: '27447', modifier: '73', kind: 'surgery_center' }, '4000.00'],
  [{ cpt: '27447', modifier: '74', kind: 'surgery_center' }, '8000.00'],
  [{ cpt: '27447', modifier: 'PN', kind: 'hospital' }, '4800.00'],
  [{ cpt: 'J0585', modifier: 'PN', kind: 'hospital' }, '6.50'],
  [{ cpt: 'G0463', modifier: 'PO', kind: 'hospital' }, '52.00'],
  [{ cpt: '27447', modifier: 'PO', kind: 'hospital' }, '12000.00'],
  [{ cpt: '70450', modifier: 'CT' }, '99.50'],
  [{ cpt: '70450', modifier: 'TC-CT' }, '59.50'],
  [{ cpt: '70450', modifier: '26-CT' }, '40.00'],
  [{ cpt: '70450', modifier: 'CT', kind: 'hospital' }, '90.10'],
  [{ cpt: '70450', modifier: 'FY' }, '103.00'],
  [{ cpt: 'K0001', modifier: 'RR-KJ', region: 'AL' }, '30.00'],
  [{ cpt: 'K0001', modifier: 'RR-KH', region: 'AL' }, '40.00'],
  [{ cpt: '00840', modifier: 'QK', basis: 'medicare_anesthesia' }, '10.25'],
  [{ cpt: '00840', modifier: 'AA-P2', basis: 'medicare_anesthesia' }, '20.50'],
  [{ cpt: '27447', modifier: '22' }, 'modifier_not_priced'],
  [{ cpt: '27447', modifier: 'GY' }, 'modifier_not_priced'],
  [{ cpt: '27447', modifier: '54-55' }, 'modifier_not_priced'],
]

test('each modifier of a claim has its effect, proved from the row', async () => {
  await using app = await everyList()
  for (const [asked, expected] of ANSWERS) expect([asked, said(await ask(app, asked))]).toEqual([asked, expected])
  expect(await ask(app, { cpt: '27447', modifier: '51' })).toMatchObject({ left_to_bill: ['51'] })
  expect((await ask(app, { cpt: '70450', modifier: '26-CT' })).modifiers_ignored).toEqual(['CT'])
  expect((await ask(app, { cpt: '70450', modifier: 'CT' })).adjustment).toMatchObject({
    part: '70.00',
    factor: '0.850',
  })
})

test('a liar cannot change what a modifier does', async () => {
  await using app = await everyList()
  const verdictOn = async (asked: AskedOf, from: string, to: string): Promise<string> => {
    const body = await (await app.request(pathOf(asked))).text()
    expect(body).toContain(from)
    const verdict = await verifyBody(body.replace(from, to), app.policy, { question: questionOf(app, asked) })
    return verdict.ok ? 'ok' : verdict.class
  }
  const [scan, surgery, several] = [
    { cpt: '70450', modifier: 'CT' },
    { cpt: '27447', modifier: '54' },
    { cpt: '27447', modifier: '51' },
  ]
  expect(await verdictOn(scan, '"amount":"99.50"', '"amount":"93.50"')).toBe('not_the_answer')
  // Right by its own arithmetic, of another part.
  expect(await verdictOn(scan, '"part":"70.00","amount":"99.50"', '"part":"80.00","amount":"98.00"')).toBe(
    'not_the_answer',
  )
  expect(await verdictOn(surgery, '"factor":"0.790"', '"factor":"0.690"')).toBe('not_the_answer')
  expect(await verdictOn(several, '"left_to_bill":["51"]', '"modifiers_ignored":["51"]')).toBe('malformed')
  expect(await verdictOn(several, '"left_to_bill":["51"],', '')).toBe('not_the_answer')
})

test('of three hundred pairs and triples of modifiers, each answer is proved, and no amount is changed twice', async () => {
  await using app = await everyList()
  const lists = [
    modifierFile.neutral,
    modifierFile.factor,
    modifierFile.column,
    modifierFile.whole_bill,
    modifierFile.row,
    modifierFile.not_covered,
    modifierFile.by_report,
  ] as { modifier: string }[][]
  const inClass = new Map(lists.flatMap((list, at) => list.map(({ modifier }) => [modifier, at] as const)))
  const all = [...inClass.keys()]
  const [NEUTRAL, FACTOR, COLUMN, WHOLE] = [0, 1, 2, 3]
  const seen = { price: 0, adjusted: 0, refused: 0 }
  for (let n = 0; n < 300; n++) {
    const picked = [
      ...new Set(
        [n * 7, n * 31 + 3, ...(n % 2 === 0 ? [n * 53 + 11] : [])].map((at) => all[at % all.length] as string),
      ),
    ].sort()
    const asked = { cpt: '27447', modifier: picked.join('-'), ...(n % 3 === 0 && { kind: 'hospital' }) }
    const answer = await ask(app, asked)
    const classes = picked.map((each) => inClass.get(each))
    const changing = classes.filter((each) => each === FACTOR || each === COLUMN).length
    if (classes.every((each) => each === NEUTRAL || each === WHOLE))
      expect([picked, refusalOf(answer)]).toEqual([picked, undefined])
    if (changing > 1) expect([picked, answer.adjustment]).toEqual([picked, undefined])
    if (answer.adjustment) expect(picked).toContain(answer.adjustment.modifier)
    seen[refusalOf(answer) ? 'refused' : answer.adjustment ? 'adjusted' : 'price']++
  }
  expect(Object.values(seen).every((count) => count > 5)).toBe(true)
})

test('an anesthesia code is answered by the factor with the share of its modifier, and the answer says what is missing', async () => {
  await using app = await everyList()
  await app.publish(
    aRelease({
      effective_from: '2026-02-01',
      rows: [anAbsence({ code: '00840', reason: 'anesthesia', effective_from: '2026-02-01' })],
    }),
  )
  expect(await ask(app, { cpt: '00840' })).toMatchObject({ kind: 'rate', basis: 'medicare_anesthesia' })
  expect(said(await ask(app, { cpt: '00840', modifier: 'QY' }))).toBe('10.25')
  expect(said(await ask(app, { cpt: '00840', modifier: 'QZ-P3', setting: 'facility' }))).toBe('20.50')
  const { result } = (await (await call(app, 'lookup_price', { cpt: '00840-QK' })).json()) as { result: ToolResult }
  const text = String(result.content[0]?.text)
  expect(text).toContain(
    'Anesthesia: $10.25 is the Medicare anesthesia factor for every anesthesia code with modifier QK',
  )
  expect(text).toContain('the base units and the minutes are still missing')
  expect(text).not.toMatch(/bundled/i)
  // A code that is none of anesthesia is not looked for there.
  expect(refusalOf(await ask(app, { cpt: 'G0999' }))).toBe('not_on_schedule')
})
