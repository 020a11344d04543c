import { PROBLEMS, Problem, type ProblemCode } from '../../problem.ts'
import { type Adjustment, isAdjusting, isNeutral } from '../../proof/lookup/modifiers.ts'
import { PLACE_CHART } from '../../proof/price/charts.ts'
import { type LostSource, MOST_LOST } from '../../proof/price/lost-source.ts'
import type { AbsenceProof, Because, CitedRow, ProofRef } from '../../proof/price/proofs.ts'
import type { Manifest } from '../../proof/price/release.ts'
import { type AnyRow, type PlaceRow, type PricedRow, type Row, rowKey } from '../../proof/price/row.ts'
import { type Release, rowOf } from '../store.ts'
import { adviceAfter, has, type RefusedThere, refusedThere, toChoose, whyRefusedThere } from './advice.ts'
import { becauseOf, checkUnshown, type RowInRelease } from './because.ts'
import {
  availableFor,
  choicesFor,
  heldPeriods,
  inShort,
  type RefusalDetails,
  type Related,
  relatedTo,
  whyNotAdjusted,
} from './beside.ts'
import { find, type LookupResult } from './find.ts'
import type { Proofs } from './proofs.ts'

/** A price with everything that shows it to be the answer. */
export type Answer = CitedRow<PricedRow> & {
  because?: Because
  place?: CitedRow<PlaceRow>
  modifiers_ignored?: string[]
  adjustment?: Adjustment
  related: Related[]
}

/** The price that was decided on with its proofs, or a refusal that carries the proofs of why there is none. */
export function answer(proofs: Proofs, finding: LookupResult, { related = true }: { related?: boolean } = {}): Answer {
  const { main, place, ...beside } = membersOf(proofs, finding, related)
  const cited = proofs.cite(main.release, main.stored) as CitedRow<PricedRow>
  return { ...cited, ...besideOf(beside, place && proofs.cite(place.release, place.stored)) } as Answer
}

/** Tells what became of the sources of a release. */
export type LostSourcesOf = (release: Manifest) => LostSource[]

export const lostMember = (lost: LostSource[]): { sources_lost?: LostSource[] } =>
  lost.length === 0 ? {} : { sources_lost: lost }

/** The lost sources of all releases that a list shows rows of, each once. */
export function lostBehind(releases: Iterable<Manifest>, lostSources: LostSourcesOf): ReturnType<typeof lostMember> {
  const manifests = new Map([...releases].map((release) => [release.release_id, release]))
  return lostMember([...manifests.values()].flatMap(lostSources).slice(0, MOST_LOST))
}

/** The text of the same answer. Rows, manifest, state and log proof stand in it as they were hashed or signed. */
export function answerText(proofs: Proofs, finding: LookupResult, lostSources: LostSourcesOf): string {
  const { main, place, ...beside } = membersOf(proofs, finding, true)
  const lost = lostMember(lostSources(main.release.manifest))
  const rest = `,${JSON.stringify({ ...besideOf(beside, place && PLACE_MARK), ...lost }).slice(1, -1)}`
  // A place is a member in the middle, so its text is put where a mark stands that is no other value.
  const more = place ? rest.replace(`"${PLACE_MARK}"`, () => proofs.citedText(place.release, place.stored)) : rest
  return proofs.citedText(main.release, main.stored, more)
}

const PLACE_MARK = '\u2316 place'

interface AnswerMembers {
  main: RowInRelease
  place: RowInRelease | undefined
  because: Because | undefined
  ignored: string[]
  adjustment: Adjustment | undefined
  related: Related[]
}

/** Parts of both forms of the answer. */
function membersOf(proofs: Proofs, finding: LookupResult, withRelated: boolean): AnswerMembers {
  const { decision, question } = finding
  if (decision.outcome !== 'price') throw refusal(proofs, finding)
  const { row, ignored, adjustment } = decision
  const main = citable(proofs, finding, decision.chart, row)
  const place = placeRow(proofs, finding)
  const because = becauseOf(proofs, [finding], { main, place })
  return { main, place, because, ignored, adjustment, related: withRelated ? relatedTo(proofs, question, row) : [] }
}

const besideOf = (
  { because, ignored, adjustment, related }: Omit<AnswerMembers, 'main' | 'place'>,
  place: CitedRow | string | undefined,
): object => ({
  ...(because ? { because } : {}),
  ...(place ? { place } : {}),
  ...(ignored.length > 0 ? { modifiers_ignored: ignored } : {}),
  ...(adjustment ? { adjustment } : {}),
  related,
})

