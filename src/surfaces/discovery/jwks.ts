import { z } from 'zod'
import { jsonForm, type Resource, type ResourceForm } from '../http/resource.ts'

export const JWKS_PATH = '/.well-known/jwks.json'

/** A key that signs documents of this service. */
export interface DocumentKey {
  kid: string
  jwk: { kty: string; crv: string; x: string }
  sign(bytes: Uint8Array): Uint8Array
}

const Jwks = z
  .strictObject({
    keys: z.array(
      z.strictObject({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    ),
  })
  .meta({ id: 'Jwks', description: 'JSON Web Key Set (RFC 7517)' })

export const jwks = (keys: readonly DocumentKey[]): Resource => ({
  name: 'get_jwks',
  path: JWKS_PATH,
  summary: 'The public keys that sign the agent card',
  description: 'The public keys that sign the agent card. Proofs of prices are signed by the keys of `/log/policy`.',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  forms: [
    jsonForm(Jwks, () => ({
      keys: keys.map(
        ({ kid, jwk: { x } }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }) as const,
      ),
    })),
  ],
})

export const BOT_DIRECTORY_PATH = '/.well-known/http-message-signatures-directory'

/** The keys that sign the requests of this installation to publishers (Web Bot Auth). */
export const botDirectory = (keys: readonly DocumentKey[]): Resource => ({
  name: 'get_bot_directory',
  path: BOT_DIRECTORY_PATH,
  summary: 'The public keys that sign requests of this service to other hosts',
  description:
    'The public keys that sign requests of this service to the hosts of publishers, where it signs them (RFC 9421).',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  forms: [{ ...jwks(keys).forms[0], type: 'application/http-message-signatures-directory+json' } as ResourceForm],
})
