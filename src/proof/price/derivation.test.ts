import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  amountOf,
  type DerivationFault,
  type DerivationVerdict,
  isPaidApart,
  roundedAmount,
  statedAmount,
  verifyDerivation,
} from './derivation.ts'
import { BASES, type Basis, type Row } from './row.ts'

const base = {
  code: 'G0101',
  payer: null,
  modifier: null,
  npi: null,
  class: null,
  indicators: {},
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

const usd = (amount: string) => ({ amount, currency: 'USD' as const, per: null })

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
    price: { ...price, currency: 'USD', per: null },
    derivation: { method: 'verbatim/1', inputs: {} },
  }) as Row

function absence(method: string, stated: Record<string, string>, reason: string, basis: Basis = 'medicare_pfs') {
  return {
    ...base,
    kind: 'absence',
    basis,
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

  test('knows the flag of the cap and no other of its own', () => {
    for (const flags of [['na_indicator'], ['verified'], ['opps_cap'], ['opps_cap', 'opps_cap']])
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
    const row = { ...fee(), price: { low: '90.00', high: '95.19', currency: 'USD', per: null } }
    expect(verifyDerivation(row)).toEqual(failed('price_mismatch'))
  })
})

test('an amount is as stated, whatever zeros it is padded with', () => {
  for (const [name, text, amount] of [
    ['rate', '00720.00', '720.00'],
    ['rate', '9.5', '9.50'],
    ['rate', '5.', '5.00'],
    ['amount', '1000', '1000.00'],
    ['amount', '12.3400', '12.34'],
    ['rate', '6.497', '6.497'],
    ['rate', '6.4970', '6.497'],
    ['rate', '0.0012', '0.0012'],
    ['rate', '10.0100', '10.01'],
    ['rate', '10.00100000000000000000', '10.001'],
    ['rate', '000000000999999999.9999', '999999999.9999'],
  ] as const)
    expect([text, verifyDerivation(priced('verbatim/1', { [name]: text }, hospital({ amount })))]).toEqual([text, OK])
  const row = hospital({ amount: '720.00' })
  expect(verifyDerivation(priced('verbatim/1', { rate: '00721.00' }, row))).toEqual(failed('price_mismatch'))
  expect(verifyDerivation(priced('verbatim/1', { rate: '7200' }, row))).toEqual(failed('price_mismatch'))
  expect(verifyDerivation(priced('verbatim/1', { rate: '720.001' }, row))).toEqual(failed('price_mismatch'))
  for (const stated of [
    {},
    { price: '720.00' },
    { rate: '720.00', amount: '720.00' },
    { rate: '720.00001' },
    { rate: '0.00' },
    { rate: '0.00000' },
    { rate: '1234567890' },
    { rate: '1,000.00' },
    { rate: '.5' },
    { rate: '-1' },
  ] as Record<string, string>[])
    expect([stated, verifyDerivation(priced('verbatim/1', stated, row))]).toEqual([stated, failed('inputs_malformed')])
  const flagged = { ...priced('verbatim/1', { rate: '720.00' }, row), flags: ['na_indicator'] }
  expect(verifyDerivation(flagged)).toEqual(failed('flags_mismatch'))
})

test('an amount with more than four decimals is rounded half up, and is nothing when it comes to less than a cent', () => {
  for (const [rate, amount] of [
    ['140.20951', '140.21'],
    ['140.20499999', '140.20'],
    ['140.20500', '140.205'],
    ['140.205001', '140.21'],
    ['0.00512', '0.01'],
    ['12.9999999999', '13.00'],
    ['999999999.99999', '1000000000.00'],
  ] as const) {
    const method = amount === '140.205' ? 'verbatim/1' : 'rounded/1'
    expect([rate, verifyDerivation(priced(method, { rate }, hospital({ amount })))]).toEqual([rate, OK])
  }
  const row = hospital({ amount: '140.21' })
  expect(verifyDerivation(priced('rounded/1', { amount: '140.20951' }, row))).toEqual(OK)
  expect(verifyDerivation(priced('rounded/1', { rate: '140.21499' }, row))).toEqual(OK)
  expect(verifyDerivation(priced('rounded/1', { rate: '140.21501' }, row))).toEqual(failed('price_mismatch'))
  // Four decimals or fewer are stated as they are, by the other method.
  for (const rate of ['140.21', '140.2100000', '140', '140.2099', '0.00301', '-1.00501', '1.5e3', '1,000.00501'])
    expect([rate, verifyDerivation(priced('rounded/1', { rate }, row))]).toEqual([rate, failed('inputs_malformed')])
})

