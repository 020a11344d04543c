import { describe, expect, test } from 'bun:test'
import { loaded, short } from './fixture.ts'

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
