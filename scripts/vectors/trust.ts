// One row with its proof: who vouches for it, when it is in force, and whether it is of its release.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead } from '../../src/proof/note/tree-head.ts'
import type { CitedRow } from '../../src/proof/price/proofs.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { type Body, bad, good } from './body.ts'
import { changed, flipped, replaced, respelled } from './edit.ts'
import { figures, ONE_OF_TWO, registry, stranger, TWO_OF_TWO, w1 } from './keys.ts'
import { alone, otherHash, row } from './proofs.ts'
import { clfs, fee, hospitalA, pfs, qpp, world } from './registry.ts'
import { cite } from './swaps.ts'

const single = await cite(qpp, '99213')
const { checkpoint, inclusion } = row.proof.log
const period = row.proof.in_force
if (!period) throw new Error('the row is in force')
const size = world.log.leaves.length

/** The tree of the registry, signed over another first line. */
async function underOrigin(origin: string, ...signers: (typeof registry)[]): Promise<CitedRow> {
  const text = formatTreeHead({ origin, size, root: await world.log.root() })
  return changed(row, { 'proof.log.checkpoint': await signNote(text, signers) })
}
/** All entries of the registry, in a log of figures. */
const inFigures = new MemoryLog(figures).append(...world.entries.map((entry) => utf8(canonical(entry))))

