import { createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto'
import { jwkOf, thumbprintOf } from './possession.ts'

/** A signing key of the installation for one purpose. */
interface PurposeKey {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string
  jwk: { kty: string; crv: string; x: string }
  /** Ed25519: the same text always gets the same signature. */
  sign(bytes: Uint8Array): Uint8Array
}

/** The purpose of the key that signs requests to publishers. */
export const BOT_PURPOSE = 'web-bot-auth'

const LABEL = 'agent-trust-registry/purpose-key/1'
/** PKCS #8 of an Ed25519 key, up to its 32 secret bytes (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Derives a key from the pepper by HKDF, so that every process of an installation has the same one and no further file is
 * needed. Keys of different purposes reveal nothing about each other or about the pepper.
 */
export function purposeKey(pepper: Uint8Array, purpose: string): PurposeKey {
  const secret = Buffer.from(hkdfSync('sha256', pepper, '', `${LABEL}\n${purpose}`, 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const publicKey = new Uint8Array(Buffer.from(x, 'base64url'))
  return {
    kid: thumbprintOf(publicKey),
    jwk: jwkOf(publicKey),
    sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)),
  }
}
