// What is shown beside an answer: parts left out, forged or misplaced.

import type { Because } from '../../src/proof/price/proofs.ts'
import { ask, type Body, bad } from './body.ts'
import { changed } from './edit.ts'
import { honest } from './lookups.ts'
import { bundled, NPI, places } from './registry.ts'

const UNPROVED = 'choice_not_proved'
const missing = await honest({ cpt: '12345' })
const october = await honest({ as_of: '2026-10-05' })
const missingBecause = missing['because'] as Because
const octoberBecause = october['because'] as Because
const MISSING = { asked: ask({ cpt: '12345' }) }
const OCTOBER = { asked: ask({ as_of: '2026-10-05' }) }

const drop = (list: readonly unknown[], index: number) => list.toSpliced(index, 1)
const provider = await honest({ npi: NPI.UNKNOWN })
const providers = (provider['because'] as Because).providers
const UNKNOWN = { asked: ask({ npi: NPI.UNKNOWN }) }
const small = { release: 0, row: places.rows[0], index: 0, path: [] }
export const evidence: Body[] = [
  ...missingBecause.rows.map((_, i) =>
    bad(
      `a neighbour missing, ${i + 1}`,
      changed(missing, { 'because.rows': drop(missingBecause.rows, i) }),
      UNPROVED,
      MISSING,
    ),
  ),
  ...octoberBecause.periods.map((_, i) =>
    bad(
      `a period missing, ${i + 1}`,
      changed(october, { 'because.periods': drop(octoberBecause.periods, i) }),
      UNPROVED,
      OCTOBER,
    ),
  ),
  ...providers.map((_, i) =>
    bad(
      `a provider missing, ${i + 1}`,
      changed(provider, { 'because.providers': drop(providers, i) }),
      UNPROVED,
      UNKNOWN,
    ),
  ),
  bad('a provider at another place', changed(provider, { 'because.providers.0.index': 0 }), 'provider_not_in_state'),
  bad(
    'a provider that is forged',
    changed(provider, { 'because.providers.0.provider.npi': NPI.UNKNOWN }),
    'provider_not_in_state',
  ),
  bad(
    'a period that is forged',
    changed(october, { 'because.periods.0.period.to': '2026-12-31' }),
    'period_not_in_timeline',
  ),
  bad(
    'the period of another chart',
    changed(october, { 'because.periods.0.period.chart': 'cms-xyz' }),
    'period_not_in_timeline',
  ),
  bad(
    'a neighbour that is forged',
    changed(missing, { 'because.rows.0.row.effective_from': '2026-07-02' }),
    'row_not_in_release',
  ),
  bad('a neighbour of another release', changed(missing, { 'because.rows.0.release': 1 }), 'row_not_in_release'),
  bad(
    'a neighbour of a release that is not there',
    changed(missing, { 'because.rows.0.release': 9 }),
    'proof_malformed',
  ),
  bad(
    'a neighbour of the answer\u2019s own release, where there is none',
    changed(missing, { 'because.rows.0.release': null }),
    'proof_malformed',
  ),
  bad('a state without its log', changed(missing, { 'because.log': undefined }), 'proof_malformed'),
  bad('a log without its state', changed(missing, { 'because.state': undefined }), 'proof_malformed'),
  bad(
    'neither state nor log',
    changed(missing, { 'because.state': undefined, 'because.log': undefined }),
    'proof_missing',
  ),
  bad('a member too many in what is shown', changed(missing, { 'because.note': 'x' }), 'proof_malformed'),
  bad('4,097 neighbours', changed(missing, { 'because.rows': Array(4_097).fill(small) }), 'proof_malformed'),
  bad(
    '65 periods',
    changed(missing, { 'because.periods': Array(65).fill(octoberBecause.periods[0]) }),
    'proof_malformed',
  ),
  bad('what is shown is null', { ...missing, because: null }, 'proof_malformed'),
  bad(
    'a proof reference in place of a proof',
    {
      ...bundled,
      proof: {
        type: 'agent-trust-registry/proof-ref@v2',
        release_id: 'cms-pfs:2026C:1',
        index: 0,
        leaf_hash: 'x',
        href: '/rows/x',
      },
    },
    'proof_malformed',
  ),
]
