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

/** A key that does not sign any more. It still counts for checkpoints up to this size, where the log has this root. */
export interface RetiredKey {
  key: VerifierKey
  size: number
  root: Uint8Array
}

export interface TrustedWitness {
  /** Its name in the policy, which means nothing outside of the file. */
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
/** A comment to other readers of tlog-policy: they do not trust the key, which is safe. */
const RETIRED = '#retired'

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

/** Writes a policy by which `quorum` of the witnesses must cosign: all of them if it is left out. */
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

/** Undefined if any line is not understood: a trust file that is half understood is not trusted. */
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

  const define = (name: string): boolean => {
    if (names.has(name)) return false
    names.add(name)
    return true
  }
  const logKey = (vkey: string): VerifierKey | undefined => newKey(vkey, [ED25519], [...logs, ...retired])
  const lines: { readonly [kind: string]: (words: readonly string[]) => boolean } = {
    log([vkey = '', url, ...more]) {
      const key = logKey(vkey)
      if (!key || more.length > 0) return false
      logs.push({ key, ...(url !== undefined && { url }) })
      return true
    },
    [RETIRED]([vkey = '', decimal, encoded, ...more]) {
      const key = logKey(vkey)
      const head = parseTreeHead(`${vkey}\n${decimal}\n${encoded}\n`)
      if (!key || !head || more.length > 0) return false
      retired.push({ key, size: head.size, root: head.root })
      return true
    },
    witness([name = '', vkey = '', url, ...more]) {
      const key = newKey(vkey, [COSIGNATURE, ML_DSA_44], witnesses)
      if (!key || more.length > 0 || !define(name)) return false
      witnesses.push({ name, key, ...(url !== undefined && { url }) })
      return true
    },
    group([name = '', rule = '', ...members]) {
      const threshold = thresholdOf(rule, members.length)
      if (threshold < 1 || threshold > members.length) return false
      for (const member of members) {
        if (!names.has(member) || taken.has(member)) return false
        taken.add(member)
      }
      if (!define(name)) return false
      groups.push({ name, threshold, members })
      return true
    },
    quorum([name = '', ...more]) {
      if (quorum !== undefined || more.length > 0 || !names.has(name)) return false
      quorum = name
      return true
    },
  }
  for (const line of text.split('\n')) {
    const [kind = '#', ...words] = line.match(/[^ \t]+/g) ?? []
    if (kind.startsWith('#') && kind !== RETIRED) continue
    // In ASCII, names that look alike are alike, whatever the version of Unicode.
    if (!/^[\t -~]*$/.test(line) || !own(lines, kind)?.(words)) return undefined
  }
  const isOfLog = ({ key }: RetiredKey): boolean => logs.some((log) => log.key.name === key.name)
  if (quorum === undefined || logs.length === 0 || !retired.every(isOfLog)) return undefined
  return { logs, retired, witnesses, groups, quorum }
}

/** Refuses a public key that is known already: under two names it would count twice. */
function newKey(
  vkey: string,
  types: readonly KeyType[],
  known: readonly { key: VerifierKey }[],
): VerifierKey | undefined {
  const key = parseVerifierKey(vkey)
  const isNew = key && types.includes(key.type) && !known.some((each) => equalBytes(each.key.publicKey, key.publicKey))
  return isNew ? key : undefined
}

function thresholdOf(rule: string, members: number): number {
  if (rule === 'any') return 1
  if (rule === 'all') return members
  return /^[1-9]\d{0,5}$/.test(rule) ? Number(rule) : 0
}
