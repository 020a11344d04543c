import { describe, expect, test } from 'bun:test'
import { toHex, utf8 } from '../../proof/bytes.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import { isRow } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import { applyRules } from '../../registry/release/row-rules.ts'
import { citation, type Source } from '../source.ts'
import { sourceCheck } from '../source-check.ts'
import { type FixtureCharge, LAYOUTS, type Loaded, loaded, mrfJson, refusal, short, tallCsv } from './fixture.ts'

// Cases found in the files of real hospitals, with the same shapes and invented amounts.

/** The rows of a file in short. Each follows from its inputs, and is found again in the file. */
async function rowsOf(text: string): Promise<string[]> {
  return (await checked(text)).rows.map(short)
}

async function checked(text: string): Promise<Loaded> {
  const file = await loaded(text)
  const bytes = utf8(text)
  const source: Source = { file: 'a.csv', bytes, text, sha256: toHex(sha256(bytes)), kind: 'text' }
  const check = sourceCheck([source])
  const cited = [citation(source, 'x', { url: '', retrieved_at: '2026-10-01T00:00:00Z' })]
  for (const row of file.rows)
    expect([short(row), isRow(row), verifyDerivation(row), check(row, cited)]).toEqual([
      short(row),
      true,
      { ok: true },
      { ok: true },
    ])
  return file
}

