// Exchanges an agent key for a token, which is renewed before it expires.

import { ClientError, refusalOf } from './error.ts'
import type { Reply, Request, Transport } from './transport.ts'

const CHALLENGE = '/api/agent-rails/challenge'
const ATTEST = '/api/agent-rails/attest'
const RAILS = 'service_agent_rails_v1'
const NONCE = /^atn_[0-9A-Za-z]{49}$/

export interface RailsOptions {
  agentKey?: string | undefined
  /** Requests fewer scopes than the key has. */
  scopes?: readonly string[] | undefined
  /** Signs a text for a key with an Ed25519 public key; returns the signature in base64url without padding. */
  sign?: ((message: string) => string | Promise<string>) | undefined
  now: () => number
}

interface Token {
  text: string
  /** When to get the next token, by the local clock. */
  renewAt: number
}

/** How long before its expiry a token is renewed, or a tenth of its life if that is shorter. */
const MARGIN_MS = 60_000

/** The codes of refusals of a token that was revoked or has expired. */
const STALE = ['rails_token_invalid', 'rails_token_expired']
/** The codes of refusals of the key itself, which are final. */
const FINAL = ['agent_key_invalid', 'agent_key_missing', 'proof_required', 'proof_invalid']

export class Rails {
  #token: Token | undefined
  #renewal: Promise<Token> | undefined
  /** The refusal of the key. Nothing is sent with it again. */
  #refusal: ClientError | undefined

  constructor(
    readonly transport: Transport,
    readonly options: RailsOptions,
  ) {}

  /** Sends a request with a token. A token that became invalid early is replaced once. */
  async send(path: string, request: Request): Promise<Reply> {
    const first = await this.#current()
    const reply = await this.#sendWith(first, path, request)
    const { response, text } = reply
    if (response.status !== 401 || !STALE.includes(refusalOf(response, text).code)) return reply
    if (this.#token === first) this.#token = undefined
    return this.#sendWith(await this.#current(), path, request)
  }

  #sendWith({ text }: Token, path: string, request: Request): Promise<Reply> {
    return this.transport.send(path, { ...request, headers: { ...request.headers, 'x-agent-rails': text } })
  }

  /** The current token. If several calls need one, it is requested once for all, and no caller's signal stops that. */
  async #current(): Promise<Token> {
    if (this.#refusal) throw this.#refusal
    if (this.#token && this.options.now() < this.#token.renewAt) return this.#token
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renew(): Promise<Token> {
    try {
      this.#token = await this.#attest()
      return this.#token
    } catch (error) {
      this.#token = undefined
      if (error instanceof ClientError && FINAL.includes(error.code)) this.#refusal = error
      throw error
    }
  }

  async #attest(): Promise<Token> {
    const { agentKey, scopes, sign, now } = this.options
    if (agentKey === undefined)
      throw new ClientError('agent_key_missing: this call needs an agent key', {
        code: 'agent_key_missing',
        hint: 'Give `agentKey`. The operator of the service issues keys.',
      })
    const headers = { 'x-agent-key': agentKey, 'content-type': 'application/json' }
    const challenge = await this.transport.send(CHALLENGE, { method: 'POST', headers, body: '{}' })
    const { nonce, rails } = bodyOf<{ nonce: string; rails: string }>(challenge)
    // The signed text must not be chosen by the service.
    if (rails !== RAILS || !NONCE.test(nonce))
      throw new ClientError('not_verified: the challenge is not one of the rails', {
        code: 'not_verified',
        hint: 'Check that `baseUrl` is the address of a registry.',
      })
    const message = [RAILS, 'attest', this.transport.options.baseUrl, keyIdOf(agentKey), nonce].join('\n')
    const body = { nonce, ...(scopes && { scopes }), ...(sign && { proof: await sign(message) }) }
    const requestedAt = now()
    // A nonce that is sent twice counts as stolen. So it is sent once, and the next call begins with a new challenge.
    const request = { method: 'POST' as const, headers, body: JSON.stringify(body), once: true }
    const { rails_token, expires_in } = bodyOf<{ rails_token: string; expires_in: number }>(
      await this.transport.send(ATTEST, request),
    )
    const life = expires_in * 1000
    return { text: rails_token, renewAt: requestedAt + life - Math.min(MARGIN_MS, life / 10) }
  }
}

function bodyOf<Body>({ response, text }: Reply): Body {
  if (!response.ok) throw refusalOf(response, text)
  return JSON.parse(text) as Body
}

const keyIdOf = (agentKey: string): string => agentKey.split('_')[1] ?? ''
