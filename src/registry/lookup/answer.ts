import { type JsonText, withMembers } from '../../json-text.ts'
import { PROBLEMS, Problem, type ProblemCode } from '../../problem.ts'
import { PROOF_REF, type ProofRef } from '../../proof/envelope.ts'
import type { PriceDecision } from '../../proof/lookup/decision.ts'
import { type Adjustment, isAdjusting, isNeutral } from '../../proof/lookup/modifiers.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import { type SideMember, sideMember } from '../../proof/lookup/side.ts'
import { PLACE_CHART } from '../../proof/price/charts.ts'
import { type LostSource, MOST_LOST } from '../../proof/price/lost-source.ts'
import type { Prolonged } from '../../proof/price/prolonged.ts'
import type { Manifest } from '../../proof/price/release.ts'
import type { PricedRow, Row } from '../../proof/price/row.ts'
import { type Release, rowOf } from '../store.ts'
import { adviceAfter, has, type RefusedThere, refusedThere, toChoose, whyRefusedThere } from './advice.ts'
import { AnswerProof, marksOf, type RowInRelease } from './answer-proof.ts'
import {
  availableFor,
  choicesFor,
  heldPeriods,
  inShort,
  type RefusalDetails,
  referencePath,
  regionText,
  relatedTo,
  whyNotAdjusted,
} from './beside.ts'
import { citable } from './cited-row.ts'
import { checkRead, find, type LookupResult } from './find.ts'
import { type OtherSide, otherSides } from './other-sides.ts'
import type { Proofs } from './proofs.ts'

/** Tells what became of the sources of a release. */
export type LostSourcesOf = (release: Manifest) => LostSource[]

export const lostMember = (lost: LostSource[]): { sources_lost?: LostSource[] } =>
  lost.length === 0 ? {} : { sources_lost: lost }

/** The lost sources of all releases that a list shows rows of, each once. */
export function lostBehind(releases: Iterable<Manifest>, lostSources: LostSourcesOf): ReturnType<typeof lostMember> {
  const manifests = new Map([...releases].map((release) => [release.release_id, release]))
  return lostMember([...manifests.values()].flatMap(lostSources).slice(0, MOST_LOST))
}

/** The unproved part of a list, likewise. */
export function aboutLost(
  releases: Iterable<Manifest>,
  lostSources: LostSourcesOf,
): { about?: { sources_lost: LostSource[] } } {
  const { sources_lost } = lostBehind(releases, lostSources)
  return sources_lost ? { about: { sources_lost } } : {}
}

/** The price that was decided on with its proof, as JSON text, or a refusal that proves why there is none. */
export function answerText(proofs: Proofs, finding: LookupResult, lostSources: LostSourcesOf): string {
  const { decision, question } = finding
  if (decision.outcome !== 'price') throw refusal(proofs, finding)
  const main = citable(finding, decision.chart, decision.row)
  const proof = new AnswerProof(proofs)
  const row = proof.pointer(main.release, main.stored)
  const beside = besidePrice(proof, finding)
  proof.addTrace(finding.trace)
  const about = {
    related: relatedTo(proofs, question, decision.row),
    ...besideMember(proofs, finding),
    ...lostMember(lostSources(main.release.manifest)),
  }
  return withMembers(main.stored.body, { row, ...marksOf(main.release), ...beside, proof: proof.member(), about })
}

/** The members that stand beside the row of a price. */
export function besidePrice(proof: AnswerProof, finding: LookupResult): object {
  const { decision } = finding
  if (decision.outcome !== 'price') return {}
  return { ...placeMember(proof, finding), ...sideOfAnswer(finding), ...toldOf(decision) }
}

/** Whose bill the answer was given for, where the question says it. */
export function sideOfAnswer({ question }: Pick<LookupResult, 'question'>): { side?: SideMember } {
  const side = sideMember(question)
  return side ? { side } : {}
}

/** The prices of the other sides, if there are any. */
export function besideMember(proofs: Proofs, finding: LookupResult): { beside?: OtherSide[] } {
  const beside = otherSides(proofs, finding)
  return beside.length > 0 ? { beside } : {}
}

export const toldOf = ({ ignored, left, adjustment, listedWith }: PriceDecision): object => ({
  ...(ignored.length > 0 && { modifiers_ignored: ignored }),
  ...(left.length > 0 && { left_to_bill: left }),
  ...(adjustment && { adjustment }),
  ...(listedWith !== undefined && { listed_with: listedWith }),
})

const placeMember = (proof: AnswerProof, finding: LookupResult): { place?: JsonText } =>
  finding.place ? { place: proof.show(citable(finding, PLACE_CHART, finding.place)) } : {}

/** The short form: the amount and what it is, with a pointer to the proof. The leaf hash binds the rest. */
export type ShortAnswer = ShortRow<PricedRow> & {
  side?: SideMember
  modifiers_ignored?: string[]
  left_to_bill?: string[]
  adjustment?: Adjustment
  listed_with?: string
  about?: { sources_lost?: LostSource[] }
}
export function shortAnswer(proofs: Proofs, finding: LookupResult, lostSources: LostSourcesOf = () => []): ShortAnswer {
  const { decision } = finding
  if (decision.outcome !== 'price') throw shortRefusal(proofs, finding)
  const { row, chart } = decision
  const main = citable(finding, chart, row)
  checkRead(proofs, finding.trace)
  const lost = lostMember(lostSources(main.release.manifest))
  return {
    ...(shortRow(proofs, main) as ShortRow<PricedRow>),
    ...sideOfAnswer(finding),
    ...toldOf(decision),
    ...('sources_lost' in lost && { about: lost }),
  }
}

