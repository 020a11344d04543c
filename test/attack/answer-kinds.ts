// The kinds of bodies that are proved under a state of the registry: what can be asked, what an honest service answers, the best that
// one can do which hides something, and whether what was accepted is a lie.

import { answerOf, parsed } from '../../src/proof/answer-fixture.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { coverageList, coverageOf, releaseList, releasesOf } from '../../src/proof/catalogue/catalogue-fixture.ts'
import { compareEditions } from '../../src/proof/catalogue/history.ts'
import { chartsOf, historyOf, stretchOf } from '../../src/proof/catalogue/history-fixture.ts'
import type { BillQuestion } from '../../src/proof/list/batch.ts'
import type { PageQuestion } from '../../src/proof/list/page.ts'
import { billOf, pageOf, registryPage, runsOf } from '../../src/proof/list-fixture.ts'
import { extended, summaryOf } from '../../src/proof/lookup/bill.ts'
import { parseQuestion, type Question } from '../../src/proof/lookup/question.ts'
import { rowText } from '../../src/proof/price/row.ts'
import type { MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import type {
  CoverageQuestion,
  HistoryQuestion,
  Inquiry,
  ReleasesQuestion,
  VerifiedAnswer,
} from '../../src/proof/verify-lists.ts'
import type { Dice } from './dice.ts'
import {
  copyOf,
  findSheet,
  honestAnswer,
  type Members,
  NPIS,
  oneOf,
  randomlyHiding,
  some,
  type World,
} from './lie-world.ts'

export type KindName = Exclude<keyof Asked, 'anyQuestion'>
interface Asked {
  question: Question
  questions: BillQuestion[]
  sheet: Question
  page: PageQuestion
  history: HistoryQuestion
  releases: ReleasesQuestion
  coverage: CoverageQuestion
}

/** A kind of body. Bodies may be shared: copy one before changing it. */
export interface AnswerKind<A> {
  /** What can be asked in a world, such that there is an answer with a proof. */
  ask(dice: Dice, world: World): Promise<A> | A
  /** Another question, which differs in one part. */
  near(dice: Dice, world: World, asked: A): A
  honest(head: MemoryRegistry, asked: A, limit?: number): Promise<Members | undefined>
  /** The best that a service can do which hides something, or shows another part. */
  hiding(dice: Dice, head: MemoryRegistry, asked: A): Promise<Members | undefined>
  /** What is wrong with an accepted answer; undefined if it states what an honest one under the head states. */
  lieIn(head: MemoryRegistry, asked: A, body: Members, proved: VerifiedAnswer): Promise<string | undefined>
}

const ALL = 1_000
/** The same text for the same value; what is undefined is not there. */
const textOf = (value: unknown): string => canonical(copyOf(value ?? null))
const differs = (a: unknown, b: unknown): boolean => textOf(a) !== textOf(b)
const withoutProof = ({ proof: _, row: _r, ...row }: Members): Members => row
const rowsIn = (list: unknown): Members[] => (list as Members[]).map(withoutProof)

/** What a body tells beside its row that is a part of the decision. The code of a price is that of its row. */
const toldBy = ({ code, rule, modifiers_ignored = [], adjustment, charts, place = {} }: Members): string =>
  textOf({ code: rule && code, rule, modifiers_ignored, adjustment, charts, place: rowsIn([place]) })

const PARTS = ['as_of', 'cpt', 'region', 'npi', 'modifier', 'setting', 'basis'] as const

/** Some of the questions nearby have no meaning: then it is another one altogether. */
function nearQuestion(dice: Dice, world: World, question: Question): Question {
  const other = oneOf(dice, world.questions)
  const part = oneOf(dice, PARTS)
  const near = { ...question, [part]: other[part] ?? (part === 'npi' ? oneOf(dice, NPIS) : undefined) }
  return typeof parseQuestion(near) === 'string' ? other : near
}

const question: AnswerKind<Question> = {
  ask: (dice, { questions }) => oneOf(dice, questions),
  near: nearQuestion,
  honest: async (head, asked) => (await honestAnswer(head, asked)).body,
  hiding: async (dice, head, asked) => (await answerOf(head, asked, randomlyHiding(dice, head, asked))).body,
  async lieIn(head, asked, body, { decisions, rows }) {
    const { decision, body: truth } = await honestAnswer(head, asked)
    if (differs(decisions, [decision])) return `${textOf(decisions)} is not ${textOf(decision)}`
    if (toldBy(body) !== toldBy(truth)) return `${toldBy(body)} is not ${toldBy(truth)}`
    const expected = 'row' in decision ? [rowText(decision.row)] : []
    return differs(
      rows.map(({ row }) => rowText(row)),
      expected,
    )
      ? 'another row'
      : undefined
  },
}

const questions: AnswerKind<BillQuestion[]> = {
  ask: (dice, world) =>
    Array.from({ length: 1 + dice.below(3) }, () => ({
      ...oneOf(dice, world.questions),
      ...(dice.chance(0.3) ? { units: 1 + dice.below(9) } : {}),
      ...(dice.chance(0.3) ? { billed: '250.00' } : {}),
    })),
  near: (dice, world, asked) =>
    asked.with(dice.below(asked.length), nearQuestion(dice, world, oneOf(dice, asked) as Question)),
  honest: async (head, asked) => (await billOf(head, asked)).body,
  hiding: async (dice, head, asked) => (await billOf(head, asked, randomlyHiding(dice, head, oneOf(dice, asked)))).body,
  /** What a line says of units and charges that were not sent is no matter. */
  async lieIn(head, asked, body, { decisions, refused }) {
    const lines = body['results'] as (Members & { units?: number; billed?: string | null; problem?: Members })[]
    const truth = await Promise.all(asked.map(({ units: _, billed: _b, ...each }) => honestAnswer(head, each)))
    if (
      refused > 0 ||
      differs(
        decisions,
        truth.map(({ decision }) => decision),
      )
    )
      return 'another decision'
    for (const [i, each] of truth.entries())
      if (toldBy(lines[i]?.problem ?? (lines[i] as Members)) !== toldBy(each.body)) return `another answer in line ${i}`
    const bill = truth.map(({ decision }, i) => {
      const { units = 1, billed = null } = { ...lines[i], ...copyOf(asked[i]) }
      if (decision.outcome !== 'price') return undefined
      return { basis: decision.row.basis, extended: extended(decision.row, decision.adjustment, units), billed }
    })
    return differs(body['summary'], summaryOf(bill)) ? 'another total' : undefined
  },
}

const sheet: AnswerKind<Question> = {
  async ask(dice, { questions: all, newest }) {
    for (;;) {
      const { cpt, as_of, region, npi } = oneOf(dice, all)
      const asked = copyOf({ cpt, as_of, region, npi })
      if (await findSheet(newest, asked)) return asked
    }
  },
  near: (dice, world, asked) => {
    const { as_of, cpt, region } = oneOf(dice, world.questions)
    return copyOf({ ...asked, ...oneOf(dice, [{ as_of }, { cpt }, { region }]) })
  },
  honest: (head, asked) => findSheet(head, asked),
  hiding: (dice, head, asked) => findSheet(head, asked, randomlyHiding(dice, head, asked)),
  async lieIn(head, asked, body, { rows }) {
    const truth = await findSheet(head, asked)
    if (!truth) return 'a sheet where there is none'
    if (differs(rowsIn(body['data']), rowsIn(truth['data']))) return 'other rows'
    if (
      differs(
        rows.map(({ row }) => row),
        rowsIn(truth['data']).map(({ prolonged: _, ...row }) => row),
      )
    )
      return 'other rows proved'
    if (differs(body['not_held'], truth['not_held'])) return 'other charts that are not held'
    return differs(rowsIn([body['place'] ?? {}]), rowsIn([truth['place'] ?? {}])) ? 'another place' : undefined
  },
}

const page: AnswerKind<PageQuestion> = {
  /** A page that has rows, and not so many that it only takes long to check. */
  ask(dice, world) {
    for (;;) {
      const { as_of, cpt, npi } = oneOf(dice, world.questions)
      const filters = [
        { cpt },
        { cpt, npi },
        { region: 'US-IL-16' },
        { npi },
        { cpt, region: 'national' },
        { chart: 'cms-clfs' },
      ]
      const asked = copyOf({ as_of, ...oneOf(dice, filters) })
      const rows = runsOf(world.newest, asked).reduce((sum, { from, to }) => sum + to - from, 0)
      if (rows > 0 && rows < 40) return asked
    }
  },
  near: (dice, { questions: all }, asked) => {
    const { as_of, cpt } = oneOf(dice, all)
    return { ...asked, ...oneOf(dice, [{ as_of }, { cpt }, { region: 'US-IL-15' }]) }
  },
  honest: async (head, asked) => (runsOf(head, asked).length > 0 ? registryPage(head, asked) : undefined),
  hiding: (dice, head, asked) =>
    pageOf(
      head,
      asked.as_of,
      runsOf(head, asked).flatMap((run) => {
        const cut = run.from + 1 + dice.below(run.to - run.from)
        return cut + 1 < run.to
          ? [
              { ...run, to: cut },
              { ...run, from: cut + dice.below(2) },
            ]
          : [run]
      }),
    ),
  /** Rows that do not belong on it, or one left out between two that are there. */
  async lieIn(head, asked, _body, { rows }) {
    const all = runsOf(head, asked).flatMap(({ release, from, to }) =>
      release.rows.slice(from, to).map((row) => `${release.name} ${rowText(row)}`),
    )
    const shown = rows.map(({ row, release }) => {
      const held = head.releases.find(({ manifest }) => !differs(manifest, release))
      return { at: all.indexOf(`${held?.name} ${rowText(row)}`), name: held?.name }
    })
    if (shown.some(({ at }) => at < 0)) return 'a row that does not belong there'
    const isScattered = asked.cpt === undefined && (asked.region !== undefined || asked.npi !== undefined)
    for (const places of Map.groupBy(shown, ({ name }) => name).values())
      for (const [i, { at }] of places.entries())
        if (i > 0 && !isScattered && at !== (places[i - 1] as { at: number }).at + 1) return 'a row was left out'
    return undefined
  },
}

const CHARTS = [undefined, undefined, 'cms-pfs', 'cms-pfs-qpp', 'cms-clfs', 'zip-locality', 'hospital-mrf:1234567893']

/** A stretch of the timeline that is not quite the one that it should be. */
function otherStretch(dice: Dice, { standing }: MemoryRegistry, [from, to]: readonly [number, number]) {
  const start = Math.max(0, from + dice.below(5) - 2)
  return [start, Math.min(standing.periods.length, Math.max(start + 1, to + dice.below(5) - 2))] as const
}

/** The names of listed editions with the days on which they are in force, as they are told. */
const editionsIn = ({ data }: Members): string[] =>
  (data as Members[]).map(({ release_id, in_force, effective_from, effective_to }) =>
    canonical([release_id ?? null, in_force ?? null, effective_from ?? null, effective_to ?? null]),
  )

/** What is wrong with a list of editions: no page may have one too many, or leave out one that is in force. */
function lieInList(truth: Members, body: Members, { editions }: VerifiedAnswer, isInForce = (_: string) => true) {
  const [told, all] = [editionsIn(body), editionsIn(truth)]
  if (told.some((name) => !all.includes(name))) return 'a release that is not there'
  const [toldInForce, inForce] = [told.filter(isInForce), all.filter(isInForce)]
  if (differs(toldInForce, inForce.slice(0, toldInForce.length))) return 'a release was left out'
  const { has_more } = body['page'] as Members
  if (has_more === false && toldInForce.length < inForce.length) return 'the end was left out'
  if (told.length === 0 && (has_more || inForce.length > 0)) return 'nothing is shown where there is something'
  return editions.length === told.length ? undefined : 'other releases proved'
}

const history: AnswerKind<HistoryQuestion> = {
  ask(dice, { questions: all, newest }) {
    const { as_of: _, ...asked } = oneOf(dice, all)
    const isKnown = newest.standing.providers.some(({ npi }) => npi === asked.npi)
    return copyOf({ ...asked, npi: isKnown ? asked.npi : undefined, basis: undefined, setting: undefined })
  },
  near: (dice, { questions: all }, asked) => {
    const { cpt, region, modifier } = oneOf(dice, all)
    return copyOf({ ...asked, ...oneOf(dice, [{ cpt }, { region }, { modifier }]) })
  },
  honest: (head, asked, limit = ALL) => historyOf(head, asked, {}, limit),
  hiding(dice, head, asked) {
    const charts = chartsOf(head, parsed({ ...asked, as_of: '2026-07-01' }))
    const all = head.standing.periods.filter(({ chart }) => charts.includes(chart))
    return historyOf(head, asked, {
      periods: some(dice, all.sort(compareEditions), 0.8),
      stretches: charts.map((chart) => {
        const own = stretchOf(head, chart)
        return dice.chance(0.3) ? otherStretch(dice, head, own) : own
      }),
      ...(dice.chance(0.5) && { has_more: dice.chance(0.5) }),
    })
  },
  async lieIn(head, asked, body, proved) {
    const truth = copyOf(await historyOf(head, asked, {}, ALL)) as Members
    const answers = ({ data }: Members): string[] =>
      (data as { answer: { row?: Members; problem?: Members } }[]).map(({ answer: { row, problem, ...beside } }) =>
        textOf([row ? withoutProof(row) : null, toldBy(problem ?? beside)]),
      )
    const said = answers(body)
    if (differs(said, answers(truth).slice(0, said.length))) return 'another answer'
    return lieInList(truth, body, proved)
  },
}

const releases: AnswerKind<ReleasesQuestion> = {
  ask: (dice) => copyOf({ chart: oneOf(dice, CHARTS), state: dice.chance(0.2) ? 'published' : undefined }),
  near: (dice, _, asked) => copyOf({ ...asked, chart: oneOf(dice, CHARTS) }),
  honest: (head, asked, limit = ALL) => releaseList(head, asked, limit),
  async hiding(dice, head, asked) {
    const { data, from } = await releaseList(head, asked, ALL)
    const listed = data.map(({ log_index }) =>
      head.releases.find((release) => head.entryOf(release) === log_index),
    ) as MemoryRelease[]
    const left = some(dice, listed, 0.8)
    const inForce = left.filter((release) => head.isInForce(release)).length
    const [start, end] = otherStretch(dice, head, [from, from + inForce])
    return releasesOf(head, left, [start - 1, end + 1], { from: start, has_more: dice.chance(0.3) })
  },
  lieIn: async (head, asked, body, proved) =>
    lieInList(copyOf(await releaseList(head, asked, ALL)), body, proved, (name) => JSON.parse(name)[1] !== null),
}

const coverage: AnswerKind<CoverageQuestion> = {
  ask: (dice, { questions: all }) => copyOf({ as_of: oneOf(dice, all).as_of, chart: oneOf(dice, CHARTS) }),
  near: (dice, { questions: all }, asked) =>
    copyOf({ ...asked, ...oneOf(dice, [{ chart: oneOf(dice, CHARTS) }, { as_of: oneOf(dice, all).as_of }]) }),
  honest: (head, asked, limit = ALL) => coverageList(head, asked, limit),
  async hiding(dice, head, asked) {
    const { data, from } = await coverageList(head, asked, ALL)
    const { periods } = head.standing
    const places = data.map(({ chart, in_force }) =>
      periods.findIndex((period) => period.chart === chart && period.from === in_force.from),
    )
    const left = some(dice, places, 0.8)
    const [start, end] = otherStretch(dice, head, [from, (left.at(-1) ?? from) + 1])
    return coverageOf(head, asked.as_of, left, [start - 1, end + 1], { from: start, has_more: dice.chance(0.3) })
  },
  lieIn: async (head, asked, body, proved) => lieInList(copyOf(await coverageList(head, asked, ALL)), body, proved),
}

export const KINDS: { [name in KindName]: AnswerKind<Asked[name]> } = {
  question,
  questions,
  sheet,
  page,
  history,
  releases,
  coverage,
}
export const KIND_NAMES = Object.keys(KINDS) as KindName[]

/** A kind whose questions nobody looks into. */
export const kindNamed = (name: KindName): AnswerKind<unknown> => KINDS[name] as AnswerKind<unknown>
export const inquiryOf = (name: KindName, asked: unknown): Inquiry => ({ [name]: asked }) as unknown as Inquiry

/** The head that a verdict stands under, if it is one that will do. */
export async function headOf(
  { heads }: World,
  { checkpoint, recorded_at }: VerifiedAnswer,
  notBefore: string,
): Promise<MemoryRegistry | undefined> {
  for (const head of heads)
    if ((await head.proof()).checkpoint === checkpoint)
      return head.state.recorded_at === recorded_at && recorded_at >= notBefore ? head : undefined
  return undefined
}
