import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { DEFAULT_ENGINE, storeEnvironment } from './engines.ts'
import { temporaryFolder } from './folder.ts'
import { processFolder } from './memory-disk.ts'
import { prismInFront } from './through-prism.ts'

const ROOT = join(import.meta.dir, '../..')
const BUN = join(ROOT, 'node_modules/.bin/bun')
export const ATR = [BUN, join(ROOT, 'src/cli/atr.ts')]

type Environment = Record<string, string>

/** Settings of a child: a store in the folder that a test names is on the engine of the tests. */
export const told = async (environment: Environment): Promise<Record<string, string | undefined>> => ({
  ...process.env,
  DRAIN_SECONDS: '0', // nobody stands before most of them
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

interface Folder {
  path: string
  [Symbol.dispose](): void
}

/** The demo service: a real process on a real port. */
export class DemoService {
  private constructor(
    readonly child: Subprocess<'ignore', 'pipe', 'pipe'>,
    readonly url: string,
    readonly greeting: string,
    readonly demoKey: string,
    readonly folder: Folder,
    readonly environment: Environment,
  ) {}

  /** As a newcomer starts it: it makes its store. */
  static startNew(environment: Environment = {}, folder: Folder = temporaryFolder()): Promise<DemoService> {
    return DemoService.#serve(environment, folder)
  }

  /** With the store of this folder; in an empty one, with a copy of a store that was made before, which costs less than to make one. */
  static async start(environment: Environment = {}, folder: Folder = temporaryFolder()): Promise<DemoService> {
    const isInFile = DEFAULT_ENGINE === 'sqlite' && !environment['DATABASE_URL']
    if (!isInFile || existsSync(join(folder.path, 'data'))) return DemoService.#serve(environment, folder)
    made ??= DemoService.#make()
    const { path, demoKey } = await made
    for (const name of ['data', 'data.lock']) cpSync(join(path, name), join(folder.path, name), { recursive: true })
    return DemoService.#serve(environment, folder, demoKey)
  }

  static async #make(): Promise<{ path: string; demoKey: string }> {
    const path = processFolder()
    const service = await DemoService.startNew({}, { path, [Symbol.dispose]: () => undefined })
    await service.stop()
    return { path, demoKey: service.demoKey }
  }

  static async #serve(environment: Environment, folder: Folder, demoKey?: string): Promise<DemoService> {
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
    return new DemoService(child, url, greeting, demoKey ?? /atk_\w+/.exec(greeting)?.[0] ?? '', folder, env)
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

/** A demo that was started and stopped. */
let made: Promise<{ path: string; demoKey: string }> | undefined
