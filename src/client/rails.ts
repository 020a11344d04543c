// The rails: from an agent key to a token, which is renewed before it expires.

import { ClientError, refusalOf } from './error.ts'
import type { Received, Sent, Transport } from './transport.ts'

const CHALLENGE = '/api/agent-rails/challenge'
const ATTEST = '/api/agent-rails/attest'
const RAILS = 'service_agent_rails_v1'
const NONCE = /^atn_[0-9A-Za-z]{49}$/

export interface RailsOptions {
  agentKey?: string | undefined
  /** Ask for fewer scopes than the key has. */
  scopes?: readonly string[] | undefined
  /**
   * For a key that is registered with an Ed25519 public key: signs a text, and returns the signature in base64url without
   * padding.
   */
  sign?: ((message: string) => string | Promise<string>) | undefined
  now: () => number
}

interface Token {
  text: string
  /** When to get the next one, by the clock of this machine. */
  renewAt: number
}

/** A token is renewed when less than this is left of it, or a tenth of its life if that is less. */
const MARGIN_MS = 60_000

/** What the service may answer where a token was revoked or has expired, though this client still had it. */
const STALE = ['rails_token_invalid', 'rails_token_expired']
/** What asking again does not change: the key itself does not count. */
const FINAL = ['agent_key_invalid', 'agent_key_missing', 'proof_required', 'proof_invalid']

export class Rails {
  #token: Token | undefined
  #renewal: Promise<Token> | undefined
  /** The key was refused: nothing is sent with it again. */
  #stopped: ClientError | undefined

  constructor(
    readonly transport: Transport,
    readonly options: RailsOptions,
  ) {}

  /** Sends a request with a token. A token that stopped counting early is replaced once. */
  async send(path: string, sent: Sent): Promise<Received> {
    const first = await this.#current()
    const received = await this.#sendWith(first, path, sent)
    if (received.response.status !== 401 || !STALE.includes(refusalOf(received.response, received.text).code))
      return received
    if (this.#token === first) this.#token = undefined
    return this.#sendWith(await this.#current(), path, sent)
  }

  #sendWith({ text }: Token, path: string, sent: Sent): Promise<Received> {
    return this.transport.send(path, { ...sent, headers: { ...sent.headers, 'x-agent-rails': text } })
  }

  /** However many calls need a token at the same time, one of them gets it for all. No caller's signal stops it. */
  async #current(): Promise<Token> {
    if (this.#stopped) throw this.#stopped
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
      if (error instanceof ClientError && FINAL.includes(error.code)) this.#stopped = error
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
    // What is signed is never a text of the service's choice.
    if (rails !== RAILS || !NONCE.test(nonce))
      throw new ClientError('not_verified: the challenge is not one of the rails', {
        code: 'not_verified',
        hint: 'Check that `baseUrl` is the address of a registry.',
      })
    const message = [RAILS, 'attest', this.transport.options.baseUrl, keyIdOf(agentKey), nonce].join('\n')
    const body = { nonce, ...(scopes && { scopes }), ...(sign && { proof: await sign(message) }) }
    const asked = now()
    // A nonce that is sent twice is taken for a stolen one. So after a failure all begins anew, at the next call.
    const sent = { method: 'POST' as const, headers, body: JSON.stringify(body), once: true }
    const { rails_token, expires_in } = bodyOf<{ rails_token: string; expires_in: number }>(
      await this.transport.send(ATTEST, sent),
    )
    const life = expires_in * 1000
    return { text: rails_token, renewAt: asked + life - Math.min(MARGIN_MS, life / 10) }
  }
}

function bodyOf<Body>({ response, text }: Received): Body {
  if (!response.ok) throw refusalOf(response, text)
  return JSON.parse(text) as Body
}

const keyIdOf = (agentKey: string): string => agentKey.split('_')[1] ?? ''
