// Rows by themselves: their shape, their key and their leaf.

import { createHash } from 'node:crypto'
import { canonical } from '../../src/proof/canonical-json.ts'
import { BASES } from '../../src/proof/price/row.ts'
import { aPlace, aRow } from '../../src/proof/registry-fixture.ts'
import { changed, replaced } from './edit.ts'
import { bundled, fee, hospitalA, NPI } from './registry.ts'
import type { VectorOf } from './vector.ts'

type RowVector = VectorOf<'row'>
const textOf = (row: unknown): string => (typeof row === 'string' ? row : JSON.stringify(row))
const leafOf = (row: unknown): string =>
  createHash('sha256')
    .update(`\0${canonical(JSON.parse(textOf(row)))}`)
    .digest('base64')
const good = (name: string, row: unknown, key: string): RowVector => ({
  name,
  kind: 'row',
  row: textOf(row),
  expect: { ok: true, key, leaf_hash: leafOf(row) },
})
const bad = (name: string, row: unknown): RowVector => ({
  name,
  kind: 'row',
  row: textOf(row),
  expect: { ok: false, reason: 'row_malformed' },
})

const KEY = '99213|national|||medicare_pfs|non_facility|'
const of = (changes: { [path: string]: unknown }) => changed(fee, changes)
const priced = (price: object) => ({ ...fee, price })
const amount = (text: unknown) => priced({ amount: text, currency: 'USD', per: null })
const range = (low: string, high: string) => priced({ low, high, currency: 'USD', per: null })
const per = (text: unknown) => priced({ amount: '1.00', currency: 'USD', per: text })
const place = aPlace('60611', 'US-IL-16')
const absence = bundled

