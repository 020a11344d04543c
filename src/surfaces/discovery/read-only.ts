// A mirror issues no keys and no tokens, and knows nothing that is not in the logs.

import { z } from 'zod'
import type { Access, Operation } from '../../operation.ts'
import { Problem } from '../../problem.ts'

export interface ReadOnlyParts {
  /** The address of the service that is mirrored, where it is known. */
  service: string | null
  now: () => number
  /** The operations that are answered here. */
  answered: () => readonly Operation[]
}

/** Public, and about the rails or about what a service has beside its logs. */
const NOT_HERE = ['get_policy', 'get_authorization_server', 'get_protected_resource', 'get_protected_part']
/** As old as the newest state of a service that runs may be: it appends one each day. */
const MOST_AGE_MS = 26 * 3_600_000

/** Whether a mirror answers it. Takes what the service has, before it is made read-only. */
export const isHere = ({ name, access = 'public' }: { name: string; access?: Access | undefined }): boolean =>
  access === 'public' && !NOT_HERE.includes(name)

const refusal = ({ service }: ReadOnlyParts): Problem =>
  new Problem('not_on_mirror', undefined, service === null ? {} : { members: { service } })

/** Said wherever a mirror describes itself. */
export const mirrorNotice = (service: string | null): string =>
  `This is a mirror of ${service ?? 'a service whose address is not in its log policy'}: it answers from a verified copy and cannot issue tokens.`

const MirrorNote = z
  .strictObject({
    of: z.string().nullable().meta({ description: 'The address of the service; null if it is not known' }),
    notice: z.string(),
    answers: z.array(z.string()).meta({ description: 'Every operation that is answered here' }),
  })
  .meta({ id: 'MirrorNote', description: 'What a mirror says of itself' })

/** The operations of a mirror: those that need a credential, or more than the logs, refuse and say where to ask. */
export const readOnlyOperations = (operations: readonly Operation[], parts: ReadOnlyParts): Operation[] =>
  operations.map((each): Operation => {
    if (each.name === 'get_status') return withNote(withAge(each, parts), parts)
    if (each.name === 'get_readme') return withNote(each, parts)
    if (isHere(each)) return each
    const { cost: _cost, heavy: _heavy, stamp: _stamp, ...op } = each
    return { ...op, access: 'public', cache: 'no-store', run: () => Promise.reject(refusal(parts)) }
  })

/** A description of the service that says what it is. */
function withNote(each: Operation, { service, answered }: ReadOnlyParts): Operation {
  const mirror = (): z.input<typeof MirrorNote> => ({
    of: service,
    notice: mirrorNotice(service),
    answers: answered().map(({ http }) => `${http.method} ${http.path}`),
  })
  return {
    ...each,
    output: (each.output as z.ZodObject).extend({ mirror: MirrorNote }),
    run: async (input, caller) => ({ ...((await each.run(input, caller)) as object), mirror: mirror() }),
  }
}

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
