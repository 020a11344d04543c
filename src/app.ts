import { randomBytes, randomUUID } from 'node:crypto'
import { dayClock, dayOf } from './calendar.ts'
import { LostSources } from './citations/lost-sources.ts'
import { citationHealthOf } from './citations/report.ts'
import { publisherLooks } from './fetch/report.ts'
import { figuresFacts, publishedFigures } from './figures/facts.ts'
import { figuresOperations } from './figures/operations.ts'
import { type CalendarParts, releaseOnCalendar } from './figures/release-calendar.ts'
import { systemDice } from './figures/window/dice.ts'
import { type Installation, loadVerifier } from './installation.ts'
import { integrityOperations } from './integrity/operations.ts'
import { dayStamp } from './integrity/published.ts'
import type { StatusAnswer } from './integrity/report/status.ts'
import { tileSource } from './integrity/tile-source.ts'
import { type CycleOptions, verifyInCycle } from './integrity/verification/cycle.ts'
import { FailedParts } from './integrity/verification/failed-parts.ts'
import type { Condition } from './metrics/state.ts'
import type { Operation } from './operation.ts'
import { MOST_LOST } from './proof/price/lost-source.ts'
import { addressBlock } from './rails/address.ts'
import { makeGate } from './rails/admission.ts'
import { type Limits, makeLimiter } from './rails/limit/limits.ts'
import { type ValkeyLimits, valkeyLimiter } from './rails/limit/valkey-limiter.ts'
import { ASSERTION_ALGORITHMS } from './rails/oauth/assertion.ts'
import { clientCall, TOKEN_PATH, tokenOperation } from './rails/oauth/client-credentials.ts'
import { railsOperations } from './rails/operations.ts'
import { additionalRoutes, CONTRACT_ROUTES, FLOW, HEADERS, NAMING, PROTECTED_ROUTES } from './rails/policy.ts'
import { BOT_PURPOSE, purposeKey } from './rails/purpose-key.ts'
import { chartFacts, chartFreshness, lastLoad, publishedFacts, shownCharts } from './registry/catalogue/chart-facts.ts'
import { citedSources } from './registry/catalogue/citations.ts'
import { releaseNews } from './registry/catalogue/releases.ts'
import { CHARTS, type Charts } from './registry/charts.ts'
import { lookupProblemMembers, sharedShapes } from './registry/lookup/answer-schema.ts'
import { examplePrice } from './registry/lookup/example.ts'
import { findRowBodies, findRowTile } from './registry/lookup/proofs.ts'
import { publishedRegistry } from './registry/lookup/view.ts'
import { type RegistryParts, registryOperations } from './registry/operations.ts'
import { rowStreams } from './registry/rows/row-stream.ts'
import { providerFacts } from './registry/state/provider-facts.ts'
import { A2A_PATH, a2aEndpoint, skillsOf } from './surfaces/a2a/endpoint.ts'
import { billEndpoint, billPage } from './surfaces/check/bill-page.ts'
import { verifyPage } from './surfaces/check/verify-page.ts'
import { agentCard } from './surfaces/discovery/agent-card.ts'
import { aiPlugin, logo } from './surfaces/discovery/ai-plugin.ts'
import { readmeOperation } from './surfaces/discovery/descriptor.ts'
import { healthResources } from './surfaces/discovery/health.ts'
import { botDirectory, jwks } from './surfaces/discovery/jwks.ts'
import { logPolicy } from './surfaces/discovery/log-policy.ts'
import { logTiles } from './surfaces/discovery/log-tiles.ts'
import { openApiDocuments } from './surfaces/discovery/openapi-documents.ts'
import { isHere, mirrorNotice, readOnlyOperations, readOnlyResources } from './surfaces/discovery/read-only.ts'
import { releaseStreams } from './surfaces/discovery/release-streams.ts'
import { catalogues } from './surfaces/guides/catalogues.ts'
import { guides } from './surfaces/guides/guide.ts'
import { siteFiles } from './surfaces/guides/site-files.ts'
import type { Mount } from './surfaces/http/mount.ts'
import type { Resource } from './surfaces/http/resource.ts'
import { type HttpSurface, httpSurface, type RequestLine } from './surfaces/http/router.ts'
import { evidenceCard } from './surfaces/mcp/card.ts'
import { mcpEndpoint } from './surfaces/mcp/endpoint.ts'
import { oauthMetadata } from './surfaces/oauth/metadata.ts'
import { tokenEndpoint } from './surfaces/oauth/token.ts'
import { docsPage } from './surfaces/pages/docs-page.ts'
import { figuresPage } from './surfaces/pages/figures-page.ts'
import { problemPages, refusalPages } from './surfaces/pages/problem-page.ts'
import { rulePages } from './surfaces/pages/rule-page.ts'
import { statusPage } from './surfaces/pages/status-page.ts'
import { pricePages } from './surfaces/price/price-page.ts'
import { askOf } from './surfaces/site/ask.ts'
import { assetFiles } from './surfaces/site/assets.ts'
import { feed } from './surfaces/site/feed.ts'
import { frameOf } from './surfaces/site/frame.ts'
import { landing } from './surfaces/site/landing.ts'
import { hospitalList } from './surfaces/words/hospitals.ts'

