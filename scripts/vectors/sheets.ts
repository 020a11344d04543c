// Sheets: everything in force for a code at a place and day.

import { everything } from '../../src/proof/answer-fixture.ts'
import type { SheetQuestion } from '../../src/proof/lookup/sheet.ts'
import { SET_PROOF, type SetRow } from '../../src/proof/price/proofs.ts'
import type { AnyRow } from '../../src/proof/price/row.ts'
import { hashesBeside, ShownRows, sheetOf } from '../../src/proof/set-fixture.ts'
import { type Body, bad, good, LOST } from './body.ts'
import { corner } from './corner-registry.ts'
import { changed } from './edit.ts'
import { JULY, NPI, older, pfs, places, world } from './registry.ts'
import { cite } from './swaps.ts'

type Members = Record<string, unknown>
const MAY = '2026-05-15'
const ask = (asked: Partial<SheetQuestion>): SheetQuestion => ({ cpt: '99213', as_of: JULY, ...asked })
const asked = (given: Partial<SheetQuestion>) => ({ asked: { sheet: ask(given) } })
const sheet = (given: Partial<SheetQuestion>) => sheetOf(world, ask(given)) as Promise<Sheet>
interface Sheet extends Members {
  data: Members[]
  because: { rows: SetRow[]; periods: Members[]; providers: Members[] }
  releases: { release: { release_id: string; chart: string }; hashes: string }[]
  not_held: string[]
}

/** Honest but for rows that it does not admit: neighbours of what is hidden are shown as if they were adjacent. */
async function hiding(given: Partial<SheetQuestion>, isHidden: (row: AnyRow) => boolean, of = world): Promise<Members> {
  const whole = everything(of)
  const rows: typeof whole.rows = (release) => whole.rows(release).filter(({ leaf }) => !isHidden(leaf))
  return sheetOf(of, ask(given), { ...whole, rows })
}

const nation = await sheet({})
const locality = await sheet({ region: 'US-IL-16' })
const zip = await sheet({ region: '60611' })
const hospital = await sheet({ npi: NPI.A })
const spring = await sheet({ as_of: MAY })
const state = await sheet({ region: 'IL' })
const inArea = { cpt: 'E0604', region: '60712' }
const OTHER = 'answers_another_question'
const UNPROVED = 'choice_not_proved'
const last = nation.data.at(-1) as Members
const isFacility = (row: AnyRow): boolean => row.kind !== 'place' && row.setting === 'facility'
const placeAt = async (key: string) => new ShownRows(world).cited(await cite(places, key))

