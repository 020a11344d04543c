import { STATUS } from '../../status.ts'
import type { RefusalPages } from '../http/exchange.ts'
import { jsonForm, type Resource } from '../http/resource.ts'
import { type Frame, PAGE_HEADERS } from '../site/frame.ts'
import { markdownText } from '../site/markup.ts'
import type { ProblemDocument } from './problem-html.tsx'
import { CODES, ProblemType, problemType } from './problem-type.ts'

const html = () => import('./problem-html.tsx')

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
    { type: 'text/html; charset=utf-8', render: async (code) => (await html()).problemHtml(frame, problemType(code)) },
    { type: 'text/markdown; charset=utf-8', render: (code) => problemMarkdown(problemType(code)) },
    jsonForm(ProblemType, problemType),
  ],
})

/** Refusals that many callers get at once have one page for all, so that a flood of them costs little. */
const MADE_ONCE: readonly unknown[] = [STATUS.limited, STATUS.unavailable]
const MOST_MADE = 128

/** The page that a browser gets in place of the problem document, with the same words, code and hint. */
export function refusalPages(frame: Frame): RefusalPages {
  const made = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    headers: PAGE_HEADERS,
    of(given) {
      const document = given as unknown as ProblemDocument
      if (!MADE_ONCE.includes(document.status)) return rendered(frame, document)
      const { code, detail, agent_hint, retry_after_seconds: wait } = document
      const what = JSON.stringify([code, detail, agent_hint, wait])
      return (
        made.get(what) ??
        rendered(frame, { ...document, request_id: '' }).then((page) => {
          if (made.size >= MOST_MADE) made.clear()
          made.set(what, page)
          return page
        })
      )
    },
  }
}

const rendered = async (frame: Frame, document: ProblemDocument): Promise<Uint8Array<ArrayBuffer>> =>
  (await html()).refusalHtml(frame, document)

const problemMarkdown = ({ code, title, status, meaning, agent_hint }: ProblemType): string =>
  `# ${markdownText(title)}

Problem \`${code}\`, HTTP status ${status}

## What it means

${meaning}

## What to do

${agent_hint}
`
