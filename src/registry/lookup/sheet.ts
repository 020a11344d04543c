import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import { basesOf, HOSPITAL, PLACE_CHART } from '../../proof/price/charts.ts'
import type { ParsedQuestion } from '../../proof/price/question.ts'
import { rowKey } from '../../proof/price/row.ts'
import { PageRange, PageRow, shared } from '../answer-schema.ts'
import { PlaceRow } from '../row-schema.ts'
import type { Release, StoredRow } from '../store.ts'
import * as store from '../store.ts'
import { availableFor } from './beside.ts'
import { provedPage } from './browse.ts'
import { find } from './find.ts'
import type { Proofs } from './proofs.ts'
import { questionOf, ReferenceQuery } from './query.ts'

export const SheetQuery = ReferenceQuery.omit({ modifier: true, setting: true, basis: true })
export type SheetQuery = z.output<typeof SheetQuery>

export const ReferenceSheet = z
  .strictObject({
    data: z
      .array(PageRow)
      .meta({ description: 'Every row in force for the code at the place: all settings, bases and modifiers' }),
    proofs: z.array(PageRange),
    ...shared,
    place: PlaceRow.optional(),
    as_of: z.iso.date(),
  })
  .meta({ id: 'ReferenceSheet' })

/** Everything in force for a code at a place and day. A state with several localities shows each of them. */
export async function sheet(
  db: Db,
  proofs: Proofs,
  query: SheetQuery,
  today: string,
): Promise<z.input<typeof ReferenceSheet>> {
  const question = questionOf(query, today)
  if (question.npi !== null && proofs.view.chartOf(question.npi) === undefined) throw new Problem('unknown_provider')
  const { prefixes, place } = await prefixesOf(db, proofs, question)
  const rows: { release: Release; stored: StoredRow }[] = []
  for (const chart of chartsOf(proofs, question)) {
    const release = proofs.view.editionOn(chart, question.day)
    if (!release) continue
    const isHospital = chart.startsWith(HOSPITAL)
    const found = new Map<number, StoredRow>()
    for (const prefix of isHospital ? [`national|${question.npi}|`] : prefixes)
      for (const stored of await store.rowsUnder(db, release.release_no, `${question.cpt}|${prefix}`))
        found.set(stored.row_index, stored)
    rows.push(...[...found.values()].sort((a, b) => a.row_index - b.row_index).map((stored) => ({ release, stored })))
  }
  if (rows.length === 0)
    throw new Problem('not_on_schedule', 'No chart in force on this day has a row for this code at this place.', {
      members: { available: await availableFor(proofs, question) },
    })
  return { ...(await provedPage(proofs, rows)), ...place, as_of: question.day } as z.input<typeof ReferenceSheet>
}

function chartsOf({ view, charts }: Proofs, { npi }: ParsedQuestion): string[] {
  const held = [...new Set(view.periods.map(({ chart }) => chart))]
  const schedules = held.filter((chart) => !chart.startsWith(HOSPITAL) && basesOf(chart, charts).length > 0)
  return npi === null ? schedules : [...schedules, view.chartOf(npi) ?? '']
}

/** What keys begin with after the code: the place that was asked, and the whole country. */
async function prefixesOf(
  db: Db,
  proofs: Proofs,
  question: ParsedQuestion,
): Promise<{ prefixes: string[]; place?: object }> {
  const { region } = question
  if (region.level === 'national') return { prefixes: ['national|'] }
  if (region.level === 'state') return { prefixes: ['national|', `US-${region.state}|`, `US-${region.state}-`] }
  if (region.level === 'locality')
    return { prefixes: ['national|', `${region.region}|`, `${region.region.slice(0, 5)}|`] }
  const { place, decision } = await find(proofs, {
    ...question,
    npi: null,
    basis: undefined,
    setting: undefined,
    modifiers: [],
  })
  if (decision.outcome === 'unknown_zip') throw new Problem('unknown_zip')
  if (!place?.region)
    throw new Problem(
      'region_ambiguous',
      'The last four digits of this ZIP code decide its locality: send them, or a locality as US-XX-LL.',
    )
  const release = proofs.view.editionOn(PLACE_CHART, question.day)
  const stored = release && (await store.findRow(db, release.release_no, rowKey(place)))
  return {
    prefixes: ['national|', `${place.region}|`, `${place.region.slice(0, 5)}|`],
    ...(release && stored ? { place: { place: await proofs.cite(release, stored) } } : {}),
  }
}
