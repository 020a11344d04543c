// The three strings of the rails: agent key, nonce and rails token. They are in base62, with `_` between the parts so that
// a double click selects all of it, and with a checksum so that garbage is refused without a lookup and secret scanners
// have a precise rule.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The name of the scheme, in the policy, in every answer of the rails and under every possession proof. */
export const RAILS = 'service_agent_rails_v1' as const

export const NONCE_SECONDS = 120
export const TOKEN_SECONDS = 900
export const KEY_DAYS = 365

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 12
/** 62^43 is just above 2^256. */
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6

/** The patterns in the policy. A string that matches is a credential only if its checksum is right too. */
export const PATTERNS = {
  agent_key: '^atk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$',
  nonce: '^atn_[0-9A-Za-z]{49}$',
  rails_token: '^atr_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$',
} as const

const AGENT_KEY = new RegExp(PATTERNS.agent_key)
const NONCE = new RegExp(PATTERNS.nonce)
const RAILS_TOKEN = new RegExp(PATTERNS.rails_token)
/** The length of the longest credential. Longer text is refused before any pattern is tried. */
const MAX_LENGTH = 66

export type Random = (bytes: number) => Uint8Array

/** A new credential, and its public id, the only part that is stored in clear or logged. */
export interface Credential {
  id: string
  text: string
}

export const makeAgentKey = (random: Random): Credential => withId('atk', random)
export const makeRailsToken = (random: Random): Credential => withId('atr', random)
export const makeNonce = (random: Random): string => sealed(`atn_${secret(random)}`)

/** The public id of a well-formed agent key. */
export const agentKeyId = (text: string): string | undefined => idOf(AGENT_KEY, text)
/** The public id of a well-formed rails token. */
export const railsTokenId = (text: string): string | undefined => idOf(RAILS_TOKEN, text)
export const isNonce = (text: string): boolean => isWhole(NONCE, text)

/** The digest that is stored of a credential. Secrets of 256 bits need no slow hash, because nobody can try them all. */
export const digestOf = (pepper: Uint8Array, text: string): Uint8Array =>
  new Uint8Array(createHmac('sha256', pepper).update(text).digest())

/** Used in place of the digest when the id is unknown. */
const NO_DIGEST = new Uint8Array(32)

/** Compares in constant time; an id that is unknown takes the same path as a secret that is wrong. */
export function isDigest(digest: Uint8Array, stored: Uint8Array | undefined): boolean {
  const same = timingSafeEqual(digest, stored?.length === 32 ? stored : NO_DIGEST)
  return same && stored !== undefined
}

function withId(prefix: string, random: Random): Credential {
  // 72 bits folded into 62^12 (71.4 bits): an id need not be uniform, only unlikely to repeat.
  const id = base62(toInteger(random(9)) % 62n ** BigInt(ID_LENGTH), ID_LENGTH)
  return { id, text: sealed(`${prefix}_${id}_${secret(random)}`) }
}

const secret = (random: Random): string => base62(toInteger(random(32)), SECRET_LENGTH)

const sealed = (text: string): string => text + checksum(text)

const checksum = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_LENGTH)

function isWhole(pattern: RegExp, text: string): boolean {
  if (text.length > MAX_LENGTH || !pattern.test(text)) return false
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

const idOf = (pattern: RegExp, text: string): string | undefined =>
  isWhole(pattern, text) ? text.slice(4, 4 + ID_LENGTH) : undefined

const toInteger = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text
  return text
}
