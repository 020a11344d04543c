import { afterAll, expect, spyOn, test } from 'bun:test'
import { createServer } from 'node:net'
import { type CitedSource, lookAt, NO_FINGERPRINT } from '../../src/citations/look.ts'
import { fetchText, read } from '../../src/cli/answer-source.ts'
import { grownSince } from '../../src/cli/growth.ts'
import { askWitness } from '../../src/integrity/witness-client.ts'
import { BYPASSES } from '../../src/outgoing/bypass-fixture.ts'
import { isLoopbackAddress } from '../../src/outgoing/public-address.ts'
import { aSigner, MemoryLog } from '../../src/proof/fixture.ts'
import { formatVerifierKey } from '../../src/proof/note/signed-note.ts'
import { parsePolicy } from '../../src/proof/verify-lists.ts'
import { Fetcher } from '../../tools/monitor/fetcher.ts'

/** Who must never be asked. */
let victimAsked = 0
const victim = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    victimAsked++
    return new Response('a secret')
  },
})
/** A server that was asked for something, and sends everybody to the place in `to`. */
let to = ''
const redirecting = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.once('data', () =>
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`),
  )
})
await new Promise<void>((done) => redirecting.listen(0, '127.0.0.1', done))
afterAll(async () => {
  redirecting.close()
  await victim.stop(true)
})

const addresses = BYPASSES.map((address) => address.replaceAll('PORT', String(victim.port)))
const HERE = `http://127.0.0.1:${(redirecting.address() as { port: number }).port}`
const PATIENCE = { timeoutMs: 2_000, retries: 0 }

const cited = (url: string): CitedSource => ({ url, sha256: 'ab'.repeat(32), bytes: 10, media_type: 'text/csv' })
const look = async (url: string, loopback: boolean): Promise<string> =>
  (await lookAt(cited(url), NO_FINGERPRINT, { now: () => 1, whole: false, outgoing: { loopback } })).look.observation
    .kind

/** The log of a policy that somebody else wrote, which names where its tiles are. */
const signer = await aSigner('liar.example/log/registry')
const log = new MemoryLog(signer)
log.append(new Uint8Array([1]), new Uint8Array([2]), new Uint8Array([3]))
const tiles = async (url: string, loopback: boolean): Promise<string> => {
  const policy = parsePolicy(`log ${formatVerifierKey(signer.name, signer.publicKey)} ${url.trim()}\nquorum none\n`)
  if (!policy) return 'no policy'
  const grown = await grownSince(await log.checkpoint(1), await log.checkpoint(), policy, loopback).catch(
    () => 'nothing',
  )
  return typeof grown === 'string' ? grown : String(grown.ok)
}
/** The check of tiles says on standard error which one is missing. */
const quiet = spyOn(console, 'error').mockImplementation(() => undefined)
afterAll(() => quiet.mockRestore())
const told = (asking: Promise<string>): Promise<string> => asking.catch(() => 'nothing')

/** Each who goes out, on the way that he takes when the address is a command or a setting of the operator. */
const USERS: Record<string, (url: string) => Promise<string>> = {
  'the check of citations': (url) => look(url, true),
  'the answer that is verified': (url) => told(fetchText(url)),
  'the policy that is pinned': (url) => told(read(url, 'of --policy')),
  'tiles of a log': (url) => tiles(url, true),
  'a witness': async (url) => (await askWitness(url, PATIENCE, 'old 0\n'))?.text ?? 'nothing',
  'the monitor': async (url) => {
    const fetched = await new Fetcher(url, undefined, 2_000).bytes('/log/registry/checkpoint', 1_000)
    return fetched ? new TextDecoder().decode(fetched) : 'nothing'
  },
}

test('there are sixty ways and more, and a policy may name most of them', async () => {
  expect(addresses.length).toBeGreaterThanOrEqual(60)
  const asked = await Promise.all(addresses.map((address) => tiles(address, false)))
  expect(asked.filter((answer) => answer !== 'no policy').length).toBeGreaterThanOrEqual(50)
})

test.each(Object.entries(USERS))('%s is led to none of them by whoever was asked', async (_, go) => {
  for (const address of addresses) {
    to = address
    expect([address, await go(HERE)]).toEqual([address, expect.not.stringContaining('secret')])
  }
  expect(victimAsked).toBe(0)
})

/** This machine by its own name may be named by an operator. All others are refused to him too. */
const isOwnName = (address: string): boolean => {
  const { protocol = '', hostname = '', username = '' } = URL.parse(address) ?? {}
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return /^https?:$/.test(protocol) && username === '' && (host === 'localhost' || isLoopbackAddress(host))
}

test.each(Object.entries(USERS))('%s is refused them, also when the operator names them', async (_, go) => {
  const since = performance.now()
  for (const address of addresses.filter((each) => !isOwnName(each) && URL.canParse(each))) {
    const answer = await go(address)
    expect([address, answer]).toEqual([address, expect.not.stringContaining('secret')])
  }
  expect(victimAsked).toBe(0)
  // Refused, and not tried: the private addresses among them would have taken two seconds each.
  expect(performance.now() - since).toBeLessThan(10_000)
})

test('where this machine was not named by the operator, none of them leads to it', async () => {
  for (const address of addresses) {
    expect([address, await look(address, false)]).toEqual([address, 'no_answer'])
    expect([address, await tiles(address, false)]).toEqual([address, expect.not.stringContaining('true')])
  }
  expect(victimAsked).toBe(0)
})
