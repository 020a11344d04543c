import { expect, test } from 'bun:test'
import type { PlaceRow } from '../../src/proof/price/row.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, testApp } from '../support/harness.ts'
import { connect } from '../support/mcp.ts'

const NPI = '1234567893'

test('the sentence about past prices has the amounts with the modifier that was asked', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', bilateral: '1', assistant: '2', co_surgeon: '0' }
  const surgery = aPrice({ code: '27447', indicators, price: { amount: '1000.00', currency: 'USD' } })
  await app.publish(aRelease({ rows: [surgery] }))
  const client = await connect(app, 'modern')
  const said = async (args: object): Promise<string> =>
    (await client.callTool({ name: 'price_history', arguments: { cpt: '27447', ...args } })).content[0]?.text ?? ''
  expect(await said({})).toContain('$1000.00 from')
  expect(await said({ modifier: '80' })).toContain('$160.00 from')
  expect(await said({ modifier: '80' })).not.toContain('1000')
})

test('the sentence about a bill says where a hospital states a price for a unit of its own', async () => {
  await using app = await testApp()
  const own = { npi: NPI, basis: 'hospital_gross' } as const
  const rows = [
    aPrice({ code: 'P9047', ...own, price: { amount: '284.15', currency: 'USD', per: '100 ML' } }),
    aPrice({ code: 'G0101', ...own }),
  ]
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows }))
  const client = await connect(app, 'modern')
  const said = async (...codes: string[]): Promise<string> => {
    const lines = codes.map((cpt) => ({ cpt, npi: NPI, units: 2 }))
    return (await client.callTool({ name: 'price_bill', arguments: { lines } })).content[0]?.text ?? ''
  }
  expect(await said('G0101', 'P9047')).toContain('The hospital states the price of line 2 for a unit of its own')
  expect(await said('G0101')).not.toContain('unit of its own')
  expect(await said('G0101')).toStartWith('1 of 1 line has a price')
  const lines = [
    { cpt: 'G0101', npi: NPI },
    { cpt: 'G0101', npi: NPI, billed: '3,00' },
    { cpt: 'G0109', npi: NPI },
  ]
  const { content } = await client.callTool({ name: 'price_bill', arguments: { lines } })
  expect(content[0]?.text).toContain('No price for line 3: not_on_schedule, see')
  expect(content[0]?.text).toContain('Line 2 was not understood, and may have a price: the parameter billed takes')
})

test('one row that has no price is spoken of as one', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: '99213' }), anAbsence({ code: '99213', modifier: '26' })] }))
  const client = await connect(app, 'modern')
  const { content } = await client.callTool({ name: 'code_sheet', arguments: { cpt: '99213' } })
  expect(content[0]?.text).toContain('1 row states that there is no price.')
})

test('the factor of anesthesia is not told as the price of the code under which it stands', async () => {
  await using app = await testApp()
  const factor = { code: '00000', basis: 'medicare_anesthesia', setting: null } as const
  const price = { amount: '20.50', currency: 'USD', per: 'UNIT' } as const
  await app.publish(aRelease({ chart: 'cms-anesthesia', rows: [aPrice({ ...factor, kind: 'rate', price })] }))
  const client = await connect(app, 'modern')
  const asked = { cpt: '00100', basis: 'medicare_anesthesia' }
  const { content } = await client.callTool({ name: 'lookup_price', arguments: asked })
  expect(content[0]?.text).toStartWith(
    'Anesthesia: $20.50 per UNIT is the Medicare anesthesia factor for every anesthesia code',
  )
  expect(content[0]?.text).toContain('it is not the price of a service')
  // Every line of anesthesia says who performs it.
  for (const modifier of ['QZ', 'AA']) {
    const billed = await client.callTool({ name: 'lookup_price', arguments: { ...asked, modifier } })
    expect(billed.content[0]?.text).toMatch(/^Anesthesia: \$20\.50 per UNIT .* does not change it\./)
  }
  const headers = { accept: 'text/markdown' }
  const shown = await app.app.fetch(
    new Request(`${BASE_URL}/price/00100?basis=${asked.basis}`, { headers }),
    '192.0.2.1',
  )
  const page = await shown.text()
  expect(page).toContain('Medicare multiplies it by the base units')
  expect(page).not.toContain('allows for this service')
})

