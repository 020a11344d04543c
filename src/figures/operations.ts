import { z } from 'zod'
import { DAY_MS, dayOf } from '../calendar.ts'
import type { Db } from '../db/db.ts'
import { type Operation, operation, refusedAs } from '../operation.ts'
import { pagedOperation } from '../paging.ts'
import { Problem } from '../problem.ts'
import { isNpi } from '../proof/lookup/npi.ts'
import { ChangePage, FiguresBody, ProviderStats } from './answers.ts'
import { ChangesQuery, changePage } from './change-page.ts'
import type { PublishedFigures } from './facts.ts'
import { isProvider } from './ledger/store.ts'
import * as providers from './provider-store.ts'
import type { FiguresParts } from './release.ts'
import { RULE } from './rule/figure.ts'
import { type ProviderStats as ProviderRuling, providerStats, windowsSince } from './rule/provider.ts'
import { decideProvider } from './rule/provider-window.ts'
import { RULE_2 } from './rule/rule-2.ts'
import { providerWindows } from './window/store.ts'

const Npi = z
  .string()
  .regex(/^[12][0-9]{9}$/)
  .refine(isNpi)
  .meta({ description: 'the National Provider Identifier of an organisation, with its check digit' })
  .register(refusedAs, { problem: 'invalid_npi' })

const NPIS_PER_DAY = 500

/** Limits how much of the directory a key can read (P9). Each NPI, known or not, counts once per key and day. */
async function countProvider(db: Db, key_id: string, npi: string, now: number): Promise<void> {
  const day = dayOf(now)
  if (await providers.insertQuery(db, day, key_id, npi, NPIS_PER_DAY)) return
  throw new Problem('rate_limited', `a key may ask about ${NPIS_PER_DAY} providers a day: ask again tomorrow`, {
    retryAfterSeconds: Math.max(1, Math.ceil((Date.parse(day) + DAY_MS - now) / 1000)),
    members: { 'violated-policies': ['provider-npis'] },
  })
}

/** The statistics of a provider: as decided at the last refresh (rule 1), or from the windows of eight quarters (rule 2). */
async function providerAnswer(db: Db, npi: string, now: number): Promise<ProviderRuling> {
  const refresh = await providers.currentRefresh(db)
  const at = { refreshed_at: refresh?.released_at, now }
  if (refresh && refresh.window_no === null) {
    const record = await providers.findProviderRecord(db, npi, refresh.release_no)
    return providerStats(npi, record, at, { version: RULE.version, granularity: 'year' })
  }
  const windows = refresh
    ? await providerWindows(db, npi, {
        window_no: refresh.window_no as number,
        since: windowsSince(refresh.released_at),
      })
    : []
  const [first] = windows
  const facts =
    first &&
    decideProvider(
      windows.map(({ tally }) => tally),
      first.unit,
      RULE_2,
    )
  return providerStats(npi, facts, at, { version: RULE_2.version, granularity: 'quarter' })
}

export const figuresOperations = ({
  db,
  log,
  now,
  published,
}: FiguresParts & { published: PublishedFigures }): Operation[] => [
  operation({
    name: 'get_figures',
    summary: 'Aggregate dispute metrics: win rate, recurring rate, share settled without escalation, savings',
    description:
      'Aggregates of the outcomes ledger under a published disclosure rule. Values have noise, unless `exact` is there, and a `standard_error` that says how much. A null value is withheld, not zero; `metrics` says why and defines each figure. Values change only at a release and are the same for every caller. `proof` shows that they are what the figures log ends with.',
    tag: 'metrics',
    http: { method: 'GET', path: '/api/figures' },
    access: 'public',
    limit: 'default',
    cache: 'public, max-age=60, stale-while-revalidate=300',
    input: z.strictObject({}),
    output: FiguresBody,
    problems: [],
    stamp: () => published.stamp(),
    run: async () => (await published.at()).body,
  }),

  operation({
    name: 'get_provider_stats',
    summary: 'Redacted negotiation statistics of one provider organisation',
    description:
      'Bands and coarse rates of disputes with one organisation over the last eight quarters, from counts with noise. Small numbers are withheld, and a provider with no case looks like one with ten.',
    tag: 'agent-tools',
    http: { method: 'GET', path: '/api/provider/{npi}' },
    access: 'provider:read',
    limit: 'default',
    cache: 'private, no-store',
    input: z.strictObject({ npi: Npi }),
    output: ProviderStats,
    problems: ['invalid_npi', 'provider_not_found'],
    async run({ npi }, { agent }) {
      if (agent) await countProvider(db, agent.key_id, npi, now())
      if (!(await isProvider(db, npi))) throw new Problem('provider_not_found')
      // The class of the whole ledger, because the class of one provider's cases would reveal whether it has any.
      const { data_class } = (await published.at()).body
      return { ...(await providerAnswer(db, npi, now())), data_class }
    },
  }),

  pagedOperation({
    name: 'list_figure_changes',
    summary: 'The audit log of changes to the published figures, each with its proof',
    description:
      'Every change of a published figure is an entry of an append-only signed log. Newest first; with `after_seq` oldest first. `states` has the entries between them, which say what stands after each release.',
    tag: 'metrics',
    http: { method: 'GET', path: '/api/figure-changes' },
    access: 'audit:read',
    limit: 'default',
    cache: 'private, no-cache',
    stamp: () => published.stamp(),
    input: ChangesQuery,
    output: ChangePage,
    problems: [],
    run: async (query) => changePage({ db, log }, query, (await published.at()).body.data_class),
  }),
]
