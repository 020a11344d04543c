import { lockFolder } from '../../src/db/folder-lock.ts'
import { listen } from '../../src/listen.ts'
import { fromUtf8 } from '../../src/proof/bytes.ts'
import type { VerifierKey } from '../../src/proof/note/signed-note.ts'
import { FAILURE_POINTS, Visitors } from './visitors.ts'
import { Witness, type WitnessResponse } from './witness.ts'
import { readWitnessKey, witnessVkey } from './witness-key.ts'

const MAX_BODY_BYTES = 64 * 1024
const TEXT = 'text/plain; charset=utf-8'

export interface WitnessParts {
  /** The folder that `createWitness` made. */
  dir: string
  /** The logs to follow. */
  logs: readonly VerifierKey[]
  /** 0 picks a free one. */
  port?: number
  host?: string
  /** Epoch milliseconds. */
  now?: () => number
  /** Called with each fault; the client gets a plain 500. */
  observe?: (error: unknown) => void
}

export interface RunningWitness {
  url: string
  /** The verifier key that others pin. */
  vkey: string
  witness: Witness
  stop(): Promise<void>
}

/** Starts a witness on its folder, which no other process may be using. */
export async function startWitness(parts: WitnessParts): Promise<RunningWitness> {
  const { dir, logs, port = 0, host = '127.0.0.1', now = Date.now, observe = () => {} } = parts
  const signer = readWitnessKey(dir)
  const lock = lockFolder(dir)
  try {
    const witness = await Witness.open(dir, signer, logs, () => Math.floor(now() / 1000))
    const visitors = new Visitors(now)
    // The port is not shared: two witnesses on it would each see half of a log.
    const server = listen({
      hostname: host,
      port,
      fault: observe,
      answer: (request, address) =>
        respond(witness, request, address, visitors).catch((fault) => {
          observe(fault)
          return answer(500, 'the witness failed\n')
        }),
    })
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
      vkey: witnessVkey(signer),
      witness,
      async stop() {
        await server.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

const answer = (status: number, body: string, type = TEXT): Response =>
  new Response(body, {
    status,
    headers: {
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
  })

async function respond(witness: Witness, request: Request, address: string, visitors: Visitors): Promise<Response> {
  if (!visitors.isWelcome(address)) return tooMany(visitors.waitSeconds)
  visitors.count(address, 1)
  const { method, url } = request
  const { pathname } = new URL(url, 'http://localhost')
  if (pathname === '/add-checkpoint' && method === 'POST') {
    const body = await readBody(request)
    if (body === 'too large') return answer(413, 'the body is too large\n')
    const text = textOf(body)
    const given: WitnessResponse = text === undefined ? { answer: 'malformed' } : await witness.add(text)
    if (given.answer === 'not_signed_by_log') visitors.count(address, FAILURE_POINTS)
    return reply(given)
  }
  const hash = /^\/([0-9a-f]{64})\/checkpoint$/.exec(pathname)?.[1]
  const note = hash !== undefined && ['GET', 'HEAD'].includes(method) ? witness.latest(hash) : undefined
  return note === undefined ? answer(404, 'there is nothing here\n') : answer(200, note)
}

/** The log tries again after the wait. */
function tooMany(waitSeconds: number): Response {
  const response = answer(429, 'too many requests from this address\n')
  response.headers.set('retry-after', String(waitSeconds))
  return response
}

async function readBody({ body }: Request): Promise<Uint8Array | 'too large'> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    if (size > MAX_BODY_BYTES) return 'too large'
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Undefined for bytes that are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return fromUtf8(bytes)
  } catch {
    return undefined
  }
}

/** The answers of C2SP tlog-witness. */
function reply(given: WitnessResponse): Response {
  switch (given.answer) {
    case 'cosigned':
      return answer(200, given.lines)
    case 'malformed':
      return answer(400, 'the request is malformed, or its old size is larger than the checkpoint\n')
    case 'not_signed_by_log':
      return answer(403, 'the checkpoint is not signed by a known key of its log\n')
    case 'unknown_log':
      return answer(404, 'this witness does not follow that log\n')
    case 'not_what_i_have':
      return answer(409, `${given.size}\n`, 'text/x.tlog.size')
    case 'not_consistent':
      return answer(422, 'the proof does not show that the checkpoint continues what this witness has\n')
  }
}
