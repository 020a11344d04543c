import { z } from 'zod'
import { DAY_MS, dayOf } from '../../calendar.ts'
import type { Db } from '../../db/db.ts'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { type Charts, schedulesFor } from '../charts.ts'
import { AbsenceProof, CitedRow } from '../row-schema.ts'
import type { Release } from '../store.ts'
import * as store from '../store.ts'
import { ourTurn } from '../turn.ts'
import { absenceProofs } from './answer.ts'
import type { Proofs } from './proofs.ts'
import { checkBasis, findIn, placeOf, ReferenceQuery } from './reference.ts'
import { parseRegion } from './region.ts'

export const HistoryQuery = ReferenceQuery.omit({ as_of: true }).extend(pageInput)
export type HistoryQuery = z.output<typeof HistoryQuery>

const Edition = z
  .strictObject({
    release_id: z.string(),
    chart: z.string(),
    edition: z.string(),
    data_class: z.enum(['published', 'sample']),
    effective_from: z.iso.date(),
    effective_to: z.iso.date().nullable().meta({
      description:
        'The last day on which it is in force; null for the latest edition; before `effective_from` where a revision for the same day took its place',
    }),
    row: CitedRow.nullable().meta({
      description: 'The row that answers from this edition: a price or a stated absence',
    }),
    absence: z
      .array(AbsenceProof)
      .min(1)
      .nullable()
      .meta({ description: 'Where no row answers, the proofs that there is none' }),
  })
  .meta({ id: 'EditionAnswer' })

export const ReferenceHistory = z
  .strictObject({ data: z.array(Edition), page: Page, links: Links })
  .meta({ id: 'ReferenceHistory' })

interface Dated {
  release: Release
  effective_to: string | null
}

/** The editions to show, newest first: all those of each schedule that has ever had the code, or of the provider's files. */
export async function editionsFor(db: Db, query: HistoryQuery, charts: Charts): Promise<Dated[]> {
  checkBasis(query, charts)
  const shown = await chartsFor(db, query, charts)
  const newer = new Map<string, string>()
  const editions = shown.length > 0 ? await store.editionsOf(db, shown) : []
  return editions.map((release) => {
    const next = newer.get(release.chart)
    newer.set(release.chart, release.effective_from)
    return { release, effective_to: next === undefined ? null : dayBefore(next) }
  })
}

async function chartsFor(db: Db, { cpt, npi, basis }: HistoryQuery, charts: Charts): Promise<string[]> {
  if (npi === undefined)
    return store.chartsWithCode(
      db,
      cpt,
      schedulesFor(basis, charts).map(({ chart }) => chart),
    )
  const own = await store.chartsOfProvider(db, npi)
  if (own.length === 0) throw new Problem('unknown_provider')
  return own
}

const dayBefore = (day: string): string => dayOf(Date.parse(day) - DAY_MS)

/** One page of the editions, each with the row that answers from it alone, or the proof that none does. */
export async function history(
  db: Db,
  proofs: Proofs,
  query: HistoryQuery,
  editions: readonly Dated[],
  charts: Charts,
): Promise<ListAnswer<typeof ReferenceHistory>> {
  const { limit, offset } = query
  const region = await placeOf(db, parseRegion(query.region))
  const data: z.input<typeof Edition>[] = []
  for (const { release, effective_to } of editions.slice(offset, offset + limit)) {
    await ourTurn()
    const found = await findIn(db, query, region, [release], charts)
    const { release_id, chart, effective_from, manifest } = release
    data.push({
      release_id,
      chart,
      edition: manifest.edition,
      data_class: manifest.data_class,
      effective_from,
      effective_to,
      row: found.release === undefined ? null : await proofs.attach(release, found.stored),
      absence: found.release === undefined ? await absenceProofs(proofs, found.missing) : null,
    })
  }
  return { data, total: editions.length }
}
