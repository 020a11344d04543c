import type { PageContent } from './layout.tsx'

// Modules that make pages are loaded with the first page that is asked for: agents ask for none, and a service starts sooner.

/** Pages load a style sheet and scripts from here, and nothing else from anywhere. Nothing stands inline. */
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
