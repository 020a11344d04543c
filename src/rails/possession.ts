import { fromBase64, utf8 } from '../proof/bytes.ts'
import { verifyEd25519 } from '../proof/note/signed-note.ts'
import { RAILS } from './credential.ts'

/** An Ed25519 signature in base64url without padding. */
export const SIGNATURE_PATTERN = '^[A-Za-z0-9_-]{86}$'
const SIGNATURE = new RegExp(SIGNATURE_PATTERN)

/**
 * What the holder of a key with a public key signs. The scheme and the step make the
 * signature useless elsewhere; the address stops a look-alike service from passing it on to us.
 */
export const possessionMessage = (baseUrl: string, keyId: string, nonce: string): string =>
  [RAILS, 'attest', baseUrl, keyId, nonce].join('\n')

export async function provesPossession(publicKey: Uint8Array, proof: string, message: string): Promise<boolean> {
  const signature = SIGNATURE.test(proof) ? fromBase64url(proof) : undefined
  return signature !== undefined && (await verifyEd25519(publicKey, signature, utf8(message)))
}

const fromBase64url = (text: string): Uint8Array | undefined =>
  fromBase64(
    text
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .padEnd(Math.ceil(text.length / 4) * 4, '='),
  )
