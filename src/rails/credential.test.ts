import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  agentKeyId,
  digestOf,
  isDigest,
  isNonce,
  makeAgentKey,
  makeNonce,
  makeRailsToken,
  PATTERNS,
  railsTokenId,
} from './credential.ts'

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes))
const filled = (byte: number) => (bytes: number) => new Uint8Array(bytes).fill(byte)
const pepper = new Uint8Array(32).fill(1)

/** Bytes of any value, also the extremes that random ones never show. */
const source = fc
  .uint8Array({ minLength: 41, maxLength: 41 })
  .map((bytes) => (size: number) => (size === 9 ? bytes.slice(0, 9) : bytes.slice(9, 9 + size)))

test('every credential has its published pattern and is recognised as its own kind only', () => {
  fc.assert(
    fc.property(source, (bytes) => {
      const key = makeAgentKey(bytes)
      const token = makeRailsToken(bytes)
      const nonce = makeNonce(bytes)
      expect(key.text).toMatch(new RegExp(PATTERNS.agent_key))
      expect(token.text).toMatch(new RegExp(PATTERNS.rails_token))
      expect(nonce).toMatch(new RegExp(PATTERNS.nonce))
      expect([key, token, nonce].map((made) => agentKeyId(typeof made === 'string' ? made : made.text))).toEqual([
        key.id,
        undefined,
        undefined,
      ])
      expect([railsTokenId(key.text), railsTokenId(token.text), railsTokenId(nonce)]).toEqual([
        undefined,
        token.id,
        undefined,
      ])
      expect([isNonce(key.text), isNonce(token.text), isNonce(nonce)]).toEqual([false, false, true])
    }),
  )
})

test('the largest and the smallest secret fit', () => {
  expect(isNonce(makeNonce(filled(0)))).toBe(true)
  expect(isNonce(makeNonce(filled(255)))).toBe(true)
  expect(makeNonce(filled(0)).slice(4, 47)).toBe('0'.repeat(43))
})

test('different secrets give different credentials', () => {
  const nonces = Array.from({ length: 1000 }, () => makeNonce(random))
  expect(new Set(nonces).size).toBe(1000)
})

test('any one-character change is refused without a lookup', () => {
  const made = fc.constantFrom(
    { text: makeAgentKey(random).text, reads: (text: string) => agentKeyId(text) !== undefined },
    { text: makeRailsToken(random).text, reads: (text: string) => railsTokenId(text) !== undefined },
    { text: makeNonce(random), reads: isNonce },
  )
  const character = fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.constantFrom(...'0123456789AZaz_- \n'))
  fc.assert(
    fc.property(made, fc.nat(65), character, ({ text, reads }, place, other) => {
      const at = place % text.length
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      expect(reads(changed)).toBe(changed === text)
    }),
    { numRuns: 2000 },
  )
})

test('a credential with anything before or after it is not a credential', () => {
  const { text } = makeAgentKey(random)
  for (const other of ['', ' ', `${text} `, ` ${text}`, `${text}\n`, text + text, text.slice(1), text.slice(0, -1)])
    expect(agentKeyId(other)).toBeUndefined()
  expect(agentKeyId('a'.repeat(1_000_000))).toBeUndefined()
})

test('a digest matches its own credential and pepper only', () => {
  expect(isDigest(new Uint8Array(32), undefined)).toBe(false)
  const { text } = makeAgentKey(random)
  const stored = digestOf(pepper, text)
  expect(isDigest(digestOf(pepper, text), stored)).toBe(true)
  expect(isDigest(digestOf(pepper, makeAgentKey(random).text), stored)).toBe(false)
  expect(isDigest(digestOf(new Uint8Array(32).fill(2), text), stored)).toBe(false)
  expect(isDigest(digestOf(pepper, text), undefined)).toBe(false)
  expect(isDigest(digestOf(pepper, text), stored.slice(1))).toBe(false)
})
