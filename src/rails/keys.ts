import type { Db } from '../db/db.ts'
import { SCOPE_NAMES, type Scope } from '../operation.ts'
import { Problem } from '../problem.ts'
import { isSoundEd25519Key } from '../proof/note/ed25519-key.ts'
import { digestOf, KEY_DAYS, makeAgentKey, type Random } from './credential.ts'
import * as store from './store.ts'

const DAY_SECONDS = 24 * 60 * 60
/** How long a replaced key keeps working. */
const ROTATION_OVERLAP_SECONDS = DAY_SECONDS

const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/

export interface KeyParts {
  db: Db
  pepper: Uint8Array
  now: () => Promise<number>
  random: Random
}

export interface NewKey {
  name: string
  scopes: readonly string[]
  /** 365 days by default. */
  ttlSeconds?: number | undefined
  /** 32 raw bytes of Ed25519: the holder must then sign each nonce. */
  publicKey?: Uint8Array | undefined
}

/** A new key with its text, which is shown only once: the store keeps a digest. */
export interface IssuedKey {
  key: string
  key_id: string
  name: string
  scopes: Scope[]
  expires_at: string
}

type KeyState = 'active' | 'rotating' | 'revoked' | 'expired'

interface KeySummary {
  key_id: string
  name: string
  scopes: Scope[]
  state: KeyState
  signs_nonces: boolean
  created_at: string
  expires_at: string
  revoked_at: string | null
  replaced_by: string | null
}

export const isLive = (key: { expires_at: number; revoked_at: number | null }, now: number): boolean =>
  key.revoked_at === null && key.expires_at > now

export async function createKey(parts: KeyParts, wanted: NewKey): Promise<IssuedKey> {
  const checked = { ...wanted, name: checkedName(wanted.name), scopes: checkedScopes(wanted.scopes) }
  const now = await parts.now()
  return parts.db.transaction((tx) => issue(tx, parts, checked, now), { writers: 'many' })
}

export async function listKeys({ db, now }: Pick<KeyParts, 'db' | 'now'>): Promise<KeySummary[]> {
  const at = await now()
  return (await store.allKeys(db)).map((key) => summaryOf(key, at))
}

/**
 * Issues a key with the same name, scopes, public key and lifetime. The old one works for one more day, but never longer
 * than before, so that its holder can change over without a gap.
 */
export async function rotateKey(
  parts: KeyParts,
  keyId: string,
  { ttlSeconds }: { ttlSeconds?: number | undefined } = {},
): Promise<IssuedKey> {
  const now = await parts.now()
  return parts.db.transaction(
    async (tx) => {
      const old = await store.lockKey(tx, keyId)
      if (!old || !isLive(old, now)) throw new Problem('unknown_key', 'there is no active agent key with this id')
      if (old.replaced_by !== null)
        throw new Problem('invalid_parameter', 'this agent key was rotated before; rotate the key that replaced it')
      const { name, scopes, public_key } = old
      const life = ttlSeconds ?? Math.max(1, Math.round((old.expires_at - old.created_at) / 1000))
      const issued = await issue(tx, parts, { name, scopes, ttlSeconds: life, publicKey: public_key ?? undefined }, now)
      const expiresAt = Math.min(old.expires_at, now + ROTATION_OVERLAP_SECONDS * 1000)
      await store.putReplacement(tx, keyId, issued.key_id, expiresAt)
      await store.insertEvent(tx, 'key_rotated', keyId, now)
      return issued
    },
    { writers: 'many' },
  )
}

/** Revokes a key and, at once, every token made from it. Doing it again changes nothing. */
export async function revokeKey({ db, now }: Pick<KeyParts, 'db' | 'now'>, keyId: string): Promise<KeySummary> {
  const at = await now()
  return db.transaction(
    async (tx) => {
      const key = await store.lockKey(tx, keyId)
      if (!key) throw new Problem('unknown_key')
      if (key.revoked_at !== null) return summaryOf(key, at)
      await store.putKeyRevocation(tx, keyId, at)
      await store.insertEvent(tx, 'key_revoked', keyId, at)
      return summaryOf({ ...key, revoked_at: at }, at)
    },
    { writers: 'many' },
  )
}

async function issue(
  tx: Db,
  { pepper, random }: KeyParts,
  { name, scopes, ttlSeconds = KEY_DAYS * DAY_SECONDS, publicKey }: NewKey & { scopes: readonly Scope[] },
  now: number,
): Promise<IssuedKey> {
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > 100 * KEY_DAYS * DAY_SECONDS)
    throw new Problem('invalid_parameter', 'a key lives for a whole number of seconds, at most a hundred years')
  if (publicKey && !isSoundEd25519Key(publicKey))
    throw new Problem(
      'invalid_parameter',
      'the public key is not a usable Ed25519 key: it takes 32 bytes, in canonical form, not of small order',
    )
  const { id, text } = makeAgentKey(random)
  const expiresAt = now + ttlSeconds * 1000
  await store.insertKey(tx, {
    key_id: id,
    name,
    scopes: [...scopes],
    digest: digestOf(pepper, text),
    public_key: publicKey ?? null,
    created_at: now,
    expires_at: expiresAt,
    revoked_at: null,
    replaced_by: null,
  })
  await store.insertEvent(tx, 'key_created', id, now)
  return { key: text, key_id: id, name, scopes: [...scopes], expires_at: iso(expiresAt) }
}

function checkedName(name: string): string {
  if (NAME.test(name)) return name
  throw new Problem(
    'invalid_parameter',
    'a key name is 1 to 64 letters, digits, spaces, dots, underscores or hyphens, and begins with a letter or digit',
  )
}

function checkedScopes(scopes: readonly string[]): Scope[] {
  const known = SCOPE_NAMES.filter((scope) => scopes.includes(scope))
  if (scopes.every((scope) => known.some((name) => name === scope))) return known
  throw new Problem('invalid_parameter', `a scope is one of ${SCOPE_NAMES.join(', ')}`)
}

function stateOf(key: store.StoredKey, now: number): KeyState {
  if (key.revoked_at !== null) return 'revoked'
  if (key.expires_at <= now) return 'expired'
  return key.replaced_by === null ? 'active' : 'rotating'
}

const summaryOf = (key: store.StoredKey, now: number): KeySummary => ({
  key_id: key.key_id,
  name: key.name,
  scopes: key.scopes,
  state: stateOf(key, now),
  signs_nonces: key.public_key !== null,
  created_at: iso(key.created_at),
  expires_at: iso(key.expires_at),
  revoked_at: key.revoked_at === null ? null : iso(key.revoked_at),
  replaced_by: key.replaced_by,
})

const iso = (ms: number): string => new Date(ms).toISOString()
