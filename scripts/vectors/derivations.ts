// Whether a row's price follows from the inputs it states.

import type { DerivationFault } from '../../src/proof/price/derivation.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { aFee, aRow } from '../../src/proof/registry-fixture.ts'
import { changed } from './edit.ts'
import { row as cited } from './proofs.ts'
import { capped, feeInputs, fee as national } from './registry.ts'
import type { VectorOf } from './vector.ts'

export type Derivation = VectorOf<'derivation'>
export const good = (name: string, row: unknown): Derivation => ({
  name,
  kind: 'derivation',
  row: JSON.stringify(row),
  expect: { ok: true },
})
export const bad = (name: string, row: unknown, reason: DerivationFault): Derivation => ({
  name,
  kind: 'derivation',
  row: JSON.stringify(row),
  expect: { ok: false, reason },
})

export type Inputs = Record<string, string>
const fee = (inputs: Inputs, amount: string, given: object = {}): Row =>
  aFee({ cpt: '99213', amount, derivation: { method: 'pfs-formula/1', inputs: { ...feeInputs, ...inputs } }, ...given })
const stated = (method: string, inputs: Inputs, amount: string, basis = 'hospital_cash', given: object = {}): Row =>
  aRow({ cpt: '99213', basis, amount, derivation: { method: `${method}/1`, inputs }, ...given })
const factor = (inputs: Inputs, amount: string, method = 'rounded'): Row =>
  stated(method, inputs, amount, 'medicare_anesthesia', { kind: 'rate' })
const range = (low: string, high: string, from: string, to: string): Row =>
  stated('range', { low, high }, '', 'hospital_cash', { price: { low: from, high: to, currency: 'USD', per: null } })
export const flagged = (row: Row, ...flags: string[]): Row => ({ ...row, flags })

const indices = { work_gpci: '1.083', practice_gpci: '1.331', malpractice_gpci: '0.467' }
const locality = fee({ ...indices, work_gpci_column: 'with_floor' }, '113.34', { region: 'US-CA-05' })
const cap = { opps_practice_rvu: '1.00', opps_malpractice_rvu: '0.05' }
const work = (conversion_factor: string) => ({
  work_rvu: '1.00',
  practice_rvu: '0',
  malpractice_rvu: '0',
  conversion_factor,
})

