import { expect, test } from 'bun:test'
import { AgentCard, agentCard } from './agent-card.ts'
import { BASE, discoveryParts, rendered } from './fixture.ts'

const card = async () => AgentCard.parse(JSON.parse(await rendered(agentCard(discoveryParts()), 'application/json')))

test('the card has the members A2A 1.0 requires and none of those it dropped', async () => {
  const members = Object.keys(await card())
  for (const required of [
    'name',
    'description',
    'supportedInterfaces',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ])
    expect(members).toContain(required)
  for (const dropped of ['url', 'preferredTransport', 'protocolVersion', 'security', 'additionalInterfaces'])
    expect(members).not.toContain(dropped)
})

test('the card offers the one interface that answers', async () => {
  const { supportedInterfaces, capabilities } = await card()
  expect(supportedInterfaces).toEqual([
    { url: BASE, protocolBinding: `${BASE}/api/openapi.json`, protocolVersion: '1.0' },
  ])
  expect(Object.values(capabilities)).toEqual([false, false, false])
})

test('every operation that reads is a skill, and a protected one names its scope', async () => {
  const { skills, securitySchemes } = await card()
  expect(skills.map(({ id }) => id)).toEqual(['get_readme', 'lookup_reference', 'browse_registry'])
  const [, lookup, browse] = skills
  expect(lookup).toEqual({
    id: 'lookup_reference',
    name: 'Lookup reference',
    description: 'One cited price. Open to all.',
    tags: ['agent-tools'],
  })
  expect(browse?.securityRequirements).toEqual([{ schemes: { AgentRails: { list: ['registry:read'] } } }])
  expect(browse?.description).toContain('registry:read')
  expect(securitySchemes.AgentRails.apiKeySecurityScheme).toMatchObject({ location: 'header', name: 'X-Agent-Rails' })
})
