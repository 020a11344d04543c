// A publisher on this machine: its pages look as CMS's do, its server can be slow, busy or wrong, and it counts its requests.

import { join } from 'node:path'
import { zip } from '../../src/files/zip-fixture.ts'
import { PUBLISHERS, type PublisherTable } from '../../src/tables/publishers.ts'

const CMS = 'https://www.cms.gov'
const ROBOTS = 'User-agent: *\nDisallow: /*?\nAllow: /medicare-coverage-database/*?\n'
const AGREEMENT =
  '<h1>End User Point and Click Agreement</h1><p>The scope of this license is set by an invented text.</p><form><input name="agree" value="yes"></form>'

type Answer = (request: Request) => Response | Promise<Response>

export class PublisherSite implements AsyncDisposable {
  readonly #server: ReturnType<typeof Bun.serve>
  readonly #answers = new Map<string, Answer>()
  /** The paths that were asked for, with their queries, and when by the clock of the test. */
  readonly asked: { path: string; at: number; headers: Headers; status: number }[] = []

  constructor(readonly clock: { now: number }) {
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url)
        const response = await this.#answer(request, pathname + search)
        this.asked.push({ path: pathname + search, at: clock.now, headers: request.headers, status: response.status })
        return response
      },
    })
    this.put('/robots.txt', () => new Response(ROBOTS))
    this.page('/license/ama', AGREEMENT)
  }

  get host(): string {
    return `127.0.0.1:${this.#server.port}`
  }
  get url(): string {
    return `http://${this.host}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }

  /** The table of the program, with this site in the place of CMS's. */
  get table(): PublisherTable {
    const text = JSON.stringify({ ...PUBLISHERS, hosts: [this.host] })
    return JSON.parse(text.replaceAll(CMS, this.url)) as PublisherTable
  }

  async #answer(request: Request, path: string): Promise<Response> {
    const answer = this.#answers.get(path)
    const response = answer ? await answer(request) : new Response('not found', { status: 404 })
    if (!response.headers.has('date')) response.headers.set('date', new Date(this.clock.now).toUTCString())
    return response
  }

  put(path: string, answer: Answer): void {
    this.#answers.set(path, answer)
  }
  remove(path: string): void {
    this.#answers.delete(path)
  }

  /** Serves bytes with an entity tag, and 304 to those who have them. */
  bytes(path: string, bytes: Uint8Array | string, type: string): void {
    const body = new Blob([bytes as BlobPart])
    const etag = `"${Bun.hash(bytes).toString(16)}"`
    this.put(path, (request) =>
      request.headers.get('if-none-match') === etag
        ? new Response(null, { status: 304, headers: { etag } })
        : new Response(body, { headers: { etag, 'content-type': type } }),
    )
  }

  page(path: string, body: string): void {
    this.bytes(path, `<!DOCTYPE html><html lang="en"><body>${FRAME}${body}</body></html>`, 'text/html; charset=UTF-8')
  }

  /** A page with a block of downloads, or a list of editions. */
  links(path: string, links: readonly string[]): void {
    const items = links.map(
      (href) => `<li class="field__item"><a href="${href}" hreflang="en"><span>A file</span> (ZIP)</a></li>`,
    )
    this.page(path, `<h2 class="field__label">Downloads</h2><ul class="field__items">${items.join('\n')}</ul>`)
  }

  archive(path: string, members: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
    const bytes = zip(Object.entries(members).map(([name, data]) => ({ name, data })))
    this.bytes(path, bytes, 'application/zip')
    return bytes
  }

  /** The path of the page of a chart. */
  pathOf(chart: string): string {
    return new URL(this.table.charts[chart]?.page ?? '').pathname
  }

  /** Forgets what was asked, and returns it. */
  takeAsked(): string[] {
    return this.asked.splice(0).map(({ path }) => path)
  }
}

/** What stands on each of CMS's pages beside its links. */
const FRAME = `<!-- <a href="/files/zip/99clabq9.zip">an old comment</a> -->
<a href="#main-content">Skip to main content</a><a href="/medicare">Medicare</a>
<script>document.write('<a href="/files/zip/rvu99d.zip">')</script>
<a href="https://www.example.org/files/zip/elsewhere.zip">A partner</a><a href="mailto:a@example.org">Mail</a>`

/** Invented schedules with the codes that every edition has. */
const code = (i: number): string => `G${String(1 + i).padStart(4, '0')}`
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** A laboratory schedule of 1,200 lines. */
export function laboratoryFile(year: number, changed = 0): string {
  const known = { '36415': '9.34', '80053': '10.56', '85025': '7.77' }
  const rows = [
    ...Object.entries(known),
    ...upTo(1_200).map((i) => [code(i), `${20 + (i % 500)}.${i < changed ? '35' : '25'}`] as const),
  ]
  return `YEAR,HCPCS,MOD,EFF_DATE,INDICATOR,RATE,SHORTDESC,LONGDESC\n${rows
    .map(([cpt, rate]) => `${year},${cpt},,${year}0101,N,${rate},text,text\n`)
    .join('')}`
}

const MONTHS = ['January', 'April', 'July', 'October']
const LAST_DAYS = ['March 31', 'June 30', 'September 30', 'December 31']

/** A list of payment limits of 600 lines. */
export function drugFile(year: number, quarter: number, changed = 0): string {
  const known = { J0585: '6.510', J9035: '73.632' }
  const rows = [
    ...Object.entries(known),
    ...upTo(600).map((i) => [code(i), `${10 + (i % 400)}.${i < changed ? '357' : '257'}`] as const),
  ]
  return [
    'Payment Allowance Limits for Medicare Part B Drugs,,,,',
    `"Effective ${MONTHS[quarter - 1]} 1, ${year} through ${LAST_DAYS[quarter - 1]}, ${year}",,,,`,
    'HCPCS Code,Short Description,HCPCS Code Dosage,Payment Limit,Co-insurance Percentage',
    ...rows.map(([cpt, limit]) => `${cpt},text,10 MG,${limit},20.000`),
    '',
  ].join('\n')
}

export const monthOf = (quarter: number): string => (MONTHS[quarter - 1] ?? '').toLowerCase()

/** The form of a CMS page as it was stored by others, where the folder of published files is there. */
export const storedPages = (shared: string): string => join(shared, 'fetching/cms-pages')
