import { expect, test } from 'bun:test'
import { AiPlugin, aiPlugin, logo } from './ai-plugin.ts'
import { BASE, discoveryParts, rendered, served } from './fixture.ts'

const manifest = async (parts = discoveryParts()) =>
  AiPlugin.parse(JSON.parse(await rendered(aiPlugin(parts), 'application/json')))

test('the plugin manifest keeps to its lengths and points at the description', async () => {
  expect(await manifest()).toMatchObject({
    name_for_human: 'Agent Trust Registry',
    auth: { type: 'none' },
    api: { type: 'openapi', url: `${BASE}/api/openapi.json` },
    contact_email: 'none@contact.invalid',
    legal_info_url: `${BASE}/#terms`,
  })
})

test('a model learns from the manifest which header the protected paths need', async () => {
  const { description_for_model } = await manifest()
  expect(description_for_model).toContain('X-Agent-Rails')
  for (const path of Object.keys(discoveryParts().rails.protected_routes)) expect(description_for_model).toContain(path)
})

test('the contact is the mailbox that the operator names, and none is invented', async () => {
  const contactWhen = async (contact: string | undefined) =>
    (await manifest({ ...discoveryParts(), contact })).contact_email
  expect(await contactWhen('desk@operator.example')).toBe('desk@operator.example')
  expect(await contactWhen('https://operator.example/contact')).toEndWith('.invalid')
  expect(await contactWhen(undefined)).toEndWith('.invalid')
})

test('the logo of the manifest exists and can run nothing', async () => {
  const { logo_url } = await manifest()
  const response = await served(logo())(new URL(logo_url).pathname)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'")
  expect(await response.text()).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"')
})
