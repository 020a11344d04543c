import { z } from 'zod'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { basisAsked, compareEditions, editionOf } from '../../proof/catalogue/history.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import { chartsFor } from '../../proof/price/charts.ts'
import type { Manifest } from '../../proof/price/release.ts'
import { ourTurn } from '../../queue.ts'
import { aboutLost, answerText, type LostSourcesOf, shortAnswer } from './answer.ts'
import { AnswerProof } from './answer-proof.ts'
import { AboutList } from './answer-schema.ts'
import { find } from './find.ts'
import { type LineAnswer, lineFields, lineFor, shortLineFields, shortLineFor } from './line.ts'
import type { Proofs } from './proofs.ts'
import { questionOf, ReferenceQuery } from './query.ts'
import { Proof } from './row-schema.ts'

export const HistoryQuery = ReferenceQuery.omit({ as_of: true }).extend(pageInput)
export type HistoryQuery = z.output<typeof HistoryQuery>

const ofEdition = {
  release_id: z.string(),
  chart: z.string(),
  edition: z.string(),
  data_class: z.enum(['published', 'sample']),
  effective_from: z.iso.date().meta({ description: 'The first day on which it is in force' }),
  effective_to: z.iso.date().meta({ description: 'The last day: the next edition or its own end' }),
}
const answered = { description: 'What the question is answered with from this edition alone' }
const Edition = z.strictObject({ ...ofEdition, answer: lineFields.meta(answered) }).meta({ id: 'EditionAnswer' })
const ShortEdition = z.strictObject({ ...ofEdition, answer: shortLineFields.meta(answered) })

export const ReferenceHistory = z
  .strictObject({
    data: z.array(Edition),
    page: Page,
    links: Links,
    proof: Proof.meta({
      description: 'Its timeline has all periods of each chart that may answer: no edition is left out',
    }),
    about: AboutList,
  })
  .meta({ id: 'ReferenceHistory' })
export const ShortHistory = z
  .strictObject({ data: z.array(ShortEdition), page: Page, links: Links, about: AboutList })
  .meta({ id: 'ShortReferenceHistory', description: 'The same with pointers in place of proofs (`proof=ref`)' })

/** Every edition's answer for a code, newest first: the question is asked of each chart alone, on its first day. */
export async function history(
  proofs: Proofs,
  query: HistoryQuery,
  today: string,
  lostSources: LostSourcesOf,
): Promise<ListAnswer<typeof ReferenceHistory>> {
  const { question, charts, periods } = editionsAsked(proofs, query, today)
  const { limit, offset } = query
  const { view } = proofs
  // Refused as the lookup is, with its proof: no file names the provider.
  if (charts.length === 0) answerText(proofs, find(proofs, question), lostSources)
  const proof = new AnswerProof(proofs)
  const data: z.input<typeof Edition>[] = []
  const shown: Manifest[] = []
  for (const period of periods.slice(offset, offset + limit)) {
    await ourTurn()
    const release = view.releaseIn(period)
    const basis = basisAsked(period.chart, question, proofs.charts)
    const line = lineFor(proof, { ...question, basis, day: period.from })
    // The edition is shown even if the place, or the modifier, was refused before it was asked.
    proof.addRelease(release)
    if (line.price) shown.push(release.manifest)
    data.push({ ...editionOf(release.manifest, period), answer: line.result as LineAnswer })
  }
  for (const chart of charts) proof.addPeriods(view.stretchOf(chart))
  // Whose file is asked must be shown even where it has no edition to answer from.
  if (question.npi !== null) proof.addProvider(question.npi)
  const said = { proof: proof.member(), ...aboutLost(shown, lostSources) }
  return { data, total: periods.length, ...said } as unknown as ListAnswer<typeof ReferenceHistory>
}

/** The history in short form, with pointers in place of proofs. */
export async function shortHistory(
  proofs: Proofs,
  query: HistoryQuery,
  today: string,
  lostSources: LostSourcesOf,
): Promise<ListAnswer<typeof ShortHistory>> {
  const { question, charts, periods } = editionsAsked(proofs, query, today)
  if (charts.length === 0) shortAnswer(proofs, find(proofs, question))
  const data: object[] = []
  const shown: Manifest[] = []
  for (const period of periods.slice(query.offset, query.offset + query.limit)) {
    await ourTurn()
    const basis = basisAsked(period.chart, question, proofs.charts)
    const line = shortLineFor(proofs, { ...question, basis, day: period.from })
    const { manifest } = proofs.view.releaseIn(period)
    if (line.price) shown.push(manifest)
    data.push({ ...editionOf(manifest, period), answer: line.result })
  }
  return { data, total: periods.length, ...aboutLost(shown, lostSources) } as ListAnswer<typeof ShortHistory>
}

/** How many editions a page lists, at least one: each takes as much work as a lookup. */
export function editionsListed(proofs: Proofs, query: HistoryQuery, today: string): number {
  const { limit, offset } = query
  return Math.max(1, Math.min(limit, editionsAsked(proofs, query, today).periods.length - offset))
}

function editionsAsked(proofs: Proofs, { limit: _l, offset: _o, ...asked }: HistoryQuery, today: string) {
  const question = questionOf(asked, today)
  const charts = chartsAsked(proofs, question)
  return { question, charts, periods: charts.flatMap((each) => proofs.view.periodsOf(each)).sort(compareEditions) }
}

function chartsAsked({ view, charts }: Proofs, question: ParsedQuestion): readonly string[] {
  if (question.npi === null) return chartsFor(question, charts)
  const chart = view.chartOf(question.npi)
  return chart === undefined ? [] : [chart]
}
