import { z } from 'zod'
import { jsonText } from '../../json-text.ts'
import { ReadyAnswer, ready } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { codeOf } from '../../proof/answer.ts'
import { compareFor, comparisonOf, type HospitalDecision, MOST_COMPARED } from '../../proof/lookup/compare.ts'
import type { PriceDecision } from '../../proof/lookup/decision.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import { HOSPITAL_LIST, PLACE_CHART } from '../../proof/price/charts.ts'
import { aboutLost, type LostSourcesOf, type ShortRow, shortRow, toldOf } from './answer.ts'
import { AnswerProof } from './answer-proof.ts'
import { AboutList, ShortRow as ShortRowShape, toldOfModifiers } from './answer-schema.ts'
import { heldPeriods, hintFor } from './beside.ts'
import { citable } from './cited-row.ts'
import { checkRead, ruled, type Trace, tracedRegistry } from './find.ts'
import type { Proofs } from './proofs.ts'
import { ReferenceQuery } from './query.ts'
import { hospital, Proof, ShownHospital, ShownPlace, ShownPrice } from './row-schema.ts'

// Hospitals near a place, side by side: each with its own price, the lowest first, and proof that none is left out.

export const CompareQuery = ReferenceQuery.omit({
  npi: true,
  kind: true,
  revenue_code: true,
  place_of_service: true,
}).extend({ region: ReferenceQuery.shape.region.unwrap() })
export type CompareQuery = z.output<typeof CompareQuery>

const Code = z.string().meta({ description: 'Why it states no price, as the code of the refusal of a lookup' })
const hospitals = { description: 'By amount, the lowest first; prices before factors' }
const without = { description: 'Hospitals near the place that state no price for it' }
const ofComparison = { as_of: z.iso.date(), about: AboutList }
export const Comparison = z
  .strictObject({
    hospitals: z
      .array(z.strictObject({ hospital: ShownHospital, price: ShownPrice, ...toldOfModifiers }))
      .max(MOST_COMPARED)
      .meta(hospitals),
    without: z
      .array(z.strictObject({ hospital: ShownHospital, code: Code }))
      .min(1)
      .optional()
      .meta(without),
    place: ShownPlace.optional(),
    ...ofComparison,
    proof: Proof,
  })
  .meta({ id: 'Comparison', description: 'What each hospital near a place states for a code' })
const { name, zip, npi } = hospital
const NamedHospital = z.strictObject({ npi, name, zip })
export const ShortComparison = z
  .strictObject({
    hospitals: z
      .array(z.strictObject({ hospital: NamedHospital, price: ShortRowShape, ...toldOfModifiers }))
      .max(MOST_COMPARED)
      .meta(hospitals),
    without: z
      .array(z.strictObject({ hospital: NamedHospital, code: Code }))
      .min(1)
      .optional()
      .meta(without),
    ...ofComparison,
  })
  .meta({ id: 'ShortComparison', description: 'The same with pointers in place of proofs (`proof=ref`)' })

/** The hospitals near a place with their prices, and proof that these are all. */
export function compare(proofs: Proofs, query: CompareQuery, today: string, lostSources: LostSourcesOf): ReadyAnswer {
  const { question, trace, found } = findComparison(proofs, query, today)
  const proof = new AnswerProof(proofs)
  const shown = ({ hospital: row }: HospitalDecision) => proof.show(citable({ trace }, HOSPITAL_LIST, row))
  const priced = found.priced.map((each) => ({
    hospital: shown(each),
    price: proof.show(priceOf(trace, each.decision)),
    ...toldOf(each.decision),
  }))
  const others = found.others.map((each) => ({ hospital: shown(each), code: codeOf(each.decision) }))
  const placed = found.place ? { place: proof.show(citable({ trace }, PLACE_CHART, found.place)) } : {}
  proof.addTrace(trace)
  for (const { hospital: row } of [...found.priced, ...found.others]) proof.addProvider(row.npi)
  const manifests = found.priced.map(({ decision }) => priceOf(trace, decision).release.manifest)
  const members = { hospitals: priced, ...withoutOf(others), ...placed, as_of: question.day }
  return new ReadyAnswer(jsonText({ ...members, proof: proof.member(), ...aboutLost(manifests, lostSources) }))
}

/** The comparison in short form, with pointers in place of proofs. */
export function shortCompare(
  proofs: Proofs,
  query: CompareQuery,
  today: string,
  lostSources: LostSourcesOf,
): ReadyAnswer {
  const { question, trace, found } = findComparison(proofs, query, today)
  checkRead(proofs, trace)
  const named = ({ hospital: row }: HospitalDecision) => ({ npi: row.npi, name: row.name, zip: row.zip })
  const priced = found.priced.map((each) => ({
    hospital: named(each),
    price: shortRow(proofs, priceOf(trace, each.decision)) as ShortRow,
    ...toldOf(each.decision),
  }))
  const others = found.others.map((each) => ({ hospital: named(each), code: codeOf(each.decision) }))
  const manifests = found.priced.map(({ decision }) => priceOf(trace, decision).release.manifest)
  return ready({
    ...{ hospitals: priced, ...withoutOf(others), as_of: question.day },
    ...aboutLost(manifests, lostSources),
  })
}

const withoutOf = <Other>(others: Other[]): { without?: Other[] } => (others.length > 0 ? { without: others } : {})

const priceOf = (trace: Trace, { chart, row }: PriceDecision) => citable({ trace }, chart, row)

function findComparison(proofs: Proofs, { as_of = undefined, ...query }: CompareQuery, today: string) {
  const question = parsed({ ...query, as_of: as_of ?? today })
  const { registry, trace } = tracedRegistry(proofs, question.day)
  const found = ruled(proofs, trace, () => compareFor(question, registry, proofs.charts))
  if (found.outcome !== 'comparison') return refusePlace(proofs, found)
  return { question, trace, found }
}

/** Refuses a place for which hospitals cannot be listed. */
export function refusePlace(
  proofs: Proofs,
  found: Exclude<ReturnType<typeof compareFor>, { outcome: 'comparison' }>,
): never {
  if (found.outcome === 'no_edition') {
    const held = heldPeriods(proofs, found.charts)
    const detail = `No edition for this day of: ${found.charts.join(', ')}.`
    throw new Problem('no_edition_for_day', detail, { members: { charts: held }, ...hintFor(held) })
  }
  if (found.outcome === 'region_ambiguous')
    throw new Problem('region_ambiguous', 'The place must be a state, or a ZIP code that lies in one state.', {
      hint: 'Ask with the ZIP code of the place, or with a state as `US-IL`.',
    })
  throw new Problem(found.outcome)
}

/** The form of each part was checked; they may not go together. */
function parsed(question: Parameters<typeof comparisonOf>[0]): ParsedQuestion {
  const asked = comparisonOf(question)
  if (!asked)
    throw Problem.parameter('basis', 'a comparison is of what hospitals state: its basis begins with hospital_')
  return asked
}
