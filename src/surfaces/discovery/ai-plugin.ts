import { z } from 'zod'
import { jsonForm, type Resource } from '../http/resource.ts'
import { ABOUT, type DiscoveryParts, isMailbox, RULES, SERVICE } from './descriptor.ts'

/** The plugin manifest, version 1. The lengths are those its readers allow. */
export const AiPlugin = z
  .strictObject({
    schema_version: z.literal('v1'),
    name_for_human: z.string().min(1).max(20),
    name_for_model: z.string().regex(/^[A-Za-z0-9_]{1,50}$/),
    description_for_human: z.string().min(1).max(100),
    description_for_model: z.string().min(1).max(8000),
    auth: z.strictObject({ type: z.literal('none') }),
    api: z.strictObject({ type: z.literal('openapi'), url: z.url() }),
    logo_url: z.url(),
    contact_email: z.string().regex(/^[^@\s]+@[^@\s]+$/),
    legal_info_url: z.url(),
  })
  .meta({ id: 'AiPlugin', 'x-spec': 'plugin manifest v1', description: 'Plugin manifest' })

export const aiPlugin = (parts: DiscoveryParts): Resource => ({
  name: 'get_ai_plugin',
  path: '/.well-known/ai-plugin.json',
  summary: 'The plugin manifest',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  stamp: parts.baseUrl,
  forms: [jsonForm(AiPlugin, () => manifest(parts))],
})

function manifest(parts: DiscoveryParts): z.input<typeof AiPlugin> {
  const base = parts.baseUrl()
  return {
    schema_version: 'v1',
    name_for_human: SERVICE,
    name_for_model: 'agent_trust_registry',
    description_for_human: 'Cited reference prices for CPT codes with proofs, and aggregate dispute figures.',
    description_for_model: forModel(parts),
    // No auth type of this format allows a custom header, so the description explains the rails.
    auth: { type: 'none' },
    api: { type: 'openapi', url: `${base}/api/openapi.json` },
    logo_url: `${base}/logo.svg`,
    contact_email: mailboxOf(parts.contact),
    legal_info_url: `${base}/#terms`,
  }
}

const forModel = ({ rails, notice }: DiscoveryParts): string =>
  [
    ABOUT,
    'Look up one price with GET /reference (cpt, region, npi) and the dispute figures with GET /api/figures; both are open to all.',
    ...(notice === undefined
      ? [
          `These paths need the header ${rails.header}: ${Object.keys(rails.protected_routes).join(', ')}.`,
          `To obtain a token: ${rails.flow.map((step, at) => `(${at + 1}) ${step}`).join('; ')}.`,
        ]
      : [notice]),
    `Rules: ${RULES.join(' ')}`,
  ].join(' ')

/** The format wants a mailbox. None is invented: `.invalid` (RFC 2606) says that there is none. */
const mailboxOf = (contact: string | undefined): string =>
  contact !== undefined && isMailbox(contact) ? contact : 'none@contact.invalid'

/** A page with a tick. It has its own colours, so it works on light and dark pages. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64" role="img" aria-label="Agent Trust Registry">' +
  '<rect width="64" height="64" rx="14" fill="#0b5d3b"/>' +
  '<g fill="none" stroke="#fff" stroke-linecap="round" stroke-linejoin="round">' +
  '<path d="M19 12h19l9 9v31H19z" stroke-width="3.5"/><path d="M38 12v9h9" stroke-width="3.5"/>' +
  '<path d="M26 36l5.5 5.5L41 31" stroke-width="4.5"/></g></svg>\n'

export const logo = (): Resource => ({
  name: 'get_logo',
  path: '/logo.svg',
  summary: 'The logo',
  tag: 'discovery',
  cache: 'public, max-age=86400',
  stamp: () => 'constant',
  headers: { 'content-security-policy': "default-src 'none'" },
  forms: [{ type: 'image/svg+xml', render: () => LOGO }],
})
