// Whether a row's price, or its reason to have none, follows from the inputs it states.

import type { DerivationFault } from '../../src/proof/price/derivation.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { changed } from './edit.ts'
import { aPrice, aStatedAbsence, feeInputs, hospital, laboratories, physicians } from './published.ts'
import type { VectorOf } from './vector.ts'

type Derivation = VectorOf<'derivation'>
const good = (name: string, row: unknown): Derivation => ({
  name,
  kind: 'derivation',
  row: JSON.stringify(row),
  expect: { ok: true },
})
const bad = (name: string, row: unknown, reason: DerivationFault): Derivation => ({
  name,
  kind: 'derivation',
  row: JSON.stringify(row),
  expect: { ok: false, reason },
})

const usd = (amount: string) => ({ amount, currency: 'USD' })
const fee = (inputs: Record<string, string>, amount: string, given: Record<string, unknown> = {}): Row =>
  aPrice({ price: usd(amount), derivation: { method: 'pfs-formula/1', inputs: { ...feeInputs, ...inputs } }, ...given })
const stated = (inputs: Record<string, string>, amount: string): Row =>
  aPrice({ price: usd(amount), derivation: { method: 'verbatim/1', inputs } })
const range = (inputs: Record<string, string>, low: string, high: string): Row =>
  aPrice({ price: { low, high, currency: 'USD' }, derivation: { method: 'range/1', inputs } })
const status = (status_code: string, reason: string): Row =>
  aStatedAbsence({ reason, derivation: { method: 'cms-status/1', inputs: { status_code } } })
const cap = { opps_practice_rvu: '1.00', opps_malpractice_rvu: '0.05' }
const [capped, locality] = physicians.rows as [Row, Row]

