import { describe, expect, test } from 'bun:test'
import { loaded, refusal, short } from './fixture.ts'

// JSON as hospitals write it where the template leaves room, or where they leave the template.

const CODED = { code_information: [{ code: 'G0101', type: 'CPT' }] }
const GROSS = { setting: 'outpatient', gross_charge: 5 }

const file = (...items: readonly unknown[]): string =>
  JSON.stringify({ last_updated_on: '2026-04-01', type_2_npi: ['1234567893'], standard_charge_information: items })
const charged = (...charges: readonly object[]): string => file({ ...CODED, standard_charges: charges })
const rowsOf = async (text: string): Promise<string[]> => (await loaded(text)).rows.map(short)

describe('modifiers', () => {
  test('are read under every name that hospitals have for them, and never make the price of the service alone', async () => {
    for (const name of ['modifier_code', 'modifiers', 'modifier', 'modifier_codes'])
      for (const value of ['TC', ['TC'], 'tc|', ['TC', '']])
        expect([name, value, await rowsOf(charged({ ...GROSS, [name]: value }))]).toEqual([
          name,
          value,
          ['G0101|TC|gross|outpatient 5.00'],
        ])
  })

  test('under two names count together, also where one of them is empty', async () => {
    expect(await rowsOf(charged({ ...GROSS, modifier_code: [], modifiers: 'TC' }))).toEqual([
      'G0101|TC|gross|outpatient 5.00',
    ])
    expect(await rowsOf(charged({ ...GROSS, modifier_code: ['26'], modifier: '50' }))).toEqual([
      'G0101|26-50|gross|outpatient 5.00',
    ])
    expect(await rowsOf(charged({ ...GROSS, modifier_code: [''], modifiers: null }))).toEqual([
      'G0101||gross|outpatient 5.00',
    ])
  })
})

describe('an item that is not JSON', () => {
  const nearly = (wrong: string, right = '5'): string =>
    file(
      { description: '#', ...CODED, standard_charges: [{ ...GROSS, gross_charge: 900 }] },
      { ...CODED, standard_charges: [GROSS] },
    ).replace(right === '5' ? '900' : '"#"', wrong)

  test('because a number is missing, or a text has tabs or line ends, says what it would say without', async () => {
    expect(await rowsOf(nearly('900,"discounted_cash":NaN'))).toEqual(['G0101||gross|outpatient 5.00..900.00'])
    expect(await rowsOf(nearly('"W/O\t4 X 4\r\nEACH"', '#'))).toEqual(['G0101||gross|outpatient 5.00..900.00'])
    expect(await rowsOf(nearly('NaN'))).toEqual(['G0101||gross|outpatient 5.00'])
  })

  test('for another reason marks the prices of its codes', async () => {
    for (const wrong of ['900,', '09', '1.', '"5" 6', 'Infinity']) {
      const { rows, totals } = await loaded(nearly(wrong))
      expect([wrong, totals]).toEqual([wrong, { R03_field: 1 }])
      expect(rows.map(short).toSorted()).toEqual([
        'G0101||cash| unreadable',
        'G0101||cash|outpatient unreadable',
        'G0101||gross| unreadable',
        'G0101||gross|outpatient 5.00 partial',
        'G0101||negotiated_high| unreadable',
        'G0101||negotiated_high|outpatient unreadable',
        'G0101||negotiated_low| unreadable',
        'G0101||negotiated_low|outpatient unreadable',
      ])
    }
  })

  test('is read whatever stands first, code or type, and counted where it has none', async () => {
    const broken = (named: string): string =>
      file({ ...CODED, standard_charges: [GROSS] }).replace(
        '[{"code_information"',
        `[{"code_information":[${named}],},{"code_information"`,
      )
    const codes = async (named: string) => new Set((await loaded(broken(named))).rows.map(({ code }) => code))
    expect(await codes('{"code":"G0102","type":"HCPCS"}')).toEqual(new Set(['G0101', 'G0102']))
    expect(await codes('{ "type" : " cpt4 ",\n  "code" : "108u" }')).toEqual(new Set(['G0101', '0108U']))
    expect(await codes('{"code":99213,"type":"HCPC"},{"code":"99214","type":"RC"}')).toEqual(
      new Set(['G0101', '99213']),
    )
    expect((await loaded(broken('{"code":"470","type":"MS-DRG"}'))).totals).toEqual({ malformed: 1 })
  })
})