test('the fee for equipment outside rural areas says that there may be another inside', async () => {
  await using app = await testApp()
  const rented = { code: 'E0601', basis: 'medicare_dmepos', region: 'US-MT', modifier: 'RR' } as const
  const rows = (['non_rural', 'rural'] as const).map((setting) => aPrice({ ...rented, setting }))
  rows.push(aPrice({ ...rented, code: 'E0602', setting: 'non_rural' }))
  await app.publish(aRelease({ chart: 'cms-dmepos', rows }))
  const client = await connect(app, 'modern')
  const asked = { cpt: 'E0601', region: 'MT', modifier: 'RR', basis: rented.basis }
  const said = async (args: object): Promise<string> =>
    (await client.callTool({ name: 'lookup_price', arguments: { ...asked, ...args } })).content[0]?.text ?? ''
  expect(await said({})).toMatch(/US-MT, non-rural.*ask with setting=rural.*former competitive bidding areas/)
  expect(await said({ setting: 'rural' })).not.toContain('ask with')
  expect(await said({ setting: 'non_rural' })).not.toContain('ask with')
  // What was asked for as rural, and is the same everywhere.
  expect(await said({ cpt: 'E0602', setting: 'rural' })).toMatch(/non-rural\).*states no other amount for rural areas/)
  // Where the ZIP code says which it is, nothing is left open.
  const place = (zip: string, rural?: boolean): PlaceRow => ({
    ...{ kind: 'place', zip, plus_four: null, region: 'US-MT-01', state: 'MT', ...(rural !== undefined && { rural }) },
    ...{ effective_from: '2026-01-01', locator: [{ citation: 0, line: 1 }] },
  })
  await app.publish(
    aRelease({ chart: 'zip-locality', rows: [place('59001', true), place('59101', false), place('59201')] }),
  )
  expect(await said({ region: '59001' })).toContain('US-MT, rural')
  for (const include of [undefined, 'proof']) {
    expect(await said({ region: '59101', include })).toMatch(/US-MT, non-rural\)(?!.*ask with)/)
    expect(await said({ region: '59001', cpt: 'E0602', include })).toMatch(
      /non-rural\).*no other amount for rural areas/,
    )
  }
  // Of a ZIP code that is not on the list at hand, nothing is known.
  expect(await said({ region: '59201' })).toMatch(/US-MT, non-rural.*ask with setting=rural/)
  const sheetOf = async (args: object): Promise<string> => {
    const { content } = await client.callTool({ name: 'code_sheet', arguments: { cpt: 'E0601', ...args } })
    return content[0]?.text ?? ''
  }
  for (const include of [undefined, 'proof']) {
    expect(await sheetOf({ region: '59001', include })).toContain(
      'CMS lists this ZIP code as rural: there the rural fee',
    )
    expect(await sheetOf({ region: '59101', include })).toContain(
      'not list this ZIP code as rural: there the non_rural',
    )
    for (const region of ['MT', '59201']) expect(await sheetOf({ region, include })).not.toContain('as rural')
  }
  const headers = { accept: 'text/markdown' }
  const page = new Request(`${BASE_URL}/price/E0601?${new URLSearchParams(asked)}`, { headers })
  expect(await (await app.app.fetch(page, '192.0.2.1')).text()).toContain('outside rural areas, for Montana (US-MT)')
})

