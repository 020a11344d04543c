import { z } from 'zod'
import { dayOf } from '../calendar.ts'
import type { Db } from '../db/db.ts'
import { type Operation, operation } from '../operation.ts'
import { toHex } from '../proof/bytes.ts'
import { cosignersOf } from '../proof/note/cosignature.ts'
import { parseNote, type VerifierKey } from '../proof/note/signed-note.ts'
import type { Log } from './log.ts'
import { type ChartFacts, type Facts, type FiguresFacts, integrityReport, type ProviderFacts } from './report/report.ts'
import { integrityReportOf } from './report/report-shape.ts'
import * as store from './store.ts'

export interface IntegrityParts {
  db: Db
  log: Log
  now: () => number
  /** Facts from the other parts, passed in because this part imports none of them. */
  charts: (day: string) => Promise<ChartFacts[]>
  /** All kinds of chart. */
  chartKinds: readonly string[]
  figures: () => Promise<FiguresFacts>
  lastLoad: () => Promise<Facts['last_load']>
  /** By the entries of the registry log that are public. */
  providers: (logSize: number) => Promise<ProviderFacts>
  citations: (now: number) => Promise<Facts['citations']>
  /** The keys of the configured witnesses. */
  witnesses: readonly VerifierKey[]
}

export const integrityOperations = ({
  db,
  log,
  now,
  charts,
  chartKinds,
  figures,
  lastLoad,
  providers,
  citations,
  witnesses,
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
        providers: await providers(head.size),
        figures: await figures(),
        last_load: await lastLoad(),
        log: {
          size: head.size,
          root: head.root,
          checkpoint_at: new Date(head.signed_at).toISOString(),
          key_id: toHex(log.keys[0]?.id ?? new Uint8Array()),
          witnesses: await countCosigners(head.note, witnesses),
        },
        verification: await store.lastVerification(db),
        citations: await citations(at),
      }
      return integrityReport(facts, at)
    },
  }),
]

async function countCosigners(text: string, witnesses: readonly VerifierKey[]): Promise<number> {
  const note = parseNote(text)
  return (note && (await cosignersOf(note, witnesses)))?.length ?? 0
}
