// The fixed keys, clock and policies of the vectors. Everyone knows these keys: they are worth nothing.

import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import type { NoteSigner } from '../../src/proof/note/signed-note.ts'

const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The signer whose Ed25519 seed is this byte, or these bytes, over and over. RFC 8032 signatures hold no randomness. */
export function signerOf(name: string, seed: number | Uint8Array): NoteSigner {
  const der = Buffer.concat([PKCS8_HEAD, Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return {
    name,
    publicKey: new Uint8Array(Buffer.from(x, 'base64url')),
    sign: async (message) => new Uint8Array(sign(null, message, key)),
  }
}

export const registry = signerOf('vectors.example/log/registry', 1)
export const figures = signerOf('vectors.example/log/figures', 2)
export const stranger = signerOf('stranger.example/log', 3)
export const w1 = signerOf('witness-one.example', 11)
export const w2 = signerOf('witness-two.example', 12)
export const w3 = signerOf('witness-three.example', 13)
/** 2026-10-06T00:00:00Z */
export const SECONDS = 1_791_244_800

export const PLAIN = formatPolicy([registry, figures])
export const ONE_OF_TWO = formatPolicy([registry, figures], [w1, w2], 1)
export const TWO_OF_TWO = formatPolicy([registry, figures], [w1, w2], 2)
