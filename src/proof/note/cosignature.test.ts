import { expect, test } from 'bun:test'
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import fc from 'fast-check'
import { concat, fromBase64, toBase64 } from '../bytes.ts'
import { aSigner, keyOf } from '../fixture.ts'
import { cosign, cosignedAt, cosignersOf, medianSeconds, subtreeMessage } from './cosignature.ts'
import { parseNote, parseVerifierKey, signNote } from './signed-note.ts'

const TEXT = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'

// A second, tiny implementation of c2sp.org/tlog-cosignature over node:crypto and Buffer, from a fixed seed.
const seed = Buffer.alloc(32, 7)
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
  format: 'der',
  type: 'pkcs8',
})
const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
const other = {
  id: (name: string) =>
    createHash('sha256')
      .update(`${name}\n`)
      .update(Buffer.from([4]))
      .update(publicKey)
      .digest()
      .subarray(0, 4),
  message: (text: string, seconds: bigint) => Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`),
  line(name: string, text: string, seconds: bigint): string {
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(seconds)
    const signature = sign(null, this.message(text, seconds), privateKey)
    return `\u2014 ${name} ${Buffer.concat([this.id(name), time, signature]).toString('base64')}\n`
  },
}
const NAME = 'witness.example.com/w1'
const signer = {
  name: NAME,
  publicKey: new Uint8Array(publicKey),
  sign: async (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey)),
}
const key = keyOf(signer, 4)
const signatureOf = (line: string) => {
  const signature = parseNote(`${TEXT}\n${line}`)?.signatures[0]
  if (!signature) throw new Error('the line is not a signature line')
  return signature
}

test('the vkey and the line are the ones another implementation writes, bit for bit', async () => {
  expect(Buffer.from(key.id)).toEqual(other.id(NAME))
  expect(await cosign(TEXT, signer, 1_679_315_147)).toBe(other.line(NAME, TEXT, 1_679_315_147n))
  expect(
    parseVerifierKey(`${NAME}+${other.id(NAME).toString('hex')}+${toBase64(concat(Uint8Array.of(4), publicKey))}`),
  ).toEqual(key)
  // Ed25519 has one signature for one message, so this line may be copied into any other test.
  expect(await cosign(TEXT, signer, 1_679_315_147)).toBe(
    '\u2014 witness.example.com/w1 gSKlqwAAAABkGFDLWr4Jea05CAgwNVtwky0Jgz6WfX0QJgM//FkB/W9BoT9TX0DkTxG+2cT4p/ViKNhUM/SnUwFcYQzugGFQ15LwDw==\n',
  )
})

test('the line holds four bytes of key id, eight of time and sixty-four of signature', async () => {
  const { id, signature } = signatureOf(await cosign(TEXT, signer, 1_679_315_147))
  expect(id).toEqual(key.id)
  expect(signature).toHaveLength(72)
  expect(Buffer.from(signature).readBigUInt64BE(0)).toBe(1_679_315_147n)
  expect(verify(null, other.message(TEXT, 1_679_315_147n), createPublicKey(privateKey), signature.slice(8))).toBe(true)
})

test('a cosignature gives back its time, whatever the text and time', async () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom(...'az09 +=\u00e9'), minLength: 1 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(lines, fc.maxSafeNat(), async (parts, nat) => {
      const [text, seconds] = [`${parts.join('\n')}\n`, Math.max(1, nat)]
      expect(await cosignedAt(text, signatureOf(await cosign(text, signer, seconds)), key)).toBe(seconds)
      expect(signatureOf(other.line(NAME, text, BigInt(seconds)))).toEqual(
        signatureOf(await cosign(text, signer, seconds)),
      )
    }),
    { numRuns: 40 },
  )
})

test('any bit that is changed in a cosignature spoils it', async () => {
  const line = await cosign(TEXT, signer, 1_679_315_147)
  const { signature } = signatureOf(line)
  for (let bit = 0; bit < signature.length * 8; bit += 5) {
    const changed = signature.slice()
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
    expect(await cosignedAt(TEXT, { signature: changed }, key)).toBe(false)
  }
  expect(await cosignedAt(TEXT.replace('20852163', '20852164'), { signature }, key)).toBe(false)
  for (const length of [0, 8, 64, 71, 73])
    expect(await cosignedAt(TEXT, { signature: concat(signature, signature).slice(0, length) }, key)).toBe(false)
})

test('a plain signature is no cosignature, and a cosignature no plain one', async () => {
  const plain = parseNote(await signNote(TEXT, [signer]))?.signatures[0]
  expect(plain && (await cosignedAt(TEXT, plain, key))).toBe(false)
  const timed = signatureOf(await cosign(TEXT, signer, 1))
  expect(await cosignedAt(TEXT, timed, keyOf(signer, 1))).toBe(false)
})

test('times that no clock shows are refused', async () => {
  for (const seconds of [0, -1, 1.5, Number.NaN, 2 ** 53])
    expect(cosign(TEXT, signer, seconds)).rejects.toThrow(RangeError)
  for (const seconds of [2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n])
    expect(await cosignedAt(TEXT, signatureOf(other.line(NAME, TEXT, seconds)), key)).toBe(false)
})

test('of the cosigners of a note those are found that are asked for, each once with its latest time', async () => {
  const [a, b, stranger] = [await aSigner('a.example/w'), await aSigner('b.example/w'), await aSigner('c.example/w')]
  const [keyA, keyB] = [keyOf(a, 4), keyOf(b, 4)]
  const lines = [await cosign(TEXT, a, 10), await cosign(TEXT, stranger, 11), await cosign(TEXT, a, 12)]
  const note = parseNote(`${TEXT}\n${lines.join('')}`)
  if (!note) throw new Error('the note of this test is malformed')
  expect(await cosignersOf(note, [keyA, keyB])).toEqual([{ key: keyA, seconds: 12 }])
  expect(await cosignersOf(note, [keyB])).toEqual([])

  const forged = (fromBase64(lines[0]?.trimEnd().split(' ')[2] ?? '') as Uint8Array).slice()
  forged[20] = (forged[20] as number) ^ 1
  const spoiled = parseNote(`${TEXT}\n${lines[2]}\u2014 a.example/w ${toBase64(forged)}\n`)
  if (!spoiled) throw new Error('the note of this test is malformed')
  expect(await cosignersOf(spoiled, [keyA, keyB])).toBeUndefined()
  expect(await cosignersOf(spoiled, [keyB])).toEqual([])
})

test('the time of a note is the median of its cosignatures, the earlier of two in the middle', () => {
  const median = (...times: number[]) => medianSeconds(times.map((seconds) => ({ key, seconds })))
  expect(median()).toBeUndefined()
  expect(median(7)).toBe(7)
  expect(median(9, 5)).toBe(5)
  expect(median(10, 2, 3)).toBe(3)
  // A witness whose clock is a hundred years ahead, or stands still, does not decide.
  expect(median(4_900_000_000, 100, 90)).toBe(100)
  expect(median(1, 100, 90)).toBe(90)
})

test('a cosigner signs no name of more than 255 bytes, no root of another length and no size that is not exact', () => {
  const message = (origin: string, name: string, size = '3', root = Buffer.alloc(32).toString('base64')) =>
    subtreeMessage(`${origin}\n${size}\n${root}\n`, name, 1)?.length
  expect(message('a'.repeat(255), 'b'.repeat(255))).toBe(12 + 1 + 255 + 8 + 1 + 255 + 8 + 8 + 32)
  expect([message('a'.repeat(256), 'b'), message('a', 'b'.repeat(256)), message('a', 'é'.repeat(128))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect([message('a', 'b', '9007199254740993'), message('a', 'b', 'x')]).toEqual([undefined, undefined])
  expect([message('a', 'b', '3', ''), message('a', 'b', '3', 'AAAA')]).toEqual([undefined, undefined])
})
