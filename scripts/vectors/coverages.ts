// Coverage: the editions in force on a day.

import { coverageList, coverageOf } from '../../src/proof/catalogue/catalogue-fixture.ts'
import type { CoverageQuestion } from '../../src/proof/catalogue/coverage.ts'
import type { Period } from '../../src/proof/price/release.ts'
import { ask, type Body, bad, good } from './body.ts'
import { early, none, small } from './catalogue-registry.ts'
import { changed } from './edit.ts'
import { listPages } from './list-pages.ts'
import { JULY } from './registry.ts'
import { releases } from './releases.ts'

const MAY = '2026-05-01'
const asked = (coverage: Partial<CoverageQuestion> = {}) => ({ asked: { coverage: { as_of: JULY, ...coverage } } })
const list = (question: Partial<CoverageQuestion> = {}, limit = 50) =>
  coverageList(small, { as_of: JULY, ...question }, limit)
const LEFT_OUT = 'releases_left_out'
const OTHER = 'answers_another_question'

/** The timeline: 0 the laboratory, 1 the summer of the other chart, 2 winter, 3 spring, 4 autumn. In July 0 and 1 hold. */
const july = await list()
const may = await list({ as_of: MAY })
const honest = [
  good('coverage of a day', july, { entries: 2 }, asked()),
  good('coverage of a day, where nobody asked', july, { entries: 2 }),
  good('coverage of another day', may, { entries: 2 }, asked({ as_of: MAY })),
  good(
    'a first page of coverage',
    await list({ as_of: MAY }, 1),
    { entries: 1, page: { has_more: true, before: null } },
    asked({ as_of: MAY }),
  ),
  good(
    'a second page of coverage',
    await list({ as_of: MAY, offset: 1 }, 1),
    { entries: 1, page: { has_more: false, before: small.standing.periods[0] as Period } },
    asked({ as_of: MAY, offset: 1 }),
  ),
  good(
    'coverage of a chart',
    await list({ as_of: MAY, chart: 'cms-pfs' }),
    { entries: 1 },
    asked({ as_of: MAY, chart: 'cms-pfs' }),
  ),
  good('a chart that is not in force on the day', await list({ chart: 'cms-pfs' }), {}, asked({ chart: 'cms-pfs' })),
  good('a chart that is not there', await list({ chart: 'cms-opps' }), {}, asked({ chart: 'cms-opps' })),
  good('a day on which nothing is in force', await list({ as_of: '2020-01-01' }), {}, asked({ as_of: '2020-01-01' })),
  good('coverage of a registry without releases', await coverageList(none, { as_of: JULY }), {}, asked()),
  good(
    'one of two editions, for a code',
    await coverageOf(small, JULY, [1], [1, 2]),
    { entries: 1 },
    asked({ cpt: '99213' }),
  ),
  good(
    'one of two editions, for a provider',
    await coverageOf(small, JULY, [0], [0, 5]),
    { entries: 1 },
    asked({ npi: '1234567893' }),
  ),
  good(
    'what an edition holds is not proved',
    changed(july, { 'data.0.codes': 7, 'data.0.title': 'Another' }),
    { entries: 2 },
    asked(),
  ),
  good(
    'coverage that does not say what editions hold',
    changed(july, { 'data.0.codes': undefined }),
    { entries: 2 },
    asked(),
  ),
]

