// Whether a row's reason to have no price follows from the inputs it states.

import type { Row } from '../../src/proof/price/row.ts'
import { aPlace, aRow } from '../../src/proof/registry-fixture.ts'
import { bad, type Derivation, flagged, good, type Inputs } from './derivations.ts'

const absent = (method: string, inputs: Inputs, reason: string, basis: string): Row =>
  aRow({ cpt: '99213', kind: 'absence', basis, reason, derivation: { method: `${method}/1`, inputs } })
const status = (status_code: string, reason: string) => absent('cms-status', { status_code }, reason, 'medicare_pfs')
const opps = (status_indicator: string, reason: string) =>
  absent('opps-status', { status_indicator }, reason, 'medicare_opps')
const asc = (payment_indicator: string, reason: string) =>
  absent('asc-indicator', { payment_indicator }, reason, 'medicare_asc')
const blank = (non_rural: string, rural: string) =>
  absent('dmepos-blank', { non_rural, rural }, 'no_price_stated', 'medicare_dmepos')
const unstated = (rate: string, basis = 'medicare_asp') => absent('no-amount', { rate }, 'no_price_stated', basis)
const rule = (name: string, reason: string, basis = 'hospital_cash') =>
  absent('row-rule', { rule: name }, reason, basis)

const STATUSES = {
  B: 'bundled',
  P: 'bundled',
  C: 'carrier_priced',
  N: 'not_covered',
  E: 'paid_elsewhere',
  X: 'paid_elsewhere',
  I: 'not_valid',
  J: 'anesthesia',
  M: 'no_price_stated',
}
const OPPS = {
  N: 'bundled',
  Q1: 'conditionally_packaged',
  Q2: 'conditionally_packaged',
  Q3: 'conditionally_packaged',
  Q4: 'conditionally_packaged',
  A: 'paid_elsewhere',
  F: 'paid_elsewhere',
  L: 'paid_elsewhere',
  Y: 'paid_elsewhere',
  C: 'inpatient_only',
  E1: 'not_covered',
  E2: 'no_price_stated',
  B: 'not_valid',
  D: 'not_valid',
  M: 'not_valid',
  S: 'no_price_stated',
}
const ASC = {
  N1: 'bundled',
  L1: 'bundled',
  D1: 'bundled',
  H7: 'carrier_priced',
  J7: 'carrier_priced',
  K7: 'carrier_priced',
  F4: 'paid_elsewhere',
  M6: 'paid_elsewhere',
  B5: 'not_valid',
  D5: 'not_valid',
  U5: 'not_valid',
  X5: 'not_valid',
  C5: 'inpatient_only',
  E5: 'not_covered',
  Y5: 'not_covered',
  K5: 'no_price_stated',
  L6: 'no_price_stated',
  A2: 'no_price_stated',
}
const RULES = {
  R02: 'unreadable',
  R03: 'unreadable',
  R14: 'unreadable',
  R08_min_max: 'withheld_conflict',
  R10: 'withheld_conflict',
}
const BLANKS = [
  ['blank', 'blank'],
  ['blank', '0'],
  ['0.00', 'blank'],
  ['0.0', '0.0000'],
  ['0.000', '0'],
  ['NA', '00000.00'],
  ['0.00000', '0'.repeat(20)],
] as const
const NOT_BLANK = ['0.', '.00', '-0', 'Blank', 'na', 'N_A', '0.01', '91.36', '0'.repeat(21), `0.${'0'.repeat(21)}`]
const each = (words: Record<string, string>, made: (word: string, reason: string) => Row, what: string) =>
  Object.entries(words).map(([word, reason]) => good(`${what} ${word}: ${reason}`, made(word, reason)))

