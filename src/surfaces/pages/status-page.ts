import type { Stamp } from '../../operation.ts'
import type { Resource } from '../http/resource.ts'
import { sitePage } from './site-page.ts'
import type { StatusParts } from './status-forms.tsx'

export const statusPage = (parts: StatusParts & { stamp: Stamp }): Resource =>
  sitePage({
    name: 'get_status_page',
    path: '/status',
    summary: 'How fresh each price list is, the last verification, and the heads of the logs, for people',
    stamp: parts.stamp,
    forms: async () => (await import('./status-forms.tsx')).statusForms(parts),
  })
