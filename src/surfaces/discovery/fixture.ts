import { z } from 'zod'
import { type Operation, operation } from '../../operation.ts'
import { Queue } from '../../queue.ts'
import type { Resource } from '../http/resource.ts'
import { httpSurface } from '../http/router.ts'
import { refusalPages } from '../pages/problem-page.ts'
import type { FiguresAnswer } from '../site/figure-words.ts'
import { frameOf } from '../site/frame.ts'
import type { LandingParts } from '../site/landing-facts.ts'
import { type DiscoveryParts, readmeOperation } from './descriptor.ts'

// A small service whose every value is known, for the tests of the discovery surfaces.

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

const metric = <Value>(value: Value | null, standard_error: Value | null = null) => {
  const suppressed = value === null
  return { value, standard_error, suppressed, reason: suppressed ? 'small_cell' : null, definition: 'what it counts' }
}

export const figuresAnswer = (values: Partial<FiguresAnswer['metrics']> = {}): FiguresAnswer => ({
  savings: { median_band: null },
  cases_floor10: 480,
  settlements_floor10: 210,
  as_of: '2026-10-01T00:00:00.000Z',
  release_id: 'figures:2026-10-01',
  metrics: {
    w: metric(0.62, 0.021),
    r: metric(0.07, 0.008),
    p: metric<number>(null),
    savings_total: metric('120000.00', '3500.00'),
    savings_median: metric('1250.00'),
    ...values,
  },
  sdc_rule_version: '2.0.0',
  data_class: 'published',
})

/** Nothing was released yet. */
export const noFigures = (): FiguresAnswer => ({
  ...figuresAnswer(
    Object.fromEntries(['w', 'r', 'p', 'savings_total', 'savings_median'].map((key) => [key, metric(null)])),
  ),
  cases_floor10: null,
  settlements_floor10: null,
  as_of: null,
  release_id: null,
  data_class: null,
})

export const landingParts = (facts: Partial<LandingParts> = {}): LandingParts => ({
  ...discoveryParts(),
  stamp: () => undefined,
  frame: frameOf(),
  readme: readmeOperation(discoveryParts()),
  figures: async () => figuresAnswer(),
  hospitals: async () => [],
  charts: async () => [
    {
      chart: 'cms-pfs',
      title: 'Medicare Physician Fee Schedule',
      edition: 'RVU26D',
      effective_from: '2026-10-01',
      effective_to: '2026-12-31',
      rows: 12345,
      data_class: 'published',
      status: 'fresh',
    },
  ],
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
    gate: { enter: async () => ({}), queue: new Queue() },
    baseUrl: () => BASE,
    observe: () => {},
    randomId: () => 'request-1',
    refusalPages: refusalPages(frameOf()),
  })
  return async (path, headers = {}) => fetch(new Request(`${BASE}${path}`, { headers }), '192.0.2.1')
}

/** One form of a document by its type, rendered. */
export async function rendered(resource: Resource, type: string, parameter = ''): Promise<string> {
  const form = resource.forms.find((each) => each.type.startsWith(type))
  if (!form) throw new Error(`the document has no form ${type}`)
  return String(await form.render(parameter))
}
