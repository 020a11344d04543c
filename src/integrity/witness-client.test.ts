import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anMlDsaWitness, aSigner, keyOf, MemoryLog } from '../proof/fixture.ts'
import { openCheckpoint } from '../proof/note/checkpoint.ts'
import { cosign } from '../proof/note/cosignature.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../proof/note/policy.ts'
import type { NoteSigner } from '../proof/note/signed-note.ts'
import { answering, checkpointText, NOW, type OpenLog, openLog } from './fixture.ts'
import { retireOldKeys, rotateKeys } from './key-rotation.ts'
import { cosignAgain } from './publication.ts'
import { cosignedBy, type WitnessAddress } from './witness-client.ts'

const SECONDS = NOW / 1000
const PATIENCE = { timeoutMs: 2_000, retries: 0 }
const witness = await aSigner('witness.example/one')
const other = await aSigner('witness.example/two')
const honest = (signer = witness, seconds = SECONDS) =>
  answering(async (_, body) => new Response(await cosign(checkpointText(body), signer, seconds)))
const at = ({ url }: { url: string }, signer = witness): WitnessAddress => ({ key: keyOf(signer, 4), url })
const opened = async ({ db, log }: OpenLog, witnesses: NoteSigner[] = [witness]) =>
  openCheckpoint((await log.head(db)).note, parsePolicy(formatPolicy(log.signers, witnesses)) as TrustPolicy)

test('of a witness with two keys under one name, the line of the pinned key is published', async () => {
  await using log = await openLog()
  const renewed = await aSigner(witness.name)
  using both = answering(async (_, body) => {
    const lines = [renewed, witness].map((signer) => cosign(checkpointText(body), signer, SECONDS))
    return new Response((await Promise.all(lines)).join(''))
  })
  await log.publish('one', cosignedBy([at(both)], 1, PATIENCE))
  expect(await opened(log)).toMatchObject({ ok: true, cosigners: [{ seconds: SECONDS }] })
  expect((await log.log.head(log.db)).note.match(/witness\.example/g)).toHaveLength(1)
})

test('a false line by the pinned key before a good one is not published', async () => {
  await using log = await openLog()
  using confused = answering(
    async (_, body) =>
      new Response(
        (await cosign('another\n1\ntext\n', witness, 1)) + (await cosign(checkpointText(body), witness, SECONDS)),
      ),
  )
  await log.publish('one', cosignedBy([at(confused)], 1, PATIENCE))
  expect(await opened(log)).toMatchObject({ ok: true })
})

const conflict = (size: number) => new Response(`${size}\n`, { status: 409 })
const CLAIMS: [string, () => Response][] = [
  ['says that it has more than there is', () => conflict(1_000)],
  ['says each time that it has what we did not prove from', () => conflict(0)],
  ['says that the proof does not hold', () => new Response('no\n', { status: 422 })],
]

test.each(CLAIMS)('a witness that %s and shows nothing is refused, and stops nobody', async (_, claim) => {
  await using log = await openLog()
  using good = honest(other)
  const views = [
    () => new Response('nothing', { status: 404 }),
    () => new Response('not a note'),
    // A checkpoint of our log that someone else signed.
    async () =>
      new Response(await new MemoryLog({ ...other, name: log.log.origin }).append(Uint8Array.of(9)).checkpoint()),
    // A checkpoint of our log that we signed.
    async () => new Response((await log.log.head(log.db)).note),
  ]
  for (const [i, view] of views.entries()) {
    using liar = answering((request) => (request.method === 'POST' ? claim() : view()))
    await log.publish(`entry ${i}`, cosignedBy([at(liar), at(good, other)], 1, PATIENCE))
    await expect(log.publish(`more ${i}`, cosignedBy([at(liar)], 1, PATIENCE))).rejects.toThrow(
      '0 of 1 have cosigned (witness.example/one refused)',
    )
    await log.publish(`again ${i}`, cosignedBy([at(good, other)], 1, PATIENCE))
  }
  expect(existsSync(join(log.folder, 'lock/registry.fork'))).toBe(false)
})

