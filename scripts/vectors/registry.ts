// The small registry that the vectors are made from: every schedule, two hospitals, editions that follow each other,
// one that was withdrawn, and a provider who moved. Amounts are invented.

import { aFee, aPlace, aRow, MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { registry } from './keys.ts'

export const JULY = '2026-07-15'
/** The hospital `A`, the hospital `B`, one that both name and that moved from `A` to `B`, and one that nobody names. */
export const NPI = { A: '1234567893', B: '1346000007', MOVED: '1588000004', UNKNOWN: '1999999992' } as const
export const chartOf = (npi: string): string => `hospital-mrf:${npi}`

export const feeInputs = {
  conversion_factor: '33.4009',
  malpractice_gpci: '1.000',
  malpractice_rvu: '0.09',
  practice_gpci: '1.000',
  practice_rvu: '1.46',
  work_gpci: '1.000',
  work_rvu: '1.30',
}
const formula = (inputs: Record<string, string>) => ({
  method: 'pfs-formula/1',
  inputs: { ...feeInputs, ...inputs },
})
const method = (name: string, inputs: Record<string, string>) => ({ method: name, inputs })

export const fee = aFee({ cpt: '99213', derivation: formula({}), locator: [{ citation: 0, line: 84 }] })
/** The same in two editions, byte for byte. */
export const lasting = aFee({ cpt: '99211', amount: '23.00', effective_from: '2026-04-01' })
export const capped = aFee({
  cpt: '70450',
  amount: '91.85',
  flags: ['opps_cap'],
  derivation: formula({
    work_rvu: '0.86',
    practice_rvu: '2.46',
    malpractice_rvu: '0.06',
    opps_practice_rvu: '1.84',
    opps_malpractice_rvu: '0.05',
  }),
})
export const bundled = aRow({ cpt: '99070', kind: 'absence', basis: 'medicare_pfs', indicators: { status: 'B' } })

const physicians = [
  fee,
  aFee({ cpt: '99213', setting: 'facility', amount: '65.80', derivation: formula({ practice_rvu: '0.58' }) }),
  aFee({ cpt: '99213', region: 'US-IL-15', amount: '97.00' }),
  aFee({ cpt: '99213', region: 'US-IL-16', amount: '98.00' }),
  aFee({ cpt: '99213', region: 'US-AL-00', amount: '90.00' }),
  lasting,
  aFee({ cpt: '99214', amount: '130.00', effective_from: '2026-08-01' }),
  capped,
  aFee({ cpt: '70450', modifier: '26', amount: '40.00' }),
  aFee({ cpt: '27447', amount: '1200.00', indicators: { status: 'A', bilateral: '0', assistant: '2' } }),
  aFee({ cpt: '99285', setting: 'facility', amount: '170.00' }),
  aRow({
    cpt: '99285',
    kind: 'absence',
    basis: 'medicare_pfs',
    setting: 'non_facility',
    reason: 'not_applicable_in_setting',
    derivation: method('pfs-na/1', { na_indicator: 'NA' }),
  }),
  bundled,
  aRow({
    cpt: '80053',
    kind: 'absence',
    basis: 'medicare_pfs',
    reason: 'paid_elsewhere',
    derivation: method('cms-status/1', { status_code: 'X' }),
  }),
]

export const stated = (npi: string, cpt: string, basis: string, amount: string, given: object = {}) =>
  aRow({
    cpt,
    npi,
    basis,
    setting: 'outpatient',
    class: 'facility',
    amount,
    derivation: method('verbatim/1', { amount }),
    ...given,
  })

export const world = new MemoryRegistry(registry)
export const older = world.publish([aFee({ cpt: '99213', amount: '94.00', effective_from: '2026-04-01' }), lasting], {
  chart: 'cms-pfs',
  edition: '2026B',
  effective_from: '2026-04-01',
  effective_to: '2026-07-31',
})
export const pfs = world.publish(physicians, { chart: 'cms-pfs', supersedes: 'cms-pfs:2026B:1' })
export const qpp = world.publish([aFee({ cpt: '99213', basis: 'medicare_pfs_qpp', amount: '95.67' })], {
  chart: 'cms-pfs-qpp',
})
export const clfs = world.publish(
  [
    aRow({ cpt: '80053', derivation: method('verbatim/1', { rate: '00010.56' }) }),
    aRow({ cpt: '36415', amount: '8.83' }),
    aRow({
      cpt: '87999',
      kind: 'absence',
      reason: 'carrier_priced',
      derivation: method('clfs-indicator/1', { indicator: 'L' }),
      indicators: { indicator: 'L' },
    }),
  ],
  { chart: 'cms-clfs' },
)
export const asp = world.publish(
  [
    aRow({
      cpt: 'J0585',
      basis: 'medicare_asp',
      price: { amount: '6.497', currency: 'USD', per: '1 UNIT' },
      derivation: method('verbatim/1', { rate: '6.4970' }),
    }),
    aRow({
      cpt: 'J3490',
      kind: 'absence',
      basis: 'medicare_asp',
      reason: 'no_price_stated',
      derivation: method('no-amount/1', { rate: 'NA' }),
    }),
  ],
  { chart: 'cms-asp' },
)
const rental = (setting: string, amount: string) =>
  aRow({
    cpt: 'E0601',
    region: 'US-IL',
    modifier: 'RR',
    basis: 'medicare_dmepos',
    setting,
    price: { amount, currency: 'USD', per: 'MONTH' },
    derivation: method('verbatim/1', { rate: amount }),
  })
export const dmepos = world.publish([rental('non_rural', '91.36'), rental('rural', '105.12')], { chart: 'cms-dmepos' })
export const withdrawn = world.publish(
  [aRow({ cpt: '71046', basis: 'medicare_opps', setting: 'outpatient', amount: '9243.00' })],
  { chart: 'cms-opps' },
)
/** The registry as it was before the withdrawal, for views that are true and old. */
export const sizeBefore = world.log.leaves.length
export const stateBefore = world.state
export const shareBefore = world.share(withdrawn)
world.withdraw(withdrawn)
export const opps = world.publish(
  [
    aRow({ cpt: '71046', basis: 'medicare_opps', setting: 'outpatient', amount: '92.43' }),
    aRow({
      cpt: '66984',
      basis: 'medicare_opps',
      setting: 'outpatient',
      amount: '2251.12',
      derivation: method('rounded/1', { rate: '2251.11951' }),
    }),
    aRow({
      cpt: '99072',
      kind: 'absence',
      basis: 'medicare_opps',
      derivation: method('opps-status/1', { status_indicator: 'N' }),
    }),
  ],
  { chart: 'cms-opps', release_id: 'cms-opps:2026C:2', supersedes: 'cms-opps:2026C:1' },
)
export const asc = world.publish(
  [
    aRow({ cpt: '66984', basis: 'medicare_asc', setting: 'asc', amount: '1146.45' }),
    aRow({
      cpt: '99072',
      kind: 'absence',
      basis: 'medicare_asc',
      derivation: method('asc-indicator/1', { payment_indicator: 'N1' }),
    }),
  ],
  { chart: 'cms-asc' },
)
export const anesthesia = world.publish(
  [aRow({ cpt: '00000', kind: 'rate', region: 'US-IL-16', basis: 'medicare_anesthesia', amount: '22.05' })],
  { chart: 'cms-anesthesia' },
)
export const places = world.publish(
  [
    aPlace('60611', 'US-IL-16'),
    aPlace('35004', 'US-AL-00'),
    aPlace('60701', null),
    aPlace('60701', 'US-IL-16', '0001-0999'),
    aPlace('60701', 'US-IL-15', '1000-9998'),
    aPlace('60827', 'US-IL-15'),
    aPlace('60827', 'US-IL-15', '0000-9999'),
  ],
  { chart: 'zip-locality' },
)
export const hospitalA = world.publish(
  [
    stated(NPI.A, '99213', 'hospital_cash', '145.20'),
    stated(NPI.A, '99213', 'hospital_cash', '60.00', { class: 'professional' }),
    stated(NPI.A, '99213', 'hospital_gross', '300.00'),
    stated(NPI.A, '99213', 'hospital_negotiated_low', '99.50', {
      derivation: method('least-rate/1', { amount: '99.5' }),
    }),
    stated(NPI.A, '99213', 'hospital_negotiated_high', '210.00', {
      derivation: method('greatest-rate/1', { amount: '210' }),
    }),
    stated(NPI.A, '99215', 'hospital_cash', '', {
      price: { low: '80.00', high: '140.50', currency: 'USD', per: null },
      derivation: method('range/1', { low: '80.00', high: '140.50' }),
    }),
    stated(NPI.A, 'J1100', 'hospital_cash', '12.50', { price: { amount: '12.50', currency: 'USD', per: '10 ML' } }),
    stated(NPI.A, 'J1200', 'hospital_cash', '9.50', { flags: ['mixed_units'] }),
    stated(NPI.A, '97110', 'hospital_cash', '75.00', { modifier: 'GO', setting: null, class: null }),
    aRow({
      cpt: '99283',
      kind: 'absence',
      npi: NPI.A,
      basis: 'hospital_cash',
      setting: 'outpatient',
      reason: 'withheld_conflict',
      derivation: method('row-rule/1', { rule: 'R10' }),
    }),
    stated(NPI.MOVED, '99213', 'hospital_cash', '111.00'),
  ],
  { chart: chartOf(NPI.A), edition: '2026-06-01', providers: [NPI.A, NPI.MOVED], effective_to: '2027-05-31' },
)
export const hospitalB = world.publish(
  [
    stated(NPI.B, '99213', 'hospital_cash', '155.00'),
    stated(NPI.MOVED, '99213', 'hospital_cash', '222.00', { setting: null }),
  ],
  { chart: chartOf(NPI.B), edition: '2026-06-15', providers: [NPI.B, NPI.MOVED] },
)
world.move(NPI.MOVED, chartOf(NPI.B))
