import { z } from 'zod'
import type { Db } from '../db/db.ts'
import type { Log } from '../integrity/log.ts'
import { type Operation, operation } from '../operation.ts'
import { Links, Page } from '../paging.ts'
import { Problem } from '../problem.ts'
import { ABSENCE_REASONS } from '../proof/row.ts'
import { BrowseQuery, browse } from './browse.ts'
import { CitedRow, PriceRow } from './cited-row.ts'
import { Proofs } from './proofs.ts'
import { findReference, ReferenceQuery } from './reference.ts'

export interface RegistryParts {
  db: Db
  log: Log
  /** The day, as an ISO date in UTC. */
  today: () => string
}

const NATIONAL_ONLY =
  'there is no price for this region; the code has one for the whole country: ask with region=national if that will do'

export const registryOperations = ({ db, log, today }: RegistryParts): Operation[] => [
  operation({
    name: 'lookup_reference',
    summary: 'The reference price in force for a code, with its source and proof',
    description:
      'One cited price. A Medicare amount is a reference, not what a patient owes; professional and facility parts differ. ' +
      'A code without a price is answered with a typed 404 that carries its own proof: never invent a price.',
    tag: 'agent-tools',
    http: { method: 'GET', path: '/reference' },
    access: 'public',
    limit: 'reference',
    cache: 'public, max-age=300',
    input: ReferenceQuery,
    output: PriceRow,
    problems: [
      'invalid_cpt',
      'invalid_region',
      'invalid_npi',
      'not_on_schedule',
      'unknown_provider',
      'region_ambiguous',
      'no_release_in_force',
      ...ABSENCE_REASONS.map((reason) => `absent_${reason}` as const),
    ],
    async run(query) {
      const found = await findReference(db, query, query.as_of ?? today())
      const proofs = await Proofs.at(db, log)
      const elsewhere = found.nationally ? { regions: ['national'] } : {}
      const detail = found.nationally ? NATIONAL_ONLY : undefined
      if (found.release === undefined) {
        const absence = await Promise.all(found.missing.map(({ release, prefix }) => proofs.ofAbsence(release, prefix)))
        throw new Problem('not_on_schedule', detail, { members: { absence, ...elsewhere } })
      }
      const cited = await proofs.attach(found.release, found.stored)
      if (cited.kind === 'absence')
        throw new Problem(`absent_${cited.reason}`, detail, { members: { row: cited, ...elsewhere } })
      return cited
    },
  }),

  operation({
    name: 'browse_registry',
    summary: 'Cited rows in force, page by page, each with its proof block',
    description:
      'Every row in force on a day, ordered by chart and key. All proofs of a page stand under one checkpoint.',
    tag: 'agent-tools',
    http: { method: 'GET', path: '/api/registry' },
    access: 'registry:read',
    limit: 'default',
    cache: 'private, no-cache',
    input: BrowseQuery,
    output: z
      .strictObject({
        data: z.array(CitedRow),
        page: Page.extend({ next_after: z.string().nullable().meta({ description: 'Cursor for `after`' }) }),
        links: Links,
        as_of: z.iso.date(),
      })
      .meta({ id: 'RegistryPage' }),
    problems: ['invalid_cpt', 'invalid_region', 'invalid_npi'],
    async run(query) {
      const as_of = query.as_of ?? today()
      const { rows, page, links } = await browse(db, query, as_of)
      const proofs = await Proofs.at(db, log)
      const data = await Promise.all(rows.map(({ release, stored }) => proofs.attach(release, stored)))
      return { data, page, links, as_of }
    },
  }),
]
