// Bodies that are one row: its shape, and who vouches for it.

import { utf8 } from '../../src/proof/bytes.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatTreeHead } from '../../src/proof/note/checkpoint.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { type CitedRow, type Row, rowText } from '../../src/proof/price/row.ts'
import { alone, type Body, bad, good, KEY, row } from './body.ts'
import { changed } from './edit.ts'
import { figures, ONE_OF_TWO, registry, SECONDS, stranger, TWO_OF_TWO, w1, w2 } from './keys.ts'
import { aPrice, hospital, laboratories, physicians, registryLog } from './published.ts'

const single = await laboratories.cited('80053')
const { checkpoint } = row.proof.log

/** A row whose leaf has exactly this many bytes. */
function rowOfBytes(size: number): Row {
  const inputs: Record<string, string> = {}
  const bytes = (): number => utf8(rowText(aPrice({ derivation: { method: 'verbatim/1', inputs } }))).length
  for (let i = 0; bytes() < size - 200; i++) inputs[`input_${i}`] = '1'.repeat(64)
  inputs['z'] = '1'
  inputs[`z${'z'.repeat(size - bytes() - `,"z":"1"`.length)}`] = '1'
  if (bytes() !== size) throw new Error('the row is not as long as asked')
  return aPrice({ derivation: { method: 'verbatim/1', inputs } })
}

const witnessed = (...witnesses: (typeof w1)[]): Promise<CitedRow> =>
  alone(aPrice(), new MemoryLog(registry, witnesses, SECONDS))

/** The registry log's tree, signed over another first line. */
async function underOrigin(origin: string, signer: typeof registry): Promise<CitedRow> {
  const text = formatTreeHead({ origin, size: registryLog.leaves.length, root: await registryLog.root() })
  return changed(row, { 'proof.log.checkpoint': await signNote(text, [signer]) })
}

const goodRows = [
  good('a price', row, { rows: 1 }),
  good('the first row of a release', await physicians.cited('70450'), { rows: 1 }),
  good('the last row of a release, a stated absence', await physicians.cited('99214'), { rows: 1 }),
  good('a tree of one leaf, whose path is empty', single, { rows: 1 }),
  good('a log of one entry, whose inclusion is empty', await alone(aPrice()), { rows: 1 }),
  good('a range of a hospital', await hospital.cited('99215'), { rows: 1 }),
  good('an older checkpoint of the same log', await physicians.cited(KEY, 2), { rows: 1 }),
  good('members in another order', Object.fromEntries(Object.entries(row).reverse()), { rows: 1 }),
  good('a row of exactly 16,384 bytes', await alone(rowOfBytes(16_384)), { rows: 1 }),
  good('the answer to the question', row, { rows: 1 }, { asked: { cpt: '99213' } }),
  good(
    'the answer for a state with one locality',
    await physicians.cited('99213|US-CA-05'),
    { rows: 1 },
    { asked: { cpt: '99213', region: 'US-CA', as_of: '2026-10-01' } },
  ),
  good('a quorum of one of two, met by the second', await witnessed(w2), { rows: 1 }, { policy: ONE_OF_TWO }),
  good('a quorum of two of two', await witnessed(w1, w2), { rows: 1 }, { policy: TWO_OF_TWO }),
]

