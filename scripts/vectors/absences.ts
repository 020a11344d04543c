// Absence proofs: two neighbours that leave no room, and all the ways to leave some.

import type { Fault } from '../../src/proof/fault.ts'
import type { AbsenceProof } from '../../src/proof/price/proofs.ts'
import { aFee, MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { changed, flipped, replaced, respelled } from './edit.ts'
import { ONE_OF_TWO, PLAIN, registry } from './keys.ts'
import { hospitalA, NPI, opps, pfs, places, qpp, world } from './registry.ts'
import { at } from './swaps.ts'
import type { VectorOf } from './vector.ts'

type Absence = VectorOf<'absence'>
const good = (name: string, proof: AbsenceProof): Absence => ({
  name,
  kind: 'absence',
  policy: PLAIN,
  proof: JSON.stringify(proof),
  expect: { ok: true },
})
const bad = (name: string, proof: unknown, reason: Fault, policy = PLAIN): Absence => ({
  name,
  kind: 'absence',
  policy,
  proof: JSON.stringify(proof),
  expect: { ok: false, reason },
})

const between = await world.absence(pfs, '99212|')
const prefixed = (key_prefix: string): Promise<AbsenceProof> => world.absence(pfs, key_prefix)
const { left, right } = between
if (!left || !right) throw new Error('the absence in the middle has two neighbours')
const place = (index: number) => pfs.neighbour(index)
const last = pfs.rows.length - 1
const { checkpoint } = await world.proof()
const none = new MemoryRegistry(registry)
const nothing = none.publish([], { chart: 'cms-pfs' })
const size = world.log.leaves.length

export const absences: Absence[] = [
  good('a code between two others', between),
  good('a code before the first', await prefixed('10021|')),
  good('a code after the last', await prefixed('99999|national|')),
  good('a state of a region', await prefixed('99213|US-TX-')),
  good('a locality', await prefixed('99213|US-CA-18|')),
  good('a modifier', await prefixed('99213|national||26|')),
  good('a setting', await prefixed('99213|national|||medicare_pfs|outpatient|')),
  good('a whole key', await prefixed('99213|national|||medicare_pfs|non_facility|professional')),
  good('no setting and no class, a whole key', await prefixed('99213|national|||medicare_pfs||')),
  good('before the only row', await world.absence(qpp, '10021|')),
  good('after the only row', await world.absence(qpp, '99999|')),
  good('anything in a release without rows', await none.absence(nothing, '99213|')),
  good('a code of a hospital', await world.absence(hospitalA, `99214|national|${NPI.A}|`)),
  good('a ZIP code', await world.absence(places, '99999|')),
  good('a part of a ZIP code', await world.absence(places, '60701|2000-2999')),

  bad('neighbours that are not adjacent', { ...between, left: place(left.index - 1) }, 'key_not_enclosed'),
  bad('neighbours in the wrong order', { ...between, left: right, right: left }, 'key_not_enclosed'),
  bad('one neighbour on both sides', { ...between, right: left }, 'key_not_enclosed'),
  bad('a left edge that is not the edge', { ...between, left: null }, 'key_not_enclosed'),
  bad('a right edge that is not the edge', { ...between, right: null }, 'key_not_enclosed'),
  bad('no neighbours in a release with rows', { ...between, left: null, right: null }, 'key_not_enclosed'),
  bad('neighbours before the key', { ...between, key_prefix: '99999|' }, 'key_not_enclosed'),
  bad('neighbours after the key', { ...between, key_prefix: '10021|' }, 'key_not_enclosed'),
  bad('a right neighbour that has the key', { ...between, key_prefix: '99213|' }, 'key_not_enclosed'),
  bad('a left neighbour that has the key', { ...between, key_prefix: '99211|' }, 'key_not_enclosed'),
  bad(
    'a left neighbour that is the key',
    {
      ...between,
      left: place(at(pfs, '99213|national|||medicare_pfs|non')),
      right: place(at(pfs, '99214|')),
      key_prefix: '99213|national|||medicare_pfs|non_facility|',
    },
    'key_not_enclosed',
  ),
  bad(
    'the first row after a key at the left edge',
    { ...between, left: null, right: place(0), key_prefix: '99999|' },
    'key_not_enclosed',
  ),
  bad(
    'the last row before a key at the right edge',
    { ...between, left: place(last), right: null, key_prefix: '10021|' },
    'key_not_enclosed',
  ),

  bad('a prefix that ends inside the code', changed(between, { key_prefix: '9921' }), 'key_prefix_malformed'),
  bad(
    'a prefix that ends at the code without its bar',
    changed(between, { key_prefix: '99212' }),
    'key_prefix_malformed',
  ),
  bad('a prefix that ends inside the region', changed(between, { key_prefix: '99212|US-C' }), 'key_prefix_malformed'),
  bad('a prefix that ends after the country', changed(between, { key_prefix: '99212|US-' }), 'key_prefix_malformed'),
  bad(
    'a prefix that ends after a locality, without its bar',
    changed(between, { key_prefix: '99212|US-CA-18' }),
    'key_prefix_malformed',
  ),
  bad('an empty region', changed(between, { key_prefix: '99212||' }), 'key_prefix_malformed'),
  bad(
    'a prefix that ends inside the modifier',
    changed(between, { key_prefix: '99212|national||2' }),
    'key_prefix_malformed',
  ),
  bad('an empty basis', changed(between, { key_prefix: '99212|national||||' }), 'key_prefix_malformed'),
  bad('a basis that is none', changed(between, { key_prefix: '99212|national|||medicare|' }), 'key_prefix_malformed'),
  bad(
    'a prefix that ends inside the setting',
    changed(between, { key_prefix: '99212|national|||medicare_pfs|out' }),
    'key_prefix_malformed',
  ),
  bad(
    'a class that is none',
    changed(between, { key_prefix: '99212|national|||medicare_pfs||x' }),
    'key_prefix_malformed',
  ),
  bad('eight parts', changed(between, { key_prefix: '99212|national|||medicare_pfs|||' }), 'key_prefix_malformed'),
  bad('a region that no row could have', changed(between, { key_prefix: '99212|nationwide|' }), 'key_prefix_malformed'),
  bad('a code in small letters', changed(between, { key_prefix: 'g0101|' }), 'key_prefix_malformed'),
  bad('a bar alone', changed(between, { key_prefix: '|' }), 'key_prefix_malformed'),
  bad('the key of a place in a schedule', changed(between, { key_prefix: '60611|1000-1999' }), 'key_prefix_malformed'),
  bad(
    'the key of a price among places',
    changed(await world.absence(places, '99999|'), { key_prefix: '99999|national|' }),
    'key_prefix_malformed',
  ),
  bad(
    'a ZIP code without its bar',
    changed(await world.absence(places, '99999|'), { key_prefix: '99999' }),
    'key_prefix_malformed',
  ),
  bad('an empty prefix', changed(between, { key_prefix: '' }), 'proof_malformed'),
  bad('a prefix with a space', changed(between, { key_prefix: '99212 |' }), 'proof_malformed'),

  bad('null', null, 'proof_malformed'),
  bad('another type', changed(between, { type: 'agent-trust-registry/absence-proof@v1' }), 'proof_malformed'),
  bad('a member too many', { ...between, note: 'x' }, 'proof_malformed'),
  bad('a member missing', changed(between, { right: undefined }), 'proof_malformed'),
  bad('a member too many in a neighbour', changed(between, { 'left.leaf_hash': 'x' }), 'proof_malformed'),
  bad('a neighbour with its proof', changed(between, { 'left.row.proof': {} }), 'proof_malformed'),
  bad('an index that is text', changed(between, { 'left.index': '0' }), 'proof_malformed'),
  bad('not said when it is in force', changed(between, { in_force: null }), 'proof_malformed'),
  bad('one bit of a neighbour', changed(between, { 'left.row.locator.0.line': 85 }), 'row_not_in_release'),
  bad('a neighbour that says another key', changed(between, { 'right.row.cpt': '99299' }), 'row_not_in_release'),
  bad(
    'neighbours at other places',
    changed(between, { 'left.index': left.index + 1, 'right.index': right.index + 1 }),
    'row_not_in_release',
  ),
  bad(
    'one bit of the path of a neighbour',
    changed(between, { 'left.path.0': flipped(left.path[0] as string) }),
    'row_not_in_release',
  ),
  bad(
    'a path with padding bits set',
    changed(between, { 'left.path.0': respelled(left.path[0] as string) }),
    'row_not_in_release',
  ),
  bad(
    'a release said to have no rows',
    { ...changed(between, { 'release.row_count': 0 }), left: null, right: null },
    'release_not_in_force',
  ),
  bad(
    'a release said to end earlier',
    { ...changed(between, { 'release.row_count': left.index + 1 }), right: null },
    'release_not_in_force',
  ),
  bad('the release of another proof', { ...between, release: opps.manifest }, 'release_not_in_force'),
  bad(
    'another release and its period',
    { ...between, release: opps.manifest, in_force: { ...world.share(opps).in_force, state: world.state } },
    'row_not_in_release',
  ),
  bad('a period that is forged', changed(between, { 'in_force.period.to': '2026-09-29' }), 'period_not_in_timeline'),
  bad('a state that is forged', changed(between, { 'in_force.state.providers_size': 0 }), 'state_not_in_log'),
  bad(
    'a forged size in the checkpoint',
    changed(between, { 'log.checkpoint': replaced(checkpoint, `\n${size}\n`, `\n${size}0\n`) }),
    'note_signature_invalid',
  ),
  bad('no cosignature where one is asked for', between, 'quorum_not_met', ONE_OF_TWO),
  bad(
    'a neighbour that its release cannot have',
    await (() => {
      const own = new MemoryRegistry(registry)
      return own.absence(own.publish([aFee({ cpt: '99213', setting: 'asc' })], { chart: 'cms-pfs' }), '99211|')
    })(),
    'row_not_of_release',
  ),
]
