/** Object storage that speaks as much of S3 as a client needs to put, get and remove objects, also in parts. Signatures are not checked. */
export class ObjectStorage {
  readonly objects = new Map<string, Uint8Array>()
  readonly #uploads = new Map<string, Map<number, Uint8Array>>()
  readonly #server: ReturnType<typeof Bun.serve>
  isAway = false
  /** The answer to requests for objects that are not among these. */
  forged: { unless: ReadonlySet<string>; bytes: Uint8Array } | undefined
  forgedAnswers = 0

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      maxRequestBodySize: 1024 ** 3,
      fetch: (request) => this.#answer(request),
    })
  }

  get options() {
    const endpoint = `http://127.0.0.1:${this.#server.port}`
    return { endpoint, accessKeyId: 'test', secretAccessKey: 'test', region: 'us-east-1' }
  }

  /** Settings for another process. */
  get environment(): Record<string, string> {
    const { endpoint, accessKeyId, secretAccessKey, region } = this.options
    return {
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
      S3_REGION: region,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }

  async #answer(request: Request): Promise<Response> {
    if (this.isAway) return new Response(null, { status: 503 })
    const { pathname, searchParams } = new URL(request.url)
    const key = decodeURIComponent(pathname)
    const body = new Uint8Array(await request.arrayBuffer())
    const upload = searchParams.get('uploadId')
    if (request.method === 'POST' && searchParams.has('uploads')) {
      const id = String(this.#uploads.size + 1)
      this.#uploads.set(id, new Map())
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    if (request.method === 'PUT' && upload !== null) {
      this.#uploads.get(upload)?.set(Number(searchParams.get('partNumber')), body)
      return new Response(null, { headers: { etag: '"part"' } })
    }
    if (request.method === 'POST' && upload !== null) {
      const parts = [...(this.#uploads.get(upload) ?? [])].sort(([one], [other]) => one - other)
      this.objects.set(key, new Uint8Array(Buffer.concat(parts.map(([, part]) => part))))
      return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>')
    }
    if (request.method === 'PUT') this.objects.set(key, body)
    if (request.method === 'DELETE') {
      this.objects.delete(key)
      return new Response(null, { status: 204 })
    }
    const stored = this.objects.get(key)
    const isForged = stored !== undefined && this.forged?.unless.has(key) === false
    const found = isForged ? this.forged?.bytes : stored
    if (isForged && request.method === 'GET') this.forgedAnswers++
    if (!found) return new Response('<Error><Code>NoSuchKey</Code></Error>', { status: 404 })
    const headers = { etag: '"object"', 'content-length': String(found.length) }
    return new Response(request.method === 'GET' ? new Uint8Array(found) : null, { headers })
  }
}

const xml = (text: string): Response => new Response(text, { headers: { 'content-type': 'application/xml' } })
