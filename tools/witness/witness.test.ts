import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { StoreFault } from '../../src/db/db.ts'
import { toBase64 } from '../../src/proof/bytes.ts'
import { aSigner, keyOf, MemoryLog } from '../../src/proof/fixture.ts'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { cosign, cosignersOf } from '../../src/proof/note/cosignature.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../../src/proof/note/policy.ts'
import { parseNote, signNote } from '../../src/proof/note/signed-note.ts'
import { parseTreeHead } from '../../src/proof/note/tree-head.ts'
import { addBody, growth, leaves, TestWitness } from './fixture.ts'
import { startWitness } from './serve.ts'
import { originHash } from './state.ts'
import { createWitness } from './witness-key.ts'

const aLog = async (size: number, name = 'log.example/registry'): Promise<MemoryLog> =>
  new MemoryLog(await aSigner(name)).append(...leaves(0, size))
/** A log by the same key, with other entries after the first `shared`. */
const forkOf = (log: MemoryLog, shared: number, size: number): MemoryLog => {
  const fork = new MemoryLog(log.signer)
  fork.leaves.push(...log.leaves.slice(0, shared))
  return fork.append(...leaves(shared, size, 'other '))
}
const sizeHeld = async (witness: TestWitness, log: MemoryLog): Promise<number> => {
  const response = await fetch(`${witness.url}/${originHash(log.signer.name)}/checkpoint`)
  if (response.status === 404) return -1
  return parseTreeHead(parseNote(await response.text())?.text ?? '')?.size ?? Number.NaN
}
const timeOf = async (witness: TestWitness, checkpoint: string, lines: string): Promise<number | undefined> => {
  const note = parseNote(checkpoint + lines)
  return note && (await cosignersOf(note, [witness.key]))?.[0]?.seconds
}

test('a log that grows is cosigned at each step, and the checkpoint then meets a policy with the witness', async () => {
  const log = await aLog(300)
  await using witness = await TestWitness.follow(log)
  const policy = parsePolicy(formatPolicy([log.signer], [witness.key])) as TrustPolicy
  let old = 0
  for (const size of [0, 0, 1, 1, 2, 7, 255, 256, 257, 300, 300]) {
    const response = await witness.add(await growth(log, old, size))
    expect([size, response.status]).toEqual([size, 200])
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const checkpoint = await log.checkpoint(size)
    const lines = await response.text()
    expect(lines).toMatch(/^\u2014 witness\.example\/w1 [A-Za-z0-9+/]+=*\n$/)
    expect(await openCheckpoint(checkpoint, policy)).toEqual({
      ok: false,
      class: 'wrong_key',
      reason: 'quorum_not_met',
    })
    expect(await openCheckpoint(checkpoint + lines, policy)).toMatchObject({ ok: true, head: { size } })
    old = size
  }
})

