// The rule of the lookup, as tables: what is asked, and what an honest service answers. Every answer is verified too.

import { expect, test } from 'bun:test'
import { answerOf, sayingOf } from '../answer-fixture.ts'
import { aSigner } from '../fixture.ts'
import { formatPolicy } from '../note/policy.ts'
import type { AnyRow } from '../price/row.ts'
import { aFee, aPlace, aRow, MemoryRegistry } from '../registry-fixture.ts'
import { parsePolicy, type TrustPolicy, verifyBody } from '../verify-lists.ts'
import type { Decision } from './decision.ts'
import type { Question } from './question.ts'

const signer = await aSigner('registry.example/log/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy
const JULY = '2026-07-15'
const NPI = '1234567893'
const SECOND = '1679576722'

type Asked = Partial<Question>

async function check(registry: MemoryRegistry, table: readonly (readonly [Asked, string])[]): Promise<void> {
  for (const [given, expected] of table) {
    const question: Question = { cpt: '99213', as_of: JULY, ...given }
    const { body, decision } = await answerOf(registry, question)
    expect([given, sayingOf(decision)]).toEqual([given, expected])
    const verdict = await verifyBody(JSON.stringify(body), policy, { question })
    expect([given, verdict.ok ? sayingOf(verdict.decisions[0] as never) : verdict.reason]).toEqual([given, expected])
  }
}

const made = (publish: (registry: MemoryRegistry) => unknown): MemoryRegistry => {
  const registry = new MemoryRegistry(signer)
  publish(registry)
  return registry
}

const equipment = (given: Parameters<typeof aRow>[0]): AnyRow =>
  aRow({ basis: 'medicare_dmepos', region: 'US-IL', setting: 'non_rural', ...given })
const ALL_BUT_EQUIPMENT = ['cms-pfs', 'cms-clfs', 'cms-asp']

test('a code of another kind is looked for only where such codes can be', async () => {
  const registry = made((each) => {
    each.publish([aRow({ code: '99213' })], { chart: 'cms-pfs' })
    each.publish(
      [
        aRow({ code: 'APR-302.3', npi: NPI, basis: 'hospital_cash', setting: 'inpatient', amount: '21000.00' }),
        aRow({ code: 'DRG-470', npi: NPI, basis: 'hospital_gross', setting: 'inpatient', amount: '64000.00' }),
        aRow({ code: 'NDC-00781194339', npi: NPI, basis: 'hospital_cash', setting: 'outpatient', amount: '4.10' }),
        aRow({ code: 'RC-0450', npi: NPI, basis: 'hospital_cash', setting: 'outpatient', amount: '900.00' }),
      ],
      { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
    )
  })
  await check(registry, [
    [{ cpt: 'DRG-470', npi: NPI }, 'price 64000.00'],
    [{ cpt: 'drg-470', npi: NPI, setting: 'inpatient' }, 'price 64000.00'],
    [{ cpt: 'APR-302.3', npi: NPI }, 'price 21000.00'],
    [{ cpt: 'RC-0450', npi: NPI }, 'price 900.00'],
    [{ cpt: 'NDC-00781194339', npi: NPI }, 'price 4.10'],
    [{ cpt: 'DRG-471', npi: NPI }, 'not_on_schedule'],
    // The schedule of stays is searched alone: that others are not held says nothing of it.
    [{ cpt: 'DRG-470' }, 'no_edition'],
    [{ cpt: '99213', setting: 'inpatient' }, 'not_on_schedule'],
    [{ cpt: 'RC-0450' }, 'not_on_schedule'],
    [{ cpt: 'DRG-470', basis: 'medicare_clfs' }, 'not_on_schedule'],
  ])
})

test('a payer\u2019s own rate is asked for by its name, and no other rate is taken for it', async () => {
  const rate = (payer: string | null, amount: string, given: Partial<Parameters<typeof aRow>[0]> = {}): AnyRow =>
    aRow({
      code: '99213',
      npi: NPI,
      basis: payer === null ? 'hospital_negotiated_low' : 'hospital_payer',
      payer,
      setting: 'outpatient',
      amount,
      ...given,
    })
  const registry = made((each) =>
    each.publish(
      [
        rate(null, '80.00'),
        rate('aetna/commercial', '120.00'),
        rate('aetna/medicare_advantage', '90.00'),
        rate('aetna-other/commercial', '1.00'),
        rate('cigna/commercial', '130.00', { modifier: 'TC', code: '70551' }),
        rate('cigna/commercial', '130.00'),
        rate('cigna/commercial', '110.00', { basis: 'hospital_allowed_median' }),
        rate(null, '700.00', { code: '70551', modifier: 'TC' }),
        rate('aetna/commercial', '60.00', { code: '99214' }),
      ],
      { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
    ),
  )
  await check(registry, [
    [{ npi: NPI }, 'price 80.00'],
    [{ npi: NPI, payer: 'aetna/commercial' }, 'price 120.00'],
    [{ npi: NPI, payer: 'aetna/commercial', modifier: '25' }, 'price 120.00'],
    [{ npi: NPI, payer: 'aetna/commercial', setting: 'inpatient' }, 'not_on_schedule'],
    [{ npi: NPI, payer: 'aetna/commercial', modifier: '26' }, 'modifier_not_priced'],
    [{ npi: NPI, payer: 'aetna' }, 'payer_ambiguous'],
    [{ npi: NPI, payer: 'cigna' }, 'price 130.00'],
    [{ npi: NPI, payer: 'cigna', basis: 'hospital_allowed_median' }, 'price 110.00'],
    [{ npi: NPI, payer: 'uhc' }, 'payer_not_listed'],
    [{ npi: NPI, payer: 'aetna/exchange' }, 'payer_not_listed'],
    [{ npi: NPI, payer: 'cigna', cpt: '70551' }, 'price 130.00'],
    [{ npi: NPI, cpt: '70551' }, 'price 700.00'],
    [{ npi: NPI, cpt: '70551', modifier: '26' }, 'modifier_not_priced'],
    // A price of one payer is never taken for that of the hospital.
    [{ npi: NPI, cpt: '99214' }, 'not_on_schedule'],
  ])
})

test('a plain code is answered under the one modifier that says what any line of it is, and never under another', async () => {
  const charge = (
    code: string,
    modifier: string | null,
    amount: string,
    given: Partial<Parameters<typeof aRow>[0]> = {},
  ): AnyRow => aRow({ npi: NPI, basis: 'hospital_cash', setting: 'outpatient', code, modifier, amount, ...given })
  const registry = made((each) =>
    each.publish(
      [
        charge('70551', 'TC', '1719.00'),
        charge('70552', '26', '90.00'),
        charge('70553', 'TC', '40.00', { class: 'professional' }),
        charge('71046', '52', '40.00'),
        charge('80053', '90', '31.00'),
        charge('97110', 'GP', '75.00'),
        charge('97530', 'GO', '80.00'),
        charge('97530', 'GP', '85.00'),
        charge('99213', '25', '150.00'),
        charge('99214', '25', '250.00'),
        charge('99214', null, '240.00'),
        charge('G0101', 'TC', '10.00'),
      ],
      { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
    ),
  )
  await check(registry, [
    [{ npi: NPI, cpt: '70551', basis: 'hospital_cash' }, 'price 1719.00'],
    [{ npi: NPI, cpt: '70552' }, 'modifier_not_priced'],
    [{ npi: NPI, cpt: '70553' }, 'modifier_not_priced'],
    [{ npi: NPI, cpt: '71046' }, 'modifier_not_priced'],
    [{ npi: NPI, cpt: '80053' }, 'price 31.00'],
    [{ npi: NPI, cpt: '97110' }, 'price 75.00'],
    // Two kinds of therapy, and two prices: the bill says which.
    [{ npi: NPI, cpt: '97530' }, 'modifier_not_priced'],
    [{ npi: NPI }, 'price 150.00'],
    [{ npi: NPI, cpt: '99214' }, 'price 240.00'],
    [{ npi: NPI, cpt: 'G0101' }, 'modifier_not_priced'],
  ])
  const { body } = await answerOf(registry, { cpt: '70551', as_of: JULY, npi: NPI })
  expect(body).toMatchObject({ listed_with: 'TC', modifier: 'TC' })
  for (const forged of [
    { ...body, listed_with: '26' },
    { ...body, listed_with: undefined },
    { ...body, listed_with: null },
  ])
    expect(
      (await verifyBody(JSON.stringify(forged), policy, { question: { cpt: '70551', as_of: JULY, npi: NPI } })).ok,
    ).toBe(false)
})

test('equipment is priced by state, rural or not, with the modifiers that it is bought or rented with', async () => {
  const registry = made((each) => {
    for (const chart of ALL_BUT_EQUIPMENT) each.publish([], { chart })
    each.publish([aPlace('60611', 'US-IL-16'), aPlace('61938', 'US-IL-99')], { chart: 'zip-locality' })
    each.publish(
      [
        equipment({ code: 'E0601', modifier: 'RR', amount: '45.00' }),
        equipment({ code: 'E0601', modifier: 'RR', setting: 'rural', amount: '52.00' }),
        equipment({ code: 'E0601', modifier: 'NU', amount: '450.00' }),
        equipment({ code: 'A4253', amount: '8.32' }),
        equipment({ code: 'A4253', setting: 'rural', amount: '9.99' }),
        equipment({ code: 'A4253', region: 'US-AL', setting: 'rural', amount: '7.77' }),
      ],
      { chart: 'cms-dmepos' },
    )
  })
  await check(registry, [
    [{ cpt: 'A4253', region: 'IL' }, 'price 8.32'],
    [{ cpt: 'A4253', region: 'US-IL-16' }, 'price 8.32'],
    [{ cpt: 'A4253', region: '60611' }, 'price 8.32'],
    [{ cpt: 'A4253', region: 'IL', setting: 'rural' }, 'price 9.99'],
    [{ cpt: 'A4253', region: 'IL', setting: 'facility' }, 'price 8.32'],
    [{ cpt: 'A4253', region: 'AL' }, 'price 7.77'],
    [{ cpt: 'A4253', region: 'AL', setting: 'non_rural' }, 'not_on_schedule'],
    [{ cpt: 'A4253', region: 'TX' }, 'region_not_covered'],
    [{ cpt: 'A4253', region: 'GU' }, 'region_not_covered'],
    [{ cpt: 'A4253' }, 'region_ambiguous'],
    [{ cpt: 'A4253', region: 'IL', modifier: 'RR' }, 'modifier_not_priced'],
    [{ cpt: 'E0601', region: 'IL', modifier: 'RR' }, 'price 45.00'],
    [{ cpt: 'E0601', region: 'IL', modifier: 'rr-kx' }, 'price 45.00'],
    [{ cpt: 'E0601', region: '60611', modifier: 'NU' }, 'price 450.00'],
    // The publisher leaves the rural amount out where the other one holds.
    [{ cpt: 'E0601', region: 'IL', modifier: 'NU', setting: 'rural' }, 'price 450.00'],
    [{ cpt: 'E0601', region: 'IL', modifier: 'UE' }, 'modifier_not_priced'],
    [{ cpt: 'E0601', region: 'IL' }, 'modifier_not_priced'],
    [{ cpt: 'E0601', basis: 'medicare_dmepos', region: 'IL' }, 'modifier_not_priced'],
    [{ cpt: 'E0601' }, 'region_ambiguous'],
    [{ cpt: 'E0601', modifier: 'RR' }, 'region_ambiguous'],
    [{ cpt: 'E0601', region: 'GU', modifier: 'RR' }, 'region_not_covered'],
  ])
})

test('a ZIP code that lies in two localities is decided by its last four digits, or by none', async () => {
  const registry = made((each) => {
    each.publish(
      [
        aFee({ code: '99213' }),
        aFee({ code: '99213', region: 'US-IL-15', amount: '97.00' }),
        aFee({ code: '99213', region: 'US-IL-16', amount: '98.00' }),
        aRow({ code: '99070', kind: 'absence', basis: 'medicare_pfs' }),
      ],
      { chart: 'cms-pfs' },
    )
    for (const chart of ['cms-clfs', 'cms-asp', 'cms-dmepos'])
      each.publish(chart === 'cms-clfs' ? [aRow({ code: '80053' })] : [], { chart })
    each.publish(
      [
        aPlace('60701', null),
        aPlace('60701', 'US-IL-15', '0001-0499'),
        aPlace('60701', 'US-IL-16', '0500-0999'),
        aPlace('60702', null),
        aPlace('60702', 'US-IL-16', '0001-0999'),
        aPlace('60703', 'US-IL-15', '0001-0499'),
        aPlace('60704', null),
        { ...aPlace('60705', 'US-IL-16'), effective_from: '2026-08-01' },
        { ...aPlace('60707', null), state: 'IL' },
        aPlace('60707', 'US-IL-16', '0001-0999'),
        aPlace('60706', null),
        { ...aPlace('60706', 'US-IL-15', '0001-0999'), effective_from: '2026-08-01' },
      ],
      { chart: 'zip-locality' },
    )
  })
  await check(registry, [
    [{ region: '60701' }, 'region_ambiguous'],
    [{ region: '60701-0001' }, 'price 97.00'],
    [{ region: '60701-0499' }, 'price 97.00'],
    [{ region: 'ZIP-60701-0500' }, 'price 98.00'],
    [{ region: '60701-0999' }, 'price 98.00'],
    [{ region: '60701-1000' }, 'region_ambiguous'],
    [{ region: '60701-0000' }, 'region_ambiguous'],
    [{ region: '60702' }, 'region_ambiguous'],
    [{ region: '60702-0000' }, 'region_ambiguous'],
    [{ region: '60702-0123' }, 'price 98.00'],
    [{ region: '60702-1000' }, 'region_ambiguous'],
    // A part without the row of the whole is in no file.
    [{ region: '60703-0001' }, 'unknown_zip'],
    // The part before it is of another ZIP code.
    [{ region: '60704-0001' }, 'region_ambiguous'],
    [{ region: '60705' }, 'unknown_zip'],
    [{ region: '60705', as_of: '2026-08-01' }, 'price 98.00'],
    [{ region: '60706-0001' }, 'region_ambiguous'],
    [{ region: '60706-0001', as_of: '2026-08-31' }, 'price 97.00'],
    // The state of all parts is known, and the digits still decide.
    [{ region: '60707' }, 'region_ambiguous'],
    [{ region: '60707-0001' }, 'price 98.00'],
    [{ region: '00001' }, 'unknown_zip'],
    [{ region: '99999' }, 'unknown_zip'],
    [{ cpt: '99070', region: '60701' }, 'absent bundled'],
    [{ cpt: '80053', region: '60701' }, 'price 10.56'],
    [{ cpt: '80053', region: '99999', basis: 'medicare_clfs' }, 'price 10.56'],
    [{ cpt: '99999', region: '60701' }, 'not_on_schedule'],
  ])
})

test('equipment at a ZIP code of a rural area has the rural price, unless the question says otherwise', async () => {
  const of = (cpt: string, setting: 'rural' | 'non_rural', amount: string) =>
    equipment({ code: cpt, region: 'US-MT', setting, amount })
  const registry = made((each) => {
    for (const chart of ALL_BUT_EQUIPMENT) each.publish([], { chart })
    const rows = [of('A4253', 'non_rural', '2.00'), of('A4253', 'rural', '3.00'), of('A4254', 'non_rural', '4.00')]
    rows.push(of('A4255', 'rural', '5.00'))
    each.publish(rows, { chart: 'cms-dmepos' })
    const place = (zip: string, more: object) => ({ ...aPlace(zip, 'US-MT-01'), state: 'MT', ...more })
    const places = [place('59001', { rural: true }), place('59101', { rural: false }), place('59102', {})]
    each.publish(places, { chart: 'zip-locality' })
  })
  await check(registry, [
    [{ cpt: 'A4253', region: '59001' }, 'price 3.00'],
    [{ cpt: 'A4253', region: '59001', setting: 'non_facility' }, 'price 3.00'],
    [{ cpt: 'A4253', region: '59001', setting: 'non_rural' }, 'price 2.00'],
    [{ cpt: 'A4253', region: '59001', basis: 'medicare_dmepos' }, 'price 3.00'],
    [{ cpt: 'A4254', region: '59001' }, 'price 4.00'],
    [{ cpt: 'A4253', region: '59101' }, 'price 2.00'],
    [{ cpt: 'A4253', region: '59101', setting: 'rural' }, 'price 3.00'],
    [{ cpt: 'A4253', region: '59102' }, 'price 2.00'],
    [{ cpt: 'A4253', region: 'MT' }, 'price 2.00'],
    // A price for rural areas alone holds nowhere else.
    [{ cpt: 'A4255', region: '59001' }, 'price 5.00'],
    [{ cpt: 'A4255', region: '59101' }, 'not_on_schedule'],
    [{ cpt: 'A4255', region: '59101', setting: 'facility' }, 'not_on_schedule'],
    [{ cpt: 'A4255', region: '59101', setting: 'rural' }, 'price 5.00'],
    [{ cpt: 'A4255', region: '59102' }, 'price 5.00'],
    [{ cpt: 'A4255', region: 'MT' }, 'price 5.00'],
  ])
})

test('supplies are priced by the state of the address, whatever its locality is named after', async () => {
  const of = (state: string, region: string) => equipment({ code: 'A4253', region: state, amount: region })
  const registry = made((each) => {
    for (const chart of ALL_BUT_EQUIPMENT) each.publish([], { chart })
    each.publish([of('US-DC', '1.00'), of('US-MD', '2.00'), of('US-VA', '3.00')], { chart: 'cms-dmepos' })
    each.publish(
      [
        aPlace('20001', 'US-DC-01'),
        { ...aPlace('20814', 'US-DC-01'), state: 'MD' },
        { ...aPlace('20815', null), state: null },
        { ...aPlace('20816', null), state: null },
        { ...aPlace('20816', 'US-MD-01', '0001-0499'), state: 'MD' },
        { ...aPlace('20816', 'US-DC-01', '0500-0999'), state: 'VA' },
        { ...aPlace('20817', 'US-DC-01'), state: null },
        { ...aPlace('20817', 'US-DC-01', '0001-0499'), state: 'MD' },
        { ...aPlace('20817', 'US-DC-01', '0500-0999'), state: 'VA' },
        { ...aPlace('20818', null), state: 'MD' },
        { ...aPlace('20818', 'US-MD-01', '0001-0499'), state: 'MD' },
        { ...aPlace('20818', 'US-DC-01', '0500-0999'), state: 'MD' },
        { ...aPlace('96941', 'US-HI-01'), state: 'FM' },
      ],
      { chart: 'zip-locality' },
    )
  })
  await check(registry, [
    [{ cpt: 'A4253', region: '20001' }, 'price 1.00'],
    [{ cpt: 'A4253', region: '20814' }, 'price 2.00'],
    // Its last four digits decide: of the locality, and maybe of the state.
    [{ cpt: 'A4253', region: '20815' }, 'region_ambiguous'],
    // The locality is not known, and the state is: all parts are in it.
    [{ cpt: 'A4253', region: '20818' }, 'price 2.00'],
    [{ cpt: 'A4253', region: '20816' }, 'region_ambiguous'],
    [{ cpt: 'A4253', region: '20816-0500' }, 'price 3.00'],
    [{ cpt: 'A4253', region: '20817' }, 'region_ambiguous'],
    [{ cpt: 'A4253', region: '20817-0001' }, 'price 2.00'],
    [{ cpt: 'A4253', region: '20817-0999' }, 'price 3.00'],
    [{ cpt: 'A4253', region: '20817-1000' }, 'region_ambiguous'],
    [{ cpt: 'A4253', region: '96941' }, 'region_not_covered'],
    [{ cpt: 'A4253', region: 'US-DC-01' }, 'price 1.00'],
  ])
})

test('a state with several localities is never answered by the only one that was loaded', async () => {
  const registry = made((each) => {
    const rows = ['US-AL-00', 'US-HI-01', 'US-IL-16'].map((region) => aFee({ code: '99213', region, amount: '97.00' }))
    each.publish([aFee({ code: '99213' }), ...rows], { chart: 'cms-pfs' })
  })
  await check(registry, [
    [{ region: 'IL' }, 'region_ambiguous'],
    [{ region: 'AL' }, 'price 97.00'],
    [{ region: 'GU' }, 'price 97.00'],
    [{ region: 'WY' }, 'region_not_covered'],
    [{ region: 'CA' }, 'region_not_covered'],
  ])
})

test('what a schedule says of a code is found from every place, modifier and setting', async () => {
  const registry = made((each) => {
    each.publish(
      [
        aFee({ code: '70450', modifier: '26', amount: '41.00' }),
        aRow({ code: '70999', modifier: 'TC', kind: 'absence', basis: 'medicare_pfs' }),
        aRow({ code: '99070', kind: 'absence', basis: 'medicare_pfs' }),
      ],
      { chart: 'cms-pfs' },
    )
    for (const chart of ['cms-clfs', 'cms-asp', 'cms-dmepos']) each.publish([], { chart })
  })
  await check(registry, [
    // It has a price for the country, and none for the place.
    [{ cpt: '70450', modifier: '26', region: 'US-IL-16' }, 'region_not_covered'],
    [{ cpt: '70450', region: 'US-IL-16' }, 'modifier_not_priced'],
    [{ cpt: '70450', modifier: 'TC', region: 'US-IL-16' }, 'modifier_not_priced'],
    [{ cpt: '70999', region: 'US-IL-16' }, 'modifier_not_priced'],
    [{ cpt: '70999', modifier: 'TC', region: 'US-IL-16' }, 'absent bundled'],
    [{ cpt: '99070', basis: 'medicare_pfs', setting: 'outpatient' }, 'absent bundled'],
  ])
})

test('the localities of another modifier do not make a state ambiguous', async () => {
  const localities = ['US-IL-15', 'US-IL-16']
  const registry = made((each) => {
    each.publish(
      ['national', ...localities].map((region) => aFee({ code: '85576', modifier: '26', region })),
      { chart: 'cms-pfs' },
    )
    each.publish([aRow({ code: '85576' }), aRow({ code: '85576', modifier: 'QW', amount: '24.91' })], {
      chart: 'cms-clfs',
    })
    for (const chart of ['cms-asp', 'cms-dmepos']) each.publish([], { chart })
  })
  await check(registry, [
    [{ cpt: '85576', region: 'IL', modifier: 'QW' }, 'price 24.91'],
    [{ cpt: '85576', region: 'IL' }, 'price 10.56'],
    [{ cpt: '85576', region: 'IL', modifier: '26' }, 'region_ambiguous'],
    [{ cpt: '85576', region: 'US-IL-16', modifier: 'QW' }, 'price 24.91'],
  ])
})

test('a ZIP code may have as many parts as its last four digits have gaps', async () => {
  const parts = Array.from({ length: 400 }, (_, i) => {
    const [first, last] = [i * 20 + 1, i * 20 + 9].map((digits) => String(digits).padStart(4, '0'))
    return aPlace('60701', i % 2 === 0 ? 'US-IL-15' : 'US-IL-16', `${first}-${last}`)
  })
  const registry = made((each) => {
    each.publish([aFee({ code: '99213' }), aFee({ code: '99213', region: 'US-IL-16', amount: '11.11' })], {
      chart: 'cms-pfs',
    })
    each.publish([aPlace('60701', null), ...parts], { chart: 'zip-locality' })
  })
  const basis = 'medicare_pfs'
  await check(registry, [
    [{ region: '60701-7985', basis }, 'price 11.11'],
    [{ region: '60701-7990', basis }, 'region_ambiguous'],
    [{ region: '60701', basis }, 'region_ambiguous'],
  ])
})

test('one factor stands for every anesthesia code', async () => {
  const factor = (region: string, amount: string): AnyRow =>
    aRow({ code: '00000', kind: 'rate', basis: 'medicare_anesthesia', region, amount })
  const registry = made((each) =>
    each.publish([factor('US-IL-16', '22.05'), factor('national', '20.49')], { chart: 'cms-anesthesia' }),
  )
  const basis = 'medicare_anesthesia'
  await check(registry, [
    [{ cpt: '00810', basis, region: 'US-IL-16' }, 'price 22.05'],
    [{ cpt: '01999', basis }, 'price 20.49'],
    [{ cpt: '00000', basis }, 'price 20.49'],
    [{ cpt: '99213', basis }, 'not_on_schedule'],
  ])
})

test('without the table of ZIP codes, national schedules still answer', async () => {
  const registry = made((each) => {
    each.publish([aFee({ code: '99213' })], { chart: 'cms-pfs' })
    each.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
  })
  await check(registry, [
    [{ region: '60611' }, 'no_edition'],
    [{ cpt: '80053', region: '60611' }, 'price 10.56'],
    [{ cpt: '99213', region: 'US-IL-16' }, 'region_not_covered'],
  ])
})

test('a row that begins later in its edition is not there before', async () => {
  const later = (row: AnyRow): AnyRow => ({ ...row, effective_from: '2026-08-01' })
  const registry = made((each) => {
    each.publish(
      [
        later(aFee({ code: '99213' })),
        aFee({ code: '99213', setting: 'facility', amount: '57.45' }),
        later(aFee({ code: '99214' })),
      ],
      { chart: 'cms-pfs' },
    )
    each.publish([aRow({ code: '99214', amount: '5.00' })], { chart: 'cms-clfs' })
    for (const chart of ['cms-asp', 'cms-dmepos']) each.publish([], { chart })
  })
  await check(registry, [
    [{}, 'price 57.45'],
    [{ as_of: '2026-07-31' }, 'price 57.45'],
    [{ as_of: '2026-08-01' }, 'price 95.19'],
    [{ setting: 'non_facility' }, 'not_on_schedule'],
    [{ cpt: '99214' }, 'price 5.00'],
    [{ cpt: '99214', as_of: '2026-09-30' }, 'price 95.19'],
  ])
})

test('the settings of a schedule are tried in its order, and outpatient and surgical prices only when they are named', async () => {
  const na = { method: 'pfs-na/1', inputs: { na_indicator: 'NA' } }
  const notThere = (setting: string, region = 'national'): AnyRow =>
    aFee({ code: '99285', kind: 'absence', setting, region, reason: 'not_applicable_in_setting', derivation: na })
  const registry = made((each) => {
    each.publish(
      [
        aFee({ code: '99213' }),
        aFee({ code: '99213', setting: 'facility', amount: '57.45' }),
        notThere('non_facility'),
        aFee({ code: '99285', setting: 'facility', amount: '170.00' }),
        aFee({ code: '99285', setting: 'facility', region: 'US-IL-16', amount: '175.00' }),
      ],
      { chart: 'cms-pfs' },
    )
    each.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
    for (const chart of ['cms-asp', 'cms-dmepos']) each.publish([], { chart })
    const outpatient = { basis: 'medicare_opps', setting: 'outpatient' }
    const bundled = { kind: 'absence', derivation: { method: 'opps-status/1', inputs: { status_indicator: 'N' } } }
    each.publish(
      [
        aRow({ code: '99213', ...outpatient, amount: '120.00' }),
        aRow({ code: '80053', ...outpatient, ...bundled, setting: null }),
      ],
      { chart: 'cms-opps' },
    )
    each.publish([aRow({ code: '27447', basis: 'medicare_asc', setting: 'asc', amount: '9000.00' })], {
      chart: 'cms-asc',
    })
  })
  await check(registry, [
    [{}, 'price 95.19'],
    [{ setting: 'facility' }, 'price 57.45'],
    [{ setting: 'outpatient' }, 'price 120.00'],
    [{ basis: 'medicare_opps' }, 'price 120.00'],
    [{ setting: 'asc' }, 'not_on_schedule'],
    [{ cpt: '99285' }, 'price 170.00'],
    [{ cpt: '99285', region: 'US-IL-16' }, 'price 175.00'],
    [{ cpt: '99285', setting: 'non_facility' }, 'absent not_applicable_in_setting'],
    [{ cpt: '99285', setting: 'non_facility', region: 'US-IL-16' }, 'absent not_applicable_in_setting'],
    [{ cpt: '80053', setting: 'outpatient' }, 'price 10.56'],
    [{ cpt: '80053', basis: 'medicare_opps' }, 'absent bundled'],
    [{ cpt: '80053', setting: 'asc' }, 'price 10.56'],
    [{ cpt: '27447' }, 'not_on_schedule'],
    [{ cpt: '27447', setting: 'asc' }, 'price 9000.00'],
    [{ cpt: '27447', setting: 'asc', region: '60611' }, 'price 9000.00'],
  ])
})

test('a hospital answers from its own file: cash before gross, facility before professional, as billed before bare', async () => {
  const charge = (given: Parameters<typeof aRow>[0]): AnyRow =>
    aRow({ npi: NPI, basis: 'hospital_cash', setting: 'outpatient', ...given })
  const registry = made((each) => {
    each.publish(
      [
        charge({ code: '99213', class: 'professional', amount: '80.00' }),
        charge({ code: '99213', class: 'facility', amount: '145.20' }),
        charge({ code: '99213', basis: 'hospital_gross', amount: '300.00' }),
        charge({ code: '99214', class: 'professional', amount: '99.00' }),
        charge({ code: '99285', class: 'professional', amount: '792.00' }),
        charge({ code: '99285', amount: '2001.00' }),
        charge({ code: '99215', basis: 'hospital_negotiated_low', setting: 'inpatient', amount: '44.00' }),
        charge({ code: '70450', modifier: '26', amount: '61.00' }),
        charge({ code: '73560', modifier: 'LT', amount: '71.00' }),
        charge({ code: '73560', amount: '70.00' }),
        charge({ code: '20610', amount: '189.35' }),
        charge({ code: '20610', modifier: 'RT', amount: '124.40' }),
        charge({ code: '20610', modifier: '50', amount: '283.00' }),
        charge({ code: '99284', modifier: '95', amount: '151.00' }),
        charge({ code: '99284', modifier: '25', amount: '150.00' }),
        charge({
          code: '36415',
          price: { low: '5.00', high: '9.00', currency: 'USD', per: null },
          derivation: { method: 'range/1', inputs: { low: '5', high: '9' } },
        }),
        charge({
          code: '80053',
          kind: 'absence',
          reason: 'withheld_conflict',
          derivation: { method: 'row-rule/1', inputs: { rule: 'R10' } },
        }),
        charge({ code: '99213', npi: SECOND, amount: '1.00' }),
      ],
      { chart: `hospital-mrf:${NPI}`, providers: [NPI, SECOND] },
    )
  })
  await check(registry, [
    [{ npi: NPI }, 'price 145.20'],
    [{ npi: NPI, region: 'US-TX-99' }, 'price 145.20'],
    [{ npi: NPI, basis: 'hospital_gross' }, 'price 300.00'],
    [{ npi: NPI, basis: 'hospital_negotiated_high' }, 'not_on_schedule'],
    [{ npi: NPI, setting: 'inpatient' }, 'not_on_schedule'],
    [{ cpt: '99214', npi: NPI }, 'price 99.00'],
    // A charge of no class is the hospital's own.
    [{ cpt: '99285', npi: NPI }, 'price 2001.00'],
    [{ cpt: '99215', npi: NPI }, 'price 44.00'],
    [{ cpt: '99215', npi: NPI, setting: 'outpatient' }, 'not_on_schedule'],
    [{ cpt: '70450', npi: NPI }, 'modifier_not_priced'],
    [{ cpt: '70450', npi: NPI, modifier: '26' }, 'price 61.00'],
    [{ cpt: '70450', npi: NPI, modifier: '26-25' }, 'price 61.00'],
    [{ cpt: '73560', npi: NPI, modifier: 'LT' }, 'price 71.00'],
    [{ cpt: '73560', npi: NPI, modifier: 'RT' }, 'price 70.00'],
    [{ cpt: '73560', npi: NPI, modifier: '50' }, 'modifier_not_priced'],
    // As few are left out as possible: the hospital may charge otherwise with each of them.
    [{ cpt: '20610', npi: NPI, modifier: 'RT-59' }, 'price 124.40'],
    [{ cpt: '20610', npi: NPI, modifier: 'LT-59' }, 'price 189.35'],
    [{ cpt: '20610', npi: NPI, modifier: 'LT-RT' }, 'price 283.00'],
    [{ cpt: '20610', npi: NPI, modifier: 'LT-RT-59' }, 'price 283.00'],
    [{ cpt: '73560', npi: NPI, modifier: 'LT-RT' }, 'modifier_not_priced'],
    [{ cpt: '99284', npi: NPI, modifier: '95-25-59' }, 'price 151.00'],
    [{ cpt: '36415', npi: NPI }, 'price 5.00-9.00'],
    [{ cpt: '80053', npi: NPI }, 'absent withheld_conflict'],
    [{ npi: SECOND }, 'price 1.00'],
    [{ cpt: '99214', npi: SECOND }, 'not_on_schedule'],
    [{ npi: '1245319599' }, 'unknown_provider'],
    [{ npi: NPI, as_of: '2026-10-01' }, 'no_edition'],
  ])
})

test('a provider that was moved is answered by the other file from then on', async () => {
  const [own, other] = [`hospital-mrf:${NPI}`, `hospital-mrf:${SECOND}`]
  const charge = (amount: string): AnyRow =>
    aRow({ code: '99213', npi: NPI, basis: 'hospital_cash', setting: 'outpatient', amount })
  const registry = made((each) => {
    each.publish([charge('10.00')], { chart: own, providers: [NPI] })
    each.publish([charge('20.00')], { chart: other, providers: [NPI, SECOND] })
  })
  await check(registry, [[{ npi: NPI }, 'price 10.00']])
  await check(registry.snapshot().move(NPI, other), [[{ npi: NPI }, 'price 20.00']])
  await check(registry.snapshot().move(NPI, `hospital-mrf:1245319599`), [[{ npi: NPI }, 'price 10.00']])
  const withdrawn = registry.snapshot()
  await check(withdrawn.withdraw(withdrawn.releases[0] as never), [[{ npi: NPI }, 'price 20.00']])
})

test('three years of quarters: each day has the price of its edition, and days without one have none', async () => {
  const registry = new MemoryRegistry(signer)
  const quarter = (year: number, of: number, amount: string, revision = 1): void => {
    const from = `${year}-${String(of * 3 - 2).padStart(2, '0')}-01`
    const to = new Date(Date.UTC(year, of * 3, 0)).toISOString().slice(0, 10)
    registry.publish([aFee({ code: '99213', amount, effective_from: from })], {
      chart: 'cms-pfs',
      edition: `${year}${'ABCD'[of - 1]}`,
      release_id: `cms-pfs:${year}${'ABCD'[of - 1]}:${revision}`,
      effective_from: from,
      effective_to: to,
    })
  }
  quarter(2025, 1, '91.00')
  quarter(2025, 2, '92.00')
  // The third quarter of 2025 was never loaded.
  quarter(2025, 4, '94.00')
  quarter(2026, 1, '95.00')
  quarter(2026, 1, '95.50', 2)
  quarter(2026, 2, '96.00')
  quarter(2027, 3, '99.00')
  const asked = (as_of: string) => ({ as_of, basis: 'medicare_pfs' })
  const walk: [Asked, string][] = [
    [asked('2024-12-31'), 'no_edition'],
    [asked('2025-01-01'), 'price 91.00'],
    [asked('2025-03-31'), 'price 91.00'],
    [asked('2025-04-01'), 'price 92.00'],
    [asked('2025-06-30'), 'price 92.00'],
    [asked('2025-07-01'), 'no_edition'],
    [asked('2025-09-30'), 'no_edition'],
    [asked('2025-10-01'), 'price 94.00'],
    [asked('2025-12-31'), 'price 94.00'],
    [asked('2026-01-01'), 'price 95.50'],
    [asked('2026-03-31'), 'price 95.50'],
    [asked('2026-04-01'), 'price 96.00'],
    [asked('2026-07-01'), 'no_edition'],
    [asked('2027-06-30'), 'no_edition'],
    [asked('2027-07-01'), 'price 99.00'],
    [asked('2027-09-30'), 'price 99.00'],
    [asked('2027-10-01'), 'no_edition'],
    [asked('2099-01-01'), 'no_edition'],
  ]
  await check(registry, walk)
  // A correction that is withdrawn gives its days back to the edition that it had corrected.
  registry.withdraw(registry.releases.find(({ manifest }) => manifest.release_id === 'cms-pfs:2026A:2') as never)
  await check(
    registry,
    walk.map(([question, said]) => [question, said === 'price 95.50' ? 'price 95.00' : said]),
  )
})

/** A refusal with the step that decided it; a price with its row's region and setting. */
const withStep = (decision: Decision): string => {
  if (decision.outcome !== 'price') return `${sayingOf(decision)} ${decision.rule}`
  return `${sayingOf(decision)} ${decision.row.region} ${decision.row.setting ?? '-'}`
}
async function checkSteps(registry: MemoryRegistry, table: readonly (readonly [Asked, string])[]): Promise<void> {
  for (const [given, expected] of table) {
    const question: Question = { cpt: '99213', as_of: JULY, ...given }
    const { body, decision } = await answerOf(registry, question)
    expect([given, withStep(decision)]).toEqual([given, expected])
    if (decision.outcome !== 'price') expect(body['rule']).toBe(decision.rule)
    const verdict = await verifyBody(JSON.stringify(body), policy, { question })
    expect([given, verdict.ok ? withStep(verdict.decisions[0] as Decision) : verdict.reason]).toEqual([given, expected])
  }
}

const AREA = 'CBA-1A2B3C4D'
const notCovered = {
  kind: 'absence',
  reason: 'not_covered',
  derivation: { method: 'cms-status/1', inputs: { status_code: 'N' } },
}
const elsewhere = {
  kind: 'absence',
  reason: 'paid_elsewhere',
  derivation: { method: 'cms-status/1', inputs: { status_code: 'X' } },
}

test('each step of the rule decides what is its own, and the refusal names it', async () => {
  const registry = made((each) => {
    each.publish(
      [
        aFee({ code: '99213', indicators: { status: 'A', bilateral: '0' } }),
        aFee({ code: '99213', region: 'US-IL-15', amount: '97.00' }),
        aFee({ code: '99213', region: 'US-IL-16', amount: '98.00' }),
        aRow({ code: '99070', kind: 'absence', basis: 'medicare_pfs' }),
        aFee({ code: '99071' }),
        aFee({ code: '99071', region: 'US-AL-00' }),
        aFee({ code: '70450', modifier: '26' }),
        aRow({ code: '80054', basis: 'medicare_pfs', ...elsewhere }),
        aRow({ code: '80055', basis: 'medicare_pfs', ...notCovered }),
        aFee({
          code: '99285',
          kind: 'absence',
          reason: 'not_applicable_in_setting',
          derivation: { method: 'pfs-na/1', inputs: { na_indicator: 'NA' } },
        }),
      ],
      { chart: 'cms-pfs' },
    )
    each.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
    each.publish([], { chart: 'cms-asp' })
    each.publish(
      [
        equipment({ code: 'E0601', modifier: 'RR' }),
        equipment({ code: 'E0601', modifier: 'RR', region: AREA, amount: '30.00' }),
        equipment({ code: 'E0602' }),
      ],
      {
        chart: 'cms-dmepos',
      },
    )
    each.publish(
      [aPlace('60611', 'US-IL-16'), { ...aPlace('60612', 'US-IL-16'), bidding_area: AREA }, aPlace('60701', null)],
      { chart: 'zip-locality' },
    )
    each.publish([aRow({ code: '99213', npi: NPI, basis: 'hospital_cash', setting: 'outpatient', modifier: 'TC' })], {
      chart: `hospital-mrf:${NPI}`,
      providers: [NPI],
    })
  })
  await checkSteps(registry, [
    // R1: the place.
    [{ region: '99999' }, 'unknown_zip R1'],
    [{ cpt: '80053', region: '99999', basis: 'medicare_clfs' }, 'price 10.56 national -'],
    // R2: the schedules that may answer follow from the question.
    [{ cpt: '80053' }, 'price 10.56 national -'],
    [{ cpt: '80053', basis: 'medicare_pfs' }, 'not_on_schedule R10'],
    // R3: an edition for the day.
    [{ as_of: '2026-10-05' }, 'no_edition R3'],
    [{ setting: 'outpatient' }, 'no_edition R3'],
    // R4: modifiers.
    [{ modifier: '25' }, 'price 95.19 national non_facility'],
    [{ modifier: '50' }, 'modifier_not_allowed R4'],
    // R5: the former bidding area, and then the state.
    [{ cpt: 'E0601', modifier: 'RR', region: '60612' }, `price 30.00 ${AREA} non_rural`],
    [{ cpt: 'E0601', modifier: 'RR', region: '60611' }, 'price 10.56 US-IL non_rural'],
    [{ cpt: 'E0601', modifier: 'RR', region: '60612', setting: 'rural' }, 'price 10.56 US-IL non_rural'],
    [{ cpt: 'E0602', region: '60612' }, 'price 10.56 US-IL non_rural'],
    [{ cpt: 'E0601', modifier: 'RR', region: AREA }, `price 30.00 ${AREA} non_rural`],
    // R6: the region, setting by setting.
    [{ region: '60611' }, 'price 98.00 US-IL-16 non_facility'],
    [{ cpt: '99285', setting: 'non_facility' }, 'absent not_applicable_in_setting R6'],
    // R7: what is stated for the whole country.
    [{ cpt: '99070', region: '60611' }, 'absent bundled R7'],
    [{ cpt: '99070', region: 'IL' }, 'absent bundled R7'],
    [{ cpt: '99070', region: '60701' }, 'absent bundled R7'],
    // R8: places without a row of their own.
    [{ region: 'IL' }, 'region_ambiguous R8'],
    [{ region: '60701' }, 'region_ambiguous R8'],
    [{ cpt: '99071', region: 'AL' }, 'price 95.19 US-AL-00 non_facility'],
    [{ cpt: '99071', region: '60611' }, 'region_not_covered R8'],
    // R9: the code without its modifiers, with others, or for other places.
    [{ modifier: '22' }, 'modifier_not_priced R9'],
    [{ cpt: '70450' }, 'modifier_not_priced R9'],
    [{ cpt: 'E0602' }, 'region_ambiguous R9'],
    [{ cpt: 'E0602', region: 'TX' }, 'region_not_covered R9'],
    // R10: what goes first where no schedule has a price.
    [{ cpt: '99999' }, 'not_on_schedule R10'],
    [{ cpt: '80054' }, 'absent paid_elsewhere R7'],
    [{ cpt: '80055' }, 'absent not_covered R7'],
    // R11: a hospital's own file.
    [{ npi: NPI, modifier: 'TC' }, 'price 10.56 national outpatient'],
    [{ npi: NPI }, 'modifier_not_priced R11'],
    [{ cpt: '99214', npi: NPI }, 'not_on_schedule R11'],
    [{ npi: '1245319599' }, 'unknown_provider R11'],
    [{ npi: NPI, as_of: '2026-10-05' }, 'no_edition R3'],
  ])
})

test('where no schedule has a price, the finding that says most about the code goes first', async () => {
  const rows = (...of: AnyRow[]) => of
  const registryWith = (pfs: readonly AnyRow[], clfs: readonly AnyRow[] | undefined) =>
    made((each) => {
      each.publish(pfs, { chart: 'cms-pfs' })
      if (clfs) each.publish(clfs, { chart: 'cms-clfs' })
      for (const chart of ['cms-asp', 'cms-dmepos']) each.publish([], { chart })
    })
  const covered = aRow({ code: '99213', basis: 'medicare_pfs', ...notCovered })
  const paidElsewhere = aRow({ code: '99213', basis: 'medicare_pfs', ...elsewhere })
  const withOther = aRow({ code: '99213', modifier: 'QW' })
  // A schedule that has the code with other modifiers knows more than one that does not pay for it.
  await checkSteps(registryWith(rows(covered), rows(withOther)), [[{}, 'modifier_not_priced R9']])
  await checkSteps(registryWith(rows(covered), rows()), [[{}, 'absent not_covered R7']])
  // A finding about the code itself counts, whatever is not held; one that may mean another schedule does not.
  await checkSteps(registryWith(rows(covered), undefined), [[{}, 'absent not_covered R7']])
  await checkSteps(registryWith(rows(paidElsewhere), undefined), [[{}, 'no_edition R3']])
  await checkSteps(registryWith(rows(paidElsewhere), rows()), [[{}, 'absent paid_elsewhere R7']])
  // That it has no price for the place goes before what is not held.
  const local = aFee({ code: '99213', region: 'US-AL-00' })
  await checkSteps(registryWith(rows(local), undefined), [
    [{ region: 'US-IL-16' }, 'region_not_covered R9'],
    [{ cpt: '99214', region: 'US-IL-16' }, 'no_edition R3'],
  ])
  await checkSteps(registryWith(rows(local), rows()), [[{ cpt: '99214' }, 'not_on_schedule R10']])
})

test('the schedules without an edition are named in the order in which they would have answered', async () => {
  const registry = made((each) => each.publish([], { chart: 'cms-clfs' }))
  const heldBy = async (given: Asked): Promise<unknown> => {
    const { decision, body } = await answerOf(registry, { cpt: '99213', as_of: JULY, ...given })
    expect((body['charts'] as { chart: string }[]).map(({ chart }) => chart)).toEqual(
      (decision as { charts: string[] }).charts,
    )
    return body['charts']
  }
  const none = (...charts: string[]) => charts.map((chart) => ({ chart, held: [] }))
  expect(await heldBy({})).toEqual(none('cms-pfs', 'cms-asp', 'cms-dmepos'))
  expect(await heldBy({ setting: 'outpatient' })).toEqual(none('cms-opps'))
  expect(await heldBy({ region: '60611' })).toEqual(none('cms-pfs', 'cms-asp', 'cms-dmepos'))
  expect(await heldBy({ as_of: '2026-10-05', basis: 'medicare_clfs' })).toEqual([
    { chart: 'cms-clfs', held: [{ from: '2026-07-01', to: '2026-09-30' }] },
  ])
  // The table of ZIP codes is named where a schedule that is held needs it.
  registry.publish([aFee({ code: '99213' })], { chart: 'cms-pfs' })
  expect(await heldBy({ region: '60611', basis: 'medicare_pfs' })).toEqual(none('zip-locality'))
})