test('the sentence about a bill has each line, with units and amounts, until there are too many', async () => {
  await using app = await testApp()
  const usd = (amount: string, per: string | null = null) => ({ price: { amount, currency: 'USD', per } as const })
  const indicators = { status: 'A', bilateral: '1' }
  await app.publish(aRelease({ rows: [aPrice({ code: '27447', indicators, ...usd('1000.00') })] }))
  const drug = aPrice({ code: 'J0585', basis: 'medicare_asp', setting: null, ...usd('6.51', '1 UNIT') })
  await app.publish(aRelease({ chart: 'cms-asp', rows: [drug] }))
  const factor = { code: '00000', basis: 'medicare_anesthesia', setting: null, kind: 'rate' } as const
  await app.publish(aRelease({ chart: 'cms-anesthesia', rows: [aPrice({ ...factor, ...usd('20.50', 'UNIT') })] }))
  const client = await connect(app, 'modern')
  const lines = [
    { cpt: '27447', modifier: '50', billed: '5000.00' },
    { cpt: 'J0585', basis: 'medicare_asp', units: 100, billed: '1250.00' },
    { cpt: '00100', basis: 'medicare_anesthesia', units: 10 },
  ]
  const said = async (...asked: object[]): Promise<string> =>
    (await client.callTool({ name: 'price_bill', arguments: { lines: asked } })).content[0]?.text ?? ''
  expect(await said(...lines)).toContain(
    ' Line 1: 27447-50 (national, non-facility) $1500.00, billed $5000.00. Line 2: J0585 (national) $6.51 per 1 UNIT x 100 = $651.00, billed $1250.00. Line 3: $20.50 per UNIT is a factor, not a price. All lines are for 2026-11-15. ',
  )
  const as_of = '2026-11-02'
  expect(await said(...lines.map((line) => ({ ...line, as_of })))).toContain(` All lines are for ${as_of}. `)
  expect(await said({ ...lines[0], as_of }, lines[1] as object)).toContain(
    ' Lines without a day of their own are for 2026-11-15. ',
  )
  expect(await said({ ...lines[0], as_of }, { ...lines[1], as_of: '2026-11-03' })).toContain('the day that it names. ')
  expect(await said(...Array.from({ length: 13 }, () => lines[0] as object))).not.toContain('Line 1:')
})

test('the sentence about a bill at a surgery center says what is not in the sum', async () => {
  await using app = await testApp()
  const rows = ['29877', '29881'].map((cpt) => aPrice({ code: cpt, basis: 'medicare_asc', setting: 'asc' }))
  await app.publish(aRelease({ chart: 'cms-asc', rows }))
  const client = await connect(app, 'modern')
  const said = async (...lines: object[]): Promise<string> =>
    (await client.callTool({ name: 'price_bill', arguments: { lines, setting: 'asc' } })).content[0]?.text ?? ''
  const wages = 'the center’s part, before Medicare adjusts them to the wages of the place.'
  const half = 'a center is paid the highest in full, and half of most others, which is not in the sum.'
  const two = await said({ cpt: '29881' }, { cpt: '29877' })
  for (const note of [wages, half]) expect(two).toContain(note)
  expect(await said({ cpt: '29881', units: 2 })).toContain(half)
  expect(await said({ cpt: '29881' })).toContain(wages)
  expect(await said({ cpt: '29881' })).not.toContain(half)
})

test('the sentence about a bill says that two sides are not paid twice', async () => {
  await using app = await testApp()
  const rows = Object.entries({ 27447: '1', 20610: '3' }).map(([cpt, bilateral]) =>
    aPrice({ code: cpt, indicators: { status: 'A', bilateral } }),
  )
  await app.publish(aRelease({ rows }))
  const client = await connect(app, 'modern')
  const said = async (lines: object[], include?: 'proof'): Promise<string> =>
    (await client.callTool({ name: 'price_bill', arguments: { lines, include } })).content[0]?.text ?? ''
  const sides = (cpt: string) => ['LT', 'RT'].map((modifier) => ({ cpt, modifier }))
  const less = 'Medicare pays both together one and a half times one, which is less than the sum'
  const note = 'Lines 2 and 3 are two sides of one service'
  // A short answer does not say of which codes that is so.
  expect(await said([{ cpt: '20610' }, ...sides('27447')])).toContain(`${note}: of many codes ${less}. Ask about one`)
  expect(await said([{ cpt: '20610' }, ...sides('27447')], 'proof')).toContain(`${note}: ${less}. Modifier 50 has`)
  const days = ['2026-07-02', '2026-07-03']
  expect(await said(sides('27447').map((line, i) => ({ ...line, as_of: days[i] })))).not.toContain(less)
  // Whole answers have the indicator of the row.
  expect(await said(sides('20610'), 'proof')).not.toContain(less)
  expect(await said([{ cpt: '27447', units: 2 }], 'proof')).toContain('The two units of line 1 may be two sides:')
  for (const lines of [[{ cpt: '27447' }], [{ cpt: '27447', modifier: '50' }], [sides('27447')[0], { cpt: '27447' }]])
    expect(await said(lines as object[], 'proof')).not.toContain(less)
})

