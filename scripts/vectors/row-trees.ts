// Bodies that are one row whose hashes do not fit: wrong paths, single bits, second spellings.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { type CitedRow, rowText } from '../../src/proof/price/row.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { alone, type Body, bad, row } from './body.ts'
import { changed, flipped, replaced, respelled } from './edit.ts'
import { aPrice, hospital, laboratories, physicians } from './published.ts'

const single = await laboratories.cited('80053')
const otherHash = toBase64(leafHash(utf8('another leaf')))
const { path, leaf_hash } = row.proof.row
const { inclusion, checkpoint } = row.proof.log
const withPath = (first: string): CitedRow => changed(row, { 'proof.row.path.0': first })
const withInclusion = (first: string): CitedRow => changed(row, { 'proof.log.inclusion.0': first })

const trees = [
  bad('a tree of one leaf with a path', changed(single, { 'proof.row.path': [otherHash] }), 'row_not_in_release'),
  bad('an empty path in a tree of five', changed(row, { 'proof.row.path': [] }), 'row_not_in_release'),
  bad('a hash too few in the path', changed(row, { 'proof.row.path': path.slice(0, -1) }), 'row_not_in_release'),
  bad('a hash too many in the path', changed(row, { 'proof.row.path': [...path, otherHash] }), 'row_not_in_release'),
  bad('a path in the wrong order', changed(row, { 'proof.row.path': path.toReversed() }), 'row_not_in_release'),
  bad('the index of another row', changed(row, { 'proof.row.index': 2 }), 'row_not_in_release'),
  bad('an index equal to the size', changed(row, { 'proof.row.index': 5 }), 'row_not_in_release'),
  bad('the largest index there is', changed(row, { 'proof.row.index': 2 ** 53 - 1 }), 'row_not_in_release'),
  bad(
    'an index past exact integers',
    replaced(JSON.stringify(row), '"index":3', '"index":9007199254740992'),
    'json_malformed',
  ),
  bad('a path of 63 hashes', changed(row, { 'proof.row.path': Array(63).fill(otherHash) }), 'row_not_in_release'),
  bad('a path of 64 hashes', changed(row, { 'proof.row.path': Array(64).fill(otherHash) }), 'proof_malformed'),
  bad('a row count that the path does not fit', changed(row, { 'proof.release.row_count': 9 }), 'row_not_in_release'),
  bad('a row count that the path fits too', changed(row, { 'proof.release.row_count': 6 }), 'release_not_in_log'),
  bad('a row count of zero', changed(row, { 'proof.release.row_count': 0 }), 'row_not_in_release'),
  bad(
    'a row with the path of its neighbour',
    changed(row, {
      'proof.row': (await physicians.cited('99214')).proof.row,
    }),
    'leaf_hash_mismatch',
  ),
  bad(
    'a row in the manifest of another release',
    changed(row, {
      'proof.release': hospital.release,
      'proof.log': await hospital.inLog(),
    }),
    'row_not_in_release',
  ),
  bad(
    'a log of one entry with an inclusion',
    changed(await alone(aPrice()), {
      'proof.log.inclusion': [otherHash],
    }),
    'release_not_in_log',
  ),
  bad('an empty inclusion in a log of four', changed(row, { 'proof.log.inclusion': [] }), 'release_not_in_log'),
  bad('a log index equal to the size', changed(row, { 'proof.log.index': 4 }), 'release_not_in_log'),
  bad(
    'an inclusion of 64 hashes',
    changed(row, {
      'proof.log.inclusion': Array(64).fill(otherHash),
    }),
    'proof_malformed',
  ),
  bad('no locator', await alone(aPrice({ locator: [] })), 'locator_not_cited'),
  bad(
    'a locator of a citation that is not there',
    await alone(
      aPrice({
        locator: [{ citation: 1, line: 1 }],
      }),
    ),
    'locator_not_cited',
  ),
  bad('a release without citations', await alone(aPrice(), undefined, { citations: [] }), 'locator_not_cited'),
]