export const reasons: Derivation[] = [
  ...each(STATUSES, status, 'status'),
  ...each(OPPS, opps, 'outpatient status'),
  ...each(ASC, asc, 'surgery center indicator'),
  ...each(RULES, rule, 'rule'),
  ...[
    'medicare_pfs',
    'medicare_pfs_qpp',
    'medicare_clfs',
    'medicare_opps',
    'medicare_asc',
    'medicare_asp',
    'medicare_dmepos',
    'medicare_anesthesia',
  ].map((basis) => good(`a rule on ${basis}`, rule('R02', 'unreadable', basis))),
  good(
    'not applicable in a setting',
    absent('pfs-na', { na_indicator: 'NA' }, 'not_applicable_in_setting', 'medicare_pfs'),
  ),
  good(
    'a laboratory line priced locally',
    absent('clfs-indicator', { indicator: 'L' }, 'carrier_priced', 'medicare_clfs'),
  ),
  ...['NA', 'blank', '0.000'].map((rate) => good(`a drug whose limit is ${rate}`, unstated(rate))),
  ...['blank', '00000.00', '0'].map((rate) =>
    good(`a laboratory rate that is ${rate}`, unstated(rate, 'medicare_clfs')),
  ),
  ...NOT_BLANK.map((rate) =>
    bad(`a laboratory rate that is ${rate}`, unstated(rate, 'medicare_clfs'), 'inputs_malformed'),
  ),
  good('a hospital\u2019s charge without an amount', unstated('blank', 'hospital_negotiated_low')),
  ...[
    ...['medicare_pfs', 'medicare_opps', 'medicare_asc', 'medicare_dmepos'],
    ...['hospital_cash', 'hospital_gross', 'hospital_negotiated_high'],
  ].map((basis) => bad(`no amount on ${basis}`, unstated('0', basis), 'unknown_method')),
  ...BLANKS.map(([town, country]) => good(`equipment without an amount: ${town}, ${country}`, blank(town, country))),
  ...NOT_BLANK.map((cell) => bad(`equipment whose cell is ${cell}`, blank(cell, 'blank'), 'inputs_malformed')),
  ...NOT_BLANK.map((cell) => bad(`equipment whose rural cell is ${cell}`, blank('0', cell), 'inputs_malformed')),
  bad(
    'equipment with one cell',
    absent('dmepos-blank', { non_rural: 'blank' }, 'no_price_stated', 'medicare_dmepos'),
    'inputs_malformed',
  ),
  bad(
    'equipment with three cells',
    absent(
      'dmepos-blank',
      { non_rural: 'blank', rural: 'blank', super_rural: 'blank' },
      'no_price_stated',
      'medicare_dmepos',
    ),
    'inputs_malformed',
  ),
  bad(
    'another reason for equipment',
    absent('dmepos-blank', { non_rural: 'blank', rural: 'blank' }, 'not_covered', 'medicare_dmepos'),
    'reason_mismatch',
  ),
  bad('equipment with a flag', flagged(blank('blank', 'blank'), 'partial'), 'flags_mismatch'),
  bad(
    'the cells of equipment for a drug',
    absent('dmepos-blank', { non_rural: 'blank', rural: 'blank' }, 'no_price_stated', 'medicare_asp'),
    'unknown_method',
  ),
  bad(
    'the cells of equipment as a price',
    aRow({
      cpt: 'E0601',
      basis: 'medicare_dmepos',
      derivation: { method: 'dmepos-blank/1', inputs: { non_rural: 'blank', rural: 'blank' } },
    }),
    'unknown_method',
  ),
  bad('a reason of another status', status('B', 'not_covered'), 'reason_mismatch'),
  bad('status E as in version 1', status('E', 'not_covered'), 'reason_mismatch'),
  bad('a reason of another outpatient status', opps('N', 'conditionally_packaged'), 'reason_mismatch'),
  bad('a reason of another surgery center indicator', asc('N1', 'not_covered'), 'reason_mismatch'),
  bad('a reason of another rule', rule('R10', 'unreadable'), 'reason_mismatch'),
  bad(
    'another reason for what is not applicable',
    absent('pfs-na', { na_indicator: 'NA' }, 'not_covered', 'medicare_pfs'),
    'reason_mismatch',
  ),
  bad(
    'another reason for a laboratory line',
    absent('clfs-indicator', { indicator: 'L' }, 'bundled', 'medicare_clfs'),
    'reason_mismatch',
  ),
  bad(
    'another reason for a drug',
    absent('no-amount', { rate: 'NA' }, 'not_covered', 'medicare_asp'),
    'reason_mismatch',
  ),
  bad('a status that is no letter', status('1', 'no_price_stated'), 'inputs_malformed'),
  bad('a status in small letters', status('b', 'bundled'), 'inputs_malformed'),
  bad('an outpatient status of three signs', opps('Q11', 'bundled'), 'inputs_malformed'),
  bad('a surgery center indicator of one sign', asc('N', 'bundled'), 'inputs_malformed'),
  bad('an unknown rule', rule('R05', 'unreadable'), 'inputs_malformed'),
  bad(
    'another laboratory indicator',
    absent('clfs-indicator', { indicator: 'N' }, 'carrier_priced', 'medicare_clfs'),
    'inputs_malformed',
  ),
  bad('another input', absent('no-amount', { limit: '0' }, 'no_price_stated', 'medicare_asp'), 'inputs_malformed'),
  bad(
    'not quite NA',
    absent('pfs-na', { na_indicator: 'N' }, 'not_applicable_in_setting', 'medicare_pfs'),
    'inputs_malformed',
  ),
  bad(
    'an input too many in an absence',
    absent('cms-status', { status_code: 'B', note: 'x' }, 'bundled', 'medicare_pfs'),
    'inputs_malformed',
  ),
  bad('an absence without inputs', absent('cms-status', {}, 'bundled', 'medicare_pfs'), 'inputs_malformed'),
  bad('a flag on an absence', flagged(status('B', 'bundled'), 'partial'), 'flags_mismatch'),
  bad(
    'a method for prices on an absence',
    absent('verbatim', { rate: '1.00' }, 'bundled', 'medicare_clfs'),
    'unknown_method',
  ),
  bad(
    'an outpatient status on the physician schedule',
    absent('opps-status', { status_indicator: 'N' }, 'bundled', 'medicare_pfs'),
    'unknown_method',
  ),
  bad('a place', aPlace('60611', 'US-IL-16'), 'inputs_malformed'),
  bad('what is not a row', { kind: 'price' }, 'inputs_malformed'),
  bad('null', null, 'inputs_malformed'),
]
