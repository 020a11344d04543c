import { expect, test } from 'bun:test'
import { readmeOperation, ServiceDescriptor } from './descriptor.ts'
import { discoveryParts } from './fixture.ts'

const readme = async () => ServiceDescriptor.parse(await readmeOperation(discoveryParts()).run({}, {}))

test('the briefing has exactly the members the contract names', async () => {
  const descriptor = await readme()
  expect(Object.keys(descriptor)).toEqual([
    'service',
    'version',
    'description',
    'human_site',
    'surface',
    'naming',
    'discovery',
    'endpoints',
    'metrics',
    'agent_rails',
    'rules',
  ])
  expect(descriptor).toMatchObject({ service: 'Agent Trust Registry', version: '1.0.0', human_site: '/' })
  expect(Object.keys(descriptor.endpoints)).toEqual(['figures', 'registry', 'provider', 'integrity', 'reference'])
  expect(descriptor.metrics.provenance).toBe('service_outcomes_ledger')
})

test('the briefing tells an agent which paths are protected and how to get in', async () => {
  const { agent_rails } = await readme()
  expect(agent_rails.required_for).toEqual([
    '/api/registry',
    '/api/provider/{npi}',
    '/api/data-integrity',
    '/api/figure-changes',
  ])
  expect(agent_rails.flow).toHaveLength(4)
  expect(agent_rails.header).toBe('X-Agent-Rails')
})

test('the three rules of the contract come first', async () => {
  const { rules } = await readme()
  expect(rules.slice(0, 3)).toEqual([
    'Provider contacts are never guessed; citations are required.',
    'Settlement confirmation on the SMS path is approved by the member.',
    'Registry rows without proof blocks are rejected.',
  ])
  expect(rules.length).toBeLessThanOrEqual(6)
})

test('the briefing is open to all and may be cached for an hour', () => {
  expect(readmeOperation(discoveryParts())).toMatchObject({
    name: 'get_readme',
    http: { method: 'GET', path: '/api/readme' },
    access: 'public',
    tag: 'discovery',
    cache: 'public, max-age=3600',
  })
})
