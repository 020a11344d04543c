import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { storeEnvironment } from './engines.ts'
import { temporaryFolder } from './folder.ts'
import { prismInFront } from './through-prism.ts'

const ROOT = join(import.meta.dir, '../..')
const BUN = join(ROOT, 'node_modules/.bin/bun')
export const ATR = [BUN, join(ROOT, 'src/cli/atr.ts')]

type Environment = Record<string, string>

/** What a child is told: a store in the folder that a test names is on the engine of the tests. */
export const told = async (environment: Environment): Promise<Record<string, string | undefined>> => ({
  ...process.env,
  ...(environment['DATA_DIR'] === undefined ? {} : await storeEnvironment(environment['DATA_DIR'])),
  ...environment,
})

/** Runs one `atr` command to its end, in a process of its own. */
export async function atr(
  args: readonly string[],
  environment: Environment = {},
  input = '',
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn([...ATR, ...args], {
    cwd: ROOT,
    env: await told(environment),
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** The demo service as a newcomer starts it: a real process on a real port. */
export class DemoService {
  private constructor(
    readonly child: Subprocess<'ignore', 'pipe', 'pipe'>,
    readonly url: string,
    readonly greeting: string,
    readonly folder: { path: string; [Symbol.dispose](): void },
    readonly environment: Environment,
  ) {}

  static async start(environment: Environment = {}, folder = temporaryFolder()): Promise<DemoService> {
    const env = { DATA_DIR: join(folder.path, 'data'), PORT: '0', ...environment }
    const front = await prismInFront(env)
    const child = spawn([...ATR, 'serve', '--demo'], {
      cwd: ROOT,
      env: await told({ ...env, ...front }),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    let greeting = ''
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      greeting += decoder.decode(chunk)
      if (greeting.includes('challenge\n')) break
    }
    const url = front.PUBLIC_URL ?? /^ {2}(http:\/\/\S+)$/m.exec(greeting)?.[1]
    if (url === undefined) throw new Error(`the service did not start: ${await new Response(child.stderr).text()}`)
    return new DemoService(child, url, greeting, folder, env)
  }

  get demoKey(): string {
    return /atk_\w+/.exec(this.greeting)?.[0] ?? ''
  }

  atr(args: readonly string[], input = '') {
    return atr(args, this.environment, input)
  }

  async stop(): Promise<number> {
    this.child.kill('SIGTERM')
    return this.child.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.folder[Symbol.dispose]()
  }
}
