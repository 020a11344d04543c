import type { Resource } from '../http/resource.ts'
import { type Frame, PAGE_HEADERS } from '../site/frame.ts'
import { type Guide, guideForms } from './guide.ts'

const GUIDE: Guide = {
  title: 'Verify an answer',
  about:
    'Checks any answer of this registry that has a proof: a price, an absence, a bill, a page, a sheet, a history, figures, a checkpoint, or the export of a release as NDJSON, CSV or Parquet. The check runs in the browser, with log keys that the browser has pinned.',
  instead: [
    '`atr verify <file> --policy <file> --asked <address>` runs the same check on the command line',
    'the package exports `./verify` and `./verify/lists` for programs in Node, Bun and browsers',
    '`POST /reference/verify` lets this service check an answer under its own keys',
  ],
}

/** Everything on it happens in the browser: what is pasted is sent nowhere. */
export const verifyPage = (frame: Frame): Resource => ({
  name: 'get_verify_page',
  path: '/verify',
  summary: 'A page on which answers are checked in the browser',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  stamp: () => 'constant',
  lenient: true,
  isBesideApi: true,
  headers: PAGE_HEADERS,
  forms: [
    {
      type: 'text/html; charset=utf-8',
      render: async () => (await import('./verify-html.tsx')).verifyHtml(frame, GUIDE),
    },
    ...guideForms(GUIDE),
  ],
})