test('stated and rounded amounts are those of exact decimals', () => {
  const decimal = fc.tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.stringMatching(/^[0-9]{0,12}$/))
  fc.assert(
    fc.property(decimal, ([whole, digits]) => {
      const text = `${whole}.${digits}`
      const scale = 10n ** BigInt(digits.length)
      const value = BigInt(`${whole}${digits}`)
      const needed = digits.replace(/0+$/, '').length
      const cents = (value * 100n * 2n + scale) / (2n * scale)
      const exact = `${whole}.${digits.slice(0, Math.max(needed, 2)).padEnd(2, '0')}`
      expect(statedAmount(text)).toBe(needed > 4 || value === 0n ? undefined : exact)
      const rounded = String(cents).padStart(3, '0').replace(/(..)$/, '.$1')
      expect(roundedAmount(text)).toBe(needed <= 4 || cents === 0n ? undefined : rounded)
      expect(amountOf(text)).toBe(statedAmount(text) ?? roundedAmount(text))
    }),
    { numRuns: 2_000 },
  )
})

test('a range is its least and its greatest amount', () => {
  const row = hospital({ low: '10.00', high: '20.00' })
  expect(verifyDerivation(priced('range/1', { low: '10.00', high: '20.00' }, row))).toEqual(OK)
  expect(verifyDerivation(priced('range/1', { low: '9.999999', high: '20.000' }, row))).toEqual(OK)
  expect(verifyDerivation(priced('range/1', { low: '10.00', high: '21.00' }, row))).toEqual(failed('price_mismatch'))
  expect(verifyDerivation(priced('range/1', { low: '20.00', high: '10.00' }, row))).toEqual(failed('inputs_malformed'))
  expect(verifyDerivation(priced('range/1', { low: '9.00', high: '9' }, row))).toEqual(failed('inputs_malformed'))
  expect(verifyDerivation(priced('range/1', { low: '10.00' }, row))).toEqual(failed('inputs_malformed'))
  expect(verifyDerivation(priced('verbatim/1', { amount: '10.00' }, row))).toEqual(failed('price_mismatch'))
})

test('the least and the greatest rate of a hospital are amounts, stated or rounded', () => {
  for (const method of ['least-rate/1', 'greatest-rate/1'])
    for (const [text, amount] of [
      ['140.2', '140.20'],
      ['140.2095', '140.2095'],
      ['140.20951', '140.21'],
    ] as const) {
      const row = { ...hospital({ amount }), basis: 'hospital_negotiated_low' } as Row
      expect(verifyDerivation(priced(method, { amount: text }, row))).toEqual(OK)
      expect(verifyDerivation(priced(method, { rate: text }, row))).toEqual(failed('inputs_malformed'))
    }
})

test('flags that follow from the row stand there if they follow, and marks of the publisher once', () => {
  const row = priced('verbatim/1', { amount: '10.00' }, hospital({ amount: '10.00' }))
  const compared = { compared_release: 'cms-pfs:RVU26C:1', compared_amount: '95.19' }
  expect(verifyDerivation({ ...row, flags: ['far_from_medicare'], indicators: compared })).toEqual(OK)
  expect(verifyDerivation({ ...row, indicators: compared })).toEqual(failed('flags_mismatch'))
  expect(verifyDerivation({ ...row, flags: ['far_from_medicare'] })).toEqual(failed('flags_mismatch'))
  const unit = { ...row, price: { ...(row as { price: object }).price, per: '1 UNIT' } }
  expect(verifyDerivation({ ...unit, flags: ['unit_unparsed'] })).toEqual(OK)
  expect(verifyDerivation(unit)).toEqual(OK)
  expect(verifyDerivation({ ...row, flags: ['unit_unparsed'] })).toEqual(failed('flags_mismatch'))
  for (const mark of ['amp_based', 'lesser_of', 'partial', 'hiv_prep', 'see_publisher_page']) {
    expect(verifyDerivation({ ...row, flags: [mark] })).toEqual(OK)
    expect(verifyDerivation({ ...row, flags: [mark, mark] })).toEqual(failed('flags_mismatch'))
  }
})