export const sheets: Body[] = [
  good('a sheet of the country', nation, { rows: 3 }, asked({})),
  good('a sheet to any question', nation, { rows: 3 }),
  good('a sheet with lost sources', { ...nation, sources_lost: [LOST] }, { rows: 3 }, asked({})),
  bad('lost sources of a sheet that are null', { ...nation, sources_lost: null }, 'not_recognised', asked({})),
  bad('21 lost sources of a sheet', { ...nation, sources_lost: Array(21).fill(LOST) }, 'not_recognised', asked({})),
  good('a sheet of a locality', locality, { rows: 4 }, asked({ region: 'US-IL-16' })),
  good('a sheet of a state with two localities', state, { rows: 5 }, asked({ region: 'us-il' })),
  good('a sheet of a ZIP code', zip, { rows: 4 }, asked({ region: 'ZIP-60611' })),
  good('a sheet of a hospital', hospital, { rows: 8 }, asked({ npi: NPI.A })),
  good('a sheet of a day on which most charts have no edition', spring, { rows: 1 }, asked({ as_of: MAY })),
  good('a sheet of a bidding area', (await sheetOf(corner, ask(inArea))) as Members, { rows: 3 }, asked(inArea)),
  bad(
    'a sheet without its bidding area',
    await hiding(inArea, (row) => row.region?.startsWith('CBA-') === true, corner),
    UNPROVED,
    asked(inArea),
  ),
  good(
    'a sheet of a rental by state',
    await sheet({ cpt: 'E0601', region: '60611' }),
    { rows: 2 },
    asked({ cpt: 'E0601', region: '60611' }),
  ),
  good('a sheet that is fresh enough', nation, { rows: 3 }, { ...asked({}), not_before: '2026-10-01T00:00:00Z' }),
  bad('a sheet that is too old', nation, 'state_too_old', { ...asked({}), not_before: '2026-11-01T00:00:00Z' }),

  bad('a sheet of another code', nation, UNPROVED, asked({ cpt: '99214' })),
  bad('a sheet of another region', nation, UNPROVED, asked({ region: 'US-IL-16' })),
  bad('a sheet of a locality for the country', locality, OTHER, asked({})),
  bad('a sheet of another ZIP code', zip, UNPROVED, asked({ region: '35004' })),
  bad('a sheet of another hospital', hospital, UNPROVED, asked({ npi: NPI.B })),
  bad('a sheet of a hospital for the country', hospital, OTHER, asked({})),
  bad('a sheet without its hospital', nation, UNPROVED, asked({ npi: NPI.A })),
  bad('a sheet of another day', nation, OTHER, asked({ as_of: '2026-07-16' })),
  bad('a sheet of a day with other editions', nation, UNPROVED, asked({ as_of: MAY })),
  bad('a sheet that says another day', { ...nation, as_of: '2026-07-16' }, OTHER, asked({})),
  bad('a sheet for a question with a modifier', nation, 'question_malformed', asked({ modifier: '26' } as object)),
  bad('a sheet for a question without a meaning', nation, 'question_malformed', asked({ cpt: '9' })),
  bad('a sheet for a lookup', nation, OTHER, { asked: { question: ask({}) } }),
  bad('a sheet for a page', nation, OTHER, { asked: { page: { as_of: JULY, cpt: '99213' } } }),
  bad('a sheet for a batch', nation, OTHER, { asked: { questions: [ask({})] } }),

  bad('a row left out of a sheet', { ...nation, data: nation.data.slice(1) }, 'row_not_in_release'),
  bad(
    'the only row of a release left out of a sheet',
    { ...nation, data: nation.data.slice(0, -1) },
    UNPROVED,
    asked({}),
  ),
  bad('a row shown beside the sheet only', moved(nation, 0), OTHER, asked({})),
  bad('a row hidden between its neighbours', await hiding({}, isFacility), UNPROVED, asked({})),
  bad(
    'a row of a hospital hidden',
    await hiding(
      { npi: NPI.A },
      ({ kind, ...row }) => kind !== 'place' && 'basis' in row && row.basis === 'hospital_gross',
    ),
    UNPROVED,
    asked({ npi: NPI.A }),
  ),
  bad('a sheet in another order', { ...nation, data: nation.data.toReversed() }, OTHER, asked({})),
  bad('a row twice on a sheet', { ...nation, data: [...nation.data, last] }, OTHER, asked({})),
  bad('a row of another code on a sheet', withRow(nation), OTHER, asked({})),
  bad('a forged row of a sheet', changed(nation, { 'data.0.price.amount': '1.00' }), 'row_not_in_release'),
  bad('a row of a sheet that is none', changed(nation, { 'data.0.note': 'x' }), 'row_malformed'),
  bad(
    'a row of a sheet with a whole proof',
    { ...nation, data: [await cite(pfs, '99211'), ...nation.data] },
    'proof_malformed',
  ),
  bad(
    'the hashes of a sheet',
    changed(nation, { 'releases.0.hashes': older.manifest.rows_root }),
    'row_not_in_release',
  ),
  bad('an empty sheet', await sheetOf(world, ask({ cpt: '12345' })), 'nothing_proved', asked({ cpt: '12345' })),

  bad('a chart that is held, said not to be', { ...nation, not_held: ['cms-asp'] }, OTHER, asked({})),
  bad(
    'a chart left out of those not held',
    { ...spring, not_held: spring.not_held.slice(1) },
    OTHER,
    asked({ as_of: MAY }),
  ),
  bad(
    'charts not held in another order',
    { ...spring, not_held: spring.not_held.toReversed() },
    OTHER,
    asked({ as_of: MAY }),
  ),
  bad('a chart not held without proof', changed(spring, { 'because.periods': [] }), UNPROVED, asked({ as_of: MAY })),
  bad('charts not held that are no list', { ...nation, not_held: 'cms-asp' }, 'not_recognised'),
  bad('a chart not held that has no name', { ...nation, not_held: ['CMS'] }, 'not_recognised'),
  bad('no evidence on a sheet', changed(nation, { because: undefined }), 'proof_malformed'),
  bad(
    'a provider left out of the evidence',
    changed(hospital, { 'because.providers': [] }),
    UNPROVED,
    asked({ npi: NPI.A }),
  ),

  bad('a sheet with the place of another ZIP code', await replaced(), OTHER, asked({ region: '60611' })),
  bad(
    'a place where none was asked for',
    { ...locality, ...(await withPlace(locality)) },
    OTHER,
    asked({ region: 'US-IL-16' }),
  ),
  bad('a place that is a fee', { ...zip, place: zip.data[0] }, 'row_malformed'),
  bad('a forged place', changed(zip, { 'place.region': 'US-IL-15' }), 'row_not_in_release'),
  bad('a member too many beside a sheet', { ...nation, total: '1.00' }, 'not_recognised'),
  bad('a sheet with runs', { ...nation, proofs: [] }, 'not_recognised'),
  bad('a sheet without its day', changed(nation, { as_of: undefined }), 'not_recognised'),
  bad('another checkpoint in a sheet', changed(nation, { 'data.0.proof.checkpoint': 'x' }), 'proof_malformed'),
]

