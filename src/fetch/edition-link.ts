// Finds editions among the links of a page. Links are hostile text: they are compared with the forms of the table, and an
// address is never made up, from a date or otherwise.

import type { LinkForm, PublisherTable } from '../tables/publishers.ts'

/** A link that looks like one of an edition. */
export interface EditionLink {
  /** The edition, such as `2026 Q4`, `2026`, or the day of a list that is issued anew now and then. */
  edition: string
  /** The first day of its quarter or year, where the link says it. */
  first_day: string | null
  /** Orders the links of one edition: the greatest is the latest. */
  rank: string
  part: string | null
  url: string
  /** The agreement that the publisher asks for first. */
  gate: string | null
}

export interface LinksFound {
  links: EditionLink[]
  /** How many links have the right form and lead to another host. */
  elsewhere: number
}

const MOST_LINKS = 20_000
const LONGEST_LINK = 1_000

/** The addresses of all links of a page, in its order. */
export function linksIn(html: string): string[] {
  const links: string[] = []
  const rewriter = new HTMLRewriter().on('a[href]', {
    element(anchor) {
      const link = anchor.getAttribute('href') ?? ''
      if (links.length < MOST_LINKS && link.length <= LONGEST_LINK) links.push(link.trim().replaceAll('&amp;', '&'))
    },
  })
  rewriter.transform(html)
  return links
}

/** The visible text of a page, with single blanks. */
export function textIn(html: string): string {
  const pieces: string[] = []
  const unseen = { element: (element: { remove(): void }) => element.remove() }
  const visible = new HTMLRewriter().on('script, style, noscript, template, input', unseen).transform(html)
  new HTMLRewriter().onDocument({ text: ({ text }) => void pieces.push(text) }).transform(visible)
  return pieces.join(' ').replaceAll(/\s+/g, ' ').trim()
}

interface LinkRules {
  forms: readonly LinkForm[]
  gates: PublisherTable['gates']
  isOwn: (host: string) => boolean
  yearly?: boolean
}

/** The links of editions on a page. */
export function editionLinks(html: string, base: string, { forms, gates, isOwn, yearly }: LinkRules): LinksFound {
  const found: LinksFound = { links: [], elsewhere: 0 }
  const seen = new Set<string>()
  for (const text of linksIn(html)) {
    if (!URL.canParse(text, base)) continue
    const { url, gate } = behindGate(new URL(text, base), gates)
    url.hash = ''
    const edition = editionOf(url.pathname, forms, yearly)
    if (!edition || seen.has(`${url.href} ${gate}`)) continue
    seen.add(`${url.href} ${gate}`)
    if (isOwn(url.host)) found.links.push({ ...edition, url: url.href, gate })
    else found.elsewhere++
  }
  return found
}

/** The file behind a link to an agreement is named by its parameter, which is read as text: the link itself is not asked for. */
function behindGate(link: URL, gates: PublisherTable['gates']): { url: URL; gate: string | null } {
  for (const [gate, { path: form }] of Object.entries(gates)) {
    const file = new RegExp(form, 'i').test(link.pathname) ? link.searchParams.get('file') : null
    if (file !== null && URL.canParse(file, link.href)) return { url: new URL(file, link.href), gate }
  }
  return { url: link, gate: null }
}

const MONTHS = ['january', 'april', 'july', 'october']

function editionOf(
  path: string,
  forms: readonly LinkForm[],
  yearly: boolean | undefined,
): Omit<EditionLink, 'url' | 'gate'> | undefined {
  for (const { path: form, quarter } of forms) {
    const groups = new RegExp(form, 'i').exec(path)?.groups
    if (!groups) continue
    const { year, fiscal, part = null, version = '', revision = '', final = '', updated } = groups
    const rank = [version.padStart(6, '0'), revision.toLowerCase(), dayIn(updated) ?? '', final === '' ? '' : 'f'].join(
      ' ',
    )
    const said = { part: part?.toLowerCase() ?? null, rank }
    const day = dayIn(updated)
    if (fiscal !== undefined) return { ...said, edition: `FY${fiscal}`, first_day: `${Number(fiscal) - 1}-10-01` }
    if (year === undefined) return day === undefined ? undefined : { ...said, edition: day, first_day: null }
    const fullYear = year.length === 2 ? `20${year}` : year
    const number = quarter ?? quarterOf(groups)
    if (number === undefined) return { ...said, edition: fullYear, first_day: `${fullYear}-01-01` }
    // Of a chart that changes with the year, the last quarter of a year is the latest list.
    if (yearly) return { ...said, rank: `${number} ${rank}`, edition: fullYear, first_day: `${fullYear}-01-01` }
    return { ...said, edition: `${fullYear} Q${number}`, first_day: firstDay(fullYear, number) }
  }
  return undefined
}

const firstDay = (year: string, quarter: number): string => `${year}-${String(quarter * 3 - 2).padStart(2, '0')}-01`

function quarterOf({ quarter, letter, month }: Record<string, string | undefined>): number | undefined {
  if (quarter !== undefined) return Number(quarter)
  if (letter !== undefined) return 'abcd'.indexOf(letter.toLowerCase()) + 1
  return month === undefined ? undefined : MONTHS.indexOf(month.toLowerCase()) + 1
}

/** '09/11/2025', '8-26-2026', '12/19/24', '031522' or '06012026' as an ISO date. */
function dayIn(text: string | undefined): string | undefined {
  const [, month = '', day = '', year = ''] =
    /^([0-9]{1,2})[-/]([0-9]{1,2})[-/]([0-9]{2,4})$/.exec(text ?? '') ??
    /^([0-9]{2})([0-9]{2})((?:[0-9]{2}){1,2})$/.exec(text ?? '') ??
    []
  if (year === '') return undefined
  return [year.length === 2 ? `20${year}` : year, month.padStart(2, '0'), day.padStart(2, '0')].join('-')
}

/** An edition that a page shows, with the links of its latest files. */
export interface ShownEdition {
  edition: string
  first_day: string | null
  links: readonly EditionLink[]
  /** `two_links`: nothing says which is the later one. `incomplete`: a part is missing. */
  fault?: 'two_links' | 'incomplete'
}

/** The editions of some links, the oldest first. */
export function editionsAmong(links: readonly EditionLink[], parts: readonly string[] = []): ShownEdition[] {
  const editions = Map.groupBy(links, ({ edition }) => edition)
  return [...editions]
    .map(([edition, own]) => ({ edition, first_day: own[0]?.first_day ?? null, ...latest(own, parts) }))
    .sort((a, b) => (a.edition < b.edition ? -1 : 1))
}

function latest(own: readonly EditionLink[], parts: readonly string[]): Pick<ShownEdition, 'links' | 'fault'> {
  const ranks = [...Map.groupBy(own, ({ rank }) => rank)].sort(([a], [b]) => (a > b ? -1 : 1))
  if (parts.length === 0) {
    const [[, links = []] = []] = ranks
    return links.length > 1 ? { links, fault: 'two_links' } : { links }
  }
  for (const [, links] of ranks) {
    const chosen = parts.map((part) => links.filter((link) => link.part === part))
    if (chosen.some((each) => each.length > 1)) return { links, fault: 'two_links' }
    if (chosen.every((each) => each.length === 1)) return { links: chosen.flat() }
  }
  return { links: ranks[0]?.[1] ?? [], fault: 'incomplete' }
}
