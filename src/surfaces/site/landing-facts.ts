import type { Operation, Stamp } from '../../operation.ts'
import type { DiscoveryParts } from '../discovery/descriptor.ts'

export interface LandingFigures {
  w: number | null
  r: number | null
  p: number | null
  savings: {
    total: string | null
    median: string | null
    median_band?: { low: string; high: string | null } | null | undefined
  }
  as_of: string | null
  data_class: string | null
}

export interface LandingChart {
  chart: string
  title: string
  edition: string
  effective_from: string
  rows: number
  data_class: string
}

/** The first few charts in force, and the totals of all of them. */
export interface LandingCharts {
  list: readonly LandingChart[]
  total: number
  hasSample: boolean
}

/** One price in force, and its place in its source. */
export interface LandingExample {
  cpt: string
  amount: string
  region: string
  effective_from: string
  release_id: string
  file: string
  line: number
}

export interface LandingParts extends DiscoveryParts {
  readme: () => Promise<unknown>
  figures: () => Promise<LandingFigures>
  charts: () => Promise<LandingCharts>
  example: () => Promise<LandingExample | undefined>
  stamp: Stamp
}

export interface Figure {
  key: string
  name: string
  /** Undefined where the figure is withheld. */
  value: string | undefined
  meaning: string
}

/** What the landing page says, in words, before it is HTML or markdown. Nothing here is escaped yet. */
export interface LandingFacts {
  base: string
  /** True if anything on the page is invented for demonstration. */
  sample: boolean
  example: (LandingExample & { shown: string; schedule: string; sample: boolean; address: string }) | undefined
  figures: { released: string | null; sample: boolean; list: readonly Figure[] }
  charts: LandingCharts
  steps: readonly string[]
  operations: readonly { route: string; summary: string; needs: string }[]
}

export async function landingFacts(parts: LandingParts): Promise<LandingFacts> {
  const [figures, charts, example] = await Promise.all([parts.figures(), parts.charts(), parts.example()])
  const chart = example && charts.list.find((each) => example.release_id.startsWith(`${each.chart}:${each.edition}:`))
  return {
    base: parts.baseUrl(),
    sample: figures.data_class === 'sample' || charts.hasSample,
    example: example && {
      ...example,
      shown: dollars(example.amount),
      schedule: chart?.title ?? 'the schedule in force',
      sample: chart !== undefined && isSample(chart),
      address: `/reference?cpt=${inQuery(example.cpt)}&region=${inQuery(example.region)}`,
    },
    figures: { released: figures.as_of, sample: figures.data_class === 'sample', list: figureList(figures) },
    charts,
    steps: parts.rails.flow,
    operations: parts.operations().map(described),
  }
}

export const isSample = ({ data_class }: { data_class: string }): boolean => data_class === 'sample'

const figureList = ({ w, r, p, savings }: LandingFigures): Figure[] => [
  {
    key: 'w',
    name: 'Win rate',
    value: percent(w),
    meaning: 'Closed cases in which 500 dollars or more was recovered.',
  },
  { key: 'r', name: 'Recurring', value: percent(r), meaning: 'Cases that belong to an ongoing treatment.' },
  {
    key: 'p',
    name: 'Settled plainly',
    value: percent(p),
    meaning: 'Settlements reached without a certified letter.',
  },
  {
    key: 'savings',
    name: 'Median saving',
    value: medianOf(savings),
    meaning: 'The middle amount recovered in a settlement.',
  },
]

/** With noise the median is a band. */
function medianOf({ median, median_band: band }: LandingFigures['savings']): string | undefined {
  const whole = (amount: string): string => dollars(amount.replace(/\.00$/, ''))
  if (median !== null) return whole(median)
  if (!band) return undefined
  return band.high === null ? `${whole(band.low)} or more` : `${whole(band.low)} to ${whole(band.high)}`
}

function described({ http, summary, access }: Operation): LandingFacts['operations'][number] {
  const needs = { public: 'nothing', agent_key: 'agent key' }[access as string] ?? access
  return { route: `${http.method} ${http.path}`, summary, needs }
}

const percent = (share: number | null): string | undefined =>
  share === null ? undefined : `${Math.round(share * 100)}%`
export const grouped = (digits: string): string => digits.replaceAll(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',')
const dollars = (amount: string): string => `$${grouped(amount)}`

/** The address is also used in a quoted shell command and in a markdown link, so characters that would end those are encoded too. */
const inQuery = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** '2026-07-01', with or without a time, is '1 July 2026'; other text is returned unchanged. */
export function inWords(day: string): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)(?:T|$)/.exec(day) ?? []
  const name = MONTHS[Number(month) - 1]
  return name ? `${Number(date)} ${name} ${year}` : day
}

/** What the service never shows, and what its numbers do not mean. */
export const NEVER_EXPOSED = [
  'Protected health information: the ledger of outcomes has no column for it.',
  'Conversations with members.',
  'Verified contact values of providers. Contacts are never guessed either.',
  'Internal operations.',
] as const

export const TERMS = [
  'A Medicare amount is a reference. It is not what a patient owes, not an offer and not advice.',
  'CPT codes are the property of the American Medical Association. This service uses the codes alone and shows no descriptors.',
  'Dispute figures are aggregates under a published disclosure rule. A withheld figure is not zero.',
  'For a code without a price the answer gives a reason and a proof. Do not replace it with a guess.',
] as const

export const verifyCommands = (base: string, address: string): readonly string[] => [
  `curl -s '${base}/log/policy' > log-policy.txt`,
  `atr verify '${base}${address}' --policy log-policy.txt`,
]
