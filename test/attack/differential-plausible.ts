// Changes after which a row, a manifest, a period, a provider or a state is still one by its shape, so that only what it
// says is wrong.

import { BASES, CLASSES, SETTINGS } from '../../src/proof/price/row.ts'
import type { Dice } from './dice.ts'
import { type Members, NPIS, oneOf } from './lie-world.ts'

const DAYS = [
  '0000-01-01',
  '2026-06-30',
  '2026-07-01',
  '2026-07-02',
  '2026-07-20',
  '2026-08-15',
  '2026-09-29',
  '2026-09-30',
  '2026-10-01',
  '2026-12-31',
  '2027-01-01',
  '9999-12-31',
]
const INSTANTS = ['0000-01-01T00:00:00Z', '2026-10-02T00:00:05.5Z', '2026-10-02T24:00:00Z', '9999-12-31T23:59:59Z']
const CHARTS = [
  'cms-pfs',
  'cms-pfs-qpp',
  'cms-clfs',
  'cms-asp',
  'cms-opps',
  'cms-asc',
  'cms-dmepos',
  'cms-anesthesia',
  'zip-locality',
  'cms-pfs:1234567893',
  'hospital-mrf:1234567893',
  'hospital-mrf:1679576722',
  'hospital-mrf:1000000000',
  'hospital-mrf',
  'a',
]
const HOSPITALS = CHARTS.filter((chart) => chart.startsWith('hospital-mrf:'))
const HASHES = [
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=',
]
const METHODS = [
  'verbatim/1',
  'rounded/1',
  'range/1',
  'pfs-formula/1',
  'cms-status/1',
  'pfs-na/1',
  'opps-status/1',
  'row-rule/1',
  'least-rate/1',
  'verbatim/2',
]
const COUNTS = [0, 1, 2, 3, 5, 1000, 2 ** 32, 2 ** 53 - 1]
const priced = (amount: string, per: string | null = null) => ({ amount, currency: 'USD', per })

/** Values that a member may have, by its name. */
const VALUES: Record<string, readonly unknown[]> = {
  code: ['99213', '80053', 'J0585', 'E0601', '70450', '00000', '00100', '01999', '99999', 'Z9999', '9921Z', '99214'],
  region: [
    'national',
    'CBA-0A1B2C3D',
    'US-IL',
    'US-AL',
    'US-IL-15',
    'US-IL-16',
    'US-AL-00',
    'US-ZZ',
    'US-IL-00',
    'US-IL-99',
  ],
  npi: [null, ...NPIS, '1000000000'],
  payer: [null, 'a-payer', 'A PAYER', '|'],
  publisher_until: DAYS,
  tables: ['0'.repeat(64), 'A'.repeat(64), 'x'],
  modifier: [null, '26', 'RR', '25', '50', '00', 'ZZ', '26-50', '50-26', '26-26', '25-26', 'AA-BB-CC-DD'],
  basis: BASES,
  setting: [null, ...SETTINGS],
  class: [null, ...CLASSES],
  effective_from: DAYS,
  effective_to: DAYS,
  from: DAYS,
  to: DAYS,
  price: [
    priced('0.01'),
    priced('0.0001'),
    priced('999999999999.9999', '1 UNIT'),
    priced('10.56', '0.5 MG'),
    { low: '1.00', high: '1.0001', currency: 'USD', per: null },
    { low: '9.00', high: '10.00', currency: 'USD', per: 'DAY' },
  ],
  reason: ['bundled', 'paid_elsewhere', 'not_valid', 'no_price_stated', 'carrier_priced', 'unreadable'],
  flags: [[], ['partial'], ['partial', 'partial'], ['constructor'], ['far_from_medicare']],
  indicators: [
    {},
    { status: 'A' },
    { bilateral: '2', co_surgeon: '0' },
    { indicator: 'x' },
    { status: 'a'.repeat(80) },
  ],
  derivation: METHODS.map((method) => ({ method, inputs: {} })),
  locator: [
    [],
    [{ citation: 1, line: 1 }],
    [{ citation: 0, line: 2 ** 53 - 1 }],
    Array.from({ length: 64 }, () => ({ citation: 0, line: 1 })),
  ],
  zip: ['60611', '60701', '35004', '00000', '99999'],
  state: ['IL', 'AL', 'GU', 'HI', 'ZZ'],
  plus_four: [null, '0000-9999', '0001-0499', '0500-0500', '0999-0001'],
  chart: CHARTS,
  edition: ['2026C', '2026D', 'A', '-', '...', 'x'.repeat(60)],
  publisher: ['', ' ', '~'.repeat(300)],
  period_by: ['calendar', 'file', 'operator'],
  citations: [[]],
  row_count: COUNTS,
  timeline_size: COUNTS,
  providers_size: COUNTS,
  unreadable_lines: COUNTS,
  rejected_count: COUNTS,
  rows_root: HASHES,
  timeline_root: HASHES,
  providers_root: HASHES,
  release: HASHES,
  data_class: ['published', 'sample'],
  supersedes: [null, 'x', '~'.repeat(300)],
  recorded_at: INSTANTS,
  providers: [[NPIS[0]], NPIS, ['1000000000'], Array.from({ length: 1000 }, () => NPIS[0])],
  overrides: [[{ rule: 'a', reason: 'b' }]],
}

/** A whole row made into one of another kind. */
const KINDS: ((row: Members) => void)[] = [
  (row) => {
    delete row['price']
    Object.assign(row, { kind: 'absence', reason: 'bundled' })
  },
  (row) => {
    delete row['reason']
    Object.assign(row, { kind: 'price', price: priced('12.34') })
  },
  (row) => {
    if ('price' in row) row['kind'] = row['kind'] === 'rate' ? 'price' : 'rate'
  },
  // The largest leaf that is taken is 65,535 bytes.
  (row) => {
    const inputs = Array.from({ length: 792 }, (_, i) => [`a${i}`, 'x'.repeat(64)])
    Object.assign(row, { derivation: { method: 'verbatim/1', inputs: Object.fromEntries(inputs) } })
  },
]

/** The identifier of a release follows from its chart and edition, or the manifest is none. */
function named(manifest: Members, dice: Dice): void {
  const { chart, edition } = manifest
  manifest['release_id'] = `${chart}:${edition}:${oneOf(dice, ['1', '2', '9', '999999999'])}`
  if (String(chart).startsWith('hospital-mrf:')) manifest['providers'] ??= [NPIS[0]]
  else delete manifest['providers']
}

export function changePlausibly(dice: Dice, at: Members): void {
  if ('kind' in at && dice.chance(0.2)) {
    oneOf(dice, KINDS)(at)
    return
  }
  const names = Object.keys(at).filter((name) => name in VALUES)
  if (names.length === 0) return
  const name = oneOf(dice, names)
  const isNpiOfHospital = 'npi' in at && Object.keys(at).length === 2
  const value = at[name]
  if (typeof value === 'number' && dice.chance(0.5)) at[name] = Math.max(0, value + oneOf(dice, [1, -1, 2, -2]))
  else at[name] = oneOf(dice, isNpiOfHospital && name === 'chart' ? HOSPITALS : (VALUES[name] as unknown[]))
  if (at[name] === null && isNpiOfHospital) at[name] = NPIS[1]
  if ('rows_root' in at) named(at, dice)
}
