import { z } from 'zod'
import type { Db } from '../db/db.ts'
import type { Log } from '../integrity/log.ts'
import { dayStamp } from '../integrity/published.ts'
import { type Operation, operation, ReadyAnswer, ready } from '../operation.ts'
import { pagedOperation } from '../paging.ts'
import { PRICE_PROBLEMS, type ProblemCode } from '../problem.ts'
import { formatPolicy, parsePolicy } from '../proof/note/policy.ts'
import type { LostSource } from '../proof/price/lost-source.ts'
import type { Manifest } from '../proof/price/release.ts'
import { BillAnswer, BillQuery } from './bill/bill-schema.ts'
import { billAnswer } from './bill/check-bill.ts'
import { EntryProofs } from './catalogue/entry-proofs.ts'
import { catalogueOperations } from './catalogue/operations.ts'
import { citeRow, RowQuery } from './catalogue/permalink.ts'
import { CHARTS, type Charts, chartTable } from './charts.ts'
import { answerText, besideMember, shortAnswer } from './lookup/answer.ts'
import { PriceAnswer, ShortAnswer } from './lookup/answer-schema.ts'
import { BATCH_BYTES, BatchAnswer, BatchQuery, lookUpLines } from './lookup/batch.ts'
import { browse, browseQuery, provedPage, RegistryPage } from './lookup/browse.ts'
import { CompareQuery, Comparison, compare, ShortComparison, shortCompare } from './lookup/compare.ts'
import { find } from './lookup/find.ts'
import {
  editionsListed,
  history,
  historyQuery,
  ReferenceHistory,
  ShortHistory,
  shortHistory,
} from './lookup/history.ts'
import { FoundHospitals, findHospitals, HospitalQuery } from './lookup/hospitals.ts'
import { Proofs } from './lookup/proofs.ts'
import { ProofForm, questionOf, ReferenceQuery } from './lookup/query.ts'
import { CitedRow } from './lookup/row-schema.ts'
import { isOfDividedState, ReferenceSheet, SheetQuery, ShortSheet, sheet, shortSheet } from './lookup/sheet.ts'
import { askedIn, checkedText, Verification, VerificationQuery } from './lookup/verification.ts'
import type { PublishedRegistry } from './lookup/view.ts'

export interface RegistryParts {
  db: Db
  log: Log
  /** The logs of other answers, which may be verified here too. */
  otherLogs?: readonly Log[]
  published: PublishedRegistry
  /** The day, as an ISO date in UTC. */
  today: () => string
  charts?: Charts
  /** The sources of a release that nobody can be shown any more. */
  lostSources?: (release: Manifest) => LostSource[]
}

/** A batch of more lines waits for its turn. */
const LIGHT_LINES = 10

const LOOKUP_PROBLEMS: readonly ProblemCode[] = ['invalid_cpt', 'invalid_region', 'invalid_npi']

/** A page this far on counts as one request more. */
const OFFSET_PER_REQUEST = 10_000