const fees = [
  good('a national fee', national),
  good('a fee with its proof, which is not looked at', cited),
  good('a fee in a locality', locality),
  good(
    'a fee in a locality, without the floor',
    changed(locality, { 'derivation.inputs.work_gpci_column': 'without_floor' }),
  ),
  good(
    'a fee of a qualifying participant',
    fee({ conversion_factor_kind: 'qualifying_apm' }, '95.19', { basis: 'medicare_pfs_qpp' }),
  ),
  good('the other factor of the year', fee({ conversion_factor_kind: 'non_qualifying_apm' }, '95.19')),
  good('a fee under its cap', capped),
  good('a cap above the fee', fee({ opps_practice_rvu: '9.00', opps_malpractice_rvu: '0.05' }, '95.19')),
  good('a cap equal to the fee', fee({ opps_practice_rvu: '1.46', opps_malpractice_rvu: '0.09' }, '95.19')),
  good('half a cent, rounded up', fee(work('33.405'), '33.41')),
  good('just below half a cent, rounded down', fee(work('33.4049'), '33.40')),
  good('a sum that binary fractions get wrong', fee({ ...work('6.7'), work_rvu: '0.15' }, '1.01')),
  good('a fee of one cent', fee({ ...work('0.5'), work_rvu: '0.01' }, '0.01')),
  good('a fee of many digits', fee({ ...work('9999.9999'), work_rvu: '999999.99' }, '9999999800.00')),
  bad('a cent too much', fee({}, '95.20'), 'price_mismatch'),
  bad('half a cent rounded down', fee(work('33.405'), '33.40'), 'price_mismatch'),
  bad('a fee above its cap', fee(cap, '95.19'), 'price_mismatch'),
  bad(
    'a range where an amount follows',
    { ...national, price: { low: '1.00', high: '95.19', currency: 'USD', per: null } },
    'price_mismatch',
  ),
  bad('a cap without its flag', flagged(capped), 'flags_mismatch'),
  bad('a flag without its cap', flagged(national, 'opps_cap'), 'flags_mismatch'),
  bad('a flag twice', flagged(capped, 'opps_cap', 'opps_cap'), 'flags_mismatch'),
  bad('an unknown flag', flagged(national, 'discount'), 'flags_mismatch'),
  bad('a flag of version 1', flagged(national, 'na_indicator'), 'flags_mismatch'),
  bad('an unknown method', { ...national, derivation: { method: 'average/1', inputs: {} } }, 'unknown_method'),
  bad(
    'a later version of a method',
    { ...national, derivation: { method: 'pfs-formula/2', inputs: feeInputs } },
    'unknown_method',
  ),
  bad(
    'a method for absences on a price',
    { ...national, derivation: { method: 'cms-status/1', inputs: { status_code: 'B' } } },
    'unknown_method',
  ),
  bad(
    'a method of another basis',
    { ...national, derivation: { method: 'verbatim/1', inputs: { rate: '95.19' } } },
    'unknown_method',
  ),
  bad('an input missing', changed(national, { 'derivation.inputs.work_rvu': undefined }), 'inputs_malformed'),
  bad('an input too many', fee({ discount: '0.10' }, '95.19'), 'inputs_malformed'),
  bad('a relative value of three decimals', fee({ work_rvu: '1.300' }, '95.19'), 'inputs_malformed'),
  bad('a relative value of seven digits', fee({ work_rvu: '1000000' }, '95.19'), 'inputs_malformed'),
  bad('a national fee with an index of a locality', fee({ work_gpci: '1.083' }, '98.80'), 'inputs_malformed'),
  bad('a national index of another spelling', fee({ work_gpci: '1.0' }, '95.19'), 'inputs_malformed'),
  bad('a national fee with a column', fee({ work_gpci_column: 'with_floor' }, '95.19'), 'inputs_malformed'),
  bad(
    'a locality without its column',
    changed(locality, { 'derivation.inputs.work_gpci_column': undefined }),
    'inputs_malformed',
  ),
  bad('a factor of five decimals', fee({ conversion_factor: '33.40090' }, '95.19'), 'inputs_malformed'),
  bad('a kind of factor that is none', fee({ conversion_factor_kind: 'apm' }, '95.19'), 'inputs_malformed'),
  bad('half a cap', fee({ opps_practice_rvu: '1.00' }, '95.19'), 'inputs_malformed'),
  bad('a cap of zero', fee({ ...cap, opps_practice_rvu: '0.00' }, '95.19'), 'inputs_malformed'),
  bad('a fee of zero relative values', fee({ ...work('33'), work_rvu: '0.00' }, '33.00'), 'inputs_malformed'),
]

