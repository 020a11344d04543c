import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { figuresFacts } from './figures/facts.ts'
import { figuresOperations } from './figures/operations.ts'
import { type Schedule, scheduleReleases } from './figures/schedule.ts'
import type { Installation } from './installation.ts'
import { integrityOperations } from './integrity/operations.ts'
import { tileSource } from './integrity/tile-source.ts'
import type { Operation, Scope } from './operation.ts'
import { makeGate } from './rails/admission.ts'
import { makeLimiter } from './rails/limits.ts'
import { railsOperations } from './rails/operations.ts'
import { FLOW, NAMING, PROTECTED_ROUTES, PUBLIC_ROUTES } from './rails/policy.ts'
import { HEADERS } from './rails/refusal.ts'
import { chartFacts, firstCharts, lastLoad } from './registry/catalogue/chart-facts.ts'
import { lastEvents, type ReleaseEvent } from './registry/catalogue/releases.ts'
import { CHARTS, type Charts, chartOf } from './registry/charts.ts'
import { findRowTile } from './registry/lookup/row-tiles.ts'
import { registryOperations } from './registry/operations.ts'
import { AbsenceProof, CitedRow } from './registry/row-schema.ts'
import { agentCard } from './surfaces/discovery/agent-card.ts'
import { aiPlugin, logo } from './surfaces/discovery/ai-plugin.ts'
import { readmeOperation } from './surfaces/discovery/descriptor.ts'
import { type FeedEntry, feed } from './surfaces/discovery/feed.ts'
import { healthDocuments } from './surfaces/discovery/health.ts'
import { logPolicy } from './surfaces/discovery/log-policy.ts'
import { logTiles } from './surfaces/discovery/log-tiles.ts'
import { openApiDocument } from './surfaces/discovery/openapi.ts'
import type { Document } from './surfaces/http/document.ts'
import { type HttpSurface, httpSurface, type RequestLine } from './surfaces/http/router.ts'
import { landing } from './surfaces/site/landing.ts'
import { problemPages } from './surfaces/site/problem-page.ts'

const FEED_ENTRIES = 50
const LANDING_CHARTS = 10

export interface AppOptions {
  baseUrl: () => string
  /** Epoch milliseconds. Nonces and tokens use the database's clock unless a test sets this one for all. */
  now: () => number
  railsClock?: () => Promise<number>
  limits: { default_rpm: number; reference_rpm: number; enabled: boolean }
  /** Whether releases of the figures also remove cases that have outgrown the ledger. */
  retention?: boolean
  observe: (line: RequestLine) => void
  /** Every chart there can be. */
  charts?: Charts
}

export interface App extends HttpSurface {
  operations: readonly Operation[]
  documents: readonly Document[]
  /** Releases the figures when the calendar says so, until it is stopped. */
  scheduleFigures: (tell: Schedule['tell']) => ReturnType<typeof scheduleReleases>
}

