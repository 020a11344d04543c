// C2SP tlog-policy: the one trust file an outsider pins. It names the logs whose checkpoints count, the
// witnesses that are believed, and how many of them must have cosigned a checkpoint.

import { equalBytes } from './bytes.ts'
import {
  COSIGNATURE,
  ED25519,
  formatVerifierKey,
  type KeyType,
  parseVerifierKey,
  type VerifierKey,
} from './signed-note.ts'

export interface TrustedLog {
  key: VerifierKey
  url?: string
}

export interface TrustedWitness {
  /** What the policy calls it. It means nothing outside of the file. */
  name: string
  key: VerifierKey
  url?: string
}

export interface WitnessGroup {
  name: string
  /** How many members must have witnessed a checkpoint for the group to have done so. */
  threshold: number
  members: string[]
}

export interface TrustPolicy {
  logs: TrustedLog[]
  witnesses: TrustedWitness[]
  /** In the order of the file: members always stand before their group. */
  groups: WitnessGroup[]
  /** A witness or a group; `none` asks for no cosignature. */
  quorum: string
}

const NONE = 'none'

/** Whether cosignatures by these witnesses are enough. */
export function meetsQuorum(policy: TrustPolicy, cosigners: readonly VerifierKey[]): boolean {
  if (policy.quorum === NONE) return true
  const cosigned = ({ key }: TrustedWitness): boolean =>
    cosigners.some(({ publicKey }) => equalBytes(publicKey, key.publicKey))
  const witnessed = new Set(policy.witnesses.filter(cosigned).map(({ name }) => name))
  for (const { name, threshold, members } of policy.groups)
    if (members.filter((member) => witnessed.has(member)).length >= threshold) witnessed.add(name)
  return witnessed.has(policy.quorum)
}

/** A key to be written into a policy. */
export interface PolicyKey {
  name: string
  publicKey: Uint8Array
  url?: string
}
export type PolicyLog = PolicyKey

/** Writes a policy under which `quorum` of the witnesses, all unless said otherwise, must cosign. */
export function formatPolicy(
  logs: readonly PolicyLog[],
  witnesses: readonly PolicyKey[] = [],
  quorum = witnesses.length,
): string {
  const keyed = ({ name, publicKey, url }: PolicyKey, type: KeyType): string =>
    `${formatVerifierKey(name, publicKey, type)}${url ? ` ${url}` : ''}`
  const rule =
    quorum === 0
      ? [`quorum ${NONE}`]
      : [`group witnesses ${quorum} ${witnesses.map(({ name }) => name).join(' ')}`, 'quorum witnesses']
  const lines = [
    ...logs.map((log) => `log ${keyed(log, ED25519)}`),
    ...witnesses.map((witness) => `witness ${witness.name} ${keyed(witness, COSIGNATURE)}`),
    ...rule,
  ]
  const text = `${lines.join('\n')}\n`
  if (!parsePolicy(text)) throw new RangeError('these logs, witnesses and quorum do not make a policy')
  return text
}

/** Undefined on anything it does not understand: a trust file that is half understood is not trusted. */
export function parsePolicy(text: string): TrustPolicy | undefined {
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return undefined
  const draft = new Draft()
  for (const line of text.split('\n')) {
    const words = line.split(/[ \t]+/).filter((word) => word !== '')
    if (words.length === 0 || words[0]?.startsWith('#')) continue
    if (!draft.take(words)) return undefined
  }
  return draft.finish()
}

/** A policy while its lines are read. Each `take` says whether it could make sense of the line. */
class Draft {
  readonly #policy: Omit<TrustPolicy, 'quorum'> = { logs: [], witnesses: [], groups: [] }
  readonly #names = new Set<string>()
  /** A name is a member of one group only, so that each witness counts in one way. */
  readonly #taken = new Set<string>()
  #quorum: string | undefined

  take([kind, ...words]: readonly string[]): boolean {
    switch (kind) {
      case 'log':
        return words.length <= 2 && this.#log(words[0], words[1])
      case 'witness':
        return words.length <= 3 && this.#witness(words[0], words[1], words[2])
      case 'group':
        return this.#group(words[0], words[1], words.slice(2))
      case 'quorum':
        return words.length === 1 && this.#setQuorum(words[0])
      default:
        return false
    }
  }

  finish(): TrustPolicy | undefined {
    const isWhole = this.#quorum !== undefined && this.#policy.logs.length > 0
    return isWhole ? { ...this.#policy, quorum: this.#quorum as string } : undefined
  }

  #log(vkey = '', url?: string): boolean {
    const key = newKey(vkey, ED25519, this.#policy.logs)
    if (key) this.#policy.logs.push({ key, ...(url === undefined ? {} : { url }) })
    return key !== undefined
  }

  #witness(name = '', vkey = '', url?: string): boolean {
    const key = newKey(vkey, COSIGNATURE, this.#policy.witnesses)
    if (!key || !this.#define(name)) return false
    this.#policy.witnesses.push({ name, key, ...(url === undefined ? {} : { url }) })
    return true
  }

  #group(name = '', rule = '', members: string[] = []): boolean {
    const threshold = thresholdOf(rule, members.length)
    if (threshold === undefined) return false
    for (const member of members) {
      if (!this.#names.has(member) || this.#taken.has(member)) return false
      this.#taken.add(member)
    }
    this.#policy.groups.push({ name, threshold, members })
    return this.#define(name)
  }

  #setQuorum(name = ''): boolean {
    if (this.#quorum !== undefined || !(name === NONE || this.#names.has(name))) return false
    this.#quorum = name
    return true
  }

  #define(name: string): boolean {
    if (name === '' || name === NONE || this.#names.has(name)) return false
    this.#names.add(name)
    return true
  }
}

/** One public key under two names would count twice. */
function newKey(vkey: string, type: KeyType, known: readonly { key: VerifierKey }[]): VerifierKey | undefined {
  const key = parseVerifierKey(vkey)
  const isNew = key?.type === type && !known.some((each) => equalBytes(each.key.publicKey, key.publicKey))
  return isNew ? key : undefined
}

function thresholdOf(rule: string, members: number): number | undefined {
  if (members === 0) return undefined
  if (rule === 'any') return 1
  if (rule === 'all') return members
  return /^[1-9][0-9]{0,5}$/.test(rule) && Number(rule) <= members ? Number(rule) : undefined
}