const flips = [
  bad('one bit of the row', changed(row, { 'price.amount': '95.18' }), 'leaf_hash_mismatch'),
  bad('one bit of the leaf hash', changed(row, { 'proof.row.leaf_hash': flipped(leaf_hash) }), 'leaf_hash_mismatch'),
  bad(
    'one bit of the row and its leaf hash made to fit',
    changed(row, {
      'price.amount': '95.18',
      'proof.row.leaf_hash': toBase64(leafHash(utf8(rowText(aPrice({ price: { amount: '95.18', currency: 'USD' } }))))),
    }),
    'row_not_in_release',
  ),
  bad('one bit of the path', withPath(flipped(path[0] as string)), 'row_not_in_release'),
  bad(
    'one bit of the root of the rows',
    changed(row, {
      'proof.release.rows_root': flipped(row.proof.release.rows_root, 31),
    }),
    'row_not_in_release',
  ),
  bad('one bit of the manifest', changed(row, { 'proof.release.rejected_count': 1 }), 'release_not_in_log'),
  bad('sample data called published', changed(row, { 'proof.release.data_class': 'published' }), 'release_not_in_log'),
  bad(
    'one bit of a source digest',
    changed(row, {
      'proof.release.citations.0.sha256': `${'ab'.repeat(31)}aa`,
    }),
    'release_not_in_log',
  ),
  bad('one bit of the inclusion', withInclusion(flipped(inclusion[0] as string)), 'release_not_in_log'),
  bad(
    'one bit of the root in the checkpoint',
    changed(row, {
      'proof.log.checkpoint': replaced(checkpoint, lineOf(checkpoint, 2), flipped(lineOf(checkpoint, 2))),
    }),
    'note_signature_invalid',
  ),
  bad(
    'another size in the checkpoint',
    changed(row, {
      'proof.log.checkpoint': replaced(checkpoint, '\n4\n', '\n5\n'),
    }),
    'note_signature_invalid',
  ),
  bad(
    'one bit of the signature',
    changed(row, {
      'proof.log.checkpoint': replaced(checkpoint, signatureOf(checkpoint), flipped(signatureOf(checkpoint), 67)),
    }),
    'note_signature_invalid',
  ),
]

const spellings = [
  bad('a path hash with padding bits set', withPath(respelled(path[0] as string)), 'row_not_in_release'),
  bad('a path hash with a space', withPath(` ${path[0]?.slice(1)}`), 'proof_malformed'),
  bad('a path hash with a newline after it', withPath(`${path[0]}\n`), 'proof_malformed'),
  bad('a path hash without padding', withPath((path[0] as string).slice(0, -1)), 'proof_malformed'),
  bad('a path hash in the url alphabet', withPath(`-${path[0]?.slice(1)}`), 'proof_malformed'),
  bad('a path hash in hex', withPath('ab'.repeat(32)), 'proof_malformed'),
  bad('a path hash of 31 bytes', withPath(`${'A'.repeat(42)}==`), 'proof_malformed'),
  bad(
    'a leaf hash with padding bits set',
    changed(row, {
      'proof.row.leaf_hash': respelled(leaf_hash),
    }),
    'leaf_hash_mismatch',
  ),
  bad(
    'a root of the rows with padding bits set',
    changed(row, {
      'proof.release.rows_root': respelled(row.proof.release.rows_root),
    }),
    'row_not_in_release',
  ),
  bad(
    'an inclusion hash with padding bits set',
    withInclusion(respelled(inclusion[0] as string)),
    'release_not_in_log',
  ),
  bad('an inclusion hash in the url alphabet', withInclusion(`_${inclusion[0]?.slice(1)}`), 'proof_malformed'),
  bad('an empty inclusion hash', withInclusion(''), 'proof_malformed'),
]

function lineOf(note: string, line: number): string {
  return note.split('\n')[line] as string
}
function signatureOf(note: string): string {
  return lineOf(note, 4).split(' ')[2] as string
}

export const rowTrees: Body[] = [...trees, ...flips, ...spellings]