export interface AppOptions {
  baseUrl: () => string
  /** Epoch milliseconds. Nonces and tokens use the clock of the database, unless a test sets this one for all. */
  now: () => number
  railsClock?: () => Promise<number>
  limits: Limits
  /** Counts requests for all machines together. */
  valkey?: Pick<ValkeyLimits, 'valkey' | 'tell'> | undefined
  /** Whether releases of the figures also remove old cases. */
  retention?: boolean
  /** Origins of web pages that may use MCP, in addition to those of this service. */
  mcpOrigins?: readonly string[]
  /** Whether the agent card has a second signature, for clients that leave out its security schemes. */
  isCardSignedTwice?: boolean
  observe: (line: RequestLine) => void
  /** The contact of the operator: a mailbox, or the address of a page. */
  contact?: string | undefined
  /** The names that the operator gives to hospitals, by NPI. */
  hospitalNames?: ReadonlyMap<string, string> | undefined
  /** Whether copies of cited files are kept. */
  hasArchive?: boolean
  /** The memory for ready-made answers; if left out, they are not kept. */
  cacheBytes?: number
  /** How long lookups are answered by an older head, if the files of the newest releases cannot be fetched. */
  mostLagMs?: number
  /** All charts that can exist. */
  charts?: Charts
  /** Set if the app answers from a mirror: the log policy is the pinned one, and operations without data there are refused. */
  mirror?: { policyText: () => string; service: string | null } | undefined
}

export interface App extends HttpSurface {
  operations: readonly Operation[]
  resources: readonly Resource[]
  mounts: readonly Mount[]
  /** Releases the figures by the calendar until it is stopped. */
  followFiguresCalendar: (tell: CalendarParts['tell']) => ReturnType<typeof releaseOnCalendar>
  /** Keeps public data in memory until it is stopped. While it runs, lookups need no statement in the store. */
  followHeads: (tell: (event: { fault: unknown }) => void) => { stop: () => Promise<void> }
  /** What the service knows of itself without asking the store. */
  condition: () => Omit<Condition, 'isCountedTogether'>
  /** Says from now on that the service is about to stop: probes see it, and callers close their connections. */
  leave: () => void
  /** Re-derives public data, part by part, in a cycle until it is stopped. Rows and entries that fail are not served. */
  verify: (pace: Omit<CycleOptions, 'now'>) => { stop: () => Promise<void> }
}

