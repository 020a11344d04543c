import { connect, createServer, type Server, type Socket } from 'node:net'

/** A line to a server on this machine, which can be cut: what was connected stays so, and nothing comes through any more. */
export class Line {
  #isCut = false
  readonly #ends = new Set<Socket>()

  private constructor(
    readonly server: Server,
    readonly to: number,
  ) {
    server.on('connection', (near) => this.#join(near))
  }

  static async to(port: number): Promise<Line> {
    const server = createServer()
    const line = new Line(server, port)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return line
  }

  get port(): number {
    const address = this.server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  cut(): void {
    this.#isCut = true
    for (const end of this.#ends) end.pause()
  }

  /** For those who connect from now on. What was cut stays silent, as behind a router that has forgotten it. */
  mend(): void {
    this.#isCut = false
  }

  #join(near: Socket): void {
    const far = connect(this.to, '127.0.0.1')
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#ends.add(from)
      if (this.#isCut) from.pause()
      else from.pipe(into)
      from.on('error', () => into.destroy())
      from.on('close', () => this.#ends.delete(from))
    }
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end.destroy()
    this.server.close()
  }
}