describe.each(Object.entries(LAYOUTS))('in the %s layout', (layout, write) => {
  const rows = (charges: readonly FixtureCharge[]) => rowsOf(write(charges))

  test('77334: an amount with three decimals is not dropped from beside another', async () => {
    expect(
      await rows([
        { code: '77334', low: '21.765', high: '300.00' },
        { code: '77334', low: '84.11', high: '300.00' },
      ]),
    ).toEqual(['77334||negotiated_high|outpatient 300.00', '77334||negotiated_low|outpatient 21.765..84.11'])
  })

  test('J1246: four hundredths of a dollar are a price, and units that differ are said to', async () => {
    const unit = { unit: '1', unitType: 'EA' }
    expect(
      await rows([
        { code: 'J1246', gross: '0.0371', unit: '0.25', unitType: 'ml' },
        { code: 'J1246', gross: '8450.32', ...unit },
        { code: 'J1247', gross: '5', ...unit },
        { code: 'J1248', gross: '6', unit: '2', unitType: 'tablets' },
        { code: 'J1249', gross: '7', ...unit },
        { code: 'J1249', gross: '7' },
      ]),
    ).toEqual([
      'J1246||gross|outpatient 0.0371..8450.32 mixed_units',
      'J1247||gross|outpatient 5.00',
      'J1248||gross|outpatient 6.00 unit_unparsed',
      'J1249||gross|outpatient 7.00 mixed_units',
    ])
    const per = async (one: FixtureCharge) =>
      (await loaded(write([one]))).rows.map((row) => 'price' in row && row.price.per)
    expect(await per({ code: 'J1247', gross: '5', ...unit })).toEqual(['1 EA'])
    expect(await per({ code: 'J1247', gross: '5', unit: '0.50', unitType: 'ml' })).toEqual(['0.5 ML'])
    expect(await per({ code: 'J1247', gross: '.50', unit: '.50', unitType: 'ml' })).toEqual(['0.5 ML'])
    expect(await per({ code: 'J1247', gross: '5', unit: '10.', unitType: 'ml' })).toEqual(['10 ML'])
    expect(await per({ code: 'J1247', gross: '5', unit: '.', unitType: 'ml' })).toEqual(['1 UNIT'])
    expect(await per({ code: 'J1247', gross: '5', unit: '0', unitType: 'ML' })).toEqual(['1 UNIT'])
    expect(await per({ code: 'J1247', gross: '5' })).toEqual([null])
    expect(await per({ code: 'J1247', gross: '5', unit: 'N/A', unitType: 'none' })).toEqual([null])
    expect(await per({ code: 'J1247', gross: '5', unit: 'nan', unitType: 'ML' })).toEqual(['1 UNIT'])
  })

  test('99213: an amount for both settings counts for outpatients and for inpatients', async () => {
    expect(
      await rows([
        { code: '99213', setting: 'outpatient', low: '71.10' },
        { code: '99213', setting: 'both', low: '33.40' },
        { code: '99213', setting: 'Both', modifiers: '25', gross: '8' },
      ]),
    ).toEqual([
      '99213|25|gross|inpatient 8.00',
      '99213|25|gross|outpatient 8.00',
      '99213||negotiated_low|inpatient 33.40',
      '99213||negotiated_low|outpatient 33.40..71.10',
    ])
  })

  test('99285: a room and a doctor are two rows', async () => {
    expect(
      await rows([
        { code: '99285', gross: '1500', revenue: '0450' },
        { code: '99285', gross: '500', revenue: '981' },
        { code: '99285', gross: '400', revenue: '0450', billing: 'professional' },
      ]),
    ).toEqual(['99285||gross|outpatient 1500.00', '99285||gross|outpatient|professional 400.00..500.00'])
  })

  test('11406: a revenue code among the modifiers is none, and those of doctors make it a doctor\u2019s charge', async () => {
    expect(
      await rows([
        { code: '11406', modifiers: '360', gross: '900' },
        { code: '11406', modifiers: '0361|50', gross: '950' },
        { code: '11406', modifiers: '975', gross: '100' },
        { code: '11406', gross: '910' },
      ]),
    ).toEqual([
      '11406|50|gross|outpatient 950.00',
      '11406||gross|outpatient 900.00..910.00',
      '11406||gross|outpatient|professional 100.00',
    ])
  })

  test('modifiers that run together are two, and scraps of words are none', async () => {
    const lists = ['90TC', '-L | ON', 'n/a', '2550', '25 | L', 'None']
    expect(await rows(lists.map((modifiers, i) => ({ code: '88360', modifiers, gross: `${i + 1}` })))).toEqual([
      '88360|25-50|gross|outpatient 4.00',
      '88360|25|gross|outpatient 5.00',
      '88360|90-TC|gross|outpatient 1.00',
      '88360||gross|outpatient 2.00..6.00',
    ])
  })

  test('a code that lost its leading zeros is restored and flagged, and numbers are left alone', async () => {
    const lost = ['108U', '444t', '42T', '1F', '5M']
    const { totals, rows: made } = await checked(
      write([...lost, '0108U', '108', '12X'].map((code) => ({ code, gross: '5' }))),
    )
    expect(made.map(short)).toEqual(
      ['0001F', '0005M', '0042T', '0108U', '0444T'].map((code) => `${code}||gross|outpatient 5.00 code_restored`),
    )
    expect(totals).toEqual({ R03_other_code: 1, R03: 1 })
    expect(await rows([{ code: '0108u', gross: '5' }])).toEqual(['0108U||gross|outpatient 5.00'])
  })

  test('a rate outside the stated lowest and highest is flagged, and one within is not', async () => {
    expect(
      await rows([
        { code: 'G0101', low: '45', high: '60', rates: ['50', '30'] },
        { code: 'G0102', low: '45', high: '60', rates: ['50', '70', '45'] },
        { code: 'G0103', low: '45', high: '60', rates: ['45', '60'] },
        { code: 'G0104', low: '100.5', high: '200', rates: ['100.49999999999999'] },
        { code: 'G0105', low: '18.02', high: '64.85', rates: ['18.015', '64.854', '64.855'] },
        { code: 'G0106', low: '18.02', high: '64.85', rates: ['18.0149', '64.8551'] },
      ]),
    ).toEqual([
      'G0101||negotiated_high|outpatient 60.00',
      'G0101||negotiated_low|outpatient 45.00 rate_outside_range',
      'G0102||negotiated_high|outpatient 60.00 rate_outside_range',
      'G0102||negotiated_low|outpatient 45.00',
      'G0103||negotiated_high|outpatient 60.00',
      'G0103||negotiated_low|outpatient 45.00',
      'G0104||negotiated_high|outpatient 200.00',
      'G0104||negotiated_low|outpatient 100.50',
      'G0105||negotiated_high|outpatient 64.85',
      'G0105||negotiated_low|outpatient 18.02',
      'G0106||negotiated_high|outpatient 64.85 rate_outside_range',
      'G0106||negotiated_low|outpatient 18.02 rate_outside_range',
    ])
  })

  test('a line that does not state the lowest has that of its rates, beside what others state', async () => {
    expect(
      await rows([
        { code: 'G0101', low: '6', high: '9', rates: ['7'] },
        { code: 'G0101', rates: ['4', '8'] },
        { code: 'G0102', rates: ['0', '9', '8'] },
      ]),
    ).toEqual([
      'G0101||negotiated_high|outpatient 8.00..9.00',
      'G0101||negotiated_low|outpatient 4.00..6.00',
      'G0102||negotiated_high|outpatient 9.00 partial',
      'G0102||negotiated_low|outpatient 8.00 partial',
    ])
  })

  test('codes and amounts as spreadsheets leave them are read', async () => {
    const codes = ['="99219"', "'99220", '99216.0']
    expect(await rows(codes.map((code) => ({ code, gross: '$1,250.50\u00a0' })))).toEqual(
      ['99216', '99219', '99220'].map((code) => `${code}||gross|outpatient 1250.50`),
    )
  })

  test('a code typed HCPC is one of HCPCS', async () => {
    expect(
      await rows([
        { code: 'J1247', type: 'HCPC', gross: '5' },
        { code: '99213', type: 'hcpc ', gross: '6' },
      ]),
    ).toEqual(['99213||gross|outpatient 6.00', 'J1247||gross|outpatient 5.00'])
  })

  test('codes with a zero before them are read where the chargemaster number stands beside them', async () => {
    const beside = (text: string): string =>
      layout === 'json'
        ? text.replaceAll('"code_information":[', '"code_information":[{"code":"4711","type":"cdm"},')
        : text
            .replace('code|1|type', 'code|1|type,code|9,code|9|type')
            .replaceAll(/(,(?:CPT|HCPCS))(?=,)/g, '$1,4711,CDM')
    const charges = [
      { code: '074176', type: 'HCPCS', gross: '9' },
      { code: '0J3486', type: 'HCPCS', gross: '5' },
      { code: 'J3486', type: 'HCPCS', gross: '6' },
      { code: '09464076', type: 'HCPCS', gross: '7' },
    ]
    expect(await rowsOf(beside(write(charges)))).toEqual([
      '74176||gross|outpatient 9.00 code_restored',
      'J3486||gross|outpatient 5.00..6.00 code_restored',
    ])
    expect((await loaded(beside(write(charges)))).totals).toEqual({ R03_other_code: 1 })
    const alone = await loaded(write(charges))
    expect([alone.rows.map(short), alone.totals]).toEqual([['J3486||gross|outpatient 6.00'], { R03_other_code: 3 }])
    const same = beside(write(charges)).replaceAll('4711', '074176')
    expect((await loaded(same)).rows.map(({ code }) => code)).toEqual(['J3486'])
  })

  test('a file with codes of its own alone is refused with why, whatever else is missing', async () => {
    const stays = [
      { code: '124', type: 'LOCAL', gross: '2200' },
      { code: '885', type: 'CDM', gross: '5000' },
    ]
    expect(await refusal(write(stays, { npi: '', last_updated_on: '' }))).toMatch(
      /^none of the 2 lines with prices has a code of a kind that is held.*nothing to load/,
    )
    expect(await refusal(write([]))).toBe('the file has no lines with prices: download it again')
  })

  test('a word for nothing in place of a code is no code, and no code typed wrongly', async () => {
    const { rows, totals } = await loaded(
      write(['None', 'NULL', 'nan', 'N/A', 'na', '-', 'G0101'].map((code) => ({ code, gross: '5' }))),
    )
    expect([rows.map(short), totals]).toEqual([['G0101||gross|outpatient 5.00'], { not_cpt: 6 }])
  })

  test('a word for nothing is a blank', async () => {
    const nothing = ['N/A', 'na', 'null', '-', 'None', 'nan']
    expect(
      await rows([
        ...nothing.map((gross) => ({ code: 'G0101', gross, low: '5', rates: [gross, '5'] })),
        { code: 'G0101', gross: '9' },
        { code: 'G0102', gross: 'n/a' },
      ]),
    ).toEqual([
      'G0101||gross|outpatient 9.00',
      'G0101||negotiated_high|outpatient 5.00',
      'G0101||negotiated_low|outpatient 5.00',
      'G0102||negotiated_low|outpatient no_price_stated',
    ])
  })

  test('the noise of binary fractions is no second amount', async () => {
    expect(
      await rows([
        { code: 'G0101', gross: '100.49999999999999' },
        { code: 'G0101', gross: '100.5' },
        { code: 'G0102', gross: '67.260000000000005' },
      ]),
    ).toEqual(['G0101||gross|outpatient 100.49999999999999', 'G0102||gross|outpatient 67.26'])
  })

  test('a setting that cannot be read leaves no other setting stated as all there is', async () => {
    expect(
      await rows([
        { code: 'G0101', gross: '5', cash: '4' },
        { code: 'G0101', setting: 'elsewhere', gross: '3' },
        { code: 'G0101', modifiers: '26', gross: '6' },
        { code: 'G0101', setting: 'inpatient', billing: 'professional', gross: '7' },
      ]),
    ).toEqual([
      'G0101||cash|outpatient 4.00',
      'G0101|26|gross|outpatient 6.00',
      'G0101||gross|inpatient|professional 7.00',
      'G0101||gross|outpatient 5.00 partial',
      'G0101||gross| unreadable',
    ])
  })
})

