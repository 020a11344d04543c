import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { zip } from '../../files/zip-fixture.ts'
import { utf8 } from '../../proof/bytes.ts'
import { type FixtureCharge, LAYOUTS, loaded, mrfJson, refusal, short, tallCsv, wideCsv } from './fixture.ts'

// Oddities that hospitals were found to publish, and others that could be planted, each in a file of our own.

const ONE = { code: 'G0101', gross: '5' }

describe.each(Object.entries(LAYOUTS))('in the %s layout', (layout, write) => {
  const load = (charges: readonly FixtureCharge[], head = {}) => loaded(write(charges, head))
  const first = layout === 'json' ? 1 : 4

  test('numbers of other kinds typed as codes are told apart from codes typed wrongly', async () => {
    const others = ['12345678', '1234567', '470', '0360', 'CHG-00123', '00071-0155-23', 'ABC1234', '99213-99215']
    const words = ['UNLISTED', 'INTRLIP', 'Acet#3', 'acetelixc', 'ALLSK']
    const wrong = ['G010O', '99213-25', '99213 TC', '99213TC', '12X', 'A9999?', 'C176', '9 9213', 'DRESSING 4 X 4']
    const told = [...others, ...words].length
    const { totals, lines, rows, judged } = await load([
      ...[...others, ...words, ...wrong].map((code) => ({ code, gross: '5' })),
      ONE,
    ])
    expect([rows.length, totals]).toEqual([1, { R03_other_code: told, R03: wrong.length }])
    expect(lines['R03']?.[0]).toBe(first + told)
    expect(judged).toEqual({ R03_other_code: told + wrong.length + 1, R03: wrong.length + 1 })
  })

  test('a rule judges the lines that price a procedure, and only those', async () => {
    const { judged, totals } = await load([
      ...Array.from({ length: 20 }, () => ONE),
      { code: 'G0101', gross: 'tbd' },
      { code: 'G0101', setting: 'elsewhere', gross: '5' },
      { code: 'G0101' },
      { code: '12345678', gross: '5' },
      { code: '470', type: 'LOCAL', gross: '5' },
    ])
    expect(totals).toEqual({ R02: 1, R03_field: 1, no_amount: 1, R03_other_code: 1, not_cpt: 1 })
    expect(judged).toEqual({ R02: 23, R03_field: 23, no_amount: 23, R03_other_code: 25, not_cpt: 25 })
  })

  test('what a doctor and what the hospital charges never share a key', async () => {
    const { rows, totals } = await load([
      { ...ONE, billing: 'Facility' },
      { ...ONE, gross: '900', billing: ' PROFESSIONAL' },
      { ...ONE, gross: '7', billing: 'both' },
      { code: 'G0102', gross: '8', billing: 'professional' },
    ])
    expect(rows.map(short)).toEqual([
      'G0101||gross|outpatient 7.00',
      'G0101||gross|outpatient|facility 5.00',
      'G0101||gross|outpatient|professional 900.00',
      'G0102||gross|outpatient|professional 8.00',
    ])
    expect(totals).toEqual({})
  })

  test('modifiers are a list, however it is written', async () => {
    const lists = ['26|TC', 'tc , 26', 'TC 26', 'TC-26', '26;TC', 'TC|26|TC', ' 26 | TC ', '26TC', 'TC|360|26|0450']
    const { rows, totals } = await load([
      ...lists.map((modifiers) => ({ ...ONE, modifiers })),
      { code: 'G0102', modifiers: '|', gross: '6' },
    ])
    expect(rows.map(short)).toEqual(['G0101|26-TC|gross|outpatient 5.00', 'G0102||gross|outpatient 6.00'])
    expect(totals).toEqual({})
  })

  test('what is not a list of modifiers may be any of them, and no price of the code is stated as all there is', async () => {
    const wrong = ['25|59|76|77|91', 'see notes', 'Q', '12345', 'R360']
    const { rows, totals } = await load([
      ...wrong.map((modifiers) => ({ ...ONE, gross: '4', modifiers })),
      { ...ONE, modifiers: '26' },
      { ...ONE, modifiers: '26', setting: 'inpatient' },
    ])
    expect(rows.map(short)).toEqual([
      'G0101|26|gross|inpatient 5.00',
      'G0101|26|gross|outpatient 5.00 partial',
      'G0101||gross|outpatient unreadable',
    ])
    expect(totals).toEqual({ R03_field: wrong.length })
  })

  test('an amount is digits, and a line with anything else keeps only its other amounts', async () => {
    const wrong = [
      '5,00',
      '1,0000.00',
      '$',
      'TBD',
      '-5',
      '0',
      '0.00',
      '0.00004',
      '999999.999',
      '1e99',
      '999999',
      '999999999.00',
      '9999999.99',
      '5 USD',
      'x',
    ]
    const { rows, totals } = await load(wrong.map((gross, i) => ({ code: `G01${10 + i}`, gross, cash: '4' })))
    expect(totals).toEqual({ R02: wrong.length })
    expect(rows.map(({ basis, kind }) => `${basis} ${kind}`)).toEqual(
      wrong.flatMap(() => ['hospital_cash price', 'hospital_gross absence']),
    )
    const right = [
      '5',
      '5.',
      '.5',
      '5.1',
      '005.10',
      '5.1000',
      ' 5.10 ',
      '0.004',
      '10.005',
      '10.00512345',
      '$5',
      '1,000.00',
      '$ 1,000',
    ]
    expect((await load(right.map((gross) => ({ code: 'G0101', gross })))).totals).toEqual({})
  })

  test('NPIs stand between pipes, commas, blanks or other marks', async () => {
    const both = [
      '1234567893|2000000010',
      '2000000010, 1234567893',
      ' 1234567893 2000000010;',
      '[1234567893] / 2000000010.0\u00a0',
      '="1234567893"|\'2000000010',
    ]
    for (const npi of both) expect((await load([ONE], { npi })).npis).toEqual(['1234567893', '2000000010'])
    const named = '123456789-1234567893_a_standardcharges.csv'
    expect((await loaded(write([ONE], { npi: 'N/A' }), {}, named)).npis).toEqual(['1234567893'])
    expect(await refusal(write([ONE], { npi: '12-3456789' }))).toMatch(/wrong length or check digit/)
    expect(await refusal(write([ONE], { npi: '1234567893|UNASSIGNED' }))).toMatch(
      /type_2_npi has a wrong length or check digit/,
    )
    expect((await loaded(write([ONE], { version: '2.2.0' }), {}, '123456789_1234567893_a.csv')).npis).toEqual([
      '1234567893',
    ])
  })

  test('the version it declares is not believed', async () => {
    for (const version of ['2.0.0', '3.0.1', '4.0.0', '', 'V2.0.0_Wide_CSV_Format', 'cvs tall']) {
      const { rows, npis } = await loaded(write([ONE]).replace('3.0.0', version))
      expect([rows.map(short), npis]).toEqual([['G0101||gross|outpatient 5.00'], ['1234567893']])
    }
  })

  test('cut off anywhere in its last line it is refused, packed or not', async () => {
    const text = write([ONE, { code: 'G0102', gross: '1234.56', rates: ['7', '8', '9'] }]).trimEnd()
    const last = text.lastIndexOf(layout === 'json' ? '{"description"' : '\n') + 2
    for (let end = last; end < text.length; end += 5) {
      const outcome = await refusal(text.slice(0, end))
      if (layout === 'json' || text.slice(end).includes(',')) expect([end, outcome]).toEqual([end, CUT])
    }
    expect(await refusal(gzipSync(text).subarray(0, 200))).toMatch(/damaged/)
    for (const packed of [gzipSync(text), zip([{ name: 'a.csv', data: text }])])
      expect(await refusal(gzipSync(packed))).toBe('the file is packed twice: unpack it once, and load what is inside')
    expect(await refusal(zip([{ name: 'a.csv', data: text }]).subarray(0, 200), {}, 'a.zip')).not.toBe('loaded')
    expect(await refusal(text)).toBe('loaded')
  })
})