test('the latest cosigned checkpoint is there for monitors, with the log\u2019s line and the witness\u2019s, and no other', async () => {
  const log = await aLog(9)
  const stranger = await aSigner('stranger.example')
  await using witness = await TestWitness.follow(log)
  const path = `${witness.url}/${originHash('log.example/registry')}/checkpoint`
  expect((await fetch(path)).status).toBe(404)
  const note =
    (await signNote(await log.text(), [stranger, log.signer, log.signer])) + (await cosign('x\n', stranger, 1))
  const lines = await (await witness.add(addBody(0, [], note))).text()
  const response = await fetch(path)
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(await response.text()).toBe((await log.checkpoint()) + lines)
  expect((await fetch(path, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(path, { method: 'POST' })).status).toBe(404)
})

test('extension lines are cosigned with the rest, and what was cosigned is read back at the next start', async () => {
  const log = await aLog(5)
  await using witness = await TestWitness.follow(log)
  const extended = await signNote(`${await log.text()}extension\nanother\n`, [log.signer])
  const response = await witness.add(addBody(0, [], extended))
  expect(response.status).toBe(200)
  expect(await timeOf(witness, extended, await response.text())).toBe(1_700_000_000)
  await witness.stop()
  await witness.start()
  expect(await witness.status(await growth(log, 5))).toBe(200)
})

test('a malformed request is 400', async () => {
  const log = await aLog(5)
  await using witness = await TestWitness.follow(log)
  const note = await log.checkpoint()
  const hash = toBase64(new Uint8Array(32))
  const bodies = [
    '',
    'old 0\n',
    'old 0\n\n',
    note,
    `\n${note}`,
    addBody('', [], note),
    addBody('00', [], note),
    addBody('-1', [], note),
    addBody('1.0', [], note),
    addBody('0x1', [], note),
    addBody('9007199254740992', [], note),
    addBody('99999999999999999999', [], note),
    `Old 0\n\n${note}`,
    `old  0\n\n${note}`,
    `old 0 \n\n${note}`,
    `old 0\r\n\r\n${note}`,
    `old 0\n\n\n${note}`,
    addBody(0, ['x'], note),
    addBody(0, [hash.slice(0, -1)], note),
    addBody(0, [toBase64(new Uint8Array(31))], note),
    addBody(
      0,
      Array.from({ length: 64 }, () => hash),
      note,
    ),
    addBody(0, [], note.trimEnd()),
    addBody(0, [], note.slice(0, note.indexOf('\u2014'))),
    addBody(0, [], await signNote('log.example/registry\n5\n', [log.signer])),
    addBody(6, [], note), // more than the checkpoint has
  ]
  for (const body of bodies) expect([body, await witness.status(body)]).toEqual([body, 400])
  expect(await witness.status(new Uint8Array([0xff, 0xfe, 0x0a, 0x0a]))).toBe(400)
  expect(await sizeHeld(witness, log)).toBe(-1)
})

test('a body of more than 64 KiB is not read', async () => {
  const log = await aLog(5)
  await using witness = await TestWitness.follow(log)
  expect(await witness.status('x'.repeat(65_537))).toBe(413)
  const inPieces = new Blob(['x'.repeat(40_000), 'x'.repeat(40_000)]).stream() // no length is announced
  const response = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body: inPieces })
  expect(response.status).toBe(413)
  expect(await witness.status(await growth(log, 0))).toBe(200)
})

test('a checkpoint without a good signature by the log is 403', async () => {
  const log = await aLog(5)
  const [stranger, sameName] = [await aSigner('stranger.example'), await aSigner('log.example/registry')]
  await using witness = await TestWitness.follow(log)
  const text = await log.text()
  const good = await log.checkpoint()
  const forged = good.replace(/(.)(.{3}\n)$/, (_, symbol, rest) => (symbol === 'A' ? 'B' : 'A') + rest)
  for (const note of [await signNote(text, [stranger]), await signNote(text, [sameName]), forged])
    expect(await witness.status(addBody(0, [], note))).toBe(403)
  const cosignedOnly = `${text}\n${await cosign(text, log.signer, 1)}`
  expect(await witness.status(addBody(0, [], cosignedOnly))).toBe(403)
  expect(await sizeHeld(witness, log)).toBe(-1)
})

test('a log that the witness does not follow is 404, even if a followed log signs for it', async () => {
  const [log, other] = [await aLog(5), await aLog(5, 'log.example/other')]
  await using witness = await TestWitness.follow(log)
  expect(await witness.status(await growth(other, 0))).toBe(404)
  expect(await witness.status(addBody(0, [], await signNote(await other.text(), [log.signer])))).toBe(404)
})

