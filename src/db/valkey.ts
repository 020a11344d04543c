import { createHash } from 'node:crypto'

/** How long to wait for an answer. Valkey is asked for each request, so it must be near, and answers much sooner. */
const PATIENCE_MS = 1_000

/** A script that runs in Valkey as one atomic step. */
export class ValkeyScript {
  readonly digest: string

  constructor(readonly text: string) {
    this.digest = createHash('sha1').update(text).digest('hex')
  }
}

const PING = new ValkeyScript('return 1')

/** A connection to Valkey or Redis. It is made when it is used, and made again after any fault. */
export class Valkey {
  #client: Promise<Bun.RedisClient> | undefined

  constructor(readonly url: string) {}

  /** Fails within a second or so if Valkey is away or does not answer. */
  async run(script: ValkeyScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const given = [String(keys.length), ...keys, ...args.map(String)]
    this.#client ??= this.#connect()
    const client = this.#client
    try {
      return await this.#inTime(
        client.then((ready) =>
          ready.send('EVALSHA', [script.digest, ...given]).catch((error: unknown) => {
            if (!String(error).includes('NOSCRIPT')) throw error
            return ready.send('EVAL', [script.text, ...given])
          }),
        ),
      )
    } catch (error) {
      // A late answer must not be taken for the answer to another question.
      if (this.#client === client) this.close()
      throw error
    }
  }

  /** Throws if it does not answer, or refuses the password. */
  async reach(): Promise<void> {
    await this.run(PING, [], [])
  }

  close(): void {
    void this.#client?.then((client) => client.close()).catch(() => undefined)
    this.#client = undefined
  }

  async #connect(): Promise<Bun.RedisClient> {
    const client = new Bun.RedisClient(this.url, {
      connectionTimeout: PATIENCE_MS,
      autoReconnect: false,
      enableOfflineQueue: false,
    })
    await client.connect()
    return client
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const giveUp = (): void => reject(new Error('Valkey did not answer in time'))
    // If this process itself was late, the answer has arrived already and is read first.
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), PATIENCE_MS)
    return Promise.race([work, promise]).finally(() => clearTimeout(timer))
  }
}