/** The amounts for both settings, in short, as the rows of both. */
const inBoth = (...rows: string[]): string[] =>
  rows.flatMap((row) => ['inpatient', 'outpatient'].map((setting) => row.replace('| ', `|${setting} `)))

const CUT = expect.stringMatching(/ends in the middle of (a line|its JSON): download it again/)

describe('a CSV file', () => {
  test('may have modifiers in two columns', async () => {
    const text = tallCsv([{ ...ONE, modifiers: 'TC' }])
      .replace('modifiers,', 'modifier,modifiers,')
      .replace(',TC,', ',26,TC,')
    expect((await loaded(text)).rows.map(short)).toEqual(['G0101|26-TC|gross|outpatient 5.00'])
  })

  test('with one of the columns that are read twice is refused', async () => {
    for (const column of ['setting', 'code|1', 'standard_charge|gross'])
      expect(await refusal(tallCsv([ONE]).replace(`${column},`, `${column},${column},`))).toMatch(
        /is in the file twice/,
      )
    expect((await loaded(tallCsv([ONE]).replace('plan_name', 'description'))).rows.length).toBe(1)
  })

  test('may have blank lines among its first ones, and line ends of every kind', async () => {
    const text = tallCsv([ONE, { ...ONE, code: 'G0102' }])
    const { rows } = await loaded(text)
    for (const end of ['\r', '\r\n', '\r\r\n'])
      expect((await loaded(text.replaceAll('\n', end))).rows.map(short)).toEqual(rows.map(short))
    expect((await loaded(text.replaceAll('\n', '\n,,\n'))).rows.map(short)).toEqual(rows.map(short))
  })

  test('may have codes in many columns, with gaps between their numbers', async () => {
    const codes = [2, 7, 40, 123].map((n) => `code | ${n},Code|${n} | TYPE`).join(',')
    const text = [
      'last_updated_on,type_2_npi',
      '4/1/2026 12:00:00 AM,1234567893',
      `${codes},setting,standard_charge | gross,,,`,
      '0360,RC,G0101,hcpcs,,,99213,CPT,Both,5,,,',
      '',
    ].join('\n')
    expect((await loaded(text)).rows.map(short)).toEqual(inBoth('99213||gross| 5.00', 'G0101||gross| 5.00'))
  })

  test('may have thousands of columns', async () => {
    const payers = Array.from({ length: 3_700 }, (_, i) => `standard_charge|P${i}|plan|negotiated_dollar`)
    const text = `last_updated_on,type_2_npi\n2026-04-01,1234567893\ncode|1,code|1|type,setting,${payers}\nG0101,CPT,both${payers.map((_, i) => `,${i + 10}`).join('')}\n`
    expect((await loaded(text)).rows.map(short)).toEqual(
      inBoth('G0101||negotiated_high| 3709.00', 'G0101||negotiated_low| 10.00'),
    )
  })

  test('whose lines all leave out what is blank at their end was not cut off', async () => {
    const short = wideCsv([ONE, { code: 'G0102', gross: '6' }])
      .split('\r\n')
      .map((line) => line.replace(/,+$/, ''))
    const two = [...short.slice(0, 3), 'words,G0101,CPT,both,,,5', 'words,G0102,CPT,both,,,6']
    expect((await loaded(`${two.join('\n')}`)).rows.length).toBe(4)
    expect(await refusal(`${two.join('\n').slice(0, -2)}`)).toMatch(/ends in the middle of a line.*line 5/)
  })

  test('never has a percentage, an algorithm, an estimate or a median for a price', async () => {
    const columns = ['negotiated_percentage', 'negotiated_algorithm', 'methodology'].map(
      (name) => `standard_charge|${name}`,
    )
    const others = ['estimated_amount', 'median_amount', '10th_percentile', '90th_percentile', 'count']
    const head = [...columns, ...others, 'estimated_amount|P|plan', 'median_amount|P|plan']
    const text = `last_updated_on,type_2_npi\n2026-04-01,1234567893\ncode|1,code|1|type,setting,${head}\nG0101,CPT,both${',50'.repeat(head.length)}\n`
    expect(await loaded(text)).toMatchObject({
      rows: [{ reason: 'no_price_stated' }, { reason: 'no_price_stated' }],
      totals: { no_amount: 1 },
    })
  })
})

