import type { Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { type Operation, operation } from '../../operation.ts'
import { pagedOperation } from '../../paging.ts'
import type { LostSource } from '../../proof/price/lost-source.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { Charts } from '../charts.ts'
import type { Proofs } from '../lookup/proofs.ts'
import type { PublishedRegistry } from '../lookup/view.ts'
import { Coverage, coverage, coverageQuery } from './coverage.ts'
import type { EntryProofs } from './entry-proofs.ts'
import { DiffQuery, ReleaseDiffAnswer, releaseDiff } from './release-diff.ts'
import { listReleases, ReleaseList, releasesQuery } from './releases.ts'

interface CatalogueParts {
  db: Db
  log: Log
  published: PublishedRegistry
  today: () => string
  charts: Charts
  stamp: () => string | undefined
  lostSources: (release: Manifest) => LostSource[]
  /** Proofs under the newest view. */
  proofsNow: () => Promise<Proofs>
  entryProofs: EntryProofs
}

/** Operations on what can be asked for: charts, codes, releases, and how releases differ. */
export function catalogueOperations(parts: CatalogueParts): Operation[] {
  const { db, log, published, today, charts, stamp } = parts
  const coverageOn = coverage(db, log, published, charts)
  return [
    pagedOperation({
      name: 'get_coverage',
      summary:
        'Which charts are in force and what they hold; where a code has rows; which codes begin with some characters',
      description:
        'Ask this before guessing. Without parameters: the charts in force with their counts, regions and providers. ' +
        'With `cpt`: only the charts that have the code, and under which regions, modifiers, settings and providers. With `prefix`: the codes instead. ' +
        'That the charts listed are in force on the day, and without `cpt` and `npi` that none was left out, is proved from the timeline; what they hold is not.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/api/coverage' },
      access: 'public',
      limit: 'default',
      cache: 'public, max-age=300',
      stamp,
      isReady: true,
      heavy: true,
      input: coverageQuery(charts),
      output: Coverage,
      problems: ['invalid_cpt', 'invalid_npi'],
      run: (query) => coverageOn(query, query.as_of ?? today()),
    }),

    pagedOperation({
      name: 'list_releases',
      summary: 'Every release in the registry log, withdrawn or replaced since or not, each with its proof',
      description:
        'By chart and first day, in the order of the timeline, which proves that no release in force was left out. Each entry has its manifest and its place in the registry log. ' +
        'The newest: `/feed.atom`.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/api/releases' },
      access: 'public',
      limit: 'default',
      cache: 'public, max-age=300',
      stamp,
      isReady: true,
      heavy: true,
      input: releasesQuery(charts),
      output: ReleaseList,
      problems: [],
      run: async (query) => listReleases(await parts.proofsNow(), parts.entryProofs, query, parts.lostSources),
    }),

    operation({
      name: 'diff_releases',
      summary: 'How two releases of a chart differ: rows added, removed and changed, and the largest moves',
      description:
        'The difference between two releases never changes. A release and the one before it are compared at publication, ' +
        'any other pair when you ask, which takes seconds and counts as ten requests of the quota.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/api/releases/diff' },
      access: 'public',
      limit: 'default',
      cache: 'public, max-age=86400',
      stamp,
      input: DiffQuery,
      output: ReleaseDiffAnswer,
      problems: ['release_not_found'],
      ...releaseDiff(db, published),
    }),
  ]
}