test('the sentence about a bill without any price speaks of no amounts', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: 'G0101' })] }))
  const client = await connect(app, 'modern')
  const said = async (...lines: object[]): Promise<string> =>
    (await client.callTool({ name: 'price_bill', arguments: { lines } })).content[0]?.text ?? ''
  const none = await said({ cpt: 'G0101', region: 'Chicago' })
  expect(none).toStartWith('0 of 1 line has a price. Line 1 was not understood')
  expect(none).not.toMatch(/references|source/)
  expect(await said({ cpt: 'G0101' }, { cpt: 'G0109' })).toEndWith(
    'These are references, not what a patient owes. Each line that has a price names its source.',
  )
})

test('a line of a bill has all modifiers that decide about its amount, and says which do not', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', bilateral: '1', assistant: '2' }
  const price = { amount: '100.00', currency: 'USD' } as const
  const rows = [null, '26'].map((modifier) => aPrice({ code: '70450', modifier, indicators, price }))
  await app.publish(aRelease({ rows }))
  const client = await connect(app, 'modern')
  const lines = [
    { cpt: '70450', modifier: '26-80' },
    { cpt: '70450', modifier: '59', billed: '250.00' },
    { cpt: '70450', modifier: '26-59-LT' },
    { cpt: '70450', modifier: '80-59' },
    { cpt: '70450', modifier: 'RT-LT-59' },
    { cpt: '70450', modifier: '50' },
  ]
  const { content } = await client.callTool({ name: 'price_bill', arguments: { lines } })
  const said = content[0]?.text ?? ''
  expect(said).toMatch(/ Line 1: 70450-26-80 \([^)]*\) \$16\.00\. /)
  expect(said).toMatch(/ Line 2: 70450 \([^)]*\) \$100\.00, billed \$250\.00; modifier 59 does not change it\. /)
  expect(said).toMatch(/ Line 3: 70450-26 \([^)]*\) \$100\.00; modifiers 59, LT do not change it\. /)
  expect(said).toMatch(/ Line 4: 70450-80 \([^)]*\) \$16\.00; modifier 59 does not change it\. /)
  expect(said).toMatch(/ Line 5: 70450-50 \([^)]*\) \$150\.00; LT and RT together count as 50; modifier 59 does not/)
  expect(said).toMatch(/ Line 6: 70450-50 \([^)]*\) \$150\.00\. /)
  const both = await client.callTool({ name: 'lookup_price', arguments: { cpt: '70450-lt-rt' } })
  expect(both.content[0]?.text).toMatch(/70450-50 .* LT and RT together count as 50\. Without modifier 50 it is \$100/)
})

test('the price of one part of a service is told as such, and that the other part is not in it', async () => {
  await using app = await testApp()
  const rows = [null, '26', 'TC'].map((modifier) => aPrice({ code: '70450', modifier }))
  await app.publish(aRelease({ rows: [...rows, aPrice({ code: '70450', modifier: '26', setting: 'facility' })] }))
  const own = { code: '70450', npi: NPI, basis: 'hospital_cash', setting: null } as const
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows: [aPrice({ ...own, modifier: 'TC' })] }))
  const client = await connect(app, 'modern')
  const said = async (args: object, name = 'lookup_price'): Promise<string> =>
    (await client.callTool({ name, arguments: { ...args } })).content[0]?.text ?? ''
  expect(await said({ cpt: '70450', modifier: '26' })).toMatch(
    /70450-26 \(national, non-facility, professional part\).* The technical part of the service, such as the equipment, is not in it\. /,
  )
  expect(await said({ cpt: '70450', modifier: '26', setting: 'facility' })).toMatch(
    /The technical part .* is not in it\. It is the doctor’s part; the hospital or center is paid separately\. /,
  )
  expect(await said({ cpt: '70450', modifier: 'TC' })).toMatch(
    /70450-TC \(national, non-facility, technical part\).* The professional part .* is not in it\. /,
  )
  expect(await said({ cpt: '70450' })).not.toMatch(/(professional|technical) part/)
  // What a hospital means by it is the hospital's to say.
  expect(await said({ cpt: '70450', modifier: 'TC', npi: NPI })).toMatch(
    /cash price(?!.*(professional|technical) part)/,
  )
  expect(await said({ lines: [{ cpt: '70450', modifier: 'TC' }] }, 'price_bill')).toContain(
    'Line 1: 70450-TC (national, non-facility, technical part) $',
  )
  expect(await said({ cpt: '70450' }, 'code_sheet')).toContain(
    '(medicare_pfs, non_facility, 26 for the professional part, national)',
  )
  const page = new Request(`${BASE_URL}/price/70450-26`, { headers: { accept: 'text/markdown' } })
  expect(await (await app.app.fetch(page, '192.0.2.1')).text()).toContain(
    'It is for the professional part of the service alone. The technical part',
  )
})

