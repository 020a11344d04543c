// A page of what is in force on a day: each edition with its manifest, and the stretch of the timeline that it is of. So
// an edition that was left out is noticed. What an edition holds is the server's word.

import { canonical } from '../canonical-json.ts'
import type { Facts } from '../facts.ts'
import { eachOf, ensure } from '../fault.ts'
import { isManifest, type Manifest, type Period } from '../price/release.ts'
import { closed, isDay, type Members, oneOf } from '../shape.ts'
import { type CheckedCatalogue, isWholePageOf, type PagePlace } from './page.ts'
import { addTimeline, findPeriod, isTimelineProof, type PlacedPeriod, reachesEnds } from './timeline-proof.ts'

export const EDITION_PROOF = 'agent-trust-registry/edition-proof@v2'

/** The question to a page of coverage. */
export interface CoverageQuestion {
  as_of: string
  chart?: string | undefined
  /** With one of these only some charts are listed, and that the others do not fit is the server's word. */
  cpt?: string | undefined
  npi?: string | undefined
  offset?: number | undefined
}

/** The proof of a listed edition: its manifest, whose leaf hash is in the period. */
export interface EditionProof {
  type: typeof EDITION_PROOF
  release: Manifest
}
const isEditionProof = closed({ type: oneOf(EDITION_PROOF), release: isManifest }) as (
  value: unknown,
) => value is EditionProof

/** The members of a listed edition that are proved. */
export const listedEdition = (release: Manifest, { from, to }: Period) => ({
  kind: 'chart' as const,
  chart: release.chart,
  publisher: release.publisher,
  release_id: release.release_id,
  edition: release.edition,
  effective_from: release.effective_from,
  in_force: { from, to },
  data_class: release.data_class,
  rows: release.row_count,
})
const NOT_PROVED = ['title', 'codes', 'code_prefixes', 'regions', 'npis', 'code']

export const holds = ({ from, to }: Period, day: string): boolean => from <= day && day <= to

export async function checkCoverage(
  facts: Facts,
  body: Members,
  asked: CoverageQuestion | undefined,
): Promise<CheckedCatalogue> {
  const { data, page, proof } = body
  const as_of = body['as_of'] as string
  ensure(isWholePageOf(body, ['data', 'page', 'links', 'as_of', 'proof']) && isDay(as_of), 'not_recognised')
  ensure(isTimelineProof(proof) && proof.runs.length <= 1, 'proof_malformed')
  const [placed = []] = await addTimeline(facts, proof)
  let last = -1
  const listed = eachOf(data as unknown[], (item) => {
    const one = checkEdition((item ?? {}) as Members, placed, as_of)
    ensure(last < one.index, 'entries_out_of_order')
    last = one.index
    return one
  })
  const isPartial = asked === undefined || asked.cpt !== undefined || asked.npi !== undefined
  ensure(listed.length > 0 || !(isPartial || (asked.offset ?? 0) > 0), 'nothing_proved')
  const editions = listed.map(({ release, period }) => ({ release, period }))
  const { offset, has_more } = page as PagePlace
  if (asked === undefined) return { editions, page: { has_more } }
  const isAsked =
    as_of === asked.as_of &&
    offset === (asked.offset ?? 0) &&
    listed.every(({ period }) => (asked.chart ?? period.chart) === period.chart)
  ensure(isAsked, 'answers_another_question')
  if (isPartial) return { editions, page: { has_more } }
  const inForce = placed.filter(({ period }) => (asked.chart ?? period.chart) === period.chart && holds(period, as_of))
  const ends = reachesEnds(placed, asked.chart, proof.state.timeline_size)
  ensure(isWhole(listed, inForce, ends, { offset, has_more }), 'releases_left_out')
  return { editions, page: { has_more, before: offset === 0 ? null : (inForce[0]?.period ?? null) } }
}

function checkEdition(
  item: Members,
  placed: readonly PlacedPeriod[],
  day: string,
): { release: Manifest } & PlacedPeriod {
  const { proof, ...members } = item
  ensure(isEditionProof(proof), 'proof_malformed')
  const { release } = proof
  const found = findPeriod(placed, release)
  ensure(found && holds(found.period, day), 'release_not_in_force')
  const stated = Object.fromEntries(Object.entries(members).filter(([name]) => !NOT_PROVED.includes(name)))
  ensure(canonical(stated) === canonical(listedEdition(release, found.period)), 'body_contradicts_proof')
  return { release, ...found }
}

/**
 * Whether all editions in force on the day are listed. A first page shows the timeline from the beginning of its list, a
 * later page from the last edition of the page before, and the last page to the end. A page with more after it has
 * editions: an empty one would hide them by ending too soon.
 */
function isWhole(
  listed: readonly PlacedPeriod[],
  inForce: readonly PlacedPeriod[],
  [begins, ends]: readonly [boolean, boolean],
  { offset, has_more }: PagePlace,
): boolean {
  const expected = offset === 0 ? inForce : inForce.slice(1)
  return (
    (offset > 0 || begins) &&
    (has_more ? listed.length > 0 : ends) &&
    expected.length === listed.length &&
    expected.every(({ index }, i) => index === listed[i]?.index)
  )
}