test('85014: a gross charge far from Medicare\u2019s price is stated and flagged, never withheld', async () => {
  const { rows } = await loaded(tallCsv([{ code: '85014', gross: '210', cash: '90' }]))
  const [cash] = rows
  const medicare = {
    ...cash,
    npi: null,
    basis: 'medicare_clfs',
    setting: null,
    price: { amount: '1.40', currency: 'USD', per: null },
  } as (typeof rows)[number]
  const judged = []
  const comparison = {
    medicare: async () => [{ row: medicare, release_id: 'cms-clfs:2026-Q2:1' }],
    peers: async () => [],
    comparable: [{ basis: 'medicare_clfs', settings: [null] }] as const,
  }
  for await (const row of applyRules(rows, comparison, new Map())) judged.push(short(row))
  expect(judged).toEqual([
    '85014||cash|outpatient 90.00 far_from_medicare',
    '85014||gross|outpatient 210.00 far_from_medicare',
  ])
})

describe('a line with wrong quotes', () => {
  const HEAD =
    'last_updated_on,type_2_npi\n2026-04-01,1234567893\ndescription,code|1,code|1|type,setting,standard_charge|gross,additional_generic_notes\n'
  const csv = (...lines: string[]): string => `${HEAD}${lines.join('\n')}\n`

  test('Q4104: inch marks inside quotes hide no amount', async () => {
    const marks = ['4" X 4"', '4 X 4"', '4", 5" AND 6"', '"4" X 4""', '4"" X 4"', '4']
    for (const text of marks) {
      const quoted = `"DRESSING ${text}"`
      expect([
        text,
        await rowsOf(csv('GAUZE,Q4104,HCPCS,outpatient,90,', `${quoted},Q4104,HCPCS,outpatient,7.5,"a, b"`)),
      ]).toEqual([text, ['Q4104||gross|outpatient 7.50..90.00']])
    }
  })

  test('whose text is closed by a later line is read, and so is that line', async () => {
    const lines = [
      '"4 X 4"",Q4104,HCPCS,outpatient,5,',
      'GAUZE 2",Q4105,HCPCS,outpatient,6,',
      '"a\nb",Q4106,HCPCS,both,7,',
    ]
    expect(await rowsOf(csv(...lines))).toEqual([
      'Q4104||gross|outpatient 5.00',
      'Q4105||gross|outpatient 6.00',
      'Q4106||gross|inpatient 7.00',
      'Q4106||gross|outpatient 7.00',
    ])
  })

  test('that never closes one is read if its cells are those of the columns', async () => {
    const lines = [
      '"PAD,Q4104,HCPCS,outpatient,5,',
      'PAD,Q4105,HCPCS,outpatient,6,"as billed, less 5 %',
      'PAD,Q4106,HCPCS,outpatient,7,',
    ]
    expect(await rowsOf(csv(...lines))).toEqual([
      'Q4104||gross|outpatient 5.00',
      'Q4105||gross|outpatient 6.00',
      'Q4106||gross|outpatient 7.00',
    ])
  })

  test('that cannot be put together marks every price of the codes in it', async () => {
    const torn = [
      'PAD, 4 BY 4,Q4104,HCPCS,outpatient,5,,x',
      '"PAD" 4, BY, 4,q4105,hcpcs,outpatient,5,x',
      'PAD, 4,"108U","CPT",outpatient,5,,x',
      'PAD, 4,Q4107,HCPC,outpatient,5,,x',
    ]
    const { rows, totals } = await checked(
      csv(
        ...torn,
        'PAD,Q4104,HCPCS,outpatient,90,',
        'PAD,Q4104,HCPCS,inpatient,80,',
        'PAD,Q4106,HCPCS,inpatient,80,',
        'a "b" c, d,12345678,CDM,e,f,g',
      ),
    )
    const unreadable = (code: string) =>
      ['cash', 'gross', 'negotiated_high', 'negotiated_low'].map((basis) => `${code}||${basis}| unreadable`)
    expect(rows.map(short).filter((row) => /^(0108U|Q4105|Q4107)/.test(row))).toEqual(
      ['0108U', 'Q4105', 'Q4107'].flatMap(unreadable),
    )
    expect(rows.map(short)).toEqual(
      expect.arrayContaining([
        ...unreadable('Q4104'),
        'Q4104||gross|outpatient 90.00 partial',
        'Q4104||gross|inpatient 80.00 partial',
        'Q4104||cash|outpatient unreadable',
        'Q4106||gross|inpatient 80.00',
      ]),
    )
    expect(totals).toEqual({ R03_field: 4, malformed: 1 })
  })

  test('that was broken in two marks the prices of its code', async () => {
    expect(await rowsOf(csv('PAD,Q4104,HCPCS,out', 'patient,5,', 'PAD,Q4104,HCPCS,outpatient,90,'))).toEqual(
      expect.arrayContaining(['Q4104||gross| unreadable', 'Q4104||gross|outpatient 90.00 partial']),
    )
  })
})

