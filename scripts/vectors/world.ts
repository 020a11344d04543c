// The registry behind the vectors of bodies: every schedule, hospitals, editions that follow each other, one that was
// withdrawn, one that was replaced, and a provider who moved. Amounts are invented.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import type { RegistryState } from '../../src/proof/price/release.ts'
import type { AnyRow } from '../../src/proof/price/row.ts'
import { type Standing, stateOf } from '../../src/proof/price/timeline.ts'
import { aFee, aPlace, aRow, MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { registry as signer } from '../../test/support/vector-keys.ts'
import { wordsIn } from './table.ts'

/** Members of every manifest, as short as may be. */
const citations = [
  {
    ...{ title: 'S', url: '', file: 's.csv', sha256: '0'.repeat(64), bytes: 1, media_type: 'text/csv' },
    retrieved_at: '2026-06-01T00:00:00Z',
  },
]
export const SHORT = { publisher: 'P', citations }
type Given = Parameters<MemoryRegistry['publish']>[1]
export const POLICY = formatPolicy([signer])
export const DAY = '2026-07-15'
export const [NPI, OVER, UNKNOWN] = ['1234567893', '1679576722', '1003000126']
export const HOSPITAL = `hospital-mrf:${NPI}`
const BEGUN = { effective_from: '2026-04-01' }
export const SPRING = { edition: '2026B', ...BEGUN, effective_to: '2026-06-30' }

/** A question by its words: the code, and members as `region=60611`. */
export const asked = (text: string): { cpt: string; as_of: string } => {
  const [cpt = '', ...parts] = wordsIn(text)
  return { cpt, as_of: DAY, ...Object.fromEntries(parts.map((part) => part.split('='))) }
}

const absent = (code: string, status_code: string, reason: string, more: object = {}): AnyRow =>
  aRow({
    ...{ code, kind: 'absence', basis: 'medicare_pfs', reason },
    ...{ derivation: { method: 'cms-status/1', inputs: { status_code } }, ...more },
  })
const supply = (code: string, region: string, setting: string, amount: string, more: object = {}): AnyRow =>
  aRow({ code, basis: 'medicare_dmepos', region, setting, amount, ...more })
const notThere = { derivation: { method: 'pfs-na/1', inputs: { na_indicator: 'NA' } } }
export const charge = (code: string, amount: string, more: object = {}): AnyRow =>
  aRow({ code, npi: NPI, basis: 'hospital_cash', amount, ...more })

const FEES = [
  aFee({ code: '10021' }),
  aFee({ code: '99213' }),
  aFee({ code: '99213', setting: 'facility', amount: '57.45' }),
  aFee({ code: '99213', region: 'US-IL-15', amount: '97.00' }),
  aFee({ code: '99213', region: 'US-IL-16', amount: '98.00' }),
  aFee({ code: '99213', region: 'US-AL-00', amount: '91.00' }),
  aFee({ code: '99214', effective_from: '2026-08-01' }),
  aFee({ code: '70450', modifier: '26', amount: '41.00' }),
  aFee({ code: '99217', region: 'US-IL-16' }),
  aFee({ code: '36415', amount: '9.00', indicators: { bilateral: '0', assistant: '1', co_surgeon: '0' } }),
  absent('99070', 'B', 'bundled'),
  absent('80053', 'X', 'paid_elsewhere'),
  absent('99000', 'N', 'not_covered'),
  absent('99199', 'C', 'carrier_priced'),
  absent('99499', 'I', 'not_valid'),
  absent('99100', 'J', 'anesthesia'),
  absent('99600', 'M', 'no_price_stated'),
  absent('99285', '', 'not_applicable_in_setting', { setting: 'non_facility', ...notThere }),
  aFee({ code: '99285', setting: 'facility', amount: '170.00' }),
  absent('99286', '', 'not_applicable_in_setting', { setting: 'non_facility', ...notThere }),
]
const PLACES = [
  aPlace('60611', 'US-IL-16'),
  aPlace('60701', null),
  aPlace('60701', 'US-IL-15', '0001-0499'),
  aPlace('60701', 'US-IL-16', '0500-0999'),
  { ...aPlace('59001', 'US-MT-01'), rural: true },
  { ...aPlace('59101', 'US-MT-01'), rural: false },
  { ...aPlace('33101', 'US-FL-04'), bidding_area: 'CBA-1A2B3C4D' },
]

function world(): MemoryRegistry {
  const made = new MemoryRegistry(signer)
  const publish = (rows: readonly AnyRow[], given: Given): MemoryRelease => made.publish(rows, { ...SHORT, ...given })
  publish([aFee({ code: '99213', amount: '94.00', ...BEGUN })], { chart: 'cms-pfs', ...SPRING })
  const bad = { chart: 'cms-opps', ...SPRING }
  made.withdraw(publish([aRow({ code: '74177', basis: 'medicare_opps', setting: 'outpatient', ...BEGUN })], bad))
  publish([aRow({ code: '80053', amount: '1.00' })], { chart: 'cms-clfs' })
  publish([aRow({ code: '80053' }), aRow({ code: '85576', modifier: 'QW', amount: '24.91' })], {
    chart: 'cms-clfs',
    release_id: 'cms-clfs:2026C:2',
    supersedes: 'cms-clfs:2026C:1',
  })
  publish(FEES, { chart: 'cms-pfs', supersedes: 'cms-pfs:2026B:1' })
  publish([aRow({ code: 'J0881', basis: 'medicare_asp', amount: '4.00' })], {
    ...{ chart: 'cms-asp', period_by: 'operator', publisher_until: '2026-08-31' },
  })
  publish(
    [
      supply('A4253', 'US-IL', 'non_rural', '8.32'),
      supply('A4253', 'US-MT', 'non_rural', '2.00'),
      supply('A4253', 'US-MT', 'rural', '3.00'),
      supply('A4253', 'US-FL', 'non_rural', '7.00'),
      supply('A4253', 'CBA-1A2B3C4D', 'non_rural', '5.55'),
      supply('E0601', 'US-IL', 'non_rural', '45.00', { modifier: 'RR' }),
    ],
    { chart: 'cms-dmepos' },
  )
  const factor = { kind: 'rate', basis: 'medicare_anesthesia', amount: '20.49' }
  publish([aRow({ code: '00000', ...factor })], { chart: 'cms-anesthesia' })
  publish([aRow({ code: '66984', basis: 'medicare_asc', setting: 'asc' })], { chart: 'cms-asc' })
  const stay = { weight: '1.0000', labor: '6.00', nonlabor: '4.00', capital: '0.56', wage_index: '1.0000' }
  publish(
    [
      aRow({
        code: 'DRG-470',
        basis: 'medicare_ipps',
        setting: 'inpatient',
        amount: '10.56',
        derivation: { method: 'ipps-base/1', inputs: stay },
      }),
    ],
    { chart: 'cms-ipps' },
  )
  publish(PLACES, { chart: 'zip-locality' })
  const range = { price: { low: '80.00', high: '90.00', currency: 'USD', per: null } }
  const ofRange = { ...range, derivation: { method: 'range/1', inputs: { low: '80.00', high: '90.00' } } }
  publish(
    [
      charge('99213', '150.00'),
      charge('99213', '140.00', { modifier: '25', setting: 'outpatient' }),
      charge('99213', '60.00', { basis: 'hospital_payer', payer: 'aetna/commercial', setting: 'outpatient' }),
      charge('99213', '55.00', { basis: 'hospital_payer', payer: 'aetna/exchange', setting: 'outpatient' }),
      charge('99213', '70.00', { basis: 'hospital_payer', payer: 'cigna/unstated', setting: 'outpatient' }),
      charge('70551', '1719.00', { modifier: 'TC', setting: 'outpatient' }),
      charge('99213', '66.00', { basis: 'hospital_allowed_median', payer: 'cigna/unstated', setting: 'outpatient' }),
      charge('99213', '61.00', { basis: 'hospital_allowed_10th', payer: 'cigna/unstated', setting: 'outpatient' }),
      charge('99213', '75.00', { basis: 'hospital_allowed_90th', payer: 'cigna/unstated', setting: 'outpatient' }),
      charge('99213', '68.00', { basis: 'hospital_allowed_estimate', payer: 'cigna/unstated', setting: 'outpatient' }),
      aRow({
        kind: 'absence',
        code: '99213',
        npi: NPI,
        basis: 'hospital_payer',
        payer: 'kaiser/unstated',
        setting: 'outpatient',
        reason: 'algorithm_only',
        derivation: { method: 'formula-only/1', inputs: { terms: 'formula' } },
      }),
      charge('99213', '300.00', { basis: 'hospital_gross' }),
      charge('99214', '1.00', { basis: 'hospital_negotiated_low', ...ofRange }),
      charge('J0881', '5.00', { price: { amount: '5.00', currency: 'USD', per: '10 MG' } }),
      charge('99215', '7.00', { modifier: 'TC' }),
      charge('99217', '7.00'),
      charge('99216', '', {
        ...{ kind: 'absence', reason: 'no_price_stated', basis: 'hospital_negotiated_low' },
        derivation: { method: 'no-amount/1', inputs: { rate: 'blank' } },
      }),
    ],
    { chart: HOSPITAL, providers: [NPI] },
  )
  const over = { chart: `hospital-mrf:${OVER}`, providers: [OVER], ...SPRING }
  publish([charge('99213', '1.00', { npi: OVER, ...BEGUN })], over)
  return made
}
export const registry = world()
export const releaseOf = (chart: string, edition = '2026C'): MemoryRelease =>
  registry.releases.findLast(
    ({ manifest }) => manifest.chart === chart && manifest.edition === edition,
  ) as MemoryRelease

/** A hospital and a schedule alone, where the matter is the form of an answer. */
export const small = new MemoryRegistry(signer)
small.publish(
  FEES.filter((row) => 'code' in row && ['10021', '36415', '99070'].includes(row.code)),
  { ...SHORT, chart: 'cms-pfs' },
)
small.publish(
  ['99215', '99216', '99217', '99218', '99219', '99220'].map((code) => charge(code, '7.00')),
  { ...SHORT, chart: HOSPITAL, providers: [NPI] },
)

/** The registry of an operator who signs this state in place of the last one, with the timeline and providers of it. */
export function signing(
  honest: MemoryRegistry,
  { standing = honest.standing, ...members }: { standing?: Standing } & Partial<RegistryState>,
): MemoryRegistry {
  const made = honest.snapshot()
  const state = { ...stateOf(standing, honest.now), ...members }
  Object.defineProperty(made, 'standing', { value: standing })
  made.entries.splice(-1, 1, state)
  made.log.leaves.splice(-1, 1, leafHash(utf8(canonical(state))))
  return made
}

/** A registry of one release, whose rows stand as they are given. */
export function only(rows: readonly AnyRow[], chart = 'cms-pfs'): { of: MemoryRegistry; release: MemoryRelease } {
  const of = new MemoryRegistry(signer)
  const release = new MemoryRelease(rows, { ...SHORT, chart }, false)
  of.releases.push(release)
  return { of: of.append(release.manifest), release }
}