const amounts = [
  good('a stated rate with zeros before it', stated('verbatim', { rate: '00010.56' }, '10.56', 'medicare_clfs')),
  good('a stated rate with zeros after it', stated('verbatim', { rate: '10.5600' }, '10.56', 'medicare_opps')),
  good('a stated rate in tenths of a cent', stated('verbatim', { rate: '6.4970' }, '6.497', 'medicare_asp')),
  good('a stated rate of a hundredth of a cent', stated('verbatim', { rate: '0.0001' }, '0.0001', 'medicare_asp')),
  good('a stated rate of a surgery center', stated('verbatim', { rate: '1146.45' }, '1146.45', 'medicare_asc')),
  good('a stated rate of equipment', stated('verbatim', { rate: '91.36' }, '91.36', 'medicare_dmepos')),
  good('a stated factor', stated('verbatim', { rate: '22.05' }, '22.05', 'medicare_anesthesia', { kind: 'rate' })),
  good('a factor, rounded down', factor({ rate: '22.0549999' }, '22.05')),
  good('a factor, rounded up from half a cent', factor({ rate: '22.05500001' }, '22.06')),
  good('a factor called an amount, rounded', factor({ amount: '0022.04999' }, '22.05')),
  good('a stated amount without cents', stated('verbatim', { amount: '120' }, '120.00')),
  good(
    'a stated amount with a point and nothing after it',
    stated('verbatim', { amount: '120.' }, '120.00', 'hospital_gross'),
  ),
  good('twenty decimals that are zeros', stated('verbatim', { amount: '120.50000000000000000000' }, '120.50')),
  good('rounded up from half a cent', stated('rounded', { amount: '140.20500' + '1' }, '140.21')),
  good('rounded down', stated('rounded', { rate: '140.20499' }, '140.20', 'medicare_opps')),
  good('exactly half a cent and more decimals', stated('rounded', { amount: '140.20500001' }, '140.21')),
  good('rounded up to the next dollar', stated('rounded', { amount: '9.99999' }, '10.00')),
  good('the least rate', stated('least-rate', { amount: '99.5' }, '99.50', 'hospital_negotiated_low')),
  good('the least rate, rounded', stated('least-rate', { amount: '99.123456' }, '99.12', 'hospital_negotiated_low')),
  good('the greatest rate', stated('greatest-rate', { amount: '210' }, '210.00', 'hospital_negotiated_high')),
  good('a range', range('80', '140.5', '80.00', '140.50')),
  good('a range, one end rounded', range('80.123456', '140.5', '80.12', '140.50')),
  good(
    'a mark of the publisher',
    flagged(stated('verbatim', { rate: '6.497' }, '6.497', 'medicare_asp'), 'amp_based', 'lesser_of'),
  ),
  good(
    'what was found in a hospital\u2019s file',
    flagged(range('80', '140.5', '80.00', '140.50'), 'partial', 'code_restored', 'rate_outside_range', 'mixed_units'),
  ),
  good(
    'a drug by the unit of a hospital',
    stated('verbatim', { amount: '6.497' }, '', 'hospital_gross', {
      price: { amount: '6.497', currency: 'USD', per: '0.5 ML' },
    }),
  ),
  bad('a mark twice', flagged(range('80', '140.5', '80.00', '140.50'), 'mixed_units', 'mixed_units'), 'flags_mismatch'),
  good(
    'a unit that could not be read',
    flagged(
      stated('verbatim', { rate: '6.497' }, '', 'medicare_asp', {
        price: { amount: '6.497', currency: 'USD', per: '1 UNIT' },
      }),
      'unit_unparsed',
    ),
  ),
  good(
    'far from Medicare',
    flagged(
      {
        ...stated('verbatim', { amount: '9000' }, '9000.00'),
        indicators: { compared_release: 'cms-pfs:2026C:1', compared_amount: '95.19' },
      },
      'far_from_medicare',
    ),
  ),
  bad('a factor with decimals cut off', factor({ rate: '22.05999' }, '22.05'), 'price_mismatch'),
  bad('a factor of four decimals, rounded', factor({ rate: '22.0549' }, '22.05'), 'inputs_malformed'),
  bad('a factor of four decimals and zeros, rounded', factor({ rate: '22.054900' }, '22.05'), 'inputs_malformed'),
  bad('a factor that rounds to nothing', factor({ rate: '0.00499' }, '0.01'), 'inputs_malformed'),
  bad('two factors', factor({ rate: '22.05499', amount: '22.05499' }, '22.05'), 'inputs_malformed'),
  bad('a factor with a flag of a cap', flagged(factor({ rate: '22.05499' }, '22.05'), 'opps_cap'), 'flags_mismatch'),
  bad('the least of several factors', factor({ amount: '22.05499' }, '22.05', 'least-rate'), 'unknown_method'),
  ...['medicare_clfs', 'medicare_asc', 'medicare_asp', 'medicare_dmepos', 'medicare_pfs'].map((basis) =>
    bad(`rounded on ${basis}`, stated('rounded', { rate: '22.05499' }, '22.05', basis), 'unknown_method'),
  ),
  bad(
    'a stated rate that is not the price',
    stated('verbatim', { rate: '10.57' }, '10.56', 'medicare_clfs'),
    'price_mismatch',
  ),
  bad('a price with decimals cut off', stated('rounded', { amount: '140.20999' }, '140.20'), 'price_mismatch'),
  bad('an amount where a range follows', stated('range', { low: '1.00', high: '2.00' }, '1.00'), 'price_mismatch'),
  bad('a range with another end', range('80', '140.5', '80.00', '140.51'), 'price_mismatch'),
  bad(
    'the least rate, changed',
    stated('least-rate', { amount: '99.5' }, '99.51', 'hospital_negotiated_low'),
    'price_mismatch',
  ),
  bad(
    'the greatest rate, changed',
    stated('greatest-rate', { amount: '99.5' }, '99.49', 'hospital_negotiated_high'),
    'price_mismatch',
  ),
  bad(
    'a unit that could be read',
    flagged(stated('verbatim', { rate: '6.497' }, '6.497', 'medicare_asp'), 'unit_unparsed'),
    'flags_mismatch',
  ),
  bad(
    'far from Medicare, and from what is not said',
    flagged(stated('verbatim', { amount: '9000' }, '9000.00'), 'far_from_medicare'),
    'flags_mismatch',
  ),
  bad(
    'compared with Medicare, and no flag',
    { ...stated('verbatim', { amount: '9000' }, '9000.00'), indicators: { compared_amount: '95.19' } },
    'flags_mismatch',
  ),
  bad('a cap on a stated amount', flagged(stated('verbatim', { amount: '9' }, '9.00'), 'opps_cap'), 'flags_mismatch'),
  bad('a stated zero', stated('verbatim', { rate: '0.00' }, '0.01', 'medicare_clfs'), 'inputs_malformed'),
  bad('five decimals as stated', stated('verbatim', { amount: '1.00001' }, '1.00'), 'inputs_malformed'),
  bad('four decimals, rounded', stated('rounded', { amount: '1.0050' }, '1.01'), 'inputs_malformed'),
  bad('rounded to zero', stated('rounded', { amount: '0.00499' }, '0.01'), 'inputs_malformed'),
  bad(
    'ten digits before the point',
    stated('verbatim', { amount: '1000000000.00' }, '1000000000.00'),
    'inputs_malformed',
  ),
  bad('21 decimals', stated('rounded', { amount: `1.${'1'.repeat(21)}` }, '1.11'), 'inputs_malformed'),
  bad(
    'a stated rate with a comma',
    stated('verbatim', { rate: '1,200.00' }, '1200.00', 'medicare_clfs'),
    'inputs_malformed',
  ),
  bad(
    'a point and no digits before it',
    stated('verbatim', { rate: '.50' }, '0.50', 'medicare_clfs'),
    'inputs_malformed',
  ),
  bad('a stated rate and amount', stated('verbatim', { rate: '1.00', amount: '1.00' }, '1.00'), 'inputs_malformed'),
  bad('an input of another name', stated('verbatim', { price: '1.00' }, '1.00'), 'inputs_malformed'),
  bad(
    'the least rate as a rate',
    stated('least-rate', { rate: '99.5' }, '99.50', 'hospital_negotiated_low'),
    'inputs_malformed',
  ),
  bad('a range that is none', range('2.00', '1.00', '1.00', '2.00'), 'inputs_malformed'),
  bad('a range with equal ends once rounded', range('1.00', '1.000001', '1.00', '1.01'), 'inputs_malformed'),
  bad(
    'rounded on the laboratory schedule',
    stated('rounded', { rate: '1.00001' }, '1.00', 'medicare_clfs'),
    'unknown_method',
  ),
  bad(
    'a range on a schedule',
    stated('range', { low: '1.00', high: '2.00' }, '1.00', 'medicare_opps'),
    'unknown_method',
  ),
]

export const derivations: Derivation[] = [...fees, ...amounts]
