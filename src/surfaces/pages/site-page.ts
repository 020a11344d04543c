import type { Stamp } from '../../operation.ts'
import type { Resource } from '../http/resource.ts'
import { PAGE_HEADERS } from '../site/layout.tsx'

interface SitePage {
  name: string
  path: string
  summary: string
  stamp: Stamp
  html: () => Promise<string>
  markdown: () => Promise<string>
  json: () => Promise<unknown>
}

/** A page of the site, in the three formats that every page has. */
export const sitePage = ({ name, path, summary, stamp, html, markdown, json }: SitePage): Resource => ({
  name,
  path,
  summary,
  tag: 'discovery',
  isBesideApi: true,
  cache: 'public, max-age=300',
  lenient: true,
  stamp,
  headers: PAGE_HEADERS,
  forms: [
    { type: 'text/html; charset=utf-8', render: html },
    { type: 'text/markdown; charset=utf-8', render: markdown },
    { type: 'application/json', render: async () => JSON.stringify(await json()) },
  ],
})
