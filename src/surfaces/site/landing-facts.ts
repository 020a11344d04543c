import type { Operation, Stamp } from '../../operation.ts'
import type { DiscoveryParts } from '../discovery/descriptor.ts'
import type { Hospital } from '../words/hospitals.ts'
import { type FiguresAnswer, type FigureTile, figureTiles } from './figure-words.ts'
import type { Frame } from './frame.ts'
import { dollars, inQuery } from './words.ts'

export interface LandingChart {
  chart: string
  title: string
  edition: string
  effective_from: string
  effective_to: string
  rows: number
  data_class: string
  status: 'fresh' | 'due' | 'stale' | 'overdue' | 'expired'
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
  frame: Frame
  readme: Operation
  figures: () => Promise<FiguresAnswer>
  /** Every chart that was ever published, with the edition that was in force last. */
  charts: () => Promise<readonly LandingChart[]>
  example: () => Promise<LandingExample | undefined>
  hospitals: () => Promise<readonly Hospital[]>
  stamp: Stamp
}

/** The content of the landing page, before it is HTML or markdown. Nothing here is escaped yet. */
export interface LandingFacts {
  base: string
  /** True if anything on the page is invented for demonstration. */
  sample: boolean
  example: (LandingExample & { shown: string; schedule: string; sample: boolean; address: string }) | undefined
  figures: { released: string | null; sample: boolean; list: readonly FigureTile[] }
  charts: { list: readonly LandingChart[]; total: number }
  hospitals: readonly Hospital[]
  /** How an agent gets a token; empty where none is issued. */
  steps: readonly string[]
  notice: string | undefined
  operations: readonly { route: string; summary: string; needs: string }[]
}

const MOST_CHARTS = 12

export async function landingFacts(parts: LandingParts): Promise<LandingFacts> {
  const [figures, all, example, hospitals] = await Promise.all([
    parts.figures(),
    parts.charts(),
    parts.example(),
    parts.hospitals(),
  ])
  const chart = example && all.find((each) => example.release_id.startsWith(`${each.chart}:${each.edition}:`))
  // Schedules come before the files of single hospitals, of which there can be thousands.
  const list = all.toSorted((a, b) => Number(isHospitalChart(a)) - Number(isHospitalChart(b))).slice(0, MOST_CHARTS)
  return {
    base: parts.baseUrl(),
    sample: figures.data_class === 'sample' || all.some(isSample),
    example: example && {
      ...example,
      shown: dollars(example.amount),
      schedule: chart?.title ?? 'the schedule in force',
      sample: chart !== undefined && isSample(chart),
      address: `/price/${inQuery(example.cpt)}?region=${inQuery(example.region)}`,
    },
    figures: { released: figures.as_of, sample: figures.data_class === 'sample', list: figureTiles(figures) },
    charts: { list, total: all.length },
    hospitals,
    steps: parts.notice === undefined ? parts.rails.flow : [],
    notice: parts.notice,
    operations: parts.operations().map(described),
  }
}

export const isSample = ({ data_class }: { data_class: string }): boolean => data_class === 'sample'

const isHospitalChart = ({ chart }: LandingChart): boolean => chart.includes(':')

function described({ http, summary, access }: Operation): LandingFacts['operations'][number] {
  const needs = { public: 'nothing', agent_key: 'agent key' }[access as string] ?? access
  return { route: `${http.method} ${http.path}`, summary, needs }
}

/** Whether an edition still covers the day, in words. */
export const STATUS_WORDS: Record<LandingChart['status'], string> = {
  fresh: 'in force',
  due: 'in force, next edition due',
  stale: 'in force, next edition overdue',
  overdue: 'in force, next edition long overdue',
  expired: 'expired',
}

/** In place of the example: it is one code of Medicare, and says nothing about the other lists. */
export const noExample = ({ list }: LandingFacts['charts']): string =>
  `The example shown here, code 99213, has no Medicare price in force today.${list.some(({ status }) => status !== 'expired') ? ' The price lists that are in force are listed below.' : ''}`

/** Facts that the service never shows, and the limits of its numbers. */
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

/** Ways in for programs, ready to be copied. */
export const connections = (base: string): readonly { label: string; text: string }[] => [
  {
    label: 'MCP configuration',
    text: JSON.stringify({ mcpServers: { 'agent-trust-registry': { type: 'http', url: `${base}/mcp` } } }, null, 2),
  },
  { label: 'One price, with curl', text: `curl '${base}/reference?cpt=99213&region=national'` },
  {
    label: 'Client, verifies every answer',
    text: `import { memoryPins, RegistryClient } from 'agent-trust-registry/client'

const client = new RegistryClient({ baseUrl: '${base}', pins: memoryPins() })
const { body, proved } = await client.lookup({ cpt: '99213' })`,
  },
  { label: 'Check an answer by keys that you keep', text: verifyCommands(base, '/reference?cpt=99213').join('\n') },
]

export const verifyCommands = (base: string, address: string): readonly string[] => [
  `curl -s '${base}/log/policy' > log-policy.txt`,
  `atr verify '${base}${address}' --policy log-policy.txt`,
]
