import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { temporaryFolder } from './folder.ts'
import { ATR, atr, told } from './service.ts'
import { prismInFront } from './through-prism.ts'

/** Several services on one installation, each a process of its own, as behind a load balancer. */
export class Replicas {
  private constructor(
    readonly environment: Record<string, string>,
    readonly children: readonly Subprocess[],
    readonly urls: readonly string[],
    readonly folder: { [Symbol.dispose](): void },
  ) {}

  static async start(count: number, store: Record<string, string>): Promise<Replicas> {
    const folder = temporaryFolder()
    const environment = {
      DATA_DIR: join(folder.path, 'data'),
      PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      ...store,
    }
    const made = await atr(['init', '--origin', 'replicas.example'], environment)
    if (made.code !== 0) throw new Error(`atr init failed: ${made.err}`)
    const started = await Promise.all(Array.from({ length: count }, () => serve(environment)))
    return new Replicas(
      environment,
      started.map(({ child }) => child),
      started.map(({ url }) => url),
      folder,
    )
  }

  atr(...args: readonly string[]) {
    return atr(args, this.environment)
  }

  /** The answer of `atr … --json`. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const { code, out, err } = await this.atr(...args, '--json')
    if (code !== 0) throw new Error(`atr ${args.join(' ')} failed: ${err}`)
    return JSON.parse(out) as T
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.children) child.kill('SIGTERM')
    await Promise.all(this.children.map((child) => child.exited))
    this.folder[Symbol.dispose]()
  }
}

/** Starts `atr serve`, and waits until it listens. */
export async function serve(environment: Record<string, string>): Promise<{ child: Subprocess; url: string }> {
  const front = await prismInFront(environment)
  const child = spawn([...ATR, 'serve'], {
    env: await told({ ...environment, ...front }),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.includes('\n')) break
  }
  const url = /listening on (http:\S+?),?\s/.exec(said)?.[1]
  if (url === undefined) throw new Error(`the service did not start: ${said}`)
  return { child, url: front.PUBLIC_URL ?? url }
}
