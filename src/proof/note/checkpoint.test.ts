import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toBase64 } from '../bytes.ts'
import { failed } from '../fault.ts'
import { aSigner, keyOf, MemoryLog } from '../fixture.ts'
import { openCheckpoint } from './checkpoint.ts'
import { cosign } from './cosignature.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './policy.ts'
import { type NoteSigner, signNote } from './signed-note.ts'
import { formatTreeHead, parseExtendedHead, parseTreeHead } from './tree-head.ts'

const ROOT = toBase64(new Uint8Array(32).fill(7))

test('a tree head is read back as it was written', () => {
  const origin = fc.string({ unit: fc.constantFrom(...'az09./-: \u00e9'), minLength: 1 })
  const heads = fc.record({
    origin,
    size: fc.maxSafeNat(),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })
  fc.assert(fc.property(heads, (head) => expect(parseTreeHead(formatTreeHead(head))).toEqual(head)))
})

test('it has three lines: origin, size, root', () => {
  const head = { origin: 'log.example/registry', size: 42, root: new Uint8Array(32).fill(7) }
  expect(formatTreeHead(head)).toBe(`log.example/registry\n42\n${ROOT}\n`)
})

test.each([
  ['no newline at the end', `log\n1\n${ROOT}`],
  ['an extension line', `log\n1\n${ROOT}\nextension\n`],
  ['an empty line at the end', `log\n1\n${ROOT}\n\n`],
  ['no origin', `\n1\n${ROOT}\n`],
  ['no size', `log\n\n${ROOT}\n`],
  ['a leading zero', `log\n01\n${ROOT}\n`],
  ['a size of two zeros', `log\n00\n${ROOT}\n`],
  ['a sign', `log\n+1\n${ROOT}\n`],
  ['a negative size', `log\n-1\n${ROOT}\n`],
  ['a fraction', `log\n1.0\n${ROOT}\n`],
  ['an exponent', `log\n1e3\n${ROOT}\n`],
  ['hexadecimal', `log\n0x1\n${ROOT}\n`],
  ['digits that are not ASCII', `log\n\u0661\n${ROOT}\n`],
  ['a space around the size', `log\n 1\n${ROOT}\n`],
  ['a size past exact integers', `log\n9007199254740992\n${ROOT}\n`],
  ['a size of seventeen digits', `log\n10000000000000000\n${ROOT}\n`],
  ['a short root', `log\n1\n${toBase64(new Uint8Array(31))}\n`],
  ['a long root', `log\n1\n${toBase64(new Uint8Array(33))}\n`],
  ['no root', 'log\n1\n\n'],
  ['a root without padding', `log\n1\n${ROOT.slice(0, -1)}\n`],
  ['a root that is not canonical base64', `log\n1\n${ROOT.slice(0, -2)}d=\n`],
  ['a root in hex', `log\n1\n${'07'.repeat(32)}\n`],
  ['carriage returns', `log\r\n1\r\n${ROOT}\r\n`],
])('a tree head with %s is refused', (_, text) => {
  expect(parseTreeHead(text)).toBeUndefined()
})

const policyOf = (logs: NoteSigner[], witnesses: NoteSigner[] = [], quorum?: number): TrustPolicy =>
  parsePolicy(formatPolicy(logs, witnesses, quorum)) as TrustPolicy

test('a checkpoint opens with the log\u2019s pinned key, and its witnesses are named with their times', async () => {
  const [log, witness] = [await aSigner('log.example/registry'), await aSigner('w.example/witness')]
  const note = await new MemoryLog(log, [witness], 1_700_000_000).checkpoint()
  expect(await openCheckpoint(note, policyOf([log]))).toMatchObject({ ok: true, head: { size: 0 }, cosigners: [] })
  expect(await openCheckpoint(note, policyOf([log], [witness]))).toMatchObject({
    ok: true,
    head: { origin: 'log.example/registry', size: 0 },
    cosigners: [{ key: { name: 'w.example/witness' }, seconds: 1_700_000_000 }],
  })
})

test('a checkpoint needs the quorum of cosignatures that the policy asks for', async () => {
  const log = await aSigner('log.example/registry')
  const witnesses = await Promise.all([1, 2, 3].map((n) => aSigner(`w${n}.example/witness`)))
  for (let present = 0; present <= 3; present++) {
    const note = await new MemoryLog(log, witnesses.slice(0, present)).checkpoint()
    for (let needed = 0; needed <= 3; needed++) {
      const opened = await openCheckpoint(note, policyOf([log], witnesses, needed))
      if (present >= needed) expect(opened).toMatchObject({ ok: true })
      else expect(opened).toEqual(failed('quorum_not_met'))
    }
  }
})

test('one witness that cosigns twice counts once', async () => {
  const log = await aSigner('log.example/registry')
  const witnesses = [await aSigner('w1.example/witness'), await aSigner('w2.example/witness')]
  const [first] = witnesses as [NoteSigner]
  const note = await new MemoryLog(log, [first, first]).checkpoint()
  expect(await openCheckpoint(note, policyOf([log], witnesses))).toEqual(failed('quorum_not_met'))
})

