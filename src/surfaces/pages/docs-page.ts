import type { Stamp } from '../../operation.ts'
import type { Resource } from '../http/resource.ts'
import type { DocsParts } from './docs-forms.tsx'
import { sitePage } from './site-page.ts'

export const docsPage = (parts: DocsParts & { stamp: Stamp }): Resource =>
  sitePage({
    name: 'get_docs_page',
    path: '/docs',
    summary: 'Documentation for people: quick start, every operation, MCP, access, proofs, limits, problems',
    stamp: parts.stamp,
    forms: async () => (await import('./docs-forms.tsx')).docsForms(parts),
  })
