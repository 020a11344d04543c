// Pages of lists: where each stands, what an empty one may say, and what counts in place of a release that was replaced.

import { coverageOf, itemOf, releaseList, releasesOf } from '../../src/proof/catalogue/catalogue-fixture.ts'
import type { CoverageQuestion } from '../../src/proof/catalogue/coverage.ts'
import type { ReleasesQuestion } from '../../src/proof/catalogue/releases.ts'
import type { Period } from '../../src/proof/price/release.ts'
import { aFee, MemoryRegistry, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { type Body, bad, good } from './body.ts'
import { autumn, none, small, spring, winter } from './catalogue-registry.ts'
import { changed } from './edit.ts'
import { registry } from './keys.ts'

const JULY = '2026-07-15'
const MAY = '2026-05-01'
const releases = (asked: ReleasesQuestion = {}) => ({ asked: { releases: asked } })
const coverage = (asked: Partial<CoverageQuestion> = {}) => ({ asked: { coverage: { as_of: JULY, ...asked } } })
const LEFT_OUT = 'releases_left_out'
const CONTRADICTS = 'body_contradicts_proof'
const MORE = { has_more: true }

/** The timeline of `small`: 0 the laboratory, 1 the summer of the other chart, 2 winter, 3 spring, 4 autumn. */
const at = (place: number) => small.standing.periods[place] as Period
const list = (asked: ReleasesQuestion, limit: number) => releaseList(small, asked, limit)
const places: Body[] = [
  good(
    'the place of a first page of releases',
    await list({}, 2),
    { entries: 2, page: { has_more: true, before: null } },
    releases(),
  ),
  good(
    'the place of a page of releases',
    await list({ offset: 2 }, 1),
    { entries: 1, page: { has_more: true, before: at(1) } },
    releases({ offset: 2 }),
  ),
  good(
    'the place of a last page of releases',
    await list({ offset: 6 }, 2),
    { entries: 1, page: { has_more: false, before: at(3) } },
    releases({ offset: 6 }),
  ),
  good(
    'the place of a first page of a chart, with another before it',
    await list({ chart: 'cms-pfs' }, 2),
    { entries: 2, page: { has_more: true, before: null } },
    releases({ chart: 'cms-pfs' }),
  ),
  good(
    'the place of a page that skips a release, by its own offset',
    await releasesOf(small, [spring, autumn], [2, 5], { offset: 1 }),
    { entries: 2, page: { has_more: false, before: at(2) } },
    releases({ offset: 1 }),
  ),
  good(
    'the place of a page of coverage, where nobody asked',
    await coverageOf(small, MAY, [3], [3, 4], { ...MORE, offset: 1 }),
    { entries: 1, page: { has_more: true } },
  ),
  good(
    'the place of a page of coverage for a code',
    await coverageOf(small, MAY, [3], [3, 4], { offset: 1 }),
    { entries: 1, page: { has_more: false } },
    coverage({ as_of: MAY, offset: 1, cpt: '99213' }),
  ),
]

const PFS = { chart: 'cms-pfs' }
const empty: Body[] = [
  bad('an empty page of a chart that goes on', await releasesOf(small, [], [1, 3], MORE), LEFT_OUT, releases(PFS)),
  bad('an empty page of releases that goes on', await releasesOf(small, [], [0, 5], MORE), LEFT_OUT, releases()),
  bad('an empty page of no releases that goes on', await releasesOf(none, [], [0, 0], MORE), LEFT_OUT, releases()),
  bad(
    'an empty page of coverage of a chart that goes on',
    await coverageOf(small, MAY, [], [1, 2], MORE),
    LEFT_OUT,
    coverage({ ...PFS, as_of: MAY }),
  ),
  bad(
    'an empty page of coverage that goes on',
    await coverageOf(small, '2020-01-01', [], [0, 5], MORE),
    LEFT_OUT,
    coverage({ as_of: '2020-01-01' }),
  ),
  bad(
    'an empty page of coverage of no releases that goes on',
    await coverageOf(none, JULY, [], [0, 0], MORE),
    LEFT_OUT,
    coverage(),
  ),
]

/** Revisions that begin on other days than those that they replace; other editions that begin with the last, one before and one after it. */
const revised = new MemoryRegistry(registry)
const revision = (release_id: string, effective_from: string): MemoryRelease => {
  const [chart = '', edition = ''] = release_id.split(':')
  const rows = [aFee({ cpt: '99213', effective_from })]
  return revised.publish(rows, { chart, edition, release_id, effective_from, effective_to: '2026-12-31' })
}
const first = revision('cms-pfs:2026A:1', '2026-01-01')
const second = revision('cms-pfs:2026A:2', '2026-01-15')
revision('cms-pfs:2026Z:1', '2026-02-01')
const third = revision('cms-pfs:2026A:3', '2026-02-01')
const next = revision('cms-pfs:2026B:1', '2026-02-01')
const beside = revision('cms-pfs-qpp:2026A:2', '2026-01-15')
revised.withdraw(revision('cms-pfs:2026A:4', '2026-03-01'))
const all = await releaseList(revised)
const by = (release: MemoryRelease) => {
  const { proof, log_index } = itemOf(revised, release)
  return { release: release.manifest, index: log_index, inclusion: proof.inclusion }
}
/** Items: 0 the other chart, 1 and 2 the first revisions, 3 the next edition, 4 one of its day, 5 the third revision, 6 withdrawn. */
const replacedBy = (item: number, replaced_by: unknown) =>
  changed(all, { [`data.${item}.proof.replaced_by`]: replaced_by })
const { proof: own, ...inForce } = itemOf(revised, next)
const lie = { ...inForce, state: 'replaced', in_force: null, proof: { ...own, replaced_by: by(beside) } }
const replaced: Body[] = [
  good('revisions that begin on other days', all, { entries: 7 }, releases()),
  good(
    'what was replaced, by revisions that begin on other days',
    await releaseList(revised, { state: 'replaced' }),
    { entries: 4 },
    releases({ state: 'replaced' }),
  ),
  good('another later revision that replaces it', replacedBy(1, by(second)), { entries: 7 }, releases()),
  bad('nothing that replaces a release', replacedBy(1, null), CONTRADICTS, releases()),
  bad('a release that replaces itself', replacedBy(1, by(first)), CONTRADICTS, releases()),
  bad('an earlier revision that replaces a later one', replacedBy(2, by(first)), CONTRADICTS, releases()),
  bad('a release of another chart that replaces it', replacedBy(1, by(beside)), CONTRADICTS, releases()),
  bad('a release of another edition and day that replaces it', replacedBy(1, by(next)), CONTRADICTS, releases()),
  bad(
    'a release of the same day that replaces it, and is in force on no day',
    replacedBy(4, by(third)),
    CONTRADICTS,
    releases(),
  ),
  bad('a release in force that something replaces', replacedBy(3, by(third)), CONTRADICTS, releases()),
  bad('a release that was withdrawn and replaced', replacedBy(6, by(third)), CONTRADICTS, releases()),
  bad(
    'what replaces a release at another place',
    replacedBy(1, { ...by(third), index: 0 }),
    'release_not_in_log',
    releases(),
  ),
  bad('what replaces a release at no place', replacedBy(1, { ...by(third), index: -1 }), 'proof_malformed', releases()),
  bad('no word of what replaces a release', replacedBy(1, undefined), 'proof_malformed', releases()),
  bad(
    'what replaces a release with a member too many',
    replacedBy(1, { ...by(third), x: 1 }),
    'proof_malformed',
    releases(),
  ),
  bad(
    'a release in force as replaced, and its period not shown',
    { ...(await releasesOf(revised, [], [0, 1])), data: [lie] },
    CONTRADICTS,
    releases({ state: 'replaced' }),
  ),
  bad(
    'a release that was replaced, without the place of its period',
    { ...(await releasesOf(small, [], [4, 5])), data: (await list({ state: 'replaced' }, 1)).data },
    CONTRADICTS,
    releases({ state: 'replaced' }),
  ),
  bad(
    'a release that was withdrawn, without the place of its period',
    { ...(await releasesOf(small, [], [0, 3])), data: (await list({ state: 'withdrawn' }, 1)).data },
    CONTRADICTS,
    releases({ state: 'withdrawn' }),
  ),
  bad('a release in force, without its period', await releasesOf(small, [winter], [3, 5]), CONTRADICTS, releases()),
]

export const listPages: Body[] = [...places, ...empty, ...replaced]
