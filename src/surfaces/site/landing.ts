import { linksToDocuments } from '../guides/documents.ts'
import { jsonForm, type Resource } from '../http/resource.ts'
import { PAGE_HEADERS } from './frame.ts'
import { type LandingParts, landingFacts } from './landing-facts.ts'
import { landingMarkdown } from './landing-markdown.ts'

/** RFC 8288: links for programs that read the page. Only routes that exist. */
const LINKS = [
  linksToDocuments(),
  '</>; rel="service-doc"; type="text/html"',
  '</#terms>; rel="terms-of-service"; type="text/html"',
  '</>; rel="alternate"; type="text/markdown"',
  '</>; rel="alternate"; type="application/json"',
].join(', ')

/** The site for people and agents: one address, in the format that the Accept header asks for. */
export const landing = (parts: LandingParts): Resource => ({
  name: 'get_landing',
  path: '/',
  summary: 'The landing site for people and agents',
  tag: 'discovery',
  cache: 'public, max-age=300',
  stamp: parts.stamp,
  lenient: true,
  headers: { ...PAGE_HEADERS, link: LINKS },
  forms: [
    {
      type: 'text/html; charset=utf-8',
      render: async () => (await import('./landing-html.tsx')).landingHtml(parts.frame, await landingFacts(parts)),
    },
    { type: 'text/markdown; charset=utf-8', render: async () => landingMarkdown(await landingFacts(parts)) },
    jsonForm(parts.readme.output, async () => parts.readme.run({}, {})),
  ],
})
