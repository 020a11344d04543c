import { toBase64, utf8 } from '../../proof/bytes.ts'
import { sha256 } from '../../proof/sha256.ts'
import { STYLE } from './page-style.ts'

/** Markup that is safe to send: made here by `html`, or from text that was escaped. */
export class Html {
  constructor(readonly markup: string) {}
}
type Part = string | number | Html | readonly Html[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? '')

/** A template that escapes every value that is not markup already, so that none can be forgotten. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((page, string, at) => page + markupOf(parts[at - 1] ?? '') + string))
}

function markupOf(part: Part): string {
  if (part instanceof Html) return part.markup
  return typeof part === 'object' ? part.map(({ markup }) => markup).join('') : escaped(String(part))
}

/**
 * A value inside a sentence of markdown: it cannot start a link, heading, code or tag, nor end its line.
 * An underscore inside a word marks nothing (CommonMark 6.2) and stays readable.
 */
export const markdownText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`)

/** A value shown as it is, in a code span that it cannot close. */
export const markdownCode = (text: string): string => `\`${text.replaceAll(/\s+/g, ' ').replaceAll(/[`|]/g, '')}\``

/** Pages run no script and load nothing else; the one style sheet is allowed by its hash. */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${toBase64(sha256(utf8(STYLE)))}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const

export interface Page {
  title: string
  description: string
  nav?: Html
  main: Html
  /** Further elements of the head. */
  head?: Html
}

/** The frame of every page. */
export const page = ({ title, description, nav = html``, main, head = html`` }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<link rel="icon" href="/logo.svg" type="image/svg+xml">
${head}
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><div class="wrap">
<a class="brand" href="/"><img src="/logo.svg" alt="" width="28" height="28">Agent Trust Registry</a>
${nav}
</div></header>
<main id="main" class="wrap">
${main}
</main>
<footer><div class="wrap">
<p>For programs: <a href="/api/readme">briefing</a>,
<a href="/api/openapi.json">OpenAPI</a>, <a href="/.well-known/agent-card.json">agent card</a>,
<a href="/.well-known/ai-plugin.json">plugin manifest</a>, <a href="/log/policy">log keys</a>.</p>
</div></footer>
</body>
</html>
`.markup
