import { createHash } from 'node:crypto'

/** Longer than an answer takes on any network that is worth asking over for each request, on a busy machine too. */
const PATIENCE_MS = 1_000

/** A script that runs in Valkey as one step that nothing comes between. */
export class ValkeyScript {
  readonly digest: string

  constructor(readonly text: string) {
    this.digest = createHash('sha1').update(text).digest('hex')
  }
}

/** A connection to Valkey or Redis. It is made when it is needed, and made again after any fault. */
export class Valkey {
  #client: Promise<Bun.RedisClient> | undefined

  constructor(
    readonly url: string,
    readonly patienceMs = PATIENCE_MS,
  ) {}

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
      // An answer that comes late must not be taken for that to another question.
      if (this.#client === client) this.close()
      throw error
    }
  }

  close(): void {
    void this.#client?.then((client) => client.close()).catch(() => undefined)
    this.#client = undefined
  }

  async #connect(): Promise<Bun.RedisClient> {
    const client = new Bun.RedisClient(this.url, {
      connectionTimeout: this.patienceMs,
      autoReconnect: false,
      enableOfflineQueue: false,
    })
    await client.connect()
    return client
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const giveUp = (): void => reject(new Error('Valkey did not answer in time'))
    // If this process was late itself, the answer is there already, and is read first.
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), this.patienceMs)
    return Promise.race([work, promise]).finally(() => clearTimeout(timer))
  }
}