test('the sentence says until when a price holds, with the whole proof as well', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ edition: 'TEST1', rows: [aPrice()] }))
  await app.publish(aRelease({ edition: 'TEST2', effective_from: '2026-12-01', rows: [aPrice()] }))
  const client = await connect(app, 'modern')
  for (const include of [undefined, 'proof']) {
    const { content } = await client.callTool({ name: 'lookup_price', arguments: { cpt: 'G0101', include } })
    expect(content[0]?.text).toContain('in force from 2026-01-01 to 2026-11-30: ')
  }
})

test('the sentence of a price names the part of a visit that it is for', async () => {
  await using app = await testApp()
  const visits = (['facility', 'non_facility'] as const).map((setting) => aPrice({ setting }))
  await app.publish(aRelease({ rows: [...visits, anAbsence({ code: 'G0109' })] }))
  const hospital = aPrice({ basis: 'medicare_opps', setting: 'outpatient' })
  await app.publish(aRelease({ chart: 'cms-opps', rows: [hospital] }))
  const client = await connect(app, 'modern')
  const said = async (setting: string): Promise<string> => {
    const asked = { cpt: 'G0101', setting }
    return (await client.callTool({ name: 'lookup_price', arguments: asked })).content[0]?.text ?? ''
  }
  expect(await said('facility')).toContain('It is the doctor’s part; the hospital or center is paid separately.')
  expect(await said('outpatient')).toContain('It is what the hospital or center is paid; doctors are paid separately.')
  expect(await said('non_facility')).not.toContain('separately')
  expect(await said('non_facility')).toContain('It includes any part that a Medicare patient pays.')
  const { content } = await client.callTool({ name: 'code_sheet', arguments: { cpt: 'G0109' } })
  expect(content[0]?.text).toContain('0 prices for this place in force')
  expect(content[0]?.text).not.toContain(': .')
})

