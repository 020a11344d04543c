/** @jsxImportSource hono/jsx */
import { z } from 'zod'
import { type Entry, type Kind, PROBLEMS, type ProblemCode, withFullStop } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import { SERVICE } from '../discovery/descriptor.ts'
import type { RefusalPages } from '../http/exchange.ts'
import { jsonForm } from '../http/json-form.ts'
import type { Resource } from '../http/resource.ts'
import { type Frame, PAGE_HEADERS } from './layout.tsx'
import { markdownText } from './markup.ts'

const CODES = Object.keys(PROBLEMS) as ProblemCode[]

const MEANING: Record<Kind, string> = {
  invalid: 'Something in the request is wrong. If you send it again unchanged, it will be refused again.',
  unauthenticated: 'The request lacks the credential that this route needs, or the credential is not valid.',
  forbidden: 'The credential is valid but does not allow this.',
  not_found: 'There is nothing to return for this request. This is an answer, not a failure.',
  method: 'The path exists but does not accept this method.',
  not_implemented: 'No path of this service accepts this method.',
  precondition: 'What is stored is not what the request was made for. This is an answer, not a failure.',
  not_acceptable: 'The Accept header excludes every format in which the answer exists.',
  conflict: 'The request conflicts with what is stored.',
  too_large: 'The body was not read because it is larger than this route accepts.',
  uri_too_long: 'The address was not read because it is longer than this service accepts.',
  media_type: 'The body was not read because this route accepts JSON only.',
  headers_too_large: 'All headers together are larger than the service accepts.',
  limited: 'The caller has sent more requests than its quota allows.',
  fault: 'The service failed. The request may have been correct.',
  unavailable: 'The service is starting, stopping or cannot reach its store.',
}

const ProblemType = z
  .strictObject({
    code: z.enum(CODES),
    title: z.string(),
    status: z.int().min(400).max(599),
    meaning: z.string(),
    agent_hint: z.string().meta({ description: 'What to do next' }),
  })
  .meta({ id: 'ProblemType', description: 'What one problem code means' })
type ProblemType = z.infer<typeof ProblemType>

function problemType(parameter: string): ProblemType {
  const code = ProblemType.shape.code.parse(parameter)
  const { kind, title, hint, meaning = MEANING[kind] }: Entry = PROBLEMS[code]
  return { code, title, status: STATUS[kind], meaning, agent_hint: hint }
}

/** RFC 9457: the type of a problem should be the address of an explanation, which is this page. */
export const problemPages = (frame: Frame): Resource => ({
  name: 'get_problem',
  path: '/problems/{code}',
  summary: 'What a problem code means and what to do about it',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  stamp: () => 'constant',
  lenient: true,
  parameters: [{ name: 'code', values: CODES, description: 'The `code` of a problem document' }],
  headers: PAGE_HEADERS,
  forms: [
    { type: 'text/html; charset=utf-8', render: (code) => problemHtml(frame, problemType(code)) },
    { type: 'text/markdown; charset=utf-8', render: (code) => problemMarkdown(problemType(code)) },
    jsonForm(ProblemType, problemType),
  ],
})

const problemHtml = (frame: Frame, { code, title, status, meaning, agent_hint }: ProblemType): Promise<string> =>
  frame({
    title: `${code}: ${title}`,
    description: title,
    main: (
      <article class="problem">
        <p class="small">
          Problem <code>{code}</code>, HTTP status {status}
        </p>
        <h1>{title}</h1>
        <h2>What it means</h2>
        <p>{meaning}</p>
        <h2>What to do</h2>
        <p>
          <WithCode words={agent_hint} />
        </p>
        <p>
          <a href="/docs">All problems, and the routes that can give them</a>
        </p>
      </article>
    ),
  })

/** Of what is refused to many at once: the same page for all, so that a flood of refusals costs little. */
const MADE_ONCE: readonly unknown[] = [STATUS.limited, STATUS.unavailable]
const MOST_MADE = 128

interface ProblemDocument {
  code: ProblemCode
  title: string
  status: number
  detail: string
  agent_hint: string
  request_id: string
  retry_after_seconds?: number
  errors?: { name?: string; message: string }[]
}

/** What a browser is refused with, in place of the problem document: the same words, code and hint. */
export function refusalPages(frame: Frame): RefusalPages {
  const made = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    headers: PAGE_HEADERS,
    of(given) {
      const document = given as unknown as ProblemDocument
      if (!MADE_ONCE.includes(document.status)) return refusalHtml(frame, document)
      const { code, detail, agent_hint, retry_after_seconds: wait } = document
      const what = JSON.stringify([code, detail, agent_hint, wait])
      return (
        made.get(what) ??
        refusalHtml(frame, { ...document, request_id: '' }).then((page) => {
          if (made.size >= MOST_MADE) made.clear()
          made.set(what, page)
          return page
        })
      )
    },
  }
}

/** Members that the page says in words. */
const SAID = ['type', 'title', 'status', 'code', 'detail', 'agent_hint', 'request_id', 'retry_after_seconds', 'errors']

async function refusalHtml(frame: Frame, document: ProblemDocument): Promise<Uint8Array<ArrayBuffer>> {
  const { code, title, status, detail, agent_hint, request_id, retry_after_seconds: wait, errors = [] } = document
  const rest = Object.keys(document).some((member) => !SAID.includes(member))
  const page = await frame({
    title: `${title}: ${SERVICE}`,
    description: title,
    main: (
      <article class="problem">
        <p class="small">
          Problem <a href={`/problems/${code}`}>{code}</a>, HTTP status {status}
        </p>
        <h1>{title}</h1>
        {detail !== title && <p class="lead">{withFullStop(detail)}</p>}
        {errors.length > 0 && (
          <ul>
            {errors.map(({ name, message }) => (
              <li>
                {name !== undefined && <code>{name}</code>} {message}
              </li>
            ))}
          </ul>
        )}
        <h2>What to do</h2>
        <p>
          <WithCode words={agent_hint} />
        </p>
        {wait !== undefined && <p>Try again after {wait === 1 ? 'one second' : `${wait} seconds`}.</p>}
        {rest && (
          <details>
            <summary>The whole answer, with what proves it</summary>
            <pre tabindex={0}>
              <code>{JSON.stringify(document, null, 1)}</code>
            </pre>
          </details>
        )}
        {request_id !== '' && (
          <p class="small">
            Number of this request: <code>{request_id}</code>
          </p>
        )}
      </article>
    ),
  })
  return Buffer.from(page)
}

/** In our own texts, names stand between backticks. */
export const WithCode = ({ words }: { words: string }) => (
  <>{words.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
)

const problemMarkdown = ({ code, title, status, meaning, agent_hint }: ProblemType): string =>
  `# ${markdownText(title)}

Problem \`${code}\`, HTTP status ${status}

## What it means

${meaning}

## What to do

${agent_hint}
`
