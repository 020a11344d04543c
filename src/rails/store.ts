import type { Db } from '../db/db.ts'
import { SCOPE_NAMES, type Scope } from '../operation.ts'

export interface StoredKey {
  key_id: string
  name: string
  scopes: Scope[]
  digest: Uint8Array
  /** 32 raw bytes of Ed25519 when the holder must also sign each nonce. */
  public_key: Uint8Array | null
  created_at: number
  expires_at: number
  revoked_at: number | null
  replaced_by: string | null
}

interface StoredToken {
  token_id: string
  key_id: string
  scopes: Scope[]
  digest: Uint8Array
  issued_at: number
  expires_at: number
  revoked_at: number | null
}

type RailsEvent = 'key_created' | 'key_rotated' | 'key_revoked' | 'nonce_reused'

const KEY_COLUMNS = 'key_id, name, scopes, digest, public_key, created_at, expires_at, revoked_at, replaced_by'

type KeyRow = Omit<StoredKey, 'scopes'> & { scopes: string }

export async function findKey(db: Db, keyId: string): Promise<StoredKey | undefined> {
  const [row] = await db.query<KeyRow>(`SELECT ${KEY_COLUMNS} FROM agent_key WHERE key_id = $1`, [keyId])
  return row && toKey(row)
}

/**
 * Reads a key and locks its row until the transaction ends, so that two replicas cannot both find room for one more nonce.
 * An update that changes nothing is the portable row lock.
 */
export async function lockKey(tx: Db, keyId: string): Promise<StoredKey | undefined> {
  const [row] = await tx.query<KeyRow>(`UPDATE agent_key SET name = name WHERE key_id = $1 RETURNING ${KEY_COLUMNS}`, [
    keyId,
  ])
  return row && toKey(row)
}

export async function allKeys(db: Db): Promise<StoredKey[]> {
  const rows = await db.query<KeyRow>(`SELECT ${KEY_COLUMNS} FROM agent_key ORDER BY created_at, key_id`)
  return rows.map(toKey)
}

