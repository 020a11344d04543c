import type { PageContent } from './layout.tsx'

// The code that makes pages is loaded with the first page: agents ask for none, and the service starts sooner.

/** Pages load a style sheet and scripts from here, and nothing else from anywhere. Nothing is inline. */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
} as const

/** Puts a page into the frame that all pages of a service have. */
export type Frame = (page: PageContent) => Promise<string>

/** The frame of a service, with what it says of itself on every page. */
export const frameOf =
  (notice?: string): Frame =>
  async (page) =>
    (await import('./layout.tsx')).layout(page, notice)
