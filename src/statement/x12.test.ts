import { expect, test } from 'bun:test'
import type { Paper, Statement } from './bill.ts'
import { A_CLAIM_835, an835, an837, LINES_837 } from './fixture.ts'
import { readStatement } from './statement.ts'

const read = async (text: string): Promise<Statement & { ok: true }> => {
  const statement = await readStatement(text)
  if (!statement.ok) throw new Error(statement.why)
  return statement
}
const paperOf = async (text: string): Promise<Paper> => {
  const [paper] = (await read(text)).papers
  if (!paper) throw new Error('there is no paper')
  return paper
}

const HOSPITAL_LINES = [
  { code: '99284', modifiers: ['25'], revenue_code: '0450', day: '2026-05-14', units: '1', billed: '2187.00' },
  { code: '36415', revenue_code: '0300', day: '2026-05-14', units: '2', billed: '300.00' },
]

test('a hospital bill becomes lines with revenue codes, and is a hospital bill of its NPI', async () => {
  expect(await paperOf(an837(LINES_837))).toMatchObject({
    is: 'bill',
    request: {
      kind: 'hospital',
      npi: '1234567893',
      day: '2026-05-14',
      lines: HOSPITAL_LINES,
      totals: { billed: '2487.00' },
    },
    remarks: [{ note: 'sums' }],
  })
})

test('separators may be any, a mark of bytes or blanks may come first, and segments may end with line breaks', async () => {
  const text = an837(LINES_837)
  const others = [
    `\ufeff  \n${text}`,
    text.replaceAll('~', '~\r\n'),
    text.replaceAll('~', '\n'),
    text.replaceAll('~', ' ~\n   '),
    text.replaceAll(':', '>'),
    text.replaceAll('*', '|'),
    text.replaceAll('~', '_').replaceAll('*', '~'),
    text.replaceAll(':', '<').replace('*T*<', '*T*:'),
    text.slice(text.indexOf('GS*')),
    text.slice(text.indexOf('ST*')),
    text.replace(/ST\*/, 'st*'),
  ]
  const { papers } = await read(text)
  for (const other of others)
    expect((await read(other)).papers.map(({ request }) => request)).toEqual(papers.map(({ request }) => request))
})

test('several transactions and claims in a file are several papers', async () => {
  const text = an837(LINES_837)
  const { papers } = await read(text + text)
  expect(papers.length).toBe(2)
})

test('lines of a doctor have the place of the claim, minutes are no units, a void is no bill', async () => {
  const doctor =
    'LX*1~SV1*HC:00142:QK*827*MJ*61***1~DTP*472*D8*20260514~LX*2~SV1*HC:99213*100*UN*1.00*22~DTP*472*RD8*20260514-20260515~'
  const paper = await paperOf(an837(doctor, { total: '927', type: '11:B:1' }))
  expect(paper.request).toMatchObject({
    kind: 'professional',
    lines: [
      { code: '00142', modifiers: ['QK'], place_of_service: '11', billed: '827.00' },
      { code: '99213', place_of_service: '22', units: '1', billed: '100.00' },
    ],
  })
  expect(paper.request).not.toHaveProperty('npi')
  expect(paper.request.lines[0]).not.toHaveProperty('units')
  expect(paper.remarks).toContainEqual({ note: 'units_left_out', at: [expect.any(Number)] as never })
  expect(paper.remarks).toContainEqual({ note: 'range_of_days', at: [expect.any(Number)] as never })
  const gone = await read(an837(LINES_837, { type: '13:A:8' }))
  expect([gone.papers, gone.unread.map(({ why }) => why)]).toEqual([[], ['void']])
})

test('the amounts of another payer in a line are not those of the line', async () => {
  const lines =
    'LX*1~SV1*HC:99213*100*UN*1***1~DTP*472*D8*20260514~SVD*078051120*40*HC:99214**3~CAS*CO*45*60~DTP*573*D8*20260601~'
  expect((await paperOf(an837(lines, { total: '100', type: '11:B:1' }))).request.lines).toMatchObject([
    { code: '99213', billed: '100.00', units: '1', day: '2026-05-14' },
  ])
})

test('a remittance says what was allowed and what is left to the patient, and whether it balances', async () => {
  expect(await paperOf(an835(A_CLAIM_835))).toMatchObject({
    is: 'insurer',
    request: {
      day: '2026-05-14',
      lines: [
        {
          code: '99213',
          modifiers: ['25'],
          day: '2026-05-14',
          units: '1',
          billed: '300.00',
          allowed: '95.19',
          patient: '19.04',
        },
      ],
      totals: { billed: '300.00', patient: '19.04' },
    },
    remarks: [{ note: 'balances' }, { note: 'sums' }],
  })
  const derived = await paperOf(an835(A_CLAIM_835.replace('AMT*B6*95.19~', '')))
  expect(derived.request.lines).toMatchObject([{ allowed: '95.19' }])
  expect(derived.remarks).toContainEqual({ note: 'allowed_derived', at: [expect.any(Number)] as never })
})

test('a remittance that does not balance says so, and nothing is derived from it', async () => {
  for (const text of [
    an835(A_CLAIM_835, '76.16'),
    an835(A_CLAIM_835.replace('204.81', '204.80')),
    an835(A_CLAIM_835.replace('19.04~AMT', 'XX~AMT')),
  ])
    expect((await paperOf(text)).remarks).toContainEqual({ note: 'does_not_balance' })
  const off = A_CLAIM_835.replace('204.81', '204.80').replace('AMT*B6*95.19~', '')
  expect((await paperOf(an835(off))).request.lines[0]).not.toHaveProperty('allowed')
})

test('of a claim, its reversal and its correction the correction stands', async () => {
  const reversal = A_CLAIM_835.replace('*1*300*76.15*19.04', '*22*-300*-76.15*-19.04')
    .replace('300*76.15**1', '-300*-76.15**1')
    .replace('45*204.81', '45*-204.81')
    .replace('2*19.04', '2*-19.04')
  const correction = A_CLAIM_835.replaceAll('76.15', '80.15').replaceAll('19.04', '15.04')
  const { papers, unread } = await read(an835(A_CLAIM_835 + reversal + correction, '80.15'))
  expect(papers.map(({ request }) => request.totals?.patient)).toEqual(['15.04'])
  expect(unread.map(({ why }) => why)).toEqual(['replaced', 'reversal'])
  expect(papers[0]?.remarks).toContainEqual({ note: 'balances' })
})

test('a line that was paid under another code, and six adjustments in one segment, are read', async () => {
  const claim =
    'CLP*X*1*50*0*50*12~SVC*HC:80050*50*0**1*HC:80053*2~DTM*472*20260514~CAS*PR*1*10**2*10**3*10**4*10**5*5**6*5~'
  const paper = await paperOf(an835(claim, '0'))
  expect(paper.request.lines).toMatchObject([{ code: '80050', units: '2', patient: '50.00', allowed: '50.00' }])
  expect(paper.remarks.map(({ note }) => note)).toContain('bundled')
})

test('a local code, a total row and an amount that is none are reported', async () => {
  const claim = 'CLP*X*1*30*0*30*12~SVC*ZZ:M1510*10*0**1~SVC*NU:0001*10*0**1~SVC*HC:99213*XX*0**1~'
  expect((await read(an835(claim, '0'))).unread.map(({ why }) => why)).toEqual([
    'local_code',
    'total_row',
    'amount_form',
  ])
})
