import { z } from 'zod'
import { type Kind, PROBLEMS, type ProblemCode } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import { jsonForm } from '../http/json-form.ts'
import type { Resource } from '../http/resource.ts'
import { type Html, html, markdownText, PAGE_HEADERS, page } from './html.ts'

const CODES = Object.keys(PROBLEMS) as ProblemCode[]

const MEANING: Record<Kind, string> = {
  invalid: 'The request was understood to be wrong. Sent again unchanged, it is refused again.',
  unauthenticated: 'The caller did not show who it is in the way this route asks for.',
  forbidden: 'The caller is known and may not do this.',
  not_found: 'What was asked for is not there. This is an answer, not a failure.',
  method: 'The path exists and is used with another method.',
  not_acceptable: 'The Accept header leaves no form in which the answer could be given.',
  conflict: 'What was sent does not fit what is stored.',
  too_large: 'The body was not read because it is larger than any this route takes.',
  uri_too_long: 'The address was not read because it is longer than any this service has.',
  media_type: 'The body was not read because it is not of the one type this route takes.',
  headers_too_large: 'The headers together are larger than the service reads.',
  limited: 'The caller has asked more often than its quota allows.',
  fault: 'The request may have been right. The fault is on the side of the service.',
  unavailable: 'The service is starting, stopping or cannot reach its store.',
}

const ProblemType = z
  .strictObject({
    code: z.enum(CODES).meta({ description: 'Stable: never renamed' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    meaning: z.string(),
    agent_hint: z.string().meta({ description: 'What to do next' }),
  })
  .meta({ id: 'ProblemType', description: 'What one problem code means' })
type ProblemType = z.infer<typeof ProblemType>

function problemType(parameter: string): ProblemType {
  const code = ProblemType.shape.code.parse(parameter)
  const { kind, title, hint } = PROBLEMS[code]
  return { code, title, status: STATUS[kind], meaning: MEANING[kind], agent_hint: hint }
}

/** RFC 9457 asks that the type of a problem can be followed to an explanation: this is it. */
export const problemPages = (): Resource => ({
  name: 'get_problem',
  path: '/problems/{code}',
  summary: 'What a problem code means and what to do about it',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  lenient: true,
  parameters: [{ name: 'code', values: CODES, description: 'The `code` of a problem document' }],
  headers: PAGE_HEADERS,
  forms: [
    { type: 'text/html; charset=utf-8', render: (code) => problemHtml(problemType(code)) },
    { type: 'text/markdown; charset=utf-8', render: (code) => problemMarkdown(problemType(code)) },
    jsonForm(ProblemType, problemType),
  ],
})

const problemHtml = ({ code, title, status, meaning, agent_hint }: ProblemType): string =>
  page({
    title: `${code}: ${title}`,
    description: title,
    main: html`
<article class="problem">
<p class="small">Problem <code>${code}</code>, HTTP status ${status}</p>
<h1>${title}</h1>
<h2>What it means</h2>
<p>${meaning}</p>
<h2>What to do</h2>
<p>${withCode(agent_hint)}</p>
<p><a href="/api/openapi.json">Every route and the problems it can give</a></p>
</article>`,
  })

/** Our own words put names between backticks. */
const withCode = (words: string): Html[] =>
  words.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

const problemMarkdown = ({ code, title, status, meaning, agent_hint }: ProblemType): string =>
  `# ${markdownText(title)}

Problem \`${code}\`, HTTP status ${status}

## What it means

${meaning}

## What to do

${agent_hint}
`
