import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { concat, fromBase64, toBase64, toHex } from '../proof/bytes.ts'
import {
  formatVerifierKey,
  keyId,
  type NoteSigner,
  parseVerifierKey,
  type VerifierKey,
} from '../proof/note/signed-note.ts'

/** The fixed DER prefix of an Ed25519 private key (RFC 8410); the 32-byte seed follows. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const ED25519 = Uint8Array.of(1)

/** Makes a key in Go's note format, which other tools can read: `PRIVATE+KEY+<name>+<id>+<base64 of type and seed>`. */
export function generateLogKey(origin: string): string {
  const seed = new Uint8Array(randomBytes(32))
  const { publicKey } = signerFromSeed(origin, seed)
  return `PRIVATE+KEY+${origin}+${toHex(keyId(origin, publicKey))}+${toBase64(concat(ED25519, seed))}`
}

/** Reads a key of that format. Undefined if the line has another form, or its id is wrong. */
export function parseLogKey(line: string): NoteSigner | undefined {
  const match = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(line)
  const [, name = '', id = '', encoded = ''] = match ?? []
  const key = fromBase64(encoded)
  if (!match || key?.length !== 33 || key[0] !== 1) return undefined
  const signer = signerFromSeed(name, key.slice(1))
  return toHex(keyId(name, signer.publicKey)) === id ? signer : undefined
}

function signerFromSeed(name: string, seed: Uint8Array): NoteSigner {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    name,
    publicKey: new Uint8Array(Buffer.from(x, 'base64url')),
    sign: async (message) => new Uint8Array(sign(null, message, privateKey)),
  }
}

/** The public half of a signer, which readers pin. */
export function verifierKey({ name, publicKey }: NoteSigner): VerifierKey {
  const key = parseVerifierKey(formatVerifierKey(name, publicKey))
  if (!key) throw new Error('the name of a signer is not valid in a signed note')
  return key
}