test.each(CLAIMS)('a witness that %s and shows another history under our key stops publishing', async (_, claim) => {
  await using log = await openLog()
  const [signer] = log.log.signers
  const fork = await new MemoryLog(signer).append(Uint8Array.of(9)).checkpoint()
  const asked: string[] = []
  using shows = answering((request) => {
    asked.push(new URL(request.url).pathname)
    return request.method === 'POST' ? claim() : new Response(fork)
  })
  using good = honest(other)
  await expect(log.publish('one', cosignedBy([at(shows), at(good, other)], 1, PATIENCE))).rejects.toThrow(
    'publishing has stopped: the witness witness.example/one shows a checkpoint that the key of the registry log signed and this store does not have; it is kept as registry.fork in LOCK_DIR',
  )
  expect(asked.at(-1)).toBe(`/${createHash('sha256').update(signer.name).digest('hex')}/checkpoint`)
  expect(readFileSync(join(log.folder, 'lock/registry.fork'), 'utf8')).toBe(fork)
  expect((await log.log.head(log.db)).size).toBe(0)
})

test('a larger checkpoint under a key that is retired since is evidence too', async () => {
  await using log = await openLog()
  const [signer] = log.log.signers
  const larger = await new MemoryLog(signer).append(...[1, 2, 3, 4, 5].map((n) => Uint8Array.of(n))).checkpoint()
  await rotateKeys(log.db, [log.log], log.keyFile)
  await retireOldKeys(log.db, [log.log], log.keyFile)
  using shows = answering((request) => (request.method === 'POST' ? conflict(5) : new Response(larger)))
  await expect(log.publish('one', cosignedBy([at(shows)], 0, PATIENCE))).rejects.toThrow('publishing has stopped')
})

test('a request that fails is repeated as often as the settings say', async () => {
  await using log = await openLog()
  let requests = 0
  using slow = answering(async (_, body) =>
    ++requests % 3 === 0
      ? new Response(await cosign(checkpointText(body), witness, SECONDS))
      : new Response('', { status: 503 }),
  )
  await expect(log.publish('one', cosignedBy([at(slow)], 1, { ...PATIENCE, retries: 1 }))).rejects.toThrow('refused')
  expect(requests).toBe(2)
  requests = 0
  await log.publish('two', cosignedBy([at(slow)], 1, { ...PATIENCE, retries: 2 }))
  expect(await opened(log)).toMatchObject({ ok: true })
})

test('a witness that never ends its answer, or never begins it, is given up', async () => {
  await using log = await openLog()
  using endless = answering(
    () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(16_384)) })),
  )
  using silent = answering(() => Bun.sleep(60_000).then(() => new Response('')))
  const started = performance.now()
  await expect(
    log.publish('one', cosignedBy([at(endless), at(silent, other)], 1, { timeoutMs: 200, retries: 0 })),
  ).rejects.toThrow('(witness.example/one unreachable, witness.example/two unreachable)')
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('witnesses cosign again what they cosigned a day ago, in place of their old lines', async () => {
  await using log = await openLog()
  const clock = { seconds: SECONDS }
  let requests = 0
  using live = answering(async (_, body) => {
    requests++
    return new Response(await cosign(checkpointText(body), witness, clock.seconds))
  })
  using gone = honest(other)
  await log.publish('one', cosignedBy([at(live), at(gone, other)], 2, PATIENCE))
  const publisher = { db: log.db, log: log.log, cosign: cosignedBy([at(live)], 1, PATIENCE) }
  await cosignAgain(publisher, NOW + 23 * 3_600_000)
  expect(requests).toBe(1)
  clock.seconds += 90_000
  await cosignAgain(publisher, NOW + 90_000_000)
  expect(await opened(log, [witness, other])).toMatchObject({
    ok: true,
    head: { size: 1 },
    cosigners: [{ seconds: SECONDS }, { seconds: SECONDS + 90_000 }],
  })
  expect(requests).toBe(2)
})

test('an ML-DSA-44 line of a witness is passed on if it holds, and left out if it does not', async () => {
  const second = await anMlDsaWitness(witness.name)
  for (const isGood of [true, false]) {
    await using log = await openLog()
    using both = answering(async (_, body) => {
      const text = checkpointText(body)
      const line = await second.cosign(isGood ? text : text.replace('\n1\n', '\n2\n'), SECONDS)
      return new Response(line + (await cosign(text, witness, SECONDS)))
    })
    await log.publish('one', cosignedBy([{ ...at(both), mlDsaKey: second.key }], 1, PATIENCE))
    // Readers who do not know the new type read the checkpoint as before.
    expect(await opened(log)).toMatchObject({ ok: true, cosigners: [{ key: { type: 4 } }] })
    const policy = parsePolicy(
      formatPolicy(log.log.signers).replace('quorum none', `witness w ${second.vkey}\nquorum w`),
    )
    const under = await openCheckpoint((await log.log.head(log.db)).note, policy as TrustPolicy)
    expect(under.ok).toBe(isGood)
  }
})