test('witnesses do not stand in for the log, nor the log for a witness', async () => {
  const [log, witness] = [await aSigner('log.example/registry'), await aSigner('w.example/witness')]
  const memory = new MemoryLog(log)
  const text = await memory.text()
  const policy = policyOf([log], [witness])
  const cosigned = `${text}\n${await cosign(text, witness, 1)}`
  expect(await openCheckpoint(cosigned, policy)).toEqual(failed('note_unsigned'))
  const selfCosigned = `${await memory.checkpoint()}${await cosign(text, log, 1)}`
  expect(await openCheckpoint(selfCosigned, policy)).toEqual(failed('quorum_not_met'))
  const plainlySigned = await signNote(text, [log, witness])
  expect(await openCheckpoint(plainlySigned, policy)).toEqual(failed('quorum_not_met'))
})

test('a cosignature of another checkpoint spoils the note, even where none is asked for', async () => {
  const [log, witness] = [await aSigner('log.example/registry'), await aSigner('w.example/witness')]
  const elsewhere = await cosign(await new MemoryLog(log).append(new Uint8Array([1])).text(), witness, 1)
  const note = `${await new MemoryLog(log).checkpoint()}${elsewhere}`
  for (const quorum of [0, 1])
    expect(await openCheckpoint(note, policyOf([log], [witness], quorum))).toEqual(failed('note_signature_invalid'))
  expect(await openCheckpoint(note, policyOf([log]))).toMatchObject({ ok: true })
})

test('a checkpoint in the name of a log that another pinned key signed is refused', async () => {
  const [log, other] = [await aSigner('log.example/registry'), await aSigner('log.example/figures')]
  const note = await signNote(await new MemoryLog(log).text(), [other])
  expect(await openCheckpoint(note, policyOf([log, other]))).toEqual(failed('origin_not_pinned'))
  expect(keyOf(log).name).not.toBe(keyOf(other).name)
})

test('of two retired keys each counts for what it signed itself', async () => {
  const [first, second, current] = await Promise.all([1, 2, 3].map(() => aSigner('log.example/registry')))
  if (!first || !second || !current) throw new Error('three signers were made')
  const log = new MemoryLog(first).append(...[1, 2, 3, 4].map((n) => new Uint8Array([n])))
  const retired = [
    { key: first, size: 1, root: await log.root(1) },
    { key: second, size: 3, root: await log.root(3) },
  ]
  const policy = parsePolicy(formatPolicy([current], [], 0, retired)) as TrustPolicy
  const signedBy = async (key: typeof first, size: number) =>
    openCheckpoint(await signNote(await log.text(size), [key]), policy)
  expect(await signedBy(first, 1)).toMatchObject({ ok: true, retired: true })
  expect(await signedBy(second, 3)).toMatchObject({ ok: true, retired: true })
  // The other key may have signed that, and has not.
  expect(await signedBy(first, 3)).toEqual(failed('key_retired'))
})

test('a retired key counts for what it signed, and for nothing after it', async () => {
  const [old, current] = [await aSigner('log.example/registry'), await aSigner('log.example/registry')]
  const bodies = [1, 2, 3, 4].map((n) => new Uint8Array([n]))
  const log = new MemoryLog(old).append(...bodies)
  const fork = new MemoryLog(old).append(...bodies.toReversed())
  const retired = { key: old, size: 3, root: await log.root(3) }
  const policy = parsePolicy(formatPolicy([current], [], 0, [retired])) as TrustPolicy
  for (const size of [0, 1, 2, 3])
    expect(await openCheckpoint(await log.checkpoint(size), policy)).toMatchObject({ ok: true, retired: true })
  // A thief of the key can neither continue the log nor give its last checkpoint another root.
  for (const stolen of [await log.checkpoint(4), await fork.checkpoint(3)])
    expect(await openCheckpoint(stolen, policy)).toEqual(failed('key_retired'))
  const both = await signNote(await log.text(), [current, old])
  expect(await openCheckpoint(both, policy)).toMatchObject({ ok: true, retired: false })
  expect(await openCheckpoint(await log.checkpoint(2), policyOf([current]))).toEqual(failed('note_unsigned'))
})

test('a witness reads the extension lines of other logs, and a verifier of this one refuses them', () => {
  const text = `log\n1\n${ROOT}\nextension\nanother one\n`
  expect(parseExtendedHead(text)).toMatchObject({ origin: 'log', size: 1 })
  expect(parseTreeHead(text)).toBeUndefined()
  for (const bad of [`log\n1\n${ROOT}\n\n`, `log\n1\n${ROOT}\nextension`, 'log\n1\nextension\n'])
    expect(parseExtendedHead(bad)).toBeUndefined()
})
