import { formatPolicy, type PolicyKey, type RetiredKey } from '../../proof/note/policy.ts'
import type { Resource } from '../http/resource.ts'

/** C2SP tlog-policy: the one file that a reader pins before trusting any proof. */
export const logPolicy = (
  keys: () => { logs: readonly PolicyKey[]; retired: readonly RetiredKey[] },
  witnesses: readonly PolicyKey[],
  quorum: number,
  /** Of a mirror: the policy that was pinned, as it is. */
  pinned?: () => string,
): Resource => ({
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
        const { logs, retired } = keys()
        return formatPolicy(logs, witnesses, quorum, retired)
      },
    },
  ],
})