/** The short form: the amount and what it is, with a pointer to the proof. The leaf hash binds the rest. */
export type ShortAnswer = ShortRow<PricedRow> & {
  modifiers_ignored?: string[]
  adjustment?: Adjustment
  sources_lost?: LostSource[]
}
export function shortAnswer(proofs: Proofs, finding: LookupResult, lostSources: LostSourcesOf = () => []): ShortAnswer {
  const { decision } = finding
  if (decision.outcome !== 'price') throw shortRefusal(proofs, finding)
  const { row, ignored, adjustment, chart } = decision
  const main = citable(proofs, finding, chart, row)
  checkUnshown(proofs, finding.trace, [main])
  return {
    ...(shortRow(proofs, main) as ShortRow<PricedRow>),
    ...(ignored.length > 0 ? { modifiers_ignored: ignored } : {}),
    ...(adjustment ? { adjustment } : {}),
    ...lostMember(lostSources(main.release.manifest)),
  }
}

/** A row without where it is from and how it was computed. The manifest is left out too, so its `data_class` stands here. */
export type ShortRow<R extends Row = Row> = Omit<R, 'derivation' | 'indicators' | 'locator'> & {
  data_class: Manifest['data_class']
  effective_to: string
  proof: ProofRef
}
export function shortRow(proofs: Proofs, { release, stored }: RowInRelease): ShortRow {
  const { derivation: _d, indicators: _i, locator: _l, ...rest } = rowOf(stored) as Row
  const { data_class, effective_to: ends } = release.manifest
  const effective_to = proofs.view.periodOf(release)?.to ?? ends
  return { ...rest, data_class, effective_to, proof: proofs.refer(release, stored) }
}

function citable(proofs: Proofs, { question, trace }: LookupResult, chart: string, row: AnyRow): RowInRelease {
  const release = proofs.view.editionOn(chart, question.day)
  if (!release) throw new Error('the rule chose a row of a chart that has no edition')
  const key = rowKey(row)
  const known = trace.rows.find((each) => each.release.release_no === release.release_no && each.key === key)?.found
  const stored = known ?? proofs.open(release).findRow(key)
  if (!stored) throw new Error('the rule chose a row that is not there')
  return { release, stored }
}

const placeRow = (proofs: Proofs, finding: LookupResult): RowInRelease | undefined =>
  finding.place && citable(proofs, finding, PLACE_CHART, finding.place)

const CODES = {
  modifier_not_allowed: 'modifier_not_allowed',
  modifier_not_priced: 'modifier_not_priced',
  no_edition: 'no_edition_for_day',
  region_ambiguous: 'region_ambiguous',
  region_not_covered: 'region_not_covered',
  unknown_zip: 'unknown_zip',
  unknown_provider: 'unknown_provider',
  not_on_schedule: 'not_on_schedule',
} as const satisfies { [outcome: string]: ProblemCode }

/** A refusal names the part that did not fit, says what there is, and proves that there is no price. */
function refusal(proofs: Proofs, finding: LookupResult): Problem {
  const { code, detail, hint, main, known, told } = sayNo(proofs, finding)
  const place = placeRow(proofs, finding)
  const absences = code === 'not_on_schedule' ? absencesOf(proofs, finding) : []
  const because = becauseOf(proofs, known ? [finding, known.finding] : [finding], { main, place, absences })
  const members = {
    ...(main ? { row: proofs.cite(main.release, main.stored) } : {}),
    ...(absences.length > 0 ? { absence: absences } : {}),
    ...(because ? { because } : {}),
    ...(place ? { place: proofs.cite(place.release, place.stored) } : {}),
    ...(known ? { last_known: proofs.cite(known.row.release, known.row.stored) } : {}),
    ...told,
  }
  return new Problem(code, detail, { members, ...hint })
}

/** The short form: it says that there is no price, and does not prove it. */
function shortRefusal(proofs: Proofs, finding: LookupResult): Problem {
  const { code, detail, hint, main, known, told } = sayNo(proofs, finding)
  checkUnshown(proofs, finding.trace, main ? [main] : [])
  if (known) checkUnshown(proofs, known.finding.trace, [known.row])
  const members = {
    ...(main ? { row: shortRow(proofs, main) } : {}),
    ...(known ? { last_known: shortRow(proofs, known.row) } : {}),
    ...inShort(told, finding.question.day),
  }
  return new Problem(code, detail, { members, ...hint })
}

/** The members of a refusal, without the proof. */
function sayNo(proofs: Proofs, finding: LookupResult) {
  const { decision, question } = finding
  if (decision.outcome === 'price') throw new Error('a price is no refusal')
  const code = decision.outcome === 'absent' ? (`absent_${decision.row.reason}` as const) : CODES[decision.outcome]
  const main = 'row' in decision ? citable(proofs, finding, decision.chart, decision.row) : undefined
  // Its reason is put into words before it is cited.
  if (main) proofs.check(main.release, main.stored)
  const available = availableFor(proofs, question)
  const told: RefusalDetails = {
    ...(decision.outcome === 'region_ambiguous' ? { choices: choicesFor(proofs, finding, decision.chart) } : {}),
    ...(decision.outcome === 'no_edition' ? { charts: heldPeriods(proofs, decision.charts) } : {}),
    available,
  }
  const known = lastKnown(proofs, finding)
  const there = refusedThere(proofs, finding, told)
  const hint = adviceAfter(proofs, finding, code, told, there)
  return { code, detail: sentence(proofs, finding, { code, told, main, there }), hint, main, known, told }
}

