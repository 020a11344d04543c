import { z } from 'zod'
import { type Operation, operation } from '../../operation.ts'
import { WorkQueue } from '../../work-queue.ts'
import type { Resource } from '../http/resource.ts'
import { httpSurface } from '../http/router.ts'
import type { LandingParts } from '../site/landing-facts.ts'
import { type DiscoveryParts, readmeOperation, serviceDescriptor } from './descriptor.ts'

// What the tests of the discovery surfaces share: a small service whose every value is known.

export const BASE = 'https://trust.example'

const anOperation = (spec: Pick<Operation, 'name' | 'summary' | 'tag' | 'http' | 'access'>): Operation =>
  operation({
    ...spec,
    description: spec.summary,
    limit: 'default',
    cache: 'no-store',
    input: z.strictObject({}),
    output: z.strictObject({}),
    problems: [],
    run: async () => ({}),
  })

export const discoveryParts = (): DiscoveryParts => {
  const parts: DiscoveryParts = {
    baseUrl: () => BASE,
    rails: {
      flow: [
        'read the policy',
        'ask for a nonce',
        'send X-Agent-Key: <AGENT_KEY> and the nonce',
        'call with the token',
      ],
      naming: { agent_rails: 'the rails', agent_tools: 'the tools', agent_structures: 'the structures' },
      protected_routes: {
        '/api/registry': ['registry:read'],
        '/api/provider/{npi}': ['provider:read'],
        '/api/data-integrity': ['integrity:read'],
        '/api/figure-changes': ['audit:read'],
      },
      header: 'X-Agent-Rails',
    },
    operations: () => [
      readmeOperation(parts),
      anOperation({
        name: 'lookup_reference',
        summary: 'One cited price',
        tag: 'agent-tools',
        http: { method: 'GET', path: '/reference' },
        access: 'public',
      }),
      anOperation({
        name: 'browse_registry',
        summary: 'Cited rows',
        tag: 'agent-tools',
        http: { method: 'GET', path: '/api/registry' },
        access: 'registry:read',
      }),
      anOperation({
        name: 'attest',
        summary: 'A token for a nonce',
        tag: 'agent-rails',
        http: { method: 'POST', path: '/api/agent-rails/attest' },
        access: 'agent_key',
      }),
    ],
  }
  return parts
}

export const landingParts = (facts: Partial<LandingParts> = {}): LandingParts => ({
  ...discoveryParts(),
  stamp: () => undefined,
  readme: async () => serviceDescriptor(discoveryParts()),
  figures: async () => ({
    w: 0.62,
    r: 0.07,
    p: null,
    savings: { total: '120000.00', median: '1250.00' },
    as_of: '2026-10-01T00:00:00.000Z',
    data_class: 'published',
  }),
  charts: async () => ({
    list: [
      {
        chart: 'cms-pfs',
        title: 'Medicare Physician Fee Schedule',
        edition: 'RVU26D',
        effective_from: '2026-10-01',
        rows: 12345,
        data_class: 'published',
      },
    ],
    total: 1,
    hasSample: false,
  }),
  example: async () => ({
    cpt: '99213',
    amount: '95.19',
    region: 'national',
    effective_from: '2026-10-01',
    release_id: 'cms-pfs:RVU26D:1',
    file: 'PPRRVU.csv',
    line: 4312,
  }),
  ...facts,
})

/** The resources behind the real HTTP surface, with a door that stands open. */
export function served(
  ...resources: Resource[]
): (path: string, headers?: Record<string, string>) => Promise<Response> {
  const { fetch } = httpSurface({
    operations: [],
    resources,
    gate: { enter: async () => ({}), heavy: new WorkQueue() },
    baseUrl: () => BASE,
    observe: () => {},
    randomId: () => 'request-1',
  })
  return async (path, headers = {}) => fetch(new Request(`${BASE}${path}`, { headers }), '192.0.2.1')
}

/** One form of a document by its type, rendered. */
export async function rendered(resource: Resource, type: string, parameter = ''): Promise<string> {
  const form = resource.forms.find((each) => each.type.startsWith(type))
  if (!form) throw new Error(`the document has no form ${type}`)
  return String(await form.render(parameter))
}
