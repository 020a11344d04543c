// With ATR_THROUGH=prism every request of a story passes a Prism proxy that runs with `--errors`, in front of the service.
// Prism reads bodies and writes them anew, so that a story gets the service's own answer, once Prism has agreed to it. Where
// Prism stops a request, the service must refuse it too.

import { createHash, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { spawn } from 'bun'
import { temporaryFolder } from './folder.ts'
import { freePort } from './port.ts'
import { newerNode, tools } from './tools.ts'

type Answer = (request: Request) => Response | Promise<Response>
interface Passage {
  request: Request
  answer: Answer
  answered?: Promise<Response>
}

export const isThroughPrism = process.env['ATR_THROUGH'] === 'prism'

const PASSAGE = 'x-passage'
/** The document describes neither: HEAD is answered as GET, and OPTIONS by Prism itself. */
const UNDESCRIBED = ['HEAD', 'OPTIONS']
const passages = new Map<string, Passage>()

/** What Prism takes for the service: it finds the request that is under way, and answers Prism what the service answers it. */
const upstream = (): ReturnType<typeof Bun.serve> =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    async fetch({ headers }) {
      const passage = passages.get(headers.get(PASSAGE) ?? '')
      if (!passage) return new Response('no such passage', { status: 500 })
      passage.answered ??= Promise.resolve(passage.answer(passage.request))
      return plainCopy(await passage.answered)
    },
  })

/** Without its coding: Prism knows fewer of them than the service. */
async function plainCopy(response: Response): Promise<Response> {
  const bytes = await response.clone().bytes()
  const headers = new Headers(response.headers)
  const coding = headers.get('content-encoding') ?? ''
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name)
  const plain = bytes.length > 0 ? (DECODERS[coding]?.(bytes) ?? bytes) : null
  return new Response(plain && new Uint8Array(plain), { status: response.status, headers })
}
const DECODERS: { readonly [coding: string]: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array } = {
  zstd: Bun.zstdDecompressSync,
  gzip: Bun.gunzipSync,
  br: brotliDecompressSync,
}

/** By the digest of the document. Starting one takes seconds, so that services with the same document share it. */
const proxies = new Map<string, Promise<Proxy>>()
let behind: ReturnType<typeof Bun.serve> | undefined

interface Proxy {
  url: string
  /** The paths of the document, as expressions. */
  paths: RegExp[]
}

async function start(document: string): Promise<Proxy> {
  const set = tools('openapi')
  if (!set) throw new Error('Prism cannot be installed here')
  behind ??= upstream()
  behind.unref()
  const folder = temporaryFolder()
  writeFileSync(join(folder.path, 'openapi.json'), document)
  const told = Bun.file(join(folder.path, 'prism.log'))
  const options = ['proxy', 'openapi.json', `http://127.0.0.1:${behind.port}`, '--port', '0', '--errors']
  const program = [newerNode() ?? 'node', join(set, 'node_modules/.bin/prism')]
  const child = spawn(['setpriv', '--pdeathsig=TERM', ...program, ...options], {
    cwd: folder.path,
    stdin: 'ignore',
    // Into a file: it ends when nobody reads what it prints.
    stdout: told,
    stderr: 'ignore',
  })
  child.unref()
  process.once('exit', () => folder[Symbol.dispose]())
  for (;;) {
    await Bun.sleep(50)
    const url = /Prism is listening on (http:\S+)/.exec(await told.text())?.[1]
    if (url !== undefined) return { url, paths: pathsOf(document) }
    if (child.exitCode !== null) throw new Error(`Prism ended: ${await told.text()}`)
  }
}