describe('names of members', () => {
  const DRUG = { drug_information: { unit: 10, type: 'ML' } }
  const RATED = {
    ...GROSS,
    modifier_code: ['TC'],
    payers_information: [{ payer_name: 'x', standard_charge_dollar: 4 }],
  }

  test('count in any case, with blanks around them, as those of columns do', async () => {
    const text = file({ ...CODED, ...DRUG, standard_charges: [RATED] })
    const { rows } = await loaded(text)
    expect(rows.map(short)).toEqual([
      'G0101|TC|gross|outpatient 5.00',
      'G0101|TC|negotiated_high|outpatient 4.00',
      'G0101|TC|negotiated_low|outpatient 4.00',
    ])
    const ways: ((name: string) => string)[] = [
      (name) => name.toUpperCase(),
      (name) => ` ${name} `,
      (name) => name.replaceAll(/(^|_)[a-z]/g, (letter) => letter.toUpperCase()),
    ]
    for (const way of ways) {
      const otherwise = text.replaceAll(/"([a-z_]+)":/g, (_, name) => `"${way(name)}":`)
      expect((await loaded(otherwise)).rows).toEqual(rows)
    }
  })

  test('may be others that hospitals have for the same: gross_charges, payer_information', async () => {
    const { payers_information, ...charge } = RATED
    const all = { ...charge, discounted_cash: 4, minimum: 2, maximum: 6 }
    const { rows } = await loaded(charged({ ...all, payers_information: [] }, { ...GROSS, payers_information }))
    expect(rows).toHaveLength(7)
    const otherwise = file({
      ...CODED,
      'Standard Charge': [
        {
          'Modifier-Code': ['TC'],
          Setting: 'outpatient',
          gross_charges: '5.00',
          min: 2,
          max: 6,
          'Discounted Cash': '$4',
        },
        { setting: 'outpatient', gross_charge: null, gross_charges: 5, payer_information: payers_information },
      ],
    })
    expect((await loaded(otherwise)).rows).toEqual(rows)
  })

  test('that are not known are told where they are like those of amounts, and refuse a file without any other', async () => {
    const { rows, totals } = await loaded(charged(GROSS, { setting: 'inpatient', self_pay_price: '7.50' }))
    expect([rows.map(short), totals]).toEqual([
      ['G0101||gross|outpatient 5.00', 'G0101||negotiated_low|inpatient no_price_stated'],
      { W09: 1, no_amount: 1 },
    ])
    const own = { payer_name: 'Aetna', negotiated_rate: 9 }
    expect((await loaded(charged({ ...GROSS, payers_information: [own] }))).totals).toEqual({ W09: 1 })
    for (const charge of [{ payers_information: [own] }, { list_price: 5 }, { discounted_cash_price: 5 }])
      expect(await refusal(charged({ setting: 'outpatient', ...charge }))).toMatch(
        /no charge has an amount under a name of the CMS template.*Ask the hospital for its current file/,
      )
  })

  test('of estimates, notes and percentages are passed over', async () => {
    const payer = {
      payer_name: 'Aetna',
      estimated_amount: 3,
      standard_charge_percentage: 50,
      median_amount: 2,
      count: '12',
    }
    const charge = { ...GROSS, estimated_discounted_cash: 3, charge_number: 12345, payers_information: [payer] }
    expect((await loaded(charged(charge))).totals).toEqual({})
  })

  test('of a template before version 2.0 are refused with what to do', async () => {
    const old = { billing_code_information: CODED.code_information, standard_charges: [GROSS] }
    for (const text of [file(old), file({ codeInformation: [] })])
      expect(await refusal(text)).toMatch(/no item .* has code_information.*Ask the hospital for its current file/)
    expect(await rowsOf(file({ standard_charges: [GROSS] }, { ...CODED, standard_charges: [GROSS] }))).toHaveLength(1)
  })
})

test('drug_information in a list says what the amount is for too', async () => {
  const item = { ...CODED, drug_information: [{ unit: '1.0', type: 'ml' }], standard_charges: [GROSS] }
  expect((await loaded(file(item))).rows).toMatchObject([{ price: { amount: '5.00', per: '1 ML' } }])
})
