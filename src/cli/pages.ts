import { JsonError, parseJson } from '../proof/canonical-json.ts'
import { UsageFault } from './command.ts'

interface PageBody {
  data: unknown[]
  states?: unknown
  links?: { next?: unknown }
}

/** Far more than the log of any ledger has: a server that never stops saying "next" is not followed for ever. */
const MOST_PAGES = 2000

/** Several pages of one list as one. Members beside `data` and `states` say where a page lies in the list, and are left out. */
export function joinPages(texts: readonly string[]): string {
  const pages = texts.map(pageIn)
  if (!pages.every((page) => page !== undefined))
    throw new UsageFault('several answers can be verified together only if they are pages of one list')
  const states = pages.flatMap((page) => page.states ?? [])
  return JSON.stringify({ data: pages.flatMap(({ data }) => data), states })
}

/**
 * The answer at an address. If it is a page of changes, also those that follow, until one reaches back to what the
 * older checkpoint covers. The pages are hostile: they are followed within their own origin only.
 */
export async function pagesSince(url: string, older: string, fetchPage: (url: string) => Promise<string>) {
  const covered = Number(older.split('\n')[1])
  const texts: string[] = []
  for (let next: string | undefined = url; next !== undefined && texts.length < MOST_PAGES; ) {
    const text = await fetchPage(next)
    texts.push(text)
    next = nextOf(text, url, covered)
  }
  return texts.length === 1 ? (texts[0] as string) : joinPages(texts)
}

function nextOf(text: string, url: string, covered: number): string | undefined {
  const page = pageIn(text)
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

function pageIn(text: string): PageBody | undefined {
  try {
    const body = parseJson(text) as PageBody | null
    // What may not stand in one page may not stand in several either, though only these two are taken on.
    return Array.isArray(body?.data) && hasOnlyPageMembers(body) ? body : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
