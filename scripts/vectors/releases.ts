// Lists of releases: what is in force, what was replaced, what was withdrawn, and what was left out.

import {
  coverageList,
  itemOf,
  releaseList,
  releasesOf,
  timelineOf,
} from '../../src/proof/catalogue/catalogue-fixture.ts'
import type { ReleasesQuestion } from '../../src/proof/catalogue/releases.ts'
import type { Period } from '../../src/proof/price/release.ts'
import { aFee, type MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { ask, type Body, bad, good, LOST } from './body.ts'
import { autumn, early, gone, lab, none, small, spring, summer, winter } from './catalogue-registry.ts'
import { changed, flipped, respelled } from './edit.ts'

const asked = (releases: ReleasesQuestion = {}) => ({ asked: { releases } })
const list = (question: ReleasesQuestion = {}, limit = 50, of: MemoryRegistry = small) =>
  releaseList(of, question, limit)
const whole = await list()
const LEFT_OUT = 'releases_left_out'
const OTHER = 'answers_another_question'

/** The timeline: 0 the laboratory, 1 the summer of the other chart, 2 winter, 3 spring, 4 autumn. The list has 7 items. */
const honest = [
  good('a list of all releases', whole, { entries: 7 }, asked()),
  good('a list of all releases, where nobody asked', whole, { entries: 7 }),
  good('a list with lost sources', changed(whole, { 'data.1.sources_lost': [LOST] }), { entries: 7 }, asked()),
  good('a first page', await list({}, 3), { entries: 3 }, asked()),
  good('a page in the middle', await list({ offset: 2 }, 2), { entries: 2 }, asked({ offset: 2 })),
  good(
    'a page that begins with a release that was replaced',
    await list({ offset: 4 }, 2),
    { entries: 2, page: { has_more: true, before: small.standing.periods[3] as Period } },
    asked({ offset: 4 }),
  ),
  good('a last page', await list({ offset: 5 }, 5), { entries: 2 }, asked({ offset: 5 })),
  good('a page of what was withdrawn alone', await list({ offset: 5 }, 1), { entries: 1 }, asked({ offset: 5 })),
  good('the releases of a chart', await list({ chart: 'cms-pfs' }), { entries: 5 }, asked({ chart: 'cms-pfs' })),
  good(
    'the releases of a chart whose name begins another',
    await list({ chart: 'cms-pfs-qpp' }),
    { entries: 1 },
    asked({ chart: 'cms-pfs-qpp' }),
  ),
  good(
    'the releases of the first chart',
    await list({ chart: 'cms-clfs' }),
    { entries: 1 },
    asked({ chart: 'cms-clfs' }),
  ),
  good(
    'a second page of a chart',
    await list({ chart: 'cms-pfs', offset: 2 }, 2),
    { entries: 2 },
    asked({ chart: 'cms-pfs', offset: 2 }),
  ),
  good('a chart that has no release', await list({ chart: 'cms-opps' }), {}, asked({ chart: 'cms-opps' })),
  good(
    'a chart that has no release, before the first',
    await list({ chart: 'cms-asp' }),
    {},
    asked({ chart: 'cms-asp' }),
  ),
  good(
    'a chart that has no release, after the last',
    await list({ chart: 'zip-locality' }),
    {},
    asked({ chart: 'zip-locality' }),
  ),
  good('what is in force', await list({ state: 'published' }), { entries: 5 }, asked({ state: 'published' })),
  good(
    'what was withdrawn',
    await list({ state: 'withdrawn' }),
    { entries: 1, page: { has_more: false } },
    asked({ state: 'withdrawn' }),
  ),
  good('what was replaced', await list({ state: 'replaced' }), { entries: 1 }, asked({ state: 'replaced' })),
  good('a registry without releases', await list({}, 50, none), {}, asked()),
  good('a list that is fresh enough', whole, { entries: 7 }, { ...asked(), not_before: '2026-10-01T00:00:00Z' }),
  good('an older list, where any age will do', await list({}, 50, early), { entries: 6 }, asked()),
  // What is in force on no day can be left out: the timeline does not name it.
  good('a list without what was withdrawn', { ...whole, data: whole.data.toSpliced(5, 1) }, { entries: 6 }, asked()),
]

const without = (i: number) => ({ ...whole, data: whole.data.toSpliced(i, 1) })
const omissions = [
  bad(
    'lost sources of a release that are null',
    changed(whole, { 'data.1.sources_lost': null }),
    'not_recognised',
    asked(),
  ),
  bad(
    'a lost source of a release with a sentence',
    changed(whole, { 'data.1.sources_lost': [{ ...LOST, state: 'gone for good' }] }),
    'not_recognised',
    asked(),
  ),
  bad('the first release left out', without(0), LEFT_OUT, asked()),
  bad('a release left out in the middle', without(2), LEFT_OUT, asked()),
  bad('the last release left out', without(6), LEFT_OUT, asked()),
  bad('the release in force left out beside the one that it replaced', without(3), LEFT_OUT, asked()),
  bad('a list cut off, with its stretch', await releasesOf(small, [lab, summer, winter], [0, 4]), LEFT_OUT, asked()),
  bad(
    'a list cut off, and the neighbour with it',
    await releasesOf(small, [lab, summer, winter], [0, 3]),
    LEFT_OUT,
    asked(),
  ),
  bad('a list that begins later', await releasesOf(small, [winter, spring, autumn], [1, 5]), LEFT_OUT, asked()),
  bad(
    'a list that begins later, without the neighbour',
    await releasesOf(small, [winter, spring, autumn], [2, 5]),
    LEFT_OUT,
    asked(),
  ),
  bad(
    'a first page without the neighbour after it',
    await releasesOf(small, [lab, summer], [0, 2], { has_more: true }),
    LEFT_OUT,
    asked(),
  ),
  bad(
    'a later page without the neighbour before it',
    await releasesOf(small, [winter, spring], [2, 5], { offset: 2, has_more: true }),
    LEFT_OUT,
    asked({ offset: 2 }),
  ),
  bad(
    'a chart whose first release was left out',
    await releasesOf(small, [spring, autumn], [2, 5]),
    LEFT_OUT,
    asked({ chart: 'cms-pfs' }),
  ),
  bad(
    'a chart whose last release was left out',
    await releasesOf(small, [winter, spring], [1, 5]),
    LEFT_OUT,
    asked({ chart: 'cms-pfs' }),
  ),
  bad('a chart that is said to have none', await releasesOf(small, [], [1, 3]), LEFT_OUT, asked({ chart: 'cms-pfs' })),
  bad(
    'a chart that is said to have none, beside other neighbours',
    await releasesOf(small, [], [0, 2]),
    LEFT_OUT,
    asked({ chart: 'cms-pfs' }),
  ),
  bad('a list that is said to be empty', await releasesOf(small, [], [0, 5]), LEFT_OUT, asked()),
  bad('an empty list without its timeline', await releasesOf(small, [], [0, 0]), LEFT_OUT, asked()),
  bad('a list without its timeline', await releasesOf(small, [gone], [0, 0]), 'body_contradicts_proof', asked()),
  bad('what was withdrawn, as the answer to everything', await list({ state: 'withdrawn' }), LEFT_OUT, asked()),
  bad(
    'what is in force of one chart, as the answer to everything',
    await list({ chart: 'cms-pfs' }),
    LEFT_OUT,
    asked(),
  ),
]

const questions = [
  bad('a list for a question', whole, OTHER, { asked: ask({}) }),
  bad('a list of releases for coverage', whole, OTHER, { asked: { coverage: { as_of: '2026-07-15' } } }),
  bad('a list of releases for a page of rows', whole, OTHER, { asked: { page: { as_of: '2026-07-15' } } }),
  bad('a list of another chart', await list({ chart: 'cms-clfs' }), OTHER, asked({ chart: 'cms-pfs' })),
  bad('a list of another state', await list({ state: 'published' }), OTHER, asked({ state: 'withdrawn' })),
  bad('all releases for those in force', whole, OTHER, asked({ state: 'published' })),
  bad('a page of another offset', await list({ offset: 2 }, 2), OTHER, asked()),
  bad('a page that says another offset', changed(await list({}, 3), { 'page.offset': 2 }), OTHER, asked()),
  bad('an empty page after the last', await list({ offset: 9 }), 'nothing_proved', asked({ offset: 9 })),
  bad(
    'nothing that was withdrawn',
    await list({ state: 'withdrawn' }, 50, none),
    'nothing_proved',
    asked({ state: 'withdrawn' }),
  ),
  bad('an empty list, where nobody asked', await list({}, 50, none), 'nothing_proved'),
  bad('a list without its proof', changed(whole, { proof: undefined }), 'proof_missing', asked()),
]

const at = 2
const stranger = new MemoryRelease([aFee({ cpt: '99213' })], { chart: 'cms-asc' })
const forged = { ...itemOf(small, winter), proof: { ...itemOf(small, winter).proof, release: stranger.manifest } }
const withItem = (i: number, item: object) => ({ ...whole, data: whole.data.with(i, item as never) })
const ofGone = whole.data[5] as (typeof whole.data)[number]
const CONTRADICTS = 'body_contradicts_proof'
const items = [
  bad('a release that is in no log', { ...whole, data: [forged, ...whole.data] }, 'release_not_in_log', asked()),
  bad('a release twice', { ...whole, data: [whole.data[0], ...whole.data] }, 'entries_out_of_order', asked()),
  bad(
    'two releases that changed places',
    { ...whole, data: [whole.data[1], whole.data[0], ...whole.data.slice(2)] },
    'entries_out_of_order',
    asked(),
  ),
  bad(
    'a release that was replaced before the one in force',
    { ...whole, data: [...whole.data.slice(0, 3), whole.data[4], whole.data[3], ...whole.data.slice(5)] },
    'entries_out_of_order',
    asked(),
  ),
  bad('another place in the log', changed(whole, { [`data.${at}.log_index`]: 3 }), 'release_not_in_log', asked()),
  bad('a place in the log that is none', changed(whole, { [`data.${at}.log_index`]: -1 }), 'proof_malformed', asked()),
  bad(
    'one bit of a path in the log',
    changed(whole, { [`data.${at}.proof.inclusion.0`]: flipped(whole.data[at]?.proof.inclusion[0] as string) }),
    'release_not_in_log',
    asked(),
  ),
  bad(
    'a manifest with another member',
    changed(whole, { [`data.${at}.proof.release.row_count`]: 7 }),
    'release_not_in_log',
    asked(),
  ),
  bad('a list with another row count', changed(whole, { [`data.${at}.row_count`]: 7 }), CONTRADICTS, asked()),
  bad('a list with another edition', changed(whole, { [`data.${at}.edition`]: '2026Z' }), CONTRADICTS, asked()),
  bad(
    'a list with another data class',
    changed(whole, { [`data.${at}.data_class`]: 'published' }),
    CONTRADICTS,
    asked(),
  ),
  bad('a longer period', changed(whole, { [`data.${at}.in_force.to`]: '2026-12-31' }), CONTRADICTS, asked()),
  bad('a member too many in a listed release', changed(whole, { [`data.${at}.price`]: '1.00' }), CONTRADICTS, asked()),
  bad(
    'a member too few in a listed release',
    changed(whole, { [`data.${at}.supersedes`]: undefined }),
    CONTRADICTS,
    asked(),
  ),
  bad(
    'a release in force, shown as replaced',
    changed(whole, { [`data.${at}.state`]: 'replaced', [`data.${at}.in_force`]: null }),
    CONTRADICTS,
    asked(),
  ),
  bad(
    'a release that was replaced, shown in force',
    changed(whole, { 'data.4.state': 'published', 'data.4.in_force': whole.data[3]?.in_force }),
    CONTRADICTS,
    asked(),
  ),
  bad(
    'a release that was withdrawn, without its withdrawal',
    withItem(5, {
      ...ofGone,
      state: 'replaced',
      withdrawn_at: null,
      withdrawn_reason: null,
      withdrawn_log_index: null,
      proof: { ...ofGone.proof, withdrawal: null },
    }),
    CONTRADICTS,
    asked(),
  ),
  bad(
    'a release in force, with the withdrawal of another',
    changed(whole, {
      [`data.${at}.proof.withdrawal`]: ofGone.proof.withdrawal,
      [`data.${at}.withdrawn_log_index`]: ofGone.withdrawn_log_index,
    }),
    CONTRADICTS,
    asked(),
  ),
  bad('another reason for a withdrawal', changed(whole, { 'data.5.withdrawn_reason': 'other' }), CONTRADICTS, asked()),
  bad(
    'a forged withdrawal',
    changed(whole, { 'data.5.proof.withdrawal.entry.reason': 'other' }),
    'entry_not_in_log',
    asked(),
  ),
  bad(
    'a withdrawal at another place',
    changed(whole, { 'data.5.withdrawn_log_index': 1 }),
    'entry_not_in_log',
    asked(),
  ),
  bad('a withdrawal at no place', changed(whole, { 'data.5.withdrawn_log_index': null }), 'entry_not_in_log', asked()),
  bad(
    'a withdrawal with a member too many',
    changed(whole, { 'data.5.proof.withdrawal.entry.note': 'x' }),
    'proof_malformed',
    asked(),
  ),
  bad(
    'a listed release without its proof',
    changed(whole, { [`data.${at}.proof`]: undefined }),
    'proof_malformed',
    asked(),
  ),
  bad('a listed release that is null', withItem(at, null as never), 'proof_malformed', asked()),
]

const [run] = whole.proof.runs
const parts = [
  bad(
    'a period of the stretch forged',
    changed(whole, { 'proof.runs.0.periods.0.to': '2027-12-31' }),
    'period_not_in_timeline',
    asked(),
  ),
  bad(
    'a period of the stretch left out',
    changed(whole, { 'proof.runs.0.periods': run?.periods.slice(1) }),
    'period_not_in_timeline',
    asked(),
  ),
  bad('a stretch at another place', changed(whole, { 'proof.runs.0.from': 1 }), 'period_not_in_timeline', asked()),
  bad('a stretch without periods', changed(whole, { 'proof.runs.0.periods': [] }), 'proof_malformed', asked()),
  bad(
    'a hash too many beside a stretch',
    changed(whole, { 'proof.runs.0.left_path': [small.state.timeline_root] }),
    'period_not_in_timeline',
    asked(),
  ),
  bad(
    'a path of a stretch with padding bits set',
    await (async () => {
      const page = await list({}, 1)
      return changed(page, { 'proof.runs.0.right_path.0': respelled(page.proof.runs[0]?.right_path[0] as string) })
    })(),
    'period_not_in_timeline',
    asked(),
  ),
  bad('two stretches', { ...whole, proof: await timelineOf(small, [0, 2], [2, 5]) }, 'proof_malformed', asked()),
  bad(
    'a list under an older view',
    { ...whole, proof: (await list({}, 50, early)).proof },
    'release_not_in_log',
    asked(),
  ),
  bad(
    'an older list under a newer view',
    { ...(await list({}, 50, early)), proof: whole.proof },
    'release_not_in_log',
    asked(),
  ),
  bad('a list that is too old', whole, 'state_too_old', { ...asked(), not_before: '2026-11-01T00:00:00Z' }),
  bad(
    'a timeline proof of another type',
    changed(whole, { 'proof.type': 'agent-trust-registry/range-proof@v2' }),
    'proof_malformed',
    asked(),
  ),
  bad('a timeline proof without its state', changed(whole, { 'proof.state': undefined }), 'proof_malformed', asked()),
  bad(
    'a state that is not the last entry',
    changed(whole, {
      'proof.state': small.entries[2],
      'proof.log': { ...whole.proof.log, index: 2, inclusion: (await small.log.prove(2)).inclusion },
    }),
    'state_not_last',
    asked(),
  ),
  bad('a member too many beside a list', { ...whole, total: '1.00' }, 'not_recognised', asked()),
  bad('a list without its links', changed(whole, { links: undefined }), 'not_recognised', asked()),
  bad('a list without its page', changed(whole, { page: undefined }), 'not_recognised', asked()),
  bad(
    'a list whose page does not say whether there is more',
    changed(whole, { 'page.has_more': undefined }),
    'not_recognised',
    asked(),
  ),
  bad('a list with a day, for releases', { ...whole, as_of: '2026-07-15' }, OTHER, asked()),
  bad(
    'another checkpoint among the links of a list',
    { ...whole, links: { checkpoint: 'x' } },
    'mixed_checkpoints',
    asked(),
  ),
  bad('201 items', { ...whole, data: Array(201).fill(null) }, 'not_recognised', asked()),
  bad('coverage for releases', await coverageList(small, { as_of: '2026-07-15' }), OTHER, asked()),
]

export const releases: Body[] = [...honest, ...omissions, ...questions, ...items, ...parts]
