import type { Operation } from '../../operation.ts'
import { ABOUT, type DiscoveryParts, RULES, SERVICE } from '../discovery/descriptor.ts'
import type { Resource } from '../http/resource.ts'
import { DOCUMENTS, type ServiceDocument } from './documents.ts'
import { GUIDE_EXAMPLES } from './guide-examples.ts'

const HOUR = 'public, max-age=3600'

/** Pages for agents that read text: where everything is, every call, and how to get in. */
export const guides = (parts: DiscoveryParts): Resource[] => [
  {
    name: 'get_llms_txt',
    path: '/llms.txt',
    summary: 'The table of contents for language models',
    tag: 'discovery',
    isBesideApi: true,
    cache: HOUR,
    forms: [{ type: 'text/plain; charset=utf-8', render: () => tableOfContents(parts) }],
  },
  markdown({ name: 'get_guide', path: '/index.md', summary: 'The guide for agents' }, () => guide(parts)),
  markdown({ name: 'get_auth_guide', path: '/auth.md', summary: 'How an agent gets in' }, () => authGuide(parts)),
]

const markdown = (page: Pick<Resource, 'name' | 'path' | 'summary'>, render: () => string): Resource => ({
  ...page,
  tag: 'discovery',
  isBesideApi: true,
  cache: HOUR,
  forms: [{ type: 'text/markdown; charset=utf-8', render }],
})

/** llmstxt.org: a title, a summary, and lists of links. */
function tableOfContents({ baseUrl, notice, operations }: DiscoveryParts): string {
  const base = baseUrl()
  const list = (section: ServiceDocument['section']): string =>
    DOCUMENTS.filter((document) => document.section === section && document.path !== '/llms.txt')
      .map(({ title, path, summary }) => `- [${title}](${base}${path}): ${summary}`)
      .join('\n')
  return [
    `# ${SERVICE}`,
    `> ${ABOUT}`,
    ...(notice === undefined ? [] : [`${notice} It answers ${answersOf(operations)}.`]),
    `One price: ${base}/reference?cpt=99213. MCP: ${base}/mcp. A2A: ${base}/a2a.`,
    RULES.map((rule) => `- ${rule}`).join('\n'),
    `## Docs\n\n${list('docs')}`,
    `## Machine-readable\n\n${list('machine')}`,
    `## Optional\n\n${list('optional')}`,
  ]
    .join('\n\n')
    .concat('\n')
}

/** On a mirror, which does not answer everything. */
const answersOf = (operations: DiscoveryParts['operations']): string =>
  operations()
    .map(({ http }) => `${http.method} ${http.path}`)
    .join(', ')

/** Descriptions of the parameters that several calls share. */
const PARAMETERS: Record<string, string> = {
  cpt: 'CPT or HCPCS code, `99213`',
  region: '`national`, state `CA`, locality `US-CA-05`, or ZIP `94102`',
  npi: 'a hospital, for its own prices',
  as_of: 'day of service, `2026-07-01`; today',
  modifier: '`26`, `TC`, `50`, up to four as `26-59`',
  setting: '`facility`, `non_facility`, `asc`, `outpatient`, `rural`, `non_rural`; with npi also `inpatient`',
  basis: 'kind of price, `medicare_pfs`, `hospital_cash`, …',
  proof: '`full` or `ref` (short)',
  limit: '1 to 200; 50',
  offset: '0 to 100000; 0',
}

const TOKENS =
  'An operator makes an agent key: `atr keys create --name you --scopes registry:read`. With it: POST /api/agent-rails/challenge, then POST /api/agent-rails/attest `{"nonce":"…"}`, both with `X-Agent-Key`; then send `X-Agent-Rails: <rails_token>`.'

function guide({ baseUrl, operations, notice }: DiscoveryParts): string {
  const base = baseUrl()
  const shown = operations().filter(({ name }) => name in GUIDE_EXAMPLES)
  const used = new Set(shown.flatMap(parametersOf))
  const meanings = Object.entries(PARAMETERS).filter(([name]) => used.has(name))
  return `# ${SERVICE}

${notice === undefined ? '' : `${notice} It answers ${answersOf(operations)}.\n\n`}${ABOUT} All paths are below ${base}. Answers are JSON; errors are RFC 9457 with \`code\` and \`agent_hint\`.

## Parameters

${meanings.map(([name, meaning]) => `- \`${name}\`: ${meaning}`).join('\n')}

## Calls

${shown.map(callLine).join('\n')}

A 404 with a \`code\` such as \`absent_bundled\` or \`not_on_schedule\` is an answer with a proof: do not invent a price.

## Access

${notice === undefined ? `Public calls need nothing. ${TOKENS} More: ${base}/auth.md` : 'What is answered here needs nothing.'}

## Check a proof

Save ${base}/log/policy once. \`atr verify '${base}/reference?cpt=99213' --policy policy.txt\`, or \`verifyBody(text, policy, asked)\` of the package’s \`./verify\`. With \`proof=ref\`, \`proof.href\` has the whole proof.

## MCP and A2A

MCP: ${base}/mcp, or \`atr mcp\` over stdio. A2A: ${base}/a2a.
`
}

const parametersOf = ({ input }: Operation): string[] => Object.keys(input.shape)

function callLine(operation: Operation): string {
  const { name, summary, access } = operation
  const example = GUIDE_EXAMPLES[name]
  const needs = access === 'public' ? '' : ` (\`${access}\`)`
  const takes = parametersOf(operation)
  const list = takes.length > 0 ? ` Takes ${takes.join(', ')}.` : ''
  return `- ${summary}${needs}.${list}\n  \`${example?.call}\` → \`${example?.answer}\``
}

function authGuide({ baseUrl, rails, notice }: DiscoveryParts): string {
  const base = baseUrl()
  if (notice !== undefined)
    return `# auth.md: how an agent gets in\n\n${notice} What it answers needs nothing; for the rest, ask that service.\n`
  return `# auth.md: how an agent gets in

Prices and figures are public. These need a token: ${Object.entries(rails.protected_routes)
    .map(([path, scopes]) => `\`${path}\` (${scopes.join(', ')})`)
    .join(', ')}.

## Register

There is no sign-up. The operator of this service creates an agent key on the command line and hands it over:
\`atr keys create --name you --scopes registry:read [--public-key <Ed25519, base64>]\`.
Keys look like \`atk_\`, tokens like \`atr_\`, nonces like \`atn_\`, followed by letters and digits.

## Rails

${rails.flow.map((step, at) => `${at + 1}. ${step}`).join('\n')}

A nonce lives 120 seconds and works once; a token lives 900 seconds. A key with a public key must also sign: the policy at ${base}/api/agent-rails/policy says what.

## OAuth

Client credentials at ${base}/token, metadata at ${base}/.well-known/oauth-authorization-server. \`private_key_jwt\` for keys with a public key, \`client_secret_basic\` for others. Send the token as \`Authorization: Bearer\`; it lives at most 300 seconds.

## Revoke

\`atr keys revoke <id>\` ends a key and all its tokens at once, everywhere.
`
}