const prefixOf = ({ question }: LookupResult): string => `${question.cpt}|`

/** The schedules searched. */
const searched = ({ trace }: LookupResult): Release[] => trace.held.filter(({ chart }) => chart !== PLACE_CHART)

/** The charts from which the code is missing altogether. */
const withoutCode = (proofs: Proofs, finding: LookupResult): Release[] =>
  searched(finding).filter((release) => proofs.open(release).keysUnder(prefixOf(finding)).length === 0)

const absencesOf = (proofs: Proofs, finding: LookupResult): AbsenceProof[] =>
  withoutCode(proofs, finding).map((release) => proofs.ofAbsence(release, prefixOf(finding)))

/** Where the newest edition has just run out: what the same question would have been answered on its last day. */
function lastKnown(
  proofs: Proofs,
  { question, decision }: LookupResult,
): { finding: LookupResult; row: RowInRelease } | undefined {
  if (decision.outcome !== 'no_edition') return undefined
  for (const chart of decision.charts) {
    const over = proofs.view.periodsOf(chart).findLast(({ to }) => to < question.day)
    if (!over) continue
    const then = find(proofs, { ...question, day: over.to })
    if (then.decision.outcome === 'price' && then.decision.chart === chart)
      return { finding: then, row: citable(proofs, then, chart, then.decision.row) }
  }
  return undefined
}

/** Status M of the physician schedules. */
const isForReports = ({ derivation }: Pick<Row, 'derivation'>): boolean =>
  derivation?.method === 'cms-status/1' && derivation.inputs['status_code'] === 'M'
const FOR_REPORTS = 'The schedule has this code for reports about quality alone: Medicare never pays it'

function sentence(
  proofs: Proofs,
  finding: LookupResult,
  {
    code,
    told,
    main,
    there,
  }: { code: ProblemCode; told: RefusalDetails; main: RowInRelease | undefined; there: RefusedThere | undefined },
): string {
  const { question, decision, trace } = finding
  const { available } = told
  if (decision.outcome === 'absent')
    return `${isForReports(decision.row) ? FOR_REPORTS : PROBLEMS[code].title}. Source: ${main?.release.release_id}.`
  if (decision.outcome === 'modifier_not_allowed')
    return `${whyNotAdjusted(decision.row, decision.modifier)} Source: ${main?.release.release_id}.`
  if (decision.outcome === 'modifier_not_priced') {
    const isElsewhere = available.modifiers.includes(question.modifiers.filter((each) => !isNeutral(each)).join('-'))
    const how =
      question.modifiers.length === 0
        ? 'but only with modifiers'
        : isElsewhere
          ? `with this modifier too, but not for ${question.setting === undefined ? 'this region or basis' : 'this setting'}`
          : 'but not with this modifier'
    const several = question.modifiers.filter(isAdjusting).length > 1
    const rule = several ? ` Of ${question.modifiers.filter(isAdjusting).join(', ')} only one can be applied.` : ''
    return `The code is listed, ${how}. Its modifiers: ${has(available.modifiers)}.${rule}`
  }
  if (decision.outcome === 'no_edition')
    return `The registry has no edition for this day of: ${decision.charts.join(', ')}.`
  if (decision.outcome === 'region_not_covered')
    return `The edition in force has this code for other places, but not for this region. Source: ${trace.held.find(({ chart }) => chart === decision.chart)?.release_id}.`
  if (decision.outcome === 'region_ambiguous')
    return 'zip' in question.region
      ? `Medicare divides this ZIP code between several places, and the table of ZIP codes does not say in which ${question.region.plusFour === null ? 'one the address lies: all nine digits may decide' : 'of them these nine digits lie'}.`
      : `The question fits several places: choose one of ${toChoose(told)}.${whyRefusedThere(question, told, there)}`
  if (decision.outcome === 'not_on_schedule' && available.bases.length > 0) {
    const missing = withoutCode(proofs, finding)
    const isAskedByList = question.basis !== undefined || question.setting === undefined
    if (isAskedByList && missing.length > 0 && missing.length === searched(finding).length)
      return `The code is not on ${missing.map(({ release_id }) => release_id).join(', ')}. Bases that have it on this day: ${has(available.bases)}.`
    const part = question.setting === undefined ? 'this region or basis' : 'this setting'
    return `The code is listed, but not for ${part}. Settings: ${has(available.settings)}. Bases: ${has(available.bases)}.`
  }
  return PROBLEMS[code].title
}
