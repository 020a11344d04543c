import { describe, expect, test } from 'bun:test'
import { loaded, refusal, short } from './fixture.ts'

// Checks that keep the cells of a CSV under their columns. A line whose cells moved states a wrong price.

const GENERAL = 'last_updated_on,type_2_npi\n2026-04-01,1234567893\n'
const NAMES =
  'description,code|1,code|1|type,setting,standard_charge|gross,standard_charge|discounted_cash,additional_generic_notes'
const csv = (...lines: string[]): string => `${GENERAL}${[NAMES, ...lines].join('\n')}\n`
const rowsOf = async (text: string): Promise<string[]> => (await loaded(text)).rows.map(short)

describe('a line with more cells than there are names', () => {
  test('has a stray comma in it, also where its last cells are blank', async () => {
    const { rows, totals } = await loaded(
      csv(
        'PAD,Q4104,HCPCS,outpatient,900,,',
        'PAD,Q4104,HCPCS,outpatient,$1,234.50,,',
        'PAD, 4 BY 4,Q4105,HCPCS,outpatient,5,,',
      ),
    )
    const unreadable = (code: string) =>
      ['cash', 'gross', 'negotiated_high', 'negotiated_low'].map((basis) => `${code}||${basis}| unreadable`)
    expect(rows.map(short).sort()).toEqual(
      [
        ...unreadable('Q4104'),
        ...['cash', 'negotiated_high', 'negotiated_low'].map((basis) => `Q4104||${basis}|outpatient unreadable`),
        'Q4104||gross|outpatient 900.00 partial',
        ...unreadable('Q4105'),
      ].sort(),
    )
    expect(totals).toEqual({ R03_field: 2 })
  })

  test('is like the others where all lines end with a comma, and blank ones say nothing', async () => {
    const lines = ['PAD,Q4104,HCPCS,outpatient,5,,,', ',,,,,,,,,,', 'PAD,Q4105,HCPCS,outpatient,6,,,']
    expect(await rowsOf(csv(...lines))).toEqual(['Q4104||gross|outpatient 5.00', 'Q4105||gross|outpatient 6.00'])
    expect(await rowsOf(csv(...lines, 'PAD,Q4106,HCPCS,outpatient,$1,234,,,'))).toContain('Q4106||gross| unreadable')
  })

  test('is not the first one of a table whose other lines have fewer', async () => {
    const lines = ['PAD,Q4104,HCPCS,outpatient,$1,234.50,,', 'PAD,Q4105,HCPCS,outpatient,6,,']
    expect(await refusal(csv(...lines))).toMatch(/commas without quotes .* Ask the hospital .*line 5/)
  })
})

test('quotes in the name of a hospital do not hide its NPI, and in the names of the columns they refuse the file', async () => {
  const line = 'PAD,Q4104,HCPCS,outpatient,5,,'
  const named = csv(line)
    .replace('last_updated_on', '"hospital_name, in "full"",last_updated_on')
    .replace('2026-04-01', '"St. "Mary", Inc.",2026-04-01')
  expect((await loaded(named)).rows).toEqual((await loaded(csv(line))).rows)
  const payer = csv(line).replace('standard_charge|gross', '"standard_charge|A "B", C|negotiated_dollar"')
  expect(await refusal(payer)).toMatch(/quotes in the names of the columns are wrong: ask the hospital.*line 3/)
})

test('a mark for a lost character that begins a line does not end the file', async () => {
  const lines = [
    'PAD,Q4104,HCPCS,outpatient,5,,',
    '\u001aPAD,Q4105,HCPCS,outpatient,6,,',
    'PAD,Q4106,HCPCS,outpatient,7,,',
  ]
  expect(await rowsOf(`${csv(...lines)}\u001a`)).toEqual(
    ['Q4104', 'Q4105', 'Q4106'].map((code, i) => `${code}||gross|outpatient ${i + 5}.00`),
  )
})

