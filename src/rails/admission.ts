import type { Db } from '../db/db.ts'
import type { Access, Agent, Bucket, Call, Gate, Scope, Visit } from '../operation.ts'
import { Problem } from '../problem.ts'
import { Queue } from '../queue.ts'
import { anonymousCallers } from './address.ts'
import { agentKeyId, digestOf, isDigest, railsTokenId } from './credential.ts'
import { isLive } from './keys.ts'
import { type Caller, FAILED_AUTHENTICATION, type LimitDecision, type Limiter } from './limit/limits.ts'
import { RecentCredentials, Turns } from './recent-credentials.ts'
import { keyRefusal, limitRefusal, scopeRefusal, tokenRefusal } from './refusal.ts'
import * as store from './store.ts'

interface GateParts {
  db: Db
  pepper: Uint8Array
  now: () => Promise<number>
}

/** The credential of a call. `agent` is set only if it is valid. */
type Identity =
  | { by: 'nothing' | 'conflict'; agent?: undefined }
  | { by: 'agent_key'; agent?: Agent | undefined }
  | { by: 'rails_token'; agent: Agent; keyScopes: readonly Scope[] }
  | { by: 'rails_token'; agent?: undefined; fault: 'rails_token_invalid' | 'rails_token_expired' }

/**
 * Makes the gate: it identifies the caller, counts the call, and then decides. A refused call is counted too. Failed
 * authentication is counted separately and by address, so that nobody can use up the quota of another's key.
 */
export function makeGate(parts: GateParts, limiter: Limiter): Gate {
  const anonymousCaller = anonymousCallers()
  const admission: AdmissionParts = { ...parts, limiter, recent: new RecentCredentials(), turns: new Turns() }
  return {
    queue: new Queue(),
    enter(call, access, bucket, cost) {
      const anonymous = anonymousCaller(call.address)
      if (access !== 'public' || cost || call.agentKey || call.railsToken || call.bearer)
        return admit(admission, { call, access, bucket, cost, anonymous })
      // Most calls are public and have no credential. They are only counted, without a promise if the limiter needs none.
      const taken = limiter.take(bucket, anonymous)
      return taken instanceof Promise
        ? taken.then((decision) => visitOf(anonymous.name, decision))
        : visitOf(anonymous.name, taken)
    },
  }
}

interface AdmissionParts extends GateParts {
  limiter: Limiter
  recent: RecentCredentials
  turns: Turns
}

interface AdmissionRequest {
  call: Call
  access: Access
  bucket: Bucket
  cost: (() => number | Promise<number>) | undefined
  /** The caller that the call is counted for without a valid credential. */
  anonymous: Caller
}

async function admit(admission: AdmissionParts, request: AdmissionRequest): Promise<Visit> {
  const { call, access, bucket, cost, anonymous } = request
  const { limiter } = admission
  const { identity, failures } = await identify(admission, claimOf(admission, call, access, anonymous.name), anonymous)
  if (failures && access !== 'public') return visitOf(anonymous.name, failures)
  const { agent } = identity
  const who = agent ? { name: `key ${agent.key_id}` } : anonymous
  const problem = refuse(identity, access)
  // The cost is known only after reading the request. Count one before that, so that reading is never free.
  const first = await limiter.take(bucket, who)
  const more = problem || first?.allowed === false ? 0 : ((await cost?.()) ?? 1) - 1
  const taken = more > 0 ? await limiter.take(bucket, who, more) : first
  if (taken && more >= taken.quota.limit) taken.waitSeconds = Infinity // the cost is more than the whole quota
  return visitOf(who.name, taken, problem, agent)
}

function visitOf(who: string, taken: LimitDecision | undefined, problem?: Problem, agent?: Agent): Visit {
  const refusal = taken?.allowed === false ? limitRefusal(taken) : problem
  const quota = taken?.quota
  return refusal ? { who, quota, refusal } : { who, quota, agent }
}

/** A credential that is looked up in the store. */
interface Claim {
  by: 'agent_key' | 'rails_token'
  /** The name under which a valid credential is remembered. */
  name: string | undefined
  /** Whether the name is public, as that of a key that signs: then it is remembered until a proof for it fails. */
  isPublic?: true
  look: () => Promise<Identity>
}

/**
 * Chooses one credential: the kind that the route accepts, or else the other kind, which gives no access but decides whose
 * quota counts. Header texts are hostile; an empty one counts as missing.
 */
function claimOf(parts: GateParts, call: Call, access: Access, caller: string): Identity | Claim {
  const { proof } = call
  if (proof && access === 'agent_key')
    return {
      by: 'agent_key',
      // Each proof is new, so the key at this address is remembered.
      name: proof.keyId && `${caller} ${proof.keyId}`,
      isPublic: true,
      look: async () => ({ by: 'agent_key', agent: await proof.agent() }),
    }
  const key = call.agentKey || undefined
  const token = call.railsToken || call.bearer || undefined
  if (call.railsToken && call.bearer && call.railsToken !== call.bearer) return { by: 'conflict' }
  if (key !== undefined && (access === 'agent_key' || token === undefined)) return keyClaim(parts, key)
  return token === undefined ? { by: 'nothing' } : tokenClaim(parts, token)
}