test('an old size that is not the witness\u2019s is 409 with the size it has', async () => {
  const log = await aLog(9)
  await using witness = await TestWitness.follow(log)
  const conflict = async (body: string) => {
    const response = await witness.add(body)
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  expect(await conflict(await growth(log, 3))).toEqual([409, 'text/x.tlog.size', '0\n'])
  expect(await witness.status(await growth(log, 0, 5))).toBe(200)
  for (const old of [0, 3, 4, 6, 9])
    expect(await conflict(await growth(log, old))).toEqual([409, 'text/x.tlog.size', '5\n'])
  expect(await conflict(await growth(log, 3, 4))).toEqual([409, 'text/x.tlog.size', '5\n']) // a rollback
  expect(await witness.status(await growth(log, 5))).toBe(200)
})

test('growth that is not proved is 422, and the witness keeps what it had', async () => {
  const log = await aLog(9)
  await using witness = await TestWitness.follow(log)
  const note = await log.checkpoint()
  const hash = toBase64(new Uint8Array(32))
  expect(await witness.status(addBody(0, [hash], note))).toBe(422) // nothing needs no proof
  const emptyOfAnother = await signNote(`log.example/registry\n0\n${hash}\n`, [log.signer])
  expect(await witness.status(addBody(0, [], emptyOfAnother))).toBe(422)
  expect(await witness.status(await growth(log, 0, 5))).toBe(200)
  expect(await witness.status(addBody(5, [], note))).toBe(422)
  expect(await witness.status(addBody(5, [hash, hash, hash, hash], note))).toBe(422)
  expect(await witness.status(await growth(forkOf(log, 4, 9), 5))).toBe(422)
  expect(await witness.status(`${(await growth(log, 5)).replace('\n\n', `\n${hash}\n\n`)}`)).toBe(422)
  expect(await sizeHeld(witness, log)).toBe(5)
  expect(await witness.status(await growth(log, 5))).toBe(200)
})

test('the same size with another root is 422, and both signed checkpoints are kept as evidence', async () => {
  const log = await aLog(9)
  await using witness = await TestWitness.follow(log)
  expect(await witness.status(await growth(log, 0))).toBe(200)
  const fork = await forkOf(log, 8, 9).checkpoint()
  expect(await witness.status(addBody(9, [], fork))).toBe(422)
  expect(await witness.status(addBody(9, [], fork))).toBe(422)
  const evidence = readFileSync(join(witness.dir, `${originHash('log.example/registry')}.fork`), 'utf8')
  expect(evidence).toContain(await log.checkpoint())
  expect(evidence).toEndWith(fork)
  expect(await witness.status(addBody(9, [], await log.checkpoint()))).toBe(200)
})

test('everything else is 404', async () => {
  await using witness = await TestWitness.follow(await aLog(1))
  for (const path of [
    '/',
    '/add-checkpoint',
    '/witness-key',
    '/lock',
    '/%2e%2e/witness-key',
    `/${'0'.repeat(64)}/checkpoint`,
  ])
    expect([path, (await fetch(witness.url + path)).status]).toEqual([path, 404])
  expect((await fetch(`${witness.url}/add-checkpoint`, { method: 'PUT', body: '' })).status).toBe(404)
})

test('of two checkpoints sent at once from the same old size, the witness never ends with the smaller one cosigned last', async () => {
  const log = await aLog(60)
  for (let round = 0; round < 10; round++) {
    await using witness = await TestWitness.follow(log)
    expect(await witness.status(await growth(log, 0, 10))).toBe(200)
    const sizes = [20, 30, 40, 50, 60]
    const bodies = await Promise.all(sizes.map((size) => growth(log, 10, size)))
    const statuses = await Promise.all(bodies.map((body) => witness.status(body)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(4)
    expect(await sizeHeld(witness, log)).toBe(sizes[statuses.indexOf(200)] as number)
  }
})

test('of a checkpoint and its fork sent at once, exactly one is cosigned', async () => {
  const log = await aLog(20)
  for (let round = 0; round < 10; round++) {
    await using witness = await TestWitness.follow(log)
    const bodies = [await growth(log, 0), await growth(forkOf(log, 5, 20), 0)]
    const statuses = await Promise.all(bodies.map((body) => witness.status(body)))
    expect(statuses.sort()).toEqual([200, 409])
  }
})

test('whatever is sent in whatever order, everything cosigned lies on one history', async () => {
  const log = await aLog(40)
  const fork = forkOf(log, 15, 40)
  const step = fc.record({ forked: fc.boolean(), old: fc.nat(40), size: fc.nat(40) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      await using witness = await TestWitness.follow(log)
      let held = 0
      let history: MemoryLog | undefined
      for (const { forked, old, size } of steps) {
        const from = old % 3 === 0 ? old : held // mostly from where the witness is
        const sent = forked ? fork : log
        const status = await witness.status(await growth(sent, from, size))
        if (status !== 200) continue
        expect(from).toBe(held)
        expect(size).toBeGreaterThanOrEqual(held)
        if (held > 15) expect(sent).toBe(history as MemoryLog)
        if (size > 15) history = sent
        held = size
      }
    }),
    { numRuns: 15 },
  )
})

test('a clock that is set back never makes a later cosignature look older, across restarts too', async () => {
  const log = await aLog(9)
  const other = await aLog(9, 'log.example/other')
  await using witness = await TestWitness.follow(log, other)
  const cosigned = async (of: MemoryLog, old: number, size: number) =>
    timeOf(witness, await of.checkpoint(size), await (await witness.add(await growth(of, old, size))).text())
  expect(await cosigned(log, 0, 3)).toBe(1_700_000_000)
  witness.clock.now -= 5_000_000
  expect(await cosigned(log, 3, 4)).toBe(1_700_000_000)
  expect(await cosigned(other, 0, 4)).toBe(1_700_000_000)
  await witness.stop()
  await witness.start()
  expect(await cosigned(log, 4, 5)).toBe(1_700_000_000)
  witness.clock.now += 5_001_999
  expect(await cosigned(log, 5, 6)).toBe(1_700_000_001)
})

test('a restarted witness has what it had', async () => {
  const log = await aLog(9)
  await using witness = await TestWitness.follow(log)
  expect(await witness.status(await growth(log, 0, 5))).toBe(200)
  const path = `/${originHash('log.example/registry')}/checkpoint`
  const before = await (await fetch(witness.url + path)).text()
  await witness.stop()
  await witness.start()
  expect(await (await fetch(witness.url + path)).text()).toBe(before)
  expect(await witness.status(await growth(forkOf(log, 4, 9), 0))).toBe(409)
  expect(await witness.status(await growth(forkOf(log, 4, 9), 5))).toBe(422)
  expect(await witness.status(await growth(log, 5))).toBe(200)
})

test('a second witness on the same folder is refused while the first one runs', async () => {
  const log = await aLog(1)
  await using witness = await TestWitness.follow(log)
  const second = { dir: witness.dir, logs: witness.logs }
  expect(startWitness(second)).rejects.toThrow(StoreFault)
  await witness.stop()
  await (await startWitness(second)).stop()
})

test('a state that was changed on disk stops the witness at its start', async () => {
  const log = await aLog(9)
  await using witness = await TestWitness.follow(log)
  expect(await witness.status(await growth(log, 0, 5))).toBe(200)
  await witness.stop()
  const file = join(witness.dir, originHash('log.example/registry'))
  const kept = readFileSync(file, 'utf8')
  for (const changed of ['', kept.slice(0, 40), kept.replace('\n5\n', '\n4\n'), await log.checkpoint(5)]) {
    writeFileSync(file, changed)
    expect(witness.start()).rejects.toThrow('damaged')
  }
  writeFileSync(file, kept)
  await witness.start()
  expect(await sizeHeld(witness, log)).toBe(5)
})

test('what cannot be written is not cosigned, and the log stays closed until a restart', async () => {
  const log = await aLog(9)
  await using witness = await TestWitness.follow(log)
  expect(await witness.status(await growth(log, 0, 5))).toBe(200)
  const file = join(witness.dir, originHash('log.example/registry'))
  const kept = readFileSync(file)
  rmSync(file)
  mkdirSync(file) // a folder where the file should go: works as root too, where a read-only folder would not
  expect(await witness.status(await growth(log, 5, 6))).toBe(500)
  rmdirSync(file)
  writeFileSync(file, kept)
  expect(await witness.status(await growth(log, 5, 6))).toBe(500)
  expect(witness.faults).toHaveLength(2)
  await witness.stop()
  await witness.start()
  expect(await witness.status(await growth(log, 5, 6))).toBe(200)
})

test('a new witness has a key that only its owner reads, and is never made over another', async () => {
  await using witness = await TestWitness.follow(await aLog(1))
  expect(statSync(join(witness.dir, 'witness-key')).mode & 0o777).toBe(0o600)
  expect(() => createWitness(witness.dir, 'witness.example/w2')).toThrow(StoreFault)
  for (const name of ['', 'a b', 'a+b', 'a\nb', '/w', 'https://witness.example'])
    expect(() => createWitness(join(witness.dir, 'x'), name)).toThrow(StoreFault)
  expect(existsSync(join(witness.dir, 'x'))).toBe(false)
  expect(keyOf(witness.key, 4)).toEqual(witness.key)
})

test('a flood of replayed checkpoints is answered from memory, and the log is heard at once', async () => {
  const log = await aLog(9)
  await using witness = await TestWitness.follow(log)
  const replay = await growth(log, 5, 5)
  const first = await (await witness.add(await growth(log, 0, 5))).text()
  const file = join(witness.dir, originHash('log.example/registry'))
  const written = statSync(file).ino
  witness.clock.now += 5_000
  const flood = Array.from({ length: 300 }, async () => (await witness.add(replay)).text())
  const grown = witness.status(await growth(log, 5, 6))
  const lines = await Promise.all(flood)
  expect(lines.filter((text) => text !== first && text !== '6\n')).toEqual([])
  expect(lines).toContain(first)
  expect(await grown).toBe(200)
  expect(statSync(file).ino).not.toBe(written) // by the growth alone
  const once = statSync(file).ino
  const again = await growth(log, 6, 6)
  for (let i = 0; i < 20; i++) expect(await witness.status(again)).toBe(200)
  expect(statSync(file).ino).toBe(once)
})

test('an unchanged checkpoint is signed again after a minute, and with a line that nobody checked it is checked first', async () => {
  const log = await aLog(5)
  const stranger = await aSigner('log.example/registry')
  await using witness = await TestWitness.follow(log)
  const checkpoint = await log.checkpoint()
  await witness.status(await growth(log, 0))
  expect(await witness.status(addBody(5, [], await signNote(await log.text(), [stranger])))).toBe(403)
  expect(await witness.status(addBody(5, [toBase64(new Uint8Array(32))], checkpoint))).toBe(422)
  const timeOfRepeat = async () =>
    timeOf(witness, checkpoint, await (await witness.add(addBody(5, [], checkpoint))).text())
  witness.clock.now += 59_000
  expect(await timeOfRepeat()).toBe(1_700_000_000)
  witness.clock.now += 1_000
  expect(await timeOfRepeat()).toBe(1_700_000_060)
})

test('an address that sends signatures of nobody, or too much of anything, waits for the next minute', async () => {
  const log = await aLog(5)
  const stranger = await aSigner('log.example/registry')
  await using witness = await TestWitness.follow(log)
  const forged = addBody(0, [], await signNote(await log.text(), [stranger]))
  const statuses: number[] = []
  for (let i = 0; i < 70; i++) statuses.push(await witness.status(forged))
  expect(statuses.filter((status) => status === 403)).toHaveLength(60)
  const refused = await witness.add(await growth(log, 0))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  witness.clock.now += 60_000
  expect(await witness.status(await growth(log, 0))).toBe(200)
})
