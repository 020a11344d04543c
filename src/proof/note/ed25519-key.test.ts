import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { concat } from '../bytes.ts'
import { aSigner } from '../fixture.ts'
import { openCheckpoint } from './checkpoint.ts'
import { isSoundEd25519Key } from './ed25519-key.ts'
import { parsePolicy, type TrustPolicy } from './policy.ts'
import { formatVerifierKey, keyId, parseVerifierKey, signatureLine, verifyEd25519 } from './signed-note.ts'

const P = 2n ** 255n - 19n
const bytesOf = (y: bigint, sign = 0): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((y >> BigInt(8 * i)) & 255n) | (i === 31 ? sign << 7 : 0))

// A second way to the same list: a point of small order becomes the neutral point (0, 1) when it is doubled three times.
const mod = (n: bigint): bigint => ((n % P) + P) % P
function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}
const inverse = (n: bigint): bigint => power(n, P - 2n)
const D = mod(-121665n * inverse(121666n))
/** The y of twice a point depends on y alone: the square of x follows from the equation of the curve. */
function doubled(y: bigint): bigint {
  const y2 = mod(y * y)
  const x2 = mod((y2 - 1n) * inverse(D * y2 + 1n))
  return mod((y2 + x2) * inverse(1n - mod(D * x2 * y2)))
}
const isSmall = (y: bigint): boolean => doubled(doubled(doubled(y))) === 1n

const ORDER_8 = [
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
]
const SMALL = [0n, 1n, P - 1n, ...ORDER_8]

test('keys of small order are refused, whatever the sign of x', () => {
  for (const y of SMALL) {
    expect(isSmall(y)).toBe(true)
    for (const sign of [0, 1]) expect(isSoundEd25519Key(bytesOf(y, sign))).toBe(false)
  }
})

test('a coordinate that is not smaller than the prime is refused', () => {
  for (let more = 0n; more < 19n; more++)
    for (const sign of [0, 1]) expect(isSoundEd25519Key(bytesOf(P + more, sign))).toBe(false)
  for (const y of [2n, 3n, P - 2n, P - 3n]) expect(isSoundEd25519Key(bytesOf(y))).toBe(true)
})

test('real keys are taken', async () => {
  for (let i = 0; i < 20; i++) expect(isSoundEd25519Key((await aSigner('a')).publicKey)).toBe(true)
  const coordinates = fc.bigInt({ min: 2n, max: P - 2n }).filter((y) => !isSmall(y))
  fc.assert(
    fc.property(coordinates, (y) => expect(isSoundEd25519Key(bytesOf(y))).toBe(true)),
    { numRuns: 10 },
  )
})

test('a forger who gets a key of small order into a policy can sign nothing with it', async () => {
  const name = 'log.example/registry'
  const neutral = bytesOf(1n)
  // R is the neutral point and S is 0: the equation of the signature holds for every text.
  const signature = concat(neutral, new Uint8Array(32))
  expect(await verifyEd25519(neutral, signature, createHash('sha256').digest())).toBe(true)
  const text = `log log.example/registry\nquorum none\n`.replace(
    'log.example/registry',
    formatVerifierKey(name, neutral),
  )
  expect(parsePolicy(text)).toBeUndefined()
  expect(parseVerifierKey(formatVerifierKey(name, neutral))).toBeUndefined()
  expect(parseVerifierKey(formatVerifierKey(name, neutral, 4))).toBeUndefined()

  // If the key could be pinned, the forged checkpoint would count.
  const head = `${name}\n7\n${Buffer.alloc(32).toString('base64')}\n`
  const forged = `${head}\n${signatureLine({ name, id: keyId(name, neutral), signature })}`
  const key = { type: 1 as const, name, publicKey: neutral, id: keyId(name, neutral) }
  const policy: TrustPolicy = { logs: [{ key }], retired: [], witnesses: [], groups: [], quorum: 'none' }
  expect(await openCheckpoint(forged, policy)).toMatchObject({ ok: true })
})
