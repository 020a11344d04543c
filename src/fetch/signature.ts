// Signs requests to publishers (RFC 9421, Web Bot Auth), so that a server can tell this installation from those that only use
// its name. The directory of a registry publishes the key.

import type { Signer } from './door.ts'

interface SigningKey {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string
  sign(bytes: Uint8Array): Uint8Array
}

const SECONDS = 60

/** A signer for an installation at a public address, which is named in each request. */
export const botSigner =
  ({ kid, sign }: SigningKey, address: string): Signer =>
  (url, now) => {
    const created = Math.floor(now / 1000)
    const parameters = `("@authority" "signature-agent");created=${created};expires=${created + SECONDS};keyid="${kid}";alg="ed25519";tag="web-bot-auth"`
    const agent = `"${address}"`
    const base = [
      `"@authority": ${url.host}`,
      `"signature-agent": ${agent}`,
      `"@signature-params": ${parameters}`,
    ].join('\n')
    const signature = Buffer.from(sign(new TextEncoder().encode(base))).toString('base64')
    return {
      'signature-agent': agent,
      'signature-input': `sig1=${parameters}`,
      signature: `sig1=:${signature}:`,
    }
  }