const hasFailed = ({ by, agent }: Identity): boolean => (by === 'agent_key' || by === 'rails_token') && !agent

/**
 * Looks a credential up. If its address has failed too often, nothing is looked up, and `failures` is set. The calls of one
 * address are served one at a time, so that wrong credentials sent at once are counted like the same sent in turn. A
 * credential that was valid before does not wait for others from the same address.
 */
async function identify(
  admission: AdmissionParts,
  claim: Identity | Claim,
  anonymous: Caller,
): Promise<{ identity: Identity; failures?: LimitDecision }> {
  if (!('look' in claim) && !hasFailed(claim)) return { identity: claim }
  const { limiter, recent, turns } = admission
  const { name, isPublic = false } = 'look' in claim ? claim : {}
  const isKnown = (): boolean => name !== undefined && recent.has(name)
  const check = async (): Promise<Identity> => {
    const identity = 'look' in claim ? await claim.look() : claim
    const isWrong = hasFailed(identity)
    if (isWrong) await limiter.take(FAILED_AUTHENTICATION, anonymous)
    if (isWrong && isPublic && name) recent.forget(name)
    if (!isWrong && name) recent.add(name)
    return identity
  }
  if (isKnown() && !isPublic) return { identity: await check() }
  return turns.take(anonymous.name, async () => {
    const failures = isKnown() ? undefined : await limiter.findRefusal(FAILED_AUTHENTICATION, anonymous)
    return failures ? { identity: failedBy(claim), failures } : { identity: await check() }
  })
}

const failedBy = ({ by }: Identity | Claim): Identity =>
  by === 'rails_token' ? { by, fault: 'rails_token_invalid' } : { by: 'agent_key' }

const nameOf = (digest: Uint8Array): string => Buffer.from(digest).toString('latin1')

function keyClaim({ db, pepper, now }: GateParts, text: string): Identity | Claim {
  const id = agentKeyId(text)
  if (id === undefined) return { by: 'agent_key' }
  const digest = digestOf(pepper, text)
  return {
    by: 'agent_key',
    name: nameOf(digest),
    async look() {
      const key = await store.findKey(db, id)
      const authentic = isDigest(digest, key?.digest)
      const at = await now()
      return key && authentic && isLive(key, at)
        ? { by: 'agent_key', agent: { key_id: id, scopes: key.scopes } }
        : { by: 'agent_key' }
    },
  }
}

function tokenClaim({ db, pepper, now }: GateParts, text: string): Identity | Claim {
  const invalid: Identity = { by: 'rails_token', fault: 'rails_token_invalid' }
  const id = railsTokenId(text)
  if (id === undefined) return invalid
  const digest = digestOf(pepper, text)
  return {
    by: 'rails_token',
    name: nameOf(digest),
    async look() {
      const token = await store.findTokenInUse(db, id)
      const authentic = isDigest(digest, token?.digest)
      const at = await now()
      if (!token || !authentic || token.revoked_at !== null) return invalid
      if (token.key_revoked_at !== null) return invalid
      // Only the holder of the token gets here, so only the holder learns that it has expired.
      if (token.expires_at <= at) return { by: 'rails_token', fault: 'rails_token_expired' }
      if (token.key_expires_at <= at) return invalid
      const scopes = token.scopes.filter((scope) => token.key_scopes.includes(scope))
      return { by: 'rails_token', agent: { key_id: token.key_id, scopes }, keyScopes: token.key_scopes }
    },
  }
}

function refuse(identity: Identity, access: Access): Problem | undefined {
  if (identity.by === 'conflict') return new Problem('conflicting_credentials')
  if (access === 'public') return undefined
  return access === 'agent_key' ? refuseKey(identity) : refuseToken(identity, access)
}

function refuseKey({ by, agent }: Identity): Problem | undefined {
  if (by !== 'agent_key') return keyRefusal('agent_key_missing')
  return agent ? undefined : keyRefusal('agent_key_invalid')
}

function refuseToken(identity: Identity, scope: Scope): Problem | undefined {
  if (identity.by === 'agent_key') return tokenRefusal('rails_token_required', scope)
  if (identity.by !== 'rails_token') return tokenRefusal('rails_token_missing', scope)
  if (!identity.agent) return tokenRefusal(identity.fault, scope)
  const { agent, keyScopes } = identity
  if (agent.scopes.includes(scope)) return undefined
  return scopeRefusal('AgentRails', [scope], agent.scopes, keyScopes)
}
