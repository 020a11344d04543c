// Times of a manifest and of a state: which of them exist.

import { MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { ask, type Body, bad, good } from './body.ts'
import { changed } from './edit.ts'
import { registry } from './keys.ts'
import { alone, row } from './proofs.ts'
import { fee } from './registry.ts'

const published = (recorded_at: string) => alone(fee, { recorded_at })
const instead = (recorded_at: string) => changed(row, { 'proof.release.recorded_at': recorded_at })

/** A registry whose states were recorded at the end of a day. */
const midnight = new MemoryRegistry(registry)
midnight.now = '2026-10-01T24:00:00Z'
const cited = await midnight.cite(midnight.publish([fee], { chart: 'cms-pfs' }), 0)

export const instants: Body[] = [
  good('the end of a day', await published('2026-06-30T24:00:00Z'), { rows: 1 }),
  good('the end of a day, with zeros after it', await published('2026-06-30T24:00:00.000Z'), { rows: 1 }),
  good('the end of February', await published('2028-02-29T24:00:00Z'), { rows: 1 }),
  good('the end of a year', await published('2026-12-31T24:00:00.0Z'), { rows: 1 }),
  good('the last thousandth of a day', await published('2026-06-30T23:59:59.999Z'), { rows: 1 }),
  good('a state of the end of a day', cited, { rows: 1 }, { asked: ask({}), not_before: '2026-10-02T00:00:00Z' }),
  bad('a state of the end of a day, and later is wanted', cited, 'state_too_old', {
    asked: ask({}),
    not_before: '2026-10-02T00:00:00.001Z',
  }),
  bad('a thousandth after the end of a day', instead('2026-06-30T24:00:00.001Z'), 'proof_malformed'),
  bad('a second after the end of a day', instead('2026-06-30T24:00:01Z'), 'proof_malformed'),
  bad('a minute after the end of a day', instead('2026-06-30T24:01:00Z'), 'proof_malformed'),
  bad('the hour 25', instead('2026-06-30T25:00:00Z'), 'proof_malformed'),
  bad('the minute 60', instead('2026-06-30T23:60:00Z'), 'proof_malformed'),
  bad('the end of a day that does not exist', instead('2026-02-29T24:00:00Z'), 'proof_malformed'),
  bad('four digits of a second', instead('2026-06-30T24:00:00.0000Z'), 'proof_malformed'),
  bad('a time without its seconds', instead('2026-06-30T24:00Z'), 'proof_malformed'),
  bad('a time in small letters', instead('2026-06-30t24:00:00z'), 'proof_malformed'),
  bad(
    'a file retrieved after the end of a day',
    changed(row, { 'proof.release.citations.0.retrieved_at': '2026-06-30T24:00:01Z' }),
    'proof_malformed',
  ),
  bad(
    'a state of after the end of a day',
    changed(row, { 'proof.in_force.state.recorded_at': '2026-10-01T24:00:01Z' }),
    'proof_malformed',
  ),
  bad('the end of a day that does not exist, as the oldest that will do', row, 'state_too_old', {
    not_before: '2026-09-31T24:00:00Z',
  }),
]