test('what makes a right amount misleading is said: visits paid as a whole, units of drugs, months of rent, doubtful files', async () => {
  await using app = await testApp()
  const visits = (['facility', 'non_facility'] as const).map((setting) => aPrice({ code: '99285', setting }))
  await app.publish(aRelease({ rows: [...visits, aPrice({ code: '29881' })] }))
  const outpatient = { basis: 'medicare_opps', setting: 'outpatient' } as const
  const indicated = { '99285': 'J2', '29881': 'J1', '90371': 'K', C9600: 'J1', J1885: 'K' }
  const hospital = Object.entries(indicated).map(([cpt, status_indicator]) =>
    aPrice({ code: cpt, ...outpatient, indicators: { status_indicator } }),
  )
  await app.publish(aRelease({ chart: 'cms-opps', rows: hospital }))
  const rent = { basis: 'medicare_dmepos', region: 'US-GA', setting: 'non_rural', modifier: 'RR' } as const
  const month = { price: { amount: '50.00', currency: 'USD', per: 'MONTH' } } as const
  await app.publish(aRelease({ chart: 'cms-dmepos', rows: [aPrice({ code: 'E0601', ...rent, ...month })] }))
  const cash = { npi: '1234567893', basis: 'hospital_cash', setting: 'outpatient' } as const
  const flags = ['rate_outside_range']
  await app.publish(
    aRelease({ chart: 'hospital-mrf:1234567893', rows: [aPrice({ code: 'J7195', ...cash, flags } as never)] }),
  )
  const drug = (cpt: string, flag: string) => aPrice({ code: cpt, basis: 'medicare_asp', setting: null, flags: [flag] })
  await app.publish(
    aRelease({ chart: 'cms-asp', rows: [drug('90658', 'see_publisher_page'), drug('J0138', 'unit_unparsed')] }),
  )
  const client = await connect(app, 'modern')
  const said = async (args: object, name = 'lookup_price'): Promise<string> =>
    (await client.callTool({ name, arguments: { ...args } })).content[0]?.text ?? ''
  expect(await said({ cpt: '90658', basis: 'medicare_asp' })).toContain('a page of its publisher for current amounts')
  expect(await said({ cpt: 'J0138', basis: 'medicare_asp' })).toContain('what one unit of the amount is')
  expect(await said({ cpt: '99285', setting: 'outpatient' })).toMatch(/one amount for all services(?!.*one unit)/)
  for (const drug of ['J1885', '90371'])
    expect(await said({ cpt: drug, setting: 'outpatient' })).toMatch(/for one unit of the code(?!.*wages)/)
  expect(await said({ cpt: 'C9600', setting: 'outpatient' })).toMatch(/services.*(?<!one unit.*)wages of the place/)
  expect(await said({ cpt: '99285', setting: 'facility' })).not.toContain('one amount for all services')
  expect(await said({ cpt: 'E0601', modifier: 'RR', region: 'GA' })).toContain('fee of the first three months')
  expect(await said({ cpt: 'J7195', npi: cash.npi, basis: cash.basis })).toContain('look at the line of the file')

  const bill = (...lines: object[]): Promise<string> => said({ lines }, 'price_bill')
  const emergency = { cpt: '99285', setting: 'facility' }
  expect(await bill(emergency, { cpt: '29881' })).toMatch(/doctor\u2019s part; .* pays some at a lower rate/)
  expect(await bill({ cpt: '29881' })).not.toMatch(/lower rate|doctor\u2019s part/)
  expect(await bill({ cpt: '29881', units: 2 })).toContain('pays some at a lower rate')
  const both = ['99285', '29881'].map((cpt) => ({ cpt, setting: 'outpatient' }))
  expect(await bill(...both)).toContain('so that not all lines add up')
  const rented = { cpt: 'E0601', modifier: 'RR', region: 'GA' }
  expect(await bill({ ...rented, units: 13 })).toContain('less from the fourth month on')
  expect(await bill({ ...rented, units: 3 })).not.toContain('fourth month')
  expect(await bill({ cpt: 'J7195', npi: cash.npi, basis: cash.basis })).toContain('Look at the source of line 1')
  // At a place that was named there is nothing to ask for again.
  expect(await said({ cpt: 'A0427', region: 'GA' }, 'code_sheet')).not.toContain('There may be some')
})

test('what an assistant or a second surgeon must show is told by the indicator of the row', async () => {
  await using app = await testApp()
  const rows = ['0', '2'].map((value) =>
    aPrice({
      code: `2744${value}`,
      indicators: { status: 'A', assistant: value, co_surgeon: value === '0' ? '1' : '2' },
    }),
  )
  await app.publish(aRelease({ rows }))
  const client = await connect(app, 'modern')
  const documents = 'Medicare pays it only with documents of medical necessity.'
  for (const [cpt, modifier, expected] of [
    ['27440', '80', documents],
    ['27440', '62', documents],
    ['27442', '62', 'only if the two surgeons are of different specialties.'],
    ['27442', 'AS', undefined],
    ['27442', '82', undefined],
  ] as const)
    for (const include of [undefined, 'proof'] as const) {
      const asked = { cpt, modifier, include }
      const text = (await client.callTool({ name: 'lookup_price', arguments: asked })).content[0]?.text ?? ''
      expect(text).not.toContain('For many codes')
      expect([asked, expected ? text.includes(expected) : !text.includes('documents')]).toEqual([asked, true])
    }
})