export const derivations: Derivation[] = [
  good('a national fee', aPrice()),
  good('a fee with its proof, which is not looked at', await physicians.cited('99213|national')),
  good('a fee in a locality', locality),
  good('a fee under its cap', capped),
  good('a cap above the fee', fee({ opps_practice_rvu: '9.00', opps_malpractice_rvu: '0.05' }, '95.19')),
  good('a cap equal to the fee', fee({ opps_practice_rvu: '1.46', opps_malpractice_rvu: '0.09' }, '95.19')),
  good(
    'half a cent, rounded up',
    fee({ work_rvu: '1.00', practice_rvu: '0', malpractice_rvu: '0', conversion_factor: '33.405' }, '33.41'),
  ),
  good(
    'just below half a cent, rounded down',
    fee({ work_rvu: '1.00', practice_rvu: '0', malpractice_rvu: '0', conversion_factor: '33.4049' }, '33.40'),
  ),
  good(
    'a sum that binary fractions get wrong',
    fee({ work_rvu: '0.15', practice_rvu: '0', malpractice_rvu: '0', conversion_factor: '6.7' }, '1.01'),
  ),
  good('a mark in the source', { ...aPrice(), flags: ['na_indicator'] }),
  good('a mark and a cap', { ...capped, flags: ['na_indicator', 'opps_cap'] }),
  good('a stated rate with zeros before it', laboratories.rows[0]),
  good('a stated rate with zeros after it', stated({ rate: '10.5600' }, '10.56')),
  good('a stated amount without cents', stated({ amount: '120' }, '120.00')),
  good('a range', hospital.rows[1]),
  good('status B is bundled', status('B', 'bundled')),
  good('status P is bundled', status('P', 'bundled')),
  good('status C is priced by the carrier', status('C', 'carrier_priced')),
  good('status N is not covered', status('N', 'not_covered')),
  good('status E is not covered', status('E', 'not_covered')),
  good('status X is not covered', status('X', 'not_covered')),
  good('status I is not valid', status('I', 'not_valid')),
  good('status J is anesthesia', status('J', 'anesthesia')),
  good('any other status states no price', status('M', 'no_price_stated')),
  good(
    'a laboratory line priced locally',
    aStatedAbsence({
      reason: 'carrier_priced',
      derivation: { method: 'clfs-indicator/1', inputs: { indicator: 'L' } },
    }),
  ),

  bad('a cent too much', fee({}, '95.20'), 'price_mismatch'),
  bad(
    'half a cent rounded down',
    fee({ work_rvu: '1.00', practice_rvu: '0', malpractice_rvu: '0', conversion_factor: '33.405' }, '33.40'),
    'price_mismatch',
  ),
  bad('a fee above its cap', fee(cap, '95.19'), 'price_mismatch'),
  bad('a stated rate that is not the price', stated({ rate: '10.57' }, '10.56'), 'price_mismatch'),
  bad(
    'a range where an amount is stated',
    aPrice({ price: { low: '1.00', high: '95.19', currency: 'USD' } }),
    'price_mismatch',
  ),
  bad(
    'an amount where a range is stated',
    aPrice({ derivation: { method: 'range/1', inputs: { low: '1.00', high: '95.19' } } }),
    'price_mismatch',
  ),
  bad('a range with another end', range({ low: '80.00', high: '140.50' }, '80.00', '140.51'), 'price_mismatch'),
  bad('a cap without its flag', { ...capped, flags: [] }, 'flags_mismatch'),
  bad('a flag without its cap', { ...aPrice(), flags: ['opps_cap'] }, 'flags_mismatch'),
  bad('flags in the wrong order', { ...capped, flags: ['opps_cap', 'na_indicator'] }, 'flags_mismatch'),
  bad('an unknown flag', { ...aPrice(), flags: ['discount'] }, 'flags_mismatch'),
  bad(
    'a mark on a stated amount',
    { ...stated({ rate: '95.19' }, '95.19'), flags: ['na_indicator'] },
    'flags_mismatch',
  ),
  bad('a flag on a stated absence', { ...status('B', 'bundled'), flags: ['na_indicator'] }, 'flags_mismatch'),
  bad('an unknown method', aPrice({ derivation: { method: 'average/1', inputs: {} } }), 'unknown_method'),
  bad(
    'a later version of a method',
    aPrice({ derivation: { method: 'pfs-formula/2', inputs: feeInputs } }),
    'unknown_method',
  ),
  bad(
    'a method for absences on a price',
    aPrice({ derivation: { method: 'cms-status/1', inputs: { status_code: 'B' } } }),
    'unknown_method',
  ),
  bad(
    'a method for prices on an absence',
    aStatedAbsence({ derivation: { method: 'verbatim/1', inputs: { rate: '1.00' } } }),
    'unknown_method',
  ),
  bad('a reason of another status', status('B', 'not_covered'), 'reason_mismatch'),
  bad(
    'another reason for a laboratory line',
    aStatedAbsence({ derivation: { method: 'clfs-indicator/1', inputs: { indicator: 'L' } } }),
    'reason_mismatch',
  ),
  bad('an input missing', changed(aPrice(), { 'derivation.inputs.work_rvu': undefined }), 'inputs_malformed'),
  bad('an input too many', fee({ discount: '0.10' }, '95.19'), 'inputs_malformed'),
  bad('a relative value of three decimals', fee({ work_rvu: '1.300' }, '95.19'), 'inputs_malformed'),
  bad('a national fee with a factor of a locality', fee({ work_gpci: '1.083' }, '98.80'), 'inputs_malformed'),
  bad(
    'a locality without its column',
    changed(locality, { 'derivation.inputs.work_gpci_column': undefined }),
    'inputs_malformed',
  ),
  bad('half a cap', fee({ opps_practice_rvu: '1.00' }, '95.19'), 'inputs_malformed'),
  bad('a cap of zero', fee({ ...cap, opps_practice_rvu: '0.00' }, '95.19'), 'inputs_malformed'),
  bad(
    'a fee of zero relative values',
    fee({ work_rvu: '0.00', practice_rvu: '0', malpractice_rvu: '0' }, '0.00'),
    'inputs_malformed',
  ),
  bad('a stated zero', stated({ rate: '0.00' }, '0.00'), 'inputs_malformed'),
  bad('a stated rate with a comma', stated({ rate: '1,200.00' }, '1200.00'), 'inputs_malformed'),
  bad('a stated rate and amount', stated({ rate: '1.00', amount: '1.00' }, '1.00'), 'inputs_malformed'),
  bad('a range that is none', range({ low: '2.00', high: '1.00' }, '1.00', '2.00'), 'inputs_malformed'),
  bad('a status that is no letter', status('1', 'no_price_stated'), 'inputs_malformed'),
  bad('what is not a row', { kind: 'price' }, 'inputs_malformed'),
  bad('null', null, 'inputs_malformed'),
]
