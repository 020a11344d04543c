import { z } from 'zod'
import { dayOf } from '../calendar.ts'
import type { Db } from '../db/db.ts'
import { type Operation, operation, type Stamp } from '../operation.ts'
import { toHex } from '../proof/bytes.ts'
import { cosignersOf } from '../proof/note/cosignature.ts'
import { parseNote, type VerifierKey } from '../proof/note/signed-note.ts'
import type { Log } from './log.ts'
import { type ChartFacts, type Facts, type FiguresFacts, integrityReport, type ProviderFacts } from './report/report.ts'
import { integrityReportOf } from './report/report-shape.ts'
import { type ChartFreshness, StatusAnswer, statusAnswer } from './report/status.ts'
import { verificationFacts } from './verification/facts.ts'

interface IntegrityParts {
  db: Db
  log: Log
  now: () => number
  /** Facts from other parts are passed in, because this part does not import them. */
  charts: (day: string) => Promise<ChartFacts[]>
  /** All kinds of chart. */
  chartKinds: readonly string[]
  figures: () => Promise<FiguresFacts>
  lastLoad: () => Promise<Facts['last_load']>
  /** The releases in the log, and how many charts have no edition in force. */
  published: (day: string) => Promise<Pick<Facts, 'published' | 'unknown_charts'>>
  /** From the public entries of the registry log. */
  providers: () => Promise<ProviderFacts>
  citations: (now: number) => Promise<Facts['citations']>
  publishers: () => Promise<Facts['publishers']>
  /** The keys of the configured witnesses, and how many of them must cosign. */
  witnesses: readonly VerifierKey[]
  quorum: number
  /** All logs, for the status. */
  logs: readonly Log[]
  freshness: (day: string) => Promise<ChartFreshness[]>
  /** Changes whenever something that the status depends on changes. */
  statusStamp: Stamp
}

export const integrityOperations = ({
  db,
  log,
  now,
  charts,
  chartKinds,
  figures,
  lastLoad,
  published,
  providers,
  citations,
  publishers,
  witnesses,
  quorum,
  logs,
  freshness,
  statusStamp,
}: IntegrityParts): Operation[] => [
  operation({
    name: 'get_data_integrity',
    summary: 'How fresh the charts are and whether their citations and proofs hold',
    description:
      'Chart staleness against each publisher\u2019s calendar, citation health, row checks and proof verification.',
    tag: 'agent-tools',
    http: { method: 'GET', path: '/api/data-integrity' },
    access: 'integrity:read',
    limit: 'default',
    cache: 'private, no-cache',
    heavy: true,
    input: z.strictObject({}),
    output: integrityReportOf(chartKinds),
    problems: [],
    async run() {
      const at = now()
      const head = await log.head(db)
      const facts = {
        charts: await charts(dayOf(at)),
        ...(await published(dayOf(at))),
        providers: await providers(),
        figures: await figures(),
        last_load: await lastLoad(),
        log: {
          size: head.size,
          root: head.root,
          checkpoint_at: new Date(head.signed_at).toISOString(),
          key_id: toHex(log.keys[0]?.id ?? new Uint8Array()),
          witnesses: await countCosigners(head.note, witnesses),
        },
        verification: await verificationFacts(db),
        citations: await citations(at),
        publishers: await publishers(),
      }
      return integrityReport(facts, at)
    },
  }),

  operation({
    name: 'get_status',
    summary: 'How fresh each chart is, the last verification, the public checkpoints',
    description: 'The part of the integrity report that needs no token. An `expired` chart has no price for today.',
    tag: 'discovery',
    http: { method: 'GET', path: '/api/status' },
    access: 'public',
    limit: 'default',
    cache: 'public, max-age=60',
    stamp: statusStamp,
    input: z.strictObject({}),
    output: StatusAnswer,
    problems: [],
    async run() {
      const at = now()
      const day = dayOf(at)
      const logStates: StatusAnswer['logs'] = []
      for (const each of logs) {
        const { size, root, signed_at, note } = await each.head(db)
        const cosigned = await countCosigners(note, witnesses)
        logStates.push({
          origin: each.origin,
          size,
          root_hash: root,
          signed_at: new Date(signed_at).toISOString(),
          witnesses: { configured: witnesses.length, cosigned, quorum },
        })
      }
      const facts = {
        charts: await freshness(day),
        published: (await published(day)).published,
        verification: await verificationFacts(db),
        logs: logStates,
      }
      return statusAnswer(facts, at)
    },
  }),
]

async function countCosigners(text: string, witnesses: readonly VerifierKey[]): Promise<number> {
  const note = parseNote(text)
  return (note && (await cosignersOf(note, witnesses)))?.length ?? 0
}
