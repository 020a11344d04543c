import type { RenderedPage, Resource } from '../http/resource.ts'
import { PAGE_HEADERS } from '../site/frame.ts'
import { type PriceFacts, type PriceParts, priceFacts, priceJson } from './price-facts.ts'
import { priceMarkdown } from './price-markdown.ts'
import { type Fields, pricePath, QUERY, questionIn, readFields } from './price-question.ts'

/** The work behind a page is that of many lookups, most of which are short. */
const COST = 10

/** A page for each question, to be printed, cited and checked; and the address that the form leads from. */
export const pricePages = (parts: PriceParts): Resource[] => [
  {
    ...common(parts),
    name: 'get_price_page',
    path: '/price/{cpt}',
    summary: 'A price, or why there is none: with its source, arithmetic, neighbours and history, to print and check',
    parameters: [{ name: 'cpt', description: 'A CPT or HCPCS code' }],
    query: QUERY,
    forms: forms(parts),
  },
  {
    ...common(parts),
    name: 'find_price_page',
    path: '/price',
    summary: 'Leads from the form of a lookup to the page of the price',
    query: ['cpt', ...QUERY],
    cost: 1, // it leads to the page, which is counted for itself
    forms: forms(parts, async (sent) => {
      const question = questionIn(readFields(sent, await parts.hospitals()), parts.today())
      // Without its day where none was asked for: the address is then about the day on which it is opened.
      return question && pricePath({ ...question, as_of: sent.as_of ? question.as_of : '' })
    }),
  },
]

const common = ({ stamp }: PriceParts) =>
  ({
    tag: 'discovery',
    isBesideApi: true,
    cache: 'public, max-age=300',
    limit: 'reference',
    cost: COST,
    heavy: true,
    lenient: true,
    stamp,
    headers: PAGE_HEADERS,
  }) as const

type Render = (facts: PriceFacts) => string | Promise<string>

function forms(parts: PriceParts, elsewhere: (sent: Fields) => Promise<string | undefined> = async () => undefined) {
  const form = (type: string, render: Render) => ({
    type,
    async render(...values: string[]): Promise<string | RenderedPage> {
      const sent = Object.fromEntries(['cpt', ...QUERY].map((name, at) => [name, values[at] ?? ''])) as Fields
      const location = await elsewhere(sent)
      if (location !== undefined) return { body: '', status: 303, headers: { location } }
      const facts = await priceFacts(parts, sent)
      const body = await render(facts)
      return facts.reference.status === 200 ? body : { body, status: facts.reference.status }
    },
  })
  return [
    form('text/html; charset=utf-8', async (facts) => (await import('./price-html.tsx')).priceHtml(parts.frame, facts)),
    form('text/markdown; charset=utf-8', priceMarkdown),
    form('application/json', (facts) => JSON.stringify(priceJson(facts))),
  ]
}
