// C2SP tlog-policy: the one trust file an outsider pins. It names the logs whose checkpoints count, the
// witnesses that are believed, and how many of them must have cosigned a checkpoint.

import { equalBytes, toBase64 } from '../bytes.ts'
import { own } from '../shape.ts'
import {
  COSIGNATURE,
  ED25519,
  formatVerifierKey,
  type KeyType,
  ML_DSA_44,
  parseVerifierKey,
  type VerifierKey,
} from './signed-note.ts'
import { parseTreeHead } from './tree-head.ts'

export interface TrustedLog {
  key: VerifierKey
  url?: string
}

/** A key that signs no more. It still counts for the checkpoints that it signed: those up to this one. */
export interface RetiredKey {
  key: VerifierKey
  size: number
  root: Uint8Array
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
  retired: RetiredKey[]
  witnesses: TrustedWitness[]
  /** In the order of the file: members always stand before their group. */
  groups: WitnessGroup[]
  /** A witness or a group; `none` asks for no cosignature. */
  quorum: string
}

const NONE = 'none'
/** To other readers of tlog-policy this is a comment: to them the key is not there, which is safe. */
const RETIRED = '#retired'

/** Whether cosignatures by these witnesses are enough. */
export function meetsQuorum(policy: TrustPolicy, cosigners: readonly VerifierKey[]): boolean {
  const cosigned = ({ key }: TrustedWitness): boolean =>
    cosigners.some(({ publicKey }) => equalBytes(publicKey, key.publicKey))
  const witnessed = new Set([NONE, ...policy.witnesses.filter(cosigned).map(({ name }) => name)])
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

/** Writes a policy under which `quorum` of the witnesses, all unless said otherwise, must cosign. */
export function formatPolicy(
  logs: readonly PolicyKey[],
  witnesses: readonly PolicyKey[] = [],
  quorum = witnesses.length,
  retired: readonly (Omit<RetiredKey, 'key'> & { key: PolicyKey })[] = [],
): string {
  const keyed = ({ name, publicKey, url }: PolicyKey, type: KeyType): string =>
    `${formatVerifierKey(name, publicKey, type)}${url ? ` ${url}` : ''}`
  const rule =
    quorum === 0
      ? [`quorum ${NONE}`]
      : [`group witnesses ${quorum} ${witnesses.map(({ name }) => name).join(' ')}`, 'quorum witnesses']
  const lines = [
    ...logs.map((log) => `log ${keyed(log, ED25519)}`),
    ...retired.map(({ key, size, root }) => `${RETIRED} ${keyed(key, ED25519)} ${size} ${toBase64(root)}`),
    ...witnesses.map((witness) => `witness ${witness.name} ${keyed(witness, COSIGNATURE)}`),
    ...rule,
  ]
  const text = `${lines.join('\n')}\n`
  if (!parsePolicy(text)) throw new RangeError('these logs, witnesses and quorum do not make a policy')
  return text
}

/** Undefined on anything it does not understand: a trust file that is half understood is not trusted. */
export function parsePolicy(text: string): TrustPolicy | undefined {
  if (/[\0-\x08\v-\x1f\x7f-\x9f]/.test(text)) return undefined
  const logs: TrustedLog[] = []
  const retired: RetiredKey[] = []
  const witnesses: TrustedWitness[] = []
  const groups: WitnessGroup[] = []
  const names = new Set([NONE])
  /** A name is a member of one group only, so that each witness counts in one way. */
  const taken = new Set([NONE])
  let quorum: string | undefined

  const define = (name: string): boolean => !names.has(name) && !!names.add(name)
  /** The key of a log, new among those that are known; a log has one way of signing. */
  const logKey = (vkey: string): VerifierKey | undefined => newKey(vkey, [ED25519], [...logs, ...retired])
  /** Each puts down what a line says, and says whether it could make sense of its words. */
  const lines: { [kind: string]: (words: readonly string[]) => unknown } = {
    log([vkey = '', url, more]) {
      const key = logKey(vkey)
      return key && !more && logs.push({ key, ...(url && { url }) })
    },
    [RETIRED]([vkey = '', decimal, encoded, more]) {
      const key = logKey(vkey)
      const head = parseTreeHead(`${vkey}\n${decimal}\n${encoded}\n`)
      return key && head && !more && retired.push({ key, size: head.size, root: head.root })
    },
    witness([name = '', vkey = '', url, more]) {
      const key = newKey(vkey, [COSIGNATURE, ML_DSA_44], witnesses)
      return key && !more && define(name) && witnesses.push({ name, key, ...(url && { url }) })
    },
    group([name = '', rule = '', ...members]) {
      const threshold = thresholdOf(rule, members.length)
      const isFree = (member: string): boolean => names.has(member) && !taken.has(member) && !!taken.add(member)
      return (
        threshold > 0 &&
        threshold <= members.length &&
        members.every(isFree) &&
        define(name) &&
        groups.push({ name, threshold, members })
      )
    },
    quorum([name = '', more]) {
      if (quorum || more || !names.has(name)) return false
      quorum = name
      return true
    },
  }
  for (const line of text.split('\n')) {
    const [kind = '#', ...words] = line.match(/[^ \t]+/g) ?? []
    if (kind.startsWith('#') && kind !== RETIRED) continue
    // Names that look alike must be alike, and a policy must mean the same in every version of Unicode.
    if (!/^[\t -~]*$/.test(line)) return undefined
    if (!own(lines, kind)?.(words)) return undefined
  }
  const isOfLog = ({ key }: RetiredKey): boolean => logs.some((log) => log.key.name === key.name)
  if (!quorum || !logs.length || !retired.every(isOfLog)) return undefined
  return { logs, retired, witnesses, groups, quorum }
}

/** One public key under two names would count twice. */
function newKey(
  vkey: string,
  types: readonly KeyType[],
  known: readonly { key: VerifierKey }[],
): VerifierKey | undefined {
  const key = parseVerifierKey(vkey)
  const isNew = key && types.includes(key.type) && !known.some((each) => equalBytes(each.key.publicKey, key.publicKey))
  return isNew ? key : undefined
}

/** How many of these members a rule asks for; 0 if it is none. */
function thresholdOf(rule: string, members: number): number {
  if (rule === 'any') return 1
  if (rule === 'all') return members
  return /^[1-9]\d{0,5}$/.test(rule) ? Number(rule) : 0
}
