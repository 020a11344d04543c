import { createHash } from 'node:crypto'
import { fromBase64, utf8 } from '../proof/bytes.ts'
import { isSoundEd25519Key } from '../proof/note/ed25519-key.ts'
import { verifyEd25519 } from '../proof/note/signed-note.ts'
import { RAILS } from './credential.ts'

/** An Ed25519 signature in base64url without padding. */
export const SIGNATURE_PATTERN = '^[A-Za-z0-9_-]{86}$'
const SIGNATURE = new RegExp(SIGNATURE_PATTERN)

/**
 * The text that the holder of a key with a public key signs. The scheme and the step make the signature useless elsewhere;
 * the address prevents that a look-alike service passes it on to this one.
 */
export const possessionMessage = (baseUrl: string, keyId: string, nonce: string): string =>
  [RAILS, 'attest', baseUrl, keyId, nonce].join('\n')

export async function provesPossession(publicKey: Uint8Array, proof: string, message: string): Promise<boolean> {
  const signature = SIGNATURE.test(proof) ? fromBase64url(proof) : undefined
  return signature !== undefined && (await isSignedBy(publicKey, signature, utf8(message)))
}

/** Verifies a signature. Keys of small order are refused, because anyone can sign for them; old stores may have one. */
export const isSignedBy = async (publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean> =>
  isSoundEd25519Key(publicKey) && (await verifyEd25519(publicKey, signature, message))

export const jwkOf = (publicKey: Uint8Array) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(publicKey).toString('base64url'),
})

/** The thumbprint of a public key (RFC 7638), a name that follows from the key itself. */
export function thumbprintOf(publicKey: Uint8Array): string {
  const { crv, kty, x } = jwkOf(publicKey)
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
}

const fromBase64url = (text: string): Uint8Array | undefined =>
  fromBase64(
    text
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .padEnd(Math.ceil(text.length / 4) * 4, '='),
  )