describe('names in the middle of a file', () => {
  const line = 'PAD,Q4104,HCPCS,outpatient,5,4,'
  const other = 'PAD,Q4105,HCPCS,outpatient,50,40,'

  test('that are those of the columns once more say nothing', async () => {
    const { rows, totals } = await loaded(csv(line, NAMES.toUpperCase(), other))
    expect(rows.map(short)).toEqual([
      'Q4104||cash|outpatient 4.00',
      'Q4104||gross|outpatient 5.00',
      'Q4105||cash|outpatient 40.00',
      'Q4105||gross|outpatient 50.00',
    ])
    expect(totals).toEqual({})
  })

  test('that are others begin another table, and no cell is read under the wrong name, or for the wrong hospital', async () => {
    const swapped = NAMES.replace(/(standard_charge\|gross),(standard_charge\|discounted_cash)/, '$2,$1')
    const second = csv(other).replace('1234567893', '1457394567').trim()
    for (const more of [swapped, second])
      expect(await refusal(csv(line, more, other))).toBe(
        'another table begins here, with names of its own: ask the hospital for a file with one table (line 5)',
      )
  })

  test('are told from words in a description', async () => {
    const words = 'hospital_name and last_updated_on of the code|1|type,X1,CDM,outpatient,5,,'
    expect((await loaded(csv(words, line))).totals).toEqual({ not_cpt: 1 })
  })
})

describe('a quote that is never closed', () => {
  const after = 'PAD,Q4107,HCPCS,outpatient,8,,'
  const all = (...codes: string[]): string[] => codes.map((code, i) => `${code}||gross|outpatient ${i + 5}.00`)

  test('hides no line, although a later one happens to close it', async () => {
    const lines = ['"PAD 6,Q4104,HCPCS,outpatient,5,,', 'PAD 2",Q4105,HCPCS,outpatient,6,,']
    expect(await rowsOf(csv(...lines, after.replace('8', '7')))).toEqual(all('Q4104', 'Q4105', 'Q4107'))
    const between = 'PAD,Q4105,HCPCS,outpatient,6,,'
    const longer = [lines[0] as string, between, 'PAD 2",Q4106,HCPCS,outpatient,7,,', after]
    expect(await rowsOf(csv(...longer))).toEqual(all('Q4104', 'Q4105', 'Q4106', 'Q4107'))
  })

  test('hides none in the last column either', async () => {
    const lines = ['PAD,Q4104,HCPCS,outpatient,5,,"a', 'PAD,Q4105,HCPCS,outpatient,6,,b"']
    expect(await rowsOf(csv(...lines, after.replace('8', '7')))).toEqual(all('Q4104', 'Q4105', 'Q4107'))
  })

  test('is told from texts of several lines', async () => {
    const lines = [
      '"PAD\n6, a\n\nb",Q4104,HCPCS,outpatient,5,,',
      'PAD,Q4105,HCPCS,outpatient,6,,"a\nb, c\n"',
      '"a\n b",Q4106,HCPCS,outpatient,7,,"c\nd"',
    ]
    expect(await rowsOf(csv(...lines, after))).toEqual(all('Q4104', 'Q4105', 'Q4106', 'Q4107'))
  })
})