const shapes = [
  good('a price', fee, KEY),
  good('a price with its members in another order', Object.fromEntries(Object.entries(fee).reverse()), KEY),
  good('a price with white space', JSON.stringify(fee, null, 2), KEY),
  good('8.4e1, which is 84', replaced(JSON.stringify(fee), '"line":84', '"line":8.4e1'), KEY),
  good('-0, which is 0', replaced(JSON.stringify(fee), '"citation":0', '"citation":-0'), KEY),
  good(
    'letters written as escapes',
    replaced(JSON.stringify(fee), '"kind":"price"', '"k\\u0069nd":"\\u0070rice"'),
    KEY,
  ),
  good('a stated absence', absence, '99070|national|||medicare_pfs||'),
  good('a rate', { ...fee, kind: 'rate' }, KEY),
  good(
    'a range of a hospital',
    hospitalA.rows.find((row) => 'price' in row && 'low' in row.price),
    `99215|national|${NPI.A}||hospital_cash|outpatient|facility`,
  ),
  good('a locality', of({ region: 'US-IL-16' }), '99213|US-IL-16|||medicare_pfs|non_facility|'),
  good('a bidding area', of({ region: 'CBA-0A1B2C3D' }), '99213|CBA-0A1B2C3D|||medicare_pfs|non_facility|'),
  bad('a bidding area with a letter behind F', of({ region: 'CBA-0A1B2C3G' })),
  good('a state', of({ region: 'US-IL' }), '99213|US-IL|||medicare_pfs|non_facility|'),
  good(
    'an NPI with a wrong check digit, which is not part of the form',
    of({ npi: '1234567890' }),
    '99213|national|1234567890||medicare_pfs|non_facility|',
  ),
  good('four modifiers', of({ modifier: '26-50-TC-XE' }), '99213|national||26-50-TC-XE|medicare_pfs|non_facility|'),
  good('a class', of({ class: 'professional' }), `${KEY}professional`),
  good('a code that ends in a letter', of({ cpt: '0001A' }), KEY.replace('99213', '0001A')),
  good('a code that begins with a letter', of({ cpt: 'G0101' }), KEY.replace('99213', 'G0101')),
  good('no locator, which is a matter of the release', of({ locator: [] }), KEY),
  good('64 locators', of({ locator: Array(64).fill({ citation: 0, line: 1 }) }), KEY),
  good('a flag that nobody knows, which is a matter of the derivation', of({ flags: ['discount'] }), KEY),
  good('a method of another basis, which is a matter of the release', of({ 'derivation.method': 'average/12' }), KEY),
  good('no inputs and no indicators', of({ 'derivation.inputs': {}, indicators: {} }), KEY),
  good('a leap day', of({ effective_from: '2028-02-29' }), KEY),
  ...BASES.map((basis) => good(`the basis ${basis}`, aRow({ cpt: '99213', basis }), `99213|national|||${basis}||`)),
  good('a ZIP code', place, '60611|'),
  good('a ZIP code whose last digits decide', aPlace('60701', null), '60701|'),
  good('a part of a ZIP code', aPlace('60701', 'US-IL-16', '0001-0999'), '60701|0001-0999'),

  bad('null', null),
  bad('a text', '"row"'),
  bad('a list', [fee]),
  bad('nothing', {}),
  bad('a member too many', { ...fee, note: 'x' }),
  bad('its proof', { ...fee, proof: {} }),
  bad('a member called __proto__', replaced(JSON.stringify(fee), '{"kind"', '{"__proto__":{},"kind"')),
  ...Object.keys(fee).map((member) => bad(`no ${member}`, of({ [member]: undefined }))),
  bad('a price and a reason', { ...fee, reason: 'bundled' }),
  bad('an absence with a price', { ...fee, kind: 'absence' }),
  bad('an absence without a reason', changed(absence, { reason: undefined })),
  bad('a reason that is none', { ...absence, reason: 'sold_out' }),
  bad('another kind', { ...fee, kind: 'offer' }),
  bad('a code of four digits', of({ cpt: '9921' })),
  bad('a code in small letters', of({ cpt: 'g0101' })),
  bad('a code with a newline', of({ cpt: '99213\n' })),
  bad('a code in other digits', of({ cpt: '9921\u0663' })),
  bad('a region in small letters', of({ region: 'us-il' })),
  bad('a region that is null', of({ region: null })),
  bad('a locality of three digits', of({ region: 'US-IL-016' })),
  bad('an NPI that is a number', of({ npi: 1234567893 })),
  bad('an NPI that begins with 3', of({ npi: '3234567893' })),
  bad('an empty modifier', of({ modifier: '' })),
  bad('five modifiers', of({ modifier: '22-26-50-TC-XE' })),
  bad('a basis that is none', of({ basis: 'medicare' })),
  bad('a setting that is none', of({ setting: 'office' })),
  bad('an empty setting', of({ setting: '' })),
  bad('a class that is none', of({ class: 'both' })),
  bad('a day that does not exist', of({ effective_from: '2026-02-29' })),
  bad('a day of five digits', of({ effective_from: '12026-02-28' })),
  bad('flags that are no list', of({ flags: 'opps_cap' })),
  bad('a flag in capitals', of({ flags: ['OPPS_CAP'] })),
  bad('65 flags', of({ flags: Array(65).fill('a') })),
  bad('a method without its version', of({ 'derivation.method': 'pfs-formula' })),
  bad('a method of version 0', of({ 'derivation.method': 'pfs-formula/0' })),
  bad('a member too many in the derivation', of({ 'derivation.note': 'x' })),
  bad('an input that is a number', of({ 'derivation.inputs.work_rvu': 1.3 })),
  bad('an input with a space', of({ 'derivation.inputs.work_rvu': '1 3' })),
  bad('an empty input', of({ 'derivation.inputs.work_rvu': '' })),
  bad('an input of 65 signs', of({ 'derivation.inputs.work_rvu': '1'.repeat(65) })),
  bad('an input with a name in capitals', of({ 'derivation.inputs.Work': '1' })),
  bad('inputs that are a list', of({ 'derivation.inputs': [] })),
  bad('an indicator of another basis', of({ 'indicators.status_indicator': 'A' })),
  bad('an indicator with a space', of({ 'indicators.status': 'A B' })),
  bad('an indicator called constructor', of({ indicators: { constructor: 'A' } })),
  bad('65 locators', of({ locator: Array(65).fill({ citation: 0, line: 1 }) })),
  bad('line 0', of({ 'locator.0.line': 0 })),
  bad('a line that is text', of({ 'locator.0.line': '84' })),
  bad('a line that is not whole', of({ 'locator.0.line': 84.5 })),
  bad('a citation below zero', of({ 'locator.0.citation': -1 })),
  bad('a member too many in a locator', of({ 'locator.0.page': 1 })),
]

