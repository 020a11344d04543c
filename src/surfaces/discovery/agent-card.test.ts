import { expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import { calculateJwkThumbprint, flattenedVerify, type JWK } from 'jose'
import { purposeKey } from '../../rails/purpose-key.ts'
import { skillsOf } from '../a2a/endpoint.ts'
import { AgentCard, agentCard } from './agent-card.ts'
import { BASE, discoveryParts, rendered } from './fixture.ts'
import { jwks } from './jwks.ts'

const parts = () => {
  const discovery = discoveryParts()
  const key = purposeKey(new Uint8Array(32).fill(7), 'agent-card')
  return {
    ...discovery,
    skills: () => skillsOf(discovery.operations()),
    a2aPath: '/a2a',
    tokenPath: '/token',
    key,
    isSignedTwice: false,
  }
}
const text = () => rendered(agentCard(parts()), 'application/json')
const card = async () => AgentCard.parse(JSON.parse(await text()))

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

test('the card offers the interfaces that answer, A2A first', async () => {
  const { supportedInterfaces, capabilities } = await card()
  expect(supportedInterfaces).toEqual([
    { url: `${BASE}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
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
    examples: expect.any(Array),
  })
  expect(browse?.securityRequirements).toEqual([
    { schemes: { AgentRails: { list: ['registry:read'] } } },
    { schemes: { OAuth: { list: ['registry:read'] } } },
  ])
  expect(browse?.description).toContain('registry:read')
  expect(securitySchemes.AgentRails.apiKeySecurityScheme).toMatchObject({ location: 'header', name: 'X-Agent-Rails' })
})

test('the card is signed by its own key, the same bytes each time, and any change breaks the signature', async () => {
  expect(await text()).toBe(await text())
  const { keys } = JSON.parse(await rendered(jwks([parts().key]), 'application/json')) as { keys: JWK[] }
  const check = async ({ signatures, ...unsigned }: Awaited<ReturnType<typeof card>>) => {
    const payload = Buffer.from(canonicalize(unsigned) ?? '').toString('base64url')
    const [signature = { protected: '', signature: '' }] = signatures
    const { protectedHeader } = await flattenedVerify({ ...signature, payload }, keys[0] as JWK)
    return protectedHeader
  }
  const kid = keys[0]?.kid ?? ''
  expect(kid).toBe(await calculateJwkThumbprint(keys[0] as JWK))
  expect(await check(await card())).toEqual({ alg: 'EdDSA', typ: 'JOSE', kid, jku: `${BASE}/.well-known/jwks.json` })
  const lie = { ...(await card()), version: '9.9.9' }
  expect(check(lie)).rejects.toThrow('signature verification failed')
})

test('keys of different purposes and of different installations differ', () => {
  const pepper = (fill: number) => new Uint8Array(32).fill(fill)
  const kids = [purposeKey(pepper(1), 'a'), purposeKey(pepper(1), 'b'), purposeKey(pepper(2), 'a')].map(
    ({ kid }) => kid,
  )
  expect(new Set(kids).size).toBe(3)
  expect(purposeKey(pepper(1), 'a').kid).toBe(kids[0] as string)
})
