// A registry for the corners of the rule: codes that several schedules know, and none decides. The schedule of
// equipment ends a month before the others. Amounts are invented.

import { aFee, aPlace, aRow, MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { registry } from './keys.ts'
import { chartOf, NPI, stated } from './registry.ts'

const PFS_STATUS = { bundled: 'B', not_covered: 'N', not_valid: 'I', paid_elsewhere: 'X', no_price_stated: 'M' }
const absent = (cpt: string, basis: string, reason: string, method: string, inputs: object, given: object = {}) =>
  aRow({ cpt, kind: 'absence', basis, reason, derivation: { method: `${method}/1`, inputs }, ...given })
const status = (cpt: string, reason: keyof typeof PFS_STATUS) =>
  absent(cpt, 'medicare_pfs', reason, 'cms-status', { status_code: PFS_STATUS[reason] })
const notThere = (cpt: string, given: object) =>
  absent(cpt, 'medicare_pfs', 'not_applicable_in_setting', 'pfs-na', { na_indicator: 'NA' }, given)
const unreadable = (cpt: string, basis: string, given: object) =>
  absent(cpt, basis, 'unreadable', 'row-rule', { rule: 'R02' }, given)
const carrier = (cpt: string) =>
  absent(
    cpt,
    'medicare_clfs',
    'carrier_priced',
    'clfs-indicator',
    { indicator: 'L' },
    { indicators: { indicator: 'L' } },
  )
const unlimited = (cpt: string) => absent(cpt, 'medicare_asp', 'no_price_stated', 'no-amount', { rate: 'NA' })

export const corner = new MemoryRegistry(registry)
corner.publish(
  [
    aFee({ cpt: '99213' }),
    aFee({ cpt: '99213', region: 'US-IL-15', amount: '97.00' }),
    aFee({ cpt: '99213', region: 'US-IL-16', amount: '98.00' }),
    status('88101', 'bundled'),
    aFee({ cpt: '88102' }),
    aFee({ cpt: '88103' }),
    status('88104', 'not_valid'),
    status('88105', 'not_valid'),
    aFee({ cpt: '88106' }),
    status('88107', 'paid_elsewhere'),
    status('88108', 'no_price_stated'),
    status('88109', 'bundled'),
    status('88110', 'not_valid'),
    status('88111', 'not_covered'),
    notThere('88120', { setting: 'facility' }),
    notThere('88122', { setting: 'non_facility' }),
    unreadable('88122', 'medicare_pfs', { setting: 'facility' }),
    notThere('88123', { setting: 'non_facility', region: 'US-IL-16' }),
    aFee({ cpt: '88123', setting: 'facility' }),
    notThere('88124', { setting: 'non_facility', region: 'US-IL-16' }),
    notThere('88124', { setting: 'facility', region: 'US-IL-16' }),
    status('88124', 'bundled'),
    notThere('88125', { setting: 'non_facility', region: 'US-IL-16' }),
    status('88125', 'bundled'),
    notThere('88126', { setting: 'non_facility', region: 'US-IL-16' }),
    notThere('88126', { setting: 'facility', region: 'US-IL-16' }),
    aFee({ cpt: '88126' }),
    aFee({ cpt: '88127', setting: 'facility', region: 'US-IL-16', amount: '77.00' }),
    status('88127', 'bundled'),
    aFee({ cpt: '88141', modifier: '26' }),
    absent('88142', 'medicare_pfs', 'bundled', 'cms-status', { status_code: 'B' }, { modifier: 'TC' }),
    aFee({ cpt: '88145', modifier: '26' }),
    aFee({ cpt: '88145', modifier: '26', region: 'US-IL-15' }),
    aFee({ cpt: '88145', modifier: '26', region: 'US-IL-16' }),
    aFee({ cpt: '88143', region: 'US-HI-01' }),
    aFee({ cpt: '88143', region: 'US-IL-16' }),
    unreadable('88144', 'medicare_pfs', { setting: 'non_facility' }),
    aFee({ cpt: '88144', setting: 'facility' }),
    aFee({ cpt: '88140', price: { low: '80.00', high: '90.00', currency: 'USD', per: null } }),
  ],
  { chart: 'cms-pfs' },
)
corner.publish(
  [
    aRow({ cpt: '88145', modifier: 'QW', amount: '24.91' }),
    aRow({ cpt: '88101' }),
    carrier('88102'),
    carrier('88105'),
    carrier('88111'),
  ],
  { chart: 'cms-clfs' },
)
corner.publish([unlimited('88106'), unlimited('88110')], { chart: 'cms-asp' })

const supply = (cpt: string, setting: string, amount: string, region = 'US-IL') =>
  aRow({ cpt, region, basis: 'medicare_dmepos', setting, amount })
const AREA = 'CBA-0A1B2C3D'
corner.publish(
  [
    supply('E0602', 'non_rural', '91.36'),
    supply('E0604', 'non_rural', '91.36'),
    supply('E0604', 'rural', '105.12'),
    supply('E0605', 'non_rural', '50.00'),
    unreadable('E0605', 'medicare_dmepos', { region: 'US-IL', setting: 'rural' }),
    supply('E0606', 'rural', '70.00'),
    supply('E0604', 'non_rural', '44.00', AREA),
    unreadable('E0605', 'medicare_dmepos', { region: AREA, setting: 'non_rural' }),
    supply('E0608', 'non_rural', '33.00', AREA),
    aRow({ cpt: 'E0607', region: 'US-MD', basis: 'medicare_dmepos', setting: 'non_rural', amount: '60.00' }),
    aRow({ cpt: 'E0607', region: 'US-DC', basis: 'medicare_dmepos', setting: 'non_rural', amount: '61.00' }),
  ],
  { chart: 'cms-dmepos', effective_to: '2026-08-31' },
)

const factor = (region: string, amount: string) =>
  aRow({ cpt: '00000', kind: 'rate', region, basis: 'medicare_anesthesia', amount })
corner.publish(
  [
    unreadable('00000', 'medicare_anesthesia', {}),
    factor('US-AL-00', '20.00'),
    factor('US-IL-15', '21.00'),
    factor('US-IL-16', '22.00'),
  ],
  { chart: 'cms-anesthesia' },
)

const later = { effective_from: '2026-08-01' }
corner.publish(
  [
    aPlace('60611', 'US-IL-16'),
    { ...aPlace('20814', 'US-DC-01'), state: 'MD' },
    aPlace('20815', null),
    { ...aPlace('20816', 'US-DC-01'), state: null },
    { ...aPlace('20816', 'US-DC-01', '0000-4999'), state: 'MD' },
    { ...aPlace('20816', 'US-DC-01', '5000-9999'), state: 'DC' },
    { ...aPlace('20817', null), state: 'MD' },
    { ...aPlace('20818', 'US-DC-01'), state: 'MD' },
    { ...aPlace('20818', 'US-DC-01', '0000-9999'), state: 'DC' },
    aPlace('60702', null),
    aPlace('60702', 'US-IL-16', '0001-5000'),
    aPlace('60702', 'US-IL-15', '1000-8999'),
    aPlace('60703', null),
    aPlace('60703', null, '0001-5000'),
    aPlace('60703', 'US-IL-15', '5001-9999'),
    aPlace('60704', null),
    aPlace('60704', 'US-IL-16', '9000-1000'),
    { ...aPlace('60705', 'US-IL-16'), ...later },
    { ...aPlace('60706', 'US-IL-16'), ...later },
    aPlace('60706', 'US-IL-15', '0000-9999'),
    aPlace('60707', null),
    aPlace('60708', null),
    aPlace('60708', 'US-IL-15', '0000-0000'),
    { ...aPlace('60708', 'US-IL-16', '0001-4999'), ...later },
    { ...aPlace('60709', 'US-IL-16'), rural: true },
    { ...aPlace('60710', 'US-IL-16'), rural: false },
    { ...aPlace('20819', 'US-DC-01'), state: null, bidding_area: AREA },
    { ...aPlace('60712', 'US-IL-16'), rural: false, bidding_area: AREA },
    { ...aPlace('60713', 'US-IL-16'), bidding_area: null },
    { ...aPlace('60714', 'US-IL-16'), rural: true, bidding_area: AREA },
    { ...aPlace('60711', null), state: 'IL' },
    aPlace('60711', 'US-IL-15', '0000-9999'),
    aPlace('99999', 'US-AK-01', '0000-0000'),
  ],
  { chart: 'zip-locality' },
)

const cash = (cpt: string, amount: string, given: object = {}) => stated(NPI.A, cpt, 'hospital_cash', amount, given)
corner.publish(
  [
    cash('99213', '50.00', { setting: null, class: null }),
    cash('99213', '60.00'),
    stated(NPI.A, '99213', 'hospital_gross', '500.00', { setting: 'inpatient' }),
    cash('99214', '61.00'),
    cash('99215', '62.00', { modifier: '59' }),
    unreadable('99216', 'hospital_cash', { npi: NPI.A, modifier: '25', setting: 'outpatient' }),
    cash('99216', '63.00'),
    cash('99217', '70.00', { modifier: '25' }),
    cash('99217', '80.00'),
    unreadable('99218', 'hospital_cash', { npi: NPI.A, setting: 'outpatient' }),
    stated(NPI.A, '99218', 'hospital_gross', '300.00'),
  ],
  { chart: chartOf(NPI.A), providers: [NPI.A] },
)
