import { JsonError, parseJson } from '../proof/canonical-json.ts'
import { UsageFault } from './command.ts'

interface PageBody {
  data: unknown[]
  states?: unknown
  links?: { next?: unknown }
}

/** Far more than the log of any ledger has, so that an endless list is not followed for ever. */
const MOST_PAGES = 2000

/** Joins several pages of one list. Members other than `data` and `states` describe a single page, and are left out. */
export function joinPages(texts: readonly string[]): string {
  const pages = texts.map(parsePage)
  if (!pages.every((page) => page !== undefined))
    throw new UsageFault('several answers can be verified together only if they are pages of one list')
  const states = pages.flatMap((page) => page.states ?? [])
  return JSON.stringify({ data: pages.flatMap(({ data }) => data), states })
}

/**
 * Fetches the answer at an address. If it is a page of changes, the next pages too, until one reaches the older checkpoint.
 * The pages are hostile: links are followed within their own origin only.
 */
export async function pagesSince(url: string, older: string, fetchPage: (url: string) => Promise<string>) {
  const covered = Number(older.split('\n')[1])
  const texts: string[] = []
  for (let next: string | undefined = url; next !== undefined && texts.length < MOST_PAGES; ) {
    const text = await fetchPage(next)
    texts.push(text)
    next = nextAddress(text, url, covered)
  }
  return texts.length === 1 ? (texts[0] as string) : joinPages(texts)
}

function nextAddress(text: string, url: string, covered: number): string | undefined {
  const page = parsePage(text)
  const last = page?.data.at(-1) as { seq?: unknown } | undefined
  const next = page?.links?.next
  if (typeof next !== 'string' || typeof last?.seq !== 'number') return undefined
  const oldestFirst = new URL(url).searchParams.has('after_seq')
  if (!oldestFirst && last.seq <= covered) return undefined
  const address = new URL(next, url)
  return address.origin === new URL(url).origin ? address.href : undefined
}

const PAGE_MEMBERS = ['data', 'states', 'data_class', 'page', 'links', 'as_of']
const hasOnlyPageMembers = (body: object): boolean => Object.keys(body).every((member) => PAGE_MEMBERS.includes(member))

function parsePage(text: string): PageBody | undefined {
  try {
    const body = parseJson(text) as PageBody | null
    // A member that a single page may not have is refused, though only `data` and `states` are used.
    return Array.isArray(body?.data) && hasOnlyPageMembers(body) ? body : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
