/** @jsxImportSource hono/jsx */
import { z } from 'zod'
import type { Operation } from '../../operation.ts'
import { PROBLEMS, type ProblemCode } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import type { DiscoveryParts } from '../discovery/descriptor.ts'
import type { Frame } from '../site/frame.ts'
import { connections } from '../site/landing-facts.ts'
import { ScrollingTable, Snippet, WithCode } from '../site/layout.tsx'
import { blocks, bullets, markdownCode, markdownText } from '../site/markup.ts'
import type { PageForms } from './site-page.ts'

export interface DocsParts extends DiscoveryParts {
  frame: Frame
  limits: { default_rpm: number; reference_rpm: number; log_rpm: number }
}

export const docsForms = (parts: DocsParts): PageForms => ({
  html: async () => docsHtml(parts),
  markdown: async () => docsMarkdown(parts),
  json: async () => ({ operations: parts.operations().map(described), problems: problems() }),
})

interface DescribedOperation {
  name: string
  method: string
  path: string
  summary: string
  description: string
  access: string
  parameters: { name: string; required: boolean; description: string }[]
}

/** From the schema that the operation reads its input with, as the OpenAPI document is. */
function described({ name, http, summary, description, access, input }: Operation): DescribedOperation {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' })
  const parameters = Object.entries(properties).map(([parameter, schema]) => ({
    name: parameter,
    required: required.includes(parameter),
    description: typeof schema === 'object' ? (schema.description ?? '') : '',
  }))
  return { name, method: http.method, path: http.path, summary, description, access, parameters }
}

const needs = (access: string): string =>
  ({ public: 'open to all', agent_key: 'an agent key' })[access] ?? `a rails token with the scope ${access}`

const problems = () =>
  (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => ({
    code,
    status: STATUS[PROBLEMS[code].kind],
    title: PROBLEMS[code].title,
  }))

const PROOF_STEPS = [
  'The row is a leaf of a Merkle tree over all rows of its release.',
  'The release names its source files by their SHA-256 hashes, and is in force by a leaf of the timeline.',
  'Timeline and providers stand in a state, the last entry of an append-only log.',
  'The checkpoint of the log is signed, and cosigned by witnesses where there are some.',
  'The rule of the lookup is public, so a verifier decides itself that this is the answer to the question.',
] as const

const limitSentences = ({ default_rpm, reference_rpm, log_rpm }: DocsParts['limits']): string[] => [
  `Lookups: ${reference_rpm} requests a minute. A batch counts each of its lines, a price page ten.`,
  `The log and its tiles: ${log_rpm} requests a minute. Everything else: ${default_rpm}.`,
  'By key where a valid credential is sent, otherwise by address. `RateLimit` says what is left; a 429 says when to come again.',
]

const SECTIONS = [
  ['start', 'Quick start'],
  ['api', 'Operations'],
  ['mcp', 'MCP and A2A'],
  ['rails', 'Access'],
  ['proofs', 'Proofs'],
  ['limits', 'Limits'],
  ['problems', 'Problems'],
] as const