const pathsOf = (document: string): RegExp[] =>
  Object.keys((JSON.parse(document) as { paths: object }).paths).map(
    (path) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '.+')}$`),
  )

/** A running Prism for this document. */
export function prismFor(document: string): Promise<Proxy> {
  const digest = createHash('sha256').update(document).digest('hex')
  const known = proxies.get(digest) ?? start(document)
  proxies.set(digest, known)
  return known
}

/** The answer of the service, if Prism agrees to request and answer. Throws where they and the document differ. */
export async function throughPrism(proxy: Proxy, request: Request, answer: Answer): Promise<Response> {
  // A test may hand over what no HTTP server would.
  if (!(request instanceof Request)) return answer(request)
  const target = inDocumentedForm(request.url.replace(/^https?:\/\/[^/?#]*/, ''))
  const [path = ''] = target.split('?')
  if (UNDESCRIBED.includes(request.method) || !proxy.paths.some((each) => each.test(path))) return answer(request)
  const passage: Passage = { request: request.clone(), answer }
  const body = await request.bytes()
  const judged = await judge(proxy, passage, target, body)
  const isStopped = passage.answered === undefined
  passage.answered ??= Promise.resolve(answer(passage.request))
  const response = await passage.answered
  const isAgreed = isStopped
    ? !response.ok || (await isLenient(proxy, passage, target, body))
    : judged.status === response.status
  if (isAgreed) return response
  throw new Error(
    `${request.method} ${target}: the service answers ${response.status}, and Prism ${isStopped ? 'stops the request' : 'refuses the answer'}: ${judged.status} ${judged.said}`,
  )
}

/** The settings of a service that is reached through Prism alone: its address is that of a door in front of it. */
export async function prismInFront(): Promise<{ PORT: string; PUBLIC_URL: string }> {
  const port = await freePort()
  const service = `http://127.0.0.1:${port}`
  let proxy: Promise<Proxy> | undefined
  const door: ReturnType<typeof Bun.serve> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    async fetch(request): Promise<Response> {
      proxy ??= fetch(`${service}/api/openapi.json`)
        .then((response) => response.text())
        // The same document for every service, whatever its address.
        .then((text) => prismFor(text.replaceAll(`http://127.0.0.1:${door.port}`, 'https://registry.example')))
      const forward = (same: Request): Promise<Response> => {
        const target = same.url.replace(/^https?:\/\/[^/?#]*/, '')
        const { method, headers } = same
        return fetch(`${service}${target}`, { method, headers, body: same.body, redirect: 'manual', decompress: false })
      }
      return throughPrism(await proxy, request, forward).catch((error: Error) => {
        console.error(error.message)
        return new Response(error.message, { status: 599 })
      })
    },
  })
  door.unref()
  return { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${door.port}` }
}

interface Judgement {
  status: number
  said: string
}
async function judge(
  { url }: Proxy,
  passage: Passage,
  target: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<Judgement> {
  const id = randomUUID()
  passages.set(id, passage)
  const { method, headers: given } = passage.request
  const headers = new Headers(given)
  headers.set(PASSAGE, id)
  try {
    const judged = await fetch(`${url}${target}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body.length > 0 && { body }),
    })
    return { status: judged.status, said: await judged.text() }
  } catch (error) {
    // What HTTP itself does not carry, such as headers that are too large.
    return { status: 400, said: String(error) }
  } finally {
    passages.delete(id)
  }
}

/** A path parameter of OpenAPI has no slash in it: tiles are asked for with encoded ones. */
const inDocumentedForm = (target: string): string =>
  target.replace(
    /(\/tile\/(?:entries\/)?)([^?]+)/,
    (_, before: string, tile: string) => `${before}${tile.replaceAll('/', '%2F')}`,
  )

/**
 * The document describes the normal form of a question. The service also takes small letters, spaces around a value and
 * empty values; and it answers a bill of which some lines are refused, each in its place.
 */
async function isLenient(
  proxy: Proxy,
  { request, answered }: Passage,
  target: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const response = (await answered)?.clone() ?? new Response()
  if (target.startsWith('/reference/batch')) {
    const { results = [] } = (await response.json()) as { results?: { status: number }[] }
    return results.some(({ status }) => status === 400)
  }
  const normal = normalForm(target)
  if (normal === target) return false
  const again: Passage = { request, answer: () => response }
  await judge(proxy, again, normal, body)
  return again.answered !== undefined
}

const IN_CAPITALS = ['cpt', 'modifier']
function normalForm(target: string): string {
  const [path = '', query] = target.split(/\?(.*)/s)
  if (query === undefined) return target
  const normal = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(query)) {
    const text = value.trim()
    if (text !== '') normal.append(name, IN_CAPITALS.includes(name) ? text.toUpperCase() : text)
  }
  return `${path}?${normal}`
}
