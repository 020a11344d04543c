import { describe, expect, test } from 'bun:test'
import { type DerivationFault, type DerivationVerdict, verifyDerivation } from './derivation.ts'
import type { Row } from './row.ts'

const base = {
  cpt: 'G0101',
  modifier: null,
  npi: null,
  effective_from: '2026-01-01',
  flags: [],
  locator: [{ citation: 0, line: 12 }],
}

const inputs = {
  work_rvu: '1.30',
  practice_rvu: '1.46',
  malpractice_rvu: '0.09',
  work_gpci: '1.000',
  practice_gpci: '1.000',
  malpractice_gpci: '1.000',
  conversion_factor: '33.4009',
}
const LOCAL = { work_gpci: '1.083', practice_gpci: '1.331', malpractice_gpci: '0.467', work_gpci_column: 'with_floor' }
const CAP = { opps_practice_rvu: '1.00', opps_malpractice_rvu: '0.05' }

const usd = (amount: string) => ({ amount, currency: 'USD' as const })

function fee(change: { inputs?: Record<string, string>; amount?: string; region?: string; flags?: string[] } = {}) {
  return {
    ...base,
    kind: 'price',
    basis: 'medicare_pfs',
    setting: 'non_facility',
    region: change.region ?? 'national',
    price: usd(change.amount ?? '95.19'),
    flags: change.flags ?? [],
    derivation: { method: 'pfs-formula/1', inputs: change.inputs ?? inputs },
  } satisfies Row
}

const priced = (method: string, stated: Record<string, string>, row: Row) => ({
  ...row,
  derivation: { method, inputs: stated },
})

const hospital = (price: { amount: string } | { low: string; high: string }) =>
  ({
    ...base,
    kind: 'price',
    npi: '1234567893',
    basis: 'hospital_cash',
    setting: 'outpatient',
    region: 'national',
    price: { ...price, currency: 'USD' },
    derivation: { method: 'verbatim/1', inputs: {} },
  }) as Row

function absence(method: string, stated: Record<string, string>, reason: string) {
  return {
    ...base,
    kind: 'absence',
    basis: 'medicare_pfs',
    setting: null,
    region: 'national',
    reason,
    derivation: { method, inputs: stated },
  }
}

const OK: DerivationVerdict = { ok: true }
const failed = (reason: DerivationFault): DerivationVerdict => ({ ok: false, reason })

