import { z } from 'zod'
import { Problem } from '../../problem.ts'
import { jsonForm, type Resource } from '../http/resource.ts'

const OK = { status: 'ok' } as const
const Health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health', description: 'All is well' })
const RETRY_SECONDS = 5

export interface HealthParts {
  /** Whether the service can answer from its store now. */
  ready: () => Promise<boolean>
}

/** Probes for process managers and load balancers: whether the process runs, and whether it can answer. */
export const healthResources = ({ ready }: HealthParts): Resource[] => [
  {
    name: 'get_health',
    path: '/healthz',
    summary: 'The process runs',
    tag: 'discovery',
    cache: 'no-store',
    limit: 'probe',
    forms: [jsonForm(Health, () => OK)],
  },
  {
    name: 'get_readiness',
    path: '/readyz',
    summary: 'Whether the service can answer',
    tag: 'discovery',
    cache: 'no-store',
    limit: 'probe',
    forms: [
      jsonForm(Health, async () => {
        // Reporting a failed check is the purpose of this route, so it is a refusal and not a fault.
        const isReady = await ready().catch((cause: unknown) => Promise.reject(notReady(cause)))
        if (!isReady) throw notReady()
        return OK
      }),
    ],
  },
]

const notReady = (cause?: unknown): Problem =>
  new Problem('unavailable', 'the service is not ready to answer', {
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  })