/** Puts the parts together. What a part needs is its argument; nothing is found by name. */
export function makeApp(
  { db, registryLog, figuresLog, cosign, witnesses, pepper }: Installation,
  options: AppOptions,
): App {
  const { baseUrl, now, limits, charts = CHARTS } = options
  const today = (): string => new Date(now()).toISOString().slice(0, 10)
  const figures = { db, log: figuresLog, now }
  const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes))
  const rails = {
    db,
    pepper,
    now: options.railsClock ?? (() => db.now()),
    random,
    baseUrl,
    limits,
  }
  const discovery = {
    baseUrl,
    rails: { flow: FLOW, naming: NAMING, protected_routes: PROTECTED_ROUTES, header: HEADERS.agent_rails },
    operations: () => operations,
  }

  const readme = readmeOperation(discovery)
  const ownOperations = [
    readme,
    ...registryOperations({ db, log: registryLog, today, charts }),
    ...figuresOperations(figures),
    ...integrityOperations({
      db,
      log: registryLog,
      now,
      charts: (day) => chartFacts(db, day, charts),
      chartKinds: charts.map(({ kind }) => kind),
      figures: () => figuresFacts(figures),
      lastLoad: () => lastLoad(db),
      witnesses: witnesses.keys.map(({ key }) => key),
    }),
  ]
  const find = (name: string): Operation => {
    const found = ownOperations.find((op) => op.name === name)
    if (!found) throw new Error(`there is no operation ${name}`)
    return found
  }
  const documents: Document[] = [
    landing({
      ...discovery,
      readme: () => readme.run({}, {}),
      figures: async () => find('get_figures').run({}, {}) as never,
      charts: () => firstCharts(db, today(), LANDING_CHARTS, charts),
      example: () => exampleOf(find('lookup_reference')),
    }),
    aiPlugin(discovery),
    logo(),
    agentCard(discovery),
    openApiDocument({
      baseUrl,
      operations: () => operations,
      documents: () => documents,
      problemMembers: { row: CitedRow, absence: z.array(AbsenceProof), regions: z.array(z.string()) },
    }),
    logPolicy(
      () =>
        [registryLog, figuresLog].flatMap((log) =>
          log.signers.map(({ name, publicKey }) => ({ name, publicKey, url: `${baseUrl()}/log/${log.name}` })),
        ),
      witnesses.keys.map(({ key: { name, publicKey }, url }) => ({ name, publicKey, url })),
      witnesses.quorum,
    ),
    ...logTiles({
      logs: [
        { log: tileSource(db, registryLog), entries: 'public' },
        { log: tileSource(db, figuresLog), entries: 'audit:read' },
      ],
      findRowTile: (release_id, tile) => findRowTile(db, release_id, tile),
    }),
    feed({
      baseUrl,
      origin: registryLog.origin,
      entries: async () => (await lastEvents(db, FEED_ENTRIES)).map((event) => feedEntry(event, charts)),
      signedAt: async () => (await registryLog.head(db)).signed_at,
    }),
    problemPages(),
    ...healthDocuments({ ready: async () => (await registryLog.head(db)) !== undefined }),
  ]
  const operations: Operation[] = [
    ...ownOperations,
    ...railsOperations({ ...rails, routes: furtherRoutes(ownOperations, documents) }),
  ]

  const limiter = makeLimiter({ ...limits, clockMs: () => performance.now() })
  const http = httpSurface({
    operations,
    documents,
    gate: makeGate(rails, limiter),
    baseUrl,
    observe: options.observe,
    randomId: randomUUID,
  })
  const scheduleFigures = (tell: Schedule['tell']) =>
    scheduleReleases({ parts: { ...figures, cosign, random, retention: options.retention }, tell })
  return { operations, documents, scheduleFigures, ...http }
}

/** What the policy lists beside the routes of the rails contract. */
function furtherRoutes(operations: readonly Operation[], documents: readonly Document[]) {
  const isNamed = (path: string): boolean => path in PROTECTED_ROUTES || PUBLIC_ROUTES.some((known) => known === path)
  const further = [
    ...operations.map(({ http, access }) => ({ path: http.path, access })),
    ...documents.map(({ path, access = 'public' }) => ({ path, access })),
  ].filter(({ path }) => !isNamed(path))
  return {
    additional_public: further.filter(({ access }) => access === 'public').map(({ path }) => path),
    additional_protected: Object.fromEntries(
      further.filter(({ access }) => access !== 'public').map(({ path, access }) => [path, [access as Scope]]),
    ),
  }
}

/** A release or withdrawal in words of ours, for the feed. */
function feedEntry({ index, kind, entry }: ReleaseEvent, charts: Charts): FeedEntry {
  const { release_id, chart, recorded_at } = entry
  const title = chartOf(chart, charts)?.title ?? chart
  const summary =
    kind === 'published'
      ? `${title}: ${entry.row_count} rows, in force from ${entry.effective_from}${entry.data_class === 'sample' ? ' (sample data)' : ''}`
      : `${title}: withdrawn (${entry.reason}); what it said is no longer in force`
  return {
    index,
    title: `${release_id} ${kind}`,
    summary,
    updated: recorded_at,
    path: `/api/releases?chart=${encodeURIComponent(chart)}`,
  }
}

/** One live price for the landing page, if its code is on a schedule today. */
async function exampleOf(lookup: Operation) {
  const query = lookup.input.parse({ cpt: '99213' })
  const found = await lookup.run(query, {}).catch(() => undefined)
  const row = CitedRow.safeParse(found).data
  if (row?.kind !== 'price' || !('amount' in row.price)) return undefined
  const { release } = row.proof
  return {
    cpt: row.cpt,
    amount: row.price.amount,
    region: row.region,
    effective_from: row.effective_from,
    release_id: release.release_id,
    file: release.citations[0]?.file ?? '',
    line: row.locator[0]?.line ?? 0,
  }
}