/** Puts the parts together. Each part gets what it needs as arguments. */
export function makeApp(
  { db, registryLog, figuresLog, cosign, witnesses, pepper }: Omit<Installation, 'keyFile'>,
  options: AppOptions,
): App {
  const { baseUrl, now, limits, charts = CHARTS } = options
  const today = dayClock(now)
  const lost = new LostSources(db, options.hasArchive ?? false)
  const failed = new FailedParts(db)
  const published = publishedRegistry(db, registryLog, failed, [lost], options.mostLagMs)
  let isLeaving = false
  const lostSources: RegistryParts['lostSources'] = (release) => lost.citedIn(release, MOST_LOST)
  const registry = { db, log: registryLog, otherLogs: [figuresLog], published, today, charts, lostSources }
  const onFigures = publishedFigures({ db, log: figuresLog })
  const figures = { db, log: figuresLog, now, published: onFigures }
  const registryStamp = (): string | undefined => published.stamp()
  const figuresStamp = (): string | undefined => onFigures.stamp()
  const figuresLogStamp = (): string | undefined => bothOf(figuresStamp(), failed.mark())
  const registryDay = dayStamp({ stamp: registryStamp }, today)
  const statusStamp = (): string | undefined => bothOf(bothOf(registryDay(), figuresStamp()), failed.news())
  const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes))
  const rails = { db, pepper, now: options.railsClock ?? (() => db.now()), random, baseUrl, limits }
  const cardKey = purposeKey(pepper, 'agent-card')
  const discovery = {
    baseUrl,
    rails: { flow: FLOW, naming: NAMING, protected_routes: PROTECTED_ROUTES, header: HEADERS.agent_rails },
    operations: () => answered,
    contact: options.contact,
    notice: options.mirror && mirrorNotice(options.mirror.service),
  }
  const frame = frameOf(discovery.notice)
  const readOnly = options.mirror && { ...options.mirror, now, answered: () => answered }
  const asServed = (all: Operation[]): Operation[] => (readOnly ? readOnlyOperations(all, readOnly) : all)

  const ask = askOf(() => operations, baseUrl)
  const readme = readmeOperation(discovery)
  const ownOperations = [
    readme,
    ...registryOperations(registry),
    ...figuresOperations(figures),
    ...integrityOperations({
      db,
      log: registryLog,
      now,
      charts: (day) => chartFacts(db, day, charts),
      chartKinds: charts.map(({ kind }) => kind),
      figures: () => figuresFacts(figures),
      lastLoad: () => lastLoad(db),
      published: (day) => publishedFacts(db, day),
      providers: async () => providerFacts((await published.at()).entries),
      citations: async (at) => citationHealthOf(db, await citedSources(db, dayOf(at)), at, options.hasArchive ?? false),
      publishers: () => publisherLooks(db),
      witnesses: witnesses.keys.map(({ key }) => key),
      quorum: witnesses.quorum,
      logs: [registryLog, figuresLog],
      freshness: (day) => chartFreshness(db, day, charts),
      statusStamp,
    }),
  ]
  const policy = logPolicy({ baseUrl, logs: [registryLog, figuresLog], witnesses, pinned: options.mirror?.policyText })
  const heldCharts = () => shownCharts(db, today(), charts)
  const hospitals = hospitalList(heldCharts, registryDay, options.hospitalNames)
  const allResources: Resource[] = [
    landing({
      ...discovery,
      frame,
      readme: asServed([readme])[0] ?? readme,
      figures: async () => (await onFigures.at()).body,
      charts: heldCharts,
      example: () => examplePrice(registry),
      hospitals,
      stamp: () => bothOf(registryDay(), figuresStamp()),
    }),
    aiPlugin(discovery),
    logo(),
    ...guides(discovery),
    ...catalogues(discovery),
    ...siteFiles({ ...discovery, now }),
    agentCard({
      ...discovery,
      skills: () => skillsOf(answered),
      a2aPath: A2A_PATH,
      tokenPath: TOKEN_PATH,
      key: cardKey,
      isSignedTwice: options.isCardSignedTwice ?? false,
    }),
    jwks([cardKey]),
    botDirectory([purposeKey(pepper, BOT_PURPOSE)]),
    ...openApiDocuments({
      baseUrl,
      operations: () => answered,
      resources: () => (readOnly ? resources.filter((_, at) => isHere(allResources[at] as Resource)) : resources),
      problemMembers: lookupProblemMembers,
      shapes: sharedShapes,
      corePaths: CONTRACT_ROUTES,
    }),
    policy,
    ...logTiles({
      logs: [
        {
          log: tileSource(db, registryLog, () => published.current()?.head, failed),
          entries: 'public',
          stamp: registryStamp,
        },
        {
          log: tileSource(db, figuresLog, () => onFigures.current()?.head, failed),
          entries: 'audit:read',
          stamp: figuresLogStamp,
        },
      ],
      findRowTile: async (release_id, tile) => findRowTile(db, { view: await published.at(), release_id }, tile),
      findRowBodies: async (release_id, bundle) =>
        findRowBodies(db, { view: await published.at(), release_id }, bundle),
      stamp: registryStamp,
    }),
    ...releaseStreams({ ...rowStreams(db, async () => (await published.at()).releases), stamp: registryStamp }),
    feed({
      baseUrl,
      origin: registryLog.origin,
      entries: () => releaseNews(db, charts),
      signedAt: async () => (await registryLog.head(db)).signed_at,
      stamp: registryStamp,
    }),
    problemPages(frame),
    rulePages(frame),
    ...pricePages({ frame, ask, baseUrl, today, stamp: registryDay, hospitals }),
    figuresPage({ frame, ask, baseUrl, stamp: figuresStamp }),
    statusPage({ frame, status: async () => (await ask('get_status', {})).body as StatusAnswer, stamp: statusStamp }),
    docsPage({ ...discovery, frame, limits, stamp: baseUrl }),
    verifyPage(frame),
    billPage({ frame, hospitals, stamp: registryDay }),
    ...assetFiles(),
    ...oauthMetadata({ baseUrl, tokenPath: TOKEN_PATH, algorithms: ASSERTION_ALGORITHMS, resources: PARTS }),
    ...healthResources({ ready: async () => published.at(), isLeaving: () => isLeaving }),
  ]
  const resources = readOnly ? readOnlyResources(allResources, readOnly) : allResources
  const clockMs = (): number => performance.now()
  const own = makeLimiter(limits, clockMs)
  const limiter = options.valkey ? valkeyLimiter(limits, { ...options.valkey, pepper, own, clockMs }) : own
  const gate = makeGate(rails, limiter)
  const oauth = { ...rails, resources: PARTS.map((part) => `/${part}`) }
  const allMounts: Mount[] = [
    billEndpoint({ frame, operations: () => operations, gate, baseUrl, today, hospitals }),
    tokenEndpoint({ operation: tokenOperation(oauth), gate, baseUrl, clientCall: (claim) => clientCall(oauth, claim) }),
    a2aEndpoint({ skills: () => skillsOf(operations), gate, baseUrl, now, dayOf, randomId: randomUUID }),
    mcpEndpoint({
      operations: () => operations,
      answered: () => answered,
      notice: discovery.notice,
      resources: () => resources,
      gate,
      baseUrl,
      today,
      allowedOrigins: options.mcpOrigins ?? [],
      card: evidenceCard(() => String(policy.forms[0]?.render())),
    }),
  ]
  const mounts = readOnly ? allMounts.filter(({ path }) => path !== TOKEN_PATH) : allMounts
  const openRoutes = mounts.map(({ path }) => ({ path, access: path === TOKEN_PATH ? 'agent_key' : 'public' }) as const)
  const routes = additionalRoutes([...ownOperations.map(routeOf), ...resources, ...openRoutes])
  const allOperations: Operation[] = [...ownOperations, ...railsOperations({ ...rails, routes })]
  const operations = asServed(allOperations)
  const answered = readOnly ? operations.filter((_, at) => isHere(allOperations[at] as Operation)) : operations

  const http = httpSurface({
    operations,
    resources,
    mounts,
    gate,
    baseUrl,
    observe: options.observe,
    randomId: randomUUID,
    cacheBytes: options.cacheBytes,
    refusalPages: refusalPages(frame),
    callerAt: addressBlock,
  })
  const followFiguresCalendar = (tell: CalendarParts['tell']) =>
    releaseOnCalendar({ parts: { ...figures, cosign, dice: systemDice(), retention: options.retention }, tell })
  const followHeads: App['followHeads'] = (tell) => {
    const jobs = [published.follow(tell), onFigures.follow(tell)]
    return { stop: async () => void (await Promise.all(jobs.map((job) => job.stop()))) }
  }
  const verifiable = { db, registryLog, figuresLog, isMirror: readOnly !== undefined }
  const verify: App['verify'] = (pace) => verifyInCycle(() => loadVerifier(verifiable), { ...pace, now })
  const leave = (): void => {
    isLeaving = true
  }
  /** The head of a connection that is told to end may be read by the next request already, so that all answers say so. */
  const fetch: App['fetch'] = (request, address) => {
    const response = http.fetch(request, address)
    if (!isLeaving) return response
    return response instanceof Promise ? response.then(closing) : closing(response)
  }
  const condition: App['condition'] = () => {
    const age = published.age()
    const head = age && { size: age.head.size, signedAt: age.head.signed_at, lookedMs: age.lookedMs, lagMs: age.lagMs }
    return { head, queued: gate.queue.size, isLeaving, cache: http.cacheFigures() }
  }
  return { operations, resources, mounts, followFiguresCalendar, followHeads, verify, leave, condition, ...http, fetch }
}

/** The connection ends after this answer, so that a proxy sends the next request to another machine. */
function closing(response: Response): Response {
  response.headers.set('connection', 'close')
  return response
}

const bothOf = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || other === undefined ? undefined : `${one} ${other}`

/** The protocol endpoints that OAuth clients treat as separate resources. */
const PARTS = ['mcp', 'a2a'] as const

const routeOf = ({ http, access }: Operation) => ({ path: http.path, access })
