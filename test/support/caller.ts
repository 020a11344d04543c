import { Agent, request } from 'node:http'

export interface CallerAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** A caller with an address of its own, of this machine, and a few connections that it keeps. */
export class Caller {
  readonly #agent: Agent

  constructor(
    readonly url: string,
    readonly address: string,
    connections = 1,
  ) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  ask(path: string, body?: object): Promise<CallerAnswer> {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const headers = { 'content-type': 'application/json', ...(sent && { 'content-length': sent.length }) }
    const options = { agent: this.#agent, localAddress: this.address, method: sent ? 'POST' : 'GET', headers }
    return new Promise((resolve, reject) => {
      const asking = request(this.url + path, options, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(pieces).toString(),
          }),
        )
      })
      asking.on('error', reject)
      asking.end(sent)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
