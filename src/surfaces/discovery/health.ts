import { z } from 'zod'
import { refusalOf } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { jsonForm, type Resource } from '../http/resource.ts'

const OK = { status: 'ok' } as const
const Health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health', description: 'All is well' })
const RETRY_SECONDS = 5

export interface HealthParts {
  /** Throws if lookups cannot be answered now. */
  ready: () => Promise<unknown>
  /** Whether the service is about to stop. */
  isLeaving: () => boolean
}

/** Probes for process managers and load balancers: whether the process runs, has started, and can answer. */
export function healthResources({ ready, isLeaving }: HealthParts): Resource[] {
  let hasStarted = false
  const answerable = async () => {
    // Reporting a failed check is the purpose of these routes, so it is a refusal and not a fault.
    await ready().catch((cause: unknown) => Promise.reject(notReady(cause)))
    hasStarted = true
    return OK
  }
  const probe = { tag: 'discovery', cache: 'no-store', limit: 'probe' } as const
  return [
    {
      ...probe,
      name: 'get_health',
      path: '/healthz',
      summary: 'The process runs',
      forms: [jsonForm(Health, () => OK)],
    },
    {
      ...probe,
      name: 'get_liveness',
      path: '/livez',
      summary: 'The process runs: the same as /healthz, under the name that Kubernetes uses',
      forms: [jsonForm(Health, () => OK)],
    },
    {
      ...probe,
      name: 'get_startup',
      path: '/startupz',
      summary: 'Whether the service has been able to answer since it was started',
      forms: [jsonForm(Health, async () => (hasStarted ? OK : answerable()))],
    },
    {
      ...probe,
      name: 'get_readiness',
      path: '/readyz',
      summary: 'Whether the service can answer lookups now, and is not about to stop',
      forms: [
        jsonForm(Health, async () => {
          if (isLeaving()) throw notReady(undefined, LEAVING)
          return answerable()
        }),
      ],
    },
  ]
}

const LEAVING = 'the service is about to stop: ask another machine'

/** What callers are told of a refusal is our own text. */
const notReady = (cause: unknown, why = refusalOf(cause)?.detail ?? 'the service is not ready to answer'): Problem =>
  new Problem('unavailable', why, { retryAfterSeconds: RETRY_SECONDS, cause })