describe('columns of other names', () => {
  const line = 'PAD,Q4104,HCPCS,outpatient,5,4,'

  test('are found by their letters, digits and pipes', async () => {
    const renamed = csv(line)
      .replace('last_updated_on', 'Last Updated On')
      .replace('type_2_npi', 'Type 2 NPI')
      .replace('code|1|type', 'Code | [1] | Type')
      .replace('code|1', 'Code|[1]')
      .replace('standard_charge|discounted_cash', 'Standard Charge | Discounted-Cash')
    expect((await loaded(renamed)).rows).toEqual((await loaded(csv(line))).rows)
    const words = NAMES.replace('gross', 'minimum').replace('discounted_cash', 'MAXIMUM')
    expect(await rowsOf(csv(line).replace(NAMES, words))).toEqual([
      'Q4104||negotiated_high|outpatient 4.00',
      'Q4104||negotiated_low|outpatient 5.00',
    ])
  })

  test('give way to the name of the template', async () => {
    const both = csv(line).replace('additional_generic_notes', 'standard charge|gross').replace(/,$/m, ',7')
    expect(await rowsOf(both)).toEqual(['Q4104||cash|outpatient 4.00', 'Q4104||gross|outpatient 5.00'])
  })

  test('that are not known are told, and without any that is the file is refused', async () => {
    for (const other of ['standard_charge|self_pay', 'Discounted Cash', 'Cash price', 'max']) {
      const { totals, judged } = await loaded(csv(line).replace('standard_charge|discounted_cash', other))
      expect([other, totals, judged]).toEqual([other, { W09: 1 }, { W09: 1 }])
    }
    expect(await refusal(csv(line).replaceAll('standard_charge', 'standard_charges'))).toMatch(
      /none of the columns for amounts.*ask the hospital/,
    )
  })
})

test('a code is read by the words that hospitals have for its type, and beside others in its cell', async () => {
  const gross = (...codes: string[]) => codes.map((code) => `${code}||gross|outpatient 5.00`)
  const of = (code: string, type: string) => rowsOf(csv(`PAD,"${code}",${type},outpatient,5,,`))
  for (const type of ['HCPC', 'hcpc', 'CPT/HCPC', 'HCPCS Level II', 'CPT-4'])
    expect([type, await of('Q4104', type)]).toEqual([type, gross('Q4104')])
  for (const cell of ['Q4104|Q4105', 'q4104, Q4105', 'Q4104;Q4105', 'Q4105/Q4104', 'Q4104 Q4105 Q4104'])
    expect([cell, await of(cell, 'HCPCS')]).toEqual([cell, gross('Q4104', 'Q4105')])
  for (const cell of ['\u200bQ4104', '\ufeffQ4104\u200b', 'Q4104\u00a0'])
    expect([cell, await of(cell, 'HCPCS')]).toEqual([cell, gross('Q4104')])
  for (const cell of ['Q4104|25', 'Q4104 PAD', 'Q4104 25']) {
    const { totals } = await loaded(csv(`PAD,"${cell}",HCPCS,outpatient,5,,`, 'PAD,Q4105,HCPCS,outpatient,5,,'))
    expect([cell, totals]).toEqual([cell, { R03: 1 }])
  }
})

describe.each(['NULL', 'NA', 'N/A', 'nan', 'None', '#N/A', '---'])('%s in every empty cell', (word) => {
  const named = `${NAMES.replace('additional_generic_notes', 'modifiers')},code|2,code|2|type,drug_unit_of_measurement,drug_type_of_measurement`
  const filled = (...lines: string[]): string =>
    csv(...lines.map((line) => line.replace(/(?<=,)(?=,|$)/g, word))).replace(NAMES, named)

  test('says nothing', async () => {
    const { rows, totals } = await loaded(
      filled(
        'PAD,Q4104,HCPCS,outpatient,5,,,,,,',
        'PAD,,CPT,outpatient,6,,,,,,',
        'PAD,,,outpatient,6,,,0250,EAPG,1,EA',
      ),
    )
    expect(rows.map(short)).toEqual(['Q4104||gross|outpatient 5.00'])
    expect([rows[0]?.kind === 'price' && rows[0].price.per, totals]).toEqual([null, { not_cpt: 2 }])
  })
})

test('a revenue code is one by every word for its type', async () => {
  const named = `${NAMES},code|2,code|2|type`
  for (const type of ['RC', 'rc', 'REV', 'Revenue Code'])
    expect([type, await rowsOf(csv(`PAD,G0101,HCPCS,outpatient,5,,,0981,${type}`).replace(NAMES, named))]).toEqual([
      type,
      ['G0101||gross|outpatient|professional 5.00'],
    ])
})
