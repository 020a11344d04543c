import { formatPolicy, type PolicyKey, type RetiredKey } from '../../proof/note/policy.ts'
import type { Resource } from '../http/resource.ts'

type Key = Pick<PolicyKey, 'name' | 'publicKey'>

export interface LogPolicyParts {
  baseUrl: () => string
  logs: readonly { name: string; currentKeys(): { signers: readonly Key[]; retired: readonly RetiredKey[] } }[]
  witnesses: { keys: readonly { key: Key; url: string }[]; quorum: number }
  /** The policy that a mirror has pinned, byte for byte. */
  pinned?: (() => string) | undefined
}

/** C2SP tlog-policy: the one file that a reader pins before trusting any proof. */
export const logPolicy = ({ baseUrl, logs, witnesses, pinned }: LogPolicyParts): Resource => ({
  name: 'get_log_policy',
  path: '/log/policy',
  summary: 'The log policy: keys of logs and witnesses, to pin first',
  tag: 'discovery',
  cache: 'no-cache',
  forms: [
    {
      type: 'text/plain; charset=utf-8',
      render() {
        if (pinned) return pinned()
        const keys = logs.map((log) => ({ url: `${baseUrl()}/log/${log.name}`, ...log.currentKeys() }))
        return formatPolicy(
          keys.flatMap(({ url, signers }) => signers.map(({ name, publicKey }) => ({ name, publicKey, url }))),
          witnesses.keys.map(({ key: { name, publicKey }, url }) => ({ name, publicKey, url })),
          witnesses.quorum,
          keys.flatMap(({ retired }) => retired),
        )
      },
    },
  ],
})
