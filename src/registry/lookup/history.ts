import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { chartsFor, factsOf } from '../../proof/price/charts.ts'
import type { ParsedQuestion } from '../../proof/price/question.ts'
import type { Period } from '../../proof/price/release.ts'
import { setShared } from '../answer-schema.ts'
import { ourTurn } from '../turn.ts'
import { type LineAnswer, lineFields, lineFor } from './line.ts'
import type { Proofs } from './proofs.ts'
import { questionOf, ReferenceQuery } from './query.ts'
import { Sharing } from './share.ts'

export const HistoryQuery = ReferenceQuery.omit({ as_of: true }).extend(pageInput)
export type HistoryQuery = z.output<typeof HistoryQuery>

const Edition = z
  .strictObject({
    release_id: z.string(),
    chart: z.string(),
    edition: z.string(),
    data_class: z.enum(['published', 'sample']),
    effective_from: z.iso.date().meta({ description: 'The first day on which it is in force' }),
    effective_to: z.iso.date().meta({ description: 'The last day: the next edition or its own end' }),
    answer: lineFields.meta({ description: 'What the question is answered with from this edition alone' }),
  })
  .meta({ id: 'EditionAnswer' })

export const ReferenceHistory = z
  .strictObject({ data: z.array(Edition), page: Page, links: Links, ...setShared })
  .meta({ id: 'ReferenceHistory' })

/** What every edition says of a code, newest first: the question asked of each chart alone, on its first day. */
export async function history(
  db: Db,
  proofs: Proofs,
  query: HistoryQuery,
  today: string,
): Promise<ListAnswer<typeof ReferenceHistory>> {
  const { limit, offset, ...asked } = query
  const question = questionOf(asked, today)
  const periods = periodsFor(proofs, question)
  const sharing = new Sharing(proofs)
  const data: z.input<typeof Edition>[] = []
  for (const period of periods.slice(offset, offset + limit)) {
    await ourTurn()
    const { release_id, chart, edition, data_class } = proofs.view.releaseIn(period).manifest
    const basis = question.npi === null ? factsOf(chart, proofs.charts)?.bases[0] : question.basis
    const answer = await lineFor(db, proofs, sharing, { ...question, basis, day: period.from })
    data.push({
      release_id,
      chart,
      edition,
      data_class,
      effective_from: period.from,
      effective_to: period.to,
      answer: answer.result as LineAnswer,
    })
  }
  return { data, total: periods.length, ...(await sharing.parts()) } as ListAnswer<typeof ReferenceHistory>
}

function periodsFor({ view, charts: table }: Proofs, { npi, basis, setting }: ParsedQuestion): Period[] {
  const chart = npi === null ? undefined : view.chartOf(npi)
  if (npi !== null && chart === undefined) throw new Problem('unknown_provider')
  const charts = chart === undefined ? chartsFor(basis, setting, table) : [chart]
  return charts
    .flatMap((each) => view.periodsOf(each))
    .sort((a, b) => (a.from < b.from ? 1 : a.from > b.from ? -1 : a.chart < b.chart ? -1 : 1))
}
