import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type App, type AppOptions, makeApp } from '../../src/app.ts'
import { parsePolicy } from '../../src/proof/verify-lists.ts'
import { type MirrorRound, mirrorOnce } from '../../tools/mirror/mirror.ts'
import { openMirror } from '../../tools/mirror/open-mirror.ts'
import { StaticTree } from '../../tools/mirror/static-tree.ts'
import { Fetcher, type Sign, tokensOf } from '../../tools/monitor/fetcher.ts'
import { type TestApp, temporaryFolder, testApp } from './harness.ts'

type Tamper = (path: string, response: Response) => Response | Promise<Response>

/** A real service on a real port, a folder that mirrors it, and somebody between them who may change what passes. */
export class MirrorWorld {
  tamper: Tamper = (_, response) => response
  readonly folder = temporaryFolder()
  readonly #server: ReturnType<typeof Bun.serve>
  readonly service: App
  policy = ''
  key = ''

  private constructor(readonly app: TestApp) {
    this.service = makeApp(app.installation, this.options)
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const path = decodeURIComponent(new URL(request.url).pathname)
        const made = await this.service.fetch(request, '192.0.2.1')
        const sent = await this.tamper(path, made)
        if (sent !== made && !made.bodyUsed) await made.body?.cancel()
        return sent
      },
    })
  }

  static async start(given: Parameters<typeof testApp>[0] = {}): Promise<MirrorWorld> {
    const world = new MirrorWorld(await testApp(given))
    world.policy = await (await world.ask('/log/policy')).text()
    world.key = (await world.app.createKey(['registry:read'])).key
    return world
  }

  get options(): AppOptions {
    const { clock } = this.app
    return {
      baseUrl: () => this.url,
      now: () => clock.now,
      railsClock: async () => clock.now,
      limits: { default_rpm: 120, reference_rpm: 300, log_rpm: 6_000, anonymous_rpm: 600_000, enabled: false },
      observe: () => undefined,
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }
  get tree(): StaticTree {
    return new StaticTree(join(this.folder.path, 'mirror'))
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, init)
  }

  /** One round, into a folder that is this world's unless another one is named. */
  mirror({ tree = this.tree, url = this.url, sign, key = this.key }: Given = {}): Promise<MirrorRound> {
    const policy = parsePolicy(this.policy)
    if (!policy) throw new Error('the policy cannot be read')
    const { now } = this.app.clock
    const fetcher = new Fetcher(url, key === '' ? undefined : tokensOf(key, () => now, sign), 5_000)
    return mirrorOnce({ fetcher, tree, policy, policyText: this.policy, now, tell: () => undefined })
  }

  /** The mirror as it is served, under the address of the service: so its answers can be compared byte for byte. */
  async serve(tree = this.tree): Promise<ServedMirror> {
    const opened = await openMirror(tree)
    const app = makeApp(opened, { ...this.options, mirror: opened })
    return {
      app,
      ask: async (path, init = {}) => app.fetch(new Request(`${this.url}${path}`, init), '192.0.2.1'),
      [Symbol.asyncDispose]: () => opened.db.close(),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
    await this.app[Symbol.asyncDispose]()
    this.folder[Symbol.dispose]()
  }
}

interface Given {
  tree?: StaticTree
  url?: string
  sign?: Sign
  key?: string
}

export interface ServedMirror extends AsyncDisposable {
  app: App
  ask(path: string, init?: RequestInit): Promise<Response>
}

/** The files that a static host would show, each with the digest of its bytes. */
export function shownBy({ folder }: StaticTree): Record<string, string> {
  const shown: Record<string, string> = {}
  const look = (path: string): void => {
    for (const name of existsSync(join(folder, path)) ? readdirSync(join(folder, path)).sort() : []) {
      const inside = `${path}/${name}`
      if (name === '.mirror') continue
      if (statSync(join(folder, inside)).isDirectory()) look(inside)
      else
        shown[inside] = createHash('sha256')
          .update(readFileSync(join(folder, inside)))
          .digest('hex')
    }
  }
  look('')
  return shown
}

/** The text of an answer without what is another one each time. */
export const withoutId = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.text()).replace(/(?<="request_id":")[^"]*/, crypto.randomUUID().replaceAll(/[1-9a-f]/g, '0'))}`
