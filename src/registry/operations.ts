import { z } from 'zod'
import type { Db } from '../db/db.ts'
import type { Log } from '../integrity/log.ts'
import { type Operation, operation } from '../operation.ts'
import { CursorPage, Links, pagedOperation } from '../paging.ts'
import type { ProblemCode } from '../problem.ts'
import { ABSENCE_REASONS } from '../proof/price/row.ts'
import { catalogueOperations } from './catalogue/operations.ts'
import { CHARTS, type Charts } from './charts.ts'
import { answer } from './lookup/answer.ts'
import { BATCH_BYTES, BatchAnswer, BatchQuery, lookUpLines } from './lookup/batch.ts'
import { browse, browseQuery } from './lookup/browse.ts'
import { editionsFor, HistoryQuery, history, ReferenceHistory } from './lookup/history.ts'
import { Proofs } from './lookup/proofs.ts'
import { findReference, ReferenceQuery } from './lookup/reference.ts'
import { CitedRow, PriceRow } from './row-schema.ts'

export interface RegistryParts {
  db: Db
  log: Log
  /** The day, as an ISO date in UTC. */
  today: () => string
  charts?: Charts
}

const LOOKUP_PROBLEMS: readonly ProblemCode[] = [
  'invalid_cpt',
  'invalid_region',
  'invalid_npi',
  'not_on_schedule',
  'unknown_provider',
  'region_ambiguous',
  'region_not_covered',
  'no_release_in_force',
]

export const registryOperations = ({ db, log, today, charts = CHARTS }: RegistryParts): Operation[] => [
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
    problems: [...LOOKUP_PROBLEMS, ...ABSENCE_REASONS.map((reason) => `absent_${reason}` as const)],
    async run(query) {
      const found = await findReference(db, query, query.as_of ?? today(), charts)
      return answer(await Proofs.at(db, log), found)
    },
  }),

  operation({
    name: 'lookup_references',
    summary: 'Up to a hundred lookups in one request, each answered in its place',
    description:
      'Each line takes the parameters of `lookup_reference` and is answered as if it had been asked alone: a price with its proof, ' +
      'or the problem it would have met. One bad line does not spoil the others. All proofs stand under one checkpoint. ' +
      'Each line counts as one request of the quota: a batch with more lines than are left is refused whole, with Retry-After.',
    tag: 'agent-tools',
    http: { method: 'POST', path: '/reference/batch' },
    access: 'public',
    limit: 'reference',
    cost: ({ lines }) => lines.length,
    cache: 'no-store',
    bodyBytes: BATCH_BYTES,
    input: BatchQuery,
    output: BatchAnswer,
    problems: [],
    async run({ lines }) {
      const as_of = today()
      return { results: await lookUpLines(db, log, lines, as_of, charts), as_of }
    },
  }),

  pagedOperation({
    name: 'get_reference_history',
    summary: 'What every edition says about a code, newest first, each with its proof',
    description:
      'The row that answers from each edition that was published and not withdrawn: a price, a stated absence, or the proof that there is none. ' +
      'Without `npi`, the editions of each schedule that has ever had the code; with it, those of the provider\u2019s files.',
    tag: 'agent-tools',
    http: { method: 'GET', path: '/reference/history' },
    access: 'public',
    limit: 'reference',
    cache: 'public, max-age=300',
    input: HistoryQuery,
    output: ReferenceHistory,
    problems: LOOKUP_PROBLEMS,
    async run(query) {
      const editions = await editionsFor(db, query, charts)
      if (editions.length === 0) {
        // No schedule has ever had the code: the lookup refuses, and proves it.
        const found = await findReference(db, query, today(), charts)
        await answer(await Proofs.at(db, log), found)
      }
      return history(db, await Proofs.at(db, log), query, editions, charts)
    },
  }),

  pagedOperation({
    name: 'browse_registry',
    summary: 'Cited rows in force, page by page, each with its proof block',
    description:
      'Every row in force on a day, ordered by chart and key. All proofs of a page stand under one checkpoint.',
    tag: 'agent-tools',
    http: { method: 'GET', path: '/api/registry' },
    access: 'registry:read',
    limit: 'default',
    cache: 'private, no-cache',
    input: browseQuery(charts),
    output: z
      .strictObject({
        data: z.array(CitedRow),
        page: CursorPage,
        links: Links,
        as_of: z.iso.date(),
      })
      .meta({ id: 'RegistryPage' }),
    problems: ['invalid_cpt', 'invalid_region', 'invalid_npi'],
    async run(query) {
      const as_of = query.as_of ?? today()
      const { rows, total, next_after } = await browse(db, query, as_of)
      const proofs = await Proofs.at(db, log)
      const data = await Promise.all(rows.map(({ release, stored }) => proofs.attach(release, stored)))
      return { data, total, next_after, as_of }
    },
  }),

  ...catalogueOperations({ db, log, today, charts }),
]
