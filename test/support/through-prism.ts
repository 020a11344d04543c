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
import { endingWithThis } from './program.ts'
import { newerNode, tools } from './tools.ts'

type Answer = (request: Request) => Response | Promise<Response>
interface Passage {
  request: Request
  answered: Promise<Response>
  /** Prism has let the request pass. */
  isPassed: boolean
}

type Environment = Record<string, string>

/** Whether a service with these settings is reached through Prism. */
export const isThroughPrism = ({ ATR_THROUGH = process.env['ATR_THROUGH'] }: { ATR_THROUGH?: string } = {}): boolean =>
  ATR_THROUGH === 'prism'

const AROUND = { ATR_THROUGH: '' }
const told = new Set<string>()

/** For stories about connections or time, which a proxy has of its own: they ask the service itself, and one loud line says why. */
export function aroundPrism(why: string): typeof AROUND {
  if (isThroughPrism() && !told.has(why)) console.warn(`AROUND PRISM: ${why}`)
  told.add(why)
  return AROUND
}

const PASSAGE = 'x-passage'
/** The document describes neither: HEAD is answered as GET, and OPTIONS by Prism itself. */
const UNDESCRIBED = ['HEAD', 'OPTIONS']
const passages = new Map<string, Passage>()

/** The server that Prism takes for the service: it finds the request under way, and answers as the service did. */
const upstream = (): ReturnType<typeof Bun.serve> =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    async fetch({ headers }) {
      const passage = passages.get(headers.get(PASSAGE) ?? '')
      if (!passage) return new Response('no such passage', { status: 500 })
      passage.isPassed = true
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
  /** Prism ends on some paths that cannot be decoded, and with a test that takes too long. */
  restart: () => Promise<string>
  /** The paths of the document, as expressions. */
  paths: RegExp[]
}

/** Starts Prism with `--errors` in front of an address. It ends with this process. */
export async function startPrism(document: string, address: string): Promise<string> {
  const set = tools('openapi')
  if (!set) throw new Error('Prism cannot be installed here')
  const folder = temporaryFolder()
  process.once('exit', () => folder[Symbol.dispose]())
  writeFileSync(join(folder.path, 'openapi.json'), document)
  const told = Bun.file(join(folder.path, 'prism.log'))
  const program = [newerNode() ?? 'node', join(set, 'node_modules/.bin/prism')]
  const options = ['proxy', 'openapi.json', address, '--port', '0', '--errors']
  const child = spawn(endingWithThis([...program, ...options]), {
    cwd: folder.path,
    stdin: 'ignore',
    // Into a file: it ends when nobody reads what it prints.
    stdout: told,
    stderr: 'ignore',
  })
  child.unref()
  for (;;) {
    await Bun.sleep(50)
    const url = /Prism is listening on (http:\S+)/.exec(await told.text())?.[1]
    if (url !== undefined) return url
    if (child.exitCode !== null) throw new Error(`Prism ended: ${await told.text()}`)
  }
}

async function start(document: string): Promise<Proxy> {
  behind ??= upstream()
  behind.unref()
  const address = `http://127.0.0.1:${behind.port}`
  const restart = (): Promise<string> => startPrism(document, address)
  return { url: await restart(), restart, paths: pathsOf(document) }
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
  const copy = request.clone()
  const body = await request.bytes()
  // At once: requests that come together reach the service together, and not as Prism gets round to them.
  const passage: Passage = { request: copy, answered: Promise.resolve(answer(copy)), isPassed: false }
  const response = await passage.answered
  const judged = isUnreadable(request, body) ? UNREADABLE : await judge(proxy, passage, target, body)
  const isAgreed = passage.isPassed
    ? judged.status === response.status
    : !response.ok || (await isLenient(proxy, passage, target, body))
  if (isAgreed) return response
  throw new Error(
    `${request.method} ${target}: the service answers ${response.status}, and Prism ${passage.isPassed ? 'refuses the answer' : 'stops the request'}: ${judged.status} ${judged.said}`,
  )
}

/** By the port of the door. */
const doors = new Map<string, { PORT: string; PUBLIC_URL: string }>()

/**
 * The settings of a service that is reached through Prism alone: its address is that of a door in front of it. A service
 * that is started again at the port of a door stands behind it; one with a port of its own has no door.
 */
export async function prismInFront(environment: Environment): Promise<Partial<Record<'PORT' | 'PUBLIC_URL', string>>> {
  if (!isThroughPrism(environment)) return {}
  const asked = environment['PORT'] ?? '0'
  const known = doors.get(asked)
  if (known || asked !== '0') return known ?? {}
  const PORT = String(await freePort())
  // A process of its own: a test may wait for a program, and answers nothing meanwhile.
  const command = endingWithThis([process.execPath, join(import.meta.dir, 'prism-door.ts'), PORT])
  const { stdout } = spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  for await (const chunk of stdout) {
    const PUBLIC_URL = new TextDecoder().decode(chunk).trim()
    const settings = { PORT, PUBLIC_URL }
    doors.set(new URL(PUBLIC_URL).port, settings)
    return settings
  }
  throw new Error('the door in front of the service did not open')
}

interface Judgement {
  status: number
  said: string
}
async function judge(
  proxy: Proxy,
  passage: Passage,
  target: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<Judgement> {
  const id = randomUUID()
  passages.set(id, passage)
  const { method, headers: given } = passage.request
  const headers = new Headers(given)
  headers.set(PASSAGE, id)
  const ask = (): Promise<Response> =>
    fetch(`${proxy.url}${target}`, { method, headers, redirect: 'manual', ...(body.length > 0 && { body }) })
  try {
    const judged = await ask().catch(async (error: { code?: string }) => {
      if (error.code !== 'ConnectionRefused' && error.code !== 'ECONNREFUSED') throw error
      proxy.url = await proxy.restart()
      return ask()
    })
    return { status: judged.status, said: await judged.text() }
  } catch (error) {
    // Requests that HTTP itself does not carry, such as headers that are too large.
    return { status: 400, said: String(error) }
  } finally {
    passages.delete(id)
  }
}

const UNREADABLE: Judgement = { status: 400, said: 'the body is not JSON' }

/** Prism never answers a body that is not JSON and says that it is. */
function isUnreadable({ headers }: Request, body: Uint8Array<ArrayBuffer>): boolean {
  if (body.length === 0 || !/json/.test(headers.get('content-type') ?? '')) return false
  try {
    JSON.parse(new TextDecoder().decode(body))
    return false
  } catch {
    return true
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
  const response = (await answered).clone()
  if (target.startsWith('/reference/batch')) {
    const { results = [] } = (await response.json()) as { results?: { status: number }[] }
    return results.some(({ status }) => status === 400)
  }
  const normal = normalForm(target)
  if (normal === target) return false
  const again: Passage = { request, answered: Promise.resolve(response), isPassed: false }
  await judge(proxy, again, normal, body)
  return again.isPassed
}

const IN_CAPITALS = ['cpt', 'modifier', 'prefix']
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
