/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { type AssetName, assets } from './assets.ts'

export interface PageContent {
  title: string
  description: string
  /** Its path, if it is in the navigation. */
  path?: string
  main: Child
  /** Further elements of the head. */
  head?: Child
  /** The one for copying, printing and forms, if none is named. */
  scripts?: readonly AssetName[]
}

/** The pages that every page leads to. */
export const SITE_PAGES = [
  { path: '/', title: 'Look up' },
  { path: '/bill', title: 'Bill' },
  { path: '/verify', title: 'Verify' },
  { path: '/figures', title: 'Figures' },
  { path: '/status', title: 'Status' },
  { path: '/docs', title: 'Docs' },
] as const

/** A page in the frame that all pages of a service have, with what it says of itself on every page. */
export async function layout(
  { title, description, path, main, head, scripts = ['site'] }: PageContent,
  notice: string | undefined,
): Promise<string> {
  const loaded = await assets()
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={description} />
        <link rel="icon" href="/logo.svg" type="image/svg+xml" />
        <link rel="stylesheet" href={loaded.style.path} />
        {scripts.map((name) => (
          <script type="module" src={loaded[name].path} />
        ))}
        {head}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="bar">
          <div class="wrap">
            <a class="brand" href="/">
              <img src="/logo.svg" alt="" width="26" height="26" />
              Agent Trust Registry
            </a>
            <nav aria-label="Site">
              <ul>
                {SITE_PAGES.map((each) => (
                  <li>
                    <a href={each.path} aria-current={each.path === path ? 'page' : undefined}>
                      {each.title}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          </div>
        </header>
        <main id="main" class="wrap">
          {notice && <p class="notice">{notice}</p>}
          {main}
        </main>
        <footer>
          <div class="wrap">
            <p>
              A Medicare amount is a reference, not what a patient owes. CPT codes are the property of the American
              Medical Association; no descriptors are shown.
            </p>
            <p>
              For programs: <a href="/api/readme">briefing</a>, <a href="/api/openapi.json">OpenAPI</a>,{' '}
              <a href="/.well-known/agent-card.json">agent card</a>, <a href="/log/policy">log keys</a>,{' '}
              <a href="/feed.atom">feed</a>. Every page is also markdown and JSON, by <code>Accept</code>.
            </p>
          </div>
        </footer>
      </body>
    </html>
  )
  return `<!doctype html>\n${page}\n`
}

export const Sample = () => <strong class="tag">SAMPLE</strong>

interface TableProps {
  id: string
  caption: string
  /** On a narrow screen each row becomes a block, whose cells name their column. */
  stacked?: boolean
  routes?: boolean
  /** The names of its columns. */
  head: readonly string[]
  /** How many of them hold numbers: the last ones. */
  numbers?: number
  /** The rows that it ends with, which sum up the others. */
  foot?: Child
  /** Its rows. */
  children?: Child
}

/** A table that scrolls by itself where it is wider than the screen. */
export const ScrollingTable = ({ id, caption, stacked, routes, head, numbers = 0, foot, children }: TableProps) => (
  <section class="scroll" aria-labelledby={id} tabindex={0}>
    <table class={[stacked && 'stacked', routes && 'routes'].filter(Boolean).join(' ') || undefined}>
      <caption id={id}>{caption}</caption>
      <thead>
        <tr>
          {head.map((name, at) => (
            <th scope="col" class={at >= head.length - numbers ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  </section>
)

/** A text to copy. The script of the page adds the button. */
export const Snippet = ({ label, text }: { label: string; text: string }) => (
  <figure class="snippet">
    <figcaption>{label}</figcaption>
    <pre tabindex={0}>
      <code>{text}</code>
    </pre>
  </figure>
)

/** Our own texts have names between backticks. */
export const WithCode = ({ words }: { words: string }) => (
  <>{words.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
)