describe('a JSON file', () => {
  const withCharge = (charge: unknown, item: object = {}): string =>
    JSON.stringify({
      standard_charge_information: [
        { code_information: [{ code: 'G0101', type: 'CPT' }], standard_charges: [charge], ...item },
      ],
      last_updated_on: '2026-04-01',
      type_2_npi: 1234567893,
    })
  const rowsOf = async (text: string) => (await loaded(text, {}, 'a.json')).rows.map(short)

  test('may have numbers as texts, texts as numbers, and exponents', async () => {
    expect(await rowsOf(withCharge({ setting: 'both', gross_charge: '5.10' }))).toEqual(inBoth('G0101||gross| 5.10'))
    expect(await rowsOf(withCharge({ setting: 'both', gross_charge: 0 }).replace(':0}', ':1.25e3}'))).toEqual(
      inBoth('G0101||gross| 1250.00'),
    )
    const numeric = { code_information: [{ code: 99213, type: 'CPT' }] }
    expect(await rowsOf(withCharge({ setting: 'both', gross_charge: 5 }, numeric))).toEqual(
      inBoth('99213||gross| 5.00'),
    )
    expect(await rowsOf(withCharge({ setting: 'both', gross_charge: 5, modifier_code: 'TC' }))).toEqual(
      inBoth('G0101|TC|gross| 5.00'),
    )
  })

  test('has nothing for a price that is not a number, and says so', async () => {
    for (const wrong of [true, {}, [5], '1e3', 1e21, -1, '5%', '1,00'])
      expect(await loaded(withCharge({ setting: 'both', gross_charge: wrong }))).toMatchObject({ totals: { R02: 1 } })
    const estimate = { payer_name: 'x', standard_charge_percentage: 50, estimated_amount: 5, median_amount: 6 }
    expect(await loaded(withCharge({ setting: 'both', payers_information: [estimate] }))).toMatchObject({
      rows: [{ reason: 'no_price_stated' }, { reason: 'no_price_stated' }],
      totals: { no_amount: 1 },
    })
    expect(await loaded(withCharge({}, { standard_charges: [] }))).toMatchObject({
      rows: [
        { code: 'G0101', reason: 'no_price_stated', setting: 'inpatient', locator: [{ line: 1 }] },
        { code: 'G0101', reason: 'no_price_stated', setting: 'outpatient', locator: [{ line: 1 }] },
      ],
      totals: { no_amount: 1 },
    })
  })

  test('that says something twice is refused', async () => {
    const text = mrfJson([ONE])
    expect(await refusal(text.replace('{', '{"type_2_npi":["2000000010"],'))).toMatch(/type_2_npi twice/)
    expect(await refusal(text.replace('{', '{"standard_charge_information":[],'))).toMatch(/twice/)
  })

  test('counts what is no item in its place', async () => {
    const text = mrfJson([ONE, ONE]).replace('"standard_charge_information":[', '"standard_charge_information":[null,')
    expect(await loaded(text)).toMatchObject({ totals: { malformed: 1 }, lines: { malformed: [1] } })
    expect((await loaded(text)).rows[0]?.locator).toEqual([{ citation: 0, line: 2 }])
  })

  test('may begin with a mark and be written in any order', async () => {
    const { standard_charge_information, ...head } = JSON.parse(mrfJson([ONE])) as Record<string, unknown>
    const last = JSON.stringify({ extra: [[{}]], ...head, standard_charge_information })
    expect((await loaded(utf8(`\ufeff \n${last}\n`))).rows).toEqual((await loaded(mrfJson([ONE]))).rows)
  })
})
