import { expect, test } from 'bun:test'
import { PATTERNS } from './credential.ts'
import { BASE_URL, testRails } from './fixture.ts'
import { additionalRoutes } from './policy.ts'

test('the policy has the members of the specification, and its additions are separate', async () => {
  await using rails = await testRails()
  const policy = await rails.answer('get_policy', {})
  expect(policy).toMatchObject({
    policy_version: '1.1.0',
    rails: 'service_agent_rails_v1',
    scopes: {
      'figures:read': expect.any(String),
      'registry:read': expect.any(String),
      'provider:read': expect.any(String),
      'integrity:read': expect.any(String),
      'audit:read': expect.any(String),
    },
    headers: { agent_key: 'X-Agent-Key', agent_rails: 'X-Agent-Rails' },
    rate_limits: { default_rpm: 120, reference_rpm: 300 },
    proof_required: true,
    pii_policy: 'aggregate_only',
    naming: {
      agent_rails: expect.any(String),
      agent_tools: expect.any(String),
      agent_structures: expect.any(String),
    },
    additional_public_routes: ['/api/coverage'],
    additional_protected_routes: { '/log/figures/entries': ['audit:read'] },
    'x-credential-patterns': PATTERNS,
    'x-lifetimes-seconds': { agent_key: 31_536_000, nonce: 120, rails_token: 900 },
  })
  expect(policy['flow']).toHaveLength(4)
  expect(policy['protected_routes']).toEqual({
    '/api/registry': ['registry:read'],
    '/api/provider/{npi}': ['provider:read'],
    '/api/data-integrity': ['integrity:read'],
    '/api/figure-changes': ['audit:read'],
  })
  expect(policy['public_routes']).toEqual([
    '/',
    '/api/readme',
    '/api/figures',
    '/reference',
    '/.well-known/ai-plugin.json',
    '/.well-known/agent-card.json',
    '/api/openapi.json',
    '/api/agent-rails/policy',
  ])
  expect(policy['x-proof-of-possession']).toMatchObject({
    message: 'service_agent_rails_v1\nattest\n<base_url>\n<key_id>\n<nonce>',
    base_url: BASE_URL,
  })
})

test('routes that the specification does not name are listed as additional, by their access', () => {
  const routes = additionalRoutes([
    { path: '/reference' },
    { path: '/api/registry', access: 'registry:read' },
    { path: '/price' },
    { path: '/api/coverage', access: 'public' },
    { path: '/log', access: 'audit:read' },
    { path: '/token', access: 'agent_key' },
  ])
  expect(routes).toEqual({
    additional_public: ['/price', '/api/coverage'],
    additional_protected: { '/log': ['audit:read'] },
  })
})
