import { fromUtf8, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import type { FiguresState } from '../../src/proof/figures.ts'
import { aStateOfNothing, figuresBody } from '../../src/proof/figures-fixture.ts'
import { aSigner, MemoryLog } from '../../src/proof/fixture.ts'
import { pageOf, runsOf } from '../../src/proof/list-fixture.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import type { RegistryEntry } from '../../src/proof/price/release.ts'
import { rowText } from '../../src/proof/price/row.ts'
import { MemoryRegistry, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { TILE_WIDTH } from '../../src/proof/tree/tiles.ts'

type Tamper = (path: string, response: Response) => Response | Promise<Response>

/** An operator with keys of its own, who can serve whatever it likes: what it shows is taken from a registry in memory. */
export class Operator {
  /** The logs, the store that lookups answer from, and the change that an answer gets on its way out. */
  shown: MemoryRegistry
  answering: MemoryRegistry | undefined
  tamper: Tamper = (_, response) => response
  /** The entries of the figures log, and where the state stands that the figures are answered from. */
  readonly changes: Uint8Array[] = []
  figuresAt: { index: number; size: number } | undefined
  readonly #server: ReturnType<typeof Bun.serve>

  private constructor(
    readonly registry: MemoryRegistry,
    readonly figures: MemoryLog,
  ) {
    this.shown = registry
    this.release(aStateOfNothing())
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url)
        const path = `${decodeURIComponent(pathname)}${search}`
        return packed(request, await this.tamper(path, await this.#answer(new URL(request.url))))
      },
    })
  }

  /** Its log begins an hour ago, and what it does next is noted as of half an hour ago. */
  static async start(minutesAgo = 30): Promise<Operator> {
    const at = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()
    const registry = new MemoryRegistry(await aSigner('liar.example/log/registry'), [], at(minutesAgo + 30))
    registry.now = at(minutesAgo)
    return new Operator(registry, new MemoryLog(await aSigner('liar.example/log/figures')))
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }
  get policy(): string {
    return formatPolicy([this.registry.signer, this.figures.signer])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }

  /** Adds entries as they are, with no state behind them but what is among them. */
  append(...entries: readonly RegistryEntry[]): void {
    this.registry.entries.push(...entries)
    this.registry.log.append(...entries.map((entry) => utf8(canonical(entry))))
  }

  /** Adds entries to the figures log. */
  release(...entries: readonly (object | Uint8Array)[]): void {
    const bodies = entries.map((entry) => (entry instanceof Uint8Array ? entry : utf8(canonical(entry))))
    this.changes.push(...bodies)
    this.figures.append(...bodies)
  }

  async #figures(): Promise<object> {
    const { index, size } = this.figuresAt ?? { index: this.changes.length - 1, size: this.changes.length }
    const state = JSON.parse(fromUtf8(this.changes[index] as Uint8Array)) as FiguresState
    return figuresBody(this.figures, state, index, size)
  }

  async #answer({ pathname, searchParams }: URL): Promise<Response> {
    const path = decodeURIComponent(pathname)
    const log = /^\/log\/(registry|figures)\//.exec(path)?.[1] === 'figures' ? this.figures : this.shown.log
    if (/^\/log\/\w+\/checkpoint$/.test(path)) return new Response(await log.checkpoint())
    const [, base = '', kind = '', n = '', width = TILE_WIDTH] =
      /^(.*)\/tile\/(entries|[0-9]+)\/([0-9]{3})(?:\.p\/([0-9]+))?$/.exec(path) ?? []
    const release = this.#release(/^\/(?:log\/releases|rows)\/([^/]+)/.exec(path)?.[1] ?? '')
    if (kind === 'entries') return bytes(bundled(this.#bodies(base, release), Number(n), Number(width)))
    if (kind !== '') {
      const tree = base.startsWith('/log/releases/') ? hashesOf(release) : log
      return bytes(tree && attempt(() => tree.tile(Number(kind), Number(n), Number(width))))
    }
    if (path === '/api/figures') return Response.json(await this.#figures())
    if (path === '/api/registry') return Response.json(await this.#page(searchParams))
    if (path === '/reference') {
      const question = Object.fromEntries(searchParams) as unknown as Question
      const { body } = await (this.answering ?? this.shown).answer(question)
      return Response.json(body, { status: (body['status'] as number | undefined) ?? 200 })
    }
    const index = /^\/rows\/[^/]+\/([0-9]+)$/.exec(path)?.[1]
    if (index !== undefined && release) return Response.json(await this.shown.cite(release, Number(index)))
    return new Response(null, { status: 404 })
  }

  async #page(query: URLSearchParams): Promise<object> {
    const asked = { as_of: query.get('as_of') ?? '', chart: query.get('chart') ?? '' }
    return pageOf(this.shown, asked.as_of, runsOf(this.shown, asked))
  }

  #release(id: string): MemoryRelease | undefined {
    return this.shown.releases.find(({ manifest }) => manifest.release_id === id)
  }

  #bodies(base: string, release: MemoryRelease | undefined): Uint8Array[] {
    if (base === '/log/figures') return this.changes
    return base.startsWith('/log/releases/')
      ? (release?.rows ?? []).map((row) => utf8(rowText(row)))
      : this.shown.entries.map((entry) => utf8(canonical(entry)))
  }
}

function bundled(entries: readonly Uint8Array[], n: number, width: number): Uint8Array | undefined {
  const bodies = entries.slice(n * TILE_WIDTH, n * TILE_WIDTH + width)
  if (bodies.length < width) return undefined
  return new Uint8Array(
    Buffer.concat(bodies.flatMap((body) => [Uint8Array.of(body.length >> 8, body.length & 255), body])),
  )
}

const bytes = (body: Uint8Array | undefined): Response =>
  body ? new Response(new Uint8Array(body)) : new Response(null, { status: 404 })

/** The rows of a release as a log has its entries, for their tiles. */
function hashesOf(release: MemoryRelease | undefined): MemoryLog | undefined {
  if (!release) return undefined
  const log = new MemoryLog({ name: 'none', publicKey: new Uint8Array(), sign: async () => new Uint8Array() })
  log.leaves.push(...release.leaves)
  return log
}

function attempt(work: () => Uint8Array): Uint8Array | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** As every front does: packed for who can unpack. */
async function packed(request: Request, response: Response): Promise<Response> {
  const isPackable = response.status === 200 && !response.headers.has('content-encoding')
  if (!request.headers.get('accept-encoding')?.includes('gzip') || !isPackable) return response
  const headers = new Headers(response.headers)
  headers.set('content-encoding', 'gzip')
  return new Response(Bun.gzipSync(new Uint8Array(await response.arrayBuffer())), { headers })
}
