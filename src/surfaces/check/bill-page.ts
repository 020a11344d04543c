import type { Stamp } from '../../operation.ts'
import type { Mount } from '../http/mount.ts'
import type { Resource } from '../http/resource.ts'
import { type Frame, PAGE_HEADERS } from '../site/frame.ts'
import type { Hospital } from '../words/hospitals.ts'
import type { BillParts } from './bill-answer.ts'
import { EMPTY_FORM, GUIDE } from './bill-form.ts'
import { guideForms } from './guide.ts'

export interface BillPageParts {
  frame: Frame
  hospitals: () => Promise<readonly Hospital[]>
  stamp: Stamp
}

export const billPage = ({ frame, hospitals, stamp }: BillPageParts): Resource => ({
  name: 'get_bill_page',
  path: '/bill',
  summary: 'A page that checks a bill by the published rules of its days',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  stamp,
  lenient: true,
  isBesideApi: true,
  headers: PAGE_HEADERS,
  forms: [
    {
      type: 'text/html; charset=utf-8',
      render: async () => (await import('./bill-html.tsx')).billHtml(frame, EMPTY_FORM, await hospitals()),
    },
    ...guideForms(GUIDE),
  ],
})

/** A bill is sent as a form, with or without a script, and answered in the form that `Accept` or its button says. Nothing of it is kept. */
export const billEndpoint = (parts: BillParts): Mount => ({
  name: 'compare_bill',
  path: '/bill',
  handle: async (request, caller) => (await import('./bill-answer.ts')).answerBill(parts, request, caller),
})
