import { z } from 'zod'
import { jsonText } from '../../json-text.ts'
import { ReadyAnswer, ready } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { isDivided, isStateAsked, parseRegion, type Region } from '../../proof/lookup/region.ts'
import { sheetFor } from '../../proof/lookup/sheet.ts'
import { PLACE_CHART } from '../../proof/price/charts.ts'
import { unlisted } from './advice.ts'
import { aboutLost, type LostSourcesOf, shortRow, sideOfAnswer } from './answer.ts'
import { AnswerProof, type RowInRelease } from './answer-proof.ts'
import { AboutList, ShortRow, SideTaken } from './answer-schema.ts'
import { availableFor, heldPeriods, hintFor } from './beside.ts'
import { citable } from './cited-row.ts'
import { checkRead, ruled, type Trace, tracedRegistry } from './find.ts'
import type { Proofs } from './proofs.ts'
import { questionOf, ReferenceQuery } from './query.ts'
import { Proof, ShownPlace, ShownRow } from './row-schema.ts'

export const SheetQuery = ReferenceQuery.omit({ modifier: true, setting: true, basis: true })
export type SheetQuery = z.output<typeof SheetQuery>

/** The sheet of a state with several localities shows each. */
export function isOfDividedState({ region }: SheetQuery): boolean {
  const asked = parseRegion(region)
  return asked !== undefined && isStateAsked(asked) && isDivided(asked.state)
}

const data = { description: 'Every row in force for the code at the place: all settings, bases and modifiers' }
const ofSheet = {
  not_held: z
    .array(z.string())
    .min(1)
    .optional()
    .meta({ description: 'Charts that have no edition on this day; proved like the rows' }),
  as_of: z.iso.date(),
  about: AboutList,
}
export const ReferenceSheet = z
  .strictObject({
    data: z.array(ShownRow).meta(data),
    place: ShownPlace.optional(),
    side: SideTaken,
    ...ofSheet,
    proof: Proof,
  })
  .meta({ id: 'ReferenceSheet' })
export const ShortSheet = z
  .strictObject({ data: z.array(ShortRow).meta(data), side: SideTaken, ...ofSheet })
  .meta({ id: 'ShortReferenceSheet', description: 'The same with pointers in place of proofs (`proof=ref`)' })

/** Everything in force for a code at a place and day, with proof that it is everything. */
export function sheet(proofs: Proofs, query: SheetQuery, today: string, lostSources: LostSourcesOf): ReadyAnswer {
  const { question, trace, rows, place, not_held } = findSheet(proofs, query, today)
  const proof = new AnswerProof(proofs)
  const data = rows.map((row) => proof.show(row))
  const placed = place ? { place: proof.show(place) } : {}
  proof.addTrace(trace)
  const said = { ...sideOfAnswer({ question }), ...notHeld(not_held), as_of: question.day }
  const lost = aboutLost(manifestsOf(rows), lostSources)
  return new ReadyAnswer(jsonText({ data, ...placed, ...said, proof: proof.member(), ...lost }))
}

const notHeld = (charts: string[]): { not_held?: string[] } => (charts.length > 0 ? { not_held: charts } : {})

/** The sheet in short form, with pointers in place of proofs. */
export function shortSheet(proofs: Proofs, query: SheetQuery, today: string, lostSources: LostSourcesOf): ReadyAnswer {
  const { question, trace, rows, not_held } = findSheet(proofs, query, today)
  checkRead(proofs, trace)
  const data = rows.map((row) => shortRow(proofs, row))
  return ready({
    data,
    ...sideOfAnswer({ question }),
    ...notHeld(not_held),
    as_of: question.day,
    ...aboutLost(manifestsOf(rows), lostSources),
  })
}

const manifestsOf = (rows: readonly RowInRelease[]) => rows.map(({ release }) => release.manifest)

/** The rows of a sheet; refused where there are none. */
function findSheet(proofs: Proofs, query: SheetQuery, today: string) {
  const question = questionOf(query, today)
  const { registry, trace } = tracedRegistry(proofs, question.day)
  const found = ruled(proofs, trace, () => sheetFor(question, registry, proofs.charts))
  if (found.outcome === 'region_ambiguous') throw new Problem('region_ambiguous', whyOpen(question.region))
  if (found.outcome === 'no_edition') throw noEdition(proofs, found.charts)
  if (found.outcome !== 'sheet') throw new Problem(found.outcome)
  if (found.rows.length === 0) {
    checkRead(proofs, trace)
    if (mayBeMissing(proofs, found.notHeld, trace)) throw noEdition(proofs, found.notHeld)
    const available = availableFor(proofs, question)
    const isUnlisted = available.bases.length === 0 && question.npi === null
    throw new Problem('not_on_schedule', 'No chart in force on this day has a row for this code at this place.', {
      members: { about: { available } },
      ...(isUnlisted && { hint: unlisted(question) }),
    })
  }
  const rows = found.rows.map(({ chart, row }) => citable({ trace }, chart, row))
  const place = found.place && citable({ trace }, PLACE_CHART, found.place)
  return { question, trace, rows, place, not_held: found.notHeld }
}

function noEdition(proofs: Proofs, charts: readonly string[]): Problem {
  const held = heldPeriods(proofs, charts)
  const detail = `No edition for this day of: ${charts.join(', ')}.`
  return new Problem('no_edition_for_day', detail, { members: { charts: held }, ...hintFor(held) })
}

/** Whether rows may be missing because an edition is: one of a chart that has others, or of all charts. */
const mayBeMissing = ({ view }: Proofs, notHeld: readonly string[], { held }: Trace): boolean =>
  notHeld.some((chart) => view.periodsOf(chart).length > 0) || held.every(({ chart }) => chart === PLACE_CHART)

/** Why the place that was asked about is none of those that rows have. */
function whyOpen(region: Region): string {
  if (!('zip' in region))
    return 'Some of this former bidding area may lie in another state: ask with a ZIP code in it, or a state.'
  return region.plusFour === null
    ? 'All nine digits of this ZIP code may decide its locality: send them, or a locality as US-XX-LL.'
    : 'The table of ZIP codes does not say in which locality these nine digits lie: send a locality as US-XX-LL.'
}