const docsHtml = (parts: DocsParts): Promise<string> =>
  parts.frame({
    title: 'Documentation: Agent Trust Registry',
    description: 'Quick start, every operation, MCP, access, proofs, limits and problems.',
    path: '/docs',
    main: (
      <>
        <section class="doc">
          <h1>Documentation</h1>
          <nav aria-label="On this page">
            <ul>
              {SECTIONS.map(([id, title]) => (
                <li>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </nav>
        </section>
        <section id="start">
          <h2>Quick start</h2>
          <p>
            Ask for a code, a place and a day. The answer is JSON with its proof; a code without a price gets a typed
            404, which is an answer too.
          </p>
          <div class="columns">
            {connections(parts.baseUrl()).map((each) => (
              <Snippet {...each} />
            ))}
          </div>
        </section>
        <section id="api">
          <h2>Operations</h2>
          <p>
            The whole interface with all shapes is in the <a href="/api/openapi.json">OpenAPI description</a>; a{' '}
            <a href="/api/openapi-core.json">short one</a> has the fourteen routes of the contract alone.
          </p>
          {parts.operations().map((operation) => (
            <OperationDoc {...described(operation)} />
          ))}
        </section>
        <section id="mcp">
          <h2>MCP and A2A</h2>
          <p>
            The same operations are tools at <code>/mcp</code> (streamable HTTP), and over standard input by{' '}
            <code>atr mcp</code>. Agents that speak A2A send messages to <code>/a2a</code>; the signed{' '}
            <a href="/.well-known/agent-card.json">agent card</a> lists the skills. The{' '}
            <a href="/index.md">guide for agents</a> has every call in few words.
          </p>
        </section>
        <section id="rails">
          <h2>Access</h2>
          {parts.notice === undefined ? <Access {...parts} /> : <p>{parts.notice}</p>}
        </section>
        <section id="proofs">
          <h2>Proofs</h2>
          <ol class="steps">
            {PROOF_STEPS.map((step) => (
              <li>{step}</li>
            ))}
          </ol>
          <p>
            Keep the <a href="/log/policy">log policy</a> once, from a source that you trust, and check every answer
            with it.
          </p>
        </section>
        <section id="limits">
          <h2>Limits</h2>
          <ul>
            {limitSentences(parts.limits).map((sentence) => (
              <li>
                <WithCode words={sentence} />
              </li>
            ))}
          </ul>
        </section>
        <section id="problems">
          <h2>Problems</h2>
          <p>Every refusal has a code that never changes, and a page.</p>
          <ScrollingTable id="problem-list" caption="All codes" stacked head={['Code', 'Status', 'Meaning']}>
            {problems().map(({ code, status, title }) => (
              <tr>
                <th scope="row">
                  <a href={`/problems/${code}`}>{code}</a>
                </th>
                <td data-label="Status">{status}</td>
                <td>{title}</td>
              </tr>
            ))}
          </ScrollingTable>
        </section>
      </>
    ),
  })

const Access = ({ rails }: DocsParts) => (
  <>
    <ol class="steps">
      {rails.flow.map((step) => (
        <li>{step}</li>
      ))}
    </ol>
    <p>
      OAuth clients get the same tokens at <code>/token</code>. More: <a href="/auth.md">how to get in</a>,{' '}
      <a href="/api/agent-rails/policy">rails policy</a>.
    </p>
  </>
)

const OperationDoc = ({ name, method, path, summary, description, access, parameters }: DescribedOperation) => (
  <details id={name}>
    <summary>
      <code>{`${method} ${path}`}</code> {summary}
    </summary>
    <p>
      <WithCode words={description} />
    </p>
    <p class="small">Needs: {needs(access)}.</p>
    {parameters.length > 0 && (
      <dl class="facts">
        {parameters.map((parameter) => (
          <>
            <dt>
              <code>{parameter.name}</code>
              {parameter.required && ' (required)'}
            </dt>
            <dd>
              <WithCode words={parameter.description} />
            </dd>
          </>
        ))}
      </dl>
    )}
  </details>
)

const docsMarkdown = (parts: DocsParts): string =>
  blocks([
    '# Documentation',
    '## Quick start',
    ...connections(parts.baseUrl()).map(({ label, text }) => `${label}:\n\n\`\`\`\n${text}\n\`\`\``),
    '## Operations',
    bullets(
      parts.operations().map((operation) => {
        const { method, path, summary, access } = described(operation)
        return `${markdownCode(`${method} ${path}`)}: ${markdownText(summary)} (${needs(access)})`
      }),
    ),
    '## Access',
    parts.notice ?? parts.rails.flow.map((step, at) => `${at + 1}. ${markdownText(step)}`).join('\n'),
    '## Proofs',
    bullets(PROOF_STEPS),
    '## Limits',
    bullets(limitSentences(parts.limits)),
    '## Problems',
    bullets(
      problems().map(({ code, status, title }) => `[${code}](/problems/${code}), ${status}: ${markdownText(title)}`),
    ),
  ])