test('a modifier that is not a text cannot be read', async () => {
  const text = mrfJson([{ code: 'G0101', modifiers: 'TC', gross: '5' }]).replace('["TC"]', '[{"code":"TC"}]')
  expect(await rowsOf(text)).toEqual(['G0101||gross|outpatient unreadable'])
})

describe('what a file says of itself', () => {
  const json = (head: object): string =>
    JSON.stringify({ ...JSON.parse(mrfJson([{ code: 'G0101', gross: '5' }])), ...head })

  test('an attestation that is not confirmed, and a version that is not known, are told, and the prices are read', async () => {
    const told: [object, object][] = [
      [{ attestation: { confirm_attestation: false } }, { W07: 1 }],
      [{ affirmation: { confirm_affirmation: 'FALSE' } }, { W07: 1 }],
      [{ attestation: { confirm_attestation: true } }, {}],
      [{ version: '4.0.0' }, { W08: 1 }],
      [{ version: '3.1.0' }, { W08: 1 }],
      [{ version: 'cvs tall' }, { W08: 1 }],
      [{ version: '3.00' }, {}],
      [{ version: 'V2.2.0_Wide_CSV_Format' }, {}],
    ]
    for (const [head, totals] of told) {
      const file = await loaded(json(head))
      expect([head, file.totals, file.rows.map(short)]).toEqual([head, totals, ['G0101||gross|outpatient 5.00']])
    }
    const sentence = '"To the best of its knowledge and belief, this hospital has included all, and it is true"'
    for (const [said, totals] of [
      ['FALSE', { W07: 1 }],
      ['true', {}],
    ] as const) {
      const text = tallCsv([{ code: 'G0101', gross: '5' }])
        .replace('attester_name', sentence)
        .replace('1234567893,words', `1234567893,${said}`)
      expect((await loaded(text)).totals).toEqual(totals)
    }
  })

  test('JSON that a strict reader refuses is refused, before and after the items', async () => {
    const text = json({ extra: 1 })
    for (const wrong of ['"extra":1,}', '"extra":NaN}', '"extra" 1}', '"extra":01}'])
      expect(await refusal(text.replace('"extra":1}', wrong))).toMatch(/not valid: ask the publisher/)
    expect(await refusal(text.replace('{', '{extra:1,'))).toMatch(/not valid: ask the publisher/)
  })
})