const trust = [
  bad(
    'the log of figures for a row',
    { ...row, proof: { ...row.proof, log: await inFigures.prove(size - 1) } },
    'log_of_other_kind',
  ),
  bad('a log of another kind, that is pinned', await alone(fee, {}, [], figures), 'log_of_other_kind'),
  bad('a log that is not pinned', await underOrigin(stranger.name, stranger), 'note_unsigned'),
  bad(
    'a pinned name over a key that is not pinned',
    await underOrigin(registry.name, { ...stranger, name: registry.name }),
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
  bad(
    'the origin of the other log, signed by both',
    await underOrigin(figures.name, registry, figures),
    'log_of_other_kind',
  ),
  bad('a checkpoint that is no note', changed(row, { 'proof.log.checkpoint': '' }), 'note_malformed'),
  bad(
    'a checkpoint with CRLF',
    changed(row, { 'proof.log.checkpoint': checkpoint.replaceAll('\n', '\r\n') }),
    'note_malformed',
  ),
  bad(
    'a signed text that is no tree head',
    changed(row, { 'proof.log.checkpoint': await signNote(`${registry.name}\n4\n`, [registry]) }),
    'checkpoint_malformed',
  ),
  bad(
    'another size in the checkpoint',
    changed(row, { 'proof.log.checkpoint': replaced(checkpoint, `\n${size}\n`, `\n${size + 1}\n`) }),
    'note_signature_invalid',
  ),
  bad('no cosignature where one of two is asked for', row, 'quorum_not_met', { policy: ONE_OF_TWO }),
  bad('one cosignature where two are asked for', await alone(fee, {}, [w1]), 'quorum_not_met', { policy: TWO_OF_TWO }),
  bad(
    'one bit of the inclusion',
    changed(row, { 'proof.log.inclusion.0': flipped(inclusion[0] as string) }),
    'state_not_in_log',
  ),
  bad(
    'an inclusion hash with padding bits set',
    changed(row, { 'proof.log.inclusion.0': respelled(inclusion[0] as string) }),
    'state_not_in_log',
  ),
  bad('an empty inclusion', changed(row, { 'proof.log.inclusion': [] }), 'state_not_in_log'),
  bad(
    'an inclusion of 64 hashes',
    changed(row, { 'proof.log.inclusion': Array(64).fill(otherHash) }),
    'proof_malformed',
  ),
  bad(
    'an inclusion hash in the url alphabet',
    changed(row, { 'proof.log.inclusion.0': `_${inclusion[0]?.slice(1)}` }),
    'proof_malformed',
  ),
  bad('a log index equal to the size', changed(row, { 'proof.log.index': size }), 'state_not_in_log'),
  bad(
    'one bit of the state',
    changed(row, { 'proof.in_force.state.timeline_root': flipped(period.state.timeline_root) }),
    'state_not_in_log',
  ),
  bad(
    'another time in the state',
    changed(row, { 'proof.in_force.state.recorded_at': '2027-01-01T00:00:00Z' }),
    'state_not_in_log',
  ),
  bad(
    'one bit of the path of the period',
    changed(row, { 'proof.in_force.path.0': flipped(period.path[0] as string) }),
    'period_not_in_timeline',
  ),
  bad(
    'a path of the period with padding bits set',
    changed(row, { 'proof.in_force.path.0': respelled(period.path[0] as string) }),
    'period_not_in_timeline',
  ),
  bad('a period at another place', changed(row, { 'proof.in_force.index': 0 }), 'period_not_in_timeline'),
  bad(
    'a period that ends sooner',
    changed(row, { 'proof.in_force.period.to': '2026-09-29' }),
    'period_not_in_timeline',
  ),
  bad(
    'a period that ends later than the release',
    changed(row, { 'proof.in_force.period.to': '2026-10-01' }),
    'release_not_in_force',
  ),
  bad(
    'a period that begins sooner',
    changed(row, { 'proof.in_force.period.from': '2026-06-30' }),
    'release_not_in_force',
  ),
  bad(
    'a period of another chart',
    changed(row, { 'proof.in_force.period.chart': 'cms-pfs-qpp' }),
    'release_not_in_force',
  ),
  bad(
    'the period of another release',
    changed(row, { 'proof.in_force': single.proof.in_force }),
    'release_not_in_force',
  ),
  bad('one bit of the manifest', changed(row, { 'proof.release.rejected_count': 1 }), 'release_not_in_force'),
  bad(
    'one bit of the root of the rows',
    changed(row, { 'proof.release.rows_root': flipped(row.proof.release.rows_root, 31) }),
    'release_not_in_force',
  ),
  bad(
    'another count of rows',
    changed(row, { 'proof.release.row_count': pfs.rows.length + 1 }),
    'release_not_in_force',
  ),
  bad(
    'sample data called published',
    changed(row, { 'proof.release.data_class': 'published' }),
    'release_not_in_force',
  ),
  bad(
    'one bit of a source digest',
    changed(row, { 'proof.release.citations.0.sha256': `${'0'.repeat(63)}1` }),
    'release_not_in_force',
  ),
]

const lab = clfs.rows[0] as Row
const of = (given: object, manifest = {}) => alone({ ...fee, ...given } as Row, manifest)
const hospital = { chart: 'hospital-mrf:1234567893', providers: ['1234567893'] }
const charge = hospitalA.rows.find((each) => 'npi' in each && each.npi === '1234567893') as Row
const releases = [
  bad('no locator', await of({ locator: [] }), 'locator_not_cited'),
  bad(
    'a locator of a citation that is not there',
    await of({ locator: [{ citation: 1, line: 1 }] }),
    'locator_not_cited',
  ),
  bad('a release without citations', await of({}, { citations: [] }), 'locator_not_cited'),
  bad('a row that begins after its release', await of({ effective_from: '2026-10-01' }), 'row_not_of_release'),
  good('a row that begins on the last day of its release', await of({ effective_from: '2026-09-30' }), { rows: 1 }),
  bad('a basis of another chart', await alone(lab), 'row_not_of_release'),
  bad('a chart that nobody knows', await of({}, { chart: 'cms-xyz' }), 'row_not_of_release'),
  bad('a price in the table of places', await of({}, { chart: 'zip-locality' }), 'row_not_of_release'),
  bad(
    'a method of another basis',
    await of({ derivation: { method: 'verbatim/1', inputs: { rate: '95.19' } } }),
    'row_not_of_release',
  ),
  bad('a provider in a schedule', await of({ npi: '1234567893' }), 'row_not_of_release'),
  bad('a class in a schedule', await of({ class: 'facility' }), 'row_not_of_release'),
  bad('a setting that the chart does not have', await of({ setting: 'asc' }), 'row_not_of_release'),
  good('no setting', await of({ setting: null }), { rows: 1 }),
  bad('a state in a chart by locality', await of({ region: 'US-IL' }), 'row_not_of_release'),
  bad('a bidding area in a chart by locality', await of({ region: 'CBA-0A1B2C3D' }), 'row_not_of_release'),
  bad(
    'a locality in a chart of the nation',
    await alone({ ...lab, region: 'US-IL-16' }, { chart: 'cms-clfs' }),
    'row_not_of_release',
  ),
  bad('a rate that should be a price', await of({ kind: 'rate' }), 'row_not_of_release'),
  bad(
    'a price that should be a rate',
    await alone({ ...lab, basis: 'medicare_anesthesia' } as Row, { chart: 'cms-anesthesia' }),
    'row_not_of_release',
  ),
  good('a charge of a hospital', await alone(charge, hospital), { rows: 1 }),
  bad(
    'a hospital that its file does not name',
    await alone(charge, { ...hospital, providers: ['1346000007'] }),
    'row_not_of_release',
  ),
  bad('a charge of nobody', await alone({ ...charge, npi: null }, hospital), 'row_not_of_release'),
]

export const trusts: Body[] = [...trust, ...releases]