const shapes = [
  bad('a member too many in the row', { ...row, note: 'x' }, 'row_malformed'),
  bad('a member of the row missing', changed(row, { flags: undefined }), 'row_malformed'),
  bad('a price and a reason', { ...row, reason: 'bundled' }, 'row_malformed'),
  bad('an amount that is a number', changed(row, { 'price.amount': 95.19 }), 'row_malformed'),
  bad('an amount of one decimal', changed(row, { 'price.amount': '95.1' }), 'row_malformed'),
  bad('a line that is text', changed(row, { 'locator.0.line': '84' }), 'row_malformed'),
  bad('a line zero', changed(row, { 'locator.0.line': 0 }), 'row_malformed'),
  bad('a line that is not whole', changed(row, { 'locator.0.line': 84.5 }), 'row_malformed'),
  bad('a day that does not exist', changed(row, { effective_from: '2026-02-30' }), 'row_malformed'),
  bad('an unknown basis', changed(row, { basis: 'medicare' }), 'row_malformed'),
  bad('an input that is a number', changed(row, { 'derivation.inputs.work_rvu': 1.3 }), 'row_malformed'),
  bad('no proof', changed(row, { proof: undefined }), 'proof_missing'),
  bad('a proof that is null', changed(row, { proof: null }), 'proof_missing'),
  bad('a proof that is a list', changed(row, { proof: [] }), 'proof_malformed'),
  bad('a proof of another type', changed(row, { 'proof.type': 'tlog-proof@v1' }), 'proof_malformed'),
  bad('a member too many in the proof', changed(row, { 'proof.key': 'x' }), 'proof_malformed'),
  bad('a member too many in proof.row', changed(row, { 'proof.row.size': 5 }), 'proof_malformed'),
  bad('a member too many in the release', changed(row, { 'proof.release.note': 'x' }), 'proof_malformed'),
  bad('a member too many in a citation', changed(row, { 'proof.release.citations.0.page': 1 }), 'proof_malformed'),
  bad('a member too many in the log', changed(row, { 'proof.log.size': 4 }), 'proof_malformed'),
  bad('no path', changed(row, { 'proof.row.path': undefined }), 'proof_malformed'),
  bad('no leaf hash', changed(row, { 'proof.row.leaf_hash': undefined }), 'proof_malformed'),
  bad('no checkpoint', changed(row, { 'proof.log.checkpoint': undefined }), 'proof_malformed'),
  bad('no supersedes in the release', changed(row, { 'proof.release.supersedes': undefined }), 'proof_malformed'),
  bad('an index that is text', changed(row, { 'proof.row.index': '3' }), 'proof_malformed'),
  bad('a log index that is text', changed(row, { 'proof.log.index': '0' }), 'proof_malformed'),
  bad('an index below zero', changed(row, { 'proof.row.index': -1 }), 'proof_malformed'),
  bad('an index that is not whole', changed(row, { 'proof.row.index': 2.5 }), 'proof_malformed'),
  bad('a row count that is text', changed(row, { 'proof.release.row_count': '5' }), 'proof_malformed'),
  bad('a row of 16,385 bytes', await alone(rowOfBytes(16_385)), 'row_too_large'),
]

const trust = [
  bad('a log that is not pinned', await underOrigin(stranger.name, stranger), 'note_unsigned'),
  bad(
    'a pinned name over a key that is not pinned',
    await underOrigin(registry.name, {
      ...stranger,
      name: registry.name,
    }),
    'note_unsigned',
  ),
  bad(
    'an origin that no pinned key has, signed by one',
    await underOrigin(stranger.name, registry),
    'origin_not_pinned',
  ),
  bad(
    'the origin of one log, signed by the key of another',
    await underOrigin(figures.name, registry),
    'origin_not_pinned',
  ),
  bad('a checkpoint that is no note', changed(row, { 'proof.log.checkpoint': '' }), 'note_malformed'),
  bad(
    'a checkpoint with CRLF',
    changed(row, {
      'proof.log.checkpoint': checkpoint.replaceAll('\n', '\r\n'),
    }),
    'note_malformed',
  ),
  bad(
    'a signed text that is no tree head',
    changed(row, {
      'proof.log.checkpoint': await signNote(`${registry.name}\n4\n`, [registry]),
    }),
    'checkpoint_malformed',
  ),
  bad(
    'a later checkpoint under an earlier inclusion',
    changed(row, {
      'proof.log.inclusion': (await physicians.inLog(2)).inclusion,
    }),
    'release_not_in_log',
  ),
  bad('no cosignature where one of two is asked for', row, 'quorum_not_met', { policy: ONE_OF_TWO }),
  bad('one cosignature where two are asked for', await witnessed(w1), 'quorum_not_met', { policy: TWO_OF_TWO }),
  bad('another code than was asked for', row, 'answers_another_question', { asked: { cpt: '99214' } }),
  bad('another region than was asked for', row, 'answers_another_question', {
    asked: { cpt: '99213', region: 'US-CA-05' },
  }),
  bad('another setting than was asked for', row, 'answers_another_question', {
    asked: { cpt: '99213', setting: 'facility' },
  }),
  bad('an edition after the day asked for', row, 'answers_another_question', {
    asked: { cpt: '99213', as_of: '2026-09-30' },
  }),
  bad('a price of a hospital for a question without one', await hospital.cited('99213'), 'answers_another_question', {
    asked: { cpt: '99213' },
  }),
]

export const rows: Body[] = [...goodRows, ...shapes, ...trust]