describe('the physician formula', () => {
  test('is replayed nationally and in a locality', () => {
    expect(verifyDerivation(fee())).toEqual(OK)
    const there = { region: 'US-CA-05', inputs: { ...inputs, ...LOCAL } }
    expect(verifyDerivation(fee({ ...there, amount: '113.34' }))).toEqual(OK)
    expect(verifyDerivation(fee({ ...there, amount: '113.33' }))).toEqual(failed('price_mismatch'))
  })

  test('may say which of the two factors of a year was used, in words that are known', () => {
    for (const conversion_factor_kind of ['qualifying_apm', 'non_qualifying_apm'])
      expect(verifyDerivation(fee({ inputs: { ...inputs, conversion_factor_kind } }))).toEqual(OK)
    for (const conversion_factor_kind of ['apm', 'non_qualifying', 'qualifying_apm_'])
      expect(verifyDerivation(fee({ inputs: { ...inputs, conversion_factor_kind } }))).toEqual(
        failed('inputs_malformed'),
      )
  })

  test('is rounded once, half a cent up', () => {
    const half = { ...inputs, work_rvu: '0.01', practice_rvu: '0', malpractice_rvu: '0.00', conversion_factor: '2.5' }
    expect(verifyDerivation(fee({ inputs: half, amount: '0.03' }))).toEqual(OK)
    expect(verifyDerivation(fee({ inputs: half, amount: '0.02' }))).toEqual(failed('price_mismatch'))
  })

  test('pays the cap where it is lower, and says so with a flag', () => {
    const capped = { ...inputs, ...CAP } // (1.30 + 1.00 + 0.05) x 33.4009 = 78.492115
    expect(verifyDerivation(fee({ inputs: capped, amount: '78.49', flags: ['opps_cap'] }))).toEqual(OK)
    expect(verifyDerivation(fee({ inputs: capped, amount: '78.49' }))).toEqual(failed('flags_mismatch'))
    expect(verifyDerivation(fee({ inputs: capped, flags: ['opps_cap'] }))).toEqual(failed('price_mismatch'))
    const idle = { ...inputs, ...CAP, opps_practice_rvu: '9.00' }
    expect(verifyDerivation(fee({ inputs: idle }))).toEqual(OK)
    expect(verifyDerivation(fee({ inputs: idle, flags: ['opps_cap'] }))).toEqual(failed('flags_mismatch'))
  })

  test('knows the mark NA, once and first, and no other flag', () => {
    expect(verifyDerivation(fee({ flags: ['na_indicator'] }))).toEqual(OK)
    for (const flags of [['na_indicator', 'na_indicator'], ['verified'], ['opps_cap', 'na_indicator'], ['opps_cap']])
      expect([flags, verifyDerivation(fee({ flags }))]).toEqual([flags, failed('flags_mismatch')])
  })

  const without = (name: string) => Object.fromEntries(Object.entries(inputs).filter(([each]) => each !== name))
  test.each<[string, Record<string, string>, string]>([
    ['an input too few', without('malpractice_rvu'), 'national'],
    ['an input too many', { ...inputs, total_rvu: '2.85' }, 'national'],
    ['an index that is not one, nationally', { ...inputs, work_gpci: '1.001' }, 'national'],
    ['an index of one in another spelling, nationally', { ...inputs, work_gpci: '1' }, 'national'],
    ['a work column, nationally', { ...inputs, work_gpci_column: 'with_floor' }, 'national'],
    ['no work column in a locality', inputs, 'US-CA-05'],
    ['a work column that does not exist', { ...inputs, work_gpci_column: 'best' }, 'US-CA-05'],
    ['half a cap', { ...inputs, opps_practice_rvu: '1.00' }, 'national'],
    ['a cap of zero', { ...inputs, ...CAP, opps_practice_rvu: '0.00' }, 'national'],
    ['three places in a relative value', { ...inputs, work_rvu: '1.300' }, 'national'],
    ['a negative value', { ...inputs, work_rvu: '-1.30' }, 'national'],
    ['a word', { ...inputs, conversion_factor: 'NA' }, 'national'],
    ['a total of zero', { ...inputs, work_rvu: '0.00', practice_rvu: '0', malpractice_rvu: '0.0' }, 'national'],
  ])('refuses %s', (_, given, region) => {
    expect(verifyDerivation(fee({ inputs: given, region }))).toEqual(failed('inputs_malformed'))
  })

  test('does not make a range', () => {
    const row = { ...fee(), price: { low: '90.00', high: '95.19', currency: 'USD' } }
    expect(verifyDerivation(row)).toEqual(failed('price_mismatch'))
  })
})

test('an amount is as stated, whatever zeros it is padded with', () => {
  for (const [name, text, amount] of [
    ['rate', '00720.00', '720.00'],
    ['rate', '9.5', '9.50'],
    ['amount', '1000', '1000.00'],
    ['amount', '12.3400', '12.34'],
  ] as const)
    expect([text, verifyDerivation(priced('verbatim/1', { [name]: text }, hospital({ amount })))]).toEqual([text, OK])
  const row = hospital({ amount: '720.00' })
  expect(verifyDerivation(priced('verbatim/1', { rate: '00721.00' }, row))).toEqual(failed('price_mismatch'))
  expect(verifyDerivation(priced('verbatim/1', { rate: '7200' }, row))).toEqual(failed('price_mismatch'))
  for (const stated of [
    {},
    { price: '720.00' },
    { rate: '720.00', amount: '720.00' },
    { rate: '720.001' },
    { rate: '0.00' },
    { rate: '1234567890' },
  ] as Record<string, string>[])
    expect([stated, verifyDerivation(priced('verbatim/1', stated, row))]).toEqual([stated, failed('inputs_malformed')])
  const flagged = { ...priced('verbatim/1', { rate: '720.00' }, row), flags: ['na_indicator'] }
  expect(verifyDerivation(flagged)).toEqual(failed('flags_mismatch'))
})

test('a rate in fractions of a cent is rounded half up, and is nothing when it comes to less than a cent', () => {
  for (const [rate, amount] of [
    ['140.209', '140.21'],
    ['140.204', '140.20'],
    ['140.205', '140.21'],
    ['0.0051', '0.01'],
    ['12.9999999999', '13.00'],
  ] as const)
    expect([rate, verifyDerivation(priced('rounded/1', { rate }, hospital({ amount })))]).toEqual([rate, OK])
  const row = hospital({ amount: '140.21' })
  expect(verifyDerivation(priced('rounded/1', { rate: '140.214' }, row))).toEqual(OK)
  expect(verifyDerivation(priced('rounded/1', { rate: '140.215' }, row))).toEqual(failed('price_mismatch'))
  // What has whole cents is stated as it is, by the other method.
  for (const rate of ['140.21', '140.210', '140', '0.003', '-1.005', '1.5e3', '1,000.005'])
    expect([rate, verifyDerivation(priced('rounded/1', { rate }, row))]).toEqual([rate, failed('inputs_malformed')])
  expect(verifyDerivation(priced('rounded/1', { amount: '140.209' }, row))).toEqual(failed('inputs_malformed'))
})

