// Absence proofs: two neighbours that leave no room, and all the ways to leave some.

import type { AbsenceProof } from '../../src/proof/price/row.ts'
import type { Fault } from '../../src/proof/verify.ts'
import { changed, flipped, replaced, respelled } from './edit.ts'
import { ONE_OF_TWO, PLAIN } from './keys.ts'
import { laboratories, nothing, physicians, registryLog } from './published.ts'
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

const between = await physicians.absence('99212|national|')
const [first, second, third, fourth, last] = await Promise.all([0, 1, 2, 3, 4].map((index) => physicians.place(index)))
const prefixed = (key_prefix: string): Promise<AbsenceProof> => physicians.absence(key_prefix)
const { left } = between
if (!left) throw new Error('the absence in the middle has a left neighbour')
const checkpoint = await registryLog.checkpoint()

export const absences: Absence[] = [
  good('a code between two others', between),
  good('a code before the first', await prefixed('10021|')),
  good('a code after the last', await prefixed('99999|national|')),
  good('a state of a region', await prefixed('99213|US-TX-')),
  good('a locality', await prefixed('99213|US-CA-18|')),
  good('a modifier', await prefixed('99213|national||26|')),
  good('a whole key', await prefixed('99213|national|||medicare_pfs|outpatient')),
  good('a whole key that another continues', await prefixed('99213|national|||medicare_clfs|')),
  good('before the only row', await laboratories.absence('10021|')),
  good('after the only row', await laboratories.absence('99213|')),
  good('anything in a release without rows', await nothing.absence('99213|')),

  bad('neighbours that are not adjacent', { ...between, left: first, right: third }, 'neighbours_not_adjacent'),
  bad('neighbours in the wrong order', { ...between, left: second, right: first }, 'neighbours_not_adjacent'),
  bad('one neighbour on both sides', { ...between, left: first, right: first }, 'neighbours_not_adjacent'),
  bad('a left edge that is not the edge', { ...between, left: null }, 'neighbours_not_adjacent'),
  bad('a right edge that is not the edge', { ...between, right: null }, 'neighbours_not_adjacent'),
  bad('no neighbours in a release with rows', { ...between, left: null, right: null }, 'neighbours_missing'),
  bad('neighbours before the key', { ...between, key_prefix: '99999|' }, 'key_not_enclosed'),
  bad('neighbours after the key', { ...between, key_prefix: '10021|' }, 'key_not_enclosed'),
  bad(
    'a right neighbour that has the key',
    { ...between, left: first, right: second, key_prefix: '99213|' },
    'key_not_enclosed',
  ),
  bad(
    'a left neighbour that has the key',
    { ...between, left: last, right: null, key_prefix: '99214|' },
    'key_not_enclosed',
  ),
  bad(
    'a key that is there, between its neighbours in settings',
    { ...between, left: third, right: fourth, key_prefix: '99213|national|||medicare_pfs|non_facility' },
    'key_not_enclosed',
  ),
  bad(
    'the first row after a key at the left edge',
    { ...between, left: null, right: first, key_prefix: '99999|' },
    'key_not_enclosed',
  ),
  bad(
    'the last row before a key at the right edge',
    { ...between, left: last, right: null, key_prefix: '10021|' },
    'key_not_enclosed',
  ),

  bad('a prefix that ends inside the code', await prefixed('9921'), 'key_prefix_malformed'),
  bad('a prefix that ends at the code without its bar', await prefixed('99212'), 'key_prefix_malformed'),
  bad('a prefix that ends inside the region', await prefixed('99213|US-C'), 'key_prefix_malformed'),
  bad('a prefix that ends inside the modifier', await prefixed('99213|national||2'), 'key_prefix_malformed'),
  bad(
    'a prefix that ends inside the setting',
    await prefixed('99213|national|||medicare_pfs|out'),
    'key_prefix_malformed',
  ),
  bad('a region that no row could have', await prefixed('99213|nationwide|'), 'key_prefix_malformed'),
  bad('a code in small letters', await prefixed('g0101|'), 'key_prefix_malformed'),
  bad('seven parts', await prefixed('99213|national|||medicare_pfs|outpatient|'), 'key_prefix_malformed'),
  bad('a bar alone', changed(between, { key_prefix: '|' }), 'key_prefix_malformed'),
  bad('an empty prefix', changed(between, { key_prefix: '' }), 'proof_malformed'),
  bad('a prefix with a space', changed(between, { key_prefix: '99212 |' }), 'proof_malformed'),

  bad('null', null, 'proof_malformed'),
  bad('another type', changed(between, { type: 'agent-trust-registry/row-proof@v1' }), 'proof_malformed'),
  bad('a member too many', { ...between, note: 'x' }, 'proof_malformed'),
  bad('a member missing', changed(between, { right: undefined }), 'proof_malformed'),
  bad('a member too many in a neighbour', changed(between, { 'left.leaf_hash': 'x' }), 'proof_malformed'),
  bad('a member too many in the row of a neighbour', changed(between, { 'left.row.proof': {} }), 'proof_malformed'),
  bad('an index that is text', changed(between, { 'left.index': '0' }), 'proof_malformed'),
  bad('one bit of a neighbour', changed(between, { 'left.row.locator.0.line': 85 }), 'row_not_in_release'),
  bad('a neighbour that says another key', changed(between, { 'right.row.cpt': '99299' }), 'row_not_in_release'),
  bad('a neighbour at another place', changed(between, { 'left.index': 1, 'right.index': 2 }), 'row_not_in_release'),
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
    'release_not_in_log',
  ),
  bad(
    'a release said to end earlier',
    { ...changed(between, { 'release.row_count': 1 }), right: null },
    'row_not_in_release',
  ),
  bad(
    'the log proof of another release',
    { ...between, log: (await laboratories.absence('10021|')).log },
    'release_not_in_log',
  ),
  bad(
    'a forged size in the checkpoint',
    changed(between, { 'log.checkpoint': replaced(checkpoint, '\n4\n', '\n40\n') }),
    'note_signature_invalid',
  ),
  bad('no cosignature where one is asked for', between, 'quorum_not_met', ONE_OF_TWO),
]