test('a laboratory fee in a hospital says where the outpatient schedule packages the test', async () => {
  await using app = await testApp()
  const tests = ['85025', '81206'].map((cpt) => aPrice({ code: cpt, basis: 'medicare_clfs', setting: null }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: tests }))
  const of = { basis: 'medicare_opps', setting: null } as const
  const rows = [
    anAbsence({ code: '85025', ...of, reason: 'conditionally_packaged', indicators: { status_indicator: 'Q4' } }),
    anAbsence({ code: '81206', ...of, reason: 'paid_elsewhere', indicators: { status_indicator: 'A' } }),
  ]
  await app.publish(aRelease({ chart: 'cms-opps', rows }))
  const client = await connect(app, 'modern')
  const packages = 'The outpatient schedule packages it with other services'
  for (const include of [undefined, 'proof'] as const) {
    const said = async (args: object): Promise<string> =>
      (await client.callTool({ name: 'lookup_price', arguments: { ...args, include } })).content[0]?.text ?? ''
    expect(await said({ cpt: '85025', setting: 'outpatient' })).toContain(packages)
    expect(await said({ cpt: '81206', setting: 'outpatient' })).not.toContain(packages)
    expect(await said({ cpt: '85025', basis: 'medicare_clfs' })).not.toContain(packages)
  }
})

test('a factor whose edition has run out is not told as a price', async () => {
  await using app = await testApp()
  const factor = { code: '00000', basis: 'medicare_anesthesia', setting: null, kind: 'rate' } as const
  const period = { effective_from: '2026-01-01', effective_to: '2026-06-30' }
  const price = { amount: '20.50', currency: 'USD', per: 'UNIT' } as const
  const rows = [aPrice({ ...factor, price, effective_from: period.effective_from })]
  await app.publish(aRelease({ chart: 'cms-anesthesia', ...period, rows }))
  const client = await connect(app, 'modern')
  const asked = { cpt: '00790', basis: 'medicare_anesthesia', as_of: '2026-07-01' }
  const { content } = await client.callTool({ name: 'lookup_price', arguments: asked })
  expect(content[0]?.text).toContain(
    'For every anesthesia code (national) it was $20.50 per UNIT until 2026-06-30 (cms-anesthesia:',
  )
  expect(content[0]?.text).toContain('A factor is multiplied by base units and time: it is not a price.')
})

test('arguments that are empty are as if they were not there, also where more is asked for beside an amount', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', assistant: '2' }
  await app.publish(aRelease({ rows: [aPrice({ code: '27447', indicators })] }))
  const client = await connect(app, 'modern')
  const said = async (more: object) =>
    (await client.callTool({ name: 'lookup_price', arguments: { cpt: '27447', modifier: '80', ...more } })).content
  const usual = await said({})
  expect(usual[0]?.text).toMatch(/^Doctor: \$[0-9.]+ is /)
  expect(await said({ npi: '', setting: '', region: '' })).toEqual(usual)
})

test('a sheet does not count factors as prices', async () => {
  await using app = await testApp()
  const factor = { code: '00000', basis: 'medicare_anesthesia', setting: null, kind: 'rate' } as const
  await app.publish(aRelease({ chart: 'cms-anesthesia', rows: [aPrice(factor)] }))
  const client = await connect(app, 'modern')
  const { content } = await client.callTool({ name: 'code_sheet', arguments: { cpt: '00790' } })
  expect(content[0]?.text).toMatch(/^1 factor for this place in force on .* base units and time: it is not a price\./)
  expect(content[0]?.text).not.toMatch(/[0-9] prices? for/)
})

test('past prices at a ZIP code say where no table of ZIP codes is held', async () => {
  await using app = await testApp()
  const publish = (edition: string, effective_from: string) =>
    app.publish(
      aRelease({ edition, effective_from, rows: [aPrice({ code: '99213', region: 'US-CA-05', effective_from })] }),
    )
  await publish('A', '2026-01-01')
  await publish('B', '2026-07-01')
  const places = { chart: 'zip-locality', effective_from: '2026-01-01', effective_to: '2026-06-30' } as const
  await app.publish(aRelease({ ...places, rows: [aPlace('94102', 'US-CA-05')] }))
  const client = await connect(app, 'modern')
  const said = async (region: string): Promise<string> =>
    (await client.callTool({ name: 'price_history', arguments: { cpt: '99213', region } })).content[0]?.text ?? ''
  expect(await said('94102')).toContain('For cms-pfs:B:1 it is not known where the ZIP code lies')
  expect(await said('US-CA-05')).not.toContain('ZIP code')
})