export async function insertKey(tx: Db, key: StoredKey): Promise<void> {
  await tx.query(`INSERT INTO agent_key (${KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
    key.key_id,
    key.name,
    key.scopes.join(' '),
    key.digest,
    key.public_key,
    key.created_at,
    key.expires_at,
    key.revoked_at,
    key.replaced_by,
  ])
}

export async function putReplacement(tx: Db, keyId: string, replacedBy: string, expiresAt: number): Promise<void> {
  await tx.query('UPDATE agent_key SET replaced_by = $2, expires_at = $3 WHERE key_id = $1', [
    keyId,
    replacedBy,
    expiresAt,
  ])
}

export async function putKeyRevocation(tx: Db, keyId: string, at: number): Promise<void> {
  await tx.query('UPDATE agent_key SET revoked_at = $2 WHERE key_id = $1', [keyId, at])
}

/** The number of newest events that are all kept. Older reuses of nonces are deleted. */
export const KEPT_EVENTS = 10_000

/**
 * Appends an event. Its number comes from a row that is locked until the transaction ends. Otherwise two events at once
 * could get the same number, and the revocation that one of them reports would be undone. Lock the key first.
 */
export async function insertEvent(tx: Db, kind: RailsEvent, keyId: string, at: number): Promise<void> {
  const [next] = await tx.query<{ last_no: number }>(
    'UPDATE rails_event_number SET last_no = last_no + 1 RETURNING last_no',
  )
  await tx.query('INSERT INTO rails_event (event_no, at, kind, key_id) VALUES ($1, $2, $3, $4)', [
    next?.last_no,
    at,
    kind,
    keyId,
  ])
  // The holder of a key can make any number of reuses. The actions of operators are never deleted.
  await tx.query(`DELETE FROM rails_event WHERE event_no <= $1 AND kind = 'nonce_reused'`, [
    (next?.last_no ?? 0) - KEPT_EVENTS,
  ])
}

export async function insertNonce(
  tx: Db,
  nonce: { digest: Uint8Array; key_id: string; issued_at: number; expires_at: number },
): Promise<void> {
  await tx.query('INSERT INTO nonce (digest, key_id, issued_at, expires_at) VALUES ($1, $2, $3, $4)', [
    nonce.digest,
    nonce.key_id,
    nonce.issued_at,
    nonce.expires_at,
  ])
}

/** Deletes the unspent nonces of a key except the newest `keep` live ones, and spent nonces that expired by `spentBefore`. */
export async function pruneNonces(
  tx: Db,
  keyId: string,
  { now, keep, spentBefore }: { now: number; keep: number; spentBefore: number },
): Promise<void> {
  await tx.query(
    `DELETE FROM nonce
      WHERE key_id = $1 AND spent_at IS NULL AND digest NOT IN (
            SELECT digest FROM nonce
             WHERE key_id = $1 AND spent_at IS NULL AND expires_at > $2
             ORDER BY issued_at DESC, digest
             LIMIT $3)`,
    [keyId, now, keep],
  )
  await tx.query('DELETE FROM nonce WHERE key_id = $1 AND spent_at IS NOT NULL AND expires_at <= $2', [
    keyId,
    spentBefore,
  ])
}

/** Spends a nonce in one statement: if several callers try at once, exactly one gets true. */
export async function spendNonce(
  tx: Db,
  nonce: { digest: Uint8Array; key_id: string; token_id: string; now: number },
): Promise<boolean> {
  const spent = await tx.query(
    `UPDATE nonce SET spent_at = $4, token_id = $3
      WHERE digest = $1 AND key_id = $2 AND spent_at IS NULL AND expires_at > $4
      RETURNING token_id`,
    [nonce.digest, nonce.key_id, nonce.token_id, nonce.now],
  )
  return spent.length === 1
}

/**
 * Stores a nonce that its holder made, as spent; false if it is stored already. If several callers try at once, exactly one
 * gets true.
 */
export async function insertSpentNonce(
  tx: Db,
  nonce: { digest: Uint8Array; key_id: string; token_id: string; now: number; expires_at: number },
): Promise<boolean> {
  const inserted = await tx.query(
    `INSERT INTO nonce (digest, key_id, issued_at, expires_at, spent_at, token_id) VALUES ($1, $2, $3, $4, $3, $5)
     ON CONFLICT (digest) DO NOTHING
     RETURNING token_id`,
    [nonce.digest, nonce.key_id, nonce.now, nonce.expires_at, nonce.token_id],
  )
  return inserted.length === 1
}

/** The token made from a nonce this key has spent, if the nonce expired after `expiredAfter`. */
export async function findTokenOfSpentNonce(
  tx: Db,
  digest: Uint8Array,
  keyId: string,
  expiredAfter: number,
): Promise<string | undefined> {
  const [row] = await tx.query<{ token_id: string }>(
    `SELECT token_id FROM nonce
      WHERE digest = $1 AND key_id = $2 AND spent_at IS NOT NULL AND expires_at > $3`,
    [digest, keyId, expiredAfter],
  )
  return row?.token_id
}

export async function insertToken(tx: Db, token: StoredToken): Promise<void> {
  await tx.query(
    `INSERT INTO rails_token (token_id, key_id, scopes, digest, issued_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [token.token_id, token.key_id, token.scopes.join(' '), token.digest, token.issued_at, token.expires_at],
  )
}

export async function putTokenRevocation(tx: Db, tokenId: string, at: number): Promise<void> {
  await tx.query('UPDATE rails_token SET revoked_at = $2 WHERE token_id = $1 AND revoked_at IS NULL', [tokenId, at])
}

/** Revokes the live tokens of a key except the newest `keep`, and deletes tokens issued by `issuedBefore`. */
export async function pruneTokens(
  tx: Db,
  keyId: string,
  { now, keep, issuedBefore }: { now: number; keep: number; issuedBefore: number },
): Promise<void> {
  await tx.query('DELETE FROM rails_token WHERE key_id = $1 AND issued_at <= $2', [keyId, issuedBefore])
  await tx.query(
    `UPDATE rails_token SET revoked_at = $2
      WHERE key_id = $1 AND revoked_at IS NULL AND expires_at > $2 AND token_id NOT IN (
            SELECT token_id FROM rails_token
             WHERE key_id = $1 AND revoked_at IS NULL AND expires_at > $2
             ORDER BY issued_at DESC, token_id
             LIMIT $3)`,
    [keyId, now, keep],
  )
}

/** A token with the current state of its key. */
interface TokenInUse extends StoredToken {
  key_scopes: Scope[]
  key_expires_at: number
  key_revoked_at: number | null
}

export async function findTokenInUse(db: Db, tokenId: string): Promise<TokenInUse | undefined> {
  type Row = Omit<TokenInUse, 'scopes' | 'key_scopes'> & { scopes: string; key_scopes: string }
  const [row] = await db.query<Row>(
    `SELECT t.token_id, t.key_id, t.scopes, t.digest, t.issued_at, t.expires_at, t.revoked_at,
            k.scopes AS key_scopes, k.expires_at AS key_expires_at, k.revoked_at AS key_revoked_at
       FROM rails_token t
       JOIN agent_key k ON k.key_id = t.key_id
      WHERE t.token_id = $1`,
    [tokenId],
  )
  return row && { ...row, scopes: toScopes(row.scopes), key_scopes: toScopes(row.key_scopes) }
}

const toKey = (row: KeyRow): StoredKey => ({ ...row, scopes: toScopes(row.scopes) })

/** Reads scopes, in the order of the catalogue and without duplicates. An unknown word grants nothing. */
function toScopes(text: string): Scope[] {
  const words = text.split(' ')
  return SCOPE_NAMES.filter((scope) => words.includes(scope))
}

export async function insertPepperCheck(tx: Db, digest: Uint8Array): Promise<void> {
  await tx.query('INSERT INTO pepper_check (digest) VALUES ($1)', [digest])
}

export async function findPepperCheck(db: Db): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ digest: Uint8Array }>('SELECT digest FROM pepper_check')
  return row?.digest
}