const prices = [
  ...['0.01', '0.0001', '6.497', '6.4971', '0.10', '999999999999.99'].map((text) =>
    good(`an amount of ${text}`, amount(text), KEY),
  ),
  ...[
    'MONTH',
    'DAY',
    'MILE',
    'UNIT',
    '1 UNIT',
    '10 MG',
    '0.5 MG',
    '0.25 MCG',
    '1000000 IU',
    '1.5 ML',
    '1 MILLICURIE',
  ].map((text) => good(`for ${text}`, per(text), KEY)),
  good('a range of a hundredth of a cent', range('1.0001', '1.0002'), KEY),
  ...[
    '0.00',
    '0.0000',
    '95.1',
    '95',
    '95.190',
    '95.1900',
    '95.19000',
    '095.19',
    '.19',
    '95.',
    '-95.19',
    '+95.19',
    '95,19',
    '9519e-2',
    ' 95.19',
    '95.19\n',
    '1000000000000.00',
    '',
  ].map((text) => bad(`an amount of ${JSON.stringify(text)}`, amount(text))),
  bad('an amount that is a number', amount(95.19)),
  bad('no amount', priced({ currency: 'USD', per: null })),
  bad('an amount without what it is for', priced({ amount: '95.19', currency: 'USD' })),
  bad('another currency', priced({ amount: '95.19', currency: 'EUR', per: null })),
  bad('a member too many in the price', priced({ amount: '95.19', currency: 'USD', per: null, tax: '0.00' })),
  bad('an amount and a range', priced({ amount: '1.00', low: '1.00', high: '2.00', currency: 'USD', per: null })),
  bad('a range with equal ends', range('1.00', '1.00')),
  bad('a range upside down', range('2.00', '1.00')),
  bad('a range that is upside down as numbers, not as texts', range('10.00', '9.00')),
  good('a range that is upside down as texts, not as numbers', range('9.00', '10.00'), KEY),
  ...[
    'month',
    'WEEK',
    '0 MG',
    '01 MG',
    '10  MG',
    '10MG',
    '10 mg',
    '0.12345 MG',
    '10000000 MG',
    '1. MG',
    '10 OUNCES',
    'MG',
    '',
  ].map((text) => bad(`for ${JSON.stringify(text)}`, per(text))),
]

const places = [
  bad('a ZIP code of four digits', { ...place, zip: '6061' }),
  bad('a ZIP code that is a number', { ...place, zip: 60611 }),
  bad('one end of the last four digits', { ...place, plus_four: '0001' }),
  bad('a ZIP code in a state', { ...place, region: 'US-IL' }),
  bad('a ZIP code in the nation', { ...place, region: 'national' }),
  bad('a ZIP code without its region', changed(place, { region: undefined })),
  bad('a ZIP code with a basis', { ...place, basis: 'medicare_pfs' }),
  good('a ZIP code of no single state', { ...place, state: null }, '60611|'),
  bad('a ZIP code without its state', changed(place, { state: undefined })),
  bad('a ZIP code in a state of three letters', { ...place, state: 'ILL' }),
  good('a rural ZIP code', { ...place, rural: true }, '60611|'),
  bad('a ZIP code that may be rural', { ...place, rural: null }),
  bad('a ZIP code that is rural in words', { ...place, rural: 'true' }),
  good('a ZIP code in a bidding area', { ...place, bidding_area: 'CBA-0A1B2C3D' }, '60611|'),
  good('a ZIP code in no bidding area', { ...place, bidding_area: null }, '60611|'),
  bad('a bidding area by a name of seven digits', { ...place, bidding_area: 'CBA-0A1B2C3' }),
  bad('a bidding area in small letters', { ...place, bidding_area: 'CBA-0a1b2c3d' }),
  bad('a bidding area that is true', { ...place, bidding_area: true }),
  bad('a ZIP code of no day', { ...place, effective_from: 'soon' }),
]

export const rows: RowVector[] = [...shapes, ...prices, ...places]
