/** @jsxImportSource hono/jsx */
import { type ProblemCode, withFullStop } from '../../problem.ts'
import { SERVICE } from '../discovery/descriptor.ts'
import type { Frame } from '../site/frame.ts'
import { WithCode } from '../site/layout.tsx'
import type { ProblemType } from './problem-type.ts'

export const problemHtml = (frame: Frame, { code, title, status, meaning, agent_hint }: ProblemType): Promise<string> =>
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

export interface ProblemDocument {
  code: ProblemCode
  title: string
  status: number
  detail: string
  agent_hint: string
  request_id: string
  retry_after_seconds?: number
  errors?: { name?: string; message: string }[]
}

/** Members that the page says in words. */
const SAID = ['type', 'title', 'status', 'code', 'detail', 'agent_hint', 'request_id', 'retry_after_seconds', 'errors']

export async function refusalHtml(frame: Frame, document: ProblemDocument): Promise<Uint8Array<ArrayBuffer>> {
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
