// One row with its proof: its shape, its place, and who vouches for it.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import type { CitedRow } from '../../src/proof/price/proofs.ts'
import { type Row, rowText } from '../../src/proof/price/row.ts'
import { aFee, MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { type Body, bad, good } from './body.ts'
import { changed, flipped, replaced, respelled } from './edit.ts'
import { ONE_OF_TWO, registry, TWO_OF_TWO, w1, w2 } from './keys.ts'
import { fee, hospitalA, pfs, qpp, world } from './registry.ts'
import { at, cite } from './swaps.ts'

export const row = await cite(pfs, '99213|national|||medicare_pfs|non_facility|')
const single = await cite(qpp, '99213')
const { path, leaf_hash } = row.proof.row
export const otherHash = toBase64(leafHash(utf8('another leaf')))

/** A row in a registry of its own. */
export async function alone(
  given: Row,
  manifest = {},
  witnesses: (typeof w1)[] = [],
  signer = registry,
): Promise<CitedRow> {
  const own = new MemoryRegistry(signer, witnesses)
  return own.cite(own.publish([given], { chart: 'cms-pfs', ...manifest }), 0)
}

/** A row whose leaf has exactly this many bytes. */
function rowOfBytes(length: number): Row {
  const inputs: Record<string, string> = {}
  const made = (): Row => aFee({ cpt: '99213', derivation: { method: 'pfs-formula/1', inputs } })
  const bytes = (): number => utf8(rowText(made())).length
  for (let i = 0; bytes() < length - 200; i++) inputs[`input_${i}`] = '1'.repeat(64)
  inputs['z'] = '1'
  inputs[`z${'z'.repeat(length - bytes() - `,"z":"1"`.length)}`] = '1'
  if (bytes() !== length) throw new Error('the row is not as long as asked')
  return made()
}

const goodRows = [
  good('a price', row, { rows: 1 }),
  good('the first row of a release', await world.cite(pfs, 0), { rows: 1 }),
  good('the last row of a release', await world.cite(pfs, pfs.rows.length - 1), { rows: 1 }),
  good('a tree of one leaf, whose path is empty', single, { rows: 1 }),
  good('a range as a row', await cite(hospitalA, '99215'), { rows: 1 }),
  good('members in another order', Object.fromEntries(Object.entries(row).reverse()), { rows: 1 }),
  good('a row of exactly 16,384 bytes', await alone(rowOfBytes(16_384)), { rows: 1 }),
  good('a quorum of one of two, met by the second', await alone(fee, {}, [w2]), { rows: 1 }, { policy: ONE_OF_TWO }),
  good('a quorum of two of two', await alone(fee, {}, [w1, w2]), { rows: 1 }, { policy: TWO_OF_TWO }),
  good('limits set aside', await alone(fee, { overrides: [{ rule: 'r05', reason: 'checked_by_hand' }] }), { rows: 1 }),
]

const shapes = [
  bad('a member too many in the row', { ...row, note: 'x' }, 'row_malformed'),
  bad('a member of the row missing', changed(row, { flags: undefined }), 'row_malformed'),
  bad('no proof', changed(row, { proof: undefined }), 'proof_missing'),
  bad('a proof that is null', changed(row, { proof: null }), 'proof_missing'),
  bad('a proof that is a list', changed(row, { proof: [] }), 'proof_malformed'),
  bad('a proof of version 1', changed(row, { 'proof.type': 'agent-trust-registry/row-proof@v1' }), 'proof_malformed'),
  bad('a member too many in the proof', changed(row, { 'proof.key': 'x' }), 'proof_malformed'),
  bad('a member too many in proof.row', changed(row, { 'proof.row.size': 5 }), 'proof_malformed'),
  bad('a member too many in the release', changed(row, { 'proof.release.note': 'x' }), 'proof_malformed'),
  bad('a member too many in a citation', changed(row, { 'proof.release.citations.0.page': 1 }), 'proof_malformed'),
  bad('a member too many in the period', changed(row, { 'proof.in_force.period.npi': null }), 'proof_malformed'),
  bad('a member too many in the state', changed(row, { 'proof.in_force.state.size': 1 }), 'proof_malformed'),
  bad('a member too many in the log', changed(row, { 'proof.log.size': 4 }), 'proof_malformed'),
  bad('no in_force', changed(row, { 'proof.in_force': undefined }), 'proof_malformed'),
  bad('a proof without its state', changed(row, { 'proof.in_force.state': undefined }), 'proof_malformed'),
  bad('no path', changed(row, { 'proof.row.path': undefined }), 'proof_malformed'),
  bad('no checkpoint', changed(row, { 'proof.log.checkpoint': undefined }), 'proof_malformed'),
  bad('no supersedes in the release', changed(row, { 'proof.release.supersedes': undefined }), 'proof_malformed'),
  bad('an index that is text', changed(row, { 'proof.row.index': '3' }), 'proof_malformed'),
  bad('an index below zero', changed(row, { 'proof.row.index': -1 }), 'proof_malformed'),
  bad('an index that is not whole', changed(row, { 'proof.row.index': 2.5 }), 'proof_malformed'),
  bad('a manifest of version 1', changed(row, { 'proof.release.schema': 'price-release/1' }), 'proof_malformed'),
  bad('a release of another name', changed(row, { 'proof.release.release_id': 'cms-opps:2026C:1' }), 'proof_malformed'),
  bad('a revision of zero', changed(row, { 'proof.release.release_id': 'cms-pfs:2026C:0' }), 'proof_malformed'),
  bad(
    'an edition that ends before it begins',
    changed(row, { 'proof.release.effective_to': '2026-06-30' }),
    'proof_malformed',
  ),
  bad('a period by nobody', changed(row, { 'proof.release.period_by': 'guess' }), 'proof_malformed'),
  bad('providers of a schedule', changed(row, { 'proof.release.providers': ['1234567893'] }), 'proof_malformed'),
  bad(
    'a hospital without providers',
    changed(await cite(hospitalA, '99215'), { 'proof.release.providers': undefined }),
    'proof_malformed',
  ),
  bad('an empty list of limits set aside', changed(row, { 'proof.release.overrides': [] }), 'proof_malformed'),
  bad('a publisher that is not ASCII', changed(row, { 'proof.release.publisher': 'Publi\u00e9' }), 'proof_malformed'),
  bad('a chart with a capital', changed(row, { 'proof.release.chart': 'CMS-pfs' }), 'proof_malformed'),
  bad(
    'a time with a leap second',
    changed(row, { 'proof.release.recorded_at': '2026-06-30T23:59:60Z' }),
    'proof_malformed',
  ),
  bad(
    'a time that does not exist',
    changed(row, { 'proof.release.recorded_at': '2026-06-31T00:00:00Z' }),
    'proof_malformed',
  ),
  bad('a file with a slash', changed(row, { 'proof.release.citations.0.file': 'a/b.csv' }), 'proof_malformed'),
  bad('a digest in capitals', changed(row, { 'proof.release.citations.0.sha256': 'AB'.repeat(32) }), 'proof_malformed'),
  bad('a row of 16,385 bytes', await alone(rowOfBytes(16_385)), 'row_too_large'),
]

const trees = [
  bad('one bit of the row', changed(row, { 'price.amount': '95.18' }), 'leaf_hash_mismatch'),
  bad('one bit of the leaf hash', changed(row, { 'proof.row.leaf_hash': flipped(leaf_hash) }), 'leaf_hash_mismatch'),
  bad(
    'a leaf hash with padding bits set',
    changed(row, { 'proof.row.leaf_hash': respelled(leaf_hash) }),
    'leaf_hash_mismatch',
  ),
  bad(
    'one bit of the row and its leaf hash made to fit',
    changed(row, {
      'price.amount': '95.18',
      'proof.row.leaf_hash': toBase64(leafHash(utf8(rowText(changed(fee, { 'price.amount': '95.18' }))))),
    }),
    'row_not_in_release',
  ),
  bad('one bit of the path', changed(row, { 'proof.row.path.0': flipped(path[0] as string) }), 'row_not_in_release'),
  bad(
    'a path hash with padding bits set',
    changed(row, { 'proof.row.path.0': respelled(path[0] as string) }),
    'row_not_in_release',
  ),
  bad('a tree of one leaf with a path', changed(single, { 'proof.row.path': [otherHash] }), 'row_not_in_release'),
  bad('an empty path', changed(row, { 'proof.row.path': [] }), 'row_not_in_release'),
  bad('a hash too few in the path', changed(row, { 'proof.row.path': path.slice(0, -1) }), 'row_not_in_release'),
  bad('a hash too many in the path', changed(row, { 'proof.row.path': [...path, otherHash] }), 'row_not_in_release'),
  bad('a path in the wrong order', changed(row, { 'proof.row.path': path.toReversed() }), 'row_not_in_release'),
  bad('the index of another row', changed(row, { 'proof.row.index': 2 }), 'row_not_in_release'),
  bad('an index equal to the size', changed(row, { 'proof.row.index': pfs.rows.length }), 'row_not_in_release'),
  bad('the largest index there is', changed(row, { 'proof.row.index': 2 ** 53 - 1 }), 'row_not_in_release'),
  bad(
    'an index past exact integers',
    replaced(
      JSON.stringify(row),
      `"index":${at(pfs, '99213|national|||medicare_pfs|non')}`,
      '"index":9007199254740992',
    ),
    'json_malformed',
  ),
  bad('a path of 63 hashes', changed(row, { 'proof.row.path': Array(63).fill(otherHash) }), 'row_not_in_release'),
  bad('a path of 64 hashes', changed(row, { 'proof.row.path': Array(64).fill(otherHash) }), 'proof_malformed'),
  bad(
    'a row with the path of its neighbour',
    changed(row, { 'proof.row': (await world.cite(pfs, 0)).proof.row }),
    'leaf_hash_mismatch',
  ),
  bad('a row in another release', { ...row, proof: { ...single.proof, row: row.proof.row } }, 'row_not_in_release'),
  bad(
    'a root of the rows with padding bits set',
    await alone(fee, { rows_root: respelled(pfs.manifest.rows_root) }),
    'row_not_in_release',
  ),
  bad('a release said to have no rows', await alone(fee, { row_count: 0 }), 'row_not_in_release'),
  bad('a path hash with a space', changed(row, { 'proof.row.path.0': ` ${path[0]?.slice(1)}` }), 'proof_malformed'),
  bad('a path hash with a newline after it', changed(row, { 'proof.row.path.0': `${path[0]}\n` }), 'proof_malformed'),
  bad(
    'a path hash without padding',
    changed(row, { 'proof.row.path.0': (path[0] as string).slice(0, -1) }),
    'proof_malformed',
  ),
  bad(
    'a path hash in the url alphabet',
    changed(row, { 'proof.row.path.0': `-${path[0]?.slice(1)}` }),
    'proof_malformed',
  ),
  bad('a path hash in hex', changed(row, { 'proof.row.path.0': 'ab'.repeat(32) }), 'proof_malformed'),
]

export const proofs: Body[] = [...goodRows, ...shapes, ...trees]
