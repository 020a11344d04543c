// What a mirror does not do: it issues no keys and no tokens, and knows nothing that is not in the logs.

import type { Access, Operation } from '../operation.ts'
import { Problem } from '../problem.ts'

export interface ReadOnlyParts {
  /** The address of the service that is mirrored, where it is known. */
  service: string | null
  now: () => number
}

/** Public, and about the rails or about what a service has beside its logs. */
const NOT_HERE = ['get_policy', 'get_authorization_server', 'get_protected_resource', 'get_protected_part']
/** As old as the newest state of a service that runs may be: it appends one each day. */
const MOST_AGE_MS = 26 * 3_600_000

const isHere = ({ name, access = 'public' }: { name: string; access?: Access | undefined }): boolean =>
  access === 'public' && !NOT_HERE.includes(name)

const refusal = ({ service }: ReadOnlyParts): Problem =>
  new Problem('not_on_mirror', undefined, service === null ? {} : { members: { service } })

/** The operations of a mirror: those that need a credential, or more than the logs, refuse and say where to ask. */
export const readOnlyOperations = (operations: readonly Operation[], parts: ReadOnlyParts): Operation[] =>
  operations.map((each): Operation => {
    if (each.name === 'get_status') return withAge(each, parts)
    if (isHere(each)) return each
    const { cost: _cost, heavy: _heavy, stamp: _stamp, ...op } = each
    return { ...op, access: 'public', cache: 'no-store', run: () => Promise.reject(refusal(parts)) }
  })

interface AnyResource {
  name: string
  access?: Access
  forms: readonly { render: (...values: string[]) => unknown }[]
}

export const readOnlyResources = <R extends AnyResource>(resources: readonly R[], parts: ReadOnlyParts): R[] =>
  resources.map((each) => {
    if (isHere(each)) return each
    const render = (): Promise<never> => Promise.reject(refusal(parts))
    return { ...each, access: 'public', forms: each.forms.map((form) => ({ ...form, render })) }
  })

interface Status {
  status: 'ok' | 'warn' | 'fail'
  status_reasons: string[]
  logs: { origin: string; signed_at: string }[]
}

/** The status of a mirror says how old its view is. It depends on the time, so it is made for each request. */
function withAge(each: Operation, { now }: ReadOnlyParts): Operation {
  const { stamp: _stamp, ...op } = each
  return {
    ...op,
    async run(input, caller) {
      const status = (await each.run(input, caller)) as Status
      const recorded = status.logs[0]?.signed_at ?? ''
      if (now() - Date.parse(recorded) <= MOST_AGE_MS) return status
      return {
        ...status,
        status: status.status === 'ok' ? 'warn' : status.status,
        status_reasons: [...status.status_reasons, `mirror_behind:${recorded}`],
      }
    },
  }
}
