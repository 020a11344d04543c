import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { type App, makeApp } from '../../src/app.ts'
import { loadSample } from '../../src/cli/sample.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createInstallation, type Installation, openInstallation } from '../../src/installation.ts'
import { SCOPE_NAMES, type Scope } from '../../src/operation.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { parsePolicy, type TrustPolicy } from '../../src/proof/verify-lists.ts'
import { createKey, type IssuedKey } from '../../src/rails/keys.ts'
import type { Limits } from '../../src/rails/limit/limits.ts'
import { CHARTS, type Charts } from '../../src/registry/charts.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import type { RequestLine } from '../../src/surfaces/http/router.ts'
import type { TestRelease } from './builders.ts'
import { Contract } from './contract.ts'
import { DEFAULT_ENGINE, type Engine, storeEnvironment } from './engines.ts'
import { temporaryFolder } from './folder.ts'
import { processFolder } from './memory-disk.ts'
import { isThroughPrism, prismFor, throughPrism } from './through-prism.ts'

export { temporaryFolder }

export const BASE_URL = 'https://registry.example'

interface Given {
  /** The day, at noon UTC. */
  today?: string
  limits?: Partial<Limits>
  sample?: boolean
  /** With keys of its own: all others that have the sample of a day share theirs. */
  ownKeys?: boolean
  charts?: Charts
  engine?: Engine
  /** For ready-made answers. */
  cacheBytes?: number
  ATR_THROUGH?: string
  hospitalNames?: ReadonlyMap<string, string>
}

/** A whole service in this process: real store, real keys, a clock the test sets, and no network. */
export async function testApp({
  today = '2026-11-15',
  limits = {},
  sample = false,
  ownKeys = false,
  charts = CHARTS,
  engine = DEFAULT_ENGINE,
  cacheBytes = 16 * 1024 * 1024,
  hospitalNames,
  ...way
}: Given = {}): Promise<TestApp> {
  const folder = temporaryFolder()
  const config = readConfig(await storeEnvironment(join(folder.path, 'data'), engine))
  const clock = { now: Date.parse(`${today}T12:00:00Z`) }
  if (sample) await (ownKeys ? makeSample : copySample)(config, clock.now)
  else await createInstallation(config, { origin: 'registry.example', now: clock.now }, async () => {})
  const installation = await openInstallation(config)
  const lines: RequestLine[] = []
  const app = makeApp(installation, {
    baseUrl: () => BASE_URL,
    now: () => clock.now,
    railsClock: async () => clock.now,
    limits: { default_rpm: 120, reference_rpm: 300, log_rpm: 6_000, enabled: false, ...limits },
    observe: (line) => lines.push(line),
    cacheBytes,
    charts,
    hospitalNames,
  })
  const contract = await contractOf(app, charts)
  const seen = isThroughPrism(way) ? await behindPrism(app, contract) : app
  return new TestApp(folder, config, installation, seen, clock, lines, contract)
}

/** A closed installation with the sample, for each time that tests of this process have asked for: others are copies of it. */
const samples = new Map<number, Promise<Config>>()

/** Makes an installation with the sample. To load it costs more than most tests do. */
async function copySample(config: Config, now: number): Promise<void> {
  if (config.DATABASE_URL !== undefined) return makeSample(config, now)
  const known = samples.get(now) ?? firstSample(now)
  samples.set(now, known)
  const { DATA_DIR, lockDir } = await known
  cpSync(DATA_DIR, config.DATA_DIR, { recursive: true })
  cpSync(lockDir, config.lockDir, { recursive: true })
}

async function firstSample(now: number): Promise<Config> {
  const config = readConfig({ DATA_DIR: join(processFolder(), 'data') })
  await makeSample(config, now)
  return config
}

const makeSample = (config: Config, now: number): Promise<void> =>
  createInstallation(config, { origin: 'registry.example', now }, (made) => loadSample(made, () => now))

/** The documents of an app follow from its charts. To make them, and checks of answers, costs more than all else of an app. */
const contracts = new Map<Charts, Promise<Contract>>()
function contractOf(app: App, charts: Charts): Promise<Contract> {
  const known = contracts.get(charts) ?? Contract.of(app)
  contracts.set(charts, known)
  return known
}

async function behindPrism(app: App, { documents }: Contract): Promise<App> {
  const proxy = await prismFor(JSON.stringify(documents.whole))
  return { ...app, fetch: (request, address) => throughPrism(proxy, request, (same) => app.fetch(same, address)) }
}

export class TestApp {
  constructor(
    readonly folder: { path: string; [Symbol.dispose](): void },
    readonly config: Config,
    readonly installation: Installation,
    readonly app: App,
    readonly clock: { now: number },
    readonly lines: RequestLine[],
    readonly contract: Contract,
  ) {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.installation.db.close()
    this.folder[Symbol.dispose]()
  }

  get policy(): TrustPolicy {
    const logs = [this.installation.registryLog, this.installation.figuresLog]
    const policy = parsePolicy(formatPolicy(logs.flatMap(({ signers }) => signers)))
    if (!policy) throw new Error('the service has a policy it cannot read itself')
    return policy
  }

  /** Every answer is checked against the OpenAPI document on its way. */
  async request(path: string, init: RequestInit = {}, address = '192.0.2.1'): Promise<Response> {
    const request = new Request(`${BASE_URL}${path}`, init)
    const response = await this.app.fetch(request, address)
    const copy = response.clone()
    const { pathname } = new URL(request.url)
    this.contract.check(
      request.method,
      pathname,
      response.status,
      response.headers.get('content-type'),
      await copy.text(),
    )
    return response
  }

  async getJson(path: string, headers: Record<string, string> = {}): Promise<unknown> {
    const response = await this.request(path, { headers })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }

  async problem(
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; code: string; [member: string]: unknown }> {
    const response = await this.request(path, init)
    return (await response.json()) as { status: number; code: string }
  }

  async problemCode(path: string, init: RequestInit = {}): Promise<string> {
    return (await this.problem(path, init)).code
  }

  /** Stages and publishes. The few invented rows of a test pass the limits of the breaker as they like. */
  async publish({ rows, ...release }: TestRelease): Promise<string> {
    const { db, registryLog, cosign } = this.installation
    const { release_id } = (await stage(db, release, rows, new Map(), this.clock.now)).release
    await publish({ db, log: registryLog, cosign }, release_id, this.clock.now, overrideAll('sample_data'))
    return release_id
  }

  createKey(scopes: readonly Scope[] = SCOPE_NAMES): Promise<IssuedKey> {
    const { db, pepper } = this.installation
    const parts = { db, pepper, now: async () => this.clock.now, random: (n: number) => new Uint8Array(randomBytes(n)) }
    return createKey(parts, { name: 'test', scopes: [...scopes] })
  }

  async challenge(key: string): Promise<string> {
    const response = await this.request('/api/agent-rails/challenge', {
      method: 'POST',
      headers: { 'x-agent-key': key },
    })
    return ((await response.json()) as { nonce: string }).nonce
  }

  attest(key: string, body: object): Promise<Response> {
    return this.request('/api/agent-rails/attest', {
      method: 'POST',
      headers: { 'x-agent-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** The headers of an agent that has been let in with these scopes. */
  async railsHeaders(scopes: readonly Scope[] = SCOPE_NAMES): Promise<Record<string, string>> {
    const { key } = await this.createKey(scopes)
    const attested = await this.attest(key, { nonce: await this.challenge(key) })
    const { rails_token } = (await attested.json()) as { rails_token: string }
    return { 'x-agent-rails': rails_token }
  }
}
