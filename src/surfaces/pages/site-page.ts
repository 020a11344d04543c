import type { Stamp } from '../../operation.ts'
import type { Resource } from '../http/resource.ts'
import { PAGE_HEADERS } from '../site/frame.ts'

/** The three formats that every page has. */
export interface PageForms {
  html: () => Promise<string>
  markdown: () => Promise<string>
  json: () => Promise<unknown>
}

interface SitePage {
  name: string
  path: string
  summary: string
  stamp: Stamp
  /** Asked when somebody reads the page. */
  forms: () => Promise<PageForms>
}

/** A page of the site. */
export const sitePage = ({ name, path, summary, stamp, forms }: SitePage): Resource => ({
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
    { type: 'text/html; charset=utf-8', render: async () => (await forms()).html() },
    { type: 'text/markdown; charset=utf-8', render: async () => (await forms()).markdown() },
    { type: 'application/json', render: async () => JSON.stringify(await (await forms()).json()) },
  ],
})
