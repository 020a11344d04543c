// Bodies with several answers or rows: batches, sheets, pages, histories, releases and coverage.

import { coverageList, coverageOf, releaseList, releasesOf } from '../../src/proof/catalogue/catalogue-fixture.ts'
import { historyOf } from '../../src/proof/catalogue/history-fixture.ts'
import { billOf, pageOf, registryPage, sheetOf } from '../../src/proof/list-fixture.ts'
import { aFee, aRow, MemoryRegistry, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import type { VectorOf } from '../../test/support/vector.ts'
import { registry as signer } from '../../test/support/vector-keys.ts'
import { changed, membersIn } from './operators.ts'
import { type Line, named, tableOf, vectorsOf } from './table.ts'
import { DAY, POLICY, SHORT, SPRING } from './world.ts'

const of = new MemoryRegistry(signer)
const old = of.publish([aFee({ code: '99213', amount: '94.00', effective_from: SPRING.effective_from })], {
  ...{ ...SHORT, chart: 'cms-pfs', ...SPRING },
})
const bad = of.publish([aRow({ code: '74177', basis: 'medicare_opps', setting: 'outpatient' })], {
  ...SHORT,
  chart: 'cms-opps',
})
of.withdraw(bad)
of.publish([aRow({ code: '80053', amount: '1.00' })], { ...SHORT, chart: 'cms-clfs' })
of.publish([aRow({ code: '80053' }), aRow({ code: '99213', modifier: 'QW' })], {
  ...{ ...SHORT, chart: 'cms-clfs', release_id: 'cms-clfs:2026C:2', supersedes: 'cms-clfs:2026C:1' },
})
const fees = of.publish(
  [aFee({ code: '99213' }), aFee({ code: '99213', setting: 'facility' }), aFee({ code: '99214' })],
  {
    ...{ ...SHORT, chart: 'cms-pfs', supersedes: 'cms-pfs:2026B:1' },
  },
)

const PFS = { as_of: DAY, basis: 'medicare_pfs' }
const QUESTIONS = [
  { cpt: '99213', ...PFS, units: 2, billed: '200.00' },
  { cpt: '99214', ...PFS, modifier: '50', billed: '3.00' },
  { cpt: '99999', ...PFS },
  { cpt: 'x', ...PFS },
]
const SHEET = { cpt: '99213', as_of: DAY }
const HISTORY = { cpt: '99213', basis: 'medicare_pfs' }
const PAGE = { as_of: DAY, chart: 'cms-pfs' }
const run = (release: MemoryRelease, from: number, to: number) => ({ release, from, to })
const page = (...runs: ReturnType<typeof run>[]) => pageOf(of, DAY, runs)

/** Each body with what was asked. */
const LISTS: Record<string, readonly [body: object, asked: object]> = {
  BATCH: [(await billOf(of, QUESTIONS)).body, { questions: QUESTIONS }],
  BILL: [(await billOf(of, QUESTIONS.slice(0, 1))).body, { questions: QUESTIONS.slice(0, 1) }],
  REFUSED: [(await billOf(of, QUESTIONS.slice(3))).body, { questions: QUESTIONS.slice(3) }],
  SHEET: [await sheetOf(of, SHEET), { sheet: SHEET }],
  PAGE: [await registryPage(of, PAGE), { page: PAGE }],
  CODE: [await registryPage(of, { as_of: DAY, cpt: '99213' }), { page: { as_of: DAY, cpt: '99213' } }],
  GAP: [await page(run(fees, 0, 1), run(fees, 2, 3)), { page: PAGE }],
  STALE_PAGE: [await page(run(old, 0, 1)), { page: PAGE }],
  EMPTY_PAGE: [await page(), { page: PAGE }],
  HISTORY: [await historyOf(of, HISTORY), { history: HISTORY }],
  PAST: [await historyOf(of, { ...HISTORY, offset: 2 }), { history: { ...HISTORY, offset: 2 } }],
  FIRST: [await historyOf(of, HISTORY, {}, 1), { history: HISTORY }],
  SHORT: [await historyOf(of, HISTORY, { periods: of.standing.periods.slice(1, 2) }), { history: HISTORY }],
  UNSHOWN: [await historyOf(of, HISTORY, { stretches: [] }), { history: HISTORY }],
  RELEASES: [await releaseList(of), { releases: {} }],
  OF_CHART: [await releaseList(of, { chart: 'cms-clfs' }), { releases: { chart: 'cms-clfs' } }],
  WITHDRAWN: [await releaseList(of, { state: 'withdrawn' }), { releases: { state: 'withdrawn' } }],
  REPLACED: [await releaseList(of, { state: 'replaced' }), { releases: { state: 'replaced' } }],
  NONE: [await releaseList(of, { chart: 'cms-asp' }), { releases: { chart: 'cms-asp' } }],
  MORE: [await releaseList(of, {}, 2), { releases: {} }],
  NEXT: [await releaseList(of, { offset: 2 }, 9), { releases: { offset: 2 } }],
  CUT: [await releasesOf(of, [fees], [0, 9], { from: 2 }), { releases: {} }],
  BACKWARDS: [await releasesOf(of, [fees, old], [0, 9]), { releases: {} }],
  COVERAGE: [await coverageList(of, { as_of: DAY }), { coverage: { as_of: DAY } }],
  BEFORE: [await coverageList(of, { as_of: '2026-01-01' }), { coverage: { as_of: '2026-01-01' } }],
  LEFT_OUT: [await coverageOf(of, DAY, [0], [0, 9]), { coverage: { as_of: DAY } }],
  NOT_OF_DAY: [await coverageOf(of, DAY, [0, 1], [0, 9]), { coverage: { as_of: DAY } }],
}

/** Name, body with members set after a colon, and what was asked if that is another question. */
const TABLE = `
= {"rows":2,"entries":0,"refused":1}
a bill | BATCH
= {"rows":3,"entries":0,"refused":0}
a sheet | SHEET
a page of a chart | PAGE
a page of a code | CODE
about with anything in it | PAGE:about={"checkpoints":[1]}
= {"rows":2,"entries":2,"refused":0}
a history | HISTORY
= {"rows":1,"entries":1,"refused":0}
the first page of a history | FIRST
= {"rows":0,"entries":0,"refused":0}
a history past its end | PAST
no release of a chart | NONE
nothing in force on a day | BEFORE
= {"rows":0,"entries":5,"refused":0,"page":{"has_more":false,"from":0,"to":3}}
all releases | RELEASES
= {"rows":0,"entries":2,"refused":0,"page":{"has_more":false,"from":0,"to":1}}
the releases of a chart | OF_CHART
= {"rows":0,"entries":2,"refused":0,"page":{"has_more":true,"from":0,"to":1}}
the first page of releases | MORE
= {"rows":0,"entries":3,"refused":0,"page":{"has_more":false,"from":1,"to":3}}
the page after it | NEXT
= {"rows":0,"entries":1,"refused":0,"page":{"has_more":false}}
what was withdrawn | WITHDRAWN
what was replaced | REPLACED
= {"rows":0,"entries":2,"refused":0,"page":{"has_more":false,"from":0,"to":3}}
what is in force on a day | COVERAGE
= not_recognised
a member too many: | $1:more=1 | for BILL SHEET PAGE PAST OF_CHART COVERAGE
a line of a bill with | BILL:results.0.$1 | for more=1 units=0 units=1.5 billed="200" status=201
another line of a bill with | BATCH:results.$1 | for 2.extended=null 3.problem.more=1 3.problem=1
a bill without its totals | BILL:summary=
a sheet with | SHEET:$1 | for not_held=null as_of="2026-7-15"
a list with | OF_CHART:$1 | for page.offset=-1 page.has_more=null from=-1 page=null
coverage with a day that is none | COVERAGE:as_of="2026-02-30"
= nothing_proved
a bill of refused questions | REFUSED
a page without rows | EMPTY_PAGE
a sheet without rows | SHEET:data=[]
no release, where the list is not proved | WITHDRAWN:data=[]
nothing of a code in force | BEFORE | {"coverage":{"as_of":"2026-01-01","cpt":"99213"}}
= sum_mismatch
a bill with | BILL:$1 | for results.0.extended.amount="190.39" results.0.extended=null results.0.extended= summary.lines=3 summary.priced=3 summary.totals.0.low="1.00" summary.totals.0.billed=null summary.totals=[]
= answers_another_question
a bill for | BILL | $1 | for {"questions":[]} {"sheet":{"cpt":"99213","as_of":"${DAY}"}}
a bill of other units | BILL:results.0.units=3&results.0.extended.amount="285.57"&summary.totals.0.low="285.57"&summary.totals.0.high="285.57"
a sheet with another place of day or charts | SHEET:$1 | for as_of="2026-07-16" not_held= not_held.0="cms-clfs"
a page for | PAGE | {"page":{"as_of":"${DAY}","$1":"$2"}} | for cpt:99213 chart:cms-clfs region:US-IL npi:1234567893
a page of another day | PAGE | {"page":{"as_of":"2026-07-16"}}
a page of an edition before | STALE_PAGE
a history from another place | FIRST | {"history":{"cpt":"99213","basis":"medicare_pfs","offset":1}}
a history of another chart | FIRST | {"history":{"cpt":"99213","basis":"medicare_opps"}}
releases for | OF_CHART | {"releases":{"$1":"$2"}} | for chart:cms-pfs state:replaced
releases from another place | OF_CHART | {"releases":{"offset":1}}
coverage of another day | COVERAGE | {"coverage":{"as_of":"2026-07-16"}}
= question_malformed
a sheet for a question without a meaning | SHEET | {"sheet":{"cpt":"99213","as_of":"${DAY}","setting":"asc"}}
a history for a question with a day | PAST | {"history":{"cpt":"99213","as_of":"${DAY}"}}
a page for a question that is not known | PAGE | {"page":{"as_of":"${DAY}","code":"99213"}}
= body_contradicts_proof
a release with another | OF_CHART:data.0.$1 | for state="withdrawn" row_count=9 in_force= in_force.to="2026-12-31" published_at="2026-01-01T00:00:00Z" supersedes=null more=1
a withdrawn release without its withdrawal | WITHDRAWN:data.0.withdrawn_log_index=
an edition with another | COVERAGE:data.0.$1 | for rows=9 publisher="x" in_force.to="2026-12-31" kind="x"
an edition of a history with another | HISTORY:data.0.$1 | for edition="2026B" effective_to="2026-12-31"
= entries_out_of_order
releases in another order | BACKWARDS
= rows_left_out
a row of a page left out | GAP
= releases_left_out
an edition of a history left out | SHORT
a history that does not show its timeline | UNSHOWN
a history that says there is more | HISTORY:page.has_more=true
releases of which the first are left out | CUT
releases that say there are fewer before them | NEXT:from=2
a chart left out of what is in force | LEFT_OUT
= release_not_in_force
an edition of another day | NOT_OF_DAY
an edition that is not shown | COVERAGE:data.0.release_id="x"
= proof_missing
no proof: | $1:proof= | for BILL SHEET PAGE FIRST OF_CHART COVERAGE
a row without its pointer: | $1= | for SHEET:data.0.proof PAGE:data.1.proof BATCH:results.0.row.proof HISTORY:data.0.answer.row.proof
a release without its place in the log | OF_CHART:data.0.log_index=99
`
export const lists: VectorOf<'body'>[] = vectorsOf(
  'body',
  tableOf(TABLE).map(([name, [cell = '', asked = ''], expected]): Line<object> => {
    const [word = '', members = ''] = cell.split(/:(.*)/)
    const [body, usual] = named(LISTS, word)
    const text = JSON.stringify(members === '' ? body : changed(body, membersIn(members)))
    return [`list: ${name}`, { body: text, asked: asked === '' ? usual : JSON.parse(asked) }, expected]
  }),
  (given) => ({ policy: POLICY, ...given }),
)