/** A row without where it is from and how it was computed. The manifest is left out too, so its `data_class` stands here. */
export type ShortRow<R extends Row = Row> = Omit<R, 'derivation' | 'indicators' | 'locator'> & {
  data_class: Manifest['data_class']
  effective_to: string
  prolonged?: Prolonged
  proof: ProofRef
}
export function shortRow(proofs: Proofs, { release, stored }: RowInRelease): ShortRow {
  const { derivation: _d, indicators: _i, locator: _l, ...rest } = rowOf(stored) as Row
  const { data_class, effective_to: ends } = release.manifest
  const effective_to = proofs.view.periodOf(release)?.to ?? ends
  return { ...rest, data_class, effective_to, ...marksOf(release), proof: proofs.refer(release, stored) }
}

const CODES = {
  modifier_not_allowed: 'modifier_not_allowed',
  modifier_not_priced: 'modifier_not_priced',
  no_edition: 'no_edition_for_day',
  region_ambiguous: 'region_ambiguous',
  region_not_covered: 'region_not_covered',
  unknown_zip: 'unknown_zip',
  unknown_provider: 'unknown_provider',
  payer_not_listed: 'payer_not_listed',
  payer_ambiguous: 'payer_ambiguous',
  not_on_schedule: 'not_on_schedule',
} as const satisfies { [outcome: string]: ProblemCode }

/** A refusal names the part that did not fit, says what there is, and proves that there is no price. */
function refusal(proofs: Proofs, finding: LookupResult): Problem {
  const proof = new AnswerProof(proofs)
  const { problem, members } = refusalIn(proof, finding)
  return problem({ ...members, proof: proof.member() })
}

/** A refusal, whose rows are shown by a proof that it may share with other answers. */
export function refusalIn(
  proof: AnswerProof,
  finding: LookupResult,
): { members: Record<string, unknown>; problem: (members: Record<string, unknown>) => Problem } {
  const { proofs } = proof
  const { code, detail, hint, main, known, told } = sayNo(proofs, finding)
  const { charts, ...about } = told
  const members: Record<string, unknown> = {
    ...ruleOf(finding),
    ...(main && { row: proof.show(main).toJSON() }),
    ...placeMember(proof, finding),
    ...sideOfAnswer(finding),
    ...(charts && { charts }),
    ...(known && { last_known: proof.show(known.row).toJSON() }),
    about,
  }
  proof.addTrace(finding.trace)
  if (known) proof.addTrace(known.finding.trace)
  for (const { chart } of charts ?? []) proof.addPeriods(proofs.view.stretchOf(chart))
  return { members, problem: (all) => new Problem(code, detail, { members: all, ...hint }) }
}

const ruleOf = ({ decision }: LookupResult): object => ('rule' in decision ? { rule: decision.rule } : {})

function shortRefusal(proofs: Proofs, finding: LookupResult): Problem {
  const { code, detail, hint, main, known, told } = sayNo(proofs, finding)
  checkRead(proofs, finding.trace)
  if (known) checkRead(proofs, known.finding.trace)
  const { charts, ...about } = inShort(told, finding.question.day)
  const members = {
    ...ruleOf(finding),
    ...(main && { row: shortRow(proofs, main) }),
    ...sideOfAnswer(finding),
    ...(charts && { charts }),
    ...(known && { last_known: shortRow(proofs, known.row) }),
    proof: { type: PROOF_REF, href: hrefOf(finding.question) },
    about,
  }
  return new Problem(code, detail, { members, ...hint })
}

/** Where the same refusal is with its whole proof. */
function hrefOf({ cpt, region, npi, day, modifiers, setting, basis, payer, bill }: ParsedQuestion): string {
  const modifier = modifiers.join('-') || null
  const asked = { cpt, region: npi === null ? regionText(region) : null, npi, modifier, setting, basis, payer, ...bill }
  return referencePath(asked, day)
}

/** The members of a refusal, without the proof. */
function sayNo(proofs: Proofs, finding: LookupResult) {
  const { decision, question } = finding
  if (decision.outcome === 'price') throw new Error('a price is no refusal')
  const code = decision.outcome === 'absent' ? (`absent_${decision.row.reason}` as const) : CODES[decision.outcome]
  const main = 'row' in decision ? citable(finding, decision.chart, decision.row) : undefined
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
      return { finding: then, row: citable(then, chart, then.decision.row) }
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
  if (decision.outcome === 'payer_not_listed' || decision.outcome === 'payer_ambiguous')
    return `${PROBLEMS[code].title}. Payers that it lists for the code: ${has(available.payers ?? [])}.`
  if (decision.outcome === 'no_edition') return `No edition for this day of: ${decision.charts.join(', ')}.`
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