test('a status code is the reason for an absence', () => {
  const reasons = {
    bundled: 'BP',
    carrier_priced: 'C',
    not_covered: 'N',
    paid_elsewhere: 'EX',
    not_valid: 'I',
    anesthesia: 'J',
  }
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

test('a setting that CMS marks NA has no price there', () => {
  expect(verifyDerivation(absence('pfs-na/1', { na_indicator: 'NA' }, 'not_applicable_in_setting'))).toEqual(OK)
  expect(verifyDerivation(absence('pfs-na/1', { na_indicator: 'NA' }, 'bundled'))).toEqual(failed('reason_mismatch'))
  for (const stated of [{ na_indicator: '' }, { na_indicator: 'A' }, {}, { na: 'NA' }] as Record<string, string>[])
    expect(verifyDerivation(absence('pfs-na/1', stated, 'not_applicable_in_setting'))).toEqual(
      failed('inputs_malformed'),
    )
})

test('a laboratory line marked L is priced by the carrier', () => {
  const lab = (indicator: string, reason: string) =>
    verifyDerivation(absence('clfs-indicator/1', { indicator }, reason, 'medicare_clfs'))
  expect(lab('L', 'carrier_priced')).toEqual(OK)
  expect(lab('L', 'bundled')).toEqual(failed('reason_mismatch'))
  expect(lab('N', 'carrier_priced')).toEqual(failed('inputs_malformed'))
})

/** Every indicator is the reason that is stated for it here, and no other reason. */
function checkIndicators(method: string, name: string, basis: Basis, reasons: Record<string, string[]>): void {
  for (const [reason, indicators] of Object.entries(reasons))
    for (const indicator of indicators) {
      const stated = { [name]: indicator }
      expect([indicator, verifyDerivation(absence(method, stated, reason, basis))]).toEqual([indicator, OK])
      const other = reason === 'bundled' ? 'not_valid' : 'bundled'
      expect(verifyDerivation(absence(method, stated, other, basis))).toEqual(failed('reason_mismatch'))
    }
}

test('an outpatient status indicator is the reason for an absence', () => {
  checkIndicators('opps-status/1', 'status_indicator', 'medicare_opps', {
    bundled: ['N'],
    conditionally_packaged: ['Q1', 'Q2', 'Q3', 'Q4'],
    paid_elsewhere: ['A', 'F', 'L', 'Y'],
    inpatient_only: ['C'],
    not_covered: ['E1'],
    not_valid: ['B', 'D', 'M'],
    no_price_stated: ['E2', 'G', 'H', 'H1', 'J1', 'K', 'P', 'S', 'T', 'Z9'],
  })
  for (const stated of [{ status_indicator: 'n' }, { status_indicator: 'Q12' }, {}, { status_code: 'N' }] as Record<
    string,
    string
  >[])
    expect(verifyDerivation(absence('opps-status/1', stated, 'bundled', 'medicare_opps'))).toEqual(
      failed('inputs_malformed'),
    )
  const paidApart = ['Q1', 'Q4', 'S', 'T', 'V', 'J1', 'G']
  const neverPaid = ['A', 'B', 'C', 'D', 'E1', 'E2', 'F', 'L', 'M', 'N', 'Y']
  expect(paidApart.map(isPaidApart)).toEqual(paidApart.map(() => true))
  expect(neverPaid.map(isPaidApart)).toEqual(neverPaid.map(() => false))
})

test('a payment indicator of a surgical center is the reason for an absence', () => {
  checkIndicators('asc-indicator/1', 'payment_indicator', 'medicare_asc', {
    bundled: ['N1', 'L1', 'D1'],
    carrier_priced: ['H7', 'J7', 'K7'],
    paid_elsewhere: ['F4', 'M6'],
    not_valid: ['B5', 'D5', 'U5', 'X5'],
    inpatient_only: ['C5'],
    not_covered: ['E5', 'Y5'],
    no_price_stated: ['A2', 'G2', 'Z9', 'K2', 'K5', 'L6'],
  })
  for (const payment_indicator of ['N', '1N', 'n1', 'N11'])
    expect(verifyDerivation(absence('asc-indicator/1', { payment_indicator }, 'bundled', 'medicare_asc'))).toEqual(
      failed('inputs_malformed'),
    )
})

test('a rate that is blank or zero states no price, and a line that a rule refused is not readable', () => {
  for (const basis of ['medicare_asp', 'medicare_clfs', 'hospital_negotiated_low'] as const) {
    const stating = (rate: string) => absence('no-amount/1', { rate }, 'no_price_stated', basis)
    for (const rate of ['NA', 'blank', '0', '0.00', '00000.00']) expect(verifyDerivation(stating(rate))).toEqual(OK)
    for (const rate of ['na', '', '0.', '.00', '-', '0.01', '00000.10', '0'.repeat(21)])
      expect([rate, verifyDerivation(stating(rate))]).toEqual([rate, failed('inputs_malformed')])
  }
  // The others have an indicator, which says more.
  for (const basis of ['medicare_opps', 'medicare_asc', 'medicare_pfs', 'hospital_gross'] as const)
    expect(verifyDerivation(absence('no-amount/1', { rate: '0' }, 'no_price_stated', basis))).toEqual(
      failed('unknown_method'),
    )
  checkIndicators('row-rule/1', 'rule', 'hospital_cash', {
    unreadable: ['R02', 'R03', 'R14'],
    withheld_conflict: ['R08_min_max', 'R10'],
  })
  expect(verifyDerivation(absence('row-rule/1', { rule: 'R05' }, 'unreadable'))).toEqual(failed('inputs_malformed'))
})

test('a method must be one of the basis', () => {
  const stated = { status_indicator: 'N' }
  expect(verifyDerivation(absence('opps-status/1', stated, 'bundled', 'medicare_opps'))).toEqual(OK)
  for (const basis of BASES.filter((each) => each !== 'medicare_opps'))
    expect(verifyDerivation(absence('opps-status/1', stated, 'bundled', basis))).toEqual(failed('unknown_method'))
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

test('a line of the equipment schedule without an amount states none', () => {
  const blank = (stated: Record<string, string>, reason = 'no_price_stated') => ({
    ...{ ...absence('dmepos-blank/1', stated, reason), basis: 'medicare_dmepos', setting: 'non_rural' },
    ...{ region: 'US-IL', class: null, indicators: {} },
  })
  for (const [non_rural, rural] of [
    ['0', '0'],
    ['blank', '0'],
    ['0.00', 'blank'],
  ] as const)
    expect(verifyDerivation(blank({ non_rural, rural }))).toEqual(OK)
  expect(verifyDerivation(blank({ non_rural: '0', rural: '0' }, 'bundled'))).toEqual(failed('reason_mismatch'))
  for (const stated of [{ non_rural: '0' }, { non_rural: '0', rural: '0.01' }, { non_rural: '', rural: '0' }, {}])
    expect(verifyDerivation(blank(stated as Record<string, string>))).toEqual(failed('inputs_malformed'))
  // It is for that schedule only.
  expect(verifyDerivation({ ...blank({ non_rural: '0', rural: '0' }), basis: 'medicare_asp' })).toEqual(
    failed('unknown_method'),
  )
})

test('every input is in its form from the first character to the last, and there is no other', () => {
  const rows: [Row, string][] = [
    [fee({ inputs: { ...inputs, conversion_factor_kind: 'qualifying_apm' } }), 'pfs-formula/1'],
    [fee({ region: 'US-CA-05', inputs: { ...inputs, ...LOCAL } }), 'pfs-formula/1'],
    [absence('cms-status/1', { status_code: 'B' }, 'bundled') as Row, 'cms-status/1'],
    [absence('pfs-na/1', { na_indicator: 'NA' }, 'not_applicable_in_setting') as Row, 'pfs-na/1'],
    [absence('clfs-indicator/1', { indicator: 'L' }, 'carrier_priced', 'medicare_clfs') as Row, 'clfs-indicator/1'],
    [absence('opps-status/1', { status_indicator: 'E2' }, 'no_price_stated', 'medicare_opps') as Row, 'opps-status/1'],
    [
      absence('asc-indicator/1', { payment_indicator: 'A2' }, 'no_price_stated', 'medicare_asc') as Row,
      'asc-indicator/1',
    ],
    [absence('row-rule/1', { rule: 'R02' }, 'unreadable', 'hospital_cash') as Row, 'row-rule/1'],
    [priced('range/1', { low: '1', high: '2' }, hospital({ low: '1.00', high: '2.00' })), 'range/1'],
  ]
  for (const [row, method] of rows) {
    const stated = row.derivation.inputs
    const verdict = (changed: Record<string, string>): DerivationVerdict =>
      verifyDerivation({ ...row, derivation: { method, inputs: changed } } as Row)
    if (method !== 'pfs-formula/1') expect([method, verdict(stated)]).toEqual([method, { ok: true }])
    for (const [name, value] of Object.entries(stated))
      for (const lie of [`x${value}`, `${value}x`, `${value}\n`, ''])
        expect([method, name, lie, verdict({ ...stated, [name]: lie })]).toEqual([
          method,
          name,
          lie,
          { ok: false, reason: 'inputs_malformed' },
        ])
    expect([method, verdict({ ...stated, more: '1' })]).toEqual([method, { ok: false, reason: 'inputs_malformed' }])
  }
  for (const lie of [
    { low: '0', high: '2' },
    { low: '1', high: '0' },
    { low: '2', high: '2' },
  ])
    expect(verifyDerivation(priced('range/1', lie, hospital({ low: '1.00', high: '2.00' })))).toMatchObject({
      ok: false,
    })
  for (const price of [{ low: '1.00', high: '3.00' }, { low: '0.50', high: '2.00' }, { amount: '1.00' }])
    expect(verifyDerivation(priced('range/1', { low: '1', high: '2' }, hospital(price)))).toEqual({
      ok: false,
      reason: 'price_mismatch',
    })
})
