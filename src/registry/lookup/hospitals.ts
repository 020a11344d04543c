import { z } from 'zod'
import { Problem } from '../../problem.ts'
import { hospitalArea } from '../../proof/lookup/compare.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { HOSPITAL_LIST } from '../../proof/price/charts.ts'
import type { HospitalRow } from '../../proof/price/hospital-row.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import { ourTurn } from '../../queue.ts'
import type { StoredRow } from '../rows/release-file-store.ts'
import { heldPeriods, hintFor } from './beside.ts'
import { refusePlace } from './compare.ts'
import { ruled, tracedRegistry } from './find.ts'
import { type Proofs, rowUnderKey } from './proofs.ts'
import { AsOf, RegionText } from './query.ts'
import { hospital, ProofRef } from './row-schema.ts'

// Hospitals by name and place: the way from what a person says to the NPI that lookups take.

/** The most hospitals that one answer names. */
const MOST_FOUND = 20
const ROWS_AT_ONCE = 2_000

export const HospitalQuery = z.strictObject({
  name: z
    .string()
    .max(70)
    .optional()
    .meta({ description: 'words of the name, in any order', examples: ['Lake'] }),
  near: RegionText.optional().meta({
    description: 'a ZIP code, which stands for its area, or a state',
    examples: ['60611'],
  }),
  as_of: AsOf.optional(),
})
type HospitalQuery = z.output<typeof HospitalQuery>

const { region, zip, npi, name } = hospital
export const FoundHospitals = z
  .strictObject({
    data: z
      .array(
        z.strictObject({
          npi,
          name,
          region,
          zip,
          has_prices: z.boolean().meta({ description: 'Whether a price list of it is held' }),
          proof: ProofRef,
        }),
      )
      .max(MOST_FOUND),
    total: z.int().min(0).meta({ description: 'How many fit; the first are in `data`' }),
    as_of: z.iso.date(),
  })
  .meta({ id: 'FoundHospitals' })

/** The hospitals of the list whose names have all words asked for, near the place asked for. */
export async function findHospitals(proofs: Proofs, query: HospitalQuery, today: string): Promise<object> {
  const { name: asked = '', near, as_of = today } = query
  const release = proofs.view.editionOn(HOSPITAL_LIST, as_of)
  if (!release) {
    const held = heldPeriods(proofs, [HOSPITAL_LIST])
    const detail = `No edition for this day of: ${HOSPITAL_LIST}.`
    throw new Problem('no_edition_for_day', detail, { members: { charts: held }, ...hintFor(held) })
  }
  const words = wordsOf(asked)
  const found: { stored: StoredRow; row: HospitalRow }[] = []
  for (const [at, stored] of proofs
    .open(release)
    .rowsUnder(prefixOf(proofs, near, as_of))
    .entries()) {
    if (at % ROWS_AT_ONCE === 0) await ourTurn()
    const row: AnyRow = rowUnderKey(release.release_id, stored)
    if (row.kind === 'hospital' && hasAll(wordsOf(row.name ?? ''), words)) found.push({ stored, row })
  }
  const data = found.slice(0, MOST_FOUND).map(({ stored, row }) => ({
    npi: row.npi,
    name: row.name,
    region: row.region,
    zip: row.zip,
    has_prices: proofs.view.chartOf(row.npi) !== undefined,
    proof: proofs.refer(release, stored),
  }))
  return { data, total: found.length, as_of }
}

function prefixOf(proofs: Proofs, near: string | undefined, day: string): string {
  const parsed = near === undefined ? undefined : parseRegion(near)
  if (!parsed || parsed.level === 'national') return ''
  const { registry, trace } = tracedRegistry(proofs, day)
  const area = ruled(proofs, trace, () => hospitalArea(parsed, registry))
  return 'prefix' in area ? area.prefix : refusePlace(proofs, area)
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []
/** A word may be the beginning of one: people write "Mem" for Memorial. */
const hasAll = (words: readonly string[], asked: readonly string[]): boolean =>
  asked.every((word) => words.some((each) => each.startsWith(word)))
