import { z } from 'zod'
import { type Operation, operation } from '../../operation.ts'

/** Facts that the pages and files describing the service need from its other parts. */
export interface DiscoveryParts {
  baseUrl: () => string
  rails: {
    flow: readonly string[]
    naming: Record<'agent_rails' | 'agent_tools' | 'agent_structures', string>
    protected_routes: Record<string, readonly string[]>
    header: string
  }
  /** Operations of this service. */
  operations: () => readonly Operation[]
  /** Set on a mirror: that it is one. */
  notice?: string | undefined
  /** Where to reach the operator: a mailbox or an address of a page; undefined if the operator has not said. */
  contact?: string | undefined
}

/** A contact is a mailbox or the address of a page. */
export const isMailbox = (contact: string): boolean => /^[^@\s]+@[^@\s]+$/.test(contact)

export const SERVICE = 'Agent Trust Registry'
export const DESCRIPTOR_VERSION = '1.0.0'
export const ABOUT =
  'Cited reference prices for medical procedure codes, each with a proof that can be checked offline, ' +
  'and aggregate figures on medical bill disputes, for software agents.'

export const SURFACE = {
  public: 'Cited CPT prices and aggregate figures only',
  protected: 'Registry browse, provider stats, data-integrity report, figure-change audit log (needs the rails header)',
  excluded: 'Protected health information, member conversations, verified contact values, internal operations',
} as const

/** The rules for agents. The first three are the contract; the others say how to read an answer. */
export const RULES = [
  'Provider contacts are never guessed; citations are required.',
  'Settlement confirmation on the SMS path is approved by the member.',
  'Registry rows without proof blocks are rejected.',
  'A Medicare amount is a reference, not what a patient owes.',
  'A typed absence is an answer: do not invent a price.',
  'Verify proofs with keys pinned from /log/policy, never with keys taken from an answer.',
] as const

const text = (description: string) => z.string().meta({ description })
const texts = (description: string) => z.array(z.string()).meta({ description })

export const ServiceDescriptor = z
  .strictObject({
    service: text('Name of the service'),
    version: text('Version of this descriptor'),
    description: text('What the service does'),
    human_site: text('Path of the page for people'),
    surface: z
      .strictObject({
        public: text('What anyone may read'),
        protected: text('What needs a rails token'),
        excluded: text('What is never exposed'),
      })
      .meta({ description: 'What is public, what is protected and what is never exposed' }),
    naming: z
      .strictObject({
        agent_rails: text('What is called agent_rails'),
        agent_tools: text('What is called agent_tools'),
        agent_structures: text('What is called agent_structures'),
      })
      .meta({ description: 'What the three groups of the service are called' }),
    discovery: z
      .strictObject({
        human_site: text('The page for people'),
        agent_card: text('The agent card'),
        ai_plugin: text('The plugin manifest'),
        openapi: text('The OpenAPI description'),
        agent_rails_policy: text('How an agent gets access'),
      })
      .meta({ description: 'Paths of the documents that describe the service' }),
    endpoints: z
      .strictObject({
        figures: text('Aggregate dispute metrics'),
        registry: text('Cited rows, page by page'),
        provider: text('Redacted statistics of one provider'),
        integrity: text('Chart staleness and citation health'),
        reference: text('One cited price'),
      })
      .meta({ description: 'Path templates; names in braces are filled in by the caller' }),
    metrics: z
      .strictObject({
        w: text('Meaning of w'),
        r: text('Meaning of r'),
        p: text('Meaning of p'),
        provenance: z.literal('service_outcomes_ledger').meta({ description: 'Source of the metrics' }),
      })
      .meta({ description: 'What the keys of the figures mean' }),
    agent_rails: z
      .strictObject({
        required_for: texts('Paths that need a rails token'),
        flow: texts('The steps to obtain a token, in order'),
        header: text('The header that carries it'),
      })
      .meta({ description: 'How an agent gets access' }),
    rules: texts('The rules that an agent must follow'),
  })
  .meta({
    id: 'ServiceDescriptor',
    'x-plain': true,
    'x-long': true,
    description: 'A short description of the service for an agent that is new to it',
  })

export const serviceDescriptor = ({ rails }: DiscoveryParts): z.input<typeof ServiceDescriptor> => ({
  service: SERVICE,
  version: DESCRIPTOR_VERSION,
  description: ABOUT,
  human_site: '/',
  surface: SURFACE,
  naming: rails.naming,
  discovery: {
    human_site: '/',
    agent_card: '/.well-known/agent-card.json',
    ai_plugin: '/.well-known/ai-plugin.json',
    openapi: '/api/openapi.json',
    agent_rails_policy: '/api/agent-rails/policy',
  },
  endpoints: {
    figures: '/api/figures',
    registry: '/api/registry',
    provider: '/api/provider/{npi}',
    integrity: '/api/data-integrity',
    reference: '/reference?cpt={cpt}&region={region}&npi={npi}',
  },
  metrics: {
    w: 'Win rate: share of cases with 500 or more (currency units of the ledger) recovered',
    r: 'Recurring rate: share of cases flagged as ongoing treatment',
    p: 'Share of settlements resolved without certified-mail escalation',
    provenance: 'service_outcomes_ledger',
  },
  agent_rails: { required_for: Object.keys(rails.protected_routes), flow: [...rails.flow], header: rails.header },
  rules: [...RULES],
})

export const readmeOperation = (parts: DiscoveryParts): Operation =>
  operation({
    name: 'get_readme',
    summary: 'A short description of the service: what it offers, where, and the rules for agents',
    description:
      'Read this first: what is public, protected and never exposed, where each part is, what the metrics mean, how to get a token.',
    tag: 'discovery',
    http: { method: 'GET', path: '/api/readme' },
    access: 'public',
    limit: 'default',
    cache: 'public, max-age=3600',
    stamp: parts.baseUrl,
    input: z.strictObject({}),
    output: ServiceDescriptor,
    problems: [],
    run: async () => serviceDescriptor(parts),
  })
