import { expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { get, LAST } from '../../test/support/talk.ts'
import { readyBytes } from './answer.ts'
import type { Asked, Host } from './host.ts'
import { sendReady } from './output.ts'
import { listen } from './server.ts'

// Many connections on a network that does what networks do: it takes bytes and gives them in pieces of any size, and leaves.

type Random = (below: number) => number
const roundEnd = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const fill = (mark: string, size: number): string => mark.repeat(size / mark.length + 1).slice(0, size)

const KINDS = 'ready ready ready longer late whole stream fault empty echo mirror bad'.split(' ')

interface Asking {
  text: string
  isLast: boolean
  /** Whether it may be answered before its body was read. Then nothing after it is. */
  mayBeLast: boolean
  status: number
  body: string
}

/** A request of any kind. Its target says how it is to be answered. */
function anAsking(random: Random, name: string): Asking {
  const kind = KINDS[random(random(8) === 0 ? KINDS.length : KINDS.length - 2)] as string
  const size = random([10, 300, 5_000, 40_000, 300_000][random(random(4) === 0 ? 5 : 3)] as number)
  const isLast = random(30) === 0
  let lines = isLast ? LAST : ''
  let content = ''
  const body = fill(`<${name}>`, size)
  if (kind === 'bad') lines += 'no header\r\n'
  if (kind === 'echo' || kind === 'mirror') {
    if (random(3) === 0) lines += 'Expect: 100-continue\r\n'
    const most = [1, 100, 50_000][random(3)] as number
    const chunks = random(2) === 0 && size < 9_000 ? body.match(new RegExp(`.{1,${most}}`, 'g')) : null
    lines += chunks ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${size}\r\n`
    content = chunks ? `${chunks.map((each) => `${each.length.toString(16)}\r\n${each}\r\n`).join('')}0\r\n\r\n` : body
  }
  const text = get(`/${kind}/${name}/${size}`, lines, content === '' ? 'GET' : 'POST') + content
  const status = { fault: 500, empty: 204, bad: 400 }[kind] ?? 200
  return {
    text,
    isLast: isLast || kind === 'bad',
    mayBeLast: kind === 'mirror',
    status,
    body: status === 200 ? body : '',
  }
}

/** Answers in all ways that there are. */
const hostOf = (random: Random): Host => ({
  refuse: () => readyBytes(400, {}, null),
  answer(asked: Asked) {
    const [, kind, name, size] = asked.head.target.split('/')
    const body = Buffer.from(fill(`<${name}>`, Number(size)))
    const ready = readyBytes(200, {}, body)
    let at = 0
    const pull = async (to: ReadableStreamDefaultController): Promise<void> => {
      if (random(2) === 0) await roundEnd()
      const piece = body.subarray(at, at + 1 + random(60_000))
      at += piece.length
      if (piece.length > 0) to.enqueue(piece)
      else to.close()
    }
    if (kind === 'longer') sendReady()
    if (kind === 'fault') throw new Error('thrown')
    if (kind === 'late') return random(2) === 0 ? Promise.resolve(ready) : roundEnd().then(() => ready)
    if (kind === 'whole') return new Response(body, { headers: { 'content-length': String(size) } })
    if (kind === 'stream') return new Response(new ReadableStream({ pull }))
    if (kind === 'empty') return new Response(null, { status: 204 })
    if (kind === 'mirror') return new Response(asked.request().body)
    if (kind === 'echo')
      return asked
        .request()
        .bytes()
        .then((bytes) => readyBytes(200, {}, bytes))
    return ready
  },
})

/** What the system tells a server. */
type Told = Record<'open' | 'drain' | 'end' | 'close', (socket: Caller) => void> & {
  data: (socket: Caller, chunk: Buffer) => void
}

/** One who calls, with the socket that the server has of it. */
class Caller {
  data: unknown
  readonly remoteAddress = '127.0.0.1'
  readonly asks: Asking[]
  got = ''
  state: 'new' | 'open' | 'shut' | 'closed' = 'new'
  hasLeft = false
  readonly #toSend: Buffer
  readonly #closesOneSide: boolean
  #sent = 0
  #room: number
  #isPaused = false
  #isFull = false
  #hasEnded = false

  constructor(
    readonly random: Random,
    readonly told: Told,
    readonly name: string,
  ) {
    this.asks = Array.from({ length: [1, 3, 12, 70][random(4)] as number }, (_, i) => anAsking(random, `${name}.${i}`))
    this.#toSend = Buffer.from(this.asks.map(({ text }) => text).join(''))
    this.#closesOneSide = random(2) === 0
    this.#room = random(2) === 0 ? Infinity : random(50_000)
  }

  write(bytes: Uint8Array, from: number, length: number): number {
    if (this.state !== 'open') return -1
    const size = Math.min(length, this.#room)
    this.#room -= size
    this.#isFull = size < length
    this.got += Buffer.from(bytes).toString('latin1', from, from + size)
    return size
  }
  pause = (): boolean => (this.#isPaused = true)
  resume = (): boolean => (this.#isPaused = false)
  shutdown = (): string => (this.state = 'shut')
  end(): void {
    if (this.state === 'closed') return
    this.state = 'closed'
    this.told.close(this)
  }
  terminate = (): void => this.end()

  /** The next thing that happens to it. */
  step(): void {
    const { random, told } = this
    if (this.state === 'new') {
      this.state = 'open'
      told.open(this)
    } else if (this.state === 'closed') return
    else if (random(3_000) === 0) {
      this.hasLeft = true
      this.end()
    } else if (this.#isFull && random(2) === 0) {
      this.#room += [1, 3_000, 400_000][random(3)] as number
      // There may be room before anyone is told.
      if (random(2) === 0) return
      this.#isFull = false
      told.drain(this)
    } else if (this.#isPaused) return
    else if (this.#sent < this.#toSend.length) {
      const chunk = Buffer.from(
        this.#toSend.subarray(this.#sent, this.#sent + ([1, 20, 2_000, 100_000][random(4)] as number)),
      )
      this.#sent += chunk.length
      told.data(this, chunk)
    } else if (this.state === 'shut') this.end()
    else if (this.#closesOneSide && !this.#hasEnded) {
      this.#hasEnded = true
      told.end(this)
    }
  }

  /** Changes with everything that happens. */
  get mark(): string {
    return [this.state, this.#sent, this.got.length, this.#room, this.#hasEnded].join()
  }

  /** What is wrong with what it got, if anything is. */
  fault(): string | undefined {
    let [count, to] = [0, 0]
    for (const { status, body, isLast, end } of this.answers()) {
      const asked = this.asks[count++]
      to = end
      if (status !== asked?.status || body !== asked.body) return `answer ${count} is another one`
      if (asked.isLast && !isLast) return `answer ${count} is not the last`
      if (!isLast) continue
      if (!asked.isLast && !asked.mayBeLast) return `answer ${count} is the last`
      if (end < this.got.length) return 'something follows the last answer'
      return this.state === 'open' ? 'it was not closed after the last answer' : undefined
    }
    if (this.hasLeft) return undefined
    if (count < this.asks.length) return `answer ${count + 1} of ${this.asks.length} is missing or cut`
    if (to < this.got.length) return 'something follows all answers'
    return this.#hasEnded && this.state === 'open' ? 'it was not closed after all answers' : undefined
  }

  /** What it was answered, up to an answer that is not whole. */
  answers(): { status: number; body: string; isLast: boolean; end: number }[] {
    const all = []
    for (let at = 0, end = 0; ; ) {
      end = this.got.indexOf('\r\n\r\n', at) + 4
      if (end < 4) return all
      const head = this.got.slice(at, end)
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
      at = end
      if (status === 100) continue
      let body = ''
      if (head.includes('chunked')) {
        for (let size = -1; size !== 0; ) {
          end = this.got.indexOf('\r\n', at) + 2
          size = Number.parseInt(this.got.slice(at, end), 16)
          at = end + size + 2
          if (end < 2 || !(at <= this.got.length)) return all
          body += this.got.slice(end, at - 2)
        }
      } else {
        at += Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
        if (at > this.got.length) return all
        body = this.got.slice(end, at)
      }
      all.push({ status, body, isLast: head.includes('connection: close'), end: at })
    }
  }
}

/** Runs a server among callers until nothing happens any more. Gives what is wrong. */
async function faultsOf(seed: number): Promise<string[]> {
  let state = seed
  const random: Random = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  let told: Told | undefined
  const system = spyOn(Bun, 'listen').mockImplementation(((options: { socket: Told }) => {
    told = options.socket
    return { port: 0, stop: () => undefined }
  }) as never)
  const server = listen({ hostname: '', port: 0, host: hostOf(random) })
  system.mockRestore()
  const callers = Array.from({ length: 1 + random(8) }, (_, i) => new Caller(random, told as Told, `${i}`))
  let before = ''
  for (let quiet = 0; quiet < 50; ) {
    for (const caller of callers)
      for (let steps = random(3); steps > 0; steps--) {
        caller.step()
        if (random(2) === 0) await null
      }
    if (random(3) > 0) await roundEnd()
    const now = callers.map(({ mark }) => mark).join()
    quiet = now === before ? quiet + 1 : 0
    before = now
  }
  const faults = callers.map((caller) => caller.fault()).filter((fault) => fault !== undefined)
  for (const caller of callers) caller.end()
  await server.stop()
  return faults
}

test('each of many callers gets its own answers, whole and in their order, whatever the network does', async () => {
  const property = fc.asyncProperty(fc.nat(), async (seed) => expect(await faultsOf(seed)).toEqual([]))
  await fc.assert(property, { numRuns: 200 })
})