export function registryOperations(parts: RegistryParts): Operation[] {
  const { db, log, otherLogs = [], published, today, charts = CHARTS, lostSources = () => [] } = parts
  const table = chartTable(charts)
  /** Everything in one answer is of one view of the registry. */
  const proofsNow = async (): Promise<Proofs> => Proofs.under(await published.at(), db, log, table)
  const entryProofs = new EntryProofs(db, log)
  const stamp = dayStamp({ stamp: () => published.stamp() }, today)
  return [
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
      stamp,
      input: ReferenceQuery.extend({ proof: ProofForm }),
      output: z.union([PriceAnswer, ShortAnswer]),
      problems: [...LOOKUP_PROBLEMS, ...(Object.keys(PRICE_PROBLEMS) as ProblemCode[])],
      run: async ({ proof, ...query }) => {
        const proofs = await proofsNow()
        const found = find(proofs, questionOf(query, today()))
        return proof === 'ref'
          ? ready({ ...shortAnswer(proofs, found, lostSources), ...besideMember(proofs, found) })
          : new ReadyAnswer(answerText(proofs, found, lostSources))
      },
    }),

    operation({
      name: 'get_reference_sheet',
      summary: 'Everything in force for a code at a place and day, with proofs',
      description:
        'All settings, bases and modifiers of one code, and with `npi` the hospital\u2019s own prices beside them. A state with several localities shows each. ' +
        'It is proved that no row is left out; charts that have no edition on the day are named in `not_held`.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/reference/sheet' },
      access: 'public',
      limit: 'reference',
      cache: 'public, max-age=300',
      stamp,
      heavy: isOfDividedState,
      input: SheetQuery.extend({ proof: ProofForm }),
      output: z.union([ReferenceSheet, ShortSheet]),
      problems: [
        ...LOOKUP_PROBLEMS,
        'not_on_schedule',
        'unknown_provider',
        'unknown_zip',
        'region_ambiguous',
        'no_edition_for_day',
      ],
      run: async ({ proof, ...query }) =>
        (proof === 'ref' ? shortSheet : sheet)(await proofsNow(), query, today(), lostSources),
    }),

    operation({
      name: 'compare_hospitals',
      summary: 'What each hospital near a place states for a code, the lowest price first, with proofs',
      description:
        'The hospitals of the operator\u2019s list in a state, or in the area of a ZIP code (its state, and the same first three digits), each with its own price. ' +
        'It is proved that no listed hospital of the place is left out; those without a price are named in `without`.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/reference/compare' },
      access: 'public',
      limit: 'reference',
      cache: 'public, max-age=300',
      stamp,
      heavy: true,
      input: CompareQuery.extend({ proof: ProofForm }),
      output: z.union([Comparison, ShortComparison]),
      problems: [
        'invalid_cpt',
        'invalid_region',
        'unknown_zip',
        'region_ambiguous',
        'region_too_large',
        'no_edition_for_day',
      ],
      run: async ({ proof, ...query }) =>
        (proof === 'ref' ? shortCompare : compare)(await proofsNow(), query, today(), lostSources),
    }),

    operation({
      name: 'find_hospital',
      summary: 'Hospitals by name or place, with the NPI that lookups take',
      description: 'From the list of the operator: the first twenty whose names have the words, near the place.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/providers' },
      access: 'public',
      limit: 'reference',
      cache: 'public, max-age=300',
      stamp,
      heavy: true,
      input: HospitalQuery,
      output: FoundHospitals,
      problems: ['invalid_region', 'unknown_zip', 'region_ambiguous', 'no_edition_for_day'],
      run: async (query) => (await findHospitals(await proofsNow(), query, today())) as never,
    }),

    operation({
      name: 'get_row',
      summary: 'One row of a release by its permalink, with its whole proof',
      description:
        'The row, its path and its release never change; the rest of the proof is under the newest checkpoint. Of a release that was withdrawn or replaced `entries` shows its place in the log.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/rows/{release_id}/{index}' },
      access: 'public',
      limit: 'reference',
      cache: 'public, max-age=300',
      stamp,
      input: RowQuery,
      output: CitedRow,
      problems: ['release_not_found', 'row_not_found'],
      run: async (query) => citeRow(await proofsNow(), entryProofs, query),
    }),

    operation({
      name: 'lookup_references',
      summary: 'Up to a hundred lookups in one request, each answered in its place',
      description:
        'Each line takes the parameters of `lookup_reference` and is answered as if it had been asked alone: a price with its proof, ' +
        'or the problem it would have met. One bad line does not spoil the others. All proofs stand under one checkpoint. ' +
        'Each line counts as one request of the quota: a batch with more lines than are left is refused whole.',
      tag: 'agent-tools',
      http: { method: 'POST', path: '/reference/batch' },
      access: 'public',
      limit: 'reference',
      cost: ({ lines }) => lines.length,
      heavy: ({ lines }) => lines.length > LIGHT_LINES,
      cache: 'no-store',
      bodyBytes: BATCH_BYTES,
      input: BatchQuery,
      output: BatchAnswer,
      problems: [],
      run: async (query) => ready(await lookUpLines(await proofsNow(), query, today(), lostSources)),
    }),

    operation({
      name: 'check_bill',
      summary: 'A bill checked by the published rules of its days, every finding proved',
      description:
        'Send the lines of one bill with codes, modifiers, units, days, revenue codes and amounts, and no names. Answered are what Medicare lists for ' +
        'each line, what it would pay on this bill, findings with what to ask the billing office, and in `skipped` what was not checked, which is no pass. ' +
        'Nothing is stored. Each line counts as one request of the quota.',
      tag: 'agent-tools',
      http: { method: 'POST', path: '/bill/check' },
      access: 'public',
      limit: 'reference',
      cost: ({ lines }) => lines.length,
      heavy: ({ lines }) => lines.length > LIGHT_LINES,
      cache: 'no-store',
      bodyBytes: BATCH_BYTES,
      input: BillQuery,
      output: BillAnswer,
      problems: ['invalid_region', 'invalid_npi'],
      run: async (query) => billAnswer(await proofsNow(), query, today(), lostSources),
    }),

    pagedOperation({
      name: 'get_reference_history',
      summary: 'What every edition says about a code, newest first, each with its proof',
      description:
        'The question asked of each edition alone, on its first day: a price, a stated absence, or the proof that there is none. ' +
        'Without `npi`, the editions of the charts that may answer; with it, those of the provider\u2019s file; with `chart`, those of a table of bill edits. ' +
        'Each edition on the page counts as one request of the quota: ask for fewer with `limit`.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/reference/history' },
      access: 'public',
      limit: 'reference',
      cache: 'public, max-age=300',
      stamp,
      isReady: true,
      heavy: true,
      cost: async ({ proof: _, ...query }) => editionsListed(await proofsNow(), query, today()),
      // Without a default, so that the links between pages say it only where it was asked for.
      input: historyQuery(charts).extend({
        proof: ProofForm.unwrap()
          .optional()
          .meta(ProofForm.meta() ?? {}),
      }),
      output: z.union([ReferenceHistory, ShortHistory]),
      problems: [...LOOKUP_PROBLEMS, 'unknown_provider'],
      run: async ({ proof, ...query }) =>
        (proof === 'ref' ? shortHistory : history)(await proofsNow(), query, today(), lostSources) as never,
    }),

    operation({
      name: 'verify_answer',
      summary:
        'Checks the proof of an answer: that it was published, follows from its inputs, and answers the question',
      description:
        'As `atr verify`, under the keys of this service. Against a service that lies, verify with keys that you pinned.',
      tag: 'agent-tools',
      http: { method: 'POST', path: '/reference/verify' },
      access: 'public',
      limit: 'reference',
      cache: 'no-store',
      bodyBytes: BATCH_BYTES,
      // A permalink is one row of ours; a body is as long and as strange as its sender likes.
      heavy: ({ answer }) => answer !== undefined,
      input: VerificationQuery,
      output: Verification,
      problems: ['release_not_found', 'row_not_found'],
      async run(query) {
        const text = await checkedText(
          query,
          async (place) => (await citeRow(await proofsNow(), entryProofs, place)).text,
        )
        const keys = [log, ...otherLogs].map((each) => each.currentKeys())
        const [signers, retired] = [keys.flatMap((each) => each.signers), keys.flatMap((each) => each.retired)]
        const policy = parsePolicy(formatPolicy(signers, [], 0, retired))
        if (!policy) throw new Error('the service has a policy that it cannot read')
        const { verification } = await import('./lookup/verified-answer.ts')
        return verification(text, policy, askedIn(query.question), today())
      },
    }),

    pagedOperation({
      name: 'browse_registry',
      summary: 'Cited rows in force, page by page, each with its proof block',
      description: 'Every row in force on a day, by chart and key.',
      tag: 'agent-tools',
      http: { method: 'GET', path: '/api/registry' },
      access: 'registry:read',
      limit: 'default',
      cache: 'private, no-cache',
      stamp,
      isReady: true,
      heavy: true,
      // What is skipped is walked over.
      cost: ({ offset }) => 1 + Math.floor(offset / OFFSET_PER_REQUEST),
      input: browseQuery(charts),
      output: RegistryPage,
      problems: ['invalid_cpt', 'invalid_region', 'invalid_npi'],
      async run(query) {
        const as_of = query.as_of ?? today()
        const proofs = await proofsNow()
        const { rows, total, next_after } = await browse(db, proofs.view, query, as_of)
        return { ...provedPage(proofs, rows, lostSources), total, next_after, as_of } as never
      },
    }),

    ...catalogueOperations({ db, log, published, today, charts, stamp, lostSources, proofsNow, entryProofs }),
  ]
}
