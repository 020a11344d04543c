import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DiscoveryParts, isMailbox } from '../discovery/descriptor.ts'
import type { Resource } from '../http/resource.ts'

const DAY = 'public, max-age=86400'
const FAVICON = readFileSync(join(import.meta.dir, 'favicon.ico'))

export interface SiteFileParts extends DiscoveryParts {
  now: () => number
}

/** The small files that crawlers, scanners and browsers ask every host for. */
export const siteFiles = (parts: SiteFileParts): Resource[] => [
  text({ name: 'get_robots', path: '/robots.txt', summary: 'Rules for crawlers' }, () => robots(parts.baseUrl())),
  {
    ...text({ name: 'get_sitemap', path: '/sitemap.xml', summary: 'The pages of this site' }, () =>
      sitemap(parts.baseUrl()),
    ),
    forms: [{ type: 'application/xml; charset=utf-8', render: () => sitemap(parts.baseUrl()) }],
  },
  text(
    { name: 'get_security_txt', path: '/.well-known/security.txt', summary: 'Where to report a weakness (RFC 9116)' },
    () => securityText(parts.baseUrl(), parts.contact ?? `${parts.baseUrl()}/`, parts.now()),
  ),
  {
    name: 'get_favicon',
    path: '/favicon.ico',
    summary: 'The icon for browsers that ask for this name',
    tag: 'discovery',
    isBesideApi: true,
    cache: DAY,
    lenient: true,
    forms: [{ type: 'image/x-icon', render: () => FAVICON }],
  },
]

const text = (file: Pick<Resource, 'name' | 'path' | 'summary'>, render: () => string): Resource => ({
  ...file,
  tag: 'discovery',
  isBesideApi: true,
  cache: DAY,
  lenient: true,
  forms: [{ type: 'text/plain; charset=utf-8', render }],
})

const robots = (base: string): string => `User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=yes
Allow: /
Disallow: /api/agent-rails/challenge
Disallow: /api/agent-rails/attest

Sitemap: ${base}/sitemap.xml
Agentmap: ${base}/.well-known/ai-catalog.json
`

/** Pages for people and readers of text; answers to questions are endless, and no list has them. */
const PAGES = ['/', '/figures', '/status', '/docs', '/index.md', '/auth.md', '/llms.txt']

const sitemap = (base: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${PAGES.map((path) => `<url><loc>${base}${path}</loc></url>`).join('\n')}
</urlset>
`

/** It ends on the first day of a month, a year ahead, so that the file stays the same for a month. */
function securityText(base: string, contact: string, now: number): string {
  const today = new Date(now)
  const expires = new Date(Date.UTC(today.getUTCFullYear() + 1, today.getUTCMonth(), 1))
  return `Contact: ${isMailbox(contact) ? `mailto:${contact}` : contact}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${base}/.well-known/security.txt
`
}
