import { ABOUT, RULES, SERVICE } from '../discovery/descriptor.ts'
import { DOCUMENTS } from '../guides/documents.ts'
import type { FigureTile } from './figure-words.ts'
import {
  isSample,
  type LandingChart,
  type LandingFacts,
  NEVER_EXPOSED,
  noExample,
  STATUS_WORDS,
  TERMS,
  verifyCommands,
} from './landing-facts.ts'
import { blocks, bullets, markdownCode as code, markdownTable, markdownText as text } from './markup.ts'
import { inWords, periodText } from './words.ts'

/** The landing page as markdown, mainly for agents. */
export const landingMarkdown = (facts: LandingFacts): string =>
  blocks([
    `# ${SERVICE}`,
    `> ${ABOUT}`,
    facts.notice === undefined ? '' : `**${text(facts.notice)}**`,
    facts.sample ? '**SAMPLE**: amounts and figures marked SAMPLE are invented for demonstration.' : '',
    '## A price and its source',
    example(facts),
    '## Dispute figures',
    figures(facts),
    '## Price lists',
    charts(facts),
    '## Check it yourself',
    'Save the keys of the log once, then check any answer with them. In place of an address the command takes a file with an answer that you saved, and then needs no network.',
    ['```sh', ...verifyCommands(facts.base, '/reference?cpt=99213'), '```'].join('\n'),
    facts.steps.length > 0 ? '## How an agent gets access' : '',
    facts.steps.map((step, at) => `${at + 1}. ${text(step)}`).join('\n'),
    '## Operations',
    bullets(
      facts.operations.map(({ route, summary, needs }) => `${code(route)}: ${text(summary)} (needs ${text(needs)})`),
    ),
    '## Rules',
    bullets(RULES),
    '## What is never exposed',
    bullets(NEVER_EXPOSED),
    '## Terms',
    bullets(TERMS),
    '## More',
    bullets(DOCUMENTS.map(({ title, path, summary }) => `[${title}](${path}): ${summary}`)),
  ])

export const sampleMark = (sample: boolean): string => (sample ? ' **SAMPLE**' : '')

function example({ example: price, charts }: LandingFacts): string {
  if (!price) return noExample(charts)
  return (
    `${text(price.shown)} is the reference price of code ${code(price.cpt)} in region ${code(price.region)}, in force since ` +
    `${text(inWords(price.effective_from))}. It is stated by the ${text(price.schedule)}, file ${code(price.file)}, line ${price.line}, ` +
    `release ${code(price.release_id)}.${sampleMark(price.sample)} [See it with its proof](${price.address})`
  )
}

function figures({ figures: { released, sample, list } }: LandingFacts): string {
  const from = released === null ? 'No figures have been released yet.' : `Released ${text(inWords(released))}.`
  return `${from}${sampleMark(sample)} All of them with their definitions: [/figures](/figures)\n\n${bullets(list.map(figureLine))}`
}

export function figureLine({ key, name, value, error, withheld, meaning }: FigureTile): string {
  const shown = value === undefined ? `withheld, which is not zero: ${withheld}` : text(value)
  return `${code(key)} ${name}: ${shown}${error ? `, standard error ${text(error)}` : ''}. ${meaning}`
}

function charts({ charts: { list, total } }: LandingFacts): string {
  if (list.length === 0) return 'No price list is in force yet.'
  const table = chartTable(list)
  return total > list.length
    ? `${table}\n\nThe first ${list.length} of ${total}. [All of them, and how fresh they are](/status)`
    : table
}

export const chartTable = (list: readonly LandingChart[]): string =>
  markdownTable(
    ['Price list', 'Chart', 'Edition', 'Period', 'Today', 'Rows'],
    list.map((chart) => [
      `${text(chart.title)}${sampleMark(isSample(chart))}`,
      code(chart.chart),
      code(chart.edition),
      text(periodText(chart.effective_from, chart.effective_to)),
      STATUS_WORDS[chart.status],
      String(chart.rows),
    ]),
  )