const CONTRADICTS = 'body_contradicts_proof'
const faults = [
  bad('an edition left out', { ...july, data: july.data.slice(1) }, LEFT_OUT, asked()),
  bad('the last edition left out', { ...july, data: july.data.slice(0, 1) }, LEFT_OUT, asked()),
  bad(
    'an edition left out with the beginning of the timeline',
    await coverageOf(small, JULY, [1], [1, 5]),
    LEFT_OUT,
    asked(),
  ),
  bad(
    'an edition left out with the end of the timeline',
    await coverageOf(small, JULY, [0], [0, 1]),
    LEFT_OUT,
    asked(),
  ),
  bad('coverage without its timeline', await coverageOf(small, JULY, [], [0, 0]), LEFT_OUT, asked()),
  bad(
    'a chart without its neighbours',
    await coverageOf(small, JULY, [], [2, 5]),
    LEFT_OUT,
    asked({ chart: 'cms-pfs' }),
  ),
  bad(
    'a chart without its last edition',
    await coverageOf(small, '2026-11-01', [], [1, 4]),
    LEFT_OUT,
    asked({ as_of: '2026-11-01', chart: 'cms-pfs' }),
  ),
  bad(
    'a chart that is in force, said not to be',
    await coverageOf(small, MAY, [], [1, 5]),
    LEFT_OUT,
    asked({ as_of: MAY, chart: 'cms-pfs' }),
  ),
  bad(
    'a second page that begins with its own first edition',
    await coverageOf(small, MAY, [3], [3, 5], { offset: 1 }),
    LEFT_OUT,
    asked({ as_of: MAY, offset: 1 }),
  ),
  bad(
    'a page that is not the last, said to be',
    { ...(await list({ as_of: MAY }, 1)), page: may.page },
    LEFT_OUT,
    asked({ as_of: MAY }),
  ),
  bad('an edition of another day', await coverageOf(small, JULY, [0, 1, 4], [0, 5]), 'release_not_in_force', asked()),
  bad('an edition outside of the stretch', { ...july, data: may.data }, 'release_not_in_force', asked()),
  bad(
    'an edition that was withdrawn',
    {
      ...july,
      data: [
        july.data[0],
        july.data[1],
        changed(may.data[1] as object, { 'proof.release': small.releases[3]?.manifest }),
      ],
    },
    'release_not_in_force',
    asked(),
  ),
  bad('editions in another order', { ...july, data: july.data.toReversed() }, 'entries_out_of_order', asked()),
  bad('an edition twice', { ...july, data: [july.data[0], ...july.data] }, 'entries_out_of_order', asked()),
  bad(
    'the manifest of another edition',
    changed(july, { 'data.0.proof.release': july.data[1]?.proof.release }),
    CONTRADICTS,
    asked(),
  ),
  bad('another number of rows', changed(july, { 'data.0.rows': 7 }), CONTRADICTS, asked()),
  bad('another last day', changed(july, { 'data.0.in_force.to': '2027-12-31' }), CONTRADICTS, asked()),
  bad('an edition without its publisher', changed(july, { 'data.0.publisher': undefined }), CONTRADICTS, asked()),
  bad('an edition with a member too many', changed(july, { 'data.0.price': '1.00' }), CONTRADICTS, asked()),
  bad('a code in place of a chart', changed(july, { 'data.0.kind': 'code' }), CONTRADICTS, asked()),
  bad('an edition without its manifest', changed(july, { 'data.0.proof': undefined }), 'proof_malformed', asked()),
  bad(
    'a list of codes',
    { data: [{ kind: 'code', cpt: '99213', charts: 1, rows: 1 }], page: july.page, links: {}, as_of: JULY },
    'proof_missing',
    asked(),
  ),
  bad(
    'coverage for a code, without an edition',
    await coverageOf(small, JULY, [], [0, 0]),
    'nothing_proved',
    asked({ cpt: '99213' }),
  ),
  bad('coverage of another day than asked', july, OTHER, asked({ as_of: '2026-07-16' })),
  bad('coverage that says another day', { ...july, as_of: '2026-07-16' }, OTHER, asked()),
  bad('coverage that says no day', { ...july, as_of: '2026-07-32' }, 'not_recognised', asked()),
  bad('coverage of another chart', await list({ chart: 'cms-clfs' }), OTHER, asked({ chart: 'cms-pfs' })),
  bad('coverage for a question', july, OTHER, { asked: ask({}) }),
  bad('coverage of an older view', await coverageList(early, { as_of: JULY }), 'state_too_old', {
    ...asked(),
    not_before: '2026-11-01T00:00:00Z',
  }),
]

/** The lists of releases and of coverage. */
export const catalogues: Body[] = [...releases, ...honest, ...faults, ...listPages]