/** A row of `data`, shown as evidence in its place. */
function moved(of: Sheet, i: number): Members {
  const { proof, ...row } = of.data[i] as { proof: { release: number; index: number } }
  const shown = { release: proof.release, index: proof.index, row }
  return { ...of, data: of.data.toSpliced(i, 1), because: { ...of.because, rows: [...of.because.rows, shown] } }
}

/** A neighbour of what was asked for, as if it belonged to it. */
function withRow(of: Sheet): Members {
  const whole = ({ release, index }: SetRow): AnyRow => {
    const name = of.releases[release]?.release.release_id
    return world.releases.find(({ manifest }) => manifest.release_id === name)?.rows[index] as AnyRow
  }
  const at = of.because.rows.findIndex((shown) => (whole(shown) as { cpt?: string }).cpt !== '99213')
  const shown = of.because.rows[at] as SetRow
  const { release, index } = shown
  return {
    ...of,
    data: [...of.data, { ...whole(shown), proof: { release, index } }],
    because: { ...of.because, rows: of.because.rows.toSpliced(at, 1) },
  }
}

/** A sheet with a true place that is not the one asked about; the right one stands in the evidence. */
async function replaced(): Promise<Members> {
  const { proof, ...row } = zip['place'] as { proof: { release: number; index: number } }
  const other = (await placeAt('35004|')) as { proof: { index: number } }
  const shown = [proof.index, other.proof.index].sort((a, b) => a - b)
  return changed(
    {
      ...zip,
      place: { ...other, proof: { ...other.proof, release: proof.release } },
      because: { ...zip.because, rows: [...zip.because.rows, { release: proof.release, index: proof.index, row }] },
    },
    { [`releases.${proof.release}.hashes`]: hashesBeside(places, shown) },
  )
}

async function withPlace(of: Sheet): Promise<Members> {
  const place = (await placeAt('60611|')) as { proof: { index: number } }
  const release = of.releases.length
  return {
    place: { ...place, proof: { ...place.proof, release } },
    releases: [
      ...of.releases,
      { type: SET_PROOF, ...world.share(places), hashes: hashesBeside(places, [place.proof.index]) },
    ],
  }
}