test('a range is its least and its greatest amount', () => {
  const row = hospital({ low: '10.00', high: '20.00' })
  expect(verifyDerivation(priced('range/1', { low: '10.00', high: '20.00' }, row))).toEqual(OK)
  expect(verifyDerivation(priced('range/1', { low: '10.00', high: '21.00' }, row))).toEqual(failed('price_mismatch'))
  expect(verifyDerivation(priced('range/1', { low: '20.00', high: '10.00' }, row))).toEqual(failed('inputs_malformed'))
  expect(verifyDerivation(priced('range/1', { low: '10.00' }, row))).toEqual(failed('inputs_malformed'))
  expect(verifyDerivation(priced('verbatim/1', { amount: '10.00' }, row))).toEqual(failed('price_mismatch'))
})

test('a status code is the reason for an absence', () => {
  const reasons = { bundled: 'BP', carrier_priced: 'C', not_covered: 'NEX', not_valid: 'I', anesthesia: 'J' }
  const all = { ...reasons, no_price_stated: 'ARTM' }
  for (const [reason, codes] of Object.entries(all))
    for (const status_code of codes) {
      expect(verifyDerivation(absence('cms-status/1', { status_code }, reason))).toEqual(OK)
      const other = reason === 'bundled' ? 'not_valid' : 'bundled'
      expect(verifyDerivation(absence('cms-status/1', { status_code }, other))).toEqual(failed('reason_mismatch'))
    }
  for (const stated of [{ status_code: 'b' }, { status_code: 'BB' }, {}, { status: 'B' }] as Record<string, string>[])
    expect(verifyDerivation(absence('cms-status/1', stated, 'bundled'))).toEqual(failed('inputs_malformed'))
  const flagged = { ...absence('cms-status/1', { status_code: 'B' }, 'bundled'), flags: ['opps_cap'] }
  expect(verifyDerivation(flagged)).toEqual(failed('flags_mismatch'))
})

test('a laboratory line marked L is priced by the carrier', () => {
  expect(verifyDerivation(absence('clfs-indicator/1', { indicator: 'L' }, 'carrier_priced'))).toEqual(OK)
  expect(verifyDerivation(absence('clfs-indicator/1', { indicator: 'L' }, 'bundled'))).toEqual(
    failed('reason_mismatch'),
  )
  expect(verifyDerivation(absence('clfs-indicator/1', { indicator: 'N' }, 'carrier_priced'))).toEqual(
    failed('inputs_malformed'),
  )
})

test('an outpatient status indicator is the reason for an absence', () => {
  const reasons = {
    bundled: ['N', 'Q1', 'Q2', 'Q3', 'Q4'],
    not_covered: ['A', 'C', 'E1', 'F', 'L', 'Y'],
    not_valid: ['B', 'D', 'M'],
    no_price_stated: ['E2', 'G', 'H', 'H1', 'J1', 'K', 'P', 'S', 'T', 'Z9'],
  }
  for (const [reason, indicators] of Object.entries(reasons))
    for (const status_indicator of indicators) {
      const stated = { status_indicator }
      expect([status_indicator, verifyDerivation(absence('opps-status/1', stated, reason))]).toEqual([
        status_indicator,
        OK,
      ])
      const other = reason === 'bundled' ? 'not_valid' : 'bundled'
      expect(verifyDerivation(absence('opps-status/1', stated, other))).toEqual(failed('reason_mismatch'))
    }
  for (const stated of [{ status_indicator: 'n' }, { status_indicator: 'Q12' }, {}, { status_code: 'N' }] as Record<
    string,
    string
  >[])
    expect(verifyDerivation(absence('opps-status/1', stated, 'bundled'))).toEqual(failed('inputs_malformed'))
})

test('a method must be known, and fit the kind of row', () => {
  const { derivation, ...row } = fee()
  for (const method of ['pfs-formula/2', 'guess/1', 'cms-status/1'])
    expect(verifyDerivation({ ...row, derivation: { ...derivation, method } })).toEqual(failed('unknown_method'))
  expect(verifyDerivation(absence('verbatim/1', { amount: '1.00' }, 'bundled'))).toEqual(failed('unknown_method'))
})

test('what is not a row is refused without a fault', () => {
  for (const value of [null, undefined, 7, 'row', [], {}, { ...fee(), extra: 1 }])
    expect(verifyDerivation(value)).toEqual(failed('inputs_malformed'))
  expect(verifyDerivation({ ...fee(), proof: { anything: true } })).toEqual(OK)
})
