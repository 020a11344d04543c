import { createHash } from 'node:crypto'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { HospitalRow } from '../../src/proof/price/hospital-row.ts'
import type { Citation } from '../../src/proof/price/release.ts'
import type { AbsenceReason, AnyRow, Price, Row } from '../../src/proof/price/row.ts'
import { isOfPrices, rowKey } from '../../src/proof/price/row.ts'
import { aFee, aRow } from '../../src/proof/registry-fixture.ts'
import type { NewRelease } from '../../src/registry/release/store.ts'

// Builders state only what a test is about; amounts are invented.

const aCitation: Citation = {
  title: 'A schedule',
  url: 'https://example.org/schedule.csv',
  file: 'schedule.csv',
  sha256: 'ab'.repeat(32),
  bytes: 100,
  media_type: 'text/csv',
  retrieved_at: '2026-01-01T00:00:00Z',
}

export interface TestRelease extends NewRelease {
  rows: AnyRow[]
}

/** The unit of an amount may be left out. */
type Stated = Price | Omit<Extract<Price, { amount: string }>, 'per'> | Omit<Extract<Price, { low: string }>, 'per'>
type GivenPrice = Partial<Omit<Extract<Row, { kind: 'price' | 'rate' }>, 'price'>> & { price?: Stated }
type GivenAbsence = Partial<Extract<Row, { kind: 'absence' }>>

const BASE = { code: 'G0101', effective_from: '2026-01-01', locator: [{ citation: 0, line: 1 }] }
const isHospital = (basis: string): boolean => basis.startsWith('hospital_')

/** A price whose derivation leads to it: a fee of the physician schedule unless it says another basis. */
export function aPrice({
  price = { amount: '12.34', currency: 'USD' },
  ...given
}: GivenPrice = {}): Extract<Row, { kind: 'price' | 'rate' }> {
  const basis = given.basis ?? 'medicare_pfs'
  const stated = { per: null, ...price }
  const amount = 'amount' in stated ? stated.amount : stated.low
  const isFee = basis.startsWith('medicare_pfs') && 'amount' in stated
  const members = { ...BASE, basis, price: stated, ...given }
  if (isFee) return aFee({ amount, ...members }) as Extract<Row, { kind: 'price' }>
  const derivation =
    'amount' in stated
      ? { method: 'verbatim/1', inputs: { [isHospital(basis) ? 'amount' : 'rate']: amount } }
      : { method: 'range/1', inputs: { low: stated.low, high: stated.high } }
  const setting = isHospital(basis) ? 'outpatient' : basis === 'medicare_opps' ? 'outpatient' : null
  return aRow({ setting, derivation, ...members }) as Extract<Row, { kind: 'price' }>
}

/** A stated absence of the physician schedule unless it says another basis. */
export function anAbsence(given: GivenAbsence = {}): Row {
  const reason = given.reason ?? 'bundled'
  return aRow({ ...BASE, kind: 'absence', basis: 'medicare_pfs', reason, derivation: derivationOf(reason), ...given })
}

const STATUS: { readonly [reason in AbsenceReason]?: string } = {
  bundled: 'B',
  carrier_priced: 'C',
  not_covered: 'N',
  not_valid: 'I',
  anesthesia: 'J',
  paid_elsewhere: 'X',
  no_price_stated: 'M',
}

function derivationOf(reason: AbsenceReason): Row['derivation'] {
  if (reason === 'withheld_conflict') return { method: 'row-rule/1', inputs: { rule: 'R10' } }
  if (reason === 'unreadable') return { method: 'row-rule/1', inputs: { rule: 'R02' } }
  if (reason === 'not_applicable_in_setting') return { method: 'pfs-na/1', inputs: { na_indicator: 'NA' } }
  return { method: 'cms-status/1', inputs: { status_code: STATUS[reason] ?? 'B' } }
}

/** A place of the list of hospitals. */
export const aHospital = (given: Partial<HospitalRow> = {}): HospitalRow => ({
  kind: 'hospital',
  region: 'US-AK',
  zip: '99001',
  npi: '1234567893',
  name: null,
  effective_from: '2026-01-01',
  locator: [{ citation: 0, line: 2 }],
  ...given,
})

/** An edition that lasts, so that a test may ask for any day after its first. */
export function aRelease(release: Partial<TestRelease> = {}): TestRelease {
  const rows = [...(release.rows ?? [aPrice()])].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))
  const edition = release.edition ?? 'TEST1'
  const npis = [...new Set(rows.flatMap((row) => (isOfPrices(row) && row.npi !== null ? [row.npi] : [])))].sort()
  return {
    chart: 'cms-pfs',
    edition,
    effective_from: '2026-01-01',
    effective_to: '2099-12-31',
    period_by: 'operator',
    publisher_until: null,
    data_class: 'published',
    source_digest: createHash('sha256')
      .update(canonical(rows) + edition)
      .digest('hex'),
    citations: [aCitation],
    providers: npis.length > 0 ? npis : null,
    ...release,
    rows,
  }
}
