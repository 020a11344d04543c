// A real Valkey or Redis server for tests: found or installed, started afresh on loopback.

import { freePort } from './port.ts'
import { findProgram } from './program.ts'

/** The server's path; undefined where there is none to be had. */
export const findValkey = (): string | undefined => findProgram(['valkey-server', 'redis-server'], ['redis-server'])

/** A server that keeps nothing. It can be stopped and started again on its port. */
export class ValkeyServer {
  #child: ReturnType<typeof Bun.spawn> | undefined

  private constructor(
    readonly path: string,
    readonly port: number,
  ) {}

  static async start(path: string): Promise<ValkeyServer> {
    const server = new ValkeyServer(path, await freePort())
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const child = Bun.spawn([this.path, ...options], { stdout: 'pipe', stderr: 'inherit', cwd: '/' })
    this.#child = child
    let said = ''
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk)
      if (/ready to accept/i.test(said)) return
    }
    throw new Error(`the server did not start: ${said}`)
  }

  /** Stops without goodbye, as a machine that fails. */
  async stop(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#child?.exited
  }

  /** Holds every connection open and answers nothing. */
  freeze(isFrozen: boolean): void {
    this.#child?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
